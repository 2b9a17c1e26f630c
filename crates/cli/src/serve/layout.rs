//! The files of a server: settings, Puppet Server's `conf.d`, certificates.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, anyhow};
use kukla_ca::{AltNames, Authority, CaError, CaOptions, HostFiles, HostIdentity};
use kukla_server::agents::{ConfD, ServerOptions, TlsFiles};
use kukla_site::settings::{ConfigFile, Settings};
use kukla_site::{EnvironmentChoice, ServerIdentity, Site, SiteError, SiteOptions, Timeout, Warn};
use kukla_world::paths::Anchor;

use super::{Args, attributes, first_start};
use crate::paths::current;
use crate::settings::store_secrets;
use crate::shell::Shell;

/// Directories of Puppet's packages and of Debian's: settings, and Puppet Server's own files.
const INSTALLED: [(&str, &str); 2] = [
    ("/etc/puppetlabs/puppet", "/etc/puppetlabs/puppetserver/conf.d"),
    ("/etc/puppet", "/etc/puppet/puppetserver/conf.d"),
];

/// Settings of the CA that are paths, or can be.
const CA_PATHS: [&str; 10] = [
    "cadir",
    "cacert",
    "cakey",
    "capub",
    "cacrl",
    "cert_inventory",
    "serial",
    "signeddir",
    "csrdir",
    "autosign",
];

/// The files of a server.
pub(super) struct Layout {
    pub(super) anchor: Anchor,
    pub(super) settings: Settings,
    pub(super) conf_d: ConfD,
    conf_d_directory: Option<PathBuf>,
    confdir: PathBuf,
    /// Whether the directory was empty and has an example now.
    is_new: bool,
}

/// The directories of a server.
pub(super) struct Place {
    pub(super) anchor: Anchor,
    pub(super) confdir: PathBuf,
    pub(super) conf_d_directory: Option<PathBuf>,
}

impl Place {
    /// Finds the directories; nothing is made.
    pub(super) fn find(args: &Args) -> anyhow::Result<Self> {
        let anchor = current()?;
        let here = anchor.directory().to_owned();
        let confdir = match &args.confdir {
            Some(directory) => anchor.absolute(directory),
            None => default_confdir(&here)?,
        };
        let conf_d_directory = conf_d_directory(args, &anchor, &confdir);
        Ok(Self { anchor, confdir, conf_d_directory })
    }

    /// Returns whether the directory is empty.
    pub(super) fn is_new(&self) -> bool {
        is_empty(&self.confdir)
    }
}

impl Layout {
    /// Finds the files; makes them in an empty directory.
    pub(super) fn find(args: &Args, shell: &Shell) -> anyhow::Result<Self> {
        let place = Place::find(args)?;
        let is_new = place.is_new();
        if is_new {
            first_start::write(&place.confdir)?;
            shell.say(&format!("made an example in `{}`", place.confdir.display()));
        }
        let conf_d = match &place.conf_d_directory {
            Some(directory) => ConfD::read(directory)?,
            None => ConfD::default(),
        };
        let settings = settings(args, &place.anchor, &place.confdir, &conf_d)?;
        Ok(Self { is_new, ..Self::new(place, settings, conf_d) })
    }

    /// Makes the layout of directories whose files were read.
    pub(super) fn new(place: Place, settings: Settings, conf_d: ConfD) -> Self {
        let Place { anchor, confdir, conf_d_directory } = place;
        Self { anchor, settings, conf_d, conf_d_directory, confdir, is_new: false }
    }

    /// Returns the site, for a look at its environments.
    pub(super) fn site(&self) -> Result<Site, SiteError> {
        let options = SiteOptions {
            anchor: self.anchor.clone(),
            choice: EnvironmentChoice::default(),
            server: ServerIdentity { name: String::new(), address: String::new() },
            timeout: Timeout::Unlimited,
            settle: None,
            warn: Warn::default(),
        };
        Site::open(self.settings.clone(), options)
    }

    /// Returns the file with the rules of access.
    pub(super) fn auth_conf(&self) -> Option<PathBuf> {
        let own = self.confdir.join("auth.conf");
        let own = own.is_file().then_some(own);
        self.conf_d.auth_conf().map(Path::to_owned).or(own)
    }

    /// Returns whether the server is a CA: not if the setting `ca` is off, or Puppet Server's `ca.cfg` switches it off.
    pub(super) fn has_authority(&self) -> bool {
        self.settings.text("ca").as_deref() != Some("false") && !self.is_disabled_by_service()
    }

    /// Returns the files of TLS. With a CA these are the authority's own, so that a revocation counts at once.
    pub(super) fn tls_files(&self) -> anyhow::Result<TlsFiles> {
        let (certificate, key) = (self.path("hostcert"), self.path("hostprivkey"));
        let (authorities, revocations) = match self.has_authority() {
            true => {
                let paths = self.ca_options()?.paths;
                (paths.certificate, Some(paths.crl))
            }
            false => {
                let list = Some(self.path("hostcrl")).filter(|path| path.exists());
                (self.path("localcacert"), list)
            }
        };
        Ok(TlsFiles { certificate, key, authorities, revocations })
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.anchor.absolute(Path::new(&self.settings.text(name).unwrap_or_default()))
    }

    /// Returns the options of the server; a CA and a certificate are made where there are none.
    pub(super) fn server_options(&self) -> anyhow::Result<ServerOptions> {
        let authority = self.authority()?;
        let default = ServerOptions::default();
        let queued = self.conf_d.number(&["jruby-puppet", "max-queued-requests"]);
        let queued = queued.and_then(|number| usize::try_from(number).ok()).filter(|&n| n > 0);
        Ok(ServerOptions {
            tls: Some(self.tls_files()?),
            auth_conf: self.auth_conf(),
            oid_mapping: Some(self.path("trusted_oid_mapping_file")),
            authority,
            most_queued: queued.unwrap_or(default.most_queued),
            ..default
        })
    }

    /// Opens the CA, or makes one, if the server is to be one.
    fn authority(&self) -> anyhow::Result<Option<Arc<Authority>>> {
        if !self.has_authority() {
            return Ok(None);
        }
        let options = self.ca_options()?;
        let authority = match Authority::open(options.clone()) {
            Err(CaError::NotFound(_)) => Authority::create(options)?,
            opened => opened?,
        };
        let certname = self.settings.text("certname").unwrap_or_default();
        let names = self.settings.text("dns_alt_names").unwrap_or_default();
        let host = HostIdentity {
            name: certname,
            alt_names: AltNames::parse(&names)?,
            key_length: authority.options().key_length,
            lifetime: None,
            extensions: attributes::extensions(
                &self.path("csr_attributes"),
                &self.path("trusted_oid_mapping_file"),
            )?,
        };
        let files = HostFiles {
            certificate: self.path("hostcert"),
            private_key: self.path("hostprivkey"),
            public_key: self.path("hostpubkey"),
        };
        authority.server_certificate(&host, &files)?;
        authority.copy_to_host(&self.path("localcacert"), &self.path("hostcrl"))?;
        Ok(Some(Arc::new(authority)))
    }

    /// Returns whether the file `services.d/ca.cfg` beside `conf.d` chooses the service without a CA.
    fn is_disabled_by_service(&self) -> bool {
        let file = self.conf_d_directory.as_deref().and_then(Path::parent);
        let file = file.map(|directory| directory.join("services.d/ca.cfg"));
        let text = file.and_then(|file| std::fs::read_to_string(file).ok()).unwrap_or_default();
        let mut lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
        lines.any(|line| line.ends_with("certificate-authority-disabled-service"))
    }

    pub(super) fn ca_options(&self) -> anyhow::Result<CaOptions> {
        let setting = |name: &str| {
            let text = self.settings.text(name).filter(|text| !text.is_empty())?;
            let is_path = CA_PATHS.contains(&name) && !matches!(text.as_str(), "true" | "false");
            Some(if is_path { self.path(name).display().to_string() } else { text })
        };
        let mut options = CaOptions::from_settings(setting)?;
        for (name, value) in self.conf_d.entries("certificate-authority") {
            options.set(&name, &value)?;
        }
        Ok(options)
    }

    /// Prints the line to type on an agent, once.
    pub(super) fn greet(&self, port: u16, shell: &Shell) {
        if !self.is_new {
            return;
        }
        let server = self.settings.text("certname").unwrap_or_default();
        shell.say(&format!(
            "on an agent: puppet agent --test --server {server} --serverport {port} --waitforcert 10\n\
             then here:   kukla ca sign --certname NAME --config {}",
            self.confdir.join("puppet.conf").display()
        ));
    }
}

/// Returns the current directory if it is empty or has settings, or else that of a package.
fn default_confdir(here: &Path) -> anyhow::Result<PathBuf> {
    if here.join("puppet.conf").is_file() || is_empty(here) {
        return Ok(here.to_owned());
    }
    let mut installed = INSTALLED.iter().map(|(confdir, _)| PathBuf::from(confdir));
    installed.find(|confdir| confdir.join("puppet.conf").is_file()).ok_or_else(|| {
        anyhow!("there is no `puppet.conf` here: use an empty directory, or `--confdir DIR`")
    })
}

fn is_empty(directory: &Path) -> bool {
    std::fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_none())
}

fn conf_d_directory(args: &Args, anchor: &Anchor, confdir: &Path) -> Option<PathBuf> {
    if let Some(directory) = &args.conf_d {
        return Some(anchor.absolute(directory));
    }
    let installed = INSTALLED.iter().find(|(known, _)| Path::new(known) == confdir);
    let installed = installed.map(|(_, conf_d)| PathBuf::from(conf_d));
    let own = [confdir.join("conf.d"), confdir.join("puppetserver/conf.d")];
    own.into_iter().chain(installed).find(|directory| directory.is_dir())
}

pub(super) fn settings(
    args: &Args,
    anchor: &Anchor,
    confdir: &Path,
    conf_d: &ConfD,
) -> anyhow::Result<Settings> {
    let mut overrides = vec![("confdir".to_owned(), confdir.display().to_string())];
    for (setting, key) in [
        ("codedir", "server-code-dir"),
        ("vardir", "server-var-dir"),
        ("logdir", "server-log-dir"),
        ("rundir", "server-run-dir"),
    ] {
        if let Some(value) = conf_d.text(&["jruby-puppet", key]) {
            overrides.push((setting.to_owned(), value));
        }
    }
    for text in &args.set {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| anyhow!("`--set {text}` has no value: write `NAME=VALUE`"))?;
        overrides.push((name.replace('-', "_"), value.to_owned()));
    }
    overrides.extend(args.store.iter().map(|place| ("store".to_owned(), place.clone())));
    let config = ConfigFile::At(confdir.join("puppet.conf"));
    let settings = Settings::load(&config, overrides, anchor);
    let settings = settings.with_context(|| format!("`{}`", confdir.display()))?;
    let settings = settings.with_store_secrets(store_secrets());
    let settings = settings.with_fallback("certname", &first_start::host_name());
    // Puppet's own packages have the CA beside their `confdir`, Debian's below it.
    let is_beside = confdir == Path::new(INSTALLED[0].0) && settings.explicit("cadir").is_none();
    let cadir =
        is_beside.then(|| ("cadir".to_owned(), "/etc/puppetlabs/puppetserver/ca".to_owned()));
    Ok(settings.with_overrides(cadir))
}
