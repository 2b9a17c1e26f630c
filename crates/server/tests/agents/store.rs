//! Facts, catalogs and reports reach the store, and tools that may ask find them there.

use std::io::Write as _;
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use flate2::write::GzEncoder;
use flate2::{Compress, Compression, FlushCompress};
use serde_json::{Value, json};

use crate::client::{Received, head, receive};
use crate::fixture::Fixture;

const JSON: (&str, &str) = ("Content-Type", "application/json");
const ACCEPT: (&str, &str) = ("Accept", "application/json");
const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");

/// A directory with code; removed at the end of the test.
struct Code(PathBuf);

impl Code {
    fn new(name: &str, manifest: &str) -> Self {
        let path = std::env::temp_dir().join(format!("kukla-store-{name}-{}", std::process::id()));
        let manifests = path.join("environments/production/manifests");
        std::fs::create_dir_all(&manifests).expect("a directory");
        std::fs::write(manifests.join("site.pp"), manifest).expect("a manifest");
        Self(path)
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Asks at the door for tools.
pub(crate) fn tool(
    fixture: &Fixture,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&[u8]>,
) -> Received {
    let mut stream = TcpStream::connect(fixture.tools).expect("a connection");
    stream.write_all(&head(method, path, headers, body)).expect("sent");
    receive(&mut stream, false).expect("an answer")
}

fn asked(fixture: &Fixture, path: &str) -> Value {
    let received = tool(fixture, "GET", path, &[], None);
    assert_eq!(received.status, 200, "{path}: {}", received.text());
    serde_json::from_slice(&received.body).expect("JSON")
}

/// Asks until the answer is as expected.
fn eventually(fixture: &Fixture, path: &str, is_expected: impl Fn(&Value) -> bool) -> Value {
    let start = Instant::now();
    loop {
        let answer = asked(fixture, path);
        if is_expected(&answer) {
            return answer;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{path}: {answer}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn agent(
    fixture: &Fixture,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Received {
    let mut connection = fixture.connect(Some("agent.example")).expect("a connection");
    connection.request(method, path, headers, Some(body)).expect("an answer")
}

fn stock() -> Fixture {
    Fixture::with(|options| kukla_server::agents::ServerOptions { auth_conf: None, ..options })
}

#[test]
fn a_run_of_an_agent_is_stored_without_its_secrets() {
    let manifest = "notify { 'open': require => File['/x'] }\n\
        file { '/x': content => Sensitive('hunter2'), mode => '0644' }\n\
        notify { 'nested': withpath => { 'a' => Sensitive('hunter3') } }\n\
        notify { 'last': }\n";
    let code = Code::new("secret", manifest);
    let fixture = Fixture::with_code(&code.0, |options| options);
    let facts = json!({ "name": "agent.example", "values": { "os": { "family": "Debian" } } });
    let encoded: String = facts.to_string().bytes().map(|byte| format!("%25{byte:02X}")).collect();
    let form = format!(
        "environment=production&facts_format=application/json&facts={encoded}&transaction_uuid=run-1"
    );
    let path = "/puppet/v3/catalog/agent.example?environment=production";
    let answer = agent(&fixture, "POST", path, &[FORM, ACCEPT], form.as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.text());
    let nodes = eventually(&fixture, "/pdb/query/v4/nodes", |nodes| {
        nodes[0]["catalog_timestamp"].is_string() && nodes[0]["facts_timestamp"].is_string()
    });
    assert_eq!(nodes[0]["certname"], "agent.example");
    let family = asked(
        &fixture,
        "/pdb/query/v4/inventory?query=%5B%22%3D%22%2C%22facts.os.family%22%2C%22Debian%22%5D",
    );
    assert_eq!(family[0]["trusted"]["certname"], "agent.example");
    let resources = asked(&fixture, "/pdb/query/v4/resources");
    let of = |title: &str| {
        let all = resources.as_array().expect("a list");
        all.iter().find(|it| it["title"] == title).cloned().unwrap_or_default()
    };
    assert_eq!(of("/x")["parameters"], json!({ "mode": "0644" }));
    let edges = asked(&fixture, "/pdb/query/v4/edges").to_string();
    assert!(edges.contains("required-by"), "{edges}");
    let catalog = asked(&fixture, "/pdb/query/v4/catalogs/agent.example");
    assert_eq!(catalog["transaction_uuid"], "run-1");
    // Neither the store nor its journal ever had the secrets.
    for entry in files(&fixture.directory.join("var")) {
        let bytes = std::fs::read(&entry).expect("read");
        let is_there = |secret: &[u8]| bytes.windows(secret.len()).any(|window| window == secret);
        assert!(!is_there(b"hunter2") && !is_there(b"hunter3"), "{}", entry.display());
    }
}

fn files(directory: &std::path::Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => found.push(path),
        }
    }
    found
}

#[test]
fn a_report_is_stored_before_it_is_answered() {
    let fixture = Fixture::start();
    let report = json!({
        "host": "agent.example", "time": "2026-11-18T10:00:00.123456789+00:00",
        "configuration_version": 7, "report_format": 12, "puppet_version": "8.10.0",
        "status": "changed", "environment": "production", "noop": false,
        "logs": [{ "level": "notice", "message": "hello", "source": "Puppet", "tags": [],
            "time": "2026-11-18T10:00:00+00:00" }],
        "metrics": { "time": { "name": "time", "label": "Time", "values": [["total", "Total", 2.5]] } },
        "resource_statuses": { "File[/x]": {
            "title": "/x", "resource_type": "File", "time": "2026-11-18T10:00:01+00:00",
            "skipped": false, "containment_path": ["Stage[main]", "Web", "File[/x]"], "events": [{
                "status": "success", "time": "2026-11-18T10:00:01+00:00", "property": "content",
                "desired_value": "new", "previous_value": "old", "message": "changed",
                "redacted": false, "name": "content_changed" }] } },
    });
    let path = "/puppet/v3/report/agent.example?environment=production";
    let answer = agent(&fixture, "PUT", path, &[JSON, ACCEPT], report.to_string().as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.text());
    let reports = eventually(&fixture, "/pdb/query/v4/reports", |reports| reports[0].is_object());
    assert_eq!(reports[0]["end_time"], "2026-11-18T10:00:02.623Z");
    assert_eq!(reports[0]["configuration_version"], "7");
    let hash = reports[0]["hash"].as_str().expect("a hash").to_owned();
    let logs = asked(&fixture, &format!("/pdb/query/v4/reports/{hash}/logs"));
    assert_eq!(logs[0]["message"], "hello");
    let events = asked(&fixture, "/pdb/query/v4/events");
    assert_eq!(events[0]["containing_class"], "Web");
    let path = "/metrics/v2/read/puppetlabs.puppetdb.population:name=num-nodes";
    assert_eq!(asked(&fixture, path)["value"]["Value"], 1);
    let status = asked(&fixture, "/status/v1/services/puppetdb-status");
    assert_eq!(status["state"], "running");
}

#[test]
fn other_servers_send_commands_and_wrong_ones_are_refused() {
    let fixture = stock();
    let send = |parameters: &str, headers: &[(&str, &str)], body: &[u8]| {
        let mut connection = fixture.connect(Some("cli.example")).expect("a connection");
        let path = format!("/pdb/cmd/v1?{parameters}");
        connection.request("POST", &path, headers, Some(body)).expect("an answer")
    };
    let facts = json!({
        "certname": "other.example", "environment": "production", "producer": "other",
        "producer_timestamp": "2026-11-18T10:00:00.000Z", "values": { "n": 1 },
    });
    let packed = |bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).expect("packed");
        encoder.finish().expect("packed")
    };
    let gzip = ("Content-Encoding", "gzip");
    let own =
        "command=replace_facts&version=5&certname=other.example&secondsToWaitForCompletion=10";
    let answer = send(own, &[JSON, gzip], &packed(facts.to_string().as_bytes()));
    assert_eq!(answer.status, 200, "{}", answer.text());
    let body: Value = serde_json::from_slice(&answer.body).expect("JSON");
    assert_eq!((&body["processed"], &body["timed_out"]), (&true.into(), &false.into()));
    assert_eq!(asked(&fixture, "/pdb/query/v4/facts/n")[0]["value"], 1);
    // A body in the old form names command and version itself.
    let old = json!({ "command": "deactivate node", "version": 3, "payload": {
        "certname": "other.example", "producer_timestamp": "2026-11-18T11:00:00.000Z" } });
    assert_eq!(send("", &[JSON], old.to_string().as_bytes()).status, 200);
    eventually(&fixture, "/pdb/query/v4/nodes", |nodes| nodes == &json!([]));
    let bomb = bomb();
    for (parameters, headers, body, status) in [
        ("command=replace_facts&version=5", &[JSON][..], &b"{}"[..], 400),
        ("command=replace_facts&version=9", &[JSON], b"{}", 400),
        ("command=replace_facts", &[JSON], b"{}", 400),
        ("command=launch&version=1", &[JSON], b"{}", 400),
        ("command=replace_facts&version=5", &[JSON], b"[[[", 400),
        ("command=replace_facts&version=5", &[("Content-Type", "text/plain")], b"{}", 415),
        ("command=replace_facts&version=5", &[JSON, ("Content-Encoding", "br")], b"{}", 415),
        ("command=replace_facts&version=5", &[JSON, gzip], b"no gzip", 400),
        ("command=replace_facts&version=5", &[JSON, gzip], &bomb, 413),
    ] {
        let answer = send(parameters, headers, body);
        assert_eq!(answer.status, status, "{parameters}: {}", answer.text());
    }
}

/// Returns few bytes that become 140 MB: a block that stands for one, again and again.
fn bomb() -> Vec<u8> {
    let mut block = Vec::with_capacity(16 << 10);
    let mut compress = Compress::new(Compression::best(), false);
    let megabyte = vec![b' '; 1 << 20];
    compress.compress_vec(&megabyte, &mut block, FlushCompress::Full).expect("packed");
    let head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    [&head[..], &block.repeat(140)].concat()
}

#[test]
fn the_door_for_tools_has_the_store_alone_and_nothing_for_browsers() {
    let fixture = stock();
    let status =
        |path: &str, headers: &[(&str, &str)]| tool(&fixture, "GET", path, headers, None).status;
    assert_eq!(status("/pdb/meta/v1/version", &[]), 200);
    assert_eq!(status("/pdb/query/v4/nodes", &[("Origin", "http://localhost")]), 403);
    assert_eq!(status("/puppet/v3/environments", &[]), 404);
    assert_eq!(status("/puppet-ca/v1/certificate/ca", &[]), 404);
    let mut stream = TcpStream::connect(fixture.tools).expect("a connection");
    let request = "GET /pdb/query/v4/nodes HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    stream.write_all(request.as_bytes()).expect("sent");
    assert_eq!(receive(&mut stream, false).expect("an answer").status, 403);
    // At the other doors the rules decide.
    let mut agent = fixture.connect(Some("agent.example")).expect("a connection");
    let denied = agent.request("GET", "/pdb/query/v4/nodes", &[], None).expect("an answer");
    assert_eq!(denied.status, 403);
    let mut cli = fixture.connect(Some("cli.example")).expect("a connection");
    let path = "/pdb/query/v4/nodes?include_total=true&limit=1";
    let answer = cli.request("GET", path, &[], None).expect("an answer");
    assert_eq!((answer.status, answer.header("X-Records")), (200, Some("0")));
    let wrong = cli
        .request("GET", "/pdb/query/v4/nodes?query=%5B%22is%22%5D", &[], None)
        .expect("an answer");
    assert_eq!(wrong.status, 400);
    assert!(wrong.header("Content-Type").is_some_and(|it| it.starts_with("text/plain")));
}
