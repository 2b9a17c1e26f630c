//! The proxy does what the reference interpreter says, with services that fail, truncate and lie.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use bumpalo::Bump;
use kukla_plang::recorded::Recorded;
use kukla_plang::services::{NewBody, ServiceAnswer, ServiceCall, Services};
use kukla_plang::transaction::Transaction;
use kukla_plang::{Options, Registry, check, reference};

use crate::origin::{Got, Server, response};
use crate::running::{Door, ask};

const NAMES: [&str; 3] = ["a", "b", "c"];
const FAILS: &str =
    "if (Http.message.body.preview(40) contains \"+b\") { Core.interpreter.fail(\"b\"); } ";
const DENIES: &str = "if (Http.request.headers.count(\"X-S\") > 2) { Access.deny(\"many\"); } ";

/// A small source of random numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }
}

/// The behaviour of a service at its n-th call in an exchange.
fn behaviour(seed: u64, service: &str, n_before: u64) -> u64 {
    let mut dice = Dice(
        seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)
            ^ u64::from(service.as_bytes()[0]) << 32
            ^ (n_before + 1),
    );
    for _ in 0..8 {
        dice.below(2);
    }
    dice.below(9)
}

/// Generates a program of edits, services and handlers of failures.
fn program(dice: &mut Dice) -> String {
    let mut out = String::from("Http := import(\"Http\");\n");
    for index in 0..=dice.below(3) {
        let mut block = || {
            let mut block = String::new();
            for _ in 0..=dice.below(2) {
                let name = NAMES[usize::try_from(dice.below(3)).unwrap()];
                let apply = format!("Services.applyOne(Services.findOne(\"opes://x/{name}\"));");
                let statement = match dice.below(5) {
                    0 => format!("Http.request.headers.add(\"X-E\", \"{index}\"); "),
                    1 => FAILS.to_owned(),
                    2 => DENIES.to_owned(),
                    _ => apply,
                };
                block.push_str(&statement);
            }
            format!("{{ {block}}}")
        };
        let (one, two) = (block(), block());
        let _ = match dice.below(5) {
            0 => writeln!(out, "{one} or {two};"),
            1 => writeln!(out, "{one} otherwise {two};"),
            2 => writeln!(out, "c{index} := {one}; c{index} or c{index} or c{index};"),
            3 => writeln!(out, "{one}"),
            _ => writeln!(out, "if (try {one} otherwise false) {two}"),
        };
    }
    out + "Access.allow();\n"
}

/// The answers that the services of the test give.
struct Predicted {
    seed: u64,
    n_calls: HashMap<String, u64>,
}

impl Services for Predicted {
    fn call(&mut self, call: &ServiceCall<'_>) -> ServiceAnswer {
        let name = call.uri.strip_prefix("opes://x/").unwrap().to_owned();
        let n_calls = self.n_calls.entry(name.clone()).or_default();
        let behaviour = behaviour(self.seed, &name, *n_calls);
        *n_calls += 1;
        match behaviour {
            0 | 1 => ServiceAnswer::Unchanged,
            2..=4 => {
                let kept = call
                    .state
                    .request
                    .iter()
                    .filter(|field| !field.name.eq_ignore_ascii_case(b"content-length"));
                let mut headers: Vec<_> =
                    kept.map(|field| (field.name.to_vec(), field.value.to_vec())).collect();
                headers.push((b"X-S".to_vec(), name.clone().into_bytes()));
                let body =
                    [call.state.body.preview.unwrap_or_default(), b"+", name.as_bytes()].concat();
                ServiceAnswer::Adapted { headers, status: None, body: Some(NewBody::Whole(body)) }
            }
            _ => ServiceAnswer::Failed,
        }
    }
}

/// Starts a service; exchanges have their seed in a field.
fn service(name: &'static str) -> Server {
    let n_calls: Arc<Mutex<HashMap<u64, u64>>> = Arc::default();
    Server::start(move |got: &Got| {
        let text = got.text();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let seed: u64 =
            head.lines().find_map(|line| line.strip_prefix("X-Seed: ")).unwrap().parse().unwrap();
        let n_before = {
            let mut n_calls = n_calls.lock().unwrap();
            let n = n_calls.entry(seed).or_default();
            *n += 1;
            *n - 1
        };
        let head: Vec<&str> =
            head.lines().filter(|line| !line.starts_with("Content-Length")).collect();
        let adapted = format!("{}\r\nX-S: {name}\r\n\r\n{body}+{name}", head.join("\r\n"));
        let message =
            |text: &str| response("200 OK", "Content-Type: message/http\r\n", text.as_bytes());
        match behaviour(seed, name, n_before) {
            0 | 1 => b"HTTP/1.1 204 No Content\r\n\r\n".to_vec(),
            2..=4 => message(&adapted),
            5 => Vec::new(),
            6 => b"HTTP/1.1 500 Error\r\nContent-Length: 0\r\n\r\n".to_vec(),
            7 => message(&adapted.replacen("\r\n\r\n", "\r\nContent-Length: 1\r\n\r\n", 1)),
            // The chunks break off.
            _ => {
                let kind = "Content-Type: message/http\r\nTransfer-Encoding: chunked";
                let size = adapted.len();
                format!("HTTP/1.1 200 OK\r\n{kind}\r\n\r\n{size:x}\r\n{adapted}\r\nzz\r\n")
                    .into_bytes()
            }
        }
    })
}

#[test]
fn the_proxy_does_what_the_reference_says() {
    let servers = NAMES.map(service);
    let mut registry = String::new();
    for (name, server) in NAMES.iter().zip(&servers) {
        let _ = write!(
            registry,
            "[[service]]\nuri = \"opes://x/{name}\"\nkind = \"http\"\nurl = \"http://{}/\"\n",
            server.address
        );
    }
    let origin = Server::start(|got| response("200 OK", "", &got.body));
    let options =
        Options { registry: Some(Registry::parse(&registry).unwrap()), ..Options::default() };
    let n_programs: u64 =
        std::env::var("PROGRAMS").ok().and_then(|text| text.parse().ok()).unwrap_or(12);
    let (mut seed, mut n_denied, mut n_adapted) = (0, 0, 0);
    for index in 1..=n_programs {
        let text = program(&mut Dice(index.wrapping_mul(0x2545_F491_4F6C_DD1D)));
        let checked =
            check(&text, &options).program.unwrap_or_else(|| panic!("it is valid:\n{text}"));
        let door = Door::proxy(&[&text], &registry, &[format!("http://{}", origin.address)]);
        for _ in 0..12 {
            seed += 1;
            let body = format!("body {seed}");
            let recorded = format!(
                "POST /x HTTP/1.1\nHost: app\nX-Seed: {seed}\nContent-Length: {}\n\n{body}",
                body.len()
            );
            let recorded = Recorded::parse(recorded.as_bytes()).unwrap();
            let arena = Bump::new();
            let message = recorded.message(&arena);
            let transaction = Transaction::new(&message, &arena, &checked.limits);
            let run = reference::run(
                &checked,
                transaction,
                &mut Predicted { seed, n_calls: HashMap::new() },
            );
            let state = run.outcome.transaction.state();
            let is_allowed = run.outcome.verdict(&checked).is_allowed();
            let n_before = origin.all().len();
            let got = ask(door.address, "POST /x", &format!("X-Seed: {seed}\r\n"), body.as_bytes());
            let words = || format!("seed {seed}\n{text}\n{}\n{}", got.head, door.log_text());
            assert_eq!(got.line().contains(" 200 "), is_allowed, "{}", words());
            n_denied += u64::from(!is_allowed);
            if !is_allowed {
                assert_eq!(origin.all().len(), n_before, "{}", words());
                continue;
            }
            let expected = state.body.preview.unwrap_or_default();
            n_adapted += u64::from(expected != body.as_bytes());
            let seen = origin.last();
            assert_eq!(seen.body, expected, "{}", words());
            for name in ["X-S", "X-E"] {
                let wanted = state
                    .request
                    .iter()
                    .filter(|field| field.name.eq_ignore_ascii_case(name.as_bytes()));
                let wanted: Vec<String> =
                    wanted.map(|field| String::from_utf8_lossy(field.value).into_owned()).collect();
                let found: Vec<&str> = seen
                    .head
                    .lines()
                    .filter_map(|line| line.strip_prefix(&format!("{name}: ")))
                    .collect();
                assert_eq!(found, wanted, "{}", words());
            }
        }
    }
    assert!(n_denied > 0 && n_adapted > 0, "{n_denied} denied, {n_adapted} adapted");
    println!("{seed} exchanges, {n_denied} denied, {n_adapted} adapted");
}
