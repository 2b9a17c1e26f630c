//! Settings of the authority.

use std::path::{Path, PathBuf};
use std::time::Duration;

const DAY: u64 = 86_400;

/// Settings of the authority: those of `puppet.conf` and of Puppet Server's `ca.conf`.
#[derive(Clone, Debug)]
pub struct CaOptions {
    /// Its files.
    pub paths: CaPaths,
    /// The common name of a new CA (`ca_name`).
    pub ca_name: String,
    /// The lifetime of certificates (`ca_ttl`).
    pub ca_ttl: Duration,
    /// The length of new RSA keys in bits (`keylength`).
    pub key_length: u32,
    /// The requests that are signed at once (`autosign`).
    pub autosign: Autosign,
    /// The time after which the program of `autosign` is killed, and the request stays unsigned.
    pub autosign_timeout: Duration,
    /// Whether a request replaces an older one or a certificate (`allow_duplicate_certs`).
    pub allows_duplicates: bool,
    /// Whether requests may have alternative names (`allow-subject-alt-names`).
    pub allows_alt_names: bool,
    /// Whether requests may have authorization extensions (`allow-authorization-extensions`).
    pub allows_authorization: bool,
    /// Whether clients get the CRL of infrastructure nodes only (`enable-infra-crl`).
    pub has_infra_crl: bool,
    /// Whether clients may renew their certificates (`allow-auto-renewal`).
    pub allows_renewal: bool,
    /// The lifetime of certificates that clients renew themselves (`auto-renewal-cert-ttl`).
    pub renewal_ttl: Duration,
    /// The number of requests that may wait for an administrator; further ones are refused.
    pub most_requests: usize,
}

impl CaOptions {
    /// Returns Puppet's defaults for a directory.
    pub fn new(cadir: &Path) -> Self {
        Self {
            paths: CaPaths::below(cadir),
            ca_name: "Puppet CA".to_owned(),
            ca_ttl: Duration::from_secs(5 * 365 * DAY),
            key_length: 4096,
            autosign: Autosign::Never,
            autosign_timeout: Duration::from_secs(60),
            allows_duplicates: false,
            allows_alt_names: false,
            allows_authorization: false,
            has_infra_crl: false,
            allows_renewal: false,
            renewal_ttl: Duration::from_secs(90 * DAY),
            most_requests: 10_000,
        }
    }
}

/// The requests that are signed when they arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Autosign {
    /// None.
    Never,
    /// All.
    Always,
    /// Those that a list of names allows, or a program if the file is executable when the request arrives.
    File(PathBuf),
}

/// The files of the authority.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaPaths {
    /// The directory (`cadir`).
    pub directory: PathBuf,
    /// The bundle of the signing certificate and its issuers (`cacert`).
    pub certificate: PathBuf,
    /// The private key (`cakey`).
    pub key: PathBuf,
    /// The public key (`capub`).
    pub public_key: PathBuf,
    /// The CRL of every CA of the bundle (`cacrl`).
    pub crl: PathBuf,
    /// The list of all certificates (`cert_inventory`).
    pub inventory: PathBuf,
    /// The next serial number (`serial`).
    pub serial: PathBuf,
    /// The directory of certificates (`signeddir`).
    pub signed: PathBuf,
    /// The directory of requests (`csrdir`).
    pub requests: PathBuf,
    /// The names of infrastructure nodes.
    pub infra_nodes: PathBuf,
    /// The serial numbers of their certificates.
    pub infra_serials: PathBuf,
    /// The CRL that has only their certificates.
    pub infra_crl: PathBuf,
}

impl CaPaths {
    /// Returns Puppet's names below a directory.
    pub fn below(directory: &Path) -> Self {
        let path = |name: &str| directory.join(name);
        Self {
            directory: directory.to_owned(),
            certificate: path("ca_crt.pem"),
            key: path("ca_key.pem"),
            public_key: path("ca_pub.pem"),
            crl: path("ca_crl.pem"),
            inventory: path("inventory.txt"),
            serial: path("serial"),
            signed: path("signed"),
            requests: path("requests"),
            infra_nodes: path("infra_inventory.txt"),
            infra_serials: path("infra_serials"),
            infra_crl: path("infra_crl.pem"),
        }
    }

    /// Returns the key of the root CA that `kukla ca setup` makes.
    pub fn root_key(&self) -> PathBuf {
        self.directory.join("root_key.pem")
    }

    /// Returns the files without which there is no CA.
    pub(crate) fn required(&self, has_infra_crl: bool) -> Vec<&Path> {
        let mut files: Vec<&Path> =
            vec![&self.certificate, &self.crl, &self.key, &self.inventory, &self.serial];
        if has_infra_crl {
            files.extend([self.infra_nodes.as_path(), self.infra_crl.as_path()]);
        }
        files
    }

    pub(crate) fn lock(&self) -> PathBuf {
        self.directory.join(".kukla.lock")
    }
}
