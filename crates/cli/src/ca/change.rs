//! `kukla ca sign`, `revoke`, `clean`, `prune` and `enable`.

use kukla_ca::{Authority, CaError, CertificateState};

use super::common::{CaArgs, complain, inform};
use super::generate::lifetime;
use crate::Exit;
use crate::shell::Shell;

/// Names of certificates.
#[derive(Debug, clap::Args)]
struct Names {
    /// Names of certificates
    #[arg(long, value_name = "NAME[,NAME]", value_delimiter = ',', required = true)]
    certname: Vec<String>,
}

/// Sign requests
#[derive(Debug, clap::Args)]
pub(crate) struct SignArgs {
    #[command(flatten)]
    ca: CaArgs,
    /// Names of requests
    #[arg(
        long,
        value_name = "NAME[,NAME]",
        value_delimiter = ',',
        required_unless_present = "all"
    )]
    certname: Vec<String>,
    /// Sign all requests
    #[arg(long, conflicts_with = "certname")]
    all: bool,
    /// Lifetime of the certificates, such as 30d
    #[arg(long, value_name = "TTL")]
    ttl: Option<String>,
}

/// Revoke certificates
#[derive(Debug, clap::Args)]
pub(crate) struct RevokeArgs {
    #[command(flatten)]
    ca: CaArgs,
    #[command(flatten)]
    names: Names,
}

/// Revoke certificates and remove their files from the CA
#[derive(Debug, clap::Args)]
pub(crate) struct CleanArgs {
    #[command(flatten)]
    ca: CaArgs,
    #[command(flatten)]
    names: Names,
}

/// Remove duplicates from the CRL
#[derive(Debug, clap::Args)]
pub(crate) struct PruneArgs {
    #[command(flatten)]
    ca: CaArgs,
    /// Remove entries of expired certificates too
    #[arg(long)]
    remove_expired: bool,
    /// Remove duplicates (always done)
    #[arg(long)]
    remove_duplicates: bool,
}

/// Make the files that a mode of the CA needs
#[derive(Debug, clap::Args)]
pub(crate) struct EnableArgs {
    #[command(flatten)]
    ca: CaArgs,
    /// The CRL of infrastructure nodes, whose names are in `infra_inventory.txt`
    #[arg(long, required = true)]
    infracrl: bool,
}

/// Signs requests.
pub(crate) fn sign(args: &SignArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let (_, authority) = args.ca.open()?;
    let ttl = args.ttl.as_deref().map(lifetime).transpose()?;
    let names = match args.all {
        true => pending(&authority)?,
        false => args.certname.clone(),
    };
    if names.is_empty() {
        complain(shell, "No waiting certificate requests to sign");
        return Ok(Exit::NothingToDo);
    }
    let mut exit = Exit::Success;
    for name in &names {
        match authority.sign(name, ttl) {
            Ok(()) => {
                inform(shell, &format!("Successfully signed certificate request for {name}"))?;
                continue;
            }
            Err(CaError::UnknownSubject(_) | CaError::NoRequest(_)) => {
                complain(shell, &format!("Could not find certificate request for {name}"));
            }
            Err(error) if error.is_refusal() => {
                complain(shell, &format!("Could not sign certificate request '{name}': {error}"));
            }
            Err(error) => return Err(error.into()),
        }
        exit = Exit::Findings;
    }
    Ok(exit)
}

fn pending(authority: &Authority) -> Result<Vec<String>, CaError> {
    let statuses = authority.statuses(Some(CertificateState::Requested))?;
    Ok(statuses.into_iter().map(|status| status.name).collect())
}

/// Revokes certificates.
pub(crate) fn revoke(args: &RevokeArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let (_, authority) = args.ca.open()?;
    let mut exits = Vec::new();
    for name in &args.names.certname {
        exits.push(match revoke_one(&authority, name)? {
            Revoked::Done => {
                inform(shell, &format!("Certificate for {name} has been revoked"))?;
                Exit::Success
            }
            Revoked::OnlyRequested => {
                complain(shell, &format!("Could not revoke unsigned csr for {name}"));
                Exit::NothingToDo
            }
            Revoked::Unknown => {
                complain(shell, &format!("Could not find certificate for {name}"));
                Exit::Findings
            }
        });
    }
    Ok(worst(&exits))
}

/// Result of revoking one certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Revoked {
    Done,
    OnlyRequested,
    Unknown,
}

fn revoke_one(authority: &Authority, name: &str) -> Result<Revoked, CaError> {
    match authority.revoke(&[name.to_owned()]) {
        Ok(()) => Ok(Revoked::Done),
        Err(CaError::NoCertificate(_)) => Ok(Revoked::OnlyRequested),
        Err(CaError::UnknownSubject(_)) => Ok(Revoked::Unknown),
        Err(error) => Err(error),
    }
}

/// Revokes certificates, and removes them and requests of the same names.
pub(crate) fn clean(args: &CleanArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let (_, authority) = args.ca.open()?;
    let mut exits = Vec::new();
    for name in &args.names.certname {
        let revoked = revoke_one(&authority, name)?;
        if revoked == Revoked::Done {
            inform(shell, &format!("Certificate for {name} has been revoked"))?;
        }
        exits.push(match (authority.delete(name)?, revoked) {
            (false, _) => {
                complain(shell, &format!("Could not find files to clean for {name}"));
                Exit::Findings
            }
            (true, revoked) => {
                inform(shell, &format!("Cleaned files related to {name}"))?;
                let is_request = revoked == Revoked::OnlyRequested;
                if is_request { Exit::NothingToDo } else { Exit::Success }
            }
        });
    }
    Ok(worst(&exits))
}

/// Returns the status of all: an error counts before nothing to do.
fn worst(exits: &[Exit]) -> Exit {
    let order = [Exit::Failure, Exit::Findings, Exit::NothingToDo];
    order.into_iter().find(|exit| exits.contains(exit)).unwrap_or(Exit::Success)
}

/// Removes duplicates from the CRL.
pub(crate) fn prune(args: &PruneArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let (_, authority) = args.ca.open()?;
    let pruned = authority.prune(args.remove_expired)?;
    inform(
        shell,
        &format!("Total number of certificates found in Puppet's CRL is: {}.", pruned.total),
    )?;
    let text = match (pruned.removed, args.remove_expired) {
        (0, _) => "No duplicate revocations found in the CRL.".to_owned(),
        (removed, false) => format!("Removed {removed} duplicated certs from Puppet's CRL."),
        (removed, true) => {
            format!("Removed {removed} duplicated or expired certs from Puppet's CRL.")
        }
    };
    inform(shell, &text)?;
    Ok(Exit::Success)
}

/// Makes the CRL of infrastructure nodes.
pub(crate) fn enable(args: &EnableArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let site = args.ca.site(Vec::new())?;
    let mut options = site.options;
    let inventory = options.paths.infra_nodes.clone();
    if !inventory.exists() {
        let text = format!(
            "Please create an inventory file at '{}' with the certnames of your infrastructure nodes before proceeding \
             with infra CRL setup!",
            inventory.display()
        );
        complain(shell, &text);
        return Ok(Exit::Findings);
    }
    options.has_infra_crl = false;
    match Authority::open(options)?.enable_infra_crl() {
        Err(CaError::Exists(files)) => {
            let files: String = files
                .iter()
                .map(|path| format!("Existing file at '{}'\n", path.display()))
                .collect();
            let advice = "If you would really like to reinitialize your infrastructure CRL, please delete\nthe existing \
                          files and run this command again.";
            complain(shell, &(files + advice));
            Ok(Exit::Findings)
        }
        Err(error) => Err(error.into()),
        Ok(()) => {
            inform(shell, "Infra CRL files created.")?;
            Ok(Exit::Success)
        }
    }
}
