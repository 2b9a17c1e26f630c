//! Catalogs of many nodes, and the resources that the nodes export to each other.

mod in_order;

use std::sync::Arc;
use std::time::Duration;

use kukla_catalog::Catalog;
use kukla_catalog::exports::Exports;
use kukla_compiler::Limits;
use kukla_compiler::compile::{Compiled, Request};
use kukla_store::{Exporter, Store};
use kukla_world::clock;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::SiteError;
use crate::member::Member;
use crate::snapshot::Main;
use in_order::in_order;

/// The maximum number of rounds in which nodes are compiled again because exports of other nodes changed.
const MAX_ROUNDS: usize = 10;

/// Observes a fleet while it is compiled. Any thread may call the methods.
pub trait Observer: Sync {
    /// A round starts; with `is_streamed` catalogs are handed over while it runs.
    fn round(&self, n_nodes: usize, is_streamed: bool);
    /// A node of the round was compiled.
    fn compiled(&self);
    /// The round is over.
    fn finished(&self);
    /// Exports still change after this many rounds: the nodes depend on each other.
    fn unsettled(&self, n_rounds: usize);
}

/// Nodes to compile, and the options that apply to all of them.
#[derive(Debug)]
pub struct Fleet {
    /// The nodes.
    pub members: Vec<Member>,
    /// The program to start with.
    pub main: Main,
    /// The store of exported resources.
    pub store: Option<Arc<Store>>,
    /// The source of exported resources that are not in an own store; nothing is written to it.
    pub foreign_exports: Option<Arc<dyn Exports>>,
    /// Whether agents do not support rich data.
    pub is_plain: bool,
    /// Whether the log has debug messages.
    pub has_debug: bool,
    /// Whether to measure where the time goes.
    pub is_profiled: bool,
    /// Whether to record everything that compilations read.
    pub is_recorded: bool,
    /// The deadline of each compilation.
    pub timeout: Option<Duration>,
    /// The memory in bytes that the process may use while it compiles.
    pub memory_limit: Option<u64>,
}

impl Fleet {
    /// Compiles all nodes, converts each result by `make` and passes it to `take`, in the order of the nodes.
    ///
    /// Without a store, few catalogs are held at once; with one, all of them until exports no longer change.
    pub fn each<T: Send, E: From<SiteError>>(
        &self,
        observer: &impl Observer,
        make: impl Fn(&Member, Compiled) -> T + Sync,
        mut take: impl FnMut(T) -> Result<(), E>,
    ) -> Result<(), E> {
        if let ([_, _, ..], None) = (&*self.members, &self.store) {
            observer.round(self.members.len(), true);
            let work = |n: usize| {
                let made = make(&self.members[n], self.compile_one(&self.members[n]));
                observer.compiled();
                made
            };
            let result = in_order(self.members.len(), work, take);
            observer.finished();
            return result;
        }
        let compiled = self.compile(observer)?;
        for (member, compiled) in self.members.iter().zip(compiled) {
            take(make(member, compiled))?;
        }
        Ok(())
    }

    /// Compiles all nodes, in their order.
    ///
    /// With a store, each node sees earlier exports of other nodes, as agents do that run one after another. Nodes that
    /// collect are then compiled again until exports no longer change: the state that agents reach once all of them
    /// have run.
    /// Every round sees the store as it was before the round, so the order of threads does not matter.
    fn compile(&self, observer: &impl Observer) -> Result<Vec<Compiled>, SiteError> {
        let all: Vec<usize> = (0..self.members.len()).collect();
        let mut compiled = self.round(&all, observer);
        let Some(store) = &self.store else { return Ok(compiled) };
        for _ in 0..MAX_ROUNDS {
            let changed = self.export(store, &compiled)?;
            // A node never collects its own exports from the store.
            let is_due = |n: usize| changed.iter().any(|&other| other != n);
            let due: Vec<usize> =
                all.iter().copied().filter(|&n| compiled[n].has_collected && is_due(n)).collect();
            if due.is_empty() {
                return Ok(compiled);
            }
            for (n, new) in due.iter().zip(self.round(&due, observer)) {
                compiled[*n] = new;
            }
        }
        self.export(store, &compiled)?;
        observer.unsettled(MAX_ROUNDS);
        Ok(compiled)
    }

    fn round(&self, numbers: &[usize], observer: &impl Observer) -> Vec<Compiled> {
        observer.round(numbers.len(), false);
        let compile = |&n: &usize| {
            let compiled = self.compile_one(&self.members[n]);
            observer.compiled();
            compiled
        };
        let compiled = match numbers {
            [only] => vec![compile(only)],
            many => many.par_iter().map(compile).collect(),
        };
        observer.finished();
        compiled
    }

    fn compile_one(&self, member: &Member) -> Compiled {
        let own = self.store.clone().map(|store| store as Arc<dyn Exports>);
        let exports = own.or_else(|| self.foreign_exports.clone());
        let Self { is_plain, has_debug, is_profiled, is_recorded, .. } = *self;
        let request = member.request();
        let request = Request { exports, is_plain, has_debug, is_profiled, is_recorded, ..request };
        let environment = &member.environment;
        let (snapshot, strictness) = (&environment.snapshot, environment.strictness);
        let limits = Limits {
            deadline: self.timeout.and_then(clock::deadline),
            memory: self.memory_limit,
            ..Limits::default()
        };
        snapshot.compile(&self.main, strictness, limits, &request)
    }

    /// Stores the exports of all nodes in one transaction; returns the indexes of nodes whose exports changed.
    ///
    /// Earlier exports of a node without a catalog are kept.
    fn export(&self, store: &Store, compiled: &[Compiled]) -> Result<Vec<usize>, SiteError> {
        let mut changed = Vec::new();
        let mut exports = Vec::new();
        for (n, (member, compiled)) in self.members.iter().zip(compiled).enumerate() {
            let Ok(catalog) = &compiled.catalog else { continue };
            let resources = member.environment.exports(catalog);
            if store.of_node(&member.node.name)? != resources {
                changed.push(n);
                exports.push((member.node.name.as_str(), resources));
            }
        }
        let exporters: Vec<Exporter<'_>> =
            exports.iter().map(|(node, resources)| Exporter { node, resources }).collect();
        if !exporters.is_empty() {
            store.replace(&exporters)?;
        }
        Ok(changed)
    }
}

/// Stores the exports of one catalog in place of the node's earlier exports.
pub fn store_exports(store: &Store, member: &Member, catalog: &Catalog) -> Result<(), SiteError> {
    let (node, resources) = (&member.node.name, member.environment.exports(catalog));
    if store.of_node(node)? != resources {
        store.replace(&[Exporter { node, resources: &resources }])?;
    }
    Ok(())
}
