//! Sites: settings, and the environments that are opened by name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kukla_store::{Address, Store, Target};

use crate::SiteError;
use crate::choice::{Defaults, EnvironmentChoice};
use crate::environment::Environment;
use crate::load::Warn;
use crate::member::Member;
use crate::node::{Node, ServerIdentity};
use crate::open::{OpenEnvironment, Revision};
use crate::settings::{Settings, StorePlace, StoreSecrets};
use crate::snapshot::{
    Deploy, Live, Options, RubyWorker, Settle, Snapshot, Tended, Timeout, roots_of,
};
use kukla_world::paths::Anchor;
use kukla_world::{Disk, SharedWorld, files, tree};

/// Options of a site beside its settings.
#[derive(Clone, Debug)]
pub struct SiteOptions {
    /// The directory that relative paths start from.
    pub anchor: Anchor,
    /// The rules for finding environments.
    pub choice: EnvironmentChoice,
    /// The server that catalogs name.
    pub server: ServerIdentity,
    /// The time for which an opened environment is reused without a check.
    pub timeout: Timeout,
    /// When a deploy counts as done: for servers, which call [`Site::tend`].
    pub settle: Option<Settle>,
    /// The receiver of warnings about files of an environment.
    pub warn: Warn,
}

/// A site. Environments are opened on first use, and shared by all threads.
#[derive(Debug)]
pub struct Site {
    opener: Arc<Opener>,
    environments: Mutex<BTreeMap<String, Arc<Live>>>,
}

/// The data that is needed to open an environment.
#[derive(Debug)]
struct Opener {
    settings: Settings,
    options: SiteOptions,
    ruby_worker: RubyWorker,
}

impl Site {
    /// Checks the settings; environments are opened later.
    pub fn open(settings: Settings, options: SiteOptions) -> Result<Self, SiteError> {
        settings.strictness()?;
        let ruby_worker = settings.ruby_worker()?;
        let opener = Arc::new(Opener { settings, options, ruby_worker });
        Ok(Self { opener, environments: Mutex::default() })
    }

    /// Returns the settings.
    pub fn settings(&self) -> &Settings {
        &self.opener.settings
    }

    /// Returns the directory that relative paths start from.
    pub fn anchor(&self) -> &Anchor {
        &self.opener.options.anchor
    }

    /// Returns the setting `environment`: the default for nodes without a classification.
    pub fn default_environment(&self) -> String {
        self.settings().text("environment").unwrap_or_else(|| "production".to_owned())
    }

    /// Returns the current state of the environment of a name.
    pub fn environment(&self, name: &str) -> Result<Arc<OpenEnvironment>, SiteError> {
        // The lock is not held while files are read: other environments do not wait.
        let live = {
            let mut environments = self.environments.lock().unwrap_or_else(PoisonError::into_inner);
            match environments.get(name) {
                Some(live) => Arc::clone(live),
                None => {
                    // Environments of branches are created and removed often.
                    environments.retain(|_, live| !live.is_gone());
                    let (opener, owned) = (Arc::clone(&self.opener), name.to_owned());
                    let SiteOptions { timeout, settle, .. } = self.opener.options;
                    let live = Live::new(timeout, settle, move || opener.open(&owned));
                    let live = Arc::new(live);
                    environments.insert(name.to_owned(), Arc::clone(&live));
                    live
                }
            }
        };
        live.current().inspect_err(|_| self.forget(name))
    }

    /// Drops an environment that can't be opened: names come from untrusted requests.
    fn forget(&self, name: &str) {
        self.environments.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
    }

    /// Forgets an environment, or all of them, so that the next request opens it anew: its files are deployed.
    pub fn flush(&self, name: Option<&str>) {
        for (_, live) in
            self.lives().into_iter().filter(|(own, _)| name.is_none_or(|name| name == own))
        {
            live.flush();
        }
    }

    /// Looks for changes of all environments, and replaces those whose files have settled; returns what has happened.
    ///
    /// A server calls it several times a second.
    pub fn tend(&self) -> Vec<(String, Tended)> {
        let tended = |(name, live): (String, Arc<Live>)| Some((name, live.tend()?));
        let tended: Vec<_> = self.lives().into_iter().filter_map(tended).collect();
        for (name, _) in tended.iter().filter(|(_, tended)| matches!(tended, Tended::Failed(_))) {
            self.forget(name);
        }
        tended
    }

    fn lives(&self) -> Vec<(String, Arc<Live>)> {
        let environments = self.environments.lock().unwrap_or_else(PoisonError::into_inner);
        environments.iter().map(|(name, live)| (name.clone(), Arc::clone(live))).collect()
    }

    /// Puts a node into the environment that its classifier names, or else the default one.
    pub fn member(&self, node: Node) -> Result<Member, SiteError> {
        let environment = match &node.environment {
            Some(name) if !name.is_empty() => self.environment(name)?,
            _ => self.environment(&self.default_environment())?,
        };
        Ok(Member { node, environment })
    }

    /// Returns whether programs are asked about nodes: a classifier, or that of `trusted_external_command`.
    pub fn asks_programs(&self) -> bool {
        let has = |name: &str| self.settings().text(name).is_some_and(|text| !text.is_empty());
        self.settings().text("node_terminus").as_deref() == Some("exec")
            || has("trusted_external_command")
    }

    /// Returns the setting `vardir`.
    pub fn vardir(&self) -> PathBuf {
        self.anchor().absolute(Path::new(&self.settings().text("vardir").unwrap_or_default()))
    }

    /// Opens the store, unless there is none.
    pub fn open_store(&self) -> Result<Option<Arc<Store>>, SiteError> {
        self.open_store_at(self.store_choice()?.place)
    }

    /// Opens a store, which is made if it does not exist.
    pub fn open_store_at(&self, place: StorePlace) -> Result<Option<Arc<Store>>, SiteError> {
        if let StorePlace::PuppetDb(_) = place {
            return Err(SiteError::StoreElsewhere);
        }
        if let StorePlace::Database(address) = place {
            let store = Store::connect(self.connectable(*address))?;
            return self.remembering(store);
        }
        let Some(path) = self.store_file(&place) else { return Ok(None) };
        self.take_over(&path)?;
        let store = Store::open(&path)?;
        self.remembering(store)
    }

    /// Tells a store what to keep of former times.
    fn remembering(&self, store: Store) -> Result<Option<Arc<Store>>, SiteError> {
        store.keep_changes(self.settings().past_catalogs()?);
        store.keep_facts(self.settings().past_facts()?);
        Ok(Some(Arc::new(store)))
    }

    /// Opens the target of a copy, which may be an unfinished one.
    pub fn open_target(&self, place: StorePlace) -> Result<Option<Target>, SiteError> {
        if let StorePlace::Database(address) = place {
            return Ok(Some(Target::database(self.connectable(*address))?));
        }
        let Some(path) = self.store_file(&place) else { return Ok(None) };
        Ok(Some(Target::file(&path)?))
    }

    /// Opens the store if there is one already.
    pub fn existing_store(&self) -> Result<Option<Arc<Store>>, SiteError> {
        let place = self.store_choice()?.place;
        if let Some(path) = self.store_file(&place) {
            self.take_over(&path)?;
            if !files::exists(&path) {
                return Ok(None);
            }
        }
        self.open_store_at(place)
    }

    /// Returns the file of a store that is a file.
    pub fn store_file(&self, place: &StorePlace) -> Option<PathBuf> {
        match place {
            StorePlace::Nowhere | StorePlace::Database(_) | StorePlace::PuppetDb(_) => None,
            StorePlace::Default => Some(self.vardir().join("store.sqlite3")),
            StorePlace::At(path) => Some(self.anchor().absolute(path)),
        }
    }

    /// Adds passwords to an address, and the CA of the site as the authority that is trusted.
    fn connectable(&self, address: Address) -> Address {
        let StoreSecrets { password, passfile } = &self.settings().store_secrets;
        let address = address.with_secrets(password.as_deref(), passfile.clone());
        let ca = self.settings().text("localcacert").map(PathBuf::from);
        match ca.map(|path| self.anchor().absolute(&path)).filter(|path| files::exists(path)) {
            Some(path) => address.trusting(path),
            None => address,
        }
    }

    /// Renames the file in which versions before the store kept exported resources; the store takes over its tables.
    fn take_over(&self, path: &Path) -> Result<(), SiteError> {
        let former = self.vardir().join("exports.sqlite3");
        if files::exists(path) || !files::exists(&former) || path.parent() != former.parent() {
            return Ok(());
        }
        tree::rename(&former, path).map_err(|error| SiteError::Unreadable { path: former, error })
    }

    /// Opens the store for exported resources if the setting `storeconfigs` is on and the store is an own one.
    pub fn store(&self) -> Result<Option<Arc<Store>>, SiteError> {
        match self.store_choice()?.place {
            StorePlace::PuppetDb(_) => Ok(None),
            place if self.settings().flag("storeconfigs") => self.open_store_at(place),
            _ => Ok(None),
        }
    }

    /// Returns where commands wait for the store.
    pub fn queue_directory(&self) -> PathBuf {
        self.vardir().join("store-queue")
    }
}

impl Opener {
    fn open(&self, name: &str) -> Result<OpenEnvironment, SiteError> {
        let Self { options, ruby_worker, .. } = self;
        let SiteOptions { anchor, choice, .. } = options;
        let environment = choice.environment(name, &self.settings, anchor)?;
        let settings = &self.settings_in(name, &environment);
        let strictness = settings.strictness()?;
        let path = |setting: &str| self.path(setting);
        // Precedence: overrides, then `environment.conf`, then the sections of `puppet.conf`.
        let data_path = |setting: &str, own: Option<&String>| {
            let own = own.filter(|_| !settings.is_overridden(setting));
            let own = own.map(|own| environment.directory.join(settings.expand(own)));
            own.or_else(|| Some(anchor.absolute(Path::new(&settings.text_in(name, setting)?))))
        };
        let snapshot_options = Options {
            name: name.to_owned(),
            hiera_config: path("hiera_config"),
            codedir: path("codedir"),
            datalocation: data_path("datalocation", environment.data.location.as_ref()),
            datalibrary: data_path("datalibrary", environment.data.library.as_ref()),
            strict: strictness.strict,
            edition: strictness.editions.puppet,
            xpp: settings.xpp(),
            ruby_worker: *ruby_worker,
            kept: path("vardir").map(|vardir| vardir.join("ruby_types")),
            warn: options.warn.clone(),
            ..Options::default()
        };
        let hash = Arc::new(settings.hash(&environment, name));
        let timeout = self.own_timeout(&environment)?;
        let config_version = self.config_version(name, &environment);
        let roots = || roots_of(&environment, &snapshot_options);
        let deploy = options.settle.and_then(|_| Deploy::index(&roots()));
        let world: SharedWorld = match &deploy {
            Some(deploy) => deploy.world(),
            None => Arc::new(Disk),
        };
        let mut problems = Vec::new();
        let snapshot = Snapshot::of_world(environment, snapshot_options, world, &mut problems);
        let snapshot = Arc::new(snapshot);
        Ok(OpenEnvironment {
            name: name.to_owned(),
            snapshot,
            settings: hash,
            strictness,
            server: options.server.clone(),
            problems,
            revision: Revision { timeout, deploy, config_version, version: OnceLock::new() },
        })
    }

    /// Returns the command `config_version` of an `environment.conf`, for a server. A relative path starts at the
    /// environment.
    fn config_version(&self, name: &str, environment: &Environment) -> Option<String> {
        self.options.settle?;
        let text =
            environment.conf_text("config_version", &Disk).filter(|text| !text.is_empty())?;
        let own = [("environment".to_owned(), name.to_owned())];
        let line = self.settings.clone().with_overrides(own).expand(&text);
        match line.starts_with('/') {
            true => Some(line),
            false => Some(format!("{}/{line}", environment.directory.display())),
        }
    }

    /// Returns the setting `environment_timeout` of an `environment.conf`.
    fn own_timeout(&self, environment: &Environment) -> Result<Option<Timeout>, SiteError> {
        let text = environment.conf_text("environment_timeout", &Disk);
        let Some(text) = text.filter(|_| self.options.settle.is_some()) else { return Ok(None) };
        let own = [("environment_timeout".to_owned(), text)];
        self.settings.clone().with_overrides(own).environment_timeout().map(Some)
    }

    /// Returns the settings of an environment: its `environment.conf` and its section of `puppet.conf` may choose editions.
    fn settings_in(&self, name: &str, environment: &Environment) -> Settings {
        let own = ["edition", "ruby_edition"].into_iter().filter_map(|setting| {
            let written = environment.editions.iter().find(|(own, _)| *own == setting);
            let value = written.map(|(_, value)| value.clone());
            Some((setting.to_owned(), value.or_else(|| self.settings.text_in(name, setting))?))
        });
        let own = own.filter(|(setting, _)| !self.settings.is_overridden(setting));
        self.settings.clone().with_overrides(own.collect::<Vec<_>>())
    }

    /// Returns the path in a setting; its default is used only if the defaults of packages are.
    fn path(&self, setting: &str) -> Option<PathBuf> {
        let text = match self.options.choice.defaults {
            Defaults::Packages => self.settings.text(setting),
            Defaults::Nothing => self.settings.explicit(setting),
        };
        text.map(|text| self.options.anchor.absolute(Path::new(&text)))
    }
}
