//! Puppet's settings on the command line.

use std::path::PathBuf;

use anyhow::anyhow;
use kukla_site::SiteError;
use kukla_site::settings::{ConfigFile, Settings};
use kukla_world::paths::Anchor;

/// The name of the server in catalogs unless `certname` is set: one of no machine, so that catalogs are reproducible.
const CERTNAME: &str = "puppet.example.com";

/// `--xpp` and `--no-xpp`, the last of which counts.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct XppArgs {
    /// Load what `kukla xpp build` made of manifests that did not change since, instead of parsing them
    #[arg(long, overrides_with = "no_xpp")]
    xpp: bool,
    /// Parse all manifests, which is the default unless `puppet.conf` has `xpp = true`
    #[arg(long, overrides_with = "xpp")]
    no_xpp: bool,
}

impl XppArgs {
    /// Returns the value of the setting `xpp`.
    pub(crate) fn value(self) -> Option<String> {
        let is_set = self.xpp || self.no_xpp;
        is_set.then(|| self.xpp.to_string())
    }
}

/// Settings on the command line.
#[derive(Debug, clap::Args)]
pub(crate) struct SettingArgs {
    /// The `puppet.conf` to read; that of Puppet's packages by default, if there is one
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The name of the environment
    #[arg(long, short = 'E', value_name = "NAME")]
    environment: Option<String>,
    /// Where environments are, directories separated by colons
    #[arg(long, value_name = "DIRS")]
    environmentpath: Option<String>,
    /// Where modules are; wins over what the environment says
    #[arg(long, value_name = "DIRS")]
    modulepath: Option<String>,
    /// What `$basemodulepath` stands for
    #[arg(long, value_name = "DIRS")]
    basemodulepath: Option<String>,
    /// The manifest, or directory of manifests, to start with
    #[arg(long, value_name = "PATH")]
    manifest: Option<String>,
    /// The configuration of global data; a file that is not there means that there is none
    #[arg(long, alias = "hiera_config", value_name = "FILE")]
    hiera_config: Option<String>,
    /// What becomes of things that are wrong but work: off, warning or error
    #[arg(long, value_name = "LEVEL")]
    strict: Option<String>,
    /// Unknown variables are errors, which they are by default
    #[arg(long, alias = "strict_variables", overrides_with = "no_strict_variables")]
    strict_variables: bool,
    /// Unknown variables are `undef`
    #[arg(long, alias = "no-strict_variables")]
    no_strict_variables: bool,
    /// Exported resources are kept in `vardir`, and collected from there
    #[arg(long, overrides_with = "no_storeconfigs")]
    storeconfigs: bool,
    /// Exported resources are ignored, which they are by default
    #[arg(long)]
    no_storeconfigs: bool,
    /// Where Kukla and Puppet keep what they know of nodes
    #[arg(long, value_name = "DIR")]
    vardir: Option<String>,
    #[command(flatten)]
    xpp: XppArgs,
    /// Any other setting
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

impl SettingArgs {
    /// Reads the settings: those of the command line above those of `puppet.conf`.
    pub(crate) fn settings(&self, anchor: &Anchor) -> anyhow::Result<Settings> {
        let config = config_file(self.config.as_ref());
        Ok(load(&config, self.overrides()?, anchor)?)
    }

    /// Reads the settings that requests start from: without `--config` no file counts.
    pub(crate) fn settings_of_requests(&self, anchor: &Anchor) -> anyhow::Result<Settings> {
        let config = self.config.clone().map_or(ConfigFile::Absent, ConfigFile::At);
        Ok(load(&config, self.overrides()?, anchor)?)
    }

    /// Names and values of the settings on the command line.
    fn overrides(&self) -> anyhow::Result<Vec<(String, String)>> {
        let mut overrides = Vec::new();
        for text in &self.set {
            let (name, value) = text
                .split_once('=')
                .ok_or_else(|| anyhow!("`--set {text}` has no value: write `NAME=VALUE`"))?;
            overrides.push((name.replace('-', "_"), value.to_owned()));
        }
        let flag = |is_on: bool, value: &str| is_on.then(|| value.to_owned());
        let options = [
            ("environment", self.environment.clone()),
            ("environmentpath", self.environmentpath.clone()),
            ("modulepath", self.modulepath.clone()),
            ("basemodulepath", self.basemodulepath.clone()),
            ("manifest", self.manifest.clone()),
            ("hiera_config", self.hiera_config.clone()),
            ("strict", self.strict.clone()),
            ("strict_variables", flag(self.strict_variables, "true")),
            ("strict_variables", flag(self.no_strict_variables, "false")),
            ("storeconfigs", flag(self.storeconfigs, "true")),
            ("storeconfigs", flag(self.no_storeconfigs, "false")),
            ("vardir", self.vardir.clone()),
            ("xpp", self.xpp.value()),
        ];
        overrides.extend(pairs(options));
        Ok(overrides)
    }
}

/// Returns the settings that have a value.
pub(crate) fn pairs<'a>(
    options: impl IntoIterator<Item = (&'a str, Option<String>)>,
) -> Vec<(String, String)> {
    let values = options.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    values.collect()
}

/// Returns the `puppet.conf` of an option.
pub(crate) fn config_file(path: Option<&PathBuf>) -> ConfigFile {
    path.cloned().map_or(ConfigFile::Installed, ConfigFile::At)
}

/// Reads settings as [`Settings::load`] does; the server has a name that is the same everywhere.
pub(crate) fn load(
    config: &ConfigFile,
    overrides: Vec<(String, String)>,
    anchor: &Anchor,
) -> Result<Settings, SiteError> {
    Ok(Settings::load(config, overrides, anchor)?.with_fallback("certname", CERTNAME))
}
