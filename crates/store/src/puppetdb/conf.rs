//! The file `puppetdb.conf`, read by the rules of PuppetDB's terminus.
//!
//! Unlike the terminus, a setting that is unknown is an error: it would be without effect.

mod lines;

use std::path::{Path, PathBuf};
use std::time::Duration;

use self::lines::{Reader, lines};
use super::url::{ServerUrl, UrlError};

/// Settings of the section `main`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PuppetDbConf {
    /// Servers that commands are sent to and queries are asked, in their order.
    pub server_urls: Vec<ServerUrl>,
    /// Servers that only commands are sent to.
    pub submit_only_server_urls: Vec<ServerUrl>,
    /// The time that one request to one server may take.
    pub server_url_timeout: Duration,
    /// Whether all servers get each command.
    pub command_broadcast: bool,
    /// How many servers must have taken a command.
    pub min_successful_submissions: usize,
    /// Whether queries go to the server that answered last.
    pub sticky_read_failover: bool,
    /// Whether reports name resources on which nothing happened.
    pub include_unchanged_resources: bool,
    /// Whether catalogs are sent with their edges.
    pub include_catalog_edges: bool,
    /// Whether the own certificate is shown.
    pub verify_client_certificate: bool,
    /// Facts that are not sent: paths with dots.
    pub fact_names_blocklist: Vec<String>,
    /// Lines that have no effect, and why.
    pub notes: Vec<ConfNote>,
}

/// A line that has no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfNote {
    /// The number of the line.
    pub line: u32,
    /// The name of the setting.
    pub setting: String,
    /// The reason.
    pub reason: &'static str,
}

/// A `puppetdb.conf` that can't be used.
#[derive(Debug, thiserror::Error)]
#[error("{problem} (file: {}, line: {line})", .path.display())]
pub struct ConfError {
    /// The file.
    pub path: PathBuf,
    /// The number of the line; 1 if the file as a whole is meant.
    pub line: u32,
    /// The problem.
    pub problem: ConfProblem,
}

/// A problem of a line.
#[derive(Debug, thiserror::Error)]
pub enum ConfProblem {
    /// The file can't be read.
    #[error("cannot read it: {0}")]
    Unreadable(#[from] std::io::Error),
    /// It is neither a setting, a section nor a comment.
    #[error("this is neither `name = value`, a section nor a comment")]
    Line,
    /// A setting stands before all sections.
    #[error("the setting `{0}` stands outside of the section `[main]`")]
    Outside(String),
    /// A section without a meaning.
    #[error("there is no section `[{0}]`; settings are in `[main]`")]
    Section(String),
    /// A setting without a meaning.
    #[error("there is no setting `{0}`")]
    Unknown(String),
    /// A value that a setting can't have.
    #[error("the setting `{name}` is {expected}, not `{value}`")]
    Value {
        /// The setting.
        name: String,
        /// The values that it may have.
        expected: &'static str,
        /// Its value.
        value: String,
    },
    /// An address that can't be used.
    #[error("the setting `{name}`: {error}")]
    Url {
        /// The setting.
        name: String,
        /// The problem of the address.
        error: UrlError,
    },
    /// A server of both kinds.
    #[error("`{0}` is in both `server_urls` and `submit_only_server_urls`")]
    Twice(ServerUrl),
    /// Several servers are to have a command, but one is chosen.
    #[error("`min_successful_submissions` above 1 needs `command_broadcast = true`")]
    NoBroadcast,
    /// More servers are to have a command than there are.
    #[error("`min_successful_submissions` is {0}, but `server_urls` has {1} servers")]
    TooFew(usize, usize),
    /// The terminus refuses this pair.
    #[error("`soft_write_failure` can't be on if `min_successful_submissions` is above 1")]
    Soft,
}

impl Default for PuppetDbConf {
    fn default() -> Self {
        Self {
            server_urls: vec![ServerUrl::standard()],
            submit_only_server_urls: Vec::new(),
            server_url_timeout: Duration::from_secs(30),
            command_broadcast: false,
            min_successful_submissions: 1,
            sticky_read_failover: false,
            include_unchanged_resources: false,
            include_catalog_edges: true,
            verify_client_certificate: true,
            fact_names_blocklist: Vec::new(),
            notes: Vec::new(),
        }
    }
}

impl PuppetDbConf {
    /// Reads a file; without one, everything has its default, as in the terminus.
    pub fn read(path: &Path) -> Result<Self, ConfError> {
        match kukla_world::files::read_text(path) {
            Ok(text) => Self::parse(path, &text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(at(path, 1)(error.into())),
        }
    }

    /// Parses the text of a file.
    pub fn parse(path: &Path, text: &str) -> Result<Self, ConfError> {
        let mut notes = Vec::new();
        let lines = lines(path, text, &mut notes)?;
        let read = Reader { path, lines: &lines };
        let default = Self::default();
        let conf = Self {
            server_urls: read.urls("server_urls")?.unwrap_or(default.server_urls),
            submit_only_server_urls: read.urls("submit_only_server_urls")?.unwrap_or_default(),
            server_url_timeout: read.seconds("server_url_timeout", default.server_url_timeout)?,
            command_broadcast: read.flag("command_broadcast", false)?,
            min_successful_submissions: read.count("min_successful_submissions")?,
            sticky_read_failover: read.flag("sticky_read_failover", false)?,
            include_unchanged_resources: read.flag("include_unchanged_resources", false)?,
            include_catalog_edges: read.flag("include_catalog_edges", true)?,
            verify_client_certificate: read.flag("verify_client_certificate", true)?,
            fact_names_blocklist: read.list("fact_names_blocklist"),
            notes,
        };
        if read.flag("soft_write_failure", false)? && conf.min_successful_submissions > 1 {
            return Err(read.wrong("soft_write_failure", ConfProblem::Soft));
        }
        if !read.list("fact_names_blocklist_regex").is_empty() {
            let problem =
                read.value("fact_names_blocklist_regex", "empty: use `fact_names_blocklist`");
            return Err(read.wrong("fact_names_blocklist_regex", problem));
        }
        conf.check(&read)?;
        Ok(conf)
    }

    fn check(&self, read: &Reader<'_>) -> Result<(), ConfError> {
        let twice = self.submit_only_server_urls.iter().find(|url| self.server_urls.contains(url));
        if let Some(url) = twice {
            return Err(read.wrong("submit_only_server_urls", ConfProblem::Twice(url.clone())));
        }
        let (least, n_servers) = (self.min_successful_submissions, self.server_urls.len());
        let name = "min_successful_submissions";
        if least > 1 && !self.command_broadcast {
            return Err(read.wrong(name, ConfProblem::NoBroadcast));
        }
        match least > n_servers {
            true => Err(read.wrong(name, ConfProblem::TooFew(least, n_servers))),
            false => Ok(()),
        }
    }
}

fn at(path: &Path, line: u32) -> impl Fn(ConfProblem) -> ConfError {
    move |problem| ConfError { path: path.to_owned(), line, problem }
}
