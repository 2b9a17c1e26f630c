//! PuppetDB as the store of a site: whether it is, and its servers.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_catalog::exports::Exports;
use kukla_store::puppetdb::{OnFailure, PuppetDb, PuppetDbConf, PuppetDbError, PuppetDbFiles};
use kukla_world::files;
use kukla_world::paths::Anchor;

use crate::settings::{Settings, StorePlace};
use crate::{Routes, Site, SiteError};

/// The place of the store, and why it is there.
#[derive(Clone, Debug)]
pub struct StoreChoice {
    /// The place.
    pub place: StorePlace,
    /// The reason.
    pub reason: StoreReason,
    /// Which data of nodes PuppetDB gets, if it is the store.
    pub sent: Sent,
}

/// The data of nodes that PuppetDB gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Facts; it is asked for stored ones, too.
    pub facts: bool,
    /// Catalogs.
    pub catalogs: bool,
    /// Reports.
    pub reports: bool,
}

impl Sent {
    const ALL: Self = Self { facts: true, catalogs: true, reports: true };
}

/// The reason for the place of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreReason {
    /// The setting `store` names it.
    Setting,
    /// It is the default.
    Default,
    /// The site has PuppetDB for exported resources, and this `puppetdb.conf`.
    Storeconfigs(PathBuf),
    /// The site has PuppetDB for reports, and this `puppetdb.conf`.
    Reports(PathBuf),
    /// Its `routes.yaml` names PuppetDB, and there is a `puppetdb.conf`.
    Routes(PathBuf),
}

impl fmt::Display for StoreReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setting => f.write_str("the setting `store`"),
            Self::Default => f.write_str("the default"),
            Self::Storeconfigs(path) => {
                write!(f, "`storeconfigs_backend = puppetdb` and `{}`", path.display())
            }
            Self::Reports(path) => write!(f, "`puppetdb` in `reports` and `{}`", path.display()),
            Self::Routes(path) => write!(f, "`puppetdb` in `{}`", path.display()),
        }
    }
}

impl Settings {
    /// Reads `routes.yaml`.
    pub fn routes(&self, anchor: &Anchor) -> Result<Routes, SiteError> {
        let path = self.text("route_file").unwrap_or_default();
        Routes::open(&anchor.absolute(Path::new(&path)))
    }

    /// Returns the place of the store: that of the setting `store`, or PuppetDB if the other settings, `routes.yaml` and
    /// a `puppetdb.conf` say that the site has one.
    pub fn store_choice(&self, anchor: &Anchor) -> Result<StoreChoice, SiteError> {
        let place = self.store()?;
        if self.explicit("store").is_some() {
            return Ok(StoreChoice { place, reason: StoreReason::Setting, sent: Sent::ALL });
        }
        let routes = self.routes(anchor)?;
        let path = self.puppetdb_conf(anchor);
        let is_backend = self.text("storeconfigs_backend").as_deref() == Some("puppetdb");
        let exports = self.flag("storeconfigs") && is_backend;
        let reports = self.text("reports").unwrap_or_default();
        let reports = reports.split(',').any(|name| name.trim() == "puppetdb");
        let facts = routes.facts_in_puppetdb(exports);
        let catalogs = routes.catalogs_in_puppetdb(exports);
        let mut sent = Sent {
            facts: facts.unwrap_or(true),
            catalogs: catalogs.unwrap_or(true),
            reports: true,
        };
        let reason = match files::is_file(&path) {
            true if exports => StoreReason::Storeconfigs(path),
            true if reports => StoreReason::Reports(path),
            true if facts == Some(true) || catalogs == Some(true) => {
                // PuppetDB gets what the routes name, and nothing else.
                sent = Sent {
                    facts: facts == Some(true),
                    catalogs: catalogs == Some(true),
                    reports: false,
                };
                StoreReason::Routes(routes.path().unwrap_or(&path).to_owned())
            }
            _ => return Ok(StoreChoice { place, reason: StoreReason::Default, sent: Sent::ALL }),
        };
        Ok(StoreChoice { place: StorePlace::PuppetDb(None), reason, sent })
    }

    /// Returns where `puppetdb.conf` is unless the setting `store` names another file.
    pub fn puppetdb_conf(&self, anchor: &Anchor) -> PathBuf {
        let confdir = self.text("confdir").unwrap_or_default();
        anchor.absolute(Path::new(&confdir)).join("puppetdb.conf")
    }

    /// Reads the `puppetdb.conf` of a place.
    pub fn read_puppetdb_conf(
        &self,
        place: Option<&Path>,
        anchor: &Anchor,
    ) -> Result<PuppetDbConf, SiteError> {
        let conf = match place {
            // A file that is named must be there.
            Some(path) => {
                let path = anchor.absolute(path);
                let text = files::read_text(&path).map_err(SiteError::unreadable(&path))?;
                PuppetDbConf::parse(&path, &text)
            }
            None => PuppetDbConf::read(&self.puppetdb_conf(anchor)),
        };
        Ok(conf.map_err(PuppetDbError::from)?)
    }

    /// Returns the files of the certificate with which PuppetDB is asked.
    pub fn puppetdb_files(&self, anchor: &Anchor) -> PuppetDbFiles {
        let path = |name: &str| anchor.absolute(Path::new(&self.text(name).unwrap_or_default()));
        let revocation = self.text("certificate_revocation").unwrap_or_default();
        let lists =
            Some(path("hostcrl")).filter(|path| revocation != "false" && files::exists(path));
        PuppetDbFiles {
            certificate: path("hostcert"),
            key: path("hostprivkey"),
            authorities: path("localcacert"),
            revocations: lists,
            is_leaf_only: revocation == "leaf",
        }
    }
}

impl Site {
    /// Returns the place of the store, and why it is there.
    pub fn store_choice(&self) -> Result<StoreChoice, SiteError> {
        self.settings().store_choice(self.anchor())
    }

    /// Reads `routes.yaml`.
    pub fn routes(&self) -> Result<Routes, SiteError> {
        self.settings().routes(self.anchor())
    }

    /// Returns PuppetDB if that is the store.
    pub fn puppetdb(&self) -> Result<Option<Arc<PuppetDb>>, SiteError> {
        let StorePlace::PuppetDb(path) = self.store_choice()?.place else { return Ok(None) };
        let conf = self.settings().read_puppetdb_conf(path.as_deref(), self.anchor())?;
        let puppetdb = PuppetDb::open(conf, self.settings().puppetdb_files(self.anchor()))?;
        Ok(Some(Arc::new(puppetdb)))
    }

    /// Returns PuppetDB as the source of exported resources, if the setting `storeconfigs` is on and PuppetDB is the store;
    /// `tell` is told of servers that give no answer.
    pub fn foreign_exports(&self, tell: OnFailure) -> Result<Option<Arc<dyn Exports>>, SiteError> {
        if !self.settings().flag("storeconfigs") {
            return Ok(None);
        }
        let Some(puppetdb) = self.puppetdb()? else { return Ok(None) };
        puppetdb.on_failure(tell);
        Ok(Some(puppetdb))
    }
}
