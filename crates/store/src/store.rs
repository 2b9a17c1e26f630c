//! The store, whatever its engine is.

use std::path::Path;
use std::sync::RwLock;
use std::sync::atomic::{AtomicU32, Ordering};

use kukla_catalog::exports::{ExportSearch, Exported, Exports, ExportsError, Stored};

use crate::apply::{self, Outcome, Past, Receipt};
use crate::command::Command;
use crate::engine::Engine;
use crate::history::FactHistory;
use crate::query::{Limits, Request};
use crate::sql::{Cell, Sql, SqlError, number};
use crate::{Address, StoreError, exported, time};

/// The store of all that the nodes of a fleet said.
#[derive(Debug)]
pub struct Store {
    pub(crate) engine: Engine,
    /// How many changes of a node's catalog are kept.
    n_changes: AtomicU32,
    /// The history of facts that is kept.
    pub(crate) history: RwLock<FactHistory>,
}

/// How many changes of a node's catalog are kept unless someone says otherwise.
const CHANGES: u32 = 10;

/// The exports of one node, to be stored.
#[derive(Clone, Debug)]
pub struct Exporter<'a> {
    /// Its name.
    pub node: &'a str,
    /// The exported resources, in the order of the catalog.
    pub resources: &'a [Exported],
}

/// The fate of a command; a failure concerns this command alone.
pub type Applied = Result<Outcome, StoreError>;

impl Store {
    /// Opens a file; creates it if it does not exist.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self::new(Engine::file(path, false)?))
    }

    /// Opens a database of PostgreSQL, and makes its tables if it has none. One that can't be reached at present is tried
    /// again with each use.
    pub fn connect(address: Address) -> Result<Self, StoreError> {
        Ok(Self::new(Engine::database(address, false)?))
    }

    pub(crate) fn new(engine: Engine) -> Self {
        Self { engine, n_changes: AtomicU32::new(CHANGES), history: RwLock::default() }
    }

    /// Sets how many changes of a node's catalog are kept, from the next change on.
    pub fn keep_changes(&self, n_changes: u32) {
        self.n_changes.store(n_changes, Ordering::Relaxed);
    }

    /// Stores commands in their order, in one transaction. A command that can't be stored is left out, and has its error
    /// in the list; an error of the whole leaves nothing stored.
    pub fn apply(&self, commands: &[(&Command, Receipt)]) -> Result<Vec<Applied>, StoreError> {
        match self.apply_group(commands) {
            // Each alone, so that the one that is the reason is found.
            Err(error) if error.is_of_command() && commands.len() > 1 => {
                let mut applied = Vec::with_capacity(commands.len());
                for command in commands {
                    applied.extend(self.apply(std::slice::from_ref(command))?);
                }
                Ok(applied)
            }
            Err(error) if error.is_of_command() => Ok(vec![Err(self.failed("changed", error))]),
            other => other.map_err(|error| self.failed("changed", error)),
        }
    }

    fn apply_group(&self, commands: &[(&Command, Receipt)]) -> Result<Vec<Applied>, SqlError> {
        let past =
            Past { n_changes: self.n_changes.load(Ordering::Relaxed), facts: &self.history() };
        let nodes: Vec<&str> =
            commands.iter().map(|(command, _)| command.certname.as_str()).collect();
        self.engine.write(&nodes, |sql| {
            let mut applied = Vec::with_capacity(commands.len());
            for (command, receipt) in commands {
                sql.begin_part()?;
                let outcome = apply::command(sql, command, *receipt, past);
                // Only what would fail again is left out: the store may be full or gone, or another one was faster.
                let outcome = match outcome {
                    Err(error) if !error.is_of_command() || error.may_pass() => return Err(error),
                    other => other,
                };
                sql.end_part(outcome.is_ok())?;
                applied.push(outcome.map_err(|error| self.failed("changed", error)));
            }
            Ok(applied)
        })
    }

    /// Replaces the exports of some nodes, all or nothing.
    pub fn replace(&self, exporters: &[Exporter<'_>]) -> Result<(), StoreError> {
        let mut changed = Vec::new();
        // Most catalogs export what they did before, and a reader does not wait.
        for exporter in exporters {
            let before = self.of_node(exporter.node).ok();
            if before.is_none_or(|before| before != exporter.resources) {
                changed.push(exporter);
            }
        }
        if changed.is_empty() {
            return Ok(());
        }
        let now = time::now();
        let nodes: Vec<&str> = changed.iter().map(|exporter| exporter.node).collect();
        self.write(&nodes, |sql| {
            for exporter in &changed {
                let node = apply::node_id(sql, exporter.node)?;
                apply::activate(sql, node, now)?;
                exported::replace(sql, node, exporter.resources)?;
            }
            Ok(())
        })
    }

    /// Removes the exports of a node; returns whether it had any.
    pub fn forget(&self, node: &str) -> Result<bool, StoreError> {
        self.write(&[node], |sql| {
            let query = "SELECT id FROM nodes WHERE certname = ?1";
            match number(sql, query, &[Cell::Text(node)])? {
                Some(node) => exported::remove(sql, node),
                None => Ok(false),
            }
        })
    }

    /// Returns the names of nodes with exports, and the number of their exports.
    pub fn nodes(&self) -> Result<Vec<(String, usize)>, StoreError> {
        self.read(exported::nodes)
    }

    /// Returns the exports of a node.
    pub fn of_node(&self, node: &str) -> Result<Vec<Exported>, StoreError> {
        self.read(|sql| exported::of_node(sql, node))
    }

    /// Returns whether other servers may use the store too.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self.engine, Engine::Postgres(_))
    }

    /// Returns the place of the store.
    pub fn place(&self) -> String {
        self.engine.place()
    }

    pub(crate) fn write<T>(
        &self,
        nodes: &[&str],
        change: impl FnMut(&mut dyn Sql) -> Result<T, SqlError>,
    ) -> Result<T, StoreError> {
        self.engine.write(nodes, change).map_err(|error| self.failed("changed", error))
    }

    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&mut dyn Sql) -> Result<T, SqlError>,
    ) -> Result<T, StoreError> {
        self.engine.read(None, read).map_err(|error| self.failed("read", error))
    }

    pub(crate) fn failed(&self, task: &'static str, error: SqlError) -> StoreError {
        StoreError::new(self.place(), task, error)
    }
}

impl Exports for Store {
    fn search(&self, search: &ExportSearch<'_>) -> Result<Vec<Stored>, ExportsError> {
        let stored = self.read(|sql| exported::search(sql, search));
        stored.map_err(|error| ExportsError::new(error.to_string()))
    }

    fn query(&self, query: &str) -> Result<String, ExportsError> {
        let limits = Limits::default();
        let answer =
            Request::root(query, &limits).and_then(|request| self.answer(&request, &limits));
        answer.map(|answer| answer.body).map_err(|error| ExportsError::new(error.to_string()))
    }
}
