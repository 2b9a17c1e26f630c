//! Keys and certificates that are made on the CA's machine: the server's own, and those of `kukla ca generate`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use der::asn1::ObjectIdentifier;
use kukla_world::files;
use x509_cert::ext::Extension;

use crate::authority::Authority;
use crate::issue::Subject;
use crate::key::{self, SigningKey};
use crate::pem::{self, Kind};
use crate::stores::{self, PRIVATE, PUBLIC};
use crate::{AltNames, CaError, CertificateRequest, checks, extension, oids};

/// The files of a host.
#[derive(Clone, Debug)]
pub struct HostFiles {
    /// `certs/NAME.pem`.
    pub certificate: PathBuf,
    /// `private_keys/NAME.pem`.
    pub private_key: PathBuf,
    /// `public_keys/NAME.pem`.
    pub public_key: PathBuf,
}

impl HostFiles {
    /// Returns Puppet's names below an `ssldir`.
    pub fn below(ssldir: &Path, name: &str) -> Self {
        let path = |directory: &str| ssldir.join(directory).join(format!("{name}.pem"));
        Self {
            certificate: path("certs"),
            private_key: path("private_keys"),
            public_key: path("public_keys"),
        }
    }

    /// Returns those that are there.
    pub fn present(&self) -> Vec<PathBuf> {
        let all = [&self.certificate, &self.private_key, &self.public_key];
        all.into_iter().filter(|path| files::exists(path)).cloned().collect()
    }
}

/// A host that gets a key and a certificate.
#[derive(Clone, Debug)]
pub struct HostIdentity {
    /// Its name.
    pub name: String,
    /// Its alternative names; its own is added.
    pub alt_names: AltNames,
    /// The length of its RSA key.
    pub key_length: u32,
    /// The lifetime of its certificate; `ca_ttl` if there is none.
    pub lifetime: Option<Duration>,
    /// Further extensions of a certificate that is made without a request, as in `csr_attributes.yaml`: identifiers or
    /// short names with texts.
    pub extensions: Vec<(String, String)>,
}

impl Authority {
    /// Makes the server's own key and certificate unless they are there; returns whether it did. The certificate has
    /// `pp_cli_auth`, so that its owner may administer the CA.
    pub fn server_certificate(
        &self,
        host: &HostIdentity,
        files: &HostFiles,
    ) -> Result<bool, CaError> {
        match (files::exists(&files.certificate), files::exists(&files.private_key)) {
            (true, true) => return Ok(false),
            (true, false) => {
                let reason = "there is a certificate but no private key";
                return Err(CaError::file(&files.certificate, reason));
            }
            (false, _) => {}
        }
        let mut host = host.clone();
        if host.alt_names.is_empty() {
            host.alt_names.add_dns("puppet");
        }
        self.authorized_certificate(&host, files).map(|()| true)
    }

    /// Makes a key, unless there is one, and a certificate whose owner may administer the CA (`pp_cli_auth`).
    pub fn authorized_certificate(
        &self,
        host: &HostIdentity,
        files: &HostFiles,
    ) -> Result<(), CaError> {
        checks::name(&host.name, &host.name)?;
        let alt_names = Subject::names(&host.alt_names, &host.name)?;
        let key = host_key(host, files)?;
        let public = key.public()?;
        let mut extensions = self.host_extensions(&public)?;
        extensions.extend([extension::puppet(oids::CLI_AUTH, "true")?, alt_names]);
        for (name, value) in &host.extensions {
            extensions.push(own_extension(name, value)?);
        }
        let lifetime = host.lifetime.unwrap_or(self.options.ca_ttl);
        let writer = self.paths().writer()?;
        let subject = Subject { key: public, extensions, lifetime };
        let certificate = self.issue_host(&writer, &host.name, subject)?;
        stores::write(&files.certificate, certificate.to_pem().as_bytes(), PUBLIC)
    }

    /// Makes a key and a request, and signs that like any other: alternative names have to be allowed.
    pub fn ordinary_certificate(
        &self,
        host: &HostIdentity,
        files: &HostFiles,
    ) -> Result<(), CaError> {
        checks::name(&host.name, &host.name)?;
        let alt_names = Subject::names(&host.alt_names, &host.name)?;
        let key = host_key(host, files)?;
        let der = CertificateRequest::create(&key, &host.name, &vec![alt_names])?;
        let submission = self.submit(&host.name, pem::format(Kind::Request, &der).as_bytes())?;
        if !submission.is_signed {
            self.sign(&host.name, host.lifetime)?;
        }
        let certificate = self.certificate(&host.name)?.unwrap_or_default();
        stores::write(&files.certificate, &certificate, PUBLIC)
    }

    /// Copies bundle and CRLs to the `ssldir` of a host, where they differ.
    pub fn copy_to_host(&self, localcacert: &Path, hostcrl: &Path) -> Result<(), CaError> {
        let copies =
            [(localcacert, pem::read(&self.paths().certificate)?), (hostcrl, self.crl()?.bytes)];
        for (path, content) in copies {
            if pem::read_if_present(path)?.as_ref() != Some(&content) {
                stores::write(path, &content, PUBLIC)?;
            }
        }
        Ok(())
    }
}

/// Encodes an extension that the administrator asks for, below the parents that requests may use.
fn own_extension(name: &str, value: &str) -> Result<Extension, CaError> {
    let refused = || CaError::ExtensionsNotPermitted(vec![name.to_owned()]);
    let oid = oids::oid_of(name).unwrap_or_else(|| name.to_owned());
    let oid = ObjectIdentifier::new(&oid).map_err(|_| refused())?;
    let parents = [oids::REGISTERED, oids::PRIVATE, oids::AUTHORIZATION];
    let is_permitted =
        oid != oids::CLI_AUTH && parents.iter().any(|parent| oids::is_below(*parent, oid));
    if is_permitted { extension::puppet(oid, value) } else { Err(refused()) }
}

/// Returns the key of a host: the present one, or a new one that is written first.
fn host_key(host: &HostIdentity, files: &HostFiles) -> Result<SigningKey, CaError> {
    let key = match files::exists(&files.private_key) {
        true => SigningKey::read(&files.private_key)?,
        false => {
            let key = SigningKey::generate(host.key_length)?;
            stores::write(&files.private_key, key.to_pem()?.as_bytes(), PRIVATE)?;
            key
        }
    };
    stores::write(&files.public_key, key::public_pem(&key.public()?)?.as_bytes(), PUBLIC)?;
    Ok(key)
}
