//! PuppetDB's archives by its admin API: who may have them, the way there and back, and files that lie. The history of facts.

use std::io::Write as _;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::client::Received;
use crate::fixture::{Fixture, site};
use crate::store::tool;

const PATH: &str = "/pdb/admin/v1/archive";
const FORM: (&str, &str) = ("Content-Type", "multipart/form-data; boundary=xyz");
const OCTETS: (&str, &str) = ("Content-Type", "application/octet-stream");

/// Returns a file within a tar archive; `size` is what its head says.
fn file(name: &str, content: &[u8], kind: u8, size: usize) -> Vec<u8> {
    let mut head = [0; 512];
    head[..name.len()].copy_from_slice(name.as_bytes());
    head[100..107].copy_from_slice(b"0000600");
    head[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
    head[148..156].copy_from_slice(b"        ");
    head[156] = kind;
    let sum: u32 = head.iter().map(|byte| u32::from(*byte)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let padding = vec![0; (512 - content.len() % 512) % 512];
    [&head, content, &padding].concat()
}

fn plain(name: &str, content: &Value) -> Vec<u8> {
    let content = content.to_string();
    file(name, content.as_bytes(), b'0', content.len())
}

fn metadata() -> Vec<u8> {
    let versions = json!({ "replace_facts": 5, "replace_catalog": 9, "store_report": 8 });
    plain(
        "puppetdb-bak/export-metadata.json",
        &json!({ "timestamp": "x", "command_versions": versions }),
    )
}

fn facts(node: &str) -> Value {
    json!({ "certname": node, "environment": "production", "producer": "puppet",
        "producer_timestamp": "2026-11-18T10:00:00.000Z", "values": { "a": 1 } })
}

fn packed(files: &[Vec<u8>]) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), Compression::fast());
    for file in files {
        out.write_all(file).expect("written");
    }
    out.write_all(&[0; 1024]).expect("written");
    out.finish().expect("finished")
}

fn form(archive: &[u8]) -> Vec<u8> {
    let head =
        b"--xyz\r\nContent-Disposition: form-data; name=\"archive\"; filename=\"a.tgz\"\r\n\r\n";
    [&head[..], archive, b"\r\n--xyz--\r\n"].concat()
}

fn send(fixture: &Fixture, archive: &[u8]) -> Received {
    tool(fixture, "POST", PATH, &[FORM], Some(&form(archive)))
}

fn names(fixture: &Fixture) -> Vec<String> {
    let received = tool(fixture, "GET", "/pdb/query/v4/nodes", &[], None);
    let rows: Vec<Value> = serde_json::from_slice(&received.body).expect("JSON");
    let mut names: Vec<String> =
        rows.iter().filter_map(|row| row["certname"].as_str().map(str::to_owned)).collect();
    names.sort();
    names
}

fn wait_for(fixture: &Fixture, expected: &[&str]) {
    let start = Instant::now();
    while names(fixture) != expected {
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", names(fixture));
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn an_archive_goes_from_one_server_to_another() {
    let (first, second) = (Fixture::start(), Fixture::start());
    let archive = packed(&[
        metadata(),
        plain("puppetdb-bak/facts/a-1.json", &facts("a")),
        plain("puppetdb-bak/facts/b-1.json", &facts("b")),
    ]);
    let taken = send(&first, &archive);
    assert_eq!((taken.status, taken.text()), (200, r#"{"ok":true}"#.to_owned()));
    wait_for(&first, &["a", "b"]);
    let given = tool(&first, "GET", PATH, &[], None);
    assert_eq!(given.status, 200);
    assert_eq!(given.header("content-type"), Some("application/octet-stream"));
    // As curl sends it without a form, too.
    let taken = tool(&second, "POST", PATH, &[OCTETS], Some(&given.body));
    assert_eq!(taken.status, 200, "{}", taken.text());
    wait_for(&second, &["a", "b"]);
    let again = tool(&second, "GET", "/pdb/query/v4/facts", &[], None);
    let before = tool(&first, "GET", "/pdb/query/v4/facts", &[], None);
    assert_eq!(again.text(), before.text());
}

#[test]
fn archives_are_for_those_whom_rules_allow_it() {
    let stock =
        Fixture::with(|options| kukla_server::agents::ServerOptions { auth_conf: None, ..options });
    let ask = |client: Option<&str>, method: &str, body: Option<&[u8]>| {
        let mut connection = stock.connect(client).expect("a connection");
        connection.request(method, PATH, &[FORM], body).expect("an answer").status
    };
    let body = form(&packed(&[metadata(), plain("puppetdb-bak/facts/x.json", &facts("x"))]));
    for client in [None, Some("agent.example"), Some("admin.example")] {
        assert_eq!((ask(client, "GET", None), ask(client, "POST", Some(&body))), (403, 403));
    }
    assert_eq!(names(&stock), [""; 0]);
    assert_eq!(ask(Some("cli.example"), "GET", None), 200);
    assert_eq!(ask(Some("cli.example"), "POST", Some(&body)), 200);
    wait_for(&stock, &["x"]);
    // A page in a browser of this machine, and those who want secrets masked.
    let origin = ("Origin", "http://evil.example");
    assert_eq!(tool(&stock, "GET", PATH, &[origin], None).status, 403);
    assert_eq!(tool(&stock, "POST", PATH, &[origin, FORM], Some(&body)).status, 403);
    for (query, status) in [
        ("anonymization=full", 400),
        ("anonymization_profile=low", 400),
        ("anonymization=none", 200),
    ] {
        assert_eq!(tool(&stock, "GET", &format!("{PATH}?{query}"), &[], None).status, status);
    }
    let plain = ("Content-Type", "text/plain");
    assert_eq!(tool(&stock, "POST", PATH, &[plain], Some(&body)).status, 400);
}

#[test]
fn archives_that_lie_are_refused_and_cost_little() {
    let fixture = Fixture::start();
    let own = |name: &str| plain(&format!("puppetdb-bak/facts/{name}.json"), &facts("good"));
    let refused = |what: &str, archive: &[u8], words: &str| {
        let start = Instant::now();
        let received = send(&fixture, archive);
        assert_eq!(received.status, 400, "{what}: {}", received.text());
        assert!(received.text().contains(words), "{what}: {}", received.text());
        assert!(start.elapsed() < Duration::from_secs(20), "{what}");
    };
    refused("nothing", b"", "no tar archive");
    refused("text", b"hello", "");
    refused("an empty archive", &packed(&[]), "export-metadata.json");
    refused("no metadata", &packed(&[own("a")]), "export-metadata.json");
    refused("metadata later", &packed(&[own("a"), metadata()]), "export-metadata.json");
    let other = |versions: Value| {
        plain("puppetdb-bak/export-metadata.json", &json!({ "command_versions": versions }))
    };
    let newer = packed(&[other(json!({ "replace_facts": 6 })), own("a")]);
    refused("a newer version", &newer, "version");
    let none = packed(&[other(json!({})), own("a")]);
    refused("no version", &none, "no version of `replace_facts`");
    let text = packed(&[other(json!({ "replace_facts": "5" })), own("a")]);
    refused("a version that is none", &text, "no version of `replace_facts`");
    let whole = packed(&[metadata(), own("a"), own("b")]);
    for end in [10, whole.len() / 2, whole.len() - 20] {
        refused("cut off", &whole[..end], "");
    }
    let body = format!("{{\"certname\":\"x\",\"n\":{}1{}}}", "[".repeat(9000), "]".repeat(9000));
    let deep = file("puppetdb-bak/facts/x.json", body.as_bytes(), b'0', body.len());
    refused("nested", &packed(&[metadata(), deep]), "");
    let huge = file("puppetdb-bak/facts/x.json", b"", b'0', 300 << 20);
    refused("a large file", &packed(&[metadata(), huge]), "more than");
    let skipped = file("x/", b"", b'5', (8 << 30) - 1);
    refused("a large directory", &packed(&[metadata(), skipped]), "more than");
    // Of 200 MB of zeros little is left by gzip.
    let bomb = vec![0; 200 << 20];
    let bomb = file("puppetdb-bak/facts/x.json", &bomb, b'0', bomb.len());
    refused("a bomb", &packed(&[metadata(), bomb]), "");
    wait_for(&fixture, &["good"]);
}

#[test]
fn names_of_files_are_only_kinds() {
    let fixture = Fixture::start();
    let names = [
        "puppetdb-bak/facts/../../../../../../tmp/kukla-evil.json",
        "/etc/facts/evil.json",
        "facts/c.json",
        "puppetdb-bak/facts/\u{1b}[31m.json",
    ];
    let nodes = ["a", "b", "c", "d"];
    let mut files = vec![metadata()];
    files.extend(names.iter().zip(nodes).map(|(name, node)| plain(name, &facts(node))));
    // No commands, whatever they are.
    files.push(file("puppetdb-bak/facts/link.json", b"", b'2', 0));
    files.push(plain("puppetdb-bak/other/x.json", &facts("x")));
    files.push(plain("puppetdb-bak/facts.json", &facts("y")));
    let taken = send(&fixture, &packed(&files));
    assert_eq!(taken.status, 200, "{}", taken.text());
    // The first one is in a folder `tmp`, which is no kind.
    wait_for(&fixture, &nodes[1..]);
    assert!(!std::path::Path::new("/tmp/kukla-evil.json").exists());
}

#[test]
fn the_history_of_facts_has_no_secrets() {
    let settings = |_: &std::path::Path, _: &crate::pki::Pki| {
        vec![("past_facts".to_owned(), "100".to_owned())]
    };
    let code = site();
    let fixture = Fixture::configured(&code, Duration::ZERO, settings, |options| options);
    let run = |values: &Value| {
        let document = json!({ "name": "agent.example", "values": values });
        let mut connection = fixture.connect(Some("agent.example")).expect("a connection");
        let path = "/puppet/v3/facts/agent.example?environment=production";
        let headers = [("Content-Type", "application/json")];
        let body = document.to_string();
        let answer = connection.request("PUT", path, &headers, Some(body.as_bytes()));
        let answer = answer.expect("an answer");
        assert_eq!(answer.status, 200, "{}", answer.text());
    };
    let shown = || page(&fixture, "application/json");
    let secret = |text: &str| json!({ "__ptype": "Sensitive", "__pvalue": text });
    run(
        &json!({ "n": 1, "key": secret("hunter2"), "within": { "key": secret("hunter3") }, "uptime": "1" }),
    );
    run(
        &json!({ "n": "<b>", "key": secret("hunter4"), "within": { "key": secret("hunter5") }, "uptime": "2" }),
    );
    let start = Instant::now();
    while !shown().contains("\"new_value\":\"<b>\"") {
        assert!(start.elapsed() < Duration::from_secs(20), "{}", shown());
        std::thread::sleep(Duration::from_millis(20));
    }
    let document: Value = serde_json::from_str(&shown()).expect("JSON");
    let changes = document["changes"].as_array().expect("changes");
    let paths: Vec<&Value> = changes.iter().map(|change| &change["path"]).collect();
    assert_eq!(paths, [&json!(["n"])], "{document}");
    assert!(!shown().contains("hunter"));
    let page = page(&fixture, "text/html");
    assert!(page.contains("&lt;b&gt;") && !page.contains("<b>"), "{page}");
    // Puppet Server keeps facts as they came in a file of its own, too.
    let found = std::process::Command::new("grep")
        .args(["-rl", "--exclude-dir=server_data", "hunter"])
        .arg(fixture.directory.join("var"))
        .output();
    assert_eq!(String::from_utf8_lossy(&found.expect("`grep` runs").stdout), "");
}

/// Returns the page with the history.
fn page(fixture: &Fixture, accept: &str) -> String {
    let mut stream = std::net::TcpStream::connect(fixture.page).expect("a connection");
    let headers = [("Accept", accept)];
    let head = crate::client::head("GET", "/kukla/facts/agent.example", &headers, None);
    stream.write_all(&head).expect("sent");
    crate::client::receive(&mut stream, false).expect("an answer").text()
}
