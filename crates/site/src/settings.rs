//! Puppet's settings: their names, what they are by default, and what somebody says they are.
//!
//! What is given on the command line counts first, then `puppet.conf` (the section of the server, then `main`),
//! then the table `defaults.txt`, in which settings refer to each other.

use std::collections::HashMap;
use std::path::Path;
use std::sync::LazyLock;

use crate::puppet_conf::{PuppetConf, interpolate};

/// All settings that Puppet 7.23 has: name, kind and default; `-` is none.
const DEFAULTS: &str = include_str!("settings/defaults.txt");

/// Settings that Kukla has beside Puppet's.
const OWN: &[&str] = &["xpp", "datalocation", "datalibrary", "ruby_worker"];

/// The value of a setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Nothing.
    Undef,
    /// Most settings.
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
    given: Vec<(String, String)>,
    conf: PuppetConf,
}

impl Settings {
    /// The settings of a file, below those that are given.
    pub fn new(conf: PuppetConf, given: Vec<(String, String)>) -> Self {
        Self { given, conf }
    }

    /// The names of settings that nobody knows, which are warned of.
    pub fn unknown(&self) -> Vec<String> {
        let is_known = |name: &str| OWN.contains(&name) || row(name).is_some();
        let given = self.given.iter().map(|(name, _)| name.as_str());
        let mut unknown: Vec<String> = Vec::new();
        for name in given.chain(self.conf.names()).filter(|name| !is_known(name)) {
            if !unknown.iter().any(|known| known == name) {
                unknown.push(name.to_owned());
            }
        }
        unknown
    }

    /// The value of a setting as text, if it has one.
    pub fn text(&self, name: &str) -> Option<String> {
        Some(self.expand(&self.raw(name)?))
    }

    /// The same where `puppet.conf` may have a section for the environment, which counts before the others.
    pub fn text_in(&self, environment: &str, name: &str) -> Option<String> {
        let is_given = self.given.iter().any(|(known, _)| known == name);
        match self.conf.raw_in(environment, name).filter(|_| !is_given) {
            Some(raw) => Some(self.expand(raw)),
            None => self.text(name),
        }
    }

    /// A text with the settings that it refers to.
    pub fn expand(&self, text: &str) -> String {
        interpolate(text, &|name| self.raw(name))
    }

    /// The value of a setting.
    pub fn value(&self, name: &str) -> Setting {
        let kind = row(name).map_or("text", |(kind, _)| kind);
        match self.text(name) {
            None => Setting::Undef,
            Some(text) => typed(kind, text),
        }
    }

    /// All settings, in Puppet's order.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, Setting)> {
        rows().map(|(name, ..)| (name, self.value(name)))
    }

    /// What a setting is before the settings in it are replaced.
    fn raw(&self, name: &str) -> Option<String> {
        let given = self.given.iter().rev().find(|(known, _)| known == name);
        if let Some((_, value)) = given {
            return Some(value.clone());
        }
        if let Some(value) = self.conf.raw(name) {
            return Some(value.to_owned());
        }
        match row(name).map(|(_, default)| default) {
            None | Some("-") => self.place(name),
            Some(default) => Some(default.to_owned()),
        }
    }

    /// Settings whose defaults depend on where Puppet's packages put things.
    fn place(&self, name: &str) -> Option<String> {
        let is_debian = !Path::new("/etc/puppetlabs").is_dir() && Path::new("/etc/puppet").is_dir();
        let (debian, own) = match name {
            "confdir" => {
                return Some(match self.conf.confdir() {
                    "" if is_debian => "/etc/puppet".to_owned(),
                    "" => "/etc/puppetlabs/puppet".to_owned(),
                    directory => directory.to_owned(),
                });
            }
            "codedir" => ("/etc/puppet/code", "/etc/puppetlabs/code"),
            "vardir" => ("/var/lib/puppet", "/opt/puppetlabs/server/data/puppetserver"),
            "logdir" => ("/var/log/puppet", "/var/log/puppetlabs/puppetserver"),
            "rundir" => ("/run/puppet", "/var/run/puppetlabs/puppetserver"),
            "publicdir" => ("/var/lib/puppet/public", "/opt/puppetlabs/puppet/public"),
            "basemodulepath" => (
                "$codedir/modules:/usr/share/puppet/modules",
                "$codedir/modules:/opt/puppetlabs/puppet/modules",
            ),
            "run_mode" => ("server", "server"),
            "certname" => ("puppet.example.com", "puppet.example.com"),
            _ => return None,
        };
        Some(if is_debian { debian } else { own }.to_owned())
    }
}

/// Name, kind and default of every setting.
fn rows() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    DEFAULTS.lines().map(|line| {
        let (name, rest) = line.split_once(' ').unwrap_or((line, "text"));
        let (kind, default) = rest.split_once(' ').unwrap_or((rest, ""));
        (name, kind, default)
    })
}

/// Kind and default of every setting, by name.
static BY_NAME: LazyLock<HashMap<&str, (&str, &str)>> =
    LazyLock::new(|| rows().map(|(name, kind, default)| (name, (kind, default))).collect());

fn row(name: &str) -> Option<(&'static str, &'static str)> {
    BY_NAME.get(name).copied()
}

fn typed(kind: &str, text: String) -> Setting {
    match kind {
        "flag" => Setting::Flag(text == "true"),
        "number" => text.parse().map_or(Setting::Text(text), Setting::Number),
        "duration" => match seconds(&text) {
            Some(seconds) => Setting::Number(seconds),
            None => Setting::Text(text),
        },
        "list" => {
            let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
            Setting::List(entries.map(str::to_owned).collect())
        }
        _ => Setting::Text(text),
    }
}

/// `30m` in seconds.
fn seconds(text: &str) -> Option<i64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: i64 = text[..end].parse().ok()?;
    let unit = match &text[end..] {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        "y" => 365 * 86_400,
        _ => return None,
    };
    number.checked_mul(unit)
}

#[cfg(test)]
mod tests {
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
        assert_eq!(settings.all().count(), 232);
    }

    #[test]
    fn settings_that_nobody_knows_are_told() {
        let settings = settings("[main]\nnope = 1\n", &[("xpp", "true")]);
        assert_eq!(settings.unknown(), ["nope"]);
    }
}
