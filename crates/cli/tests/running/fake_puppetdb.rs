//! A PuppetDB over plain HTTP, which is allowed on this machine: it takes commands and answers as it is told.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A PuppetDB at a port of this machine: command, node and time of each command that it took.
#[derive(Clone)]
pub(crate) struct Fake {
    port: u16,
    came: Arc<Mutex<Vec<[String; 3]>>>,
    is_up: Arc<AtomicBool>,
    /// The answers to other requests, by the beginnings of their targets.
    answers: Arc<Mutex<Vec<(String, String)>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    pub(crate) fn start() -> Self {
        let socket = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = socket.local_addr().expect("an address").port();
        let fake = Self {
            port,
            came: Arc::default(),
            is_up: Arc::default(),
            answers: Arc::default(),
            asked: Arc::default(),
        };
        let own = fake.clone();
        std::thread::spawn(move || {
            for stream in socket.incoming().flatten() {
                let own = own.clone();
                std::thread::spawn(move || own.serve(stream));
            }
        });
        fake
    }

    /// Writes a `puppetdb.conf`, and returns its path.
    pub(crate) fn conf(&self, directory: &Path) -> PathBuf {
        let path = directory.join("puppetdb.conf");
        let text = format!("[main]\nserver_urls = http://127.0.0.1:{}\n", self.port);
        std::fs::write(&path, text).expect("written");
        path
    }

    pub(crate) fn up(&self, is_up: bool) {
        self.is_up.store(is_up, Ordering::Relaxed);
    }

    pub(crate) fn came(&self) -> Vec<[String; 3]> {
        self.came.lock().expect("a list").clone()
    }

    /// Sets the answer to requests whose targets begin with a text.
    pub(crate) fn answer(&self, target: &str, body: &str) {
        self.answers.lock().expect("a list").push((target.to_owned(), body.to_owned()));
    }

    /// Returns the targets of requests that are no commands.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("a list").clone()
    }

    fn other(&self, target: &str) -> String {
        self.asked.lock().expect("a list").push(target.to_owned());
        let answers = self.answers.lock().expect("a list");
        let found = answers.iter().rev().find(|(start, _)| target.starts_with(start.as_str()));
        found.map_or_else(|| "[]".to_owned(), |(_, body)| body.clone())
    }

    fn serve(&self, mut stream: TcpStream) {
        let mut bytes = Vec::new();
        let mut piece = [0; 16 << 10];
        while self.is_up.load(Ordering::Relaxed) {
            let head_end = bytes.windows(4).position(|window: &[u8]| window == b"\r\n\r\n");
            let head = head_end.map(|at| String::from_utf8_lossy(&bytes[..at + 4]).into_owned());
            let n_bytes = head.as_ref().map(|head| {
                let length = head.to_ascii_lowercase();
                let length = length.split("content-length: ").nth(1).map_or(0, |rest| {
                    rest.split('\r').next().and_then(|text| text.parse().ok()).unwrap_or(0)
                });
                head.len() + length
            });
            if let (Some(head), Some(n_bytes)) = (&head, n_bytes)
                && bytes.len() >= n_bytes
            {
                bytes.drain(..n_bytes);
                let target = head.split(' ').nth(1).unwrap_or_default();
                let part = |name: &str| {
                    let found = target.split(['?', '&']).find_map(|it| it.strip_prefix(name));
                    found.unwrap_or_default().to_owned()
                };
                let body = match target.starts_with("/pdb/cmd/v1?") {
                    false => self.other(target),
                    true => {
                        let command = ["command=", "certname=", "producer-timestamp="].map(part);
                        self.came.lock().expect("a list").push(command);
                        "{\"uuid\":\"u\"}".to_owned()
                    }
                };
                let answer =
                    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
                if stream.write_all(answer.as_bytes()).is_err() {
                    return;
                }
                continue;
            }
            match stream.read(&mut piece) {
                Ok(n) if n > 0 => bytes.extend_from_slice(&piece[..n]),
                _ => return,
            }
        }
    }
}
