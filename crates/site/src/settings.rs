//! Puppet's settings: their names, defaults and values.
//!
//! Overrides (the command line, a request) take precedence, then `puppet.conf` (the section of the server, then `main`),
//! then the table `defaults.txt`, in which settings refer to each other, and last the caller's values for its machine.

mod hash;
mod kinds;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::LazyLock;

use kukla_base::Edition;

pub use kinds::{StorePlace, StoreSecrets};

use crate::SiteError;
use crate::layout::{self, Layout};
use crate::puppet_conf::{PuppetConf, interpolate};
use kukla_world::paths::Anchor;

/// All settings of Puppet 7.23: name, kind and default; `-` is none.
const DEFAULTS: &str = include_str!("settings/defaults.txt");

/// Settings that differ in later editions: the first such edition, name, kind and default; `removed` for a removed
/// setting.
const LATER: &str = include_str!("settings/later.txt");

/// Settings that only Kukla has: name, kind and default.
const OWN: &[(&str, &str, &str)] = &[
    ("xpp", "flag", "false"),
    ("store", "text", "sqlite"),
    ("node_ttl", "duration", "7d"),
    ("node_purge_ttl", "duration", "14d"),
    ("report_ttl", "duration", "14d"),
    ("bucket_ttl", "duration", "0"),
    ("bucket", "text", "auto"),
    ("past_catalogs", "number", "10"),
    ("past_facts", "number", "0"),
    ("past_facts_ttl", "duration", "90d"),
    ("past_facts_ignored", "list", kinds::VOLATILE_FACTS),
    ("page_listen", "text", "-"),
    ("datalocation", "text", "-"),
    ("datalibrary", "text", "-"),
    ("ruby_worker", "text", "auto"),
    ("edition", "text", "8"),
    ("ruby_edition", "text", "-"),
];

/// The `puppet.conf` to read.
#[derive(Clone, Debug, Default)]
pub enum ConfigFile {
    /// The file of Puppet's packages or of Debian's, if it exists.
    #[default]
    Installed,
    /// This file, which must exist.
    At(PathBuf),
    /// No file.
    Absent,
}

/// The value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// No value.
    Undef,
    /// A text: most settings.
    Text(String),
    /// `true` or `false`
    Flag(bool),
    /// A number, or a duration in seconds.
    Number(i64),
    /// A list, separated by commas.
    List(Vec<String>),
}

/// Puppet's settings.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    overrides: Vec<(String, String)>,
    conf: PuppetConf,
    fallbacks: Vec<(String, String)>,
    pub(crate) store_secrets: StoreSecrets,
}

impl Settings {
    /// Creates the settings of a file and of overrides; the last override of a name takes precedence.
    pub fn new(conf: PuppetConf, overrides: Vec<(String, String)>) -> Self {
        Self { overrides, conf, fallbacks: Vec::new(), store_secrets: StoreSecrets::default() }
    }

    /// Reads `puppet.conf` and applies overrides.
    pub fn load(
        config: &ConfigFile,
        overrides: Vec<(String, String)>,
        anchor: &Anchor,
    ) -> Result<Self, SiteError> {
        let conf = match config {
            ConfigFile::Absent => PuppetConf::default(),
            ConfigFile::At(path) => {
                let file = anchor.absolute(path);
                let conf = PuppetConf::read(&file).map_err(SiteError::unreadable(path))?;
                if let Some(line) = conf.unmatched().cloned() {
                    return Err(SiteError::UnmatchedLine { path: path.clone(), line });
                }
                conf
            }
            ConfigFile::Installed => layout::conf_files()
                .find_map(|path| PuppetConf::read(&path).ok())
                .unwrap_or_default(),
        };
        Ok(Self::new(conf, overrides))
    }

    /// Adds a value for a setting that has none otherwise: one that depends on the machine, such as `certname`.
    #[must_use]
    pub fn with_fallback(mut self, name: &str, value: &str) -> Self {
        self.fallbacks.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Returns these settings with more overrides, which take precedence.
    #[must_use]
    pub fn with_overrides(mut self, overrides: impl IntoIterator<Item = (String, String)>) -> Self {
        self.overrides.extend(overrides);
        self
    }

    /// Sets the passwords of the store's database.
    #[must_use]
    pub fn with_store_secrets(mut self, secrets: StoreSecrets) -> Self {
        self.store_secrets = secrets;
        self
    }

    /// Returns whether a setting of this name exists.
    pub fn is_name(name: &str) -> bool {
        Edition::ALL.into_iter().any(|edition| row(name, edition).is_some())
    }

    /// Returns whether an override sets the value.
    pub fn is_overridden(&self, name: &str) -> bool {
        self.overrides.iter().any(|(known, _)| known == name)
    }

    /// Returns the names of overrides and of settings in the file that do not exist.
    pub fn unknown(&self) -> Vec<String> {
        let overridden = self.overrides.iter().map(|(name, _)| name.as_str());
        let mut unknown: Vec<String> = Vec::new();
        for name in overridden.chain(self.conf.names()).filter(|name| !Self::is_name(name)) {
            if !unknown.iter().any(|known| known == name) {
                unknown.push(name.to_owned());
            }
        }
        unknown
    }

    /// Returns the value of a setting as text, if it has one.
    pub fn text(&self, name: &str) -> Option<String> {
        Some(self.expand(&self.raw(name)?))
    }

    /// Like [`text`](Self::text), but only if an override or the file sets it: defaults do not count.
    pub fn explicit(&self, name: &str) -> Option<String> {
        Some(self.expand(self.raw_override(name).or_else(|| self.conf.raw(name))?))
    }

    /// Like [`text`](Self::text), but a section of `puppet.conf` named after `environment` takes precedence over the file's
    /// other sections.
    pub fn text_in(&self, environment: &str, name: &str) -> Option<String> {
        match self.conf.raw_in(environment, name).filter(|_| !self.is_overridden(name)) {
            Some(raw) => Some(self.expand(raw)),
            None => self.text(name),
        }
    }

    /// Returns a text in which references to settings are replaced.
    pub fn expand(&self, text: &str) -> String {
        interpolate(text, &|name| self.raw(name))
    }

    /// Returns the value of a setting.
    pub fn value(&self, name: &str) -> Setting {
        let kind = row(name, self.default_edition()).map_or("text", |(kind, _)| kind);
        match self.text(name) {
            None => Setting::Undef,
            Some(text) => kinds::typed(kind, text),
        }
    }

    /// Returns all settings of the edition, in Puppet's order.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, Setting)> {
        let edition = self.default_edition();
        let names = rows().map(|(name, ..)| name).chain(added());
        names.filter(move |name| row(name, edition).is_some()).map(|name| (name, self.value(name)))
    }

    /// Returns the edition whose defaults apply; an invalid value is refused elsewhere.
    fn default_edition(&self) -> Edition {
        let raw = self.raw_override("edition").or_else(|| self.conf.raw("edition"));
        raw.and_then(Edition::named).unwrap_or_default()
    }

    /// Returns the value of a setting before references in it are replaced.
    fn raw(&self, name: &str) -> Option<String> {
        if let Some(value) = self.raw_override(name).or_else(|| self.conf.raw(name)) {
            return Some(value.to_owned());
        }
        let edition = if name == "edition" { Edition::default() } else { self.default_edition() };
        match row(name, edition).map(|(_, default)| default) {
            None | Some("-") => self.path(name).or_else(|| self.fallback(name)),
            Some(default) => Some(default.to_owned()),
        }
    }

    fn raw_override(&self, name: &str) -> Option<&str> {
        let found = self.overrides.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    fn fallback(&self, name: &str) -> Option<String> {
        let found = self.fallbacks.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone())
    }

    /// Returns the default of a setting that depends on the layout of packages.
    fn path(&self, name: &str) -> Option<String> {
        let layout = Layout::of(self.conf.confdir());
        let path = match name {
            "confdir" if self.conf.confdir().is_empty() => layout.confdir,
            "confdir" => self.conf.confdir(),
            "codedir" => layout.codedir,
            "vardir" => layout.vardir,
            "logdir" => layout.logdir,
            "rundir" => layout.rundir,
            "publicdir" => layout.publicdir,
            "run_mode" => "server",
            "basemodulepath" => return Some(layout.basemodulepath()),
            _ => return None,
        };
        Some(path.to_owned())
    }
}

/// Name, kind and default of every setting of Puppet 7.
fn rows() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    DEFAULTS.lines().map(name_kind_default)
}

/// Returns the rows of later editions.
fn later_rows() -> impl Iterator<Item = (Edition, (&'static str, &'static str, &'static str))> {
    LATER.lines().filter_map(|line| {
        let (edition, rest) = line.split_once(' ')?;
        Some((Edition::named(edition)?, name_kind_default(rest)))
    })
}

/// Returns names of settings that Puppet 7 does not have.
fn added() -> impl Iterator<Item = &'static str> {
    later_rows()
        .map(|(_, (name, ..))| name)
        .filter(|name| !rows().any(|(other, ..)| other == *name))
}

fn name_kind_default(line: &'static str) -> (&'static str, &'static str, &'static str) {
    let (name, rest) = line.split_once(' ').unwrap_or((line, "text"));
    let (kind, default) = rest.split_once(' ').unwrap_or((rest, ""));
    (name, kind, default)
}

/// Kind and default of every setting of an edition, by name.
type Rows = HashMap<&'static str, (&'static str, &'static str)>;

/// The settings of all editions, in the order of the editions.
static BY_NAME: LazyLock<[Rows; 3]> = LazyLock::new(|| {
    Edition::ALL.map(|edition| {
        let all = rows().chain(OWN.iter().copied());
        let mut by_name: Rows = all.map(|(name, kind, default)| (name, (kind, default))).collect();
        for (_, (name, kind, default)) in later_rows().filter(|(since, _)| *since <= edition) {
            match kind {
                "removed" => drop(by_name.remove(name)),
                _ => drop(by_name.insert(name, (kind, default))),
            }
        }
        by_name
    })
});

fn row(name: &str, edition: Edition) -> Option<(&'static str, &'static str)> {
    BY_NAME[edition as usize].get(name).copied()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn settings(conf: &str, given: &[(&str, &str)]) -> Settings {
        let conf = PuppetConf::parse(Path::new("/c/puppet.conf"), conf);
        let given = given.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Settings::new(conf, given.collect())
    }

    #[test]
    fn settings_refer_to_settings() {
        let settings = settings("[main]\nvardir = /v\n", &[]);
        assert_eq!(settings.text("statefile").as_deref(), Some("/v/state/state.yaml"));
        assert_eq!(settings.text("hiera_config").as_deref(), Some("/c/hiera.yaml"));
    }

    #[test]
    fn what_is_given_counts_before_the_file() {
        let settings = settings("[main]\nstrict = off\n[server]\nstrict = warning\n", &[]);
        assert_eq!(settings.value("strict"), Setting::Text("warning".to_owned()));
        let settings = self::settings("[main]\nstrict = off\n", &[("strict", "error")]);
        assert_eq!(settings.value("strict"), Setting::Text("error".to_owned()));
    }

    #[test]
    fn values_have_their_kinds() {
        let settings = settings("", &[("disable_warnings", "a, b")]);
        assert_eq!(settings.value("runinterval"), Setting::Number(1800));
        assert_eq!(settings.value("noop"), Setting::Flag(false));
        assert_eq!(settings.value("ca_port"), Setting::Number(8140));
        let list = Setting::List(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(settings.value("disable_warnings"), list);
        assert_eq!(settings.value("srv_domain"), Setting::Undef);
        assert_eq!(settings.all().count(), 238);
    }

    /// The defaults are those that Puppet 7.23, OpenVox 8.28.1 and 9.0.0-beta2 print.
    #[test]
    fn defaults_follow_the_edition() {
        let in_edition = |edition: &str, name: &str| {
            settings("", &[("edition", edition)]).text(name).unwrap_or_default()
        };
        let of = |name: &str| ["7", "8", "9"].map(|edition| in_edition(edition, name));
        assert_eq!(of("strict"), ["warning", "error", "error"]);
        assert_eq!(of("strict_variables"), ["false", "true", "true"]);
        assert_eq!(of("preprocess_deferred"), ["true", "false", "true"]);
        assert_eq!(of("reports"), ["store", "store", "none"]);
        assert_eq!(of("allow_pson_serialization"), ["", "false", "false"]);
        assert_eq!(of("data_binding_terminus"), ["hiera", "hiera", ""]);
        let own = settings("[main]\nedition = 7\nstrict = off\n", &[]);
        assert_eq!(own.text("strict").as_deref(), Some("off"));
        assert_eq!(own.text("strict_variables").as_deref(), Some("false"));
    }

    #[test]
    fn unknown_settings_are_reported() {
        let settings = settings("[main]\nnope = 1\n", &[("xpp", "true")]);
        assert_eq!(settings.unknown(), ["nope"]);
    }
}
