//! Errors of a site, each of which names the file, setting or option to change.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use kukla_store::puppetdb::PuppetDbError;
use kukla_store::{AddressError, StoreError};

use crate::classifier::ClassifierError;
use crate::data_file::ParseError;
use crate::program::ProgramError;
use crate::puppet_conf::UnmatchedLine;
use crate::routes::RoutesError;

/// A reason why a site, an environment or a node can't be opened.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// A file or directory that can't be read.
    #[error("cannot read `{}`: {}", .path.display(), reason(.error))]
    Unreadable {
        /// The path as it was given.
        path: PathBuf,
        /// The system's reason.
        error: io::Error,
    },
    /// A file whose text is not of the format that its name promises.
    #[error("`{}` is not {format}: {error}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// JSON or YAML.
        format: &'static str,
        /// The parser's message.
        error: ParseError,
    },
    /// A line of a settings file that is neither a setting, a section nor a comment.
    #[error("Could not match line {}\n (file: {}, line: {})", .line.text, .path.display(), .line.number)]
    UnmatchedLine {
        /// The file.
        path: PathBuf,
        /// The line.
        line: UnmatchedLine,
    },
    /// A file whose data is not a hash.
    #[error("`{}` is not a hash", .0.display())]
    NotHash(PathBuf),
    /// An invalid value of a setting.
    #[error("the setting `{name}` is {expected}, not `{value}`")]
    BadSetting {
        /// Its name.
        name: &'static str,
        /// The values that it may have.
        expected: &'static str,
        /// The value that it has.
        value: String,
    },
    /// An environment that is in no directory of the setting `environmentpath`.
    #[error("there is no environment `{name}` in `{environmentpath}`")]
    NoEnvironment {
        /// Its name.
        name: String,
        /// The setting.
        environmentpath: String,
    },
    /// A node without facts in any of the files.
    #[error("there are no facts of `{0}`")]
    NoFactsOf(String),
    /// A directory without any facts.
    #[error("there are no facts in `{}`", .0.display())]
    NoFacts(PathBuf),
    /// Facts of several nodes where one is needed.
    #[error("several nodes have facts; choose one with --node")]
    SeveralNodes,
    /// A classification file with other content than classes, parameters and environment.
    #[error("`{}`: {error}", .path.display())]
    BadClassification {
        /// The file.
        path: PathBuf,
        /// The part that is wrong.
        error: ClassifierError,
    },
    /// A `routes.yaml` that can't be used.
    #[error("`{}`: {error}", .path.display())]
    BadRoutes {
        /// The file.
        path: PathBuf,
        /// The part that is wrong.
        error: RoutesError,
    },
    /// A classifier that fails, in Puppet's words.
    #[error("Failed when searching for node {node}: {error}")]
    Classifier {
        /// The node.
        node: String,
        /// The reason.
        error: ClassifierError,
    },
    /// A classifier that prints nothing, in Puppet's words.
    #[error("Could not find node '{0}'; cannot compile")]
    UnknownNode(String),
    /// A program of the setting `trusted_external_command` that fails.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A command of the setting `config_version` that fails, in Puppet's words.
    #[error("Execution of config_version command `{command}` failed: {error}")]
    ConfigVersion {
        /// The command.
        command: String,
        /// The reason.
        error: ProgramError,
    },
    /// Two programs of one name in the directory of `trusted_external_command`, in Puppet's words.
    #[error("There is more than one '{name}' script in {directory}")]
    SeveralPrograms {
        /// The name without its extension.
        name: String,
        /// The directory.
        directory: String,
    },
    /// Exported resources that can't be read or stored.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A database that can't be the store.
    #[error("the setting `store`: {0}")]
    StoreAddress(#[from] AddressError),
    /// PuppetDB that can't be used as the store.
    #[error(transparent)]
    PuppetDb(#[from] PuppetDbError),
    /// A use of an own store where PuppetDB is the store.
    #[error(
        "facts, catalogs and reports are in PuppetDB (the setting `store`): this is for a store of Kukla's own"
    )]
    StoreElsewhere,
    /// An environment whose files are being deployed, and that was not read before.
    #[error("the environment `{0}` is being deployed")]
    Unsettled(String),
    /// An error of opening an environment, shared by all threads that waited for it.
    #[error(transparent)]
    Shared(Arc<SiteError>),
}

impl SiteError {
    /// Returns the inner error if it is shared.
    pub fn root(&self) -> &Self {
        match self {
            Self::Shared(error) => error.root(),
            own => own,
        }
    }

    /// Returns the standard error of the program that failed, if it wrote any: for the user, not for agents.
    pub fn program_errors(&self) -> Option<&str> {
        let failed = match self.root() {
            Self::Classifier { error: ClassifierError::Failed { error, .. }, .. }
            | Self::Program(error)
            | Self::ConfigVersion { error, .. } => error,
            _ => return None,
        };
        match failed {
            ProgramError::Failed { errors, .. } if !errors.is_empty() => Some(errors),
            _ => None,
        }
    }

    /// Creates the error for a path that can't be read.
    pub(crate) fn unreadable(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        |error| Self::Unreadable { path, error }
    }
}

/// Returns the system's reason, with a small letter at its start and without the number of the error.
pub fn reason(error: &io::Error) -> String {
    let words = error.to_string();
    let mut letters = words.split(" (os error").next().unwrap_or_default().chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    first.chain(letters.clone()).collect()
}
