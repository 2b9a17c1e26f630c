//! Commands by which the server tells the store of its nodes: facts before a compilation, the catalog after it, and
//! reports.
//!
//! Commands are written to a journal, which takes microseconds, and stored by a thread of their own ([`keeper`]). A
//! report is answered when the disk has it.
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
use kukla_store::{Queue, Retention, Store, Submission, SubmitError, time};

use super::query::Query;
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
        let Some(records) = &self.records else { return };
        let payload = facts::payload(node, environment, &records.producer);
        self.submit(records, "replace facts", 5, &node.name, payload.as_bytes(), false);
    }

    /// Tells the store the catalog of a node, whose exports are stored already if nodes collect.
    pub(super) fn record_catalog(
        &self,
        member: &Member,
        catalog: &Catalog,
        uuid: &str,
        run: &Run<'_>,
    ) {
        let Some(records) = &self.records else { return };
        let head = catalog::Head { producer: &records.producer, catalog_uuid: uuid, run };
        let payload = catalog::payload(catalog, &head);
        let name = &member.node.name;
        let has_exports = self.store.is_some();
        self.submit(records, "replace catalog", 9, name, payload.as_bytes(), has_exports);
    }

    /// Tells the store a report, and waits until the disk has it.
    pub(super) fn record_report(&self, report: &[u8]) -> Result<(), SubmitError> {
        let Some(records) = &self.records else { return Ok(()) };
        let Some(payload) = report::payload(report, &records.producer) else { return Ok(()) };
        let payload = payload.as_bytes();
        let submission =
            Submission { name: "store report", version: 8, payload, keeps_exports: false };
        records.queue.accept_own(submission, true).map(drop)
    }

    fn submit(
        &self,
        records: &Records,
        command: &str,
        version: i64,
        node: &str,
        payload: &[u8],
        keeps_exports: bool,
    ) {
        let submission = Submission { name: command, version, payload, keeps_exports };
        if let Err(error) = records.queue.accept_own(submission, false) {
            let error = error.to_string();
            self.say("not-recorded", &[("node", node), ("command", command), ("error", &error)]);
        }
    }
}

/// Returns the time as commands have it.
fn now() -> String {
    time::written(time::now())
}
