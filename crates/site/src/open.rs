//! Environments that are ready to compile.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use ecow::EcoString;
use kukla_catalog::Version;
use kukla_compiler::Strictness;
use kukla_compiler::compile::Request;
use kukla_pcore::Hash;

use kukla_world::{Disk, World as _};

use crate::SiteError;
use crate::node::{Node, ServerIdentity};
use crate::program::run_line;
use crate::snapshot::{Deploy, Snapshot, Timeout};

/// Nanoseconds of a second.
const NANOSECONDS: i128 = 1_000_000_000;

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
    /// The revision of its files, for a server.
    pub revision: Revision,
}

/// One revision of the files of an environment; the default is that of a process which does not look for others.
#[derive(Debug, Default)]
pub struct Revision {
    /// The environment's own setting `environment_timeout`.
    pub(crate) timeout: Option<Timeout>,
    /// The index of the files.
    pub(crate) deploy: Option<Deploy>,
    /// The environment's own setting `config_version`: a command.
    pub(crate) config_version: Option<String>,
    /// The output of the command.
    pub(crate) version: OnceLock<EcoString>,
}

impl OpenEnvironment {
    /// Returns the version of catalogs: what the command `config_version` prints, once for each revision, or the time.
    pub fn version(&self) -> Result<Version, SiteError> {
        let Some(command) = &self.revision.config_version else {
            let seconds = Disk.now() / NANOSECONDS;
            return Ok(Version::Seconds(i64::try_from(seconds).unwrap_or(0)));
        };
        if let Some(version) = self.revision.version.get() {
            return Ok(Version::Text(version.clone()));
        }
        let output = run_line(command);
        let output =
            output.map_err(|error| SiteError::ConfigVersion { command: command.clone(), error })?;
        Ok(Version::Text(self.revision.version.get_or_init(|| output.trim().into()).clone()))
    }

    /// Returns the number of files and directories of its revision.
    pub fn n_entries(&self) -> usize {
        self.revision.deploy.as_ref().map_or(0, Deploy::n_entries)
    }

    /// Returns whether everything that was read of it until now belongs to one revision of its files.
    ///
    /// A catalog that was compiled of anything else must be compiled anew.
    pub fn is_whole(&self) -> bool {
        self.revision.deploy.as_ref().is_none_or(Deploy::is_whole)
    }

    /// Returns whether the kernel tells of changes of its files; if not, all of them have to be looked at now and then.
    pub fn is_watched(&self) -> bool {
        self.revision.deploy.as_ref().is_none_or(Deploy::is_watched)
    }

    /// Returns the request for the catalog of a node in this environment.
    pub fn request(&self, node: &Node) -> Request {
        node.request(self)
    }
}
