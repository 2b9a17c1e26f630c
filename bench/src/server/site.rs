//! The directories that both servers use: settings, certificates, an environment of Debian's modules.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use kukla_tests::ROOM;
use kukla_tests::catalog::corpus::MODULES;
use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, DnType, IsCa, Issuer,
    KeyIdMethod, KeyPair, KeyUsagePurpose, SerialNumber, date_time_ymd,
};

/// The name of the server.
pub(super) const SERVER: &str = "puppet.bench.example";
/// The nodes of which the measured catalogs are, all alike.
const NODES: &str = "node /^load\\d+\\.bench\\.example$/ {";
/// Files that simulated agents fetch.
pub(super) const N_FILES: usize = 20;

/// Directories, and the authority that signs clients.
pub(super) struct LoadSite {
    directory: PathBuf,
    pub(super) authority: String,
    issuer: Issuer<'static, KeyPair>,
    /// Facts of a node, without its name.
    pub(super) facts: serde_json::Value,
}

/// A certificate and its key in PEM.
pub(super) struct Credentials {
    pub(super) certificate: String,
    pub(super) key: String,
}

impl LoadSite {
    /// Writes everything below a directory of its own, whose name has a word in it.
    pub(super) fn write(word: &str) -> Result<Self> {
        ensure!(Path::new(MODULES).is_dir(), "no `puppet-module-*` package is installed");
        let directory = std::env::temp_dir().join(format!("kukla-{word}-{}", std::process::id()));
        let key = rsa_key()?;
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "Puppet CA: bench");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let authority = params.self_signed(&key)?.pem();
        let facts = std::fs::read_to_string(Path::new(ROOM).join("facts/debian12.json"))?;
        let site = Self {
            directory,
            authority,
            issuer: Issuer::new(params, key),
            facts: serde_json::from_str(&facts)?,
        };
        site.code()?;
        site.settings()?;
        site.certificates()?;
        Ok(site)
    }

    /// Returns a path below the directory.
    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.directory.join(path)
    }

    /// Signs the certificate of a client.
    pub(super) fn client(&self, name: &str) -> Result<Credentials> {
        let key = KeyPair::generate()?;
        let certificate = params(name)?.signed_by(&key, &self.issuer)?;
        Ok(Credentials { certificate: certificate.pem(), key: key.serialize_pem() })
    }

    /// Writes a file that both servers read.
    pub(super) fn put(&self, path: &str, text: &str) -> Result<()> {
        let path = self.at(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))
    }

    fn code(&self) -> Result<()> {
        let environment = "code/environments/production";
        let conf = format!("modulepath = modules:{MODULES}\nenvironment_timeout = unlimited\n");
        self.put(&format!("{environment}/environment.conf"), &conf)?;
        let folder = Path::new(ROOM).join("spec/catalogs");
        for name in ["base", "network"] {
            let text = std::fs::read_to_string(folder.join(format!("{name}.pp")))?;
            let text = text.replace("node 'lb2.example.com' {", NODES);
            self.put(&format!("{environment}/manifests/{name}.pp"), &text)?;
        }
        self.put(&format!("{environment}/modules/load/manifests/init.pp"), "class load {}\n")?;
        for n in 0..N_FILES {
            let text = format!("{n}\n").repeat(200);
            self.put(&format!("{environment}/modules/load/files/file{n}.txt"), &text)?;
        }
        Ok(())
    }

    fn settings(&self) -> Result<()> {
        let root = self.directory.display();
        let text = format!(
            "[main]\ncertname = {SERVER}\nssldir = {root}/ssl\ncodedir = {root}/code\n\
             vardir = {root}/var\n[server]\nca = false\nreports = store\n\
             environmentpath = {root}/code/environments\nbasemodulepath = {root}/code/modules\n\
             environment_timeout = unlimited\nstrict = warning\nstrict_variables = false\n"
        );
        self.put("conf/puppet.conf", &text)
    }

    fn certificates(&self) -> Result<()> {
        let key = rsa_key()?;
        let mut params = params(SERVER)?;
        params.serial_number = Some(SerialNumber::from(2_u64));
        let own = params.signed_by(&key, &self.issuer)?;
        let list = CertificateRevocationListParams {
            this_update: date_time_ymd(2026, 1, 1),
            next_update: date_time_ymd(2056, 1, 1),
            crl_number: SerialNumber::from(1_u64),
            issuing_distribution_point: None,
            revoked_certs: Vec::new(),
            key_identifier_method: KeyIdMethod::Sha256,
        };
        let list = list.signed_by(&self.issuer)?.pem()?;
        self.put("ssl/certs/ca.pem", &self.authority)?;
        self.put("ssl/crl.pem", &list)?;
        self.put(&format!("ssl/certs/{SERVER}.pem"), &own.pem())?;
        self.put(&format!("ssl/private_keys/{SERVER}.pem"), &key.serialize_pem())
    }
}

impl Drop for LoadSite {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn params(name: &str) -> Result<CertificateParams> {
    let names = vec![name.to_owned(), "localhost".to_owned(), "puppet".to_owned()];
    let mut params = CertificateParams::new(names)?;
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    Ok(params)
}

/// Makes a key as Puppet's are; the library that signs makes none of this kind.
fn rsa_key() -> Result<KeyPair> {
    let options = ["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"];
    let output =
        Command::new("openssl").args(options).output().context("cannot start `openssl`")?;
    ensure!(output.status.success(), "`openssl genpkey` failed");
    Ok(KeyPair::from_pem(&String::from_utf8(output.stdout)?)?)
}
