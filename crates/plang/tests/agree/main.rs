//! The reference and the compiled back end agree on random programs, messages and services.
//!
//! `CASES=10000000 NOISE=20000000 cargo test --release -p kukla-plang --test agree` tries more programs, `SEED=7`
//! different ones.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write files, run programs and measure time"
)]

mod generate;

use bumpalo::Bump;
use generate::{Dice, Generator};
use kukla_plang::compiled::{self, Compiled};
use kukla_plang::ip::Ip;
use kukla_plang::message::Pair;
use kukla_plang::program::NodeId;
use kukla_plang::recorded::Recorded;
use kukla_plang::services::{NewBody, ServiceAnswer, ServiceCall, Services};
use kukla_plang::transaction::{Body, Route, State, Transaction};
use kukla_plang::value::Value;
use kukla_plang::verdict::{Ending, Outcome};
use kukla_plang::{Options, Registry, check, reference};

const REGISTRY: &str = r#"
pools = ["a", "b"]
[[service]]
uri = "opes://x/host"
kind = "host"
parameters = { level = "number", name = "string" }
[[service]]
uri = "opes://x/set"
set = { "X-B" = "service" }
remove = ["X-A"]
[[service]]
uri = "opes://x/fails"
fails = true
"#;

/// Number of messages per program.
const N_MESSAGES: u32 = 64;

/// Services whose answers depend only on the number of calls.
struct Random {
    dice: Dice,
    calls: Vec<String>,
}

impl Services for Random {
    fn call(&mut self, call: &ServiceCall<'_>) -> ServiceAnswer {
        self.calls.push(format!("{} {:?} {:?}", call.uri, call.parameters, call.parts));
        let headers = vec![(b"X-A".to_vec(), b"adapted".to_vec())];
        let body = match self.dice.below(3) {
            0 => NewBody::Whole(b"GET whole".to_vec()),
            _ => NewBody::Held { number: 7, preview: b"b held".to_vec(), size: 600 },
        };
        match self.dice.below(16) {
            0..5 => ServiceAnswer::Unchanged,
            5..10 => ServiceAnswer::Failed,
            10 => ServiceAnswer::Answered { status: 404, headers, body },
            number => {
                let body = (number % 2 == 0).then_some(body);
                ServiceAnswer::Adapted { headers, status: Some(201), body }
            }
        }
    }
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn both_back_ends_agree() {
    let counts = compare(number("CASES", 3_000), |text, _| text, generate::message);
    println!("{counts}");
}

#[test]
fn both_back_ends_agree_on_mails() {
    let counts = compare(number("CASES", 3_000) / 4, generate::about_mails, generate::mail);
    println!("{counts}");
}

/// Runs programs in a dialect on messages; returns how many there were.
fn compare(
    n_cases: u64,
    dialect: impl Fn(String, &mut Dice) -> String,
    message: impl Fn(&mut Dice) -> String,
) -> String {
    let options = Options {
        registry: Some(Registry::parse(REGISTRY).expect("it is valid")),
        ..Options::default()
    };
    let seed = number("SEED", 1);
    let (mut n_run, mut n_failed, mut n_invalid) = (0_u64, 0_u64, 0_u64);
    let mut index = 0;
    while n_run < n_cases {
        index += 1;
        let mut dice = Dice::new(seed.wrapping_mul(1_000_003).wrapping_add(index));
        let text = Generator::new(&mut dice).program();
        let text = dialect(text, &mut dice);
        let Some(program) = check(&text, &options).program else {
            n_invalid += 1;
            assert!(n_invalid < 20_000 || n_invalid < n_run, "most programs are valid");
            continue;
        };
        let compiled = Compiled::new(program);
        for _ in 0..N_MESSAGES {
            let message = message(&mut dice);
            let client = generate::client(&mut dice);
            let seed = dice.below(1 << 30);
            n_failed += u64::from(agree(&text, &compiled, &message, client, seed));
            n_run += 1;
        }
    }
    format!("{n_run} runs, {n_failed} failed, {n_invalid} programs were invalid")
}

/// Asserts that both back ends agree; returns whether the program failed.
fn agree(text: &str, compiled: &Compiled, message: &str, client: Option<&str>, seed: u64) -> bool {
    let recorded = Recorded::parse(message.as_bytes()).expect("it is a message");
    let arena = Bump::new();
    let mut message_view = recorded.message(&arena);
    message_view.request.client = client.and_then(|client| Ip::parse(client.as_bytes()));
    let program = &compiled.program;
    let start = || Transaction::new(&message_view, &arena, &program.limits);
    let services = || Random { dice: Dice::new(seed), calls: Vec::new() };
    let (mut one, mut other) = (services(), services());
    let run = reference::run(program, start(), &mut one);
    let outcome = compiled::run(compiled, start(), &mut other);
    let (expected, found) = (Observed::new(&run.outcome), Observed::new(&outcome));
    assert_eq!(expected, found, "in\n{text}\non\n{message}");
    assert_eq!(one.calls, other.calls, "in\n{text}\non\n{message}");
    assert!(run.n_steps <= program.cost.steps, "{} steps in\n{text}", run.n_steps);
    matches!(run.outcome.ending, Ending::Failed(..))
}

/// The observable part of an outcome.
#[derive(Debug, PartialEq)]
struct Observed<'o, 'a> {
    ending: Ending<'a>,
    place: Option<NodeId>,
    headers: [&'a [Pair<'a>]; 2],
    status: u16,
    body: Body<'a>,
    recipients: &'a [&'a [u8]],
    route: Route<'a>,
    n_edits: usize,
    parameters: Vec<(u16, &'a str, Value<'a>)>,
    logs: &'o [&'a [u8]],
    applied: &'o [u16],
    adapters: Vec<u16>,
    n_restarts: u32,
}

impl<'o, 'a> Observed<'o, 'a> {
    fn new(outcome: &'o Outcome<'a>) -> Self {
        let transaction = &outcome.transaction;
        let state = transaction.state();
        let State {
            request,
            response,
            status,
            body,
            recipients,
            route,
            adapted: _,
            parameters: _,
            n_edits,
        } = state;
        let parameters = (0..3).flat_map(|service| transaction.state().parameters_of(service));
        Self {
            ending: outcome.ending,
            place: outcome.place,
            headers: [request, response],
            status,
            body,
            recipients,
            route,
            n_edits,
            parameters: parameters.map(|p| (p.service, p.name, p.value)).collect(),
            logs: &transaction.logs,
            applied: &transaction.applied,
            adapters: state.adapters(),
            n_restarts: outcome.n_restarts,
        }
    }
}

#[test]
fn noise_is_judged_without_panic() {
    let options = Options::default();
    let n_cases = number("NOISE", 2_000);
    let mut dice = Dice::new(number("SEED", 1));
    let mut text = String::new();
    for index in 0..n_cases {
        if index % 10 == 0 {
            text = Generator::new(&mut dice).short();
        }
        let noise = generate::noise(&text, &mut dice);
        let checked = check(&noise, &options);
        assert!(
            checked.diagnostics.iter().all(|d| d.span.end() as usize <= noise.len()
                && noise.is_char_boundary(d.span.start as usize)
                && noise.is_char_boundary(d.span.end() as usize)),
            "spans lie in\n{noise}"
        );
        // The test above covers layout and runs; here they would take most of the time.
        if n_cases > 100_000 && index % 16 > 0 {
            continue;
        }
        if let Some(formatted) = kukla_plang::format::format(&noise) {
            let again = kukla_plang::format::format(&formatted);
            assert_eq!(
                again.as_deref(),
                Some(formatted.as_str()),
                "the layout is stable of\n{noise}"
            );
        }
        if let Some(program) = checked.program {
            let compiled = Compiled::new(program);
            agree(&noise, &compiled, "GET / HTTP/1.1\n\n", None, index);
        }
    }
}
