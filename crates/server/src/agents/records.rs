//! Commands by which the server tells the store of its nodes: facts before a compilation, the catalog after it, and
//! reports.
//!
//! Commands are written to a journal, which takes microseconds, and stored by a thread of their own ([`keeper`]). A
//! report is answered when the disk has it. Most nodes have the facts and the catalog that they had before: such a
//! command says that alone.
//!
//! Invariant: no Sensitive value reaches a command.

mod catalog;
mod facts;
mod keeper;
mod plain;
mod report;

use std::sync::Arc;

use kukla_catalog::Catalog;
use kukla_site::{Member, Node, Site, SiteError};
use kukla_store::{Queue, Retention, Saying, Store, Subject, SubmitError, time};

use super::query::Query;
use super::remote::Remote;
use super::reports::Report;
use super::server::AgentServer;

pub(super) use keeper::start;
pub(super) use plain::value as push_plain;

/// The store of a server, and the commands that wait for it.
#[derive(Debug)]
pub(super) struct Records {
    pub(super) store: Arc<Store>,
    pub(super) queue: Queue,
    pub(super) retention: Retention,
    /// The name of this server, the producer of its commands.
    producer: String,
}

impl Records {
    /// Opens the store of a site, unless there is none.
    pub(super) fn open(site: &Site) -> Result<Option<Self>, SiteError> {
        let Some(store) = site.open_store()? else { return Ok(None) };
        let queue = Queue::open(&site.queue_directory())?;
        let producer = site.settings().text("certname").unwrap_or_default();
        Ok(Some(Self { store, queue, retention: site.settings().retention()?, producer }))
    }
}

/// The run of an agent for which a catalog is compiled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run<'a> {
    pub(super) transaction_uuid: Option<&'a str>,
    pub(super) job_id: Option<&'a str>,
    /// The version of the code.
    pub(super) code_id: Option<&'a str>,
}

impl<'a> Run<'a> {
    /// Returns what a request says of its run.
    pub(super) fn of(query: &'a Query) -> Self {
        let (transaction_uuid, job_id) = (query.get("transaction_uuid"), query.get("job_id"));
        Self { transaction_uuid, job_id, code_id: None }
    }
}

impl AgentServer {
    /// Tells the store the facts of a node for which a catalog is compiled.
    pub(super) fn record_facts(&self, node: &Node, environment: &str) {
        let Some(producer) = self.producer() else { return };
        let time = time::now();
        let blocked = self.remote.as_ref().map(|remote| &remote.conf().fact_names_blocklist[..]);
        let blocked = blocked.unwrap_or_default();
        let facts = facts::Facts::new(node, environment, producer, time, blocked);
        self.record(&Saying {
            node: &node.name,
            subject: Subject::Facts,
            content: &facts.content(),
            time,
            keeps_exports: false,
            may_be_short: !facts.has_packages(),
            whole: &|| facts.whole(),
            same: &|since| facts.same(since),
        });
    }

    /// Tells the store the catalog of a node, whose exports are stored already if nodes collect. `text` is the catalog as
    /// the node gets it.
    pub(super) fn record_catalog(
        &self,
        member: &Member,
        catalog: &Catalog,
        text: &str,
        uuid: &str,
        run: &Run<'_>,
    ) {
        let Some(producer) = self.producer() else { return };
        let time = time::now();
        let head = catalog::Head { producer, time, catalog_uuid: uuid, run };
        let exports = match catalog.exported.is_empty() {
            true => String::new(),
            false => kukla_catalog::json::exported(catalog),
        };
        let data = catalog::data(catalog);
        let edges = |remote: &Remote| remote.conf().include_catalog_edges;
        let parts = catalog::Parts {
            aliases: &member.environment.aliases(),
            data: self.remote.is_none().then_some(data.as_str()),
            has_edges: self.remote.as_ref().is_none_or(edges),
        };
        let keeps_exports = self.store.is_some();
        let exports_nothing =
            exports.is_empty() && !catalog.resources.iter().any(|resource| resource.is_exported);
        self.record(&Saying {
            node: &member.node.name,
            subject: Subject::Catalog,
            content: &[catalog::content(text).as_bytes(), exports.as_bytes(), data.as_bytes()],
            time,
            keeps_exports,
            // The short command says nothing of exports.
            may_be_short: keeps_exports || exports_nothing,
            whole: &|| catalog::whole(catalog, &head, parts),
            same: &|since| catalog::same(catalog, &head, since),
        });
    }

    /// Tells the store a report, and waits until the disk has it.
    pub(super) fn record_report(&self, report: &Report) -> Result<(), SubmitError> {
        let Some(producer) = self.producer() else { return Ok(()) };
        let conf = self.remote.as_ref().map(Remote::conf);
        let has_unchanged = conf.is_some_and(|conf| conf.include_unchanged_resources);
        let time = time::now();
        // What was parsed as JSON can be written as JSON.
        let payload = report::payload(report, producer, time, has_unchanged);
        let Ok(payload) = payload else { return Ok(()) };
        let payload = payload.as_bytes();
        match (&self.remote, &self.records) {
            (Some(remote), _) if !remote.sent.reports => Ok(()),
            (Some(remote), _) => {
                let accepted = remote.outbox.accept_report(report.host(), time, payload);
                accepted.map(drop).inspect_err(|_| remote.rejected())
            }
            (None, Some(records)) => records.queue.accept_report(payload).map(drop),
            (None, None) => Ok(()),
        }
    }

    /// Returns the name of this server, the producer of its commands; nothing if there is no store.
    fn producer(&self) -> Option<&str> {
        let own = self.records.as_ref().map(|records| records.producer.as_str());
        own.or_else(|| Some(self.remote.as_ref()?.producer.as_str()))
    }

    fn record(&self, saying: &Saying<'_>) {
        if self.remote.as_ref().is_some_and(|remote| match saying.subject {
            Subject::Facts => !remote.sent.facts,
            Subject::Catalog => !remote.sent.catalogs,
        }) {
            return;
        }
        let accepted = match (&self.remote, &self.records) {
            (Some(remote), _) => remote.outbox.say(saying).inspect_err(|_| remote.rejected()),
            (None, Some(records)) => records.queue.say(&records.store, saying),
            (None, None) => return,
        };
        if let Err(error) = accepted {
            let command = match saying.subject {
                Subject::Facts => "replace facts",
                Subject::Catalog => "replace catalog",
            };
            let error = error.to_string();
            let fields = [("node", saying.node), ("command", command), ("error", &error)];
            self.say("not-recorded", &fields);
        }
    }
}
