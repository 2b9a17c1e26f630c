//! Data lookups in an environment, without a catalog.

use std::sync::Arc;

use kukla_compiler::compile::{Compiled, Lookups, Request};
use kukla_compiler::{Failure, Limits, Strictness};

use kukla_world::Record;

use super::Snapshot;
use super::compile::{Main, refused};

impl Snapshot {
    /// Returns lookups for a node before any code is evaluated. An error is a message of Puppet's.
    pub fn lookups(
        self: &Arc<Self>,
        strictness: Strictness,
        request: &Request,
    ) -> Result<Lookups, Failure> {
        let library = Arc::<Self>::clone(self);
        Lookups::new(library, strictness, Limits::default(), request)
    }

    /// Returns lookups for a node after its catalog was compiled, and the outcome of the compilation. There are no
    /// lookups
    /// if the initial manifests can't be read.
    pub fn compiled_lookups(
        self: &Arc<Self>,
        main: &Main,
        strictness: Strictness,
        request: &Request,
    ) -> (Option<Lookups>, Compiled) {
        match self.initial_manifests(main, &Record::off()) {
            Ok(manifests) => {
                let library = Arc::<Self>::clone(self);
                let limits = Limits::default();
                let (lookups, compiled) =
                    Lookups::compile(library, strictness, limits, &manifests, request);
                (Some(lookups), compiled)
            }
            Err(refusal) => (None, refused(&refusal, request)),
        }
    }
}
