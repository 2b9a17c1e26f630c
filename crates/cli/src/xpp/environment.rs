//! Selection of an environment.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use kukla_site::{Environment, EnvironmentChoice, Manifests, SiteError, Xpp, around};
use kukla_world::paths::Anchor;
use kukla_world::{Disk, Pool};

use crate::inputs::problem;
use crate::paths::current;
use crate::settings::{XppArgs, config_file, load, pairs};
use crate::shell::Shell;

/// Arguments that select an environment.
#[derive(Debug, clap::Args)]
pub(super) struct EnvironmentArgs {
    /// Name of the environment, instead of its directory
    #[arg(long, short = 'E', value_name = "NAME")]
    pub(super) environment: Option<String>,
    /// `puppet.conf` with the settings `environmentpath`, `basemodulepath` and `xpp` [default: that of Puppet's packages,
    /// if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Directories of environments, separated by colons
    #[arg(long, value_name = "DIRS")]
    environmentpath: Option<String>,
    /// Value of `$basemodulepath`
    #[arg(long, value_name = "DIRS")]
    basemodulepath: Option<String>,
    /// Number of files to process in parallel [default: number of cores]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
}

/// An environment with everything that commands on it need.
#[derive(Debug)]
pub(super) struct OpenedEnvironment {
    pub(super) environment: Environment,
    pub(super) anchor: Anchor,
    pub(super) pool: Pool,
    /// The setting `xpp`.
    pub(super) xpp: Xpp,
}

impl EnvironmentArgs {
    /// Returns the environment of a directory, or of the name on the command line, or the one around `start`, or around
    /// the current directory, or that directory itself.
    pub(super) fn find(
        &self,
        directory: Option<&Path>,
        start: &Path,
    ) -> anyhow::Result<OpenedEnvironment> {
        self.find_with(directory, start, None)
    }

    /// Like [`find`](Self::find), with `--xpp` and `--no-xpp`.
    pub(super) fn find_with(
        &self,
        directory: Option<&Path>,
        start: &Path,
        xpp: Option<XppArgs>,
    ) -> anyhow::Result<OpenedEnvironment> {
        let anchor = current()?;
        let overrides = pairs([
            ("environment", self.environment.clone()),
            ("environmentpath", self.environmentpath.clone()),
            ("basemodulepath", self.basemodulepath.clone()),
            ("xpp", xpp.and_then(XppArgs::value)),
        ]);
        let settings = load(&config_file(self.config.as_ref()), overrides, &anchor)?;
        let directory = match (directory, &self.environment) {
            (Some(_), Some(_)) => bail!("name an environment or give its directory, not both"),
            (Some(directory), None) => Some(directory.to_owned()),
            (None, Some(_)) => None,
            (None, None) => {
                let directory =
                    around(&anchor.absolute(start)).or_else(|| around(anchor.directory()));
                Some(directory.unwrap_or_else(|| anchor.directory().to_owned()))
            }
        };
        if let Some(directory) = &directory {
            check_directory(&anchor.absolute(directory))?;
        }
        let choice = EnvironmentChoice { directory, ..EnvironmentChoice::default() };
        let name = self.environment.as_deref().unwrap_or_default();
        let environment = choice.environment(name, &settings, &anchor)?;
        check(&environment)?;
        let pool = Pool::new(self.jobs.map(usize::from));
        Ok(OpenedEnvironment { environment, anchor, pool, xpp: settings.xpp() })
    }
}

impl OpenedEnvironment {
    /// Returns the manifests, and messages about unreadable directories.
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

fn check_directory(directory: &Path) -> anyhow::Result<()> {
    match std::fs::metadata(directory) {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => Err(anyhow!("`{}` is no directory", directory.display())),
        Err(error) => Err(SiteError::Unreadable { path: directory.to_owned(), error }.into()),
    }
}

fn check(environment: &Environment) -> anyhow::Result<()> {
    if !environment.is_likely(&Disk) {
        let name = environment.directory.display();
        bail!("`{name}` is no environment: there are no environment.conf, manifests or modules");
    }
    Ok(())
}
