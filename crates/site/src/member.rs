//! Nodes in their environments.

use std::sync::Arc;

use kukla_compiler::compile::{Compiled, Lookups, Request};

use crate::node::Node;
use crate::open::OpenEnvironment;
use crate::snapshot::Main;

/// A node in its environment.
#[derive(Clone, Debug)]
pub struct Member {
    /// The node.
    pub node: Node,
    /// The environment that it is compiled in.
    pub environment: Arc<OpenEnvironment>,
}

impl Member {
    /// Returns the request for its catalog.
    pub fn request(&self) -> Request {
        self.environment.request(&self.node)
    }

    /// Compiles its catalog from the manifests of the environment, and returns it with the data that was used.
    ///
    /// There is no data if the manifests can't be read.
    pub fn compiled_lookups(&self) -> (Option<Lookups>, Compiled) {
        let OpenEnvironment { snapshot, strictness, .. } = &*self.environment;
        snapshot.compiled_lookups(&Main::Environment, *strictness, &self.request())
    }
}
