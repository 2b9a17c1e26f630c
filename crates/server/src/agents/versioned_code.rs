//! Versions of code: the identifier of what an environment has now, and the content of a file as it was.
//!
//! Either two commands know both, as Puppet Server's settings `versioned-code` name them, or git does.

mod git;

use std::path::{Path, PathBuf};
use std::time::Duration;

use kukla_world::{Disk, Program, RunError, World as _, clock};

/// The most time that a command may take.
const MOST_TIME: Duration = Duration::from_secs(30);

/// The source of versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum VersionedCode {
    /// There are none: catalogs are not static.
    #[default]
    Absent,
    /// Two commands: `ID ENVIRONMENT` prints the identifier, `CONTENT ENVIRONMENT ID PATH` prints a file.
    Commands {
        /// `versioned-code.code-id-command`
        id: PathBuf,
        /// `versioned-code.code-content-command`
        content: PathBuf,
    },
    /// The directory of an environment is a git repository. The identifier is that of r10k's or g10k's deploy file, or
    /// else the commit that is checked out.
    Git,
}

/// The reasons why there is no version, or no content.
#[derive(Debug, thiserror::Error)]
pub enum CodeError {
    /// A command failed.
    #[error(
        "Running script generated an error. Command executed: '{command}', error generated: '{error}'"
    )]
    Command {
        /// The command.
        command: String,
        /// Its failure.
        error: RunError,
    },
    /// An identifier has characters that are not allowed.
    #[error("Invalid code-id '{0}'. Must contain only alpha-numerics and '-', '_', ';', or ':'")]
    Identifier(String),
    /// Content was requested from a server that has no versions.
    #[error(
        "Cannot retrieve code content because the \"versioned-code.code-content-command\" setting is not present in configuration."
    )]
    NoVersions,
}

impl VersionedCode {
    /// Returns the identifier of the code of an environment; an empty one is none.
    pub fn id(&self, environment: &str, directory: &Path) -> Result<Option<String>, CodeError> {
        let id = match self {
            Self::Absent => return Ok(None),
            Self::Commands { id, .. } => text(&run(id, &[environment], None)?),
            Self::Git => git::id(directory)?,
        };
        match id.as_str() {
            "" => Ok(None),
            _ if !is_id(&id) => Err(CodeError::Identifier(id)),
            _ => Ok(Some(id)),
        }
    }

    /// Returns a file of the environment as it was. The caller has checked identifier and path.
    pub fn content(
        &self,
        environment: &str,
        directory: &Path,
        id: &str,
        path: &str,
    ) -> Result<Vec<u8>, CodeError> {
        match self {
            Self::Absent => Err(CodeError::NoVersions),
            Self::Commands { content, .. } => run(content, &[environment, id, path], None),
            Self::Git => git::content(directory, id, path),
        }
    }

    /// Returns whether a file has the content now that the identifier stands for. Commands are trusted.
    pub(super) fn is_current(&self, directory: &Path, id: &str, path: &str) -> bool {
        match self {
            Self::Absent => false,
            Self::Commands { .. } => true,
            Self::Git => git::is_current(directory, id, path),
        }
    }
}

/// Returns whether a text can be an identifier.
pub fn is_id(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-:;".contains(&byte);
    text.bytes().all(is_allowed)
}

fn run(path: &Path, arguments: &[&str], directory: Option<&Path>) -> Result<Vec<u8>, CodeError> {
    let program = Program {
        path: path.to_owned(),
        arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
        directory: directory.map(Path::to_owned),
        environment: Vec::new(),
        merges_errors: false,
        input: Vec::new(),
        deadline: clock::deadline(MOST_TIME),
    };
    let command = path.display().to_string();
    Disk.run(&program).map_err(|error| CodeError::Command { command, error })
}

/// Returns the output of a command without line breaks at its end.
fn text(output: &[u8]) -> String {
    let text = String::from_utf8_lossy(output).into_owned();
    text.trim_end_matches(['\n', '\r']).to_owned()
}
