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

/// What a program decides on the message, read in place.
pub fn decide(text: &str, makes_context: bool) -> Decide {
    let checked = check(text, &Options::default());
    let compiled = Compiled::new(checked.program.expect("the program is valid"));
    let mut arena = Bump::new();
    let client = Ip::parse(CLIENT.as_bytes());
    let target = format!("{PATH}?{QUERY}");
    Box::new(move || {
        arena.reset();
        let request = Request {
            method: METHOD.as_bytes(),
            scheme: b"https",
            version: b"HTTP/1.1",
            client,
            ..Request::default()
        };
        let request = match makes_context {
            true => {
                let headers = arena.alloc_slice_copy(HEADERS);
                Request { headers, ..request }.with_target(target.as_bytes(), &arena)
            }
            false => Request {
                path: PATH.as_bytes(),
                raw_path: PATH.as_bytes(),
                query: QUERY.as_bytes(),
                headers: HEADERS,
                ..request
            },
        };
        let message = Message::new(request);
        let transaction = Transaction::new(&message, &arena, &compiled.program.limits);
        let outcome = compiled::run(&compiled, transaction, &mut NoServices);
        outcome.verdict(&compiled.program).is_allowed()
    })
}
