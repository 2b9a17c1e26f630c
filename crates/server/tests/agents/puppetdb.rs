//! PuppetDB as the store: what agents say reaches it, whatever happens to it, and what it answers reaches catalogs.

#[path = "puppetdb/fake.rs"]
mod fake;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use fake::{Came, Does, Fake};
use kukla_store::puppetdb::{PuppetDb, PuppetDbConf, PuppetDbFiles};
use serde_json::{Value, json};

use crate::client::Received;
use crate::fixture::Fixture;
use crate::pki::Pki;
use crate::store::tool;

const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");
const JSON: (&str, &str) = ("Content-Type", "application/json");
const ACCEPT: (&str, &str) = ("Accept", "application/json");

/// Code that collects, asks and keeps a secret.
const MANIFEST: &str = "notify { 'open': require => Notify['first'] }\n\
    notify { 'first': message => Sensitive('hunter2') }\n\
    if $facts['collects'] { Notify <<| tag == 'Web' and (title != 'x' or message == 'y') |>> }\n\
    if $facts['asks'] { notify { 'rows': message => String(puppetdb_query('nodes[certname]{}')) } }\n\
    if $facts['known'] { notify { 'known': message => $facts['known'] } }\n\
    @@notify { \"from ${trusted['certname']}\": tag => 'web' }\n";

/// A rule for what has no recorded answers.
const RULES: &str = "rules: [ { match-request: { path: \"^/(metrics|kukla)\", type: regex }, \
    allow: \"cli.example\", sort-order: 400, name: \"looking\" },";

/// A report of an agent.
const REPORT: &str = include_str!("reports/run.json");

/// A server whose store is PuppetDB.
struct World {
    fixture: Fixture,
    code: PathBuf,
}

impl World {
    /// Starts a server; `conf` writes its `puppetdb.conf` and makes the servers that it names.
    fn new<T>(name: &str, conf: impl FnOnce(&Pki) -> (T, String)) -> (Self, T) {
        let code = std::env::temp_dir().join(format!("kukla-pdb-{name}-{}", std::process::id()));
        let manifests = code.join("environments/production/manifests");
        std::fs::create_dir_all(&manifests).expect("a directory");
        std::fs::write(manifests.join("site.pp"), MANIFEST).expect("a manifest");
        let mut made = None;
        let settle = Duration::from_millis(100);
        let fixture = Fixture::configured(
            &code,
            settle,
            |directory, pki| {
                let (fakes, text) = conf(pki);
                made = Some(fakes);
                let path = directory.join("puppetdb.conf");
                std::fs::write(&path, format!("[main]\n{text}")).expect("written");
                let file = |name: &str| directory.join(name).display().to_string();
                [
                    ("store", format!("puppetdb:{}", path.display())),
                    ("storeconfigs", "true".to_owned()),
                    ("hostcert", file("cert.pem")),
                    ("hostprivkey", file("key.pem")),
                    ("localcacert", file("ca.pem")),
                    ("hostcrl", file("crl.pem")),
                ]
                .map(|(name, value)| (name.to_owned(), value))
                .into()
            },
            |options| {
                let path = options.auth_conf.as_ref().expect("rules");
                let text = std::fs::read_to_string(path).expect("read");
                std::fs::write(path, text.replacen("rules: [", RULES, 1)).expect("written");
                options
            },
        );
        (Self { fixture, code }, made.expect("servers"))
    }

    /// Starts a server with one PuppetDB, which is down.
    fn one(name: &str, lines: &str) -> (Self, Fake) {
        Self::new(name, |pki| {
            let fake = Fake::down(pki, pki);
            let text = format!("server_urls = {}\nserver_url_timeout = 5\n{lines}", fake.url());
            (fake, text)
        })
    }

    fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Received {
        let mut connection = self.fixture.connect(Some("admin.example")).expect("a connection");
        connection.request(method, path, headers, Some(body)).expect("an answer")
    }

    fn catalog(&self, node: &str, facts: &Value) -> Received {
        let facts = json!({ "name": node, "values": facts }).to_string();
        let encoded: String = facts.bytes().map(|byte| format!("%25{byte:02X}")).collect();
        let form = format!(
            "environment=production&facts_format=application/json&facts={encoded}&transaction_uuid=run-{node}"
        );
        let path = format!("/puppet/v3/catalog/{node}?environment=production");
        self.request("POST", &path, &[FORM, ACCEPT], form.as_bytes())
    }

    fn report(&self, node: &str) -> Received {
        let path = format!("/puppet/v3/report/{node}?environment=production");
        let report = REPORT.replace("\"host\":\"agent.example\"", &format!("\"host\":\"{node}\""));
        self.request("PUT", &path, &[JSON, ACCEPT], report.as_bytes())
    }

    /// Runs a node: facts and catalog, then a report.
    fn run(&self, node: &str) {
        let start = Instant::now();
        for answer in [self.catalog(node, &json!({ "a": 1 })), self.report(node)] {
            assert_eq!(answer.status, 200, "{}", answer.text());
        }
        assert!(start.elapsed() < Duration::from_secs(3), "an agent waits for nothing");
    }

    fn log(&self) -> String {
        self.fixture.log.lock().expect("a log").join("\n")
    }

    fn metric(&self, name: &str) -> f64 {
        let mut connection = self.fixture.connect(Some("cli.example")).expect("a connection");
        let answer = connection.request("GET", "/metrics", &[], None).expect("an answer");
        let text = answer.text();
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{name}: {text}"))
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.code);
    }
}

/// Waits until something is so.
fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(30), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Returns the commands of each node, by their names.
fn by_node(came: &[Came]) -> BTreeMap<String, Vec<String>> {
    let mut nodes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for came in came {
        let command = came.target.split("command=").nth(1).unwrap_or_default();
        let command = command.split('&').next().unwrap_or_default().to_owned();
        let node = came.payload["certname"].as_str().expect("a name").to_owned();
        nodes.entry(node).or_default().push(command);
    }
    nodes
}

#[test]
fn commands_wait_while_puppetdb_is_down_and_keep_the_order_of_each_node() {
    let (world, fake) = World::one("down", "");
    let nodes: Vec<String> = (0..6).map(|n| format!("n{n}.example")).collect();
    for _ in 0..3 {
        nodes.iter().for_each(|node| world.run(node));
    }
    assert!(world.metric("kukla_puppetdb_queue_commands") >= 54.0);
    eventually("the log names the failure", || world.log().contains("puppetdb-failed"));
    fake.up();
    eventually("all commands come", || fake.came().len() >= 54);
    eventually("the queue is empty", || world.metric("kukla_puppetdb_queue_commands") == 0.0);
    let came = fake.came();
    assert_eq!(came.len(), 54, "each command once");
    let run = ["replace_facts", "replace_catalog", "store_report"];
    for (node, commands) in by_node(&came) {
        assert_eq!(commands, [run, run, run].concat(), "{node}");
        let own = came.iter().filter(|it| it.payload["certname"] == node.as_str());
        let times: Vec<&str> =
            own.map(|it| it.payload["producer_timestamp"].as_str().expect("a time")).collect();
        assert!(times.is_sorted(), "{times:?}");
    }
    let catalog = came.iter().find(|it| it.target.contains("replace_catalog")).expect("a catalog");
    assert!(catalog.target.starts_with("/pdb/cmd/v1?version=9&certname=n"), "{}", catalog.target);
    assert!(catalog.target.contains("&producer-timestamp=20"), "{}", catalog.target);
    for field in [
        "content-encoding: gzip",
        "content-type: application/json; charset=utf-8",
        "accept: application/json",
        "x-uncompressed-length: ",
        &format!("host: localhost:{}", fake.address.port()),
    ] {
        assert!(catalog.head.contains(field), "{field}: {}", catalog.head);
    }
    let payload = &catalog.payload;
    assert!(payload.get("data").is_none() && !payload.to_string().contains("hunter2"));
    assert_eq!(payload["producer"], "puppet.example");
    let exported = payload["resources"].as_array().expect("a list").iter();
    assert_eq!(exported.filter(|it| it["exported"] == true).count(), 1);
    eventually("the log says that it is back", || world.log().contains("puppetdb-back"));
}

#[test]
fn a_refused_command_is_set_aside_and_stops_no_other() {
    let (world, fake) = World::one("refused", "");
    fake.refuse("bad.example");
    fake.up();
    for node in ["bad.example", "good.example", "bad.example", "fine.example"] {
        world.run(node);
    }
    eventually("the others come", || fake.came().len() == 6);
    eventually("all are settled", || world.metric("kukla_puppetdb_queue_commands") == 0.0);
    assert!((world.metric("kukla_puppetdb_refused_commands_total") - 6.0).abs() < 0.1);
    let directory = world.fixture.directory.join("var/store-queue/refused");
    let files: Vec<PathBuf> = std::fs::read_dir(directory)
        .expect("a directory")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert_eq!(files.len(), 6);
    let text = std::fs::read_to_string(&files[0]).expect("read");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(
        (&file["certname"], &file["status"], &file["answer"]),
        (&json!("bad.example"), &json!(400), &json!("{\"error\":\"no such thing\"}"))
    );
    assert_eq!(file["payload"]["certname"], "bad.example");
    assert!(world.log().contains("command-refused"));
}

#[test]
fn answers_that_are_no_receipt_are_tried_again() {
    let (world, fake) = World::one("odd", "");
    let says = |status: u16, body: &str| Does::Says(status, body.to_owned());
    fake.next(&[
        says(503, "starting"),
        Does::Half,
        says(200, "<html>a proxy</html>"),
        says(403, "not in the allowlist"),
        says(404, "no route"),
    ]);
    // Several nodes are served at the same time, and each meets another answer.
    for node in ["o1.example", "o2.example", "o3.example", "o4.example"] {
        world.run(node);
    }
    fake.up();
    eventually("all come in the end", || fake.came().len() == 12);
    for (node, commands) in by_node(&fake.came()) {
        assert_eq!(commands, ["replace_facts", "replace_catalog", "store_report"], "{node}");
    }
    eventually("nothing waits", || world.metric("kukla_puppetdb_queue_commands") == 0.0);
    assert!(!world.fixture.directory.join("var/store-queue/refused").exists());
}

#[test]
fn a_slow_server_delays_no_agent_and_the_next_server_takes_over() {
    let ((first, second), world);
    (world, (first, second)) = World::new("slow", |pki| {
        let (first, second) = (Fake::down(pki, pki), Fake::down(pki, pki));
        let urls = format!("{}, {}", first.url(), second.url());
        ((first, second), format!("server_urls = {urls}\nserver_url_timeout = 1\n"))
    });
    first.next(&[Does::Sleeps(Duration::from_secs(3))]);
    first.up();
    second.up();
    world.run("slow.example");
    eventually("the second one has all", || second.came().len() == 3);
    assert!(first.came().len() <= 1, "the first one may have what it answered too late");
    // It is asked again after a pause.
    eventually("the first one is used again", || {
        world.run("late.example");
        first.came().iter().any(|came| came.payload["certname"] == "late.example")
    });
}

#[test]
fn a_broadcast_reaches_as_many_servers_as_it_must() {
    let ((first, second, third), world);
    (world, (first, second, third)) = World::new("broadcast", |pki| {
        let all = [(); 3].map(|()| Fake::down(pki, pki));
        let [first, second, third] = all;
        let text = format!(
            "server_urls = {},{}\nsubmit_only_server_urls = {}\ncommand_broadcast = true\n\
             min_successful_submissions = 2\nserver_url_timeout = 3\n",
            first.url(),
            second.url(),
            third.url()
        );
        ((first, second, third), text)
    });
    first.up();
    world.run("one.example");
    eventually("the first one has a command", || !first.came().is_empty());
    std::thread::sleep(Duration::from_millis(1500));
    assert!(world.metric("kukla_puppetdb_queue_commands") >= 3.0, "one server is not enough");
    assert_eq!(first.came().len(), 1, "it gets no command twice, and none out of order");
    third.up();
    eventually("two servers have all", || third.came().len() == 3 && first.came().len() == 3);
    assert!(second.came().is_empty());
    eventually("nothing waits", || world.metric("kukla_puppetdb_queue_commands") == 0.0);
    second.up();
    eventually("the second one is used again", || {
        world.run("two.example");
        !second.came().is_empty()
    });
}

#[test]
fn a_server_of_another_authority_gets_nothing() {
    let (world, (fake, strict)) = World::new("stranger", |pki| {
        let other = Pki::new("Other CA");
        // One shows a certificate of another authority, the other one trusts only those of another one.
        let (fake, strict) = (Fake::down(&other, pki), Fake::down(pki, &other));
        let text =
            format!("server_urls = {}, {}\nserver_url_timeout = 3\n", fake.url(), strict.url());
        ((fake, strict), text)
    });
    fake.up();
    strict.up();
    world.run("agent.example");
    eventually("the log says why", || {
        let log = world.log();
        log.contains("UnknownIssuer") && log.contains("UnknownCA")
    });
    assert!(fake.came().is_empty() && strict.came().is_empty());
    let path = world.fixture.directory.join("puppetdb.conf");
    let file = |name: &str| world.fixture.directory.join(name);
    let files = PuppetDbFiles {
        certificate: file("cert.pem"),
        key: file("key.pem"),
        authorities: file("ca.pem"),
        revocations: Some(file("crl.pem")),
        is_leaf_only: false,
    };
    let open = || {
        let conf = PuppetDbConf::read(&path).expect("settings");
        PuppetDb::open(conf, files.clone()).expect("certificates")
    };
    let of_certificates = |puppetdb: &PuppetDb| -> Vec<bool> {
        let versions = puppetdb.versions().into_iter();
        versions.map(|(_, version)| version.expect_err("no answer").is_of_certificates()).collect()
    };
    assert_eq!(of_certificates(&open()), [true, true]);
    fake.stop();
    assert_eq!(of_certificates(&open()), [false, true], "one that is down may come back");
    assert_eq!(world.catalog("c.example", &json!({ "collects": true })).status, 500);
    assert!(fake.asked().is_empty() && strict.asked().is_empty());
}

#[test]
fn collectors_and_queries_ask_as_the_terminus_does() {
    let ((first, second), world);
    (world, (first, second)) = World::new("ask", |pki| {
        let (first, second) = (Fake::down(pki, pki), Fake::down(pki, pki));
        let urls = format!("{}, {}", first.url(), second.url());
        let text =
            format!("server_urls = {urls}\nserver_url_timeout = 3\nsticky_read_failover = true\n");
        ((first, second), text)
    });
    let collects = json!({ "collects": true, "asks": true });
    let failed = world.catalog("web.example", &json!({ "collects": true }));
    let urls = format!("{}, {}", first.url(), second.url());
    assert_eq!(failed.status, 500);
    let words = failed.text();
    assert!(
        words.contains(&format!(
            "Could not retrieve resources from the PuppetDB at {}: Failed to execute '/pdb/query/v4/resources?query=%5B%22and%22",
            second.url()
        )) && words.contains(&format!("' on at least 1 of the following 'server_urls': {urls}")),
        "{words}"
    );
    let resource = |node: &str, title: &str, message: Value| {
        json!({ "certname": node, "type": "Notify", "title": title, "exported": true,
            "tags": ["web", "notify"], "file": "/x.pp", "line": 1, "environment": "production",
            "parameters": { "message": message, "tag": ["web"] }, "resource": "00" })
    };
    let rows = json!([
        resource("z.example", "last", json!("z")),
        resource("b.example", "second", json!({ "a": [1, 2.5, null] })),
        resource("web.example", "own", json!("never")),
    ]);
    second.answer("/pdb/query/v4/resources?", &rows);
    second.answer("/pdb/query/v4", &json!([{ "certname": "known.example" }]));
    second.up();
    let answer = world.catalog("web.example", &collects);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let catalog: Value = serde_json::from_slice(&answer.body).expect("JSON");
    let of = |title: &str| {
        let all = catalog["resources"].as_array().expect("a list");
        all.iter().find(|it| it["title"] == title).cloned().unwrap_or_default()
    };
    assert_eq!(of("last")["parameters"]["message"], "z");
    assert_eq!(of("second")["parameters"]["message"], json!({ "a": [1, 2.5, null] }));
    assert_eq!(of("own"), Value::Null);
    assert_eq!(of("rows")["parameters"]["message"], "[{'certname' => 'known.example'}]");
    let asked = second.asked();
    let query =
        asked.iter().find_map(|(target, _)| target.strip_prefix("/pdb/query/v4/resources?query="));
    let query: Value = serde_json::from_str(&unescaped(query.expect("a query"))).expect("JSON");
    let expected = json!([
        "and",
        ["=", "type", "Notify"],
        ["=", "exported", true],
        ["not", ["=", "certname", "web.example"]],
        [
            "and",
            ["=", "tag", "web"],
            ["or", ["not", ["=", "title", "x"]], ["=", ["parameter", "message"], "y"]]
        ]
    ]);
    assert_eq!(query, expected);
    let pql = json!({ "query": "nodes[certname]{}" }).to_string();
    assert!(asked.contains(&("/pdb/query/v4".to_owned(), pql)), "{asked:?}");
    // The one that answered last is asked first, though the other one is back.
    first.answer("/pdb/query/v4/resources?", &json!([]));
    first.answer("/pdb/query/v4", &json!([]));
    first.up();
    let n_asked = second.asked().len();
    assert_eq!(world.catalog("web.example", &collects).status, 200);
    assert!(second.asked().len() > n_asked && first.asked().is_empty());
    // A query that PuppetDB refuses fails the catalog.
    second.next(&[Does::Says(400, "PQL parse\nerror".to_owned())]);
    let refused = world.catalog("web.example", &json!({ "asks": true }));
    assert!(refused.status == 500 && refused.text().contains("[400 Bad Request] PQL parseerror"));
}

#[test]
fn facts_of_a_node_that_sends_none_are_those_of_puppetdb() {
    let (world, fake) = World::one("facts", "");
    fake.answer(
        "/pdb/query/v4/nodes/quiet.example/facts",
        &json!([{ "certname": "quiet.example", "name": "known", "value": "by PuppetDB" }]),
    );
    let get = |node: &str| {
        let path = format!("/puppet/v3/catalog/{node}?environment=production");
        world.request("GET", &path, &[ACCEPT], b"")
    };
    let failed = get("quiet.example");
    assert_eq!(failed.status, 500);
    assert!(
        failed.text().contains("Failed to find facts from PuppetDB at  Failed to execute '/pdb/query/v4/nodes/quiet.example/facts'"),
        "{}", failed.text()
    );
    fake.up();
    let answer = get("quiet.example");
    assert!(answer.status == 200 && answer.text().contains("by PuppetDB"), "{}", answer.text());
    // An unknown node has none.
    assert_eq!(get("unknown.example").status, 200);
    // Those that this server heard itself are used while PuppetDB is down.
    assert_eq!(world.catalog("heard.example", &json!({ "known": "by this server" })).status, 200);
    fake.stop();
    let answer = get("heard.example");
    assert!(answer.status == 200 && answer.text().contains("by this server"), "{}", answer.text());
}

#[test]
fn questions_and_commands_of_tools_are_passed_on() {
    let (world, fake) = World::one("tools", "include_catalog_edges = false\n");
    let get = |path: &str| tool(&world.fixture, "GET", path, &[], None);
    let down = get("/pdb/query/v4/nodes");
    assert!(down.status == 502 && down.text().contains("Failed to execute"), "{}", down.text());
    fake.answer("/pdb/query/v4/nodes/a%20b/facts?query=%5B%22%3D%22%5D&limit=3", &json!([1]));
    fake.answer("/pdb/meta/v1/version", &json!({ "version": "7.12.1" }));
    fake.up();
    eventually("it answers", || get("/pdb/meta/v1/version").status == 200);
    let answer = get("/pdb/query/v4/nodes/a%20b/facts?query=%5B%22=%22%5D&limit=3");
    assert_eq!((answer.status, &*answer.text()), (200, "[1]"));
    assert_eq!(answer.header("X-Records"), Some("7"));
    let posted = tool(&world.fixture, "POST", "/pdb/query/v4", &[JSON], Some(b"{\"query\":\"x\"}"));
    assert_eq!(posted.status, 404, "{}", posted.text());
    assert!(fake.asked().contains(&("/pdb/query/v4".to_owned(), "{\"query\":\"x\"}".to_owned())));
    // The page needs tables of Kukla's own.
    let page = world.fixture.connect(Some("cli.example")).expect("a connection").request(
        "GET",
        "/kukla",
        &[],
        None,
    );
    let page = page.expect("an answer");
    assert!(page.status == 404 && page.text().contains("the store is PuppetDB"), "{}", page.text());
    let payload =
        json!({ "certname": "gone.example", "producer_timestamp": "2026-01-01T00:00:00.000Z" });
    let path = "/pdb/cmd/v1?command=deactivate_node&version=3&certname=gone.example&secondsToWaitForCompletion=20";
    let sent = tool(&world.fixture, "POST", path, &[JSON], Some(payload.to_string().as_bytes()));
    assert!(sent.status == 200 && sent.text().contains("\"processed\":true"), "{}", sent.text());
    assert_eq!(fake.came()[0].payload, payload);
    world.run("edges.example");
    eventually("the run comes", || fake.came().len() == 4);
    let catalog = fake.came().into_iter().find(|it| it.target.contains("replace_catalog"));
    assert_eq!(catalog.expect("a catalog").payload["edges"], json!([]));
}

#[test]
fn facts_and_resources_are_sent_as_puppetdb_conf_says() {
    let lines = "include_unchanged_resources = true\nfact_names_blocklist = secret, os.release\n";
    let (world, fake) = World::one("blocked", lines);
    fake.up();
    let facts = json!({ "secret": "x", "open": [1], "os": { "name": "Debian", "release": "12" } });
    assert_eq!(world.catalog("b.example", &facts).status, 200);
    assert_eq!(world.report("b.example").status, 200);
    eventually("all come", || fake.came().len() == 3);
    let came = fake.came();
    let values = &came[0].payload["values"];
    assert_eq!(values["os"], json!({ "name": "Debian" }));
    assert!(values.get("secret").is_none() && values["open"] == json!([1]), "{values}");
    let resources = came[2].payload["resources"].as_array().expect("a list");
    assert!(resources.iter().any(|it| it["events"] == json!([])), "{resources:?}");
}

#[test]
fn revoked_certificates_and_missing_ones_are_refused() {
    let ((revoked, strict), world);
    (world, (revoked, strict)) = World::new("revoked", |pki| {
        let (revoked, strict) = (Fake::down(pki, pki), Fake::down(pki, pki));
        let text = format!(
            "server_urls = {}, {}\nverify_client_certificate = false\nserver_url_timeout = 3\n",
            revoked.url(),
            strict.url()
        );
        ((revoked, strict), text)
    });
    strict.up();
    assert_eq!(world.catalog("a.example", &json!({ "asks": true })).status, 500);
    eventually("no certificate was shown", || world.log().contains("CertificateRequired"));
    let other = &world.fixture.pki;
    let crl = other.crl(2, &[&other.sign(77, &["puppetdb.example"], &[])]);
    crate::pki::write(&world.fixture.directory.join("crl.pem"), &crl);
    revoked.up();
    eventually("the list is read again", || {
        world.catalog("a.example", &json!({ "asks": true }));
        world.log().contains("Revoked")
    });
    assert!(revoked.asked().is_empty() && strict.asked().is_empty());
}

fn unescaped(text: &str) -> String {
    let mut bytes = text.bytes();
    let mut out = Vec::new();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => {
                let digits = [bytes.next().expect("a digit"), bytes.next().expect("a digit")];
                let digits = std::str::from_utf8(&digits).expect("ASCII");
                u8::from_str_radix(digits, 16).expect("a number")
            }
            other => other,
        });
    }
    String::from_utf8(out).expect("UTF-8")
}
