//! Paths that the server behind the proxy may interpret differently than the program.

use kukla_server::forwarded::Proxy;

use crate::support::{EndpointOptions, RunningEndpoint};

/// A careless program: only `/admin` is denied.
const CARELESS: &str = "Http := import \"Http\";\n\
    if (Http.request.uri.path begins_with \"/admin\") { Access.challenge(\"admin\"); }\n\
    Access.allow();\n";

const UNCLEAR: &[(&str, &str)] = &[
    ("/x%2f..%2fadmin", "escaped slash"),
    ("/x%2F..%2Fadmin", "escaped slash"),
    ("/a%2Fb", "escaped slash"),
    ("/x/..%5cadmin", "escaped backslash"),
    ("/x%5C..%5Cadmin", "escaped backslash"),
    ("/x\\..\\admin", "backslash"),
    ("/x/..;/admin", "parameter"),
    ("/x/..;a=b/admin", "parameter"),
    ("/;/admin", "parameter"),
    ("/admi%6e;x", "parameter"),
    ("/x/..%3b/admin", "parameter"),
    ("/x/%2e%2e/admin", "escaped `.` or `..`"),
    ("/x/.%2E/admin", "escaped `.` or `..`"),
    ("/x/%2e./admin", "escaped `.` or `..`"),
    ("/%2e/admin", "escaped `.` or `..`"),
    ("/x/%2e", "escaped `.` or `..`"),
    ("/x%252f..%252fadmin", "escape in an escape"),
    ("/%2561dmin", "escape in an escape"),
    ("/%25%36%31dmin", "escape in an escape"),
    ("/admin%00", "control character"),
    ("/x%0aadmin", "control character"),
    ("/x%0D%0AX-User:%20boss", "control character"),
    ("/x%7f", "control character"),
    ("/x%1b[2J", "control character"),
    ("/x\tadmin", "control character"),
    ("/x admin", "blank"),
    ("/x%", "hexadecimal"),
    ("/x%2", "hexadecimal"),
    ("/x%zzadmin", "hexadecimal"),
    ("/x%u002fadmin", "hexadecimal"),
    ("/x%2%66admin", "hexadecimal"),
    ("/x/%c0%ae%c0%ae/admin", "UTF-8"),
    ("/x%c0%afadmin", "UTF-8"),
    ("/x%ff", "UTF-8"),
    ("/x#/../admin", "fragment"),
    ("admin", "slash"),
    ("?/admin", "slash"),
    ("http://other/admin", "slash"),
    ("%2fadmin", "slash"),
];

const CLEAR: &[&str] = &[
    "/",
    "*",
    "/a/b.c?x=%2f..%2f%00;%zz\\#",
    "/puppet/v3/catalog/agent1.example.com?environment=production",
    "/j%C3%BCrgen",
    "/a%20b",
    "/100%25",
    "/50%25-off",
    "/a%2Etxt",
    "/...",
    "/a/./b",
    "//a",
    "/a:b@c!$&'()*+,=~",
    "/%41",
];

fn ask(served: &RunningEndpoint, target: &str) -> (u16, String) {
    served.ask("GET /p/authz", &[("X-Original-Method", "GET"), ("X-Original-URI", target)])
}

#[test]
fn unclear_paths_are_refused() {
    let served = RunningEndpoint::new(CARELESS, EndpointOptions::default());
    for (path, words) in UNCLEAR {
        served.log.lock().expect("it is whole").clear();
        // Ten refusals are logged per second.
        std::thread::sleep(std::time::Duration::from_millis(110));
        let (status, text) = ask(&served, path);
        assert!(status == 403 && text.ends_with("denied\n"), "{path}: {text}");
        let log = served.log_text();
        assert!(log.contains("\"event\":\"refused\"") && log.contains(words), "{path}: {log}");
    }
}

#[test]
fn clear_paths_are_not() {
    let served = RunningEndpoint::new(CARELESS, EndpointOptions::default());
    for path in CLEAR {
        assert_eq!(ask(&served, path).0, 200, "{path}: {}", served.log_text());
    }
    for path in ["/admin", "//admin", "/x/../admin", "/%61dmin", "/./admin/"] {
        assert_eq!(ask(&served, path).0, 401, "the rule holds for {path}");
    }
}

#[test]
fn every_proxy_is_asked_for_clear_paths() {
    for proxy in [Proxy::Traefik, Proxy::Caddy] {
        let served =
            RunningEndpoint::new(CARELESS, EndpointOptions { proxy, ..EndpointOptions::default() });
        let fields = [("X-Forwarded-Method", "GET"), ("X-Forwarded-Uri", "/x%2f..%2fadmin")];
        assert_eq!(served.ask("GET /p/authz", &fields).0, 403);
    }
    let served = RunningEndpoint::new(
        CARELESS,
        EndpointOptions { proxy: Proxy::Envoy, ..EndpointOptions::default() },
    );
    assert_eq!(served.ask("GET /p/authz/x%2f..%2fadmin", &[]).0, 403);
    assert_eq!(served.ask("GET /p/authz/x/..;/admin", &[]).0, 403);
    assert_eq!(served.ask("GET /p/authz/x", &[]).0, 200);
}

#[test]
fn lenient_paths_are_left_to_the_program() {
    let program = "Http := import \"Http\";\n\
        if (Http.request.uri.path contains \"%2F\") { Access.challenge(\"slash\"); }\n\
        Access.allow();\n";
    let served = RunningEndpoint::new(
        program,
        EndpointOptions { lenient_paths: true, ..EndpointOptions::default() },
    );
    assert_eq!(ask(&served, "/a%2Fb").0, 401, "the program sees it");
    assert_eq!(ask(&served, "/a;b/..;/c").0, 200);
    assert_eq!(ask(&served, "admin").0, 403, "what is no path stays refused");
}
