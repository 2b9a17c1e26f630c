//! Inputs of measurements: Debian's modules if they are installed, and generated manifests.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result};
use kukla_tests::modules;

/// Many manifests on disk.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The folder that holds them all.
    pub(crate) folder: PathBuf,
    /// The manifests, sorted; no templates.
    pub(crate) manifests: Vec<PathBuf>,
    /// Their texts.
    pub(crate) texts: Vec<String>,
}

impl Tree {
    /// Returns Debian's modules, or generated manifests.
    pub(crate) fn installed_or_generated() -> Result<Self> {
        let folder = PathBuf::from("/usr/share/puppet/modules");
        let files = modules::installed().into_iter().map(|file| file.path());
        let is_manifest = |path: &PathBuf| {
            path.starts_with(&folder) && path.extension().is_some_and(|extension| extension == "pp")
        };
        let manifests: Vec<PathBuf> = files.filter(is_manifest).collect();
        if manifests.is_empty() { Self::generated() } else { Self::read(folder, manifests) }
    }

    /// Writes generated manifests to a temporary folder.
    pub(crate) fn generated() -> Result<Self> {
        let folder = std::env::temp_dir().join("kukla-bench");
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make `{}`", folder.display()))?;
        let mut manifests = Vec::new();
        for number in 0..2000 {
            let path = folder.join(format!("m{number:04}.pp"));
            std::fs::write(&path, manifest(500 + number % 97 * 50, number))?;
            manifests.push(path);
        }
        Self::read(folder, manifests)
    }

    fn read(folder: PathBuf, manifests: Vec<PathBuf>) -> Result<Self> {
        let read = |path: &PathBuf| {
            std::fs::read_to_string(path)
                .with_context(|| format!("cannot read `{}`", path.display()))
        };
        let texts = manifests.iter().map(read).collect::<Result<_>>()?;
        Ok(Self { folder, manifests, texts })
    }

    /// Returns the size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.texts.iter().map(String::len).sum()
    }

    /// Describes the tree: `1927 manifests, 5.8 MB, below /usr/share/puppet/modules`.
    pub(crate) fn describe(&self) -> String {
        let megabytes = self.bytes() as f64 / 1e6;
        let (count, folder) = (self.manifests.len(), self.folder.display());
        format!("{count} manifests, {megabytes:.1} MB, below {folder}")
    }
}

/// Returns a valid manifest of at least that many bytes; the number makes its names unique.
pub(crate) fn manifest(bytes: usize, number: usize) -> String {
    let mut out = String::with_capacity(bytes + 1500);
    let mut part = 0;
    while out.len() < bytes {
        write_part(&mut out, number, part);
        part += 1;
    }
    out
}

fn write_part(out: &mut String, number: usize, part: usize) {
    let text = PART.replace("NAME", &format!("m{number}::p{part}"));
    // Writing to a string can't fail.
    let _ = writeln!(out, "{text}");
}

/// Code with about the proportions of real manifests.
const PART: &str = r#"# Sets up one of the services of this machine, with its package, its configuration and its sites.
#
# The service is restarted when its configuration changes. Sites that listen on a port below 1024 are
# left out, since the service does not run as root; give them to another service in front of this one.
#
# @example With the values that most machines have
#   class { 'NAME':
#     port  => 8080,
#     sites => { 'main' => { 'port' => 8081, 'root' => '/srv/main' } },
#   }
#
# @example Without a package, where somebody else installs it
#   class { 'NAME':
#     manage => false,
#   }
#
# @param ensure
#   Whether the service is there. With `absent` the package and all files are removed, but not the data.
# @param owner
#   The user who owns the configuration. By default it is root, so that the service can't change its own.
# @param port
#   The port of the service itself. It must not be one of the ports of the sites, nor of another service.
# @param sites
#   The sites by their names, each with its port and its root; more keys are given to the site as they are.
# @param manage
#   Whether the package, the configuration and the service are managed here at all.
#
class NAME (
  Enum['present', 'absent'] $ensure = 'present',
  Optional[String[1]]       $owner  = undef,
  Integer[1, 65535]         $port   = 8080,
  Hash[String, Hash]        $sites  = {},
  Boolean                   $manage = true,
) inherits NAME::params {
  $package = $facts['os']['family'] ? {
    'Debian' => 'service-common',
    /^(RedHat|Suse)$/ => 'service',
    default  => fail("unsupported: ${facts['os']['name']}"),
  }
  if $manage and $ensure == 'present' {
    package { $package:
      ensure => installed,
    }
    -> file { "/etc/${package}/main.conf":
      ensure  => file,
      owner   => pick($owner, 'root'),
      mode    => '0644',
      content => epp('NAME/main.conf.epp', { 'port' => $port, 'name' => "x ${port} y" }),
    }
    ~> service { 'service':
      ensure    => running,
      enable    => true,
      subscribe => File['/etc/default/service', "/etc/${package}/x"],
    }
  } else {
    notify { 'nothing to do': }
  }
  $sites.filter |$name, $site| { $site['port'] > 1024 }.each |String $name, Hash $site| {
    NAME::site { $name:
      * => $site + { 'parent' => $title },
    }
  }
  File <| tag == 'NAME' |> { require +> Package[$package] }
}
"#;
