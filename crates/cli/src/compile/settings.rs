//! Puppet's settings: from the command line, from `puppet.conf`, and as manifests see them.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use kukla_compiler::Settings as Rules;
use kukla_pcore::{Hash, Value};
use kukla_site::Snapshot;
use kukla_site::puppet_conf::{FILES, PuppetConf};
use kukla_site::settings::{Setting, Settings};
use kukla_world::paths::Anchor;

/// Settings on the command line.
#[derive(Debug, clap::Args)]
pub(crate) struct Given {
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
    /// Any other setting
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

impl Given {
    /// The settings of the command line above those of `puppet.conf`.
    pub(crate) fn settings(&self, anchor: &Anchor) -> anyhow::Result<Settings> {
        Ok(Settings::new(self.conf(anchor)?, self.pairs()?))
    }

    /// Whether the command line names a setting.
    pub(crate) fn names(&self, name: &str) -> bool {
        self.pairs().is_ok_and(|pairs| pairs.iter().any(|(known, _)| known == name))
    }

    /// How strict to be.
    pub(crate) fn rules(&self, settings: &Settings) -> anyhow::Result<Rules> {
        let strict = settings.text("strict").unwrap_or_default();
        let is_strict = settings.value("strict_variables") == Setting::Flag(true);
        super::rules(&strict, is_strict)
    }

    fn pairs(&self) -> anyhow::Result<Vec<(String, String)>> {
        let mut pairs = Vec::new();
        for text in &self.set {
            let (name, value) = text
                .split_once('=')
                .ok_or_else(|| anyhow!("`--set {text}` has no value: write `NAME=VALUE`"))?;
            pairs.push((name.replace('-', "_"), value.to_owned()));
        }
        let flag = |is_on: bool, value: &str| is_on.then(|| value.to_owned());
        let named = [
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
        ];
        let named = named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        pairs.extend(named);
        Ok(pairs)
    }

    fn conf(&self, anchor: &Anchor) -> anyhow::Result<PuppetConf> {
        if let Some(path) = &self.config {
            let path = anchor.absolute(path);
            let text = std::fs::read_to_string(&path)
                .with_context(|| format!("cannot read `{}`", path.display()))?;
            return Ok(PuppetConf::parse(&path, &text));
        }
        let read = |path: &&str| {
            let text = std::fs::read_to_string(path).ok()?;
            Some(PuppetConf::parse(Path::new(path), &text))
        };
        Ok(FILES.iter().find_map(read).unwrap_or_default())
    }
}

/// The settings as `$settings::name`.
pub(crate) fn hash(settings: &Settings, snapshot: &Snapshot, environment: &str) -> Hash {
    let mut hash: Hash =
        settings.all().map(|(name, setting)| (Value::from(name), value(setting))).collect();
    let own = snapshot.environment();
    let path = |path: &Path| path.to_string_lossy().into_owned();
    let modulepath: Vec<String> = own.modulepath.iter().map(|entry| path(entry)).collect();
    for (name, value) in [
        ("environment", environment.to_owned()),
        ("manifest", path(&own.manifest)),
        ("modulepath", modulepath.join(":")),
    ] {
        hash.insert(Value::from(name), Value::from(value));
    }
    hash
}

fn value(setting: Setting) -> Value {
    match setting {
        Setting::Undef => Value::Undef,
        Setting::Text(text) => Value::from(text),
        Setting::Flag(flag) => Value::Boolean(flag),
        Setting::Number(number) => Value::Integer(number),
        Setting::List(entries) => Value::array(entries.into_iter().map(Value::from)),
    }
}
