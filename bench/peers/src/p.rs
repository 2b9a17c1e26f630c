//! P itself.

use std::hint::black_box;
use std::net::IpAddr;

use bumpalo::Bump;
use kukla_plang::compiled::{self, Compiled};
use kukla_plang::ip::Ip;
use kukla_plang::message::{Message, Pair, Request};
use kukla_plang::services::NoServices;
use kukla_plang::transaction::Transaction;
use kukla_plang::{Options, check};

use crate::message::{CLIENT, HEADERS, METHOD, PATH, QUERY};
use crate::{Decide, Rules};

/// Returns the text of a program.
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

/// Returns many rules with the same test; the last is the one that applies.
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

/// Part of the message that is built anew for each decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rebuilt {
    /// Nothing: the message exists.
    Nothing,
    /// The message, from the parts that the peers get too.
    Message,
    /// The parts too: the target is split, the path normalized, fields are copied.
    Parts,
}

/// Returns the part that is built anew with these rules, by P and by its peers.
pub fn rebuilt(rules: Rules) -> Rebuilt {
    if rules == Rules::Context { Rebuilt::Message } else { Rebuilt::Nothing }
}

/// Returns a function that decides on the message, read in place.
pub fn decide(text: &str, rebuilt: Rebuilt) -> Decide {
    let checked = check(text, &Options::default());
    let program = checked.program.expect("the program is valid");
    let compiled: &'static Compiled = Box::leak(Box::new(Compiled::new(program)));
    let client: IpAddr = CLIENT.parse().expect("it is an address");
    // Like those of the peers, it lives as long as the process.
    let static_arena: &'static Bump = Box::leak(Box::new(Bump::new()));
    let message = &*static_arena.alloc(Message::new(request(client, static_arena)));
    let target: &'static [u8] = format!("{PATH}?{QUERY}").leak().as_bytes();
    let mut arena = Bump::new();
    Box::new(move || {
        arena.reset();
        match rebuilt {
            Rebuilt::Nothing => allows(compiled, message, &arena),
            Rebuilt::Message => allows(compiled, &Message::new(request(client, &arena)), &arena),
            Rebuilt::Parts => {
                let request = request(client, &arena).with_target(target, &arena);
                allows(compiled, &Message::new(request), &arena)
            }
        }
    })
}

fn request(client: IpAddr, arena: &Bump) -> Request<'_> {
    let fields: &[(&str, &str)] = black_box(&HEADERS);
    let field = |n: usize| Pair { name: fields[n].0.as_bytes(), value: fields[n].1.as_bytes() };
    Request {
        method: METHOD.as_bytes(),
        scheme: b"https",
        path: PATH.as_bytes(),
        raw_path: PATH.as_bytes(),
        query: QUERY.as_bytes(),
        version: b"HTTP/1.1",
        headers: arena.alloc_slice_fill_with(fields.len(), field),
        client: Some(Ip::from(client)),
        ..Request::default()
    }
}

fn allows<'a>(compiled: &'a Compiled, message: &'a Message<'a>, arena: &'a Bump) -> bool {
    let transaction = Transaction::new(message, arena, &compiled.program.limits);
    let outcome = compiled::run(compiled, transaction, &mut NoServices);
    outcome.verdict(&compiled.program).is_allowed()
}
