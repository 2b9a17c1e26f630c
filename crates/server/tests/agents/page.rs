//! The page: who reaches it, what it shows, and that nothing a node says becomes a part of it.

use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Received, head, receive};
use crate::fixture::Fixture;

const HTML: (&str, &str) = ("Accept", "text/html,application/xhtml+xml");
const JSON: (&str, &str) = ("Accept", "application/json");
const EVIL: &str = "<script>alert('x')</script>&\"";

/// A directory with code; removed at the end of the test.
struct Code(PathBuf);

impl Code {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let path = std::env::temp_dir().join(format!("kukla-page-{name}-{}", std::process::id()));
        for (file, text) in files {
            let file = path.join("environments/production").join(file);
            std::fs::create_dir_all(file.parent().expect("a directory")).expect("made");
            std::fs::write(file, text).expect("written");
        }
        Self(path)
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn get(door: SocketAddr, path: &str, headers: &[(&str, &str)]) -> Received {
    let mut stream = TcpStream::connect(door).expect("a connection");
    stream.write_all(&head("GET", path, headers, None)).expect("sent");
    receive(&mut stream, false).expect("an answer")
}

fn json(fixture: &Fixture, path: &str) -> Value {
    let received = get(fixture.page, path, &[JSON]);
    assert_eq!(received.status, 200, "{path}: {}", received.text());
    assert_eq!(received.header("content-type"), Some("application/json; charset=utf-8"));
    serde_json::from_slice(&received.body).expect("JSON")
}

fn html(fixture: &Fixture, path: &str) -> String {
    let received = get(fixture.page, path, &[HTML]);
    assert_eq!(received.status, 200, "{path}: {}", received.text());
    assert_eq!(received.header("content-type"), Some("text/html; charset=utf-8"));
    received.text()
}

/// Asks until the answer is as expected.
fn eventually(fixture: &Fixture, path: &str, is_expected: impl Fn(&Value) -> bool) -> Value {
    let start = Instant::now();
    loop {
        // A node is unknown until its first command is stored.
        let received = get(fixture.page, path, &[JSON]);
        let answer: Value = serde_json::from_slice(&received.body).expect("JSON");
        if received.status == 200 && is_expected(&answer) {
            return answer;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{path}: {answer}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Sends a command at the door for tools.
fn command(fixture: &Fixture, name: &str, version: u32, payload: &Value) {
    let body = json!({ "command": name, "version": version, "payload": payload }).to_string();
    let headers = [("Content-Type", "application/json"), JSON];
    let mut stream = TcpStream::connect(fixture.tools).expect("a connection");
    let request = head("POST", "/pdb/cmd/v1", &headers, Some(body.as_bytes()));
    stream.write_all(&request).expect("sent");
    let received = receive(&mut stream, false).expect("an answer");
    assert_eq!(received.status, 200, "{}", received.text());
}

/// Lets the agent run, with facts.
fn run(fixture: &Fixture, facts: &Value) {
    let facts = json!({ "name": "agent.example", "values": facts });
    let encoded: String = facts.to_string().bytes().map(|byte| format!("%25{byte:02X}")).collect();
    let form = format!("environment=production&facts_format=application/json&facts={encoded}");
    let mut connection = fixture.connect(Some("agent.example")).expect("a connection");
    let path = "/puppet/v3/catalog/agent.example?environment=production";
    let headers = [("Content-Type", "application/x-www-form-urlencoded"), JSON];
    let answer = connection.request("POST", path, &headers, Some(form.as_bytes()));
    let answer = answer.expect("an answer");
    assert_eq!(answer.status, 200, "{}", answer.text());
}

/// A report of a node, of now or of some hours ago.
fn report(name: &str, status: &str, hours: i64) -> Value {
    let time = kukla_store::time::written(kukla_store::time::now() - hours * 3_600_000 - 60_000);
    json!({
        "certname": name, "puppet_version": "8.10.0", "report_format": 12,
        "configuration_version": "1", "start_time": time, "end_time": time,
        "producer_timestamp": time, "producer": "puppet.example", "environment": "production",
        "transaction_uuid": null, "status": status, "noop": false, "noop_pending": false,
        "corrective_change": false, "logs": [], "metrics": [], "resources": [], "type": "agent",
        "catalog_uuid": null, "code_id": null, "job_id": null, "cached_catalog_status": "not_used",
    })
}

#[test]
fn only_this_machine_reaches_it_without_a_rule() {
    let fixture =
        Fixture::with(|options| kukla_server::agents::ServerOptions { auth_conf: None, ..options });
    // Not by the listeners of agents and of a proxy: the stock rules allow no client, and each view is refused in the same words.
    for path in ["/kukla", "/kukla/", "/kukla/page.css", "/kukla/node/x", "/kukla/nothing"] {
        for client in [None, Some("agent.example")] {
            let mut connection = fixture.connect(client).expect("a connection");
            let answer = connection.request("GET", path, &[HTML], None).expect("an answer");
            assert_eq!(answer.status, 403, "{path} by {client:?}");
        }
        assert_eq!(get(fixture.plain, path, &[HTML]).status, 403, "{path}");
        assert_eq!(get(fixture.tools, path, &[HTML]).status, 404, "{path}");
    }
    // By its own listener nothing but the page is reached.
    assert_eq!(get(fixture.page, "/kukla", &[HTML]).status, 200);
    let start = get(fixture.page, "/", &[HTML]);
    assert_eq!((start.status, start.header("location")), (303, Some("/kukla")));
    for path in ["/pdb/query/v4/nodes", "/puppet/v3/environments", "/metrics", "/kuklax"] {
        assert_eq!(get(fixture.page, path, &[HTML]).status, 404, "{path}");
    }
    for method in ["POST", "PUT", "DELETE"] {
        let mut stream = TcpStream::connect(fixture.page).expect("a connection");
        stream.write_all(&head(method, "/kukla", &[], Some(b""))).expect("sent");
        assert_eq!(receive(&mut stream, false).expect("an answer").status, 404, "{method}");
    }
}

#[test]
fn a_rule_opens_it_on_the_main_listener() {
    let fixture = Fixture::with(|options| {
        let path = options.auth_conf.clone().expect("rules");
        let rule = "authorization: { version: 1, rules: [ {\n\
            match-request: { path: \"/kukla\", type: path, method: get }\n\
            allow: [\"admin.example\"], sort-order: 500, name: \"page\" } ] }\n";
        std::fs::write(&path, rule).expect("written");
        options
    });
    let status = |client: &str| {
        let mut connection = fixture.connect(Some(client)).expect("a connection");
        connection.request("GET", "/kukla", &[HTML], None).expect("an answer").status
    };
    assert_eq!((status("admin.example"), status("agent.example")), (200, 403));
}

#[test]
fn other_sites_in_the_same_browser_get_nothing() {
    let fixture = Fixture::start();
    let status = |headers: &[(&str, &str)]| get(fixture.page, "/kukla", headers).status;
    assert_eq!(status(&[("Origin", "https://evil.example")]), 403);
    assert_eq!(status(&[("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors")]), 403);
    assert_eq!(status(&[("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Mode", "cors")]), 403);
    assert_eq!(status(&[("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")]), 200);
    assert_eq!(status(&[("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "navigate")]), 200);
    // A name that someone else lets point to this machine.
    let mut stream = TcpStream::connect(fixture.page).expect("a connection");
    stream.write_all(b"GET /kukla HTTP/1.1\r\nHost: evil.example\r\n\r\n").expect("sent");
    assert_eq!(receive(&mut stream, false).expect("an answer").status, 403);
    let answer = get(fixture.page, "/kukla", &[HTML]);
    let policy = answer.header("content-security-policy").expect("a policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'self'"), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains("script-src"), "{policy}");
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cache-control", "no-store"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(answer.header(name), Some(value), "{name}");
    }
}

#[test]
fn the_map_has_each_node_once_by_age_and_state() {
    let fixture = Fixture::start();
    let fleet =
        [("a", "failed", 0), ("b", "changed", 0), ("c", "unchanged", 0), ("d", "unchanged", 30)];
    for (name, status, hours) in fleet {
        command(&fixture, "store report", 8, &report(name, status, hours));
    }
    let answer = eventually(&fixture, "/kukla", |answer| answer["part"]["total"] == 4);
    assert_eq!(answer["counts"]["unchanged"], 2);
    assert_eq!(answer["counts"]["failed"], 1);
    let names = |answer: &Value| -> Vec<String> {
        let nodes = answer["nodes"].as_array().expect("a list").iter();
        nodes.map(|node| node["certname"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names(&answer), ["a", "b", "c", "d"]);
    assert_eq!(names(&json(&fixture, "/kukla?state=unchanged")), ["c", "d"]);
    assert_eq!(names(&json(&fixture, "/kukla?name=d")), ["d"]);
    assert_eq!(names(&json(&fixture, "/kukla?name=zz")), Vec::<String>::new());
    let page = html(&fixture, "/kukla");
    for words in [
        "a: failed, 1 min ago",
        "d: unchanged, 30 h ago",
        "Ran within the last hour",
        "1 to 7 days ago",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(html(&fixture, "/kukla?view=list").contains("<table"));
    let node = json(&fixture, "/kukla/node/d");
    assert_eq!(node["state"], "unchanged");
    assert_eq!(get(fixture.page, "/kukla/node/unknown", &[HTML]).status, 404);
    assert_eq!(get(fixture.page, "/kukla/nothing", &[HTML]).status, 404);
}

#[test]
fn ten_thousand_nodes_fit() {
    let fixture = Fixture::start();
    for number in 0..300 {
        let name = format!("node{number:05}.example");
        command(&fixture, "store report", 8, &report(&name, "unchanged", 0));
    }
    let answer = eventually(&fixture, "/kukla", |answer| answer["part"]["total"] == 300);
    assert_eq!(answer["nodes"].as_array().map(Vec::len), Some(300));
    let list = json(&fixture, "/kukla?view=list&page=3");
    assert_eq!(list["part"], json!({ "page": 3, "pages": 3, "total": 300 }));
    assert_eq!(list["nodes"][99]["certname"], "node00299.example");
    let page = html(&fixture, "/kukla");
    assert_eq!(page.matches("class=\"cell unchanged\" href").count(), 300);
}

/// A catalog of a node with one file.
fn catalog(name: &str, minutes: i64, resource: &Value) -> Value {
    let time = kukla_store::time::written(kukla_store::time::now() - minutes * 60_000);
    json!({
        "certname": name, "version": minutes.to_string(), "environment": "production",
        "producer": "puppet.example", "producer_timestamp": time, "edges": [],
        "resources": [
            { "type": "Class", "title": "Role", "exported": false, "tags": [], "parameters": {} }, resource,
        ],
        "data": [["/code/data/common.yaml", 3, "role::mode"]],
    })
}

fn file(title: &str, mode: &str) -> Value {
    json!({ "type": "File", "title": title, "exported": false, "tags": ["file"], "file": "/code/site.pp",
        "line": 4, "parameters": { "mode": mode, "owner": "root" } })
}

#[test]
fn changes_and_uses_are_shown() {
    let fixture = Fixture::start();
    for (minutes, file) in
        [(30, file("/a", "0644")), (20, file("/a", "0600")), (10, file("/b", "0600"))]
    {
        command(&fixture, "replace catalog", 9, &catalog("a.example", minutes, &file));
    }
    command(&fixture, "replace catalog", 9, &catalog("b.example", 30, &file("/a", "0644")));
    let path = "/kukla/changes/a.example";
    eventually(&fixture, "/kukla", |answer| answer["part"]["total"] == 2);
    let last = json(&fixture, path);
    let ids: Vec<i64> = last["changes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| it["id"].as_i64().expect("an id"))
        .collect();
    assert_eq!(ids.len(), 2, "{last}");
    let kinds = |answer: &Value| -> Vec<String> {
        let all = answer["resources"].as_array().expect("a list").iter();
        all.map(|it| format!("{} {}", it["resource"], it["kind"])).collect()
    };
    assert_eq!(kinds(&last), ["\"File[/a]\" \"gone\"", "\"File[/b]\" \"new\""]);
    let first = json(&fixture, &format!("{path}?from={0}&to={0}", ids[1]));
    assert_eq!(kinds(&first), ["\"File[/a]\" \"changed\""]);
    let parts = json!([{ "name": "mode", "parameter": true, "before": "0644", "after": "0600" }]);
    assert_eq!(first["resources"][0]["parts"], parts);
    // Whatever order is asked for, the older is the first; what is not known counts as the newest.
    let all = json(&fixture, &format!("{path}?from={}&to={}", ids[0], ids[1]));
    assert_eq!((&all["from"], &all["to"]), (&json!(ids[1]), &json!(ids[0])));
    assert_eq!(kinds(&json(&fixture, &format!("{path}?from=x&to=-7"))), kinds(&last));
    assert!(html(&fixture, path).contains("<ins>0600</ins>"));
    assert_eq!(json(&fixture, "/kukla/changes/b.example")["changes"], json!([]));
    assert_eq!(get(fixture.page, "/kukla/changes/unknown", &[HTML]).status, 404);
    let classes = json(&fixture, "/kukla/uses/classes");
    assert_eq!(classes["uses"], json!([{ "class": "Role", "nodes": 2 }]));
    assert_eq!(json(&fixture, "/kukla/uses/classes?find=nothing")["part"]["total"], 0);
    assert_eq!(json(&fixture, "/kukla?class=Role")["part"]["total"], 2);
    assert_eq!(json(&fixture, "/kukla?class=Nothing")["part"]["total"], 0);
    assert!(html(&fixture, "/kukla/uses/classes").contains("href=\"/kukla?class=Role\""));
    let data = json(&fixture, "/kukla/uses/data?find=role");
    let line =
        json!({ "key": "role::mode", "file": "/code/data/common.yaml", "line": 3, "nodes": 2 });
    assert_eq!(data["uses"], json!([line]));
    assert!(html(&fixture, "/kukla/uses/data").contains("/code/data/common.yaml:3"));
    assert_eq!(get(fixture.page, "/kukla/uses/nothing", &[HTML]).status, 404);
}

#[test]
fn nothing_that_a_node_says_becomes_markup() {
    let manifest = format!(
        "class evil(String $text = $facts['evil']) {{\n  notify {{ \"t${{text}}\": message => $text }}\n}}\n\
         include evil\nfile {{ '/{0}': content => 'x' }}\n",
        "<script>alert(1)</script>"
    );
    let code = Code::new("evil", &[("manifests/site.pp", manifest.as_str())]);
    let fixture = Fixture::with_code(&code.0, |options| options);
    command(&fixture, "store report", 8, &report(EVIL, EVIL, 0));
    let mut other = report("other", "failed", 0);
    other["environment"] = EVIL.into();
    command(&fixture, "store report", 8, &other);
    for minutes in [20, 10] {
        let mut evil = catalog(EVIL, minutes, &file(EVIL, &format!("{EVIL}{minutes}")));
        evil["resources"][0]["title"] = EVIL.into();
        evil["resources"][1]["file"] = EVIL.into();
        evil["resources"][1]["parameters"][EVIL] = format!("{minutes}{EVIL}").into();
        evil["version"] = EVIL.into();
        evil["data"] = json!([[EVIL, 1, EVIL]]);
        command(&fixture, "replace catalog", 9, &evil);
    }
    run(&fixture, &json!({ "evil": EVIL }));
    eventually(&fixture, "/kukla", |answer| answer["part"]["total"] == 3);
    eventually(&fixture, "/kukla/node/agent.example", |node| node["catalog"].is_string());
    let name = "%3Cscript%3Ealert('x')%3C%2Fscript%3E%26%22";
    for path in [
        "/kukla".to_owned(),
        "/kukla?view=list".to_owned(),
        format!("/kukla?name={name}&view=list&state={name}&page={name}"),
        format!("/kukla/node/{name}"),
        format!("/kukla/values/{name}"),
        format!("/kukla/changes/{name}"),
        format!("/kukla/changes/{name}?from={name}&to={name}"),
        format!("/kukla/uses/classes?find={name}"),
        "/kukla/uses/classes".to_owned(),
        format!("/kukla?class={name}"),
        "/kukla/uses/data".to_owned(),
        format!("/kukla/uses/data?find={name}"),
        format!("/kukla/{name}"),
        "/kukla/values/agent.example".to_owned(),
        format!("/kukla/values/agent.example?find={name}"),
    ] {
        let received = get(fixture.page, &path, &[HTML]);
        assert!([200, 404].contains(&received.status), "{path}: {}", received.status);
        let page = received.text();
        assert!(!page.contains("<script"), "{path}: {page}");
        assert!(!page.contains("alert('x')\"") && page.contains("</html>"), "{path}: {page}");
        get(fixture.page, &path, &[JSON]);
    }
    let values = html(&fixture, "/kukla/values/agent.example");
    assert!(values.contains("&lt;script&gt;alert('x')&lt;/script&gt;"), "{values}");
}

#[test]
fn values_have_their_origins_and_secrets_are_not_shown() {
    let files = [
        ("hiera.yaml", "version: 5\nhierarchy:\n  - name: common\n    path: common.yaml\n"),
        (
            "data/common.yaml",
            "ntp::server: time.example\nntp::key: hunter2\nlookup_options:\n  ntp::key:\n    convert_to: Sensitive\n",
        ),
        (
            "manifests/site.pp",
            "class ntp(String $server, Sensitive[String] $key, Integer $port = 123) {\n\
               file { '/etc/ntp.conf': content => \"server ${server} ${facts['zone']}\" }\n\
               file { '/etc/ntp.key': content => $key }\n}\ninclude ntp\n",
        ),
    ];
    let code = Code::new("values", &files);
    let fixture = Fixture::with_code(&code.0, |options| options);
    run(&fixture, &json!({ "zone": "z1" }));
    eventually(&fixture, "/kukla/node/agent.example", |node| node["catalog"].is_string());
    let values = json(&fixture, "/kukla/values/agent.example");
    assert_eq!((&values["environment"], values["facts"].is_string()), (&json!("production"), true));
    let parameter = |title: &str, name: &str| {
        let all = values["resources"].as_array().expect("a list");
        let resource = all.iter().find(|it| it["title"] == title).expect(title);
        let all = resource["parameters"].as_array().expect("a list");
        all.iter().find(|it| it["name"] == name).cloned().expect(name)
    };
    let server = parameter("Ntp", "server");
    assert_eq!(
        (&server["value"], &server["from"]["origin"]),
        (&json!("time.example"), &json!("data"))
    );
    assert_eq!(server["from"]["places"][0]["line"], 1);
    assert_eq!(server["from"]["places"][0]["level"], "common");
    assert_eq!(parameter("Ntp", "port")["from"]["origin"], "parameter_default");
    let content = parameter("/etc/ntp.conf", "content");
    assert_eq!(content["value"], "server time.example z1");
    let leaves = content["from"]["leaves"].to_string();
    assert!(leaves.contains("\"ntp::server\"") && leaves.contains("\"facts.zone\""), "{leaves}");
    for (title, name) in [("Ntp", "key"), ("/etc/ntp.key", "content")] {
        let secret = parameter(title, name);
        assert_eq!((&secret["value"], &secret["secret"]), (&Value::Null, &json!(true)), "{title}");
    }
    let uses = json(&fixture, "/kukla/uses/data?find=ntp");
    let lines: Vec<i64> = uses["uses"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| it["line"].as_i64().expect("a line"))
        .collect();
    assert_eq!(lines, [1, 2], "{uses}");
    let page = html(&fixture, "/kukla/values/agent.example");
    assert!(!page.contains("hunter2") && !values.to_string().contains("hunter2"));
    for words in ["common.yaml:1", "(common)", "secret, not shown", "Compiled for this page in"] {
        assert!(page.contains(words), "{words}: {page}");
    }
    let one = json(&fixture, "/kukla/values/agent.example?find=ntp.conf");
    assert_eq!(one["part"]["total"], 1);
    // Code that does not compile any more is said to be so.
    std::fs::write(code.0.join("environments/production/manifests/site.pp"), "fail('no')\n")
        .expect("written");
    let start = Instant::now();
    loop {
        let broken = get(fixture.page, "/kukla/values/agent.example", &[HTML]);
        if broken.status == 422 && broken.text().contains("can't be compiled") {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{}", broken.text());
        std::thread::sleep(Duration::from_millis(50));
    }
}
