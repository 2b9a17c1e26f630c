//! `kukla ca setup` and `kukla ca import`: new authorities.

use std::path::PathBuf;

use anyhow::Context;
use kukla_ca::{Authority, CaError, Import};

use super::common::{CaArgs, CaSite, complain, inform};
use crate::Exit;
use crate::settings::pairs;
use crate::shell::Shell;

const REPLACE: &str = "\
If you would really like to replace your CA, please delete the existing files first.
Note that any certificates that were issued by this CA will become invalid if you
replace it!";

/// Options about the server's own certificate.
#[derive(Debug, clap::Args)]
struct ServerArgs {
    /// Subject alternative names for the server's certificate: `NAME`, `DNS:NAME` or `IP:ADDRESS`
    #[arg(long, value_name = "NAME[,NAME]")]
    subject_alt_names: Option<String>,
    /// Common name of the server's certificate [default: the setting `certname`, or the name of this machine]
    #[arg(long, value_name = "NAME")]
    certname: Option<String>,
}

/// Make a root CA and a signing CA below it, and the server's certificate
#[derive(Debug, clap::Args)]
pub(crate) struct SetupArgs {
    #[command(flatten)]
    ca: CaArgs,
    #[command(flatten)]
    server: ServerArgs,
    /// Common name of the signing CA [default: the setting `ca_name`]
    #[arg(long, value_name = "NAME")]
    ca_name: Option<String>,
}

/// Use a CA that was made elsewhere, and make the server's certificate
///
/// The CA must not have signed or revoked anything yet.
#[derive(Debug, clap::Args)]
pub(crate) struct ImportArgs {
    #[command(flatten)]
    ca: CaArgs,
    #[command(flatten)]
    server: ServerArgs,
    /// The private key of the signing CA, in PEM
    #[arg(long, value_name = "FILE")]
    private_key: PathBuf,
    /// The certificates of the signing CA and of all CAs above it, in PEM
    #[arg(long, value_name = "FILE")]
    cert_bundle: PathBuf,
    /// The CRLs of all CAs above the signing CA, in PEM
    #[arg(long, value_name = "FILE")]
    crl_chain: PathBuf,
}

impl ServerArgs {
    fn overrides(&self, ca_name: Option<&String>) -> Vec<(String, String)> {
        pairs([
            ("certname", self.certname.clone()),
            ("dns_alt_names", self.subject_alt_names.clone()),
            ("ca_name", ca_name.cloned()),
        ])
    }
}

/// Makes a root and a signing CA.
pub(crate) fn set_up(args: &SetupArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let site = args.ca.site(args.server.overrides(args.ca_name.as_ref()))?;
    let root = format!("Puppet Root CA: {}", random_name()?);
    give_to_service(&site)?;
    let authority = Authority::create_with_root(site.options.clone(), &root);
    finish(&site, authority, "Generation", shell)
}

/// Imports a CA.
pub(crate) fn import(args: &ImportArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let read = |path: &PathBuf| std::fs::read(path).with_context(|| path.display().to_string());
    let (bundle, crls, key) =
        (read(&args.cert_bundle)?, read(&args.crl_chain)?, read(&args.private_key)?);
    let import = Import { cert_bundle: &bundle, crl_chain: &crls, private_key: &key };
    let site = args.ca.site(args.server.overrides(None))?;
    give_to_service(&site)?;
    let authority = Authority::import(site.options.clone(), import);
    finish(&site, authority, "Import", shell)
}

/// Makes the directories of CA and host, and gives new ones to the user of the setting `user` if the administrator runs
/// the command: files get the owner of their directory.
fn give_to_service(site: &CaSite) -> anyhow::Result<()> {
    let user = site.settings.text("user").and_then(|user| ids(&user));
    for directory in [site.path("ssldir")?, site.options.paths.directory.clone()] {
        if directory.exists() {
            continue;
        }
        std::fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
        if let (true, Some((user, group))) = (rustix::process::geteuid().is_root(), user) {
            std::os::unix::fs::chown(&directory, Some(user), Some(group))
                .with_context(|| directory.display().to_string())?;
        }
    }
    Ok(())
}

/// Returns the numbers of a user and its group.
fn ids(user: &str) -> Option<(u32, u32)> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let line = users.lines().find(|line| line.split(':').next() == Some(user))?;
    let mut numbers = line.split(':').skip(2);
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// Makes the server's certificate, and tells how it went.
fn finish(
    site: &CaSite,
    authority: Result<Authority, CaError>,
    action: &str,
    shell: &Shell,
) -> anyhow::Result<Exit> {
    let authority = match authority {
        Ok(authority) => authority,
        Err(CaError::Exists(files)) => {
            let lines = files.iter().map(|path| format!("Existing file at '{}'\n", path.display()));
            complain(shell, &(lines.collect::<String>() + REPLACE));
            return Ok(Exit::Findings);
        }
        Err(error @ CaError::Import(_)) => {
            complain(shell, &error.to_string());
            return Ok(Exit::Findings);
        }
        Err(error) => return Err(error.into()),
    };
    let certname = site.settings.text("certname").unwrap_or_default();
    let alt_names = site.settings.text("dns_alt_names").unwrap_or_default();
    let host = site.host(&certname, &alt_names)?;
    authority.server_certificate(&host, &site.host_files(&certname)?)?;
    authority.copy_to_host(&site.path("localcacert")?, &site.path("hostcrl")?)?;
    let directory = site.options.paths.directory.display();
    inform(shell, &format!("{action} succeeded. Find your files in {directory}"))?;
    Ok(Exit::Success)
}

/// Returns seven random bytes in hexadecimal: roots of different machines have different names.
fn random_name() -> anyhow::Result<String> {
    let bytes = kukla_world::World::random(&kukla_world::Disk, 7)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
