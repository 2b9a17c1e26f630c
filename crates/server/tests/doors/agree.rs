//! The doors do what the reference interpreter says, with services that fail, truncate, lie and are slow.
//!
//! `EXCHANGES=1000000 cargo test --release -p kukla-server --test doors agree -- --nocapture` tries more exchanges,
//! `SEED=7` other ones; `THREADS=16` lets more of them wait for slow services at a time.

mod programs;
mod services;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use bumpalo::Bump;
use kukla_plang::Registry;
use kukla_plang::check::{Options, Point};
use kukla_plang::message::Pair;
use kukla_plang::recorded::Recorded;
use kukla_plang::transaction::Transaction;
use kukla_plang::{Program, check, reference};
use kukla_server::body::{Held, Keep};
use kukla_server::icap::{IcapAnswer, IcapClient, IcapMethod, IcapRequest};
use programs::{Dice, NAMES, program};
use services::{Predicted, TIMEOUT, over_http, over_icap};

use crate::origin::{Got, Server, receive, response};
use crate::peers::{patient_client, runtime};
use crate::running::{Door, connect};

/// The number of exchanges with a program through the proxy; another half as many go through the server of ICAP.
const EXCHANGES: u64 = 40;
/// The bit that tells the seed of a response from that of its request.
const RESPONSE: u64 = 1 << 39;

/// The result of a program: `None` if the message is denied, otherwise its fields `X-S` and `X-E`, and its body.
type Outcome = Option<(Vec<String>, Vec<String>, Vec<u8>)>;

/// The servers that all programs share, and counters.
struct Scene {
    registry: String,
    origin: Server,
    /// Seeds of requests that the origin has seen.
    seen: Arc<Mutex<HashSet<u64>>>,
    seed: AtomicU64,
    n_denied: AtomicU64,
    n_adapted: AtomicU64,
    n_programs: AtomicU64,
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn the_doors_do_what_the_reference_says() {
    let scene = Scene::new();
    let n_programs = number("EXCHANGES", 3_000).div_ceil(EXCHANGES + EXCHANGES / 2);
    std::thread::scope(|scope| {
        for _ in 0..number("THREADS", 4) {
            scope.spawn(|| {
                loop {
                    let index = scene.n_programs.fetch_add(1, Ordering::Relaxed);
                    if index >= n_programs {
                        return;
                    }
                    scene.compare(index + number("SEED", 1) * 1_000_003);
                }
            });
        }
    });
    let (n_denied, n_adapted) = (scene.n_denied.into_inner(), scene.n_adapted.into_inner());
    let n_exchanges = scene.seed.into_inner();
    assert!(n_denied > 0 && n_adapted > 0, "{n_denied} denied, {n_adapted} adapted");
    println!("{n_exchanges} exchanges, {n_denied} denied, {n_adapted} adapted");
}

impl Scene {
    fn new() -> Self {
        let mut registry = String::new();
        for name in NAMES {
            let url = match name {
                "c" => format!("icap://{}/x", over_icap(name)),
                _ => format!("http://{}/", over_http(name)),
            };
            let kind = &url[..4];
            let _ = write!(
                registry,
                "[[service]]\nuri = \"opes://x/{name}\"\nkind = \"{kind}\"\nurl = \"{url}\"\ntimeout_ms = {}\n",
                TIMEOUT.0.as_millis()
            );
        }
        let seen = Arc::new(Mutex::new(HashSet::new()));
        let seeds = Arc::clone(&seen);
        // The origin returns what it got, and its response has a seed of its own.
        let origin = Server::start_without_record(move |got| {
            let seed: u64 = got.field("x-seed").unwrap().parse().unwrap();
            seeds.lock().unwrap().insert(seed);
            let [services, edits] = ["X-S", "X-E"].map(|name| fields(&got.head, name).join(","));
            let fields = format!(
                "X-Seed: {}\r\nX-Seen-S: {services}\r\nX-Seen-E: {edits}\r\n",
                seed | RESPONSE
            );
            response("200 OK", &fields, &got.body)
        });
        let (seed, n_denied) = (AtomicU64::new(0), AtomicU64::new(0));
        let (n_adapted, n_programs) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { registry, origin, seen, seed, n_denied, n_adapted, n_programs }
    }

    /// Sends exchanges through doors with generated programs for requests and responses.
    fn compare(&self, index: u64) {
        let mut dice = Dice::new(index);
        let texts = [program(&mut dice), program(&mut dice)];
        let registry = Registry::parse(&self.registry).unwrap();
        let points = [Point::Request, Point::Response];
        let [request, response] = [0, 1].map(|at| {
            let options = Options {
                registry: Some(registry.clone()),
                point: points[at],
                ..Options::default()
            };
            let checked = check(&texts[at], &options);
            checked.program.unwrap_or_else(|| panic!("it is valid:\n{}", texts[at]))
        });
        let for_responses = format!("3:{}", texts[1]);
        let programs = [texts[0].as_str(), for_responses.as_str()];
        let door =
            Door::proxy(&programs, &self.registry, &[format!("http://{}", self.origin.address)]);
        let mut stream = connect(door.address);
        for _ in 0..EXCHANGES {
            let seed = self.seed.fetch_add(1, Ordering::Relaxed) + 1;
            let body = body(seed, &mut dice);
            let expected = expect(&request, None, seed, &body);
            let got = ask(&mut stream, &door, seed, &body);
            let words = || format!("seed {seed}\n{}\n{}\n{}", texts[0], texts[1], door.log_text());
            self.check(seed, &got, expected, &response, &words);
        }
        let door = Door::icap(&programs, &self.registry);
        let urls = ["reqmod", "respmod"].map(|path| format!("icap://{}/{path}", door.address));
        let clients = urls.map(|url| patient_client(&url, TIMEOUT.1 * 20));
        let runtime = runtime();
        for _ in 0..EXCHANGES / 2 {
            let seed = self.seed.fetch_add(1, Ordering::Relaxed) + 1;
            let body = body(seed, &mut dice);
            let is_response = dice.below(2) == 1;
            let (program, client) = match is_response {
                true => (&response, &clients[1]),
                false => (&request, &clients[0]),
            };
            let expected = expect(program, is_response.then_some(seed), seed, &body);
            self.count(&expected, &body);
            let got = runtime.block_on(adapted(client, is_response, seed, &body));
            assert_eq!(
                got, expected,
                "ICAP, response {is_response}, seed {seed}\n{}\n{}",
                texts[0], texts[1]
            );
        }
    }

    /// Compares what the client and the origin got with what the reference says.
    fn check(
        &self,
        seed: u64,
        got: &Got,
        request: Outcome,
        response: &Program,
        words: &dyn Fn() -> String,
    ) {
        let is_seen = self.seen.lock().unwrap().remove(&seed);
        assert_eq!(is_seen, request.is_some(), "{}", words());
        let Some((services, edits, body)) = request else {
            self.n_denied.fetch_add(1, Ordering::Relaxed);
            assert!(got.line().contains(" 403 "), "{}\n{}", got.head, words());
            return;
        };
        let expected = expect(response, Some(seed | RESPONSE), seed | RESPONSE, &body);
        self.count(&expected, &body);
        let Some((own_services, own_edits, own_body)) = expected else {
            assert!(got.line().contains(" 403 "), "{}\n{}", got.head, words());
            return;
        };
        assert!(got.line().contains(" 200 "), "{}\n{}", got.head, words());
        let seen = ["X-Seen-S", "X-Seen-E"].map(|name| fields(&got.head, name));
        assert_eq!(seen, [[services.join(",")], [edits.join(",")]], "{}", words());
        let own = ["X-S", "X-E"].map(|name| fields(&got.head, name));
        assert_eq!(own, [own_services, own_edits], "{}", words());
        assert!(got.body == own_body, "{} {:?}\n{}", got.body.len(), own_body.len(), words());
    }

    fn count(&self, outcome: &Outcome, body: &[u8]) {
        match outcome {
            None => self.n_denied.fetch_add(1, Ordering::Relaxed),
            Some((.., new)) => self.n_adapted.fetch_add(u64::from(new != body), Ordering::Relaxed),
        };
    }
}

/// Returns a body; some are too large for memory.
fn body(seed: u64, dice: &mut Dice) -> Vec<u8> {
    let size = if dice.below(8) == 0 { usize::try_from(dice.below(60_000)).unwrap() } else { 0 };
    format!("body {seed}{}", "x".repeat(size)).into_bytes()
}

fn fields(head: &str, name: &str) -> Vec<String> {
    let start = format!("{name}: ");
    head.lines().filter_map(|line| line.strip_prefix(&start)).map(str::to_owned).collect()
}

/// Returns what the reference interpreter says about a message; a response has a seed of its own.
fn expect(program: &Program, response: Option<u64>, seed: u64, body: &[u8]) -> Outcome {
    let text = match response {
        None => format!("POST /x HTTP/1.1\nHost: app\nX-Seed: {seed}\n\n"),
        Some(own) => {
            format!("POST /x HTTP/1.1\nHost: app\n\nHTTP/1.1 200 OK\nX-Seed: {own}\n\n")
        }
    };
    let recorded = Recorded::parse(&[text.as_bytes(), body].concat()).unwrap();
    let arena = Bump::new();
    let message = recorded.message(&arena);
    let transaction = Transaction::new(&message, &arena, &program.limits);
    let run = reference::run(program, transaction, &mut Predicted::new(seed));
    if !run.outcome.verdict(program).is_allowed() {
        return None;
    }
    let state = run.outcome.transaction.state();
    let all = if response.is_some() { state.response } else { state.request };
    let named = |name: &str| {
        let is_named = |field: &&Pair<'_>| field.name.eq_ignore_ascii_case(name.as_bytes());
        let values = all.iter().filter(is_named).map(|field| String::from_utf8_lossy(field.value));
        values.map(std::borrow::Cow::into_owned).collect()
    };
    Some((named("X-S"), named("X-E"), state.body.preview.unwrap_or_default().to_vec()))
}

/// Sends a request through the proxy, on a connection that is kept.
fn ask(stream: &mut TcpStream, door: &Door, seed: u64, body: &[u8]) -> Got {
    stream.set_read_timeout(Some(TIMEOUT.1 * 20)).unwrap();
    let length = body.len();
    let head = format!(
        "POST /x HTTP/1.1\r\nHost: app\r\nX-Seed: {seed}\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(&[head.as_bytes(), body].concat()).unwrap();
    let got = receive(stream, &mut Vec::new()).expect("there is a response");
    if got.field("connection") == Some("close") {
        *stream = connect(door.address);
    }
    got
}

/// Sends a message through the server of ICAP.
async fn adapted(client: &IcapClient, is_response: bool, seed: u64, body: &[u8]) -> Outcome {
    let start = format!("POST /x HTTP/1.1\r\nHost: app\r\nX-Seed: {seed}\r\n\r\n").into_bytes();
    let response = format!("HTTP/1.1 200 OK\r\nX-Seed: {seed}\r\n\r\n").into_bytes();
    let request = IcapRequest {
        method: if is_response { IcapMethod::Respmod } else { IcapMethod::Reqmod },
        request: start,
        response: is_response.then_some(response),
        fields: Vec::new(),
    };
    let keep = Keep::default();
    let mut held = Held::from_bytes(body.to_vec().into(), &keep);
    let answer = client.adapt(&request, Some(&mut held)).await.unwrap();
    let IcapAnswer::Adapted { head, is_response: answers, body: new } = answer else {
        return Some((Vec::new(), Vec::new(), body.to_vec()));
    };
    if answers && String::from_utf8_lossy(head.line()).contains(" 403 ") {
        return None;
    }
    assert_eq!(answers, is_response, "{}", String::from_utf8_lossy(head.line()));
    let named = |name: &str| {
        head.all(name).map(|value| String::from_utf8_lossy(value).into_owned()).collect()
    };
    let mut out = Vec::new();
    if let Some(mut new) = new {
        while let Some(bytes) = new.read(out.len() as u64).await.unwrap() {
            out.extend_from_slice(&bytes);
        }
    }
    Some((named("x-s"), named("x-e"), out))
}
