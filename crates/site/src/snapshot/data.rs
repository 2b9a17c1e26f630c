//! The data of an environment, for those who want no catalog.

use std::io;
use std::sync::Arc;

use kukla_compiler::compile::{Compiled, Lookups, Request};
use kukla_compiler::{Limits, Settings};

use kukla_world::{Record, SharedWorld, Stamp};

use super::Snapshot;
use super::compile::{Main, refused};

impl Snapshot {
    /// Lookups for a node before any code is evaluated. An error is a message of Puppet's.
    pub fn lookups(
        self: &Arc<Self>,
        settings: Settings,
        request: &Request,
    ) -> Result<Lookups, String> {
        let library = Arc::<Self>::clone(self);
        Lookups::new(library, settings, Limits::default(), request)
    }

    /// Lookups for a node after its catalog was compiled, and what became of it. There are none if the initial
    /// manifests can't be read.
    pub fn compiled_lookups(
        self: &Arc<Self>,
        main: &Main,
        settings: Settings,
        request: &Request,
    ) -> (Option<Lookups>, Compiled) {
        match self.initial_manifests(main, &Record::off()) {
            Ok(manifests) => {
                let library = Arc::<Self>::clone(self);
                let limits = Limits::default();
                let (lookups, compiled) =
                    Lookups::compile(library, settings, limits, &manifests, request);
                (Some(lookups), compiled)
            }
            Err(refusal) => (None, refused(&refusal, request)),
        }
    }
}

/// The files of a snapshot as lookups read them.
#[derive(Debug)]
pub(crate) struct DataFiles(pub(crate) SharedWorld);

impl kukla_lookup::Files for DataFiles {
    fn stamp(&self, path: &str) -> Option<kukla_lookup::Stamp> {
        self.0.stamp(path).map(stamp)
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<kukla_lookup::Opened> {
        let opened = self.0.read(path, limit)?;
        Ok(kukla_lookup::Opened { bytes: opened.bytes.to_vec(), stamp: stamp(opened.stamp) })
    }

    fn list(&self, path: &str) -> Vec<String> {
        self.0.names(path).unwrap_or_default()
    }

    fn names(&self, path: &str) -> io::Result<Vec<String>> {
        self.0.names(path)
    }

    fn resolve(&self, path: &str) -> io::Result<String> {
        self.0.resolve(path)
    }

    fn has_entry(&self, path: &str) -> io::Result<bool> {
        self.0.has_entry(path)
    }
}

fn stamp(stamp: Stamp) -> kukla_lookup::Stamp {
    kukla_lookup::Stamp {
        device: stamp.device,
        inode: stamp.inode,
        modified: stamp.modified,
        size: stamp.size,
        is_directory: stamp.is_directory(),
    }
}
