//! The CA that the settings name.

use std::path::{Path, PathBuf};

use anyhow::Context;
use kukla_ca::{AltNames, Authority, CaError, CaOptions, HostFiles, HostIdentity};
use kukla_rubytext::Data;
use kukla_rubytext::hocon::{self, Includes};
use kukla_site::settings::Settings;

use crate::paths::current;
use crate::settings::config_file;
use crate::shell::{Shell, Stream};

/// The name of this machine.
const HOSTNAME: &str = "/proc/sys/kernel/hostname";

/// Options that all commands have.
#[derive(Debug, clap::Args)]
pub(crate) struct CaArgs {
    /// `puppet.conf` to read [default: that of Puppet's packages, if it exists]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Puppet Server's `ca.conf` [default: `../conf.d/ca.conf`, seen from `cadir`, if it exists]
    #[arg(long, value_name = "FILE")]
    ca_conf: Option<PathBuf>,
}

/// Settings of the CA and of the host that it runs on.
#[derive(Debug)]
pub(crate) struct CaSite {
    pub(crate) settings: Settings,
    pub(crate) options: CaOptions,
}

impl CaArgs {
    /// Reads the settings, with some overridden.
    pub(crate) fn site(&self, overrides: Vec<(String, String)>) -> anyhow::Result<CaSite> {
        let config = config_file(self.config.as_ref());
        let settings = Settings::load(&config, overrides, &current()?)?;
        let settings = settings.with_fallback("certname", &hostname());
        let mut options = CaOptions::from_settings(|name| settings.text(name))?;
        self.read_ca_conf(&mut options)?;
        Ok(CaSite { settings, options })
    }

    /// Opens the CA of the settings.
    pub(crate) fn open(&self) -> anyhow::Result<(CaSite, Authority)> {
        let site = self.site(Vec::new())?;
        let authority = Authority::open(site.options.clone())?;
        Ok((site, authority))
    }

    fn read_ca_conf(&self, options: &mut CaOptions) -> anyhow::Result<()> {
        let beside = options.paths.directory.with_file_name("conf.d").join("ca.conf");
        let path = self.ca_conf.as_ref().unwrap_or(&beside);
        if self.ca_conf.is_none() && !path.exists() {
            return Ok(());
        }
        let place = || path.display().to_string();
        let text = std::fs::read_to_string(path).with_context(place)?;
        let data = hocon::read(&text, &|_| None, Includes::Refused).map_err(|error| {
            let line = error.line.map_or_else(String::new, |line| format!(":{line}"));
            anyhow::anyhow!("{}{line}: {}", place(), error.message)
        })?;
        let Some(Data::Hash(entries)) = data.get("certificate-authority") else { return Ok(()) };
        for (name, value) in entries {
            let value = match value {
                Data::Bool(value) => value.to_string(),
                Data::Int(number) => number.to_string(),
                Data::Str(text) => text.clone(),
                _ => continue,
            };
            if let Data::Str(name) = name {
                options.set(name, &value).with_context(place)?;
            }
        }
        Ok(())
    }
}

impl CaSite {
    /// Returns a setting that is a path.
    pub(crate) fn path(&self, name: &str) -> anyhow::Result<PathBuf> {
        let text = self.settings.text(name).filter(|text| !text.is_empty());
        text.map(PathBuf::from).with_context(|| format!("the setting `{name}` has no value"))
    }

    /// Returns the files of a host in this machine's `ssldir`.
    pub(crate) fn host_files(&self, name: &str) -> anyhow::Result<HostFiles> {
        let file = |directory: &str| {
            Ok::<_, anyhow::Error>(self.path(directory)?.join(format!("{name}.pem")))
        };
        Ok(HostFiles {
            certificate: file("certdir")?,
            private_key: file("privatekeydir")?,
            public_key: file("publickeydir")?,
        })
    }

    /// Returns the identity of a host with alternative names.
    pub(crate) fn host(&self, name: &str, alt_names: &str) -> Result<HostIdentity, CaError> {
        Ok(HostIdentity {
            name: name.to_owned(),
            alt_names: AltNames::parse(alt_names)?,
            key_length: self.options.key_length,
            lifetime: None,
            extensions: Vec::new(),
        })
    }
}

fn hostname() -> String {
    let name = std::fs::read_to_string(Path::new(HOSTNAME)).unwrap_or_default();
    let name = name.trim().to_lowercase();
    if name.is_empty() { "puppet".to_owned() } else { name }
}

/// Prints a result.
pub(crate) fn inform(shell: &Shell, text: &str) -> anyhow::Result<()> {
    Ok(shell.print(Stream::Output, &format!("{text}\n"))?)
}

/// Prints a problem in the form of `puppetserver ca`.
pub(crate) fn complain(shell: &Shell, text: &str) {
    shell.say(&format!("Error:\n    {}", text.replace('\n', "\n    ")));
}
