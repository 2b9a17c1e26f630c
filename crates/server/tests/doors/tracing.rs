//! Tracing and bypass of RFC 4236, and traces on request.

use std::fmt::Write as _;

use bumpalo::Bump;
use kukla_plang::check::{Options, Point};
use kukla_plang::recorded::{Metadata, Recorded, RecordedServices};
use kukla_plang::transaction::Transaction;
use kukla_plang::{Registry, check, reference};

use crate::origin::{Got, Server, response};
use crate::running::{Around, Door, IS_RECORDING, ask};

const REQUEST: &str = r#"Http := import("Http");
if (Http.request.uri.path == "/deny") { Access.deny("no"); }
{ Services.applyOne(Services.findOne("opes://x/fails")); } otherwise { Core.log("failed"); }
{ Services.applyOne(Services.findOne("opes://x/mark")); Core.interpreter.fail("undone"); } otherwise { Core.log("undone"); }
Services.applyOne(Services.findOne("opes://x/mark"));
Access.allow();
"#;
const RESPONSE: &str = r#"Http := import("Http");
if (Http.response.headers.have("X-Mark")) { Access.deny("twice"); }
Services.applyOne(Services.findOne("opes://x/still"));
Services.applyOne(Services.findOne("opes://x/mark"));
if (Http.response.headers.have("X-Mark")) { Access.allow(); }
Access.deny("no mark");
"#;

/// Starts services that mark a message, leave it as it is, and fail.
fn registry() -> String {
    let mark = Server::service(|got: &Got| {
        Some(got.text().replacen("\r\n\r\n", "\r\nX-Mark: 1\r\n\r\n", 1).into_bytes())
    });
    let still = Server::service(|_| None);
    let fails = Server::start(|_| Vec::new());
    let service = |name: &str, server: &Server| {
        format!(
            "[[service]]\nuri = \"opes://x/{name}\"\nkind = \"http\"\nurl = \"http://{}/\"\n",
            server.address
        )
    };
    service("mark", &mark) + &service("still", &still) + &service("fails", &fails)
}

fn origin() -> Server {
    Server::start(|_| response("200 OK", "OPES-System: http://before/\r\n", b"text"))
}

#[test]
fn messages_say_which_services_adapted_them() {
    let origin = origin();
    let programs = [REQUEST, RESPONSE];
    let upstream = [format!("http://{}", origin.address)];
    let door = Door::proxy(&programs, &registry(), &upstream);
    let forged = "OPES-System: http://evil/\r\nOPES-Via: opes://evil/\r\n";
    let got = ask(door.address, "POST /a", forged, b"text");
    assert!(got.line().contains(" 200 "), "{}\n{}", got.head, door.log_text());
    let all = |head: &str, name: &str| -> Vec<String> {
        let start = format!("{name}: ");
        head.lines().filter_map(|line| line.strip_prefix(&start)).map(str::to_owned).collect()
    };
    // A service that failed, one that left the message as it is, and one that was undone have adapted nothing.
    let seen = origin.last();
    assert_eq!(all(&seen.head, "OPES-System"), ["http://test/"], "{}", seen.head);
    assert_eq!(all(&seen.head, "OPES-Via"), ["opes://x/mark"], "{}", seen.head);
    assert_eq!(all(&got.head, "OPES-System"), ["http://before/", "http://test/"], "{}", got.head);
    assert_eq!(all(&got.head, "OPES-Via"), ["opes://x/mark"], "{}", got.head);
    assert!(all(&got.head, "X-P-Trace").is_empty(), "the client did not ask: {}", got.head);
}

#[test]
fn a_bypass_is_honoured_where_it_is_allowed() {
    let origin = origin();
    let marks = "Http := import(\"Http\"); if (Http.request.uri.path == \"/deny\") { Access.deny(\"no\"); } Services.applyOne(Services.findOne(\"opes://x/mark\")); Access.allow();";
    let upstream = [format!("http://{}", origin.address)];
    let registry = registry();
    for is_strict in [false, true] {
        let around = Around { is_strict, ..Around::default() };
        let door = Door::proxy_with(&[marks], &registry, &upstream, around);
        for (value, is_bypass) in [
            ("*", true),
            ("opes://x/mark", true),
            ("opes://y/, opes://x/mark", true),
            ("opes://x/", false),
        ] {
            let field = format!("OPES-Bypass: {value}\r\n");
            let got = ask(door.address, "GET /a", &field, b"");
            assert!(got.line().contains(" 200 "), "{}", got.head);
            let is_marked = origin.last().field("x-mark").is_some();
            assert_eq!(is_marked, is_strict || !is_bypass, "{value} {is_strict}");
            assert_eq!(origin.last().field("opes-via").is_some(), is_marked);
            // Rules are no services.
            assert!(ask(door.address, "GET /deny", &field, b"").line().contains(" 403 "));
        }
        let got = ask(door.address, "GET /a", "X-P-Trace: 1\r\n", b"");
        assert_eq!(got.field("x-p-trace").is_some(), !is_strict, "{}", got.head);
        assert_eq!(origin.last().field("x-p-trace"), None);
    }
}

/// The trace that a client asks for is what `kukla p explain` says about the record of the exchange.
#[test]
fn a_trace_and_an_explanation_agree() {
    let origin = origin();
    let registry = registry();
    IS_RECORDING.with(|is_recording| is_recording.set(true));
    let door =
        Door::proxy(&[REQUEST, RESPONSE], &registry, &[format!("http://{}", origin.address)]);
    let mut traces = Vec::new();
    for path in ["/a", "/deny"] {
        let got = ask(door.address, &format!("POST {path}"), "X-P-Trace: 1\r\n", b"text");
        let lines = got.head.lines().filter_map(|line| line.strip_prefix("X-P-Trace: "));
        traces.extend(lines.map(str::to_owned));
    }
    let expected = [
        "1 allow at 0.p:6; applied \"opes://x/fails opes://x/mark opes://x/mark\"; adapted \"opes://x/mark\"",
        "3 allow at 1.p:5; applied \"opes://x/still opes://x/mark\"; adapted \"opes://x/mark\"",
        "1 deny at 0.p:2",
    ];
    assert_eq!(traces, expected);
    for (number, trace) in traces.iter().enumerate() {
        assert_eq!(explained(&door, &registry, number), *trace, "record {number}");
    }
}

/// Returns the trace of a recorded exchange, by the reference interpreter.
fn explained(door: &Door, registry: &str, number: usize) -> String {
    let stem = door.folder.join("records").join(format!("{number:06}"));
    let read = |extension: &str| std::fs::read_to_string(stem.with_extension(extension)).unwrap();
    let metadata = Metadata::parse(&read("json")).unwrap();
    let recorded = Recorded { metadata, ..Recorded::parse(read("http").as_bytes()).unwrap() };
    let is_response = recorded.response.is_some();
    let text = if is_response { RESPONSE } else { REQUEST };
    let registry = Registry::parse(registry).unwrap();
    let point = if is_response { Point::Response } else { Point::Request };
    let options = Options { registry: Some(registry.clone()), point, ..Options::default() };
    let program = check(text, &options).program.unwrap();
    let arena = Bump::new();
    let message = recorded.message(&arena);
    let transaction = Transaction::new(&message, &arena, &program.limits);
    let mut services = RecordedServices::new(recorded.metadata.answers.clone());
    let run = reference::run(&program, transaction, &mut services);
    let verdict = run.outcome.verdict(&program).word();
    let start = program.span(run.outcome.place.unwrap()).start as usize;
    let line = text[..start].matches('\n').count() + 1;
    let file = usize::from(is_response);
    let mut out = format!("{} {verdict} at {file}.p:{line}", recorded.metadata.point.unwrap());
    let transaction = &run.outcome.transaction;
    for (word, services) in
        [("applied", &transaction.applied), ("adapted", &transaction.state().adapters())]
    {
        let uris: Vec<&str> = services
            .iter()
            .map(|index| registry.services[usize::from(*index)].uri.as_str())
            .collect();
        if !uris.is_empty() {
            let _ = write!(out, "; {word} \"{}\"", uris.join(" "));
        }
    }
    out
}
