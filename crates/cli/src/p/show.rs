//! Description of an outcome: the decision, the line that made it, and the changed message.

use std::fmt::Write as _;

use kukla_plang::Program;
use kukla_plang::files::Sources;
use kukla_plang::mail::Reply;
use kukla_plang::message::Pair;
use kukla_plang::module::Protocol;
use kukla_plang::verdict::{Ending, Outcome, Verdict};

/// Describes the decision, its place, the route, and changes of the message.
pub(super) fn outcome(outcome: &Outcome<'_>, program: &Program, sources: &Sources) -> String {
    let verdict = outcome.verdict(program);
    let word = verdict.word_for(outcome.transaction.message);
    let mut out = format!("{word}{}\n", detail(outcome, verdict));
    let _ = writeln!(out, "  at {}", place(outcome, program, sources));
    if let (Protocol::Smtp, Some(reply)) =
        (outcome.transaction.message.protocol(), Reply::of(verdict))
    {
        let _ = writeln!(out, "  reply {} {}", reply.status, reply.text);
    }
    let route = outcome.transaction.state().route;
    if let Some(pool) = route.pool {
        let _ = writeln!(out, "  to {}", lossy(pool));
    }
    if let Some(path) = route.path {
        let _ = writeln!(out, "  as {}", lossy(path));
    }
    if let Some(timeout) = route.timeout {
        let _ = writeln!(out, "  within {timeout} ms");
    }
    if outcome.n_restarts > 0 {
        let _ = writeln!(out, "  after {} restarts", outcome.n_restarts);
    }
    for line in &outcome.transaction.logs {
        let _ = writeln!(out, "  log: {}", lossy(line));
    }
    out + &changes(outcome)
}

fn detail(outcome: &Outcome<'_>, verdict: Verdict<'_>) -> String {
    match verdict {
        Verdict::Deny(text) | Verdict::Challenge(text) => format!(": {}", lossy(text)),
        Verdict::Respond(status, text) => format!(": {status} {}", lossy(text)),
        Verdict::Fail(fail) => match outcome.ending {
            Ending::Failed(_, Some(reason)) => format!(": {}", lossy(reason)),
            _ => format!(": {}", fail.code().words()),
        },
        Verdict::Answered => format!(": {}", outcome.transaction.state().status),
        Verdict::Allow | Verdict::Pass | Verdict::NoDecision => String::new(),
    }
}

/// Formats the place of a decision: `policy.p:12: Access.allow()`.
pub(super) fn place(outcome: &Outcome<'_>, program: &Program, sources: &Sources) -> String {
    match outcome.place {
        None => format!("{}:end", sources.main().name()),
        Some(node) => {
            let span = program.span(node);
            let (source, _) = sources.at(span);
            let line = sources.line(span);
            let text = sources.slice(span).lines().next().unwrap_or_default();
            format!("{}:{line}: {text}", source.name())
        }
    }
}

/// Lists the removed and added header fields.
fn changes(outcome: &Outcome<'_>) -> String {
    let (message, state) = (outcome.transaction.message, outcome.transaction.state());
    let response = message.response.as_ref();
    if let Some(mail) = message.mail {
        let recipient = |address| Pair { name: b"to", value: address };
        let [old, new] = [mail.recipients, state.recipients]
            .map(|all| all.iter().copied().map(recipient).collect::<Vec<_>>());
        return diff("envelope", &old, &new)
            + &diff("mail", message.request.headers, state.request);
    }
    let mut out = diff("request", message.request.headers, state.request);
    if let Some(response) = response {
        if response.status != state.status {
            let _ = writeln!(out, "response\n- {}\n+ {}", response.status, state.status);
        }
        out += &diff("response", response.headers, state.response);
    }
    out
}

fn diff(side: &str, old: &[Pair<'_>], new: &[Pair<'_>]) -> String {
    let lines = |mark: char, fields: &[Pair<'_>], others: &[Pair<'_>]| {
        let only = fields.iter().filter(|field| !others.contains(field));
        only.map(|field| format!("{mark} {}: {}\n", lossy(field.name), lossy(field.value)))
            .collect::<String>()
    };
    let changed = lines('-', old, new) + &lines('+', new, old);
    if changed.is_empty() { changed } else { format!("{side}\n{changed}") }
}

/// Formats bytes of a message for a terminal: no byte can move the cursor or change colours.
pub(super) fn lossy(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let escape = |character: char| match character {
        character if character.is_control() => character.escape_default().to_string(),
        character => character.to_string(),
    };
    text.chars().map(escape).collect()
}
