//! Side effects of decisions: the log, metrics, a shadow program, records.

use crate::support::{EndpointOptions, RunningEndpoint};

const TOLD: [(&str, &str); 3] = [
    ("X-Original-Method", "GET"),
    ("X-Original-URI", "/a?b=c"),
    ("Authorization", "Basic c2VjcmV0"),
];

#[test]
fn a_denied_request_is_logged_with_the_line_that_decided() {
    let served =
        RunningEndpoint::new("// why\nAccess.deny(\"closed\");\n", EndpointOptions::default());
    assert_eq!(served.ask("GET /p/authz", &TOLD).0, 403);
    let log = served.log.lock().expect("it is whole").join("\n");
    assert!(log.contains("\"decision\":\"deny\""), "{log}");
    assert!(log.contains("policy.p:2\""), "{log}");
    assert!(log.contains("\"reason\":\"closed\""), "{log}");
    assert!(!log.contains("c2VjcmV0"), "{log}");
}

#[test]
fn a_failing_program_denies_and_does_not_say_why() {
    let program = "Http := import \"Http\"; x := Http.request.headers.value(\"X-None\"); Core.log(x); Access.allow();";
    let served = RunningEndpoint::new(program, EndpointOptions::default());
    let (status, text) = served.ask("GET /p/authz", &TOLD);
    assert_eq!(status, 403);
    assert!(!text.contains("X-None") && text.ends_with("denied\n"), "{text}");
}

#[test]
fn a_second_program_decides_without_effect() {
    let options = EndpointOptions {
        shadow: Some("Access.deny(\"tomorrow\");"),
        ..EndpointOptions::default()
    };
    let served = RunningEndpoint::new("Access.allow();", options);
    for _ in 0..3 {
        assert_eq!(served.ask("GET /p/authz", &TOLD).0, 200);
    }
    let (_, metrics) = served.ask("GET /metrics", &[]);
    assert!(metrics.contains("kukla_p_shadow_different_total 3\n"), "{metrics}");
    assert!(metrics.contains("kukla_p_decisions_total{decision=\"allow\"} 3\n"), "{metrics}");
    let log = served.log.lock().expect("it is whole").join("\n");
    assert_eq!(log.matches("\"event\":\"shadow\"").count(), 1, "one is a sample: {log}");
}

#[test]
fn records_have_no_credentials() {
    let served = RunningEndpoint::new(
        "Access.allow();",
        EndpointOptions { records: true, ..EndpointOptions::default() },
    );
    assert_eq!(served.ask("GET /p/authz", &TOLD).0, 200);
    let text =
        std::fs::read_to_string(served.folder.join("messages/000000.http")).expect("it is there");
    assert!(text.starts_with("GET /a?b=c HTTP/1.1\n"), "{text}");
    assert!(text.contains("authorization: redacted\n") && !text.contains("c2VjcmV0"), "{text}");
    let json =
        std::fs::read_to_string(served.folder.join("messages/000000.json")).expect("it is there");
    assert!(json.contains("\"verdict\": \"allow\""), "{json}");
}

#[test]
fn edits_and_the_route_are_told_to_the_proxy() {
    let program = "Http := import \"Http\"; Http.request.headers.set(\"X-User\", \"a\"); Route.to(\"canary\"); Access.allow();";
    let served = RunningEndpoint::new(program, EndpointOptions::default());
    let (status, text) = served.ask("GET /p/authz", &TOLD);
    let text = text.to_lowercase();
    assert_eq!(status, 200);
    assert!(text.contains("x-user: a\r\n") && text.contains("x-p-pool: canary\r\n"), "{text}");
}
