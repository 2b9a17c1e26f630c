//! Sites of requests, one per set of settings.

use std::sync::{Arc, Mutex, PoisonError};

use indexmap::IndexMap;
use kukla_site::settings::Settings;
use kukla_site::{Defaults, EnvironmentChoice, Site, SiteOptions, Warn, Warning};
use kukla_world::paths::Anchor;

use super::request::Fields;
use crate::paths::current;
use crate::settings::SettingArgs;
use crate::shell::Shell;
use crate::site::{options, warn_of_settings};

/// Maximum number of open sites.
const MAX_SITES: usize = 64;

/// The settings of a request, and whether it contains its code.
type Key = (Vec<(String, String)>, bool);

/// Open sites by key; the most recently used is the last.
#[derive(Debug)]
pub(super) struct Sites {
    anchor: Anchor,
    settings: Settings,
    sites: IndexMap<Key, Arc<Site>>,
    warnings: Arc<Mutex<Vec<String>>>,
}

impl Sites {
    /// Reads the settings of the command line, which are the defaults of requests.
    pub(super) fn new(args: &SettingArgs, shell: &Shell) -> anyhow::Result<Self> {
        let anchor = current()?;
        let settings = args.settings_of_requests(&anchor)?;
        warn_of_settings(&settings, shell);
        Ok(Self { anchor, settings, sites: IndexMap::new(), warnings: Arc::default() })
    }

    /// Returns the site of a request.
    pub(super) fn site(&mut self, fields: &Fields) -> anyhow::Result<Arc<Site>> {
        let key = (fields.settings()?, fields.code().is_some());
        let site = match self.sites.shift_remove(&key) {
            Some(site) => site,
            None => Arc::new(self.open(&key)?),
        };
        if self.sites.len() >= MAX_SITES {
            self.sites.shift_remove_index(0);
        }
        self.sites.insert(key, Arc::clone(&site));
        Ok(site)
    }

    fn open(&self, (overrides, has_code): &Key) -> anyhow::Result<Site> {
        let settings = self.settings.clone().with_overrides(overrides.iter().cloned());
        let directory = self.anchor.directory().to_owned();
        let choice = EnvironmentChoice {
            start: Some(directory.clone()),
            fallback: has_code.then_some(directory),
            defaults: Defaults::Nothing,
            ..EnvironmentChoice::default()
        };
        let warnings = Arc::clone(&self.warnings);
        let warn = Warn::new(move |warning| {
            // Which code needs a real Ruby is no part of the log of a compilation.
            if let Warning::Manifest(unusable) = warning {
                let mut all = warnings.lock().unwrap_or_else(PoisonError::into_inner);
                all.push(unusable.to_string());
            }
        });
        let timeout = settings.environment_timeout()?;
        let options = options(&settings, self.anchor.clone(), choice, warn);
        Ok(Site::open(settings, SiteOptions { timeout, ..options })?)
    }

    /// Returns the warnings since the last call.
    pub(super) fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut *self.warnings.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
