//! A server whose store is PuppetDB, and the requests of its agents.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::fake::Fake;
use crate::client::Received;
use crate::fixture::Fixture;
use crate::pki::Pki;

pub(super) const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");
pub(super) const JSON: (&str, &str) = ("Content-Type", "application/json");
pub(super) const ACCEPT: (&str, &str) = ("Accept", "application/json");

/// Code that collects, asks and keeps a secret.
const MANIFEST: &str = "notify { 'open': require => Notify['first'] }\n\
    notify { 'first': message => Sensitive('hunter2') }\n\
    if $facts['collects'] { Notify <<| tag == 'Web' and (title != 'x' or message == 'y') |>> }\n\
    if $facts['asks'] { notify { 'rows': message => String(puppetdb_query('nodes[certname]{}')) } }\n\
    if $facts['known'] { notify { 'known': message => $facts['known'] } }\n\
    if $facts['aliases'] {\n\
      file { 'motd': path => '/etc/motd', alias => ['of the day', 'message'] }\n\
      file { ['/srv/data/', '/plain']: }\n\
      package { 'editor': name => 'vim' }\n\
      exec { 'run': command => '/bin/true' }\n\
      notify { 'one': alias => 'uno' }\n\
    }\n\
    @@notify { \"from ${trusted['certname']}\": tag => 'web' }\n";

/// A rule for what has no recorded answers.
const RULES: &str = "rules: [ { match-request: { path: \"^/(metrics|kukla)\", type: regex }, \
    allow: \"cli.example\", sort-order: 400, name: \"looking\" },";

/// A report of an agent.
const REPORT: &str = include_str!("../reports/run.json");

/// A server whose store is PuppetDB.
pub(super) struct World {
    pub(super) fixture: Fixture,
    code: PathBuf,
}

impl World {
    /// Starts a server; `conf` writes its `puppetdb.conf` and makes the servers that it names.
    pub(super) fn new<T>(name: &str, conf: impl FnOnce(&Pki) -> (T, String)) -> (Self, T) {
        Self::with(name, conf, |directory| {
            let path = directory.join("puppetdb.conf");
            let store = format!("puppetdb:{}", path.display());
            vec![("store", store), ("storeconfigs", "true".to_owned())]
        })
    }

    /// Starts a server that finds one PuppetDB by settings and by `routes.yaml`.
    pub(super) fn routed(
        name: &str,
        routes: &str,
        settings: &[(&'static str, &str)],
    ) -> (Self, Fake) {
        let conf = |pki: &Pki| {
            let fake = Fake::down(pki, pki);
            let text = format!("server_urls = {}\nserver_url_timeout = 5\n", fake.url());
            (fake, text)
        };
        Self::with(name, conf, |directory| {
            std::fs::write(directory.join("routes.yaml"), routes).expect("written");
            let own = settings.iter().map(|(name, value)| (*name, (*value).to_owned()));
            let found = [
                ("confdir", directory.display().to_string()),
                ("node_terminus", "plain".to_owned()),
            ];
            own.chain(found).collect()
        })
    }

    fn with<T>(
        name: &str,
        conf: impl FnOnce(&Pki) -> (T, String),
        settings: impl FnOnce(&Path) -> Vec<(&'static str, String)>,
    ) -> (Self, T) {
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
                let own = [
                    ("hostcert", file("cert.pem")),
                    ("hostprivkey", file("key.pem")),
                    ("localcacert", file("ca.pem")),
                    ("hostcrl", file("crl.pem")),
                ];
                let all = settings(directory).into_iter().chain(own);
                all.map(|(name, value)| (name.to_owned(), value)).collect()
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
    pub(super) fn one(name: &str, lines: &str) -> (Self, Fake) {
        Self::new(name, |pki| {
            let fake = Fake::down(pki, pki);
            let text = format!("server_urls = {}\nserver_url_timeout = 5\n{lines}", fake.url());
            (fake, text)
        })
    }

    pub(super) fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Received {
        let mut connection = self.fixture.connect(Some("admin.example")).expect("a connection");
        connection.request(method, path, headers, Some(body)).expect("an answer")
    }

    pub(super) fn catalog(&self, node: &str, facts: &Value) -> Received {
        let facts = json!({ "name": node, "values": facts }).to_string();
        let encoded: String = facts.bytes().map(|byte| format!("%25{byte:02X}")).collect();
        let form = format!(
            "environment=production&facts_format=application/json&facts={encoded}&transaction_uuid=run-{node}"
        );
        let path = format!("/puppet/v3/catalog/{node}?environment=production");
        self.request("POST", &path, &[FORM, ACCEPT], form.as_bytes())
    }

    pub(super) fn report(&self, node: &str) -> Received {
        let path = format!("/puppet/v3/report/{node}?environment=production");
        let report = REPORT.replace("\"host\":\"agent.example\"", &format!("\"host\":\"{node}\""));
        self.request("PUT", &path, &[JSON, ACCEPT], report.as_bytes())
    }

    /// Runs a node: facts and catalog, then a report.
    pub(super) fn run(&self, node: &str) {
        let start = Instant::now();
        for answer in [self.catalog(node, &json!({ "a": 1 })), self.report(node)] {
            assert_eq!(answer.status, 200, "{}", answer.text());
        }
        assert!(start.elapsed() < Duration::from_secs(3), "an agent waits for nothing");
    }

    pub(super) fn log(&self) -> String {
        self.fixture.log.lock().expect("a log").join("\n")
    }

    pub(super) fn metric(&self, name: &str) -> f64 {
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
