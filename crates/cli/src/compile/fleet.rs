//! Compiling for many nodes, and what they export to each other.

use std::sync::Arc;

use kukla_catalog::exports::{Exported, Exports};
use kukla_compiler::compile::{Compiled, Request};
use kukla_compiler::{Limits, Settings as Rules};
use kukla_pcore::Hash;
use kukla_site::{Main, Snapshot};
use kukla_store::{Exporter, Store};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::in_order::in_order;
use super::node::Node;
use crate::shell::Shell;

/// How often nodes are compiled again for what others export.
const MAX_ROUNDS: usize = 10;

/// A node, and the environment that it is compiled in.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) node: Node,
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) settings: Arc<Hash>,
}

/// What is the same for all nodes.
#[derive(Debug)]
pub(super) struct Fleet {
    pub(super) members: Vec<Member>,
    pub(super) main: Main,
    pub(super) rules: Rules,
    pub(super) store: Option<Arc<Store>>,
    pub(super) is_plain: bool,
    pub(super) is_profiled: bool,
    pub(super) is_recorded: bool,
}

impl Fleet {
    /// Compiles all, and gives what `make` makes of them to `take`, in the order of the nodes.
    ///
    /// Without a store few catalogs are held at once; with one, all of them until nothing changes any more.
    pub(super) fn each<T: Send>(
        &self,
        shell: &Shell,
        make: impl Fn(&Member, Compiled) -> T + Sync,
        mut take: impl FnMut(T) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        if let ([_, _, ..], None) = (&*self.members, &self.store) {
            let progress = shell.progress_beside_output(self.members.len());
            let work = |n: usize| {
                let made = make(&self.members[n], self.compile_one(&self.members[n]));
                progress.step();
                made
            };
            in_order(self.members.len(), work, |made| progress.aside(|| take(made)))?;
            progress.finish();
            return Ok(());
        }
        let compiled = self.compile(shell)?;
        for (member, compiled) in self.members.iter().zip(compiled) {
            take(make(member, compiled))?;
        }
        Ok(())
    }

    /// Compiles all, in the order of the nodes.
    ///
    /// With a store, each node sees what others exported before, as agents do that run one after another. Nodes that
    /// collect are then compiled again until nobody exports anything else: what agents get once all of them have
    /// run. Every round sees what was stored before it, so threads don't matter.
    fn compile(&self, shell: &Shell) -> anyhow::Result<Vec<Compiled>> {
        let all: Vec<usize> = (0..self.members.len()).collect();
        let mut compiled = self.round(&all, shell);
        let Some(store) = &self.store else { return Ok(compiled) };
        for _ in 0..MAX_ROUNDS {
            let changed = self.keep(store, &compiled)?;
            // What a node exports itself it never collects from the store.
            let is_due = |n: usize| changed.iter().any(|&other| other != n);
            let due: Vec<usize> =
                all.iter().copied().filter(|&n| compiled[n].has_collected && is_due(n)).collect();
            if due.is_empty() {
                return Ok(compiled);
            }
            for (n, new) in due.iter().zip(self.round(&due, shell)) {
                compiled[*n] = new;
            }
        }
        self.keep(store, &compiled)?;
        shell.warning(&format!(
            "what nodes export still changes after {MAX_ROUNDS} rounds: they depend on each other"
        ));
        Ok(compiled)
    }

    fn round(&self, numbers: &[usize], shell: &Shell) -> Vec<Compiled> {
        let progress = shell.progress(numbers.len());
        let compile = |&n: &usize| {
            let compiled = self.compile_one(&self.members[n]);
            progress.step();
            compiled
        };
        let compiled = match numbers {
            [only] => vec![compile(only)],
            many => many.par_iter().map(compile).collect(),
        };
        progress.finish();
        compiled
    }

    fn compile_one(&self, member: &Member) -> Compiled {
        let exports = self.store.clone().map(|store| store as Arc<dyn Exports>);
        let settings = Arc::clone(&member.settings);
        let (is_plain, is_profiled, is_recorded) =
            (self.is_plain, self.is_profiled, self.is_recorded);
        let request = Request {
            settings,
            exports,
            is_plain,
            is_profiled,
            is_recorded,
            ..member.node.clone().request()
        };
        member.snapshot.compile(&self.main, self.rules, Limits::default(), &request)
    }

    /// Keeps what nodes export, all at once; the numbers of those that export something else than before.
    ///
    /// A node without a catalog keeps what it exported.
    fn keep(&self, store: &Store, compiled: &[Compiled]) -> anyhow::Result<Vec<usize>> {
        let mut changed = Vec::new();
        let mut exports = Vec::new();
        for (n, (member, compiled)) in self.members.iter().zip(compiled).enumerate() {
            let Ok(catalog) = &compiled.catalog else { continue };
            let resources = Exported::all_of(catalog);
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
