//! Environments: directories with an `environment.conf`, or with its defaults.

use std::io;
use std::path::{Path, PathBuf};

use kukla_syntax::Home;
use kukla_world::World;

use crate::glob::{glob, is_glob};
use crate::puppet_conf::{self, PuppetConf, UnmatchedLine};
use kukla_world::paths::{clean, split};

/// The file with the settings of an environment.
const CONF: &str = "environment.conf";

/// Paths of the manifests and modules of an environment.
///
/// Paths are absolute, and links in them are not resolved: Puppet compares paths by name only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// The directory.
    pub directory: PathBuf,
    /// The main manifest, a file or a directory. It may hold anything.
    pub manifest: PathBuf,
    /// The directories that hold modules. The first module of a name takes precedence.
    pub modulepath: Vec<PathBuf>,
    /// The settings about data in the file.
    pub data: DataSettings,
    /// The first line of the file that can't be parsed.
    pub unmatched: Option<UnmatchedLine>,
    /// The settings `edition` and `ruby_edition` of the file, as they are written.
    pub editions: Vec<(&'static str, String)>,
}

/// Settings about data in `environment.conf`, as they are written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataSettings {
    /// `environment_data_provider`, the predecessor of `hiera.yaml`.
    pub provider: Option<String>,
    /// `datalocation`: the directory of the site's PDL.
    pub location: Option<String>,
    /// `datalibrary`: the site's own library of data.
    pub library: Option<String>,
}

impl Environment {
    /// Returns the environment of a directory, configured by its `environment.conf` if it has one.
    ///
    /// Fails if that file exists but can't be read.
    pub fn open(directory: &Path, base: &[PathBuf], world: &dyn World) -> io::Result<Self> {
        match world.read_text(&directory.join(CONF).to_string_lossy()) {
            Ok(conf) => Ok(Self::new(directory, &conf, base, world)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Ok(Self::new(directory, "", base, world))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the environment of a directory that has an `environment.conf`; `None` if it has no such file.
    pub fn configured(directory: &Path, base: &[PathBuf], world: &dyn World) -> Option<Self> {
        let conf = world.read_text(&directory.join(CONF).to_string_lossy()).ok()?;
        Some(Self::new(directory, &conf, base, world))
    }

    /// Returns the environment of a directory whose `environment.conf` has this text.
    ///
    /// `base` is the value of `$basemodulepath`.
    pub fn new(directory: &Path, conf: &str, base: &[PathBuf], world: &dyn World) -> Self {
        let conf = PuppetConf::parse(&directory.join(CONF), conf);
        let setting = |name: &str| conf.raw_in(puppet_conf::MAIN, name);
        let modulepath = setting("modulepath").unwrap_or("modules:$basemodulepath");
        let manifest = setting("manifest").unwrap_or("manifests");
        let resolve = |entry: &str| match entry {
            "$basemodulepath" | "${basemodulepath}" => base.to_vec(),
            _ => {
                let path = clean(&directory.join(entry));
                // Only here: Puppet takes `$basemodulepath` as it is.
                match path.to_str() {
                    Some(pattern) if is_glob(pattern) => glob(pattern, world),
                    _ => vec![path],
                }
            }
        };
        let text = |name: &str| setting(name).map(str::to_owned);
        let data = DataSettings {
            provider: text("environment_data_provider"),
            location: text("datalocation"),
            library: text("datalibrary"),
        };
        let editions = ["edition", "ruby_edition"];
        Self {
            editions: editions.iter().filter_map(|name| Some((*name, text(name)?))).collect(),
            data,
            unmatched: conf.unmatched().cloned(),
            directory: directory.to_owned(),
            manifest: clean(&directory.join(manifest)),
            modulepath: split(modulepath).flat_map(resolve).collect(),
        }
    }

    /// Returns a setting of `environment.conf` as it is written; none if the file or the setting is missing.
    pub fn conf_text(&self, name: &str, world: &dyn World) -> Option<String> {
        let conf = world.read_text(&self.directory.join(CONF).to_string_lossy()).ok()?;
        let conf = PuppetConf::parse(&self.directory.join(CONF), &conf);
        conf.raw_in(puppet_conf::MAIN, name).map(str::to_owned)
    }

    /// Returns whether the directory has any file or directory that environments have.
    pub fn is_likely(&self, world: &dyn World) -> bool {
        let exists = |path: &Path| world.exists(&path.to_string_lossy());
        let has = |path: &Path| path.starts_with(&self.directory) && exists(path);
        exists(&self.directory.join(CONF))
            || has(&self.manifest)
            || self.modulepath.iter().any(|entry| has(entry))
    }

    /// Returns the home of a manifest at this absolute path.
    pub fn home(&self, file: &Path) -> Home {
        if file.starts_with(&self.manifest) {
            return Home::Anywhere;
        }
        let mut entries = self.modulepath.iter();
        match entries.find_map(|entry| file.strip_prefix(entry).ok()) {
            Some(path) => Home::Module { path: path.to_string_lossy().into_owned() },
            None => Home::Anywhere,
        }
    }
}
