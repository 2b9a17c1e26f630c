//! Serialized manifests of an open environment.

use kukla_world::Pool;
use kukla_world::paths::Anchor;
use kukla_xpp::Encoding;
use kukla_xpp::tree::{Made, Plan, Scope, Store, TreeError, build};

use crate::index::Whole;
use crate::load::Xpp;
use crate::open::OpenEnvironment;
use crate::snapshot::Snapshot;

/// The outcome of building a tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Trees {
    /// Manifests whose files were written.
    pub n_written: usize,
    /// Manifests whose files were current.
    pub n_kept: usize,
    /// Manifests without a file: those with diagnostics, and those that can't be read.
    pub n_without: usize,
}

impl Snapshot {
    /// Returns the setting `xpp` of the environment.
    pub const fn xpp(&self) -> Xpp {
        self.options.xpp
    }
}

impl OpenEnvironment {
    /// Makes the tree of serialized manifests current, by one thread.
    pub fn build_trees(&self, anchor: &Anchor) -> Result<Trees, TreeError> {
        let environment = self.snapshot.environment();
        let pool = Pool::new(Some(1));
        let selected = environment.manifests(anchor, &pool).list;
        let mut all = selected.clone();
        all.extend(environment.outside_manifests(anchor));
        let plan = Plan {
            store: &Store::new(&environment.directory),
            manifests: &selected,
            scope: Scope::Everything,
            index: &Whole { environment, manifests: &all },
            encoding: Encoding::Flat,
            writes: true,
        };
        let built = build(&plan, &pool, || ())?;
        let mut trees = Trees::default();
        for made in &built.made {
            match made {
                Made::Written => trees.n_written += 1,
                Made::Kept => trees.n_kept += 1,
                Made::Refused { .. } | Made::Doubtful | Made::Unreadable(_) => trees.n_without += 1,
            }
        }
        Ok(trees)
    }
}
