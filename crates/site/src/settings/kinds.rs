//! Kinds of settings, and the settings with a type of their own.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use kukla_base::{Edition, Editions, RubyEdition};
use kukla_compiler::{Strict, Strictness};
use kukla_store::{Address, FactHistory, FactPattern, Retention};

use super::{Setting, Settings};
use crate::SiteError;
use crate::load::Xpp;
use crate::snapshot::{RubyWorker, Timeout};

/// The place of the store.
#[derive(Clone, Debug)]
pub enum StorePlace {
    /// Nothing is stored.
    Nowhere,
    /// A file in `vardir`.
    Default,
    /// This file.
    At(PathBuf),
    /// A database of PostgreSQL.
    Database(Box<Address>),
    /// An existing PuppetDB, with the `puppetdb.conf` of `confdir` or this one.
    PuppetDb(Option<PathBuf>),
}

impl StorePlace {
    /// Reads the value of the setting `store`.
    pub fn read(text: &str) -> Result<Self, SiteError> {
        match text.split_once(':') {
            None if text == "none" => Ok(Self::Nowhere),
            None if text == "sqlite" => Ok(Self::Default),
            None if text == "puppetdb" => Ok(Self::PuppetDb(None)),
            Some(("puppetdb", path)) if !path.is_empty() => Ok(Self::PuppetDb(Some(path.into()))),
            Some(("sqlite", path)) if !path.is_empty() => Ok(Self::At(path.into())),
            // The text may have a password by mistake, so it is not repeated.
            Some(("postgresql" | "postgres", _)) => {
                Ok(Self::Database(Box::new(Address::read(text)?)))
            }
            _ => Err(bad(
                "store",
                "`sqlite`, `sqlite:PATH`, `postgresql://…`, `puppetdb`, `puppetdb:PATH` or `none`",
                text,
            )),
        }
    }
}

/// The passwords of the store's database that the environment of the process names.
#[derive(Clone, Default)]
pub struct StoreSecrets {
    /// `PGPASSWORD`.
    pub password: Option<String>,
    /// `PGPASSFILE`.
    pub passfile: Option<PathBuf>,
}

impl std::fmt::Debug for StoreSecrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoreSecrets").field("passfile", &self.passfile).finish_non_exhaustive()
    }
}

/// Facts that differ in each run, whose changes are not kept unless the setting `past_facts_ignored` says otherwise.
pub(super) const VOLATILE_FACTS: &str = "_timestamp, load_averages, memory.*.available*, \
    memory.*.capacity, memory.*.used*, memoryfree*, mountpoints.*.available*, mountpoints.*.capacity, \
    mountpoints.*.used*, processors.speed, swapfree*, system_uptime, uptime*";

impl Settings {
    /// Returns the settings `strict`, `strict_variables`, `edition` and `ruby_edition`.
    pub fn strictness(&self) -> Result<Strictness, SiteError> {
        let strict = match self.text("strict").unwrap_or_default().as_str() {
            "off" => Strict::Off,
            "warning" => Strict::Warning,
            "error" => Strict::Error,
            other => return Err(bad("strict", "`off`, `warning` or `error`", other)),
        };
        let strict_variables = self.flag("strict_variables");
        Ok(Strictness { strict, strict_variables, editions: self.editions()? })
    }

    /// Returns the settings `edition` and `ruby_edition`.
    pub fn editions(&self) -> Result<Editions, SiteError> {
        let edition = self.text("edition").unwrap_or_default();
        let puppet =
            Edition::named(&edition).ok_or_else(|| bad("edition", "`7`, `8` or `9`", &edition))?;
        let ruby = match self.text("ruby_edition") {
            None => puppet.ruby(),
            Some(text) => RubyEdition::named(&text)
                .ok_or_else(|| bad("ruby_edition", "`3.1`, `3.3`, `3.4` or `4.0`", &text))?,
        };
        Ok(Editions { puppet, ruby })
    }

    /// Returns the setting `ruby_worker`.
    pub fn ruby_worker(&self) -> Result<RubyWorker, SiteError> {
        let text = self.text("ruby_worker").unwrap_or_default();
        RubyWorker::named(&text)
            .ok_or_else(|| bad("ruby_worker", "`off`, `auto` or `always`", &text))
    }

    /// Returns the setting `environment_timeout`.
    pub fn environment_timeout(&self) -> Result<Timeout, SiteError> {
        match self.value("environment_timeout") {
            Setting::Number(seconds) if seconds >= 0 => {
                let time = Duration::from_secs(seconds.unsigned_abs());
                match self.text("environment_timeout_mode").as_deref() {
                    Some("from_created") => Ok(Timeout::Created(time)),
                    _ => Ok(Timeout::Unused(time)),
                }
            }
            Setting::Text(text) if text == "unlimited" => Ok(Timeout::Unlimited),
            _ => {
                let text = self.text("environment_timeout").unwrap_or_default();
                Err(bad("environment_timeout", "a number of seconds or `unlimited`", &text))
            }
        }
    }

    /// Returns the setting `store`, whatever other settings say.
    pub(crate) fn store(&self) -> Result<StorePlace, SiteError> {
        StorePlace::read(&self.text("store").unwrap_or_default())
    }

    /// Returns the settings `node_ttl`, `node_purge_ttl`, `report_ttl` and `bucket_ttl`.
    pub fn retention(&self) -> Result<Retention, SiteError> {
        let age = |name: &'static str| match self.value(name) {
            Setting::Number(seconds) if seconds >= 0 => {
                Ok(Duration::from_secs(seconds.unsigned_abs()))
            }
            _ => {
                let text = self.text(name).unwrap_or_default();
                Err(bad(name, "a duration such as `14d`; 0 is for ever", &text))
            }
        };
        Ok(Retention {
            node_ttl: age("node_ttl")?,
            node_purge_ttl: age("node_purge_ttl")?,
            report_ttl: age("report_ttl")?,
            bucket_ttl: age("bucket_ttl")?,
        })
    }

    /// Returns whether the file bucket is in the store, as the setting `bucket` says: by default if servers share it.
    pub fn has_bucket_in(&self, store: &StorePlace) -> Result<bool, SiteError> {
        let text = self.text("bucket").unwrap_or_default();
        match (text.as_str(), store) {
            ("files", _) => Ok(false),
            ("auto", store) => Ok(matches!(store, StorePlace::Database(_))),
            ("store", StorePlace::Default | StorePlace::At(_) | StorePlace::Database(_)) => {
                Ok(true)
            }
            ("store", StorePlace::Nowhere | StorePlace::PuppetDb(_)) => {
                let wanted = "`files`, since the store is `none` or PuppetDB, which keeps no files";
                Err(bad("bucket", wanted, &text))
            }
            _ => Err(bad("bucket", "`auto`, `files` or `store`", &text)),
        }
    }

    /// Returns the setting `past_catalogs`: how many changes of each node's catalog are kept.
    pub fn past_catalogs(&self) -> Result<u32, SiteError> {
        let number = match self.value("past_catalogs") {
            Setting::Number(number) => u32::try_from(number).ok().filter(|n| *n <= 1000),
            _ => None,
        };
        let text = || self.text("past_catalogs").unwrap_or_default();
        number.ok_or_else(|| bad("past_catalogs", "a number up to 1000", &text()))
    }

    /// Returns the settings `past_facts`, `past_facts_ttl` and `past_facts_ignored`: what is kept of former facts.
    pub fn past_facts(&self) -> Result<FactHistory, SiteError> {
        let failed = |name: &'static str, expected: &'static str| {
            bad(name, expected, &self.text(name).unwrap_or_default())
        };
        let number = match self.value("past_facts") {
            Setting::Number(number) => u32::try_from(number).ok().filter(|n| *n <= 100_000),
            _ => None,
        };
        let age = match self.value("past_facts_ttl") {
            Setting::Number(seconds) if seconds >= 0 => Duration::from_secs(seconds.unsigned_abs()),
            _ => return Err(failed("past_facts_ttl", "a duration such as `90d`; 0 is for ever")),
        };
        let patterns = match self.value("past_facts_ignored") {
            Setting::List(patterns) => patterns,
            _ => Vec::new(),
        };
        let ignored: Option<Vec<FactPattern>> =
            patterns.iter().map(|pattern| FactPattern::read(pattern)).collect();
        Ok(FactHistory {
            most: number.ok_or_else(|| failed("past_facts", "a number up to 100000"))?,
            age,
            ignored: ignored.ok_or_else(|| {
                failed("past_facts_ignored", "names with dots, such as `mountpoints.*.used`")
            })?,
        })
    }

    /// Returns the setting `page_listen`, the address of the page.
    pub fn page_listen(&self) -> Result<Option<SocketAddr>, SiteError> {
        let text = self.text("page_listen").unwrap_or_default();
        match text.parse() {
            _ if text.is_empty() => Ok(None),
            Ok(address) => Ok(Some(address)),
            Err(_) => Err(bad("page_listen", "an address such as `127.0.0.1:8081`", &text)),
        }
    }

    /// Returns the setting `xpp`.
    pub fn xpp(&self) -> Xpp {
        if self.flag("xpp") { Xpp::On } else { Xpp::Off }
    }

    /// Returns whether a setting is on.
    pub fn flag(&self, name: &str) -> bool {
        self.value(name) == Setting::Flag(true)
    }
}

fn bad(name: &'static str, expected: &'static str, value: &str) -> SiteError {
    SiteError::BadSetting { name, expected, value: value.to_owned() }
}

/// Returns the value of a text for a setting of this kind.
pub(super) fn typed(kind: &str, text: String) -> Setting {
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

/// Returns a duration such as `30m` in seconds.
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
