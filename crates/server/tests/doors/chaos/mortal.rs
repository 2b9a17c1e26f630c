//! A service that can be killed, stalled and started again at the same address.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::fake_icap::{self, Message, with_field};
use crate::origin::{receive, response};

/// The names of services.
pub(super) const NAMES: [&str; 3] = ["a", "b", "c"];

/// The protocol of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Http,
    Icap,
}

/// A service that adds its mark to every body.
pub(super) struct Mortal {
    kind: Kind,
    name: &'static str,
    address: SocketAddr,
    is_dead: AtomicBool,
    is_stalled: AtomicBool,
    connections: Mutex<BTreeMap<u64, TcpStream>>,
}

impl Mortal {
    pub(super) fn start(kind: Kind, name: &'static str) -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let this = Arc::new(Self {
            kind,
            name,
            address: listener.local_addr().unwrap(),
            is_dead: AtomicBool::new(false),
            is_stalled: AtomicBool::new(false),
            connections: Mutex::default(),
        });
        let own = Arc::clone(&this);
        std::thread::spawn(move || own.live(listener));
        this
    }

    /// Returns its entry in the registry.
    pub(super) fn registered(&self, timeout: Duration) -> String {
        let kind = if self.kind == Kind::Http { "http" } else { "icap" };
        format!(
            "[[service]]\nuri = \"opes://x/{}\"\nkind = \"{kind}\"\nurl = \"{kind}://{}/x\"\ntimeout_ms = {}\n",
            self.name,
            self.address,
            timeout.as_millis()
        )
    }

    /// Ends it at once: its connections break off, and its port is closed.
    pub(super) fn kill(&self) {
        self.is_dead.store(true, Ordering::Relaxed);
        // The listener wakes up and goes.
        let _ = TcpStream::connect(self.address);
        for stream in self.connections.lock().unwrap().values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Lets it wait with its answers.
    pub(super) fn stall(&self) {
        self.is_stalled.store(true, Ordering::Relaxed);
    }

    /// Starts it again.
    pub(super) fn revive(&self) {
        self.is_dead.store(false, Ordering::Relaxed);
        self.is_stalled.store(false, Ordering::Relaxed);
    }

    fn live(self: Arc<Self>, listener: TcpListener) {
        let (mut listener, mut number) = (Some(listener), 0);
        loop {
            if self.is_dead.load(Ordering::Relaxed) {
                listener = None;
                std::thread::sleep(Duration::from_millis(10));
                continue;
            }
            let Some(listening) = &listener else {
                listener = TcpListener::bind(self.address).ok();
                continue;
            };
            let Ok((stream, _)) = listening.accept() else { continue };
            if self.is_dead.load(Ordering::Relaxed) {
                continue;
            }
            let Ok(own) = stream.try_clone() else { continue };
            number += 1;
            self.connections.lock().unwrap().insert(number, own);
            let this = Arc::clone(&self);
            std::thread::spawn(move || {
                this.serve(stream);
                this.connections.lock().unwrap().remove(&number);
            });
        }
    }

    fn serve(&self, mut stream: TcpStream) {
        let mut ahead = Vec::new();
        while let Some(answer) = self.answer(&mut stream, &mut ahead) {
            while self.is_stalled.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(20));
            }
            // In two parts, so that it can die between them.
            let (one, two) = answer.split_at(answer.len() / 2);
            if stream.write_all(one).is_err() || stream.write_all(two).is_err() {
                break;
            }
        }
        let _ = stream.shutdown(Shutdown::Both);
    }

    fn answer(&self, stream: &mut TcpStream, ahead: &mut Vec<u8>) -> Option<Vec<u8>> {
        let mark = |body: &[u8]| [body, b"|", self.name.as_bytes()].concat();
        let field = format!("X-By: {}", self.name);
        if self.kind == Kind::Http {
            let got = receive(stream, ahead)?;
            let end = got.body.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
            let (head, body) = got.body.split_at(end);
            let head = with_field(&String::from_utf8_lossy(head), &field);
            let message = [head.as_bytes(), &mark(body)].concat();
            return Some(response("200 OK", "Content-Type: message/http\r\n", &message));
        }
        match fake_icap::read(stream, ahead)? {
            Message::Options => Some(fake_icap::OPTIONS.into()),
            Message::Adapt(is_response, head, body) => {
                let (head, body) = (with_field(&head, &field), mark(&body.unwrap_or_default()));
                Some(fake_icap::adapted(is_response, &head, &body, 0, "0\r\n\r\n"))
            }
        }
    }
}
