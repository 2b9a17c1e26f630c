//! The CA over HTTP where Puppet Server 7 has no answer to record: floods, bulk signing, renewal, rules by extension,
//! revocation lists of infrastructure nodes, authorities above.

use std::sync::Arc;

use kukla_ca::{Authority, CaOptions};
use rcgen::{CertificateParams, DnType, KeyPair};
use serde_json::{Value, json};

use crate::client::Received;
use crate::fixture::Fixture;
use crate::pki::write;

/// Starts a server with an authority of its own options.
fn server(change: impl FnOnce(&mut CaOptions)) -> Fixture {
    Fixture::with(|options| {
        let authority = options.authority.as_ref().expect("an authority");
        let mut ca = authority.options().clone();
        ca.paths = kukla_ca::CaPaths::below(&ca.paths.directory.join("second"));
        change(&mut ca);
        let authority = Authority::create_with_root(ca, "Root CA").expect("an authority");
        // Without `auth.conf` there are the rules of version 8.
        let authority = Some(Arc::new(authority));
        kukla_server::agents::ServerOptions { authority, auth_conf: None, ..options }
    })
}

fn request(name: &str) -> String {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    let key = KeyPair::generate().expect("a key");
    params.serialize_request(&key).expect("a request").pem().expect("PEM")
}

fn ask(
    fixture: &Fixture,
    client: Option<&str>,
    method: &str,
    path: &str,
    body: Option<&str>,
) -> Received {
    let mut connection = fixture.connect(client).expect("a connection");
    let path = format!("/puppet-ca/v1/{path}");
    let headers = [("Content-Type", "application/json")];
    connection.request(method, &path, &headers, body.map(str::as_bytes)).expect("an answer")
}

fn submit(fixture: &Fixture, name: &str) -> Received {
    ask(fixture, None, "PUT", &format!("certificate_request/{name}"), Some(&request(name)))
}

const CLI: Option<&str> = Some("cli.example");

#[test]
fn a_flood_of_requests_is_refused_and_agents_come_back() {
    let fixture = server(|ca| ca.most_requests = 3);
    for number in 0..3 {
        assert_eq!(submit(&fixture, &format!("n{number}.example")).status, 200);
    }
    for number in 3..20 {
        let refused = submit(&fixture, &format!("n{number}.example"));
        assert_eq!(refused.status, 503);
        assert_eq!(refused.header("retry-after"), Some("120"));
    }
    let waiting = ask(&fixture, CLI, "GET", "certificate_statuses/all?state=requested", None);
    let waiting: Value = serde_json::from_slice(&waiting.body).expect("JSON");
    assert_eq!(waiting.as_array().map(Vec::len), Some(3));
    // What is signed at once is not kept out, and there is room again after an administrator's decision.
    assert_eq!(submit(&fixture, "x.auto.example").status, 200);
    assert_eq!(ask(&fixture, None, "GET", "certificate/x.auto.example", None).status, 200);
    let signed = json!({ "desired_state": "signed" }).to_string();
    let path = "certificate_status/n0.example";
    assert_eq!(ask(&fixture, CLI, "PUT", path, Some(&signed)).status, 204);
    assert_eq!(submit(&fixture, "n3.example").status, 200);
}

#[test]
fn requests_are_signed_in_bulk() {
    let fixture = server(|_| ());
    for name in ["a.example", "b.example", "c.example", "d.example"] {
        assert_eq!(submit(&fixture, name).status, 200);
    }
    let sign = |path: &str, body: &str| {
        let received = ask(&fixture, CLI, "POST", path, Some(body));
        let body: Value = serde_json::from_slice(&received.body).expect("JSON");
        (received.status, body)
    };
    let expected =
        json!({ "signed": ["a.example", "b.example"], "no-csr": ["x"], "signing-errors": [] });
    let names = r#"{"certnames":["a.example","x","b.example"]}"#;
    assert_eq!(sign("sign", names), (200, expected));
    let all = json!({ "signed": ["c.example", "d.example"], "no-csr": [], "signing-errors": [] });
    assert_eq!(sign("sign/all", "{}"), (200, all));
    for (body, submitted) in [
        ("{}", Value::Null),
        ("x", Value::Null),
        (r#"{"certnames":"a"}"#, json!("a")),
        (r#"{"certnames":[1]}"#, json!([1])),
    ] {
        let (status, answer) = sign("sign", body);
        assert_eq!((status, &answer["kind"]), (422, &json!("schema-violation")), "{body}");
        assert_eq!(answer["submitted"], submitted, "{body}");
    }
    assert_eq!(ask(&fixture, Some("agent.example"), "POST", "sign", Some("{}")).status, 403);
    assert_eq!(ask(&fixture, None, "POST", "sign/all", Some("{}")).status, 403);
}

#[test]
fn renewal_is_off_by_default_and_for_certificates_of_this_authority() {
    let fixture = server(|_| ());
    let agent = Some("agent.example");
    assert_eq!(ask(&fixture, agent, "POST", "certificate_renewal", Some("")).status, 404);
    assert_eq!(ask(&fixture, None, "POST", "certificate_renewal", Some("")).status, 403);
    let fixture = server(|ca| ca.allows_renewal = true);
    // Clients of these tests have certificates of another authority.
    let refused = ask(&fixture, agent, "POST", "certificate_renewal", Some(""));
    assert_eq!(refused.status, 403);
    assert_eq!(refused.text(), "Certificate present, but does not match signature");
}

#[test]
fn rules_know_the_names_of_the_mapping() {
    let rules = r#"authorization: { version: 1, rules: [
        { match-request: { path: "/puppet-ca/v1/certificate_statuses", type: path, method: get }
          allow: { extensions: { acme_colour: "blue" } }, sort-order: 400, name: "blue" } ] }"#;
    let fixture = Fixture::with(|options| {
        let path = options.auth_conf.clone().expect("a path").with_file_name("blue.conf");
        write(&path, rules);
        kukla_server::agents::ServerOptions { auth_conf: Some(path), ..options }
    });
    let status = |client| ask(&fixture, client, "GET", "certificate_statuses/all", None).status;
    assert_eq!(status(Some("trusted.example")), 200);
    assert_eq!(status(CLI), 403);
}

#[test]
fn agents_get_the_list_of_infrastructure_nodes() {
    let fixture = server(|ca| ca.has_infra_crl = true);
    write(&fixture.directory.join("ca/second/infra_inventory.txt"), "infra.example\n");
    let list = || ask(&fixture, None, "GET", "certificate_revocation_list/ca", None).body;
    let before = list();
    for name in ["plain.example", "infra.example"] {
        assert_eq!(submit(&fixture, name).status, 200);
        let path = format!("certificate_status/{name}");
        for state in ["signed", "revoked"] {
            let body = json!({ "desired_state": state }).to_string();
            assert_eq!(ask(&fixture, CLI, "PUT", &path, Some(&body)).status, 204);
        }
        assert_eq!(list() == before, name == "plain.example", "{name}");
    }
}

#[test]
fn authorities_above_have_ends_too() {
    let fixture = server(|_| ());
    let answer = ask(&fixture, Some("agent.example"), "GET", "expirations", None);
    let answer: Value = serde_json::from_slice(&answer.body).expect("JSON");
    for kind in ["ca-certs", "crls"] {
        let names: Vec<&String> = answer[kind].as_object().expect("names").keys().collect();
        assert_eq!(names, ["Puppet CA: puppet.example", "Root CA"], "{kind}");
    }
    let bundle = ask(&fixture, None, "GET", "certificate/ca", None).text();
    assert_eq!(bundle.matches("BEGIN CERTIFICATE").count(), 2);
    let lists = ask(&fixture, None, "GET", "certificate_revocation_list/ca", None).text();
    assert_eq!(lists.matches("BEGIN X509 CRL").count(), 2);
}
