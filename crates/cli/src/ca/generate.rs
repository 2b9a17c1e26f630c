//! `kukla ca generate`: keys and certificates for other hosts, made here.

use kukla_ca::{Authority, duration};

use super::common::{CaArgs, CaSite, complain, inform};
use crate::Exit;
use crate::shell::Shell;

/// Make a key and a certificate on this machine
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    ca: CaArgs,
    /// Names of the certificates
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',', required = true)]
    certname: Vec<String>,
    /// Subject alternative names: `NAME`, `DNS:NAME` or `IP:ADDRESS`
    #[arg(long, value_name = "NAME[,NAME]", default_value = "")]
    subject_alt_names: String,
    /// Give the certificate the right to administer the CA (`pp_cli_auth`)
    #[arg(long)]
    ca_client: bool,
    /// Accepted for `puppetserver ca`; the lock of the CA makes it superfluous
    #[arg(long, hide = true)]
    force: bool,
    /// Lifetime, such as 30d
    #[arg(long, value_name = "TTL")]
    ttl: Option<String>,
}

/// Makes all certificates; one that can't be made does not stop the others.
pub(crate) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let (site, authority) = args.ca.open()?;
    let mut exit = Exit::Success;
    for name in &args.certname {
        if let Err(error) = generate(args, &site, &authority, name, shell) {
            complain(shell, &format!("{error:#}"));
            exit = Exit::Findings;
        }
    }
    Ok(exit)
}

fn generate(
    args: &Args,
    site: &CaSite,
    authority: &Authority,
    name: &str,
    shell: &Shell,
) -> anyhow::Result<()> {
    let files = site.host_files(name)?;
    let present = files.present();
    if !present.is_empty() || authority.certificate(name)?.is_some() {
        let mut text: String =
            present.iter().map(|path| format!("Existing file at '{}'\n", path.display())).collect();
        text += &format!(
            "Please delete these files if you really want to generate a new cert for {name}."
        );
        anyhow::bail!(text);
    }
    let mut host = site.host(name, &args.subject_alt_names)?;
    host.lifetime = args.ttl.as_deref().map(lifetime).transpose()?;
    match args.ca_client {
        true => authority.authorized_certificate(&host, &files)?,
        false => authority.ordinary_certificate(&host, &files)?,
    }
    for (kind, path) in [
        ("private key", &files.private_key),
        ("public key", &files.public_key),
        ("certificate", &files.certificate),
    ] {
        inform(shell, &format!("Successfully saved {kind} for {name} to {}", path.display()))?;
    }
    Ok(())
}

/// Reads a lifetime: seconds, or a number with a unit.
pub(crate) fn lifetime(text: &str) -> anyhow::Result<std::time::Duration> {
    duration(text).ok_or_else(|| anyhow::anyhow!("'{text}' is an invalid ttl value"))
}
