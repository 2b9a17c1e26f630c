//! Puppet's settings on the command line.

use std::path::PathBuf;

use anyhow::anyhow;
use kukla_base::Edition;
use kukla_site::SiteError;
use kukla_site::settings::{ConfigFile, Settings, StoreSecrets};
use kukla_world::paths::Anchor;

/// The server's name in catalogs unless `certname` is set: independent of the machine, so that catalogs are reproducible.
const CERTNAME: &str = "puppet.example.com";

/// `--xpp` and `--no-xpp`, the last of which counts.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct XppArgs {
    /// Load serialized manifests of `kukla xpp build` that are up to date, instead of parsing manifests
    #[arg(long, overrides_with = "no_xpp")]
    xpp: bool,
    /// Parse all manifests; the default unless `puppet.conf` has `xpp = true`
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

/// The settings on the command line that say where exported resources are stored.
#[derive(Debug, clap::Args)]
pub(crate) struct StoreArgs {
    /// `puppet.conf` to read [default: that of Puppet's packages, if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Directory where Kukla and Puppet store data about nodes
    #[arg(long, value_name = "DIR")]
    vardir: Option<String>,
    /// Set any other setting
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

impl From<&StoreArgs> for SettingArgs {
    fn from(args: &StoreArgs) -> Self {
        let StoreArgs { config, vardir, set } = args;
        let (config, vardir, set) = (config.clone(), vardir.clone(), set.clone());
        Self { config, vardir, set, ..Self::default() }
    }
}

/// Settings on the command line.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct SettingArgs {
    /// `puppet.conf` to read [default: that of Puppet's packages, if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Name of the environment
    #[arg(long, short = 'E', value_name = "NAME")]
    environment: Option<String>,
    /// Directories of environments, separated by colons
    #[arg(long, value_name = "DIRS")]
    environmentpath: Option<String>,
    /// Directories of modules; overrides the environment's own
    #[arg(long, value_name = "DIRS")]
    modulepath: Option<String>,
    /// Value of `$basemodulepath`
    #[arg(long, value_name = "DIRS")]
    basemodulepath: Option<String>,
    /// Main manifest, or directory of manifests
    #[arg(long, value_name = "PATH")]
    manifest: Option<String>,
    /// `hiera.yaml` of the global layer; if the file does not exist, there is no global data
    #[arg(long, alias = "hiera_config", value_name = "FILE")]
    hiera_config: Option<String>,
    /// Edition of Puppet whose rules hold: 7, 8 or 9 [default: 8]
    #[arg(long, value_name = "EDITION")]
    edition: Option<String>,
    /// Treatment of doubtful constructs: off, warning or error
    #[arg(long, value_name = "LEVEL")]
    strict: Option<String>,
    /// Treat unknown variables as errors (default)
    #[arg(long, alias = "strict_variables", overrides_with = "no_strict_variables")]
    strict_variables: bool,
    /// Treat unknown variables as `undef`
    #[arg(long, alias = "no-strict_variables")]
    no_strict_variables: bool,
    /// Store exported resources in `vardir`, and collect them from there
    #[arg(long, overrides_with = "no_storeconfigs")]
    storeconfigs: bool,
    /// Ignore exported resources (default)
    #[arg(long)]
    no_storeconfigs: bool,
    /// Directory where Kukla and Puppet store data about nodes
    #[arg(long, value_name = "DIR")]
    vardir: Option<String>,
    #[command(flatten)]
    xpp: XppArgs,
    /// Set any other setting
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

impl SettingArgs {
    /// Reads the settings; those of the command line override `puppet.conf`.
    pub(crate) fn settings(&self, anchor: &Anchor) -> anyhow::Result<Settings> {
        let config = config_file(self.config.as_ref());
        Ok(load(&config, self.overrides()?, anchor)?)
    }

    /// Returns the edition of the command line.
    pub(crate) fn edition(&self) -> Result<Option<Edition>, SiteError> {
        let settings =
            Settings::default().with_overrides(pairs([("edition", self.edition.clone())]));
        Ok(self.edition.is_some().then_some(settings.editions()?.puppet))
    }

    /// Returns the edition of `puppet.conf`, if it names one.
    pub(crate) fn configured_edition(&self, anchor: &Anchor) -> Option<Edition> {
        let settings = load(&config_file(self.config.as_ref()), Vec::new(), anchor).ok()?;
        Edition::named(&settings.explicit("edition")?)
    }

    /// Reads the default settings of requests: without `--config` no file is read.
    pub(crate) fn settings_of_requests(&self, anchor: &Anchor) -> anyhow::Result<Settings> {
        let config = self.config.clone().map_or(ConfigFile::Absent, ConfigFile::At);
        Ok(load(&config, self.overrides()?, anchor)?)
    }

    /// Returns names and values of the settings on the command line.
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
            ("edition", self.edition.clone()),
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

/// Returns the passwords of the store's database that variables name, as they do for PostgreSQL's own programs.
pub(crate) fn store_secrets() -> StoreSecrets {
    let passfile = std::env::var_os("PGPASSFILE").map(PathBuf::from);
    StoreSecrets { password: std::env::var("PGPASSWORD").ok(), passfile }
}

/// Reads settings like [`Settings::load`]; the server's name does not depend on the machine.
pub(crate) fn load(
    config: &ConfigFile,
    overrides: Vec<(String, String)>,
    anchor: &Anchor,
) -> Result<Settings, SiteError> {
    let settings = Settings::load(config, overrides, anchor)?.with_store_secrets(store_secrets());
    Ok(settings.with_fallback("certname", CERTNAME))
}
