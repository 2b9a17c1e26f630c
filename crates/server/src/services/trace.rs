//! Traces for clients who ask which rules and services touched a message.

use std::fmt::Write as _;

use kukla_plang::message::Message;
use kukla_plang::verdict::{Outcome, Verdict};

use crate::rules::Live;

/// Says at which line a program decided, and which services it applied: `1 allow at policy.p:4; applied "opes://x/a"`.
pub(super) fn trace(
    live: &Live,
    message: &Message<'_>,
    outcome: &Outcome<'_>,
    verdict: Verdict<'_>,
) -> String {
    let registry = live.compiled.program.registry.as_ref();
    let uris = |services: &[u16]| {
        let found = services.iter().filter_map(|index| {
            registry?.services.get(usize::from(*index)).map(|service| service.uri.as_str())
        });
        // A URI of the registry may have any characters, and a trace is a header field.
        let plain = found.filter(|uri| uri.bytes().all(|byte| byte.is_ascii_graphic()));
        plain.collect::<Vec<_>>().join(" ")
    };
    let place = live.place(outcome);
    let place = place.rsplit('/').next().unwrap_or_default();
    let place: String = place.chars().filter(char::is_ascii_graphic).collect();
    let mut out = format!("{} {} at {place}", message.point.unwrap_or(1), verdict.word());
    let transaction = &outcome.transaction;
    for (word, services) in
        [("applied", &transaction.applied), ("adapted", &transaction.state().adapters())]
    {
        if !services.is_empty() {
            let _ = write!(out, "; {word} \"{}\"", uris(services));
        }
    }
    out
}
