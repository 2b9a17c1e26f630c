//! Effects of an upgrade to a later edition on the code of an environment, found without compiling.
//!
//! Start at [`OpenEnvironment::upgrade_findings`]. Manifests are checked by the rules of both editions (`manifests`); templates,
//! data and configuration are searched for names (`texts`).

mod legacy_facts;
mod manifests;
mod texts;

use std::path::PathBuf;
use std::sync::Arc;

use kukla_base::edition::ChangeRow;
use kukla_base::{Edition, EditionChange};
use kukla_pcore::Value;
use kukla_world::Pool;
use kukla_world::paths::Anchor;

use crate::node::Node;
use crate::open::OpenEnvironment;

/// A place in an environment that an upgrade affects.
#[derive(Clone, Debug)]
pub struct UpgradeFinding {
    /// The row of the change.
    pub change: &'static ChangeRow,
    /// The file.
    pub path: PathBuf,
    /// The line there.
    pub line: u32,
    /// The column there.
    pub column: u32,
    /// The code or name that is affected.
    pub subject: String,
    /// The replacement to write, where the subject has one.
    pub instead: Option<String>,
}

/// The two sides of an upgrade: one environment, opened in both editions.
#[derive(Clone, Copy, Debug)]
struct Upgrade<'a> {
    from: &'a OpenEnvironment,
    to: &'a OpenEnvironment,
}

impl Upgrade<'_> {
    fn editions(&self) -> (Edition, Edition) {
        (self.from.strictness.editions.puppet, self.to.strictness.editions.puppet)
    }

    /// Returns whether the upgrade brings a change, and no setting undoes it.
    fn brings(&self, change: EditionChange) -> bool {
        let (from, to) = self.editions();
        let is_undone = change == EditionChange::NoLegacyFacts
            && self.to.settings.get_str("include_legacy_facts") == Some(&Value::Boolean(true));
        !from.has(change) && to.has(change) && !is_undone
    }
}

impl OpenEnvironment {
    /// Returns a node as its agent presents itself after an upgrade from this environment to `to`.
    pub fn upgraded_node(&self, to: &Self, node: &Node) -> Node {
        let upgrade = Upgrade { from: self, to };
        match upgrade.brings(EditionChange::NoLegacyFacts) {
            true => Node { facts: Arc::new(legacy_facts::remove(&node.facts)), ..node.clone() },
            false => node.clone(),
        }
    }

    /// Returns the places that an upgrade to `to` affects, which is the same environment in a later edition; sorted.
    pub fn upgrade_findings(&self, to: &Self, anchor: &Anchor, pool: &Pool) -> Vec<UpgradeFinding> {
        let upgrade = Upgrade { from: self, to };
        let environment = &self.snapshot.environment;
        let manifests = environment.manifests(anchor, pool).list;
        let found = pool.map(&manifests, |manifest| upgrade.manifest(manifest));
        let mut findings: Vec<UpgradeFinding> = found.into_iter().flatten().collect();
        upgrade.texts(anchor, &mut findings);
        let key = |one: &UpgradeFinding| {
            (one.change.impact, one.path.clone(), one.line, one.column, one.change.code)
        };
        findings.sort_by_key(key);
        findings.dedup_by(|one, other| key(one) == key(other));
        findings
    }
}
