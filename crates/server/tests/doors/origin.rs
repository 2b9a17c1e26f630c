//! An origin and services over HTTP, which record what they get.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A message that a server got: its head, and its body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Got {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Got {
    /// Returns the value of a field.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (own, value) = line.split_once(": ")?;
            own.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    pub(crate) fn line(&self) -> &str {
        self.head.lines().next().unwrap_or_default()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// A server of HTTP/1.1 that records requests; its threads end with the process.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) got: Arc<Mutex<Vec<Got>>>,
    /// Whether it does not keep what it gets.
    is_forgetful: Arc<AtomicBool>,
}

impl Server {
    /// Starts a server; `reply` returns the bytes of the response. An empty one closes the connection.
    pub(crate) fn start(reply: impl Fn(&Got) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let got = Arc::new(Mutex::new(Vec::new()));
        let is_forgetful = Arc::new(AtomicBool::new(false));
        let (seen, reply) = (Arc::clone(&got), Arc::new(reply));
        let forgets = Arc::clone(&is_forgetful);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let (seen, reply) = (Arc::clone(&seen), Arc::clone(&reply));
                let forgets = Arc::clone(&forgets);
                std::thread::spawn(move || {
                    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
                    let mut ahead = Vec::new();
                    while let Some(got) = receive(&mut stream, &mut ahead) {
                        if !forgets.load(Ordering::Relaxed) {
                            seen.lock().unwrap().push(got.clone());
                        }
                        let bytes = reply(&got);
                        let closes = bytes.is_empty() || got.field("connection") == Some("close");
                        if stream.write_all(&bytes).is_err() || closes {
                            return;
                        }
                    }
                });
            }
        });
        Self { address, got, is_forgetful }
    }

    /// Starts a server that does not keep what it gets.
    pub(crate) fn start_without_record(
        reply: impl Fn(&Got) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        let server = Self::start(reply);
        server.is_forgetful.store(true, Ordering::Relaxed);
        server
    }

    /// Starts a service: it gets the message, and returns it adapted, or nothing if it stays as it is.
    pub(crate) fn service(adapt: impl Fn(&Got) -> Option<Vec<u8>> + Send + Sync + 'static) -> Self {
        Self::start(move |got| match adapt(got) {
            None => b"HTTP/1.1 204 No Content\r\n\r\n".to_vec(),
            Some(message) => response("200 OK", "Content-Type: message/http\r\n", &message),
        })
    }

    pub(crate) fn all(&self) -> Vec<Got> {
        self.got.lock().unwrap().clone()
    }

    pub(crate) fn last(&self) -> Got {
        self.all().pop().expect("it got a message")
    }
}

/// Returns a response with a body.
pub(crate) fn response(status: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\n{fields}Content-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// Reads a message with its body; `None`: the connection ended.
pub(crate) fn receive(stream: &mut TcpStream, ahead: &mut Vec<u8>) -> Option<Got> {
    let mut fill = |ahead: &mut Vec<u8>| {
        let mut bytes = [0; 65536];
        let n = stream.read(&mut bytes).ok().filter(|n| *n > 0)?;
        ahead.extend_from_slice(&bytes[..n]);
        Some(())
    };
    let end = loop {
        match ahead.windows(4).position(|window| window == b"\r\n\r\n") {
            Some(at) => break at + 4,
            None => fill(ahead)?,
        }
    };
    let head = String::from_utf8_lossy(&ahead[..end]).into_owned();
    ahead.drain(..end);
    let mut got = Got { head, body: Vec::new() };
    let is_chunked = got.field("transfer-encoding") == Some("chunked");
    let length: usize = got.field("content-length").map_or(0, |length| length.parse().unwrap());
    if !is_chunked {
        while ahead.len() < length {
            fill(ahead)?;
        }
        got.body = ahead.drain(..length).collect();
        return Some(got);
    }
    loop {
        let at = loop {
            match ahead.windows(2).position(|window| window == b"\r\n") {
                Some(at) => break at,
                None => fill(ahead)?,
            }
        };
        let size = usize::from_str_radix(std::str::from_utf8(&ahead[..at]).unwrap(), 16).unwrap();
        while ahead.len() < at + 4 + size {
            fill(ahead)?;
        }
        got.body.extend_from_slice(&ahead[at + 2..at + 2 + size]);
        ahead.drain(..at + 4 + size);
        if size == 0 {
            return Some(got);
        }
    }
}
