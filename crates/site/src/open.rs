//! Environments that are ready to compile.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use kukla_compiler::Strictness;
use kukla_compiler::compile::Request;
use kukla_pcore::Hash;

use crate::node::{Node, ServerIdentity};
use crate::snapshot::Snapshot;

/// An environment and the settings that it was opened with.
#[derive(Debug)]
pub struct OpenEnvironment {
    /// Its name.
    pub name: String,
    /// Its manifests, modules and data.
    pub snapshot: Arc<Snapshot>,
    /// `$settings::`
    pub settings: Arc<Hash>,
    /// The strictness of evaluations.
    pub strictness: Strictness,
    /// The server that catalogs name.
    pub server: ServerIdentity,
    /// Directories of modules that could not be read.
    pub problems: Vec<(PathBuf, io::Error)>,
}

impl OpenEnvironment {
    /// Returns the request for the catalog of a node in this environment.
    pub fn request(&self, node: &Node) -> Request {
        node.request(self)
    }
}
