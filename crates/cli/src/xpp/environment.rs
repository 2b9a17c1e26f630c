//! Which environment is meant.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use kukla_site::puppet_conf::{FILES, PuppetConf};
use kukla_site::{Environment, Manifests, Xpp, split};
use kukla_world::paths::Anchor;
use kukla_world::{Disk, Pool};

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
    /// The `puppet.conf` with the settings `environmentpath`, `basemodulepath` and `xpp`; that of Puppet's
    /// packages by default, if there is one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Where environments are, directories separated by colons
    #[arg(long, value_name = "DIRS")]
    environmentpath: Option<String>,
    /// What `$basemodulepath` stands for
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
    /// The setting `xpp` of `puppet.conf`.
    pub(super) xpp: Xpp,
}

impl Where {
    /// The environment of a directory, or of the name that was given, or the one around
    /// `start`, or around the current directory, or that directory itself.
    pub(super) fn find(&self, directory: Option<&Path>, start: &Path) -> anyhow::Result<Found> {
        let anchor = Anchor::new().context("can't find the current directory")?;
        let conf = self.conf()?;
        let given = self.basemodulepath.clone().or_else(|| conf.value("basemodulepath"));
        let base = match given {
            Some(given) => split(&given).map(|entry| anchor.absolute(Path::new(entry))).collect(),
            None => system(),
        };
        let directory = match (directory, &self.environment) {
            (Some(_), Some(_)) => bail!("name an environment or give its directory, not both"),
            (Some(directory), None) => anchor.absolute(directory),
            (None, Some(name)) => anchor.absolute(&self.named(name, &conf)?),
            (None, None) => {
                let current = anchor.absolute(Path::new("."));
                let found = around(&anchor.absolute(start)).or_else(|| around(&current));
                found.unwrap_or(current)
            }
        };
        let environment = open(&directory, &base)?;
        let pool = Pool::new(self.jobs.map(usize::from));
        let xpp = if conf.flag("xpp") == Some(true) { Xpp::On } else { Xpp::Off };
        Ok(Found { environment, anchor, pool, xpp })
    }

    fn named(&self, name: &str, conf: &PuppetConf) -> anyhow::Result<PathBuf> {
        let given = self.environmentpath.clone().or_else(|| conf.value("environmentpath"));
        let path = given.as_deref().unwrap_or(ENVIRONMENTPATH);
        let mut places = split(path).map(|entry| Path::new(entry).join(name));
        let found = places.find(|directory| directory.is_dir());
        found.ok_or_else(|| anyhow!("no environment `{name}` in `{path}`"))
    }

    /// The settings of the file that was given, or of the first that there is.
    fn conf(&self) -> anyhow::Result<PuppetConf> {
        let read =
            |path: &Path| std::fs::read_to_string(path).map(|text| PuppetConf::parse(path, &text));
        if let Some(path) = &self.config {
            let name = path.display().to_string();
            return read(path).map_err(|error| anyhow!("{}", problem(&name, &error)));
        }
        Ok(FILES.iter().find_map(|path| read(Path::new(path)).ok()).unwrap_or_default())
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
    let environment = Environment::open(directory, base, &Disk);
    let environment = environment
        .map_err(|error| anyhow!("can't read `{name}/environment.conf`: {}", reason(&error)))?;
    if !environment.is_likely(&Disk) {
        bail!("`{name}` is no environment: there are no environment.conf, manifests or modules");
    }
    Ok(environment)
}
