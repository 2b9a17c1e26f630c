//! Services that are killed, stalled and restarted at random under load, while rules are reloaded.
//!
//! `CHAOS=120 cargo test --release -p kukla-server --test doors chaos -- --nocapture` goes on for two minutes.

mod asking;
mod mortal;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use mortal::{Kind, Mortal};

use crate::origin::{Got, Server, receive, response};
use crate::running::{Door, connect};

/// The bit that tells the number of a response's body from that of its request's.
const RESPONSE: u64 = 1 << 32;
/// The time that other tests of the program take at most.
const OTHERS: Duration = Duration::from_secs(120);
/// The time limit of a call of a service.
const TIMEOUT: Duration = Duration::from_millis(200);

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

/// Returns the body of a number: no part of it is in the body of another one.
fn body(number: u64) -> Vec<u8> {
    let mut dice = Dice(number.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let size = match dice.below(4) {
        0 => dice.below(200_000),
        _ => dice.below(3_000),
    };
    let mut out = format!("{number} {size}\n").into_bytes();
    out.extend((0..size).map(|_| b'a' + u8::try_from(dice.below(26)).unwrap()));
    out
}

/// Checks that a body is whole and of one message; returns the marks of the services behind it.
fn marks(bytes: &[u8], number: u64) -> String {
    let wanted = body(number);
    let is_start = bytes.starts_with(&wanted);
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]).into_owned();
    assert!(is_start, "{} bytes that start with {start:?} are not body {number}", bytes.len());
    let marks = std::str::from_utf8(&bytes[wanted.len()..]).unwrap();
    let mut names = marks.split('|').skip(1);
    assert!(names.all(|name| mortal::NAMES.contains(&name)), "{marks:?} behind body {number}");
    marks.to_owned()
}

/// Returns the marks that the fields of a message declare.
fn declared(head: &str) -> String {
    let names = head.lines().filter_map(|line| line.strip_prefix("X-By: "));
    names.fold(String::new(), |mut marks, name| {
        let _ = write!(marks, "|{name}");
        marks
    })
}

fn number_of(got: &Got) -> u64 {
    got.field("x-number").unwrap().parse().unwrap()
}

/// An origin that checks what it gets, and answers with a body of its own.
fn origin() -> Server {
    Server::start_without_record(|got| {
        let number = number_of(got);
        assert!(!got.line().contains("/deny"), "the rules deny {}", got.line());
        let seen =
            if got.line().starts_with("POST") { marks(&got.body, number) } else { String::new() };
        assert_eq!(seen, if seen.is_empty() { String::new() } else { declared(&got.head) });
        let number = number | RESPONSE;
        let fields = format!("X-Number: {number}\r\nX-Sent: {seen}\r\n");
        response("200 OK", &fields, &body(number))
    })
}

/// Returns the rules of a version. All versions decide alike.
fn rules(version: u64, point: u8) -> String {
    let apply = |name: &str| {
        format!(
            "{{ Services.applyOne(Services.findOne(\"opes://x/{name}\")); }} otherwise {{ Http.message.headers.add(\"X-Failed\", \"{name}\"); }}\n"
        )
    };
    let mut out = format!("/* version {version} */ Http := import \"Http\";\n");
    out += "if (Http.request.uri.path begins_with \"/deny\") { Access.deny(\"no\"); }\n";
    let shift = usize::try_from(version % 3).unwrap();
    for index in 0..2 {
        out += &apply(mortal::NAMES[(shift + index + usize::from(point)) % 3]);
    }
    let _ = write!(out, "Http.message.headers.set(\"X-Rules\", \"{version}\");\nAccess.allow();\n");
    out
}

/// Replaces the rules of a door; some versions have errors.
fn reload(folder: &Path, is_over: &AtomicBool) {
    let mut version = 1;
    while !is_over.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(250));
        version += 1;
        for (index, point) in [(0, 1), (1, 3)] {
            let text = if version % 5 == 0 { "if (".to_owned() } else { rules(version, point) };
            let new = folder.join(format!("{index}.new"));
            std::fs::write(&new, text).unwrap();
            std::fs::rename(new, folder.join(format!("{index}.p"))).unwrap();
        }
    }
}

/// Counters of what clients saw.
#[derive(Default)]
struct Seen {
    n_exchanges: AtomicU64,
    n_denied: AtomicU64,
    n_adapted: AtomicU64,
    n_failed: AtomicU64,
}

/// Sends requests until it is over.
fn load(door: &Door, client: u64, is_over: &AtomicBool, seen: &Seen) {
    let mut dice = Dice(client * 7919 + 1);
    let mut number = client << 24;
    let mut stream = connect(door.address);
    while !is_over.load(Ordering::Relaxed) {
        number += 1;
        let is_denied = dice.below(8) == 0;
        let path = if is_denied { "/deny" } else { "/" };
        let is_post = dice.below(2) == 0;
        let (method, body) = if is_post { ("POST", body(number)) } else { ("GET", Vec::new()) };
        let length =
            if is_post { format!("Content-Length: {}\r\n", body.len()) } else { String::new() };
        let head =
            format!("{method} {path} HTTP/1.1\r\nHost: app\r\nX-Number: {number}\r\n{length}\r\n");
        let bytes = [head.as_bytes(), &body].concat();
        if dice.below(20) == 0 {
            // A client that goes away in the middle.
            let most = usize::try_from(dice.below(bytes.len() as u64)).unwrap();
            let _ = stream.write_all(&bytes[..most]);
            stream = connect(door.address);
            continue;
        }
        // A denial comes before the body was read, and ends the connection.
        let _ = stream.write_all(&bytes);
        let got = receive(&mut stream, &mut Vec::new());
        let got = got.unwrap_or_else(|| panic!("no answer to {number}"));
        check(&got, number, is_denied, seen);
        if got.field("connection") == Some("close") {
            stream = connect(door.address);
        }
    }
}

fn check(got: &Got, number: u64, is_denied: bool, seen: &Seen) {
    seen.n_exchanges.fetch_add(1, Ordering::Relaxed);
    assert!(
        got.line().contains(if is_denied { " 403 " } else { " 200 " }),
        "{number}: {}",
        got.head
    );
    if is_denied {
        seen.n_denied.fetch_add(1, Ordering::Relaxed);
        return;
    }
    check_adapted(got, number | RESPONSE, seen);
}

/// Checks a message that passed, whose body has this number.
fn check_adapted(got: &Got, number: u64, seen: &Seen) {
    let found = marks(&got.body, number);
    assert_eq!(found, declared(&got.head), "fields and body are of one message");
    let is_adapted = !found.is_empty() || got.field("x-sent").is_some_and(|sent| !sent.is_empty());
    seen.n_adapted.fetch_add(u64::from(is_adapted), Ordering::Relaxed);
    seen.n_failed.fetch_add(u64::from(got.field("x-failed").is_some()), Ordering::Relaxed);
}

fn n_files() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

fn memory() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Starts services that can die, and returns their registry.
fn services() -> (Vec<Arc<Mortal>>, String) {
    let services: Vec<Arc<Mortal>> = [Kind::Http, Kind::Http, Kind::Icap]
        .into_iter()
        .zip(mortal::NAMES)
        .map(|(kind, name)| Mortal::start(kind, name))
        .collect();
    let registry = services.iter().map(|service| service.registered(TIMEOUT)).collect();
    (services, registry)
}

#[test]
fn nothing_is_mixed_or_lost_while_services_die() {
    let (services, registry) = services();
    let origin = origin();
    let programs = [rules(1, 1), format!("3:{}", rules(1, 3))];
    let programs = [programs[0].as_str(), programs[1].as_str()];
    let door = Door::quiet_with(&programs, &registry, &[format!("http://{}", origin.address)]);
    run(&door, &services, load);
}

/// Clients of ICAP see the same order as those of the proxy.
#[test]
fn nothing_is_mixed_for_icap_while_services_die() {
    let (services, registry) = services();
    let programs = [rules(1, 1), format!("3:{}", rules(1, 3))];
    let programs = [programs[0].as_str(), programs[1].as_str()];
    let door = Door::quiet_icap_with(&programs, &registry);
    run(&door, &services, asking::load);
}

/// Returns whether there are more files or there is more memory than before, beyond what comes and goes.
fn has_grown(files: [usize; 2], kilobytes: [u64; 2]) -> bool {
    files[1] >= files[0] + 60 || kilobytes[1] >= kilobytes[0] + (64 << 10)
}

/// Lets clients load a door while its services die and its rules change.
#[expect(clippy::print_stdout, reason = "the result of a long run")]
fn run(door: &Door, services: &[Arc<Mortal>], load: fn(&Door, u64, &AtomicBool, &Seen)) {
    let seconds = std::env::var("CHAOS").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    let (is_over, seen) = (AtomicBool::new(false), Seen::default());
    let (mut files, mut kilobytes) = (0, 0);
    std::thread::scope(|scope| {
        let (is_over, seen) = (&is_over, &seen);
        let clients: Vec<_> =
            (1..=16).map(|client| scope.spawn(move || load(door, client, is_over, seen))).collect();
        scope.spawn(move || reload(&door.folder, is_over));
        let (start, mut dice) = (Instant::now(), Dice(99));
        while start.elapsed() < Duration::from_secs(seconds) {
            std::thread::sleep(Duration::from_millis(50 + dice.below(300)));
            let service = &services[usize::try_from(dice.below(3)).unwrap()];
            match dice.below(4) {
                0 => service.kill(),
                1 => service.stall(),
                _ => service.revive(),
            }
            if files == 0 && start.elapsed() > Duration::from_secs(seconds / 3) {
                (files, kilobytes) = (n_files(), memory());
            }
            if clients.iter().any(std::thread::ScopedJoinHandle::is_finished) {
                break;
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    std::thread::sleep(Duration::from_secs(2));
    let (mut more_files, mut more_kilobytes) = (n_files(), memory());
    let end = Instant::now();
    // In the short form, tests beside this one have files and memory for a while; what leaks stays.
    while has_grown([files, more_files], [kilobytes, more_kilobytes]) && end.elapsed() < OTHERS {
        std::thread::sleep(Duration::from_millis(100));
        (more_files, more_kilobytes) = (n_files(), memory());
    }
    let [exchanges, denied, adapted, failed] =
        [seen.n_exchanges, seen.n_denied, seen.n_adapted, seen.n_failed].map(AtomicU64::into_inner);
    let reloads = door.log_text().matches("\"event\":\"reload\"").count();
    println!(
        "{exchanges} exchanges, {denied} denied, {adapted} adapted, {failed} with failed services, {reloads} reloads; \
         files {files}, then {more_files}; memory {kilobytes} kB, then {more_kilobytes} kB"
    );
    assert!(denied > 0 && adapted > 0 && failed > 0 && reloads > 4);
    assert!(
        !has_grown([files, more_files], [kilobytes, more_kilobytes]),
        "files {files}, then {more_files}; memory {kilobytes} kB, then {more_kilobytes} kB"
    );
}
