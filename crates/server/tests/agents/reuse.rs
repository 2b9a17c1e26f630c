//! Catalogs that nodes get again: as a compilation would give them, and only while nothing has changed.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kukla_server::agents::ServerOptions;
use serde_json::{Value, json};

use crate::client::{Connection, Received};
use crate::fixture::Fixture;

const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");
const RICH: (&str, &str) = ("Accept", "application/vnd.puppet.rich+json");
const PLAIN: (&str, &str) = ("Accept", "application/json");
const GZIP: (&str, &str) = ("Accept-Encoding", "gzip");

const MANIFEST: &str = "warning('always said')\n\
    notify { 'os': message => \"family ${facts['os']['family']} on ${trusted['certname']}\" }\n\
    notify { 'data': message => lookup('word', { 'default_value' => 'none' }) }\n\
    Integer[1, 80].each |$n| { file { \"/tmp/f${n}\": content => \"text of ${n}\" } }\n\
    if $facts['reads'] == 'clock' { notify { 'now': message => strftime(Timestamp(), '%N') } }\n\
    if $facts['reads'] == 'program' { notify { 'p': message => generate('/bin/date', '+%N') } }\n\
    if $facts['reads'] == 'all' { notify { 'all': message => \"${facts}\" } }\n\
    if $facts['exports'] { @@notify { $facts['exports']: tag => 'shared' } }\n\
    if $facts['collects'] { Notify <<| tag == 'shared' |>> }\n";

/// A directory with code; removed at the end of the test.
struct Code(PathBuf);

impl Code {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("kukla-reuse-{name}-{}", std::process::id()));
        let code = Self(path);
        code.put("manifests/site.pp", MANIFEST);
        code.put("hiera.yaml", "version: 5\n");
        code.put("data/common.yaml", "word: first\n");
        code
    }

    fn put(&self, path: &str, text: &str) {
        let path = self.0.join("environments/production").join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
        std::fs::write(path, text).expect("written");
    }
}

impl Drop for Code {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// An agent at a server, with the number of its runs.
struct Agent<'a> {
    fixture: &'a Fixture,
    connection: Connection,
    n_runs: usize,
}

impl<'a> Agent<'a> {
    fn new(fixture: &'a Fixture, name: &str) -> Self {
        let connection = fixture.connect(Some(name)).expect("a connection");
        Self { fixture, connection, n_runs: 0 }
    }

    /// Asks for the catalog of a node with facts of this run.
    fn ask(&mut self, node: &str, facts: &Value, fields: &[(&str, &str)]) -> Received {
        self.n_runs += 1;
        let mut values = facts.clone();
        values["uptime_seconds"] = json!(self.n_runs);
        let facts = json!({ "name": node, "values": values });
        let encoded: String = facts.to_string().bytes().map(|b| format!("%25{b:02X}")).collect();
        let form = format!("environment=production&facts_format=application/json&facts={encoded}");
        let path = format!("/puppet/v3/catalog/{node}?environment=production");
        let fields = [&[FORM], fields].concat();
        let body = Some(form.as_bytes());
        let received = self.connection.request("POST", &path, &fields, body).expect("an answer");
        assert_eq!(received.status, 200, "{}", received.text());
        received
    }

    /// Returns the catalog of the agent and whether it was compiled.
    fn catalog(&mut self, facts: &Value) -> (String, bool) {
        let before = remarks(self.fixture);
        let received = self.ask("agent.example", facts, &[RICH]);
        let text = received.text();
        (masked(&text), remarks(self.fixture) == before)
    }
}

/// The number of answers that the log calls reused.
fn remarks(fixture: &Fixture) -> usize {
    let log = fixture.log.lock().expect("a log");
    log.iter().filter(|line| line.contains("\"remark\":\"catalog reused\"")).count()
}

/// Returns a catalog without its version and identifier, which must be there.
fn masked(text: &str) -> String {
    let start = text.find(",\"version\":").expect("a version");
    let end = start + text[start..].find(",\"catalog_format\":").expect("a format");
    let stamp: Value =
        serde_json::from_str(&format!("{{{}}}", &text[start + 1..end])).expect("JSON");
    assert!(stamp["version"].as_i64().is_some_and(|it| it > 1_700_000_000), "{stamp}");
    assert_eq!(stamp["catalog_uuid"].as_str().map(str::len), Some(36), "{stamp}");
    format!("{}{}", &text[..start], &text[end..])
}

fn facts(family: &str) -> Value {
    json!({ "os": { "family": family } })
}

/// Waits for a deploy.
fn await_deploy(fixture: &Fixture, n_before: usize) {
    let start = Instant::now();
    while deploys(fixture) == n_before {
        assert!(start.elapsed() < Duration::from_secs(20), "the deploy is never seen");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn deploys(fixture: &Fixture) -> usize {
    let log = fixture.log.lock().expect("a log");
    log.iter().filter(|line| line.contains("\"event\":\"deploy\"")).count()
}

fn without_reuse(options: ServerOptions) -> ServerOptions {
    ServerOptions { reuse_memory: 0, ..options }
}

#[test]
fn a_catalog_is_given_again_until_something_changes() {
    let code = Code::new("same");
    let fixture = Fixture::with_code(&code.0, |options| options);
    let mut agent = Agent::new(&fixture, "agent.example");
    let (first, is_compiled) = agent.catalog(&facts("Debian"));
    assert!(is_compiled && first.contains("family Debian on agent.example"), "{first}");
    for _ in 0..3 {
        assert_eq!(agent.catalog(&facts("Debian")), (first.clone(), false));
    }
    let (second, is_compiled) = agent.catalog(&facts("RedHat"));
    assert!(is_compiled && second.contains("family RedHat"), "{second}");
    assert_eq!(agent.catalog(&facts("RedHat")), (second, false));
    // A deploy is never answered from before it.
    let n_deploys = deploys(&fixture);
    code.put("data/common.yaml", "word: second\n");
    await_deploy(&fixture, n_deploys);
    let (third, is_compiled) = agent.catalog(&facts("RedHat"));
    assert!(is_compiled && third.contains("\"message\":\"second\""), "{third}");
    assert_eq!(agent.catalog(&facts("RedHat")), (third, false));
}

#[test]
fn an_answer_is_byte_for_byte_that_of_a_compilation() {
    let code = Code::new("bytes");
    let (with, without) = (
        Fixture::with_code(&code.0, |options| options),
        Fixture::with_code(&code.0, without_reuse),
    );
    let mut agents = [Agent::new(&with, "agent.example"), Agent::new(&without, "agent.example")];
    for fields in [&[RICH][..], &[PLAIN], &[RICH, GZIP], &[PLAIN, GZIP], &[RICH]] {
        for _ in 0..3 {
            let texts = agents.each_mut().map(|agent| {
                let received = agent.ask("agent.example", &facts("Debian"), fields);
                let kinds = ["content-type", "content-encoding", "vary"];
                let heads = kinds.map(|name| received.header(name).map(str::to_owned));
                let is_gzip = heads[1].as_deref() == Some("gzip");
                assert_eq!(is_gzip, fields.contains(&GZIP));
                let text = if is_gzip { unzipped(&received.body) } else { received.text() };
                (heads, masked(&text))
            });
            assert_eq!(texts[0], texts[1]);
        }
    }
    assert!(remarks(&with) >= 10 && remarks(&without) == 0);
    // Warnings are logged each time.
    let said = |fixture: &Fixture| {
        let log = fixture.log.lock().expect("a log");
        log.iter().filter(|line| line.contains("always said")).count()
    };
    assert_eq!((said(&with), said(&without)), (15, 15));
}

fn unzipped(bytes: &[u8]) -> String {
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes).read_to_string(&mut text).expect("gzip");
    text
}

#[test]
fn a_catalog_that_reads_clock_or_programs_is_compiled_each_time() {
    let code = Code::new("volatile");
    let fixture = Fixture::with_code(&code.0, |options| options);
    let mut agent = Agent::new(&fixture, "agent.example");
    for reads in ["clock", "program", "all"] {
        let facts = json!({ "os": { "family": "Debian" }, "reads": reads });
        let mut texts = std::collections::HashSet::new();
        for _ in 0..6 {
            let (text, is_compiled) = agent.catalog(&facts);
            assert!(is_compiled && texts.insert(text), "{reads}");
        }
    }
    // A node that has changed for a while is recorded again some time later.
    let is_reused = (0..200).any(|_| !agent.catalog(&facts("Debian")).1);
    assert!(is_reused);
}

#[test]
fn exports_of_other_nodes_and_its_own_count() {
    let code = Code::new("exports");
    let settings =
        |_: &Path, _: &crate::pki::Pki| vec![("storeconfigs".to_owned(), "true".to_owned())];
    let settle = Duration::from_millis(100);
    let fixture = Fixture::configured(&code.0, settle, settings, |options| options);
    let mut agent = Agent::new(&fixture, "agent.example");
    let mut other = Agent::new(&fixture, "trusted.example");
    let collects = json!({ "os": { "family": "Debian" }, "collects": true, "exports": "own" });
    let export = |title: &str| json!({ "os": { "family": "Debian" }, "exports": title });
    let (first, _) = agent.catalog(&collects);
    assert_eq!(agent.catalog(&collects), (first.clone(), false));
    other.ask("trusted.example", &export("shared one"), &[RICH]);
    let (second, is_compiled) = agent.catalog(&collects);
    assert!(is_compiled && second != first && second.contains("shared one"), "{second}");
    assert_eq!(agent.catalog(&collects), (second, false));
    other.ask("trusted.example", &export("shared two"), &[RICH]);
    let (third, is_compiled) = agent.catalog(&collects);
    assert!(is_compiled && third.contains("shared two") && !third.contains("shared one"));
    // Another server has told the store of a catalog that exports nothing: the exports are stored again.
    let (_, is_compiled) = agent.catalog(&collects);
    assert!(!is_compiled);
    let foreign = json!({
        "certname": "agent.example", "version": "1", "environment": "production",
        "transaction_uuid": null, "catalog_uuid": null, "code_id": null, "job_id": null,
        "producer_timestamp": "2036-01-01T00:00:00.000Z", "producer": "other", "resources": [],
        "edges": [],
    });
    let path = "/pdb/cmd/v1?command=replace_catalog&version=9&certname=agent.example\
                &secondsToWaitForCompletion=10";
    let json = ("Content-Type", "application/json");
    let body = foreign.to_string();
    let told = crate::store::tool(&fixture, "POST", path, &[json], Some(body.as_bytes()));
    assert_eq!(told.status, 200, "{}", told.text());
    let (fourth, is_compiled) = agent.catalog(&collects);
    assert!(is_compiled && fourth.contains("shared two"), "{fourth}");
}

#[test]
fn the_store_hears_of_each_run() {
    let code = Code::new("store");
    let fixture = Fixture::with_code(&code.0, |options| options);
    let mut agent = Agent::new(&fixture, "agent.example");
    let stored = || {
        let path = "/pdb/query/v4/catalogs/agent.example";
        let text = crate::store::tool(&fixture, "GET", path, &[], None).text();
        let catalog: Value = serde_json::from_str(&text).unwrap_or_default();
        catalog["catalog_uuid"].as_str().unwrap_or_default().to_owned()
    };
    for n in 0..3 {
        let before = remarks(&fixture);
        let text = agent.ask("agent.example", &facts("Debian"), &[RICH]).text();
        assert_eq!(remarks(&fixture) > before, n > 0);
        let catalog: Value = serde_json::from_str(&text).expect("JSON");
        let start = Instant::now();
        while Some(&*stored()) != catalog["catalog_uuid"].as_str() {
            assert!(start.elapsed() < Duration::from_secs(10), "run {n} is never stored");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn memory_is_bounded_and_counted() {
    let (all, n_bytes) = reused_within(1 << 20);
    assert_eq!(all, (9, 3), "{n_bytes} bytes");
    // Room for two of three.
    let most = n_bytes * 5 / 6;
    let (some, n_bytes) = reused_within(most);
    assert_eq!(some, (6, 2), "{n_bytes} of {most} bytes");
    assert!(n_bytes <= most);
    assert_eq!(reused_within(100).0, (0, 0));
}

/// Asks four times for the catalogs of three nodes with so many bytes for catalogs; returns how many were given again, and
/// how many are kept, with their bytes.
fn reused_within(reuse_memory: usize) -> ((usize, usize), usize) {
    let code = Code::new(&format!("memory-{reuse_memory}"));
    let options = |options| ServerOptions { reuse_memory, auth_conf: None, ..options };
    let fixture = Fixture::with_code(&code.0, options);
    for _ in 0..4 {
        for name in ["agent.example", "trusted.example", "cli.example"] {
            Agent::new(&fixture, name).ask(name, &facts("Debian"), &[RICH]);
        }
    }
    let mut admin = fixture.connect(Some("cli.example")).expect("a connection");
    let metrics = admin.request("GET", "/metrics", &[], None).expect("an answer").text();
    let value = |name: &str| -> usize {
        let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{name}: {metrics}"))
    };
    let counts = (value("kukla_catalogs_reused_total"), value("kukla_catalogs_kept"));
    (counts, value("kukla_catalogs_kept_bytes"))
}
