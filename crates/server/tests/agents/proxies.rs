//! Servers among others: a proxy that speaks TLS with agents, and a CA on another machine.

use std::time::{Duration, Instant};

use kukla_server::agents::ServerOptions;
use kukla_world::durable;

use crate::client::Received;
use crate::fixture::Fixture;
use crate::pki::{Pair, Pki, write};

const PATH: &str = "/puppet/v3/node/agent.example?environment=production";

/// A server that trusts the certificate `admin.example` to be that of a proxy.
fn behind_proxy() -> Fixture {
    Fixture::with(|options| ServerOptions { proxies: vec!["admin.example".to_owned()], ..options })
}

/// Returns a certificate as HAProxy writes it: PEM without line breaks in it, escaped.
fn shown(pair: &Pair) -> String {
    let lines = pair.certificate.lines().filter(|line| !line.starts_with('-'));
    let digits: String = lines.collect();
    let digits = digits.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
    format!("-----BEGIN%20CERTIFICATE-----%0A{digits}%0A-----END%20CERTIFICATE-----%0A")
}

fn ask(fixture: &Fixture, by: &str, fields: &[(&str, &str)]) -> Received {
    let mut connection = fixture.connect(Some(by)).expect("a connection");
    let fields = [&[("Accept", "application/json")], fields].concat();
    connection.request("GET", PATH, &fields, None).expect("an answer")
}

#[test]
fn a_proxy_with_a_certificate_names_clients_whose_certificates_it_shows() {
    let fixture = behind_proxy();
    let (agent, admin) = (shown(&fixture.agent), shown(&fixture.admin));
    let named = |by: &str, name: &str, certificate: &str| {
        let dn = format!("CN={name}");
        let mut fields = vec![("X-Client-Verify", "SUCCESS"), ("X-Client-DN", dn.as_str())];
        fields.extend((!certificate.is_empty()).then_some(("X-Client-Cert", certificate)));
        ask(&fixture, by, &fields).status
    };
    assert_eq!(named("admin.example", "agent.example", &agent), 200);
    // Without its certificate a client has no name, and with that of another it is refused.
    assert_eq!(named("admin.example", "agent.example", ""), 400);
    assert_eq!(named("admin.example", "other.example", &agent), 400);
    assert_eq!(named("admin.example", "admin.example", &admin), 403);
    assert_eq!(named("admin.example", "agent.example", "-----BEGIN%20CERT"), 400);
    let foreign = Pki::new("Test CA").sign(2, &["agent.example"], &[]);
    assert_eq!(named("admin.example", "agent.example", &shown(&foreign)), 403);
    // The proxy itself has no rights, and fields of others count for nothing.
    assert_eq!(ask(&fixture, "admin.example", &[]).status, 403);
    let failed = [("X-Client-Verify", "NONE"), ("X-Client-DN", "CN=agent.example")];
    assert_eq!(ask(&fixture, "admin.example", &failed).status, 403);
    assert_eq!(named("trusted.example", "agent.example", &agent), 403);
    // A revocation counts though the proxy knows nothing of it.
    let list = fixture.pki.crl(2, &[&fixture.agent]);
    write(&fixture.directory.join("crl.pem"), &list);
    let start = Instant::now();
    while named("admin.example", "agent.example", &agent) != 403 {
        assert!(start.elapsed() < Duration::from_secs(2), "it is still taken");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn revocation_lists_only_become_newer() {
    let pki = Pki::new("Test CA");
    let (one, two) = (pki.sign(2, &["a.example"], &[]), pki.sign(3, &["b.example"], &[]));
    let lists = [pki.crl(1, &[]), pki.crl(2, &[&one]), pki.crl(10, &[&one, &two])];
    let newer = |present: &str, received: &str| {
        kukla_ca::newer_lists(pki.ca_pem.as_bytes(), present.as_bytes(), received.as_bytes())
    };
    let is_new = |present: &str, received: &str| newer(present, received).map(|it| it.is_some());
    assert!(is_new(&lists[0], &lists[1]).expect("taken"));
    assert!(is_new(&lists[1], &lists[2]).expect("taken"), "numbers are no texts");
    assert!(!is_new(&lists[1], &lists[1]).expect("the same"));
    assert!(newer(&lists[1], &lists[0]).is_err(), "an older one");
    let foreign = Pki::new("Test CA").crl(99, &[]);
    assert!(newer(&lists[0], &foreign).is_err(), "another key");
    assert!(newer(&lists[0], "").is_err() && newer(&lists[0], "-----BEGIN").is_err());
    // A file that is empty or damaged is replaced.
    assert!(is_new("", &lists[0]).expect("taken"));
    let written = newer(&lists[0], &lists[2]).expect("taken").expect("new");
    let path = std::env::temp_dir().join(format!("kukla-lists-{}", std::process::id()));
    durable::replace(&path, written.as_bytes(), 0o644).expect("written");
    assert!(!is_new(&written, &lists[2]).expect("the same"));
    std::fs::remove_file(path).expect("removed");
}
