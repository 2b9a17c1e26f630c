//! The file `puppetdb.conf`, read by the rules of PuppetDB's terminus.
//!
//! Unlike the terminus, a setting that is unknown is an error: it would be without effect.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::url::{ServerUrl, UrlError};

/// The longest time that a request may take.
const MOST_SECONDS: u64 = 3600;
/// The most servers.
const MOST_SERVERS: usize = 32;

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

/// A setting with its line.
type Lines = BTreeMap<String, (u32, String)>;

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

/// Names of settings.
const KNOWN: [&str; 13] = [
    "server_urls",
    "submit_only_server_urls",
    "server_url_timeout",
    "command_broadcast",
    "min_successful_submissions",
    "sticky_read_failover",
    "soft_write_failure",
    "include_unchanged_resources",
    "include_catalog_edges",
    "verify_client_certificate",
    "fact_names_blocklist",
    "fact_names_blocklist_regex",
    "ignore_blacklisted_events",
];

/// Returns the settings of the section `main`, each with the number of its line; a later line counts.
fn lines(path: &Path, text: &str, notes: &mut Vec<ConfNote>) -> Result<Lines, ConfError> {
    let mut lines = Lines::new();
    let mut is_in_main = false;
    for (line, number) in text.lines().zip(1..) {
        let wrong = at(path, number);
        let section = line.strip_prefix('[').and_then(|rest| rest.trim_end().strip_suffix(']'));
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(section) = section.map(str::trim_end) {
            if section != "main" {
                return Err(wrong(ConfProblem::Section(section.to_owned())));
            }
            is_in_main = true;
            continue;
        }
        let (name, value) = line.split_once('=').ok_or_else(|| wrong(ConfProblem::Line))?;
        let (name, value) = (name.trim_end().to_owned(), value.trim().to_owned());
        let mut note =
            |reason| notes.push(ConfNote { line: number, setting: name.clone(), reason });
        match name.as_str() {
            // The terminus warns of these two wherever they stand.
            "server" | "port" => {
                note("it is retired: use `server_urls`");
                continue;
            }
            _ if !is_in_main => return Err(wrong(ConfProblem::Outside(name))),
            "soft_write_failure" => {
                note("commands wait in a queue, so a PuppetDB that is down fails nothing");
            }
            "ignore_blacklisted_events" => note("PuppetDB has no list of such events any more"),
            known if !KNOWN.contains(&known) => return Err(wrong(ConfProblem::Unknown(name))),
            _ => (),
        }
        if value.is_empty() {
            return Err(wrong(ConfProblem::Line));
        }
        lines.insert(name, (number, value));
    }
    Ok(lines)
}

/// Values of settings by their kinds.
struct Reader<'a> {
    path: &'a Path,
    lines: &'a Lines,
}

impl Reader<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        self.lines.get(name).map(|(_, value)| value.as_str())
    }

    /// Returns the error of the line of a setting.
    fn wrong(&self, name: &str, problem: ConfProblem) -> ConfError {
        at(self.path, self.lines.get(name).map_or(1, |(line, _)| *line))(problem)
    }

    fn value(&self, name: &str, expected: &'static str) -> ConfProblem {
        let value = self.get(name).unwrap_or_default().to_owned();
        ConfProblem::Value { name: name.to_owned(), expected, value }
    }

    fn flag(&self, name: &str, default: bool) -> Result<bool, ConfError> {
        match self.get(name) {
            None => Ok(default),
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            Some(_) => Err(self.wrong(name, self.value(name, "`true` or `false`"))),
        }
    }

    fn seconds(&self, name: &str, default: Duration) -> Result<Duration, ConfError> {
        let Some(text) = self.get(name) else { return Ok(default) };
        match text.parse() {
            Ok(seconds @ 1..=MOST_SECONDS) => Ok(Duration::from_secs(seconds)),
            _ => Err(self.wrong(name, self.value(name, "a number of seconds from 1 to 3600"))),
        }
    }

    fn count(&self, name: &str) -> Result<usize, ConfError> {
        let Some(text) = self.get(name) else { return Ok(1) };
        match text.parse() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(self.wrong(name, self.value(name, "a number of servers from 1"))),
        }
    }

    fn list(&self, name: &str) -> Vec<String> {
        let entries = self.get(name).unwrap_or_default().split(',').map(str::trim);
        entries.filter(|entry| !entry.is_empty()).map(str::to_owned).collect()
    }

    fn urls(&self, name: &str) -> Result<Option<Vec<ServerUrl>>, ConfError> {
        if self.get(name).is_none() {
            return Ok(None);
        }
        let wrong = |error| ConfProblem::Url { name: name.to_owned(), error };
        let urls = self.list(name);
        let urls: Result<Vec<_>, _> = urls.iter().map(|text| ServerUrl::parse(text)).collect();
        let urls = urls.map_err(|error| self.wrong(name, wrong(error)))?;
        match urls.len() {
            1..=MOST_SERVERS => Ok(Some(urls)),
            _ => Err(self.wrong(name, self.value(name, "a list of 1 to 32 servers"))),
        }
    }
}
