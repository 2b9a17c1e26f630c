//! Outcome of a run as text; and canned services.

use std::collections::HashMap;
use std::fmt::Write as _;

use kukla_plang::Program;
use kukla_plang::dump::quoted;
use kukla_plang::files::Sources;
use kukla_plang::mail::Reply;
use kukla_plang::message::Pair;
use kukla_plang::services::{ServiceAnswer, ServiceCall, Services};
use kukla_plang::value::Value;
use kukla_plang::verdict::{Ending, Outcome, Verdict};

/// Formats an outcome: the verdict, the line, the route, the log, the changes.
pub(crate) fn text(outcome: &Outcome<'_>, program: &Program, sources: &Sources) -> String {
    let place = match outcome.place {
        Some(node) => format!("line {}", sources.line(program.span(node))),
        None => "the end".to_owned(),
    };
    let verdict = match outcome.verdict(program) {
        Verdict::Deny(text) | Verdict::Challenge(text) => {
            format!("{} {}", outcome.verdict(program).word(), quoted(text))
        }
        Verdict::Answered => "answer".to_owned(),
        Verdict::Respond(status, text) => format!("respond {status} {}", quoted(text)),
        Verdict::Fail(fail) => match outcome.ending {
            Ending::Failed(_, Some(reason)) if fail.code().code() == "forced" => {
                format!("fail {}", quoted(reason))
            }
            _ => format!("fail {}", fail.code().code()),
        },
        verdict => verdict.word().to_owned(),
    };
    let mut out = format!("{verdict} at {place}\n");
    let state = outcome.transaction.state();
    let mail = outcome.transaction.message.mail;
    if let (Some(_), Some(reply)) = (mail, Reply::of(outcome.verdict(program))) {
        let _ = writeln!(out, "{} {} {:?}", reply.word(), reply.status, reply.text);
    }
    if let Some(mail) = mail.filter(|mail| mail.recipients != state.recipients) {
        let [old, new] = [mail.recipients, state.recipients]
            .map(|all| all.iter().map(|address| quoted(address)).collect::<Vec<_>>().join(" "));
        let _ = writeln!(out, "recipients {old} become {new}");
    }
    if let Some(pool) = state.route.pool {
        let _ = writeln!(out, "to {}", quoted(pool));
    }
    if let Some(path) = state.route.path {
        let _ = writeln!(out, "as {}", quoted(path));
    }
    if let Some(timeout) = state.route.timeout {
        let _ = writeln!(out, "within {timeout}");
    }
    if outcome.n_restarts > 0 {
        let _ = writeln!(out, "restarts {}", outcome.n_restarts);
    }
    for line in &outcome.transaction.logs {
        let _ = writeln!(out, "log {}", quoted(line));
    }
    let message = outcome.transaction.message;
    diff(&mut out, "request", message.request.headers, state.request);
    if let Some(response) = &message.response {
        diff(&mut out, "response", response.headers, state.response);
        if response.status != state.status {
            let _ = writeln!(out, "status {}", state.status);
        }
    }
    out
}

fn diff(out: &mut String, side: &str, old: &[Pair<'_>], new: &[Pair<'_>]) {
    let mut lines = |mark: char, fields: &[Pair<'_>], others: &[Pair<'_>]| {
        for field in fields.iter().filter(|field| !others.contains(field)) {
            let name = String::from_utf8_lossy(field.name);
            let value = String::from_utf8_lossy(field.value);
            let _ = writeln!(out, "{side} {mark} {name}: {value}");
        }
    };
    lines('-', old, new);
    lines('+', new, old);
}

/// Services with canned answers: `URI unchanged`, `URI fails`, `URI Name: value`.
///
/// Several answers of one service are used in order, the last repeatedly.
#[derive(Clone, Debug, Default)]
pub(crate) struct Canned {
    answers: Vec<(String, ServiceAnswer)>,
    n_calls: HashMap<String, usize>,
    /// The calls with their parameters.
    pub(crate) calls: Vec<String>,
}

impl Canned {
    pub(crate) fn new(text: &str) -> Self {
        let answers = text.lines().map(|line| {
            let (uri, answer) = line.split_once(' ').expect("an answer has a URI");
            let answer = match answer {
                "unchanged" => ServiceAnswer::Unchanged,
                "fails" => ServiceAnswer::Failed,
                field => {
                    let (name, value) = field.split_once(": ").expect("a field has a colon");
                    let headers = vec![(name.as_bytes().to_vec(), value.as_bytes().to_vec())];
                    ServiceAnswer::Adapted { headers, status: None, body: None }
                }
            };
            (uri.to_owned(), answer)
        });
        Self { answers: answers.collect(), ..Self::default() }
    }
}

impl Services for Canned {
    fn call(&mut self, call: &ServiceCall<'_>) -> ServiceAnswer {
        let mut words = format!("call {}", call.uri);
        for parameter in &call.parameters {
            let _ = write!(words, " {}={}", parameter.name, value(parameter.value));
        }
        for part in &call.parts {
            let _ = write!(words, " {}", value(*part));
        }
        self.calls.push(words);
        let n_calls = self.n_calls.entry(call.uri.to_owned()).or_default();
        let answers: Vec<_> = self.answers.iter().filter(|(uri, _)| uri == call.uri).collect();
        let index = (*n_calls).min(answers.len().saturating_sub(1));
        *n_calls += 1;
        answers.get(index).map_or(ServiceAnswer::Failed, |(_, answer)| answer.clone())
    }
}

/// Formats a value as a literal.
pub(crate) fn value(value: Value<'_>) -> String {
    match value {
        Value::Nothing => "nothing".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::Text(text) => quoted(text),
        Value::Ip(ip) => ip.to_string(),
        Value::Headers(side) => format!("{side:?}.headers"),
        other => format!("{other:?}"),
    }
}
