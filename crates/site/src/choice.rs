//! Choice of an environment: from settings to its directory and its `environment.conf`.

use std::path::{Path, PathBuf};

use crate::SiteError;
use crate::environment::Environment;
use crate::layout;
use crate::settings::Settings;
use kukla_world::Disk;
use kukla_world::files::{self, Status};
use kukla_world::paths::{Anchor, split};

/// The defaults of paths that no setting names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Defaults {
    /// Paths of Puppet's packages: the module path, global data, and files below `vardir`.
    #[default]
    Packages,
    /// No defaults: only the environment itself is used.
    Nothing,
}

/// Chooses the directory of an environment, and replaces parts of it.
#[derive(Clone, Debug, Default)]
pub struct EnvironmentChoice {
    /// The directory, in place of a search.
    pub directory: Option<PathBuf>,
    /// The directory at which a search for the nearest `environment.conf` starts, unless overrides name an environment
    /// or its path.
    pub start: Option<PathBuf>,
    /// The fallback directory if no environment has the name: code or modules alone need none.
    pub fallback: Option<PathBuf>,
    /// A manifest, or a directory of them, in place of those of the environment.
    pub manifest: Option<PathBuf>,
    /// The defaults of paths.
    pub defaults: Defaults,
}

impl EnvironmentChoice {
    /// Reads `environment.conf`; overrides of `modulepath` and `manifest` take precedence over it.
    pub fn environment(
        &self,
        name: &str,
        settings: &Settings,
        anchor: &Anchor,
    ) -> Result<Environment, SiteError> {
        let directory = self.directory(name, settings, anchor)?;
        let mut environment = Environment::open(&directory, &self.base(settings, anchor), &Disk)
            .map_err(SiteError::unreadable(directory.join("environment.conf")))?;
        if let Some(line) = environment.unmatched.take() {
            return Err(SiteError::UnmatchedLine {
                path: directory.join("environment.conf"),
                line,
            });
        }
        if let Some(path) = overridden(settings, "modulepath") {
            environment.modulepath = anchor.absolute_list(&path);
        }
        if let Some(manifest) = &self.manifest {
            let path = anchor.absolute(manifest);
            Status::of(&path).map_err(SiteError::unreadable(manifest))?;
            environment.manifest = path;
        } else if let Some(manifest) = overridden(settings, "manifest") {
            environment.manifest = anchor.absolute(Path::new(&manifest));
        }
        Ok(environment)
    }

    /// Returns the value of `$basemodulepath`.
    fn base(&self, settings: &Settings, anchor: &Anchor) -> Vec<PathBuf> {
        match (settings.explicit("basemodulepath"), self.defaults) {
            (Some(path), _) => anchor.absolute_list(&path),
            (None, Defaults::Packages) => layout::basemodulepath(),
            (None, Defaults::Nothing) => Vec::new(),
        }
    }

    fn directory(
        &self,
        name: &str,
        settings: &Settings,
        anchor: &Anchor,
    ) -> Result<PathBuf, SiteError> {
        if let Some(directory) = &self.directory {
            return Ok(anchor.absolute(directory));
        }
        let is_named =
            settings.is_overridden("environmentpath") || settings.is_overridden("environment");
        let start = self.start.as_ref().filter(|_| !is_named);
        if let Some(found) = start.and_then(|start| around(&anchor.absolute(start))) {
            return Ok(found);
        }
        let environmentpath = settings.text("environmentpath").unwrap_or_default();
        let found = named(name, &environmentpath, anchor);
        match (found, &self.fallback) {
            (Some(found), _) => Ok(found),
            (None, Some(fallback)) if is_name(name) => Ok(anchor.absolute(fallback)),
            _ => Err(SiteError::NoEnvironment { name: name.to_owned(), environmentpath }),
        }
    }
}

/// Returns the directory of the environment `name` in the setting `environmentpath`.
fn named(name: &str, environmentpath: &str, anchor: &Anchor) -> Option<PathBuf> {
    let mut places =
        split(environmentpath).map(|entry| anchor.absolute(&Path::new(entry).join(name)));
    places.find(|place| is_name(name) && files::is_directory(place))
}

/// Returns the nearest directory with an `environment.conf`, from an absolute path upwards.
pub fn around(start: &Path) -> Option<PathBuf> {
    let mut directories = start.ancestors();
    let found = directories.find(|directory| files::is_file(&directory.join("environment.conf")));
    found.map(Path::to_owned)
}

fn overridden(settings: &Settings, name: &str) -> Option<String> {
    settings.is_overridden(name).then(|| settings.text(name)).flatten()
}

/// As in Puppet, a name is never a path.
fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
