//! P itself.

use bumpalo::Bump;
use kukla_plang::compiled::{self, Compiled};
use kukla_plang::ip::Ip;
use kukla_plang::message::{Message, Pair, Request};
use kukla_plang::services::NoServices;
use kukla_plang::transaction::Transaction;
use kukla_plang::{Options, check};

use crate::message::{AGENT, CLIENT, METHOD, PATH, QUERY};
use crate::{Decide, Rules};

const HEADERS: &[Pair<'static>] = &[
    Pair { name: b"Host", value: b"puppet.example.com:8140" },
    Pair { name: b"Accept", value: b"application/json" },
    Pair { name: b"User-Agent", value: AGENT.as_bytes() },
];

/// The text of a program.
pub fn program(rules: Rules) -> String {
    let mut text =
        "Http := import \"Http\"; Net := import \"Net\"; request := Http.request;\n".to_owned();
    for prefix in rules.prefixes() {
        text += &match rules {
            Rules::A => format!(
                "if (request.method == \"GET\" and request.uri.path begins_with \"{prefix}\") {{ Access.allow(); }}\n"
            ),
            Rules::B | Rules::C | Rules::Context => format!(
                "if (Core.set(\"GET\", \"POST\").has(request.method) and request.uri.path begins_with \"{prefix}\" \
                 and request.uri.path ends_with \"agent1.example.com\" and Net.set(\"10.0.0.0/8\").has(request.clientIp) \
                 and request.headers.value(\"User-Agent\") contains \"Puppet\" and request.uri.query != \"\") \
                 {{ Access.allow(); }}\n"
            ),
        };
    }
    text
}

/// Many rules that ask the same of a message; the last is the one that applies.
pub fn many(n_rules: usize, kind: &str) -> String {
    let mut text =
        "Http := import \"Http\"; Net := import \"Net\"; path := Http.request.uri.path;\n"
            .to_owned();
    for n in 1..=n_rules {
        let is_last = n == n_rules;
        let condition = match (kind, is_last) {
            ("equal", false) => format!("path == \"/puppet/v3/kind/{n}\""),
            ("equal", true) => format!("path == \"{PATH}\""),
            ("prefix", false) => format!("path begins_with \"/puppet/v3/kind{n}/\""),
            ("prefix", true) => "path begins_with \"/puppet/v3/catalog/\"".to_owned(),
            (_, false) => format!(
                "Net.set(\"10.{}.{}.0/24\").has(Http.request.clientIp)",
                30 + n / 250,
                n % 250
            ),
            (_, true) => "Net.set(\"10.20.3.0/24\").has(Http.request.clientIp)".to_owned(),
        };
        text += &format!("if ({condition}) {{ Access.allow(); }}\n");
    }
    text
}

/// How much of the message is made anew for each decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// Nothing: the message is there.
    Nothing,
    /// The message, of the parts that the peers are given too.
    Message,
    /// The parts too: the target is taken apart, the path brought into its one form, fields are copied.
    Parts,
}

/// What is made anew with these rules, by P and by its peers.
pub fn made(rules: Rules) -> Made {
    if rules == Rules::Context { Made::Message } else { Made::Nothing }
}

/// What a program decides on the message, read in place.
pub fn decide(text: &str, made: Made) -> Decide {
    let checked = check(text, &Options::default());
    let program = checked.program.expect("the program is valid");
    // As those of the peers, it lives as long as the process.
    let compiled: &'static Compiled = Box::leak(Box::new(Compiled::new(program)));
    let client = Ip::parse(CLIENT.as_bytes());
    let kept: &'static Message<'static> = Box::leak(Box::new(Message::new(request(client))));
    let target: &'static [u8] = format!("{PATH}?{QUERY}").leak().as_bytes();
    let mut arena = Bump::new();
    Box::new(move || {
        arena.reset();
        match made {
            Made::Nothing => allows(compiled, kept, &arena),
            Made::Message => {
                let headers = arena.alloc_slice_copy(HEADERS);
                allows(compiled, &Message::new(Request { headers, ..request(client) }), &arena)
            }
            Made::Parts => {
                let headers = arena.alloc_slice_copy(HEADERS);
                let request = Request { headers, ..request(client) };
                allows(compiled, &Message::new(request.with_target(target, &arena)), &arena)
            }
        }
    })
}

fn request(client: Option<Ip>) -> Request<'static> {
    Request {
        method: METHOD.as_bytes(),
        scheme: b"https",
        path: PATH.as_bytes(),
        raw_path: PATH.as_bytes(),
        query: QUERY.as_bytes(),
        version: b"HTTP/1.1",
        headers: HEADERS,
        client,
        ..Request::default()
    }
}

fn allows<'a>(compiled: &'a Compiled, message: &'a Message<'a>, arena: &'a Bump) -> bool {
    let transaction = Transaction::new(message, arena, &compiled.program.limits);
    let outcome = compiled::run(compiled, transaction, &mut NoServices);
    outcome.verdict(&compiled.program).is_allowed()
}
