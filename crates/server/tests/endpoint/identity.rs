//! The identity of clients for each kind of proxy: fields that give one, and attacks that must not.

mod caddy;
mod envoy;
mod nginx;
mod subjects;
mod traefik;

use kukla_server::forwarded::{CertHeaders, Proxy};

use crate::pki::{self, Attribute, Authority, CN, Extension, O, Subject, UTF8, escaped, pem};
use crate::support::{EndpointOptions, RunningEndpoint};

/// A program that returns the client's name in a header field of the response.
const ECHO: &str = "Http := import \"Http\"; r := Http.request;\n\
    name := r.tls.subjectCn otherwise \"-\";\n\
    if (not r.tls.verified and name != \"-\") { Access.deny(\"a name without a certificate\"); }\n\
    r.headers.set(\"X-Name\", name); Access.allow();\n";

/// Expected treatment of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Treatment {
    /// The program sees a client of this name.
    Client(&'static str),
    /// The program sees a client without a certificate.
    Anonymous,
    /// 403, by the endpoint itself.
    Refused,
    /// 400: the proxy has to be configured in another way.
    Misconfigured,
}

type Fields = Vec<(&'static str, String)>;
type Case = (&'static str, Fields, Treatment);

fn field(name: &'static str, value: impl Into<String>) -> (&'static str, String) {
    (name, value.into())
}

#[track_caller]
fn check(proxy: Proxy, form: CertHeaders, cases: Vec<Case>) {
    let options = EndpointOptions { proxy, cert_headers: Some(form), ..EndpointOptions::default() };
    let served = RunningEndpoint::new(ECHO, options);
    let (line, question): (&str, &[(&str, &str)]) = match proxy {
        Proxy::Nginx => ("GET /p/authz", &[("X-Original-Method", "GET"), ("X-Original-URI", "/")]),
        Proxy::Traefik | Proxy::Caddy => {
            ("GET /p/authz", &[("X-Forwarded-Method", "GET"), ("X-Forwarded-Uri", "/")])
        }
        Proxy::Envoy => ("GET /p/authz/", &[]),
    };
    let mut wrong = Vec::new();
    for (name, fields, expected) in cases {
        let fields = fields.iter().map(|(name, value)| (*name, value.as_str()));
        let fields: Vec<(&str, &str)> = question.iter().copied().chain(fields).collect();
        served.log.lock().expect("it is whole").clear();
        let n_refused = served.count("kukla_p_refused_total");
        let (status, text) = served.ask(line, &fields);
        let seen = text.lines().find_map(|line| line.strip_prefix("x-name: "));
        let is_refused_here = served.count("kukla_p_refused_total") == n_refused + 1;
        let is_right = match expected {
            Treatment::Client(name) => status == 200 && seen == Some(name),
            Treatment::Anonymous => status == 200 && seen == Some("-"),
            Treatment::Refused => status == 403 && is_refused_here && text.ends_with("denied\n"),
            Treatment::Misconfigured => status == 400 && is_refused_here && text.contains('`'),
        };
        if !is_right {
            wrong
                .push(format!("{name}: {expected:?}, but {status} {seen:?} {}", served.log_text()));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Returns a certificate with a subject.
fn der(subject: Subject<'_>) -> Vec<u8> {
    extended(subject, &[])
}

fn extended(subject: Subject<'_>, extensions: &[Extension<'_>]) -> Vec<u8> {
    Authority::new().issue(subject, extensions).der
}

fn name(value: &str) -> Attribute<'_> {
    (CN, UTF8, value.as_bytes())
}

fn user() -> Vec<u8> {
    der(&[&[name("user")]])
}

fn boss() -> Vec<u8> {
    der(&[&[name("boss")]])
}

fn two_names() -> Vec<u8> {
    der(&[&[name("user")], &[name("boss")]])
}

/// `O=evil\,CN=boss,CN=user`
fn comma() -> Vec<u8> {
    der(&[&[name("user")], &[(O, UTF8, b"evil,CN=boss")]])
}

fn nginx(der: &[u8]) -> Fields {
    nginx_text(escaped(&pem("CERTIFICATE", der)))
}

fn nginx_text(certificate: String) -> Fields {
    vec![field("X-Client-Verify", "SUCCESS"), field("X-Client-Cert", certificate)]
}

fn and(mut fields: Fields, name: &'static str, value: &str) -> Fields {
    fields.push(field(name, value));
    fields
}

#[test]
fn alternative_names_and_extensions_of_a_certificate() {
    let program = "Puppet := import \"Puppet\"; c := Puppet.client;\n\
        if (c.altNames.have(\"WEB1.example.com\") and not c.altNames.have(\"192.0.2.1\")\n\
            and c.extension(\"pp_role\") == \"web\" and c.extension(\"1.3.6.1.4.1.34380.1.1.13\") == \"web\"\n\
            and c.extension(\"pp_cli_auth\") == \"true\" and not c.hasExtension(\"pp_uuid\")\n\
            and not c.hasExtension(\"2.5.29.17\")) { Access.allow(); }\n";
    let options =
        EndpointOptions { cert_headers: Some(CertHeaders::Cert), ..EndpointOptions::default() };
    let served = RunningEndpoint::new(program, options);
    let extensions = [
        (pki::ALT_NAMES, pki::dns_names(&["user", "web1.example.com"])),
        (pki::PP_ROLE, pki::text("web")),
        (pki::PP_CLI_AUTH, pki::text("true")),
    ];
    let fields = nginx(&extended(&[&[name("user")]], &extensions));
    let fields = fields.iter().map(|(name, value)| (*name, value.as_str()));
    let question = [("X-Original-Method", "GET"), ("X-Original-URI", "/")];
    let fields: Vec<(&str, &str)> = question.into_iter().chain(fields).collect();
    assert_eq!(served.ask("GET /p/authz", &fields).0, 200, "{}", served.log_text());
}

#[test]
fn a_refusal_names_the_header_in_the_log_and_not_to_the_client() {
    let options =
        EndpointOptions { cert_headers: Some(CertHeaders::Cert), ..EndpointOptions::default() };
    let served = RunningEndpoint::new(ECHO, options);
    let fields = nginx(&two_names());
    let fields = fields.iter().map(|(name, value)| (*name, value.as_str()));
    let question = [("X-Original-Method", "GET"), ("X-Original-URI", "/")];
    let fields: Vec<(&str, &str)> = question.into_iter().chain(fields).collect();
    let (status, text) = served.ask("GET /p/authz", &fields);
    assert!(status == 403 && text.ends_with("\r\n\r\ndenied\n"), "{text}");
    let log = served.log_text();
    assert!(log.contains("`X-Client-Cert`: the subject has several common names"), "{log}");
    let (_, metrics) = served.ask("GET /metrics", &[]);
    assert!(metrics.contains("kukla_p_refused_total 1\n"), "{metrics}");
}
