//! Recorded messages: they have no credentials, and only their owner can read them.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use kukla_plang::recorded::{Metadata, Recorded};
use kukla_plang::services::{NewBody, ServiceAnswer};
use kukla_server::forwarded::CertHeaders;
use kukla_server::record::Recorder;

use crate::pki::{self, Authority, CN, UTF8, escaped, pem};
use crate::support::{EndpointOptions, RunningEndpoint};

const SECRET: &str = "S3CRET";

fn recorded(target: &str, fields: &[(&str, &str)]) -> String {
    let served = RunningEndpoint::new(
        "Access.allow();",
        EndpointOptions { records: true, ..EndpointOptions::default() },
    );
    let question = [("X-Original-Method", "GET"), ("X-Original-URI", target)];
    assert_eq!(served.ask("GET /p/authz", &[&question[..], fields].concat()).0, 200);
    let read = |name: &str| std::fs::read_to_string(served.folder.join("messages").join(name));
    let text = read("000000.http").expect("it is there");
    Recorded::parse(text.as_bytes()).expect("it can be read again");
    text + &read("000000.json").expect("it is there")
}

#[test]
fn queries_have_no_credentials() {
    for query in [
        "token=S3CRET&password=S3CRET",
        "a=1&access_token=S3CRET",
        "X-Amz-Signature=S3CRET&X-Amz-Credential=S3CRET",
        "api_key=S3CRET&apikey=S3CRET&api-key=S3CRET&key=S3CRET",
        "client_secret=S3CRET",
        "PASSWORD=S3CRET&Pwd=S3CRET&pw=S3CRET",
        "%74oken=S3CRET",
        "tok%65n=S3CRET",
        "a=1;token=S3CRET",
        "code=S3CRET&state=S3CRET",
        "sessionid=S3CRET&sid=S3CRET&JSESSIONID=S3CRET",
        "next=https%3A%2F%2Fa%2F%3Ftoken%3DS3CRET",
        "next=https://user:S3CRET@a/",
        "next=/a%3Ftoken%3DS3CRET",
        "next=/a%253Ftoken%253DS3CRET",
        "a=eyJS3CRET",
        "eyJS3CRET",
        "a=Bearer+S3CRET",
        "user.auth=S3CRET",
        "csrf_token=S3CRET&SAMLResponse=S3CRET&ticket=S3CRET&otp=S3CRET",
        "token=S3CRET=S3CRET",
    ] {
        let text = recorded(&format!("/a?{query}"), &[]);
        assert!(!text.contains(SECRET), "{query}: {text}");
    }
    let text = recorded("/a?environment=production&token=S3CRET&x=%20y&z", &[]);
    assert!(
        text.starts_with("GET /a?environment=production&token=redacted&x=%20y&z HTTP"),
        "{text}"
    );
}

#[test]
fn header_fields_have_no_credentials() {
    for name in [
        "Authorization",
        "Proxy-Authorization",
        "Cookie",
        "X-Api-Key",
        "X-Auth-Token",
        "X-Vault-Token",
        "X-Forwarded-Access-Token",
        "X-Amz-Security-Token",
        "X-Amz-Credential",
        "X-Csrf-Token",
        "X-Session-Id",
        "X-Client-Secret",
        "X-Password",
        "X-User-Credentials",
        "X-Functions-Key",
        "X-Jwt-Assertion",
        "Private_Token",
        "X-Hub-Signature-256",
    ] {
        let text = recorded("/", &[(name, SECRET)]);
        assert!(!text.contains(SECRET), "{name}: {text}");
        assert!(text.contains(&format!("{}: redacted\n", name.to_lowercase())), "{text}");
    }
    for (name, value) in [
        ("Referer", "https://user:S3CRET@a.example/b?password=S3CRET#S3CRET"),
        ("Referer", "https://S3CRET@a.example"),
        ("Referer", "//a/b;token=S3CRET?x=S3CRET"),
        ("Referer", "https://a@S3CRET@b/c"),
        ("X-Custom", "Bearer S3CRET"),
        ("X-Custom", "basic S3CRET"),
        ("X-Custom", "eyJhbGciOiJIUzI1NiJ9.S3CRET"),
        ("X-Backend", "https://user:S3CRET@a/"),
    ] {
        let text = recorded("/", &[(name, value)]);
        assert!(!text.contains(SECRET), "{name}: {value}: {text}");
    }
    let fields = [("Referer", "https://a.example:8443/b/c?d=e"), ("User-Agent", "Puppet/7.23")];
    let text = recorded("/", &fields);
    assert!(text.contains("referer: https://a.example:8443/b/c\n"), "{text}");
    assert!(text.contains("user-agent: Puppet/7.23\n"), "{text}");
}

#[test]
fn only_the_owner_can_read_them() {
    let served = RunningEndpoint::new(
        "Access.allow();",
        EndpointOptions { records: true, ..EndpointOptions::default() },
    );
    let question = [("X-Original-Method", "GET"), ("X-Original-URI", "/")];
    assert_eq!(served.ask("GET /p/authz", &question).0, 200);
    let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode();
    let folder = served.folder.join("messages");
    assert_eq!(mode(&folder) & 0o777, 0o700);
    for name in ["000000.http", "000000.json"] {
        assert_eq!(mode(&folder.join(name)) & 0o777, 0o600, "{name}");
    }
}

#[test]
fn a_link_in_the_place_of_a_record_is_not_followed() {
    let served = RunningEndpoint::new(
        "Access.allow();",
        EndpointOptions { records: true, ..EndpointOptions::default() },
    );
    let target = served.folder.join("target");
    std::fs::write(&target, "untouched").expect("it is written");
    std::os::unix::fs::symlink(&target, served.folder.join("messages/000000.http"))
        .expect("it is linked");
    let question = [("X-Original-Method", "GET"), ("X-Original-URI", "/")];
    for _ in 0..2 {
        assert_eq!(served.ask("GET /p/authz", &question).0, 200, "decisions go on");
    }
    assert_eq!(std::fs::read_to_string(&target).expect("it is there"), "untouched");
    assert!(served.folder.join("messages/000001.http").exists(), "the next one is kept");
}

#[test]
fn a_second_recorder_overwrites_nothing() {
    let served = RunningEndpoint::new(
        "Access.allow();",
        EndpointOptions { records: true, ..EndpointOptions::default() },
    );
    let question = [("X-Original-Method", "GET"), ("X-Original-URI", "/first")];
    assert_eq!(served.ask("GET /p/authz", &question).0, 200);
    let folder = served.folder.join("messages");
    let recorder = Recorder::new(folder.clone()).expect("the folder is there");
    let recorded = Recorded::parse(b"GET /second HTTP/1.1\n\n").expect("it is a message");
    let arena = bumpalo::Bump::new();
    recorder.record(&recorded.message(&arena), "allow", &[]).expect("it is kept");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it is there");
    assert!(read("000000.http").starts_with("GET /first "));
    assert!(read("000001.http").starts_with("GET /second "));
}

/// Answers of services are kept without credentials, so that an exchange can be repeated.
#[test]
fn answers_of_services_have_no_credentials() {
    let folder = std::env::temp_dir().join(format!("kukla-answers-{}", std::process::id()));
    let recorder = Recorder::new(folder.clone()).expect("the folder is there");
    let recorded = Recorded::parse(b"GET / HTTP/1.1\n\n").expect("it is a message");
    let field = |name: &str, value: &str| (name.as_bytes().to_vec(), value.as_bytes().to_vec());
    let headers = vec![field("X-A", "1"), field("Set-Cookie", SECRET), field("X-Api-Key", SECRET)];
    let body = NewBody::Whole(SECRET.into());
    let answers = [
        ServiceAnswer::Unchanged,
        ServiceAnswer::Adapted { headers: headers.clone(), status: None, body: Some(body.clone()) },
        ServiceAnswer::Failed,
        ServiceAnswer::Answered { status: 403, headers, body },
    ];
    let arena = bumpalo::Bump::new();
    recorder.record(&recorded.message(&arena), "answer", &answers).expect("it is kept");
    let json = std::fs::read_to_string(folder.join("000000.json")).expect("it is there");
    let _ = std::fs::remove_dir_all(&folder);
    assert!(!json.contains(SECRET), "{json}");
    let metadata = Metadata::parse(&json).expect("it can be read again");
    let headers =
        vec![field("X-A", "1"), field("Set-Cookie", "redacted"), field("X-Api-Key", "redacted")];
    let size = SECRET.len() as u64;
    let body = NewBody::Held { number: 0, preview: Vec::new(), size };
    let expected = [
        ServiceAnswer::Unchanged,
        ServiceAnswer::Adapted { headers: headers.clone(), status: None, body: Some(body.clone()) },
        ServiceAnswer::Failed,
        ServiceAnswer::Answered { status: 403, headers, body },
    ];
    assert_eq!(metadata.answers, expected);
}

#[test]
fn the_identity_is_kept_without_the_preshared_key() {
    let cert_headers = Some(CertHeaders::Cert);
    let options = EndpointOptions { records: true, cert_headers, ..EndpointOptions::default() };
    let served = RunningEndpoint::new("Access.allow();", options);
    // 1.3.6.1.4.1.34380.1.1.4
    let preshared_key: &[u8] = &[0x2B, 6, 1, 4, 1, 0x82, 0x8C, 0x4C, 1, 1, 4];
    let extensions = [
        (pki::ALT_NAMES, pki::dns_names(&["agent1.example.com"])),
        (pki::PP_CLI_AUTH, pki::text("true")),
        (preshared_key, pki::text(SECRET)),
    ];
    let subject: pki::Subject<'_> = &[&[(CN, UTF8, b"agent1")]];
    let certificate = Authority::new().issue(subject, &extensions).der;
    let certificate = escaped(&pem("CERTIFICATE", &certificate));
    let fields = [
        ("X-Original-Method", "GET"),
        ("X-Original-URI", "/"),
        ("X-Client-Verify", "SUCCESS"),
        ("X-Client-Cert", certificate.as_str()),
    ];
    assert_eq!(served.ask("GET /p/authz", &fields).0, 200, "{}", served.log_text());
    let read = |name: &str| std::fs::read_to_string(served.folder.join("messages").join(name));
    let json = read("000000.json").expect("it is there");
    assert!(!json.contains(SECRET), "{json}");
    assert!(!read("000000.http").expect("it is there").contains("CERTIFICATE"));
    let metadata = Metadata::parse(&json).expect("it can be read again");
    assert_eq!(metadata.common_name.as_deref(), Some("agent1"));
    assert_eq!(metadata.alt_names, ["agent1.example.com"]);
    let has =
        |name: &str| metadata.extensions.iter().any(|(key, value)| key == name && value == "true");
    assert!(metadata.is_verified && has("pp_cli_auth"), "{json}");
}
