//! Fields that nginx, Traefik, Caddy and Envoy send, and fields that a client forges.

use data_encoding::BASE64;
use kukla_server::forwarded::{CertHeaders, Proxy};

use crate::pki::Authority;
use crate::support::{EndpointOptions, RunningEndpoint};

/// A program that reads the trusted properties of a request, then challenges.
const ECHO: &str = r#"
Http := import "Http"; r := Http.request;
name := r.tls.subjectCn otherwise "nobody";
client := r.clientIp.text otherwise "nowhere";
Access.challenge("Told");
"#;

/// Returns a program that allows one request only.
fn only(method: &str, path: &str, client: &str, name: &str) -> String {
    format!(
        "Http := import \"Http\"; Net := import \"Net\"; r := Http.request;\n\
         name := r.tls.subjectCn otherwise \"nobody\";\n\
         if (r.method == \"{method}\" and r.uri.path == \"{path}\" and r.uri.query == \"a=1\"\n\
             and Net.set(\"{client}\").has(r.clientIp) and name == \"{name}\") {{ Access.allow(); }}\n\
         Access.deny(r.method + \" \" + r.uri.path + \" by \" + name);\n"
    )
}

fn served(proxy: Proxy, cert_headers: Option<CertHeaders>, program: &str) -> RunningEndpoint {
    RunningEndpoint::new(
        program,
        EndpointOptions { proxy, cert_headers, ..EndpointOptions::default() },
    )
}

const CERT: Option<CertHeaders> = Some(CertHeaders::Cert);
const DN: Option<CertHeaders> = Some(CertHeaders::Dn);

#[test]
fn nginx() {
    let program = only("PUT", "/x/y", "192.0.2.7", "agent1");
    let served = served(Proxy::Nginx, DN, &program);
    let fields = [
        ("X-Original-Method", "PUT"),
        ("X-Original-URI", "/x/y?a=1"),
        ("X-Real-IP", "192.0.2.7"),
        ("X-Client-Verify", "SUCCESS"),
        ("X-Client-DN", "CN=agent1,O=Example"),
    ];
    assert_eq!(served.ask("GET /p/authz", &fields).0, 200);
    let mut failed = fields;
    failed[3].1 = "FAILED:expired";
    assert_eq!(served.ask("GET /p/authz", &failed).0, 403);
    let mut elsewhere = fields;
    elsewhere[2].1 = "192.0.2.8";
    assert_eq!(served.ask("GET /p/authz", &elsewhere).0, 403);
}

#[test]
fn traefik() {
    let certificate = BASE64.encode(&Authority::new().named("agent1").der);
    let program = only("PUT", "/x/y", "192.0.2.7", "agent1");
    let served = served(Proxy::Traefik, CERT, &program);
    let fields = [
        ("X-Forwarded-Method", "PUT"),
        ("X-Forwarded-Proto", "https"),
        ("X-Forwarded-Host", "app.example.com"),
        ("X-Forwarded-Uri", "/x/y?a=1"),
        ("X-Forwarded-For", "203.0.113.1, 192.0.2.7"),
        ("X-Forwarded-Tls-Client-Cert", &certificate),
    ];
    assert_eq!(served.ask("GET /p/authz", &fields).0, 200);
    assert_eq!(served.ask("GET /p/authz", &fields[..5]).0, 403, "without a certificate");
}

#[test]
fn caddy() {
    let certificate = BASE64.encode(&Authority::new().named("agent1").der);
    let program = only("DELETE", "/x/y", "2001:db8::7", "agent1");
    let served = served(Proxy::Caddy, CERT, &program);
    let fields = [
        ("X-Forwarded-Method", "DELETE"),
        ("X-Forwarded-Uri", "/x/y?a=1"),
        ("X-Forwarded-For", "2001:db8::7"),
        ("X-Forwarded-Proto", "https"),
        ("X-Forwarded-Host", "app.example.com"),
        ("X-Client-Cert", &certificate),
    ];
    assert_eq!(served.ask("GET /p/authz", &fields).0, 200);
    assert_eq!(served.ask("GET /p/authz", &fields[..5]).0, 403, "without a certificate");
}

#[test]
fn envoy() {
    let program = only("PATCH", "/x/y", "192.0.2.7", "agent1");
    let served = served(Proxy::Envoy, DN, &program);
    let fields = [
        ("X-Forwarded-For", "198.51.100.1,192.0.2.7"),
        ("X-Forwarded-Proto", "https"),
        (
            "X-Forwarded-Client-Cert",
            "By=spiffe://a;Hash=1f;Subject=\"CN=agent1,O=Example\\, Inc\";URI=",
        ),
    ];
    assert_eq!(served.ask("PATCH /p/authz/x/y?a=1", &fields).0, 200);
    assert_eq!(served.ask("GET /p/authz/x/y?a=1", &fields).0, 403, "another method");
    assert_eq!(served.ask("PATCH /p/authz/x/z?a=1", &fields).0, 403, "another path");
    assert_eq!(served.ask("PATCH /p/authzx/y?a=1", &fields).0, 404, "not the endpoint");
}

/// A field that the client adds and the proxy does not set must change nothing.
#[test]
fn clients_can_not_tell_of_themselves() {
    let lies = [
        ("X-Original-Method", "GET"),
        ("X-Original-URI", "/public"),
        ("X-Real-IP", "127.0.0.1"),
        ("X-Client-Verify", "SUCCESS"),
        ("X-Client-DN", "CN=admin"),
        ("X-Forwarded-Client-Cert", "Subject=\"CN=admin\""),
    ];
    let program = "Http := import \"Http\"; Net := import \"Net\"; r := Http.request;\n\
        if (r.uri.path == \"/public\") { Access.allow(); }\n\
        if (Net.set(\"127.0.0.1\").has(r.clientIp)) { Access.allow(); }\n\
        if (r.tls.verified) { Access.allow(); }\n\
        Access.deny(\"no\");\n";
    let traefik = [
        ("X-Forwarded-Method", "PUT"),
        ("X-Forwarded-Uri", "/secret"),
        ("X-Forwarded-For", "127.0.0.1, 192.0.2.7"),
    ];
    let fields = [&lies[..], &traefik[..]].concat();
    let served = served(Proxy::Traefik, CERT, program);
    assert_eq!(served.ask("GET /p/authz", &fields).0, 403);
    let envoy = self::served(Proxy::Envoy, None, program);
    assert_eq!(envoy.ask("GET /p/authz/secret", &fields).0, 403);
    let nginx = self::served(Proxy::Nginx, None, program);
    let fields =
        [("X-Original-Method", "GET"), ("X-Original-URI", "/secret"), ("X-Real-IP", "192.0.2.7")];
    let lies = [
        ("X-Forwarded-Uri", "/public"),
        ("X-Forwarded-For", "127.0.0.1"),
        ("X-Client-Verify", "SUCCESS"),
    ];
    assert_eq!(nginx.ask("GET /p/authz", &[&fields[..], &lies[..]].concat()).0, 403);
}

#[test]
fn a_proxy_that_says_nothing_is_refused() {
    for proxy in [Proxy::Nginx, Proxy::Traefik, Proxy::Caddy] {
        let served = served(proxy, None, "Access.allow();");
        let (status, text) = served.ask("GET /p/authz", &[]);
        assert_eq!(status, 400, "{text}");
        assert!(text.contains("missing header `X-") && text.contains("Method`; "), "{text}");
    }
}

#[test]
fn a_challenge_names_its_scheme() {
    let served = served(Proxy::Nginx, None, ECHO);
    let fields = [("X-Original-Method", "GET"), ("X-Original-URI", "/")];
    let (status, text) = served.ask("GET /p/authz", &fields);
    assert_eq!(status, 401);
    assert!(text.to_lowercase().contains("www-authenticate: told"), "{text}");
}
