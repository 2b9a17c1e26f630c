//! Services that fail, truncate, lie and are slow, and what the reference interpreter is told about them.

use std::collections::HashMap;
use std::io::Write as _;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use kukla_plang::services::{NewBody, ServiceAnswer, ServiceCall, Services};

use super::programs::Dice;
use crate::fake_icap::{self, Message, with_field};
use crate::origin::{Got, Server, response};

/// The time limit of a call, and the time that a slow service takes.
pub(super) const TIMEOUT: (Duration, Duration) =
    (Duration::from_secs(5), Duration::from_millis(6500));

/// The behaviour of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behaviour {
    Unchanged,
    Adapts,
    Closes,
    Refuses,
    Lies,
    Truncates,
    IsSlow,
}

impl Behaviour {
    /// Returns the behaviour at the n-th call for a message.
    fn of(seed: u64, service: &str, n_before: u64) -> Self {
        let service = u64::from(service.as_bytes()[0]);
        let mut dice = Dice::new(seed ^ service << 40 ^ (n_before + 1) << 50);
        if dice.below(2000) == 0 {
            return Self::IsSlow;
        }
        match dice.below(9) {
            0 | 1 => Self::Unchanged,
            2..=4 => Self::Adapts,
            5 => Self::Closes,
            6 => Self::Refuses,
            7 => Self::Lies,
            _ => Self::Truncates,
        }
    }
}

/// The answers that the services give, for the reference interpreter.
pub(super) struct Predicted {
    seed: u64,
    n_calls: HashMap<String, u64>,
}

impl Predicted {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, n_calls: HashMap::new() }
    }
}

impl Services for Predicted {
    fn call(&mut self, call: &ServiceCall<'_>) -> ServiceAnswer {
        let name = call.uri.strip_prefix("opes://x/").unwrap().to_owned();
        let n_calls = self.n_calls.entry(name.clone()).or_default();
        let behaviour = Behaviour::of(self.seed, &name, *n_calls);
        *n_calls += 1;
        match behaviour {
            Behaviour::Unchanged => ServiceAnswer::Unchanged,
            Behaviour::Adapts => {
                let state = &call.state;
                // A message with a status is a response.
                let fields = if state.status > 0 { state.response } else { state.request };
                let kept =
                    fields.iter().filter(|f| !f.name.eq_ignore_ascii_case(b"content-length"));
                let mut headers: Vec<_> =
                    kept.map(|field| (field.name.to_vec(), field.value.to_vec())).collect();
                headers.push((b"X-S".to_vec(), name.clone().into_bytes()));
                let body = [state.body.preview.unwrap_or_default(), b"+", name.as_bytes()].concat();
                ServiceAnswer::Adapted { headers, status: None, body: Some(NewBody::Whole(body)) }
            }
            Behaviour::Closes
            | Behaviour::Refuses
            | Behaviour::Lies
            | Behaviour::Truncates
            | Behaviour::IsSlow => ServiceAnswer::Failed,
        }
    }
}

/// The number of calls for each message.
type Calls = Arc<Mutex<HashMap<u64, u64>>>;

/// Counts a call for the message with this head; returns how the service behaves.
fn counted(calls: &Calls, name: &str, head: &str) -> Behaviour {
    let seed = head.lines().find_map(|line| line.strip_prefix("X-Seed: ")).unwrap();
    let seed: u64 = seed.parse().unwrap();
    let mut calls = calls.lock().unwrap();
    let n_calls = calls.entry(seed).or_default();
    *n_calls += 1;
    Behaviour::of(seed, name, *n_calls - 1)
}

/// Starts a service over HTTP; messages have their seed in a field.
pub(super) fn over_http(name: &'static str) -> SocketAddr {
    let calls = Calls::default();
    let server = Server::start_without_record(move |got: &Got| {
        let text = got.text();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let behaviour = counted(&calls, name, head);
        let adapted = format!("{}{body}+{name}", with_field(head, &format!("X-S: {name}")));
        let message =
            |text: &str| response("200 OK", "Content-Type: message/http\r\n", text.as_bytes());
        match behaviour {
            Behaviour::Unchanged => b"HTTP/1.1 204 No Content\r\n\r\n".to_vec(),
            Behaviour::Adapts => message(&adapted),
            Behaviour::Closes => Vec::new(),
            Behaviour::Refuses => b"HTTP/1.1 500 Error\r\nContent-Length: 0\r\n\r\n".to_vec(),
            Behaviour::Lies => {
                message(&adapted.replacen("\r\n\r\n", "\r\nContent-Length: 1\r\n\r\n", 1))
            }
            Behaviour::Truncates => {
                let kind = "Content-Type: message/http\r\nTransfer-Encoding: chunked";
                let size = adapted.len();
                format!("HTTP/1.1 200 OK\r\n{kind}\r\n\r\n{size:x}\r\n{adapted}\r\nzz\r\n")
                    .into_bytes()
            }
            Behaviour::IsSlow => {
                std::thread::sleep(TIMEOUT.1);
                message(&adapted)
            }
        }
    });
    server.address
}

/// Starts a service over ICAP.
pub(super) fn over_icap(name: &'static str) -> SocketAddr {
    let calls = Calls::default();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let calls = Arc::clone(&calls);
            std::thread::spawn(move || {
                let mut ahead = Vec::new();
                while let Some(answer) = icap(&mut stream, &mut ahead, &calls, name) {
                    if answer.is_empty() || stream.write_all(&answer).is_err() {
                        return;
                    }
                    if answer.ends_with(b"zz\r\n") {
                        return;
                    }
                }
            });
        }
    });
    address
}

/// Reads a message; returns the answer, nothing if the connection is to be closed.
fn icap(stream: &mut TcpStream, ahead: &mut Vec<u8>, calls: &Calls, name: &str) -> Option<Vec<u8>> {
    let (is_response, head, body) = match fake_icap::read(stream, ahead)? {
        Message::Options => return Some(fake_icap::OPTIONS.into()),
        Message::Adapt(is_response, head, body) => (is_response, head, body.unwrap_or_default()),
    };
    let body = [&body[..], b"+", name.as_bytes()].concat();
    let behaviour = counted(calls, name, &head);
    let adapted = |lie, end| {
        let head = with_field(&head, &format!("X-S: {name}"));
        fake_icap::adapted(is_response, &head, &body, lie, end)
    };
    Some(match behaviour {
        Behaviour::Unchanged => fake_icap::UNCHANGED.into(),
        Behaviour::Adapts => adapted(0, "0\r\n\r\n"),
        Behaviour::Closes => Vec::new(),
        Behaviour::Refuses => b"ICAP/1.0 500 Error\r\nISTag: \"one\"\r\n\r\n".to_vec(),
        Behaviour::Lies => adapted(1, "0\r\n\r\n"),
        Behaviour::Truncates => adapted(0, "zz\r\n"),
        Behaviour::IsSlow => {
            std::thread::sleep(TIMEOUT.1);
            adapted(0, "0\r\n\r\n")
        }
    })
}
