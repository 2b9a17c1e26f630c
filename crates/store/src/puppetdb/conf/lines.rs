//! Lines of `puppetdb.conf`, and the values of settings by their kinds.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::{ConfError, ConfNote, ConfProblem, at};
use crate::puppetdb::url::ServerUrl;

/// The longest time that a request may take.
const MOST_SECONDS: u64 = 3600;
/// The most servers.
const MOST_SERVERS: usize = 32;

/// Settings, each with its line.
pub(super) type Lines = BTreeMap<String, (u32, String)>;

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
pub(super) fn lines(
    path: &Path,
    text: &str,
    notes: &mut Vec<ConfNote>,
) -> Result<Lines, ConfError> {
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
pub(super) struct Reader<'a> {
    pub(super) path: &'a Path,
    pub(super) lines: &'a Lines,
}

impl Reader<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        self.lines.get(name).map(|(_, value)| value.as_str())
    }

    /// Returns the error of the line of a setting.
    pub(super) fn wrong(&self, name: &str, problem: ConfProblem) -> ConfError {
        at(self.path, self.lines.get(name).map_or(1, |(line, _)| *line))(problem)
    }

    pub(super) fn value(&self, name: &str, expected: &'static str) -> ConfProblem {
        let value = self.get(name).unwrap_or_default().to_owned();
        ConfProblem::Value { name: name.to_owned(), expected, value }
    }

    pub(super) fn flag(&self, name: &str, default: bool) -> Result<bool, ConfError> {
        match self.get(name) {
            None => Ok(default),
            Some("true") => Ok(true),
            Some("false") => Ok(false),
            Some(_) => Err(self.wrong(name, self.value(name, "`true` or `false`"))),
        }
    }

    pub(super) fn seconds(&self, name: &str, default: Duration) -> Result<Duration, ConfError> {
        let Some(text) = self.get(name) else { return Ok(default) };
        match text.parse() {
            Ok(seconds @ 1..=MOST_SECONDS) => Ok(Duration::from_secs(seconds)),
            _ => Err(self.wrong(name, self.value(name, "a number of seconds from 1 to 3600"))),
        }
    }

    pub(super) fn count(&self, name: &str) -> Result<usize, ConfError> {
        let Some(text) = self.get(name) else { return Ok(1) };
        match text.parse() {
            Ok(number) if number > 0 => Ok(number),
            _ => Err(self.wrong(name, self.value(name, "a number of servers from 1"))),
        }
    }

    pub(super) fn list(&self, name: &str) -> Vec<String> {
        let entries = self.get(name).unwrap_or_default().split(',').map(str::trim);
        entries.filter(|entry| !entry.is_empty()).map(str::to_owned).collect()
    }

    pub(super) fn urls(&self, name: &str) -> Result<Option<Vec<ServerUrl>>, ConfError> {
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
