//! The server: settings, rules, threads and counters that all requests share.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use kukla_base::cancel::Cancel;
use kukla_base::edition::Edition;
use kukla_ca::Authority;
use kukla_site::{OpenEnvironment, Site, SiteError, Tended};
use kukla_store::Store;
use kukla_world::{Bounds, Watchdog};

use super::access_log::{AccessLog, AccessLogError, timestamp};
use super::activity::Activity;
use super::authority_proxy::AuthorityProxy;
use super::bodies::Bodies;
use super::file_routes::{FileOptions, FileRoutes, anonymous_config};
use super::groups::{GroupError, Groups};
use super::identity::OidNames;
use super::metrics::ServerMetrics;
use super::outgoing::Destination;
use super::patience::Patience;
use super::piped::Spools;
use super::policy::{Policy, PolicyError};
use super::records::Records;
use super::remote::Remote;
use super::reuse::Reuse;
use super::site_rules::SiteRules;
use super::tls::{TlsError, TlsFiles, TlsKeeper};
use super::trees::Trees;
use super::versioned_code::VersionedCode;
use super::work::Workers;
use crate::Log;

/// The time in which threads must take a request that does nothing.
const ALIVE_TIME: Duration = Duration::from_secs(10);

/// Options of a server.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// Certificates; none for a server behind a proxy that speaks TLS.
    pub tls: Option<TlsFiles>,
    /// `auth.conf`; without one, the rules of Puppet Server.
    pub auth_conf: Option<PathBuf>,
    /// A program of P that decides in place of `auth.conf`.
    pub rules: Option<PathBuf>,
    /// Groups for `Route.to`: `NAME=environment:NAME`, or `NAME=URL` of a compiler.
    pub groups: Vec<String>,
    /// `trusted_oid_mapping.yaml`
    pub oid_mapping: Option<PathBuf>,
    /// The certificate authority; none for a server that only compiles.
    pub authority: Option<Arc<Authority>>,
    /// Whether the plain listener takes identities from the header fields of a proxy.
    pub trusts_headers: bool,
    /// Names of certificates of proxies that speak TLS with agents, and whose header fields name the client.
    pub proxies: Vec<String>,
    /// The number of threads that compile.
    pub n_compilers: usize,
    /// The number of requests that may wait.
    pub most_queued: usize,
    /// The time that a request may take.
    pub timeout: Duration,
    /// The memory in bytes that the process may use while it compiles.
    pub memory_limit: Option<u64>,
    /// The largest body of a request.
    pub most_body: usize,
    /// The times that clients may take.
    pub patience: Patience,
    /// How often revocation lists of a CA on another machine are fetched.
    pub revocations_every: Duration,
    /// Options of files and of static catalogs.
    pub files: FileOptions,
    /// The memory in bytes for catalogs that nodes get again if nothing has changed; with none, each is compiled.
    pub reuse_memory: usize,
    /// A file for requests in the form of Puppet Server's access log.
    pub access_log: Option<PathBuf>,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            tls: None,
            auth_conf: None,
            rules: None,
            groups: Vec::new(),
            oid_mapping: None,
            authority: None,
            trusts_headers: false,
            proxies: Vec::new(),
            n_compilers: std::thread::available_parallelism().map_or(1, usize::from),
            most_queued: 1000,
            timeout: Duration::from_secs(300),
            memory_limit: None,
            most_body: 64 << 20,
            patience: Patience::default(),
            revocations_every: Duration::from_secs(60),
            files: FileOptions::default(),
            reuse_memory: 32 << 20,
            access_log: None,
        }
    }
}

/// A server that can't start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// Its rules can't be used.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// A group for its rules can't be used.
    #[error(transparent)]
    Group(#[from] GroupError),
    /// Its certificates can't be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// Its site can't be used.
    #[error(transparent)]
    Site(#[from] SiteError),
    /// Its access log can't be written.
    #[error(transparent)]
    AccessLog(#[from] AccessLogError),
    /// Its threads can't be started.
    #[error("cannot start threads: {0}")]
    Threads(std::io::Error),
}

/// A server.
pub struct AgentServer {
    /// Settings and environments.
    pub(super) site: Site,
    /// The store for exported resources, if nodes collect.
    pub(super) store: Option<Arc<Store>>,
    /// The store for what nodes say.
    pub(super) records: Option<Records>,
    /// PuppetDB, if that is the store.
    pub(super) remote: Option<Remote>,
    /// Whether nodes collect resources of each other.
    pub(super) collects: bool,
    pub(super) files: FileRoutes,
    pub(super) policy: Policy,
    /// Rules in place of the policy.
    pub(super) rules: Option<SiteRules>,
    /// Groups for these rules.
    pub(super) groups: Groups,
    pub(super) tls: Option<TlsKeeper>,
    pub(super) names: OidNames,
    pub(super) authority: Option<Arc<Authority>>,
    /// The CA that requests go to if there is no own one.
    pub(super) other_authority: Option<AuthorityProxy>,
    /// Catalogs that nodes get again.
    pub(super) reuse: Option<Reuse>,
    pub(super) compilers: Workers,
    pub(super) workers: Workers,
    pub(super) metrics: ServerMetrics,
    pub(super) activity: Activity,
    pub(super) access_log: Option<AccessLog>,
    pub(super) memory_limit: Option<u64>,
    pub(super) bodies: Bodies,
    /// Answers that slow clients have not taken yet.
    pub(super) spools: Arc<Spools>,
    pub(super) patience: Patience,
    pub(super) revocations_every: Duration,
    pub(super) trusts_headers: bool,
    /// Names of certificates of proxies whose header fields name the client.
    pub(super) proxies: Vec<String>,
    /// The version of Puppet that agents see.
    pub(super) version: &'static str,
    /// Whether catalogs of version 4 of the API have rich data: since Puppet 8, as the setting `rich_data` says.
    pub(super) has_rich_v4: bool,
    timeout: Duration,
    is_stopping: AtomicBool,
    pub(super) trees: Trees,
    /// Environments that the log says can't be watched.
    unwatched: Mutex<HashSet<String>>,
    log: Log,
}

impl std::fmt::Debug for AgentServer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "AgentServer({:?})", self.site.vardir())
    }
}

impl AgentServer {
    /// Reads rules and certificates and starts threads; nothing listens yet.
    pub fn open(site: Site, options: ServerOptions, log: Log) -> Result<Self, ServerError> {
        let ServerOptions { n_compilers, most_queued, .. } = options;
        let start = |name: &str, n_threads: usize| {
            Workers::start(name, n_threads, most_queued).map_err(ServerError::Threads)
        };
        let spools = Arc::new(Spools::new(site.vardir().join("store-spool")));
        let remote = Remote::open(&site, &log)?;
        let records = match remote {
            Some(_) => None,
            None => Records::open(&site)?,
        };
        let collects = site.settings().flag("storeconfigs");
        let edition = site.settings().editions()?.puppet;
        let groups = Groups::parse(&options.groups, &site)?;
        let can_reuse = remote.is_none()
            && options.files.versioned_code == VersionedCode::Absent
            && options.reuse_memory > 0;
        let rules = options.rules.map(|path| SiteRules::open(&path, groups.names())).transpose()?;
        Ok(Self {
            rules,
            groups,
            version: edition.version(),
            has_rich_v4: edition > Edition::Seven && site.settings().flag("rich_data"),
            other_authority: match options.authority {
                Some(_) => None,
                None => other_authority(&site, &log),
            },
            authority: options.authority,
            store: records.as_ref().filter(|_| collects).map(|records| Arc::clone(&records.store)),
            files: FileRoutes::open(
                &site,
                options.files,
                records.as_ref().map(|records| &records.store),
                Arc::clone(&log),
            )?,
            records,
            remote,
            collects,
            site,
            policy: Policy::open(options.auth_conf)?,
            tls: options.tls.map(TlsKeeper::open).transpose()?,
            names: options.oid_mapping.map_or_else(OidNames::default, |path| OidNames::read(&path)),
            reuse: can_reuse.then(|| Reuse::new(options.reuse_memory)),
            compilers: start("compile", n_compilers)?,
            workers: start("request", n_compilers.max(8))?,
            metrics: ServerMetrics::default(),
            activity: Activity::default(),
            access_log: options.access_log.map(AccessLog::open).transpose()?,
            memory_limit: options.memory_limit,
            bodies: Bodies::new(options.most_body, options.patience),
            spools,
            patience: options.patience,
            revocations_every: options.revocations_every,
            trusts_headers: options.trusts_headers,
            proxies: options.proxies,
            timeout: options.timeout,
            is_stopping: AtomicBool::new(false),
            trees: Trees::default(),
            unwatched: Mutex::default(),
            log,
        })
    }

    /// Writes an event to the log, as a line of JSON.
    pub(super) fn say(&self, event: &str, fields: &[(&str, &str)]) {
        (self.log)(&self::event(event, fields));
    }

    /// Returns when a request that starts now must be done.
    pub(super) fn deadline(&self) -> Option<Instant> {
        Instant::now().checked_add(self.timeout)
    }

    /// Does something that is stopped at the deadline, and when the client is gone.
    pub(super) fn bounded<T>(&self, cancel: &Cancel, work: impl FnOnce() -> T) -> T {
        let bounds = Bounds { deadline: self.deadline(), memory: self.memory_limit };
        let _watchdog = Watchdog::watch(bounds, cancel);
        cancel.enter(work)
    }

    /// Returns whether the server is a certificate authority too.
    pub(super) fn has_authority(&self) -> bool {
        self.authority.is_some()
    }

    /// Returns whether the server takes no new connections.
    pub(super) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// Returns whether threads still take requests, for a watchdog.
    pub async fn is_alive(&self) -> bool {
        // A full queue is refused at once, so its threads are only busy.
        let answer = self.workers.run("watchdog", |_| Ok(()));
        tokio::time::timeout(ALIVE_TIME, answer).await.is_ok()
    }

    /// Marks the server as one that takes no new connections.
    pub(super) fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// Says once that the kernel does not tell of changes in an environment.
    fn warn_unwatched(&self, environment: &OpenEnvironment) {
        if environment.is_watched() {
            return;
        }
        let mut unwatched = self.unwatched.lock().unwrap_or_else(PoisonError::into_inner);
        if unwatched.insert(environment.name.clone()) {
            let words = "the kernel does not watch its directories (see fs.inotify.max_user_watches \
                         and fs.inotify.max_user_instances): all files are looked at now and then";
            self.say("unwatched", &[("environment", &environment.name), ("message", words)]);
        }
    }

    /// Looks for deploys.
    pub(super) fn tend(self: &Arc<Self>) {
        for (name, tended) in self.site.tend() {
            let (event, environment) = match tended {
                Tended::Opened(environment) => ("environment", environment),
                Tended::Replaced(environment) => ("deploy", environment),
                Tended::Failed(error) => {
                    let error = error.to_string();
                    self.say("deploy-failed", &[("environment", &name), ("error", &error)]);
                    continue;
                }
            };
            let n_entries = environment.n_entries().to_string();
            self.say(event, &[("environment", &name), ("entries", &n_entries)]);
            self.warn_unwatched(&environment);
            self.trees.want(self, environment);
        }
    }

    /// Returns the name of the file with the rules of access.
    pub(super) fn rules_name(&self) -> String {
        self.rules.as_ref().map_or_else(|| self.policy.name(), SiteRules::name)
    }

    /// Reads rules and certificates again if their files have changed.
    pub(super) fn refresh(&self) {
        if let Some(log) = &self.access_log {
            log.follow();
        }
        if let Some(result) = self.policy.refresh() {
            self.say_reload("rules", result.map_err(|error| error.to_string()));
        }
        if let Some(result) = self.rules.as_ref().and_then(SiteRules::refresh) {
            self.say_reload("rules", result.map_err(|error| error.to_string()));
        }
        if let Some(result) = self.tls.as_ref().and_then(TlsKeeper::refresh) {
            self.say_reload("certificates", result.map_err(|error| error.to_string()));
        }
    }

    /// Returns what the server is doing, as JSON.
    pub(super) fn activity(&self) -> serde_json::Value {
        let n_queued = self.compilers.n_queued() + self.workers.n_queued();
        let mut all = self.activity.json();
        all["queued"] = n_queued.into();
        all["memory_bytes"] = kukla_world::resident().into();
        let ends = self.tls.iter().flat_map(TlsKeeper::expirations);
        let ends = ends.map(|(path, name, seconds)| {
            serde_json::json!({ "file": path, "name": name, "seconds_left": seconds })
        });
        all["certificates"] = ends.collect();
        all
    }

    fn say_reload(&self, what: &str, result: Result<(), String>) {
        match result {
            Ok(()) => self.say("reload", &[("what", what)]),
            Err(error) => self.say("reload-failed", &[("what", what), ("error", &error)]),
        }
    }
}

/// Returns a line of the log.
pub(super) fn event(event: &str, fields: &[(&str, &str)]) -> String {
    let time = timestamp(SystemTime::now());
    let mut line = Vec::with_capacity(256);
    let first = [("time", &*time), ("level", level(event)), ("event", event)];
    for (n, (name, value)) in first.iter().chain(fields).enumerate() {
        line.push(if n > 0 { b',' } else { b'{' });
        // Neither texts nor a vector fail.
        let _ = serde_json::to_writer(&mut line, name);
        line.push(b':');
        let _ = serde_json::to_writer(&mut line, value);
    }
    line.push(b'}');
    String::from_utf8(line).unwrap_or_default()
}

/// Returns the CA that the setting `ca_server` names, unless that is this server.
fn other_authority(site: &Site, log: &Log) -> Option<AuthorityProxy> {
    let settings = site.settings();
    let host = settings.explicit("ca_server")?;
    if settings.text("certname") == Some(host.clone()) {
        return None;
    }
    let port = settings.text("ca_port").and_then(|port| port.parse().ok()).unwrap_or(8140);
    let Some(tls) = anonymous_config(site) else {
        log(
            "the setting `localcacert` must name the certificate of the CA, which `ca_server` needs",
        );
        return None;
    };
    Some(AuthorityProxy::new(Destination { host, port, tls: Some(tls) }))
}

/// Returns how urgent an event is.
fn level(event: &str) -> &'static str {
    match event {
        "reload-failed" | "deploy-failed" | "crl-failed" | "xpp-failed" | "internal-error"
        | "facts-not-stored" | "not-recorded" | "store-failed" | "discarded"
        | "command-refused" => "error",
        "denied" | "handshake" | "torn" | "unwatched" | "crl-expired" | "compile"
        | "puppetdb-failed" | "commands-wait" => "warning",
        _ => "info",
    }
}
