//! Which environment is meant.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use kukla_loader::paths::Anchor;
use kukla_loader::pool::Pool;
use kukla_loader::{Environment, Manifests, split};

use crate::home::system;
use crate::inputs::{problem, reason};
use crate::shell::Shell;

/// Where environments are when nobody says otherwise, in Puppet's own packages and in Debian's.
const ENVIRONMENTPATH: &str = "/etc/puppetlabs/code/environments:/etc/puppet/code/environments";

/// How to find an environment.
#[derive(Debug, clap::Args)]
pub(super) struct Where {
    /// The name of the environment, instead of its directory
    #[arg(long, short = 'E', value_name = "NAME")]
    pub(super) environment: Option<String>,
    /// Where environments are, directories separated by colons
    #[arg(long, value_name = "DIRS", default_value = ENVIRONMENTPATH)]
    environmentpath: String,
    /// What `$basemodulepath` stands for; that of Puppet's packages by default
    #[arg(long, value_name = "DIRS")]
    basemodulepath: Option<String>,
    /// How many files to work on at the same time; all cores by default
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
}

/// An environment and what is needed to work on it.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) environment: Environment,
    pub(super) anchor: Anchor,
    pub(super) pool: Pool,
}

impl Where {
    /// The environment of a directory, or of the name that was given, or the one around
    /// `start`, or around the current directory, or that directory itself.
    pub(super) fn find(&self, directory: Option<&Path>, start: &Path) -> anyhow::Result<Found> {
        let anchor = Anchor::new().context("can't find the current directory")?;
        let base = match &self.basemodulepath {
            Some(given) => split(given).map(|entry| anchor.absolute(Path::new(entry))).collect(),
            None => system(),
        };
        let directory = match (directory, &self.environment) {
            (Some(_), Some(_)) => bail!("name an environment or give its directory, not both"),
            (Some(directory), None) => anchor.absolute(directory),
            (None, Some(name)) => anchor.absolute(&self.named(name)?),
            (None, None) => {
                let current = anchor.absolute(Path::new("."));
                let found = around(&anchor.absolute(start)).or_else(|| around(&current));
                found.unwrap_or(current)
            }
        };
        let environment = open(&directory, &base)?;
        Ok(Found { environment, anchor, pool: Pool::new(self.jobs.map(usize::from)) })
    }

    fn named(&self, name: &str) -> anyhow::Result<PathBuf> {
        let mut places = split(&self.environmentpath).map(|entry| Path::new(entry).join(name));
        let found = places.find(|directory| directory.is_dir());
        found.ok_or_else(|| anyhow!("no environment `{name}` in `{}`", self.environmentpath))
    }
}

impl Found {
    /// The manifests, and the words for what could not be looked at.
    pub(super) fn manifests(&self, shell: &Shell) -> (Manifests, Vec<String>) {
        let mut manifests = self.environment.manifests(&self.anchor, &self.pool);
        if let Some(module) = &manifests.reserved {
            let path = module.path.display();
            shell.say(&format!(
                "note: `{path}` is left out: its name stands for the environment itself"
            ));
        }
        let problems = manifests.problems.drain(..);
        let words = problems.map(|(path, error)| problem(&path.to_string_lossy(), &error));
        let words = words.collect();
        (manifests, words)
    }
}

/// The nearest directory with an `environment.conf`.
fn around(start: &Path) -> Option<PathBuf> {
    let mut directories = start.ancestors();
    directories.find(|directory| directory.join("environment.conf").is_file()).map(Path::to_owned)
}

fn open(directory: &Path, base: &[PathBuf]) -> anyhow::Result<Environment> {
    let name = directory.display();
    match std::fs::metadata(directory) {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => bail!("`{name}` is no directory"),
        Err(error) => bail!("{}", problem(&name.to_string(), &error)),
    }
    let environment = Environment::open(directory, base);
    let environment = environment
        .map_err(|error| anyhow!("can't read `{name}/environment.conf`: {}", reason(&error)))?;
    if !environment.is_likely() {
        bail!("`{name}` is no environment: there are no environment.conf, manifests or modules");
    }
    Ok(environment)
}
