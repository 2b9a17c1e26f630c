//! PuppetDB as compilations search it.

use std::sync::Arc;

use kukla_catalog::exports::{ExportSearch, Exports, ExportsError, Stored};
use kukla_store::puppetdb::PuppetDb;

use crate::agents::work::Waiter;

/// PuppetDB, and the threads of which one waits for it.
#[derive(Debug)]
pub(super) struct Patient {
    puppetdb: Arc<PuppetDb>,
    waiter: Waiter,
}

impl Patient {
    pub(super) fn new(puppetdb: Arc<PuppetDb>, waiter: Waiter) -> Self {
        Self { puppetdb, waiter }
    }
}

impl Exports for Patient {
    fn search(&self, search: &ExportSearch<'_>) -> Result<Vec<Stored>, ExportsError> {
        self.waiter.waiting(|| self.puppetdb.search(search))
    }

    fn query(&self, query: &str) -> Result<String, ExportsError> {
        self.waiter.waiting(|| self.puppetdb.query(query))
    }
}
