//! Trees that no reader sees yet.

use std::path::Path;

use kukla_world::tree::{Attributes, Staging};

use super::error::TreeError;
use super::store::Store;

/// A tree that is being built; it is removed on drop unless it was put in place.
#[derive(Debug)]
pub(super) struct NewTree<'a> {
    store: &'a Store,
    staging: Staging,
}

impl<'a> NewTree<'a> {
    /// Creates an empty tree.
    pub(super) fn new(store: &'a Store) -> Self {
        Self { store, staging: Staging::new(store.new_tree(), store.directory_attributes()) }
    }

    /// Writes a file.
    pub(super) fn write(
        &self,
        target: &Path,
        bytes: &[u8],
        attributes: Attributes,
    ) -> Result<(), TreeError> {
        let written = self.staging.write(target, bytes, attributes);
        written.map_err(|error| self.unwritten(target, error))
    }

    /// Links a file of the present tree.
    pub(super) fn keep(&self, target: &Path) -> Result<(), TreeError> {
        let linked = self.staging.link(&self.store.modules().join(target), target);
        linked.map_err(|error| self.unwritten(target, error))
    }

    /// Replaces the present tree by the finished one.
    pub(super) fn switch(self, mark: &str) -> Result<(), TreeError> {
        let target = Path::new(Store::MARK);
        let marked = self.staging.write_plain(target, mark.as_bytes());
        marked.map_err(|error| self.unwritten(target, error))?;
        self.store.switch(self.staging.path())
    }

    fn unwritten(&self, target: &Path, error: std::io::Error) -> TreeError {
        TreeError::with("write", &self.staging.path().join(target))(error)
    }
}
