//! PuppetDB as the store of the server: what nodes say waits in a queue for it, and queries are asked of it.
//!
//! [`sending`] is the thread that sends; [`pass()`] answers PuppetDB's own routes by passing questions on.

mod pass;
mod patient;
mod sending;

pub(super) use pass::pass;
pub(super) use sending::start;

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hyper::StatusCode;
use kukla_catalog::exports::Exports;
use kukla_pcore::{Hash, Value};
use kukla_site::{Sent, Site, SiteError, StoreReason};
use kukla_store::puppetdb::{Direction, Outbox, PuppetDb, PuppetDbConf, RefusedFiles};

use super::exchange::RouteError;
use super::nodes::has_few_values;
use super::server::{AgentServer, event};
use super::work::Workers;
use crate::Log;

/// The largest number of values in the facts of a node.
const MOST_VALUES: usize = 300_000;

/// PuppetDB, and the commands that wait for it.
#[derive(Debug)]
pub(super) struct Remote {
    pub(super) puppetdb: Arc<PuppetDb>,
    pub(super) outbox: Arc<Outbox>,
    /// The name of this server, the producer of its commands.
    pub(super) producer: String,
    /// Which data of nodes it gets.
    pub(super) sent: Sent,
    /// Set while commands can't be sent.
    is_stuck: AtomicBool,
    n_refused: AtomicU64,
    n_unusable: AtomicU64,
    n_rejected: AtomicU64,
}

impl Remote {
    /// Opens PuppetDB if it is the store of a site.
    pub(super) fn open(site: &Site, log: &Log) -> Result<Option<Self>, SiteError> {
        let Some(puppetdb) = site.puppetdb()? else { return Ok(None) };
        let own_log = Arc::clone(log);
        puppetdb.on_failure(Box::new(move |server, target, error| {
            let words = error.to_string();
            let target: String = target.chars().take(500).collect();
            let fields = [("server", server), ("target", &target), ("error", &words)];
            own_log(&event("puppetdb-failed", &fields));
        }));
        let choice = site.store_choice()?;
        let remote = Self {
            puppetdb,
            sent: choice.sent,
            outbox: Arc::new(Outbox::open(&site.queue_directory())?),
            producer: site.settings().text("certname").unwrap_or_default(),
            is_stuck: AtomicBool::new(false),
            n_refused: AtomicU64::new(0),
            n_unusable: AtomicU64::new(0),
            n_rejected: AtomicU64::new(0),
        };
        remote.say_store(&choice.reason, log);
        for note in site.routes()?.notes {
            let words = format!("routes.yaml, line {}: {}", note.line, note.words);
            log(&event("store", &[("message", &words)]));
        }
        Ok(Some(remote))
    }

    /// Says that PuppetDB is the store, and why; an own store needs no words.
    fn say_store(&self, reason: &StoreReason, log: &Log) {
        let place = self.puppetdb.place();
        let (reason, waiting) = (reason.to_string(), self.outbox.waiting().records.to_string());
        let fields = [
            ("store", "puppetdb"),
            ("servers", &place),
            ("because", &reason),
            ("gets", &self.gets()),
            ("waiting", &waiting),
        ];
        log(&event("store", &fields));
        for note in &self.conf().notes {
            let words =
                format!("puppetdb.conf, line {}: `{}`: {}", note.line, note.setting, note.reason);
            log(&event("store", &[("message", &words)]));
        }
    }

    /// Returns the data of nodes that PuppetDB gets, in words.
    fn gets(&self) -> String {
        let Sent { facts, catalogs, reports } = self.sent;
        let all = [("facts", facts), ("catalogs", catalogs), ("reports", reports)];
        let sent: Vec<&str> = all.iter().filter(|(_, is_sent)| *is_sent).map(|it| it.0).collect();
        sent.join(", ")
    }

    /// Returns the settings of `puppetdb.conf`.
    pub(super) fn conf(&self) -> &PuppetDbConf {
        self.puppetdb.conf()
    }

    /// Counts a command that the queue did not take.
    pub(super) fn rejected(&self) {
        self.n_rejected.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns PuppetDB as compilations search it: while one waits, another thread compiles.
    pub(super) fn exports(&self, compilers: &Workers) -> Arc<dyn Exports> {
        Arc::new(patient::Patient::new(Arc::clone(&self.puppetdb), compilers.waiter()))
    }

    /// Appends metrics.
    pub(super) fn metrics(&self, out: &mut String) {
        let waiting = self.outbox.waiting();
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        for (name, kind, value) in [
            ("kukla_puppetdb_queue_commands", "gauge", waiting.records),
            ("kukla_puppetdb_queue_bytes", "gauge", waiting.bytes),
            ("kukla_puppetdb_stuck", "gauge", u64::from(self.is_stuck.load(Ordering::Relaxed))),
            ("kukla_puppetdb_refused_commands_total", "counter", count(&self.n_refused)),
            ("kukla_puppetdb_unusable_commands_total", "counter", count(&self.n_unusable)),
            ("kukla_puppetdb_rejected_commands_total", "counter", count(&self.n_rejected)),
        ] {
            let _ = writeln!(out, "# TYPE {name} {kind}\n{name} {value}");
        }
        let counts = self.puppetdb.counts();
        let labels = |count: &kukla_store::puppetdb::PuppetDbCount| {
            let kind = match count.direction {
                Direction::Command => "command",
                Direction::Query => "query",
            };
            format!("kind=\"{kind}\",server=\"{}\",outcome=\"{}\"", count.server, count.outcome)
        };
        out.push_str("# TYPE kukla_puppetdb_exchanges_total counter\n");
        for count in &counts {
            let labels = labels(count);
            let _ =
                writeln!(out, "kukla_puppetdb_exchanges_total{{{labels}}} {}", count.n_exchanges);
        }
        out.push_str("# TYPE kukla_puppetdb_exchange_seconds_total counter\n");
        for count in &counts {
            let (labels, seconds) = (labels(count), count.time.as_secs_f64());
            let _ = writeln!(out, "kukla_puppetdb_exchange_seconds_total{{{labels}}} {seconds:.6}");
        }
    }
}

impl AgentServer {
    /// Returns the facts that PuppetDB has of a node; nothing if it has none.
    ///
    /// Those in the file of this server are used if PuppetDB gives no answer.
    pub(super) fn foreign_facts(&self, node: &str) -> Result<Option<Arc<Hash>>, RouteError> {
        let Some(remote) = self.remote.as_ref().filter(|remote| remote.sent.facts) else {
            return Ok(None);
        };
        let failed = |words: &dyn std::fmt::Display| {
            // The terminus has these two blanks.
            RouteError::Failed(format!("Failed to find facts from PuppetDB at  {words}"))
        };
        let text = match self.compilers.waiting(|| remote.puppetdb.facts_of(node)) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(None),
            Err(_) if self.has_facts(node) => return Ok(None),
            Err(error) => return Err(failed(&error)),
        };
        if !has_few_values(&text, MOST_VALUES) {
            return Err(failed(&format!("there are more than {MOST_VALUES} values")));
        }
        match kukla_site::json(&text) {
            Ok(Value::Hash(facts)) => Ok(Some(facts)),
            Ok(_) => Ok(None),
            Err(error) => Err(failed(&error)),
        }
    }

    /// Returns the error of a route that needs a store of Kukla's own.
    pub(super) fn not_own(&self) -> RouteError {
        let words = match self.remote {
            Some(_) => {
                "the store is PuppetDB: this needs a store of Kukla's own (the setting `store`)"
            }
            None => "the setting `store` is `none`: this server keeps nothing",
        };
        RouteError::text(StatusCode::NOT_FOUND, words)
    }
}

/// Returns the directory of commands that PuppetDB refused.
pub(super) fn refused_files(site: &Site) -> RefusedFiles {
    RefusedFiles::beside(&site.queue_directory())
}
