//! Manifests and their paths in the tree.

use std::path::{Path, PathBuf};

use kukla_syntax::Home;

/// The reserved name of the environment itself among the modules.
pub const RESERVED: &str = "environment";

/// A manifest of an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The path as Puppet names it.
    pub path: PathBuf,
    /// The module, [`RESERVED`] for the environment's own.
    pub module: String,
    /// The path relative to the directory of the module or environment.
    pub rest: PathBuf,
    /// Its home, which decides what it may define.
    pub home: Home,
}

impl Manifest {
    /// Returns the path of the serialized manifest in the tree of the environment.
    pub fn target(&self) -> PathBuf {
        Path::new(&self.module).join(self.rest.with_extension("xpp"))
    }
}
