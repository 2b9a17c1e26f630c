//! A manifest and its place in the tree.

use std::path::{Path, PathBuf};

use kukla_syntax::Home;

/// The name that the environment itself has among the modules.
pub const RESERVED: &str = "environment";

/// A manifest of an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The path as Puppet names it.
    pub path: PathBuf,
    /// The module, [`RESERVED`] for the environment's own.
    pub module: String,
    /// The path from the module's or environment's directory on.
    pub rest: PathBuf,
    /// Where it belongs, which decides what it may define.
    pub home: Home,
}

impl Manifest {
    /// The path of the serialized manifest in the tree of the environment.
    pub fn target(&self) -> PathBuf {
        Path::new(&self.module).join(self.rest.with_extension("xpp"))
    }
}
