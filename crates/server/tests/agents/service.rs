//! Connections, certificates and rules of a running server.

use std::io::Read as _;
use std::time::{Duration, Instant};

use crate::client::Connection;
use crate::fixture::Fixture;
use crate::pki::{Pki, write};

const PATH: &str = "/puppet/v3/node/agent.example?environment=production";
const ACCEPT: &[(&str, &str)] = &[("Accept", "application/json")];

/// Waits until something holds, for a second at most.
fn within_a_second(mut holds: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(1000) {
        if holds() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

#[test]
fn a_revoked_certificate_is_refused_within_a_second() {
    let fixture = Fixture::start();
    let mut kept = fixture.connect(Some("agent.example")).expect("a connection");
    assert_eq!(kept.request("GET", PATH, ACCEPT, None).expect("an answer").status, 200);
    let mut other = fixture.connect(Some("trusted.example")).expect("a connection");
    let list = fixture.pki.crl(2, &[&fixture.agent]);
    write(&fixture.directory.join("crl.pem"), &list);
    // The connection that is open is refused, and so is a new one.
    assert!(within_a_second(|| {
        kept.request("GET", PATH, ACCEPT, None).map(|received| received.status).ok() == Some(403)
    }));
    let mut new = fixture.connect(Some("agent.example")).expect("a connection");
    assert!(new.request("GET", PATH, ACCEPT, None).is_err());
    // Others go on, on the connection that they have.
    let path = "/puppet/v3/node/trusted.example?environment=production";
    assert_eq!(other.request("GET", path, ACCEPT, None).expect("an answer").status, 200);
}

#[test]
fn certificates_of_another_authority_or_with_two_names_are_refused() {
    let fixture = Fixture::start();
    let other = Pki::new("Test CA");
    let foreign = other.sign(2, &["agent.example"], &[]);
    let mut connection =
        Connection::open(fixture.address, &fixture.pki, Some(&foreign)).expect("a connection");
    assert!(connection.request("GET", PATH, ACCEPT, None).is_err());
    let double = fixture.pki.sign(9, &["agent.example", "admin.example"], &[]);
    let mut connection =
        Connection::open(fixture.address, &fixture.pki, Some(&double)).expect("a connection");
    assert_eq!(connection.request("GET", PATH, ACCEPT, None).expect("an answer").status, 403);
}

#[test]
fn changed_rules_count_at_once_and_wrong_ones_never() {
    let fixture = Fixture::start();
    let rules = fixture.directory.join("auth.conf");
    let good = std::fs::read_to_string(&rules).expect("rules");
    let status = || {
        let mut connection = fixture.connect(Some("agent.example")).expect("a connection");
        connection.request("GET", PATH, ACCEPT, None).expect("an answer").status
    };
    assert_eq!(status(), 200);
    write(&rules, "authorization: { rules: [");
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(status(), 200);
    write(
        &rules,
        &good.replace("^/puppet/v3/node", "^/nothing").replace("catalog|node|facts", "x"),
    );
    assert!(within_a_second(|| status() == 403));
    let log = fixture.log.lock().expect("a log").join("\n");
    assert!(log.contains("\"event\":\"reload-failed\""), "{log}");
    assert!(log.contains("\"event\":\"denied\""), "{log}");
}

#[test]
fn catalogs_are_compressed_where_agents_take_it() {
    let fixture = Fixture::start();
    let mut connection = fixture.connect(Some("agent.example")).expect("a connection");
    let fields = [("Accept", "application/json"), ("Accept-Encoding", "gzip;q=1.0,identity;q=0.3")];
    let path = "/puppet/v3/catalog/agent.example?environment=production";
    let received = connection.request("GET", path, &fields, None).expect("an answer");
    assert_eq!(received.header("content-encoding"), Some("gzip"));
    let mut text = String::new();
    let mut decoder = flate2::read::GzDecoder::new(&*received.body);
    decoder.read_to_string(&mut text).expect("gzip");
    assert!(text.starts_with("{\"tags\":["), "{text}");
    let plain = connection.request("GET", path, ACCEPT, None).expect("an answer");
    assert_eq!((plain.header("content-encoding"), plain.status), (None, 200));
}

#[test]
fn a_server_that_stops_answers_what_has_begun() {
    let mut fixture = Fixture::start();
    let mut connection = fixture.connect(Some("agent.example")).expect("a connection");
    assert_eq!(connection.request("GET", PATH, ACCEPT, None).expect("an answer").status, 200);
    fixture.stop();
    std::thread::sleep(Duration::from_millis(200));
    // A request on an idle connection is answered and told that the connection ends; no new one is taken.
    let last = connection.request("GET", PATH, ACCEPT, None).expect("an answer");
    assert_eq!((last.status, last.header("connection")), (200, Some("close")));
    assert!(connection.request("GET", PATH, ACCEPT, None).is_err());
    let new = fixture.connect(None).and_then(|mut new| new.request("GET", "/", &[], None));
    assert!(new.is_err());
}
