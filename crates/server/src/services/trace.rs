//! Traces: marks of services in messages, and texts for clients who ask which rules and services touched a message.

use std::fmt::Write as _;

use kukla_plang::message::Message;
use kukla_plang::verdict::{Outcome, Verdict};

use crate::rules::Live;
use crate::wire::Fields;

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

/// Says in a message which services of a processor with that name adapted it (RFC 3897, RFC 4236).
pub(crate) fn mark(name: &str, fields: &mut Fields, adapted: &[String]) {
    let mut uris: Vec<&str> = Vec::new();
    adapted.iter().filter(|uri| uri.is_ascii()).for_each(|uri| {
        if !uris.contains(&uri.as_str()) {
            uris.push(uri);
        }
    });
    fields.push((b"OPES-System".to_vec(), system(name).into_bytes()));
    fields.push((b"OPES-Via".to_vec(), uris.join(", ").into_bytes()));
}

/// Returns the URI of a processor.
pub(crate) fn system(name: &str) -> String {
    format!("http://{name}/")
}
