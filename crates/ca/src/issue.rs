//! Signing.

use std::time::Duration;

use x509_cert::ext::Extension;
use x509_cert::spki::SubjectPublicKeyInfoOwned;

use crate::authority::Authority;
use crate::certificate::{Draft, Parsed, common_name};
use crate::stores::{self, Writer};
use crate::{AltNames, CaError, CertificateRequest, checks, extension, inventory, pem};

/// Result of signing several requests: names of each kind, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignedMany {
    /// Those that are signed now.
    pub signed: Vec<String>,
    /// Those without a request.
    pub no_csr: Vec<String>,
    /// Those whose request can't be signed.
    pub signing_errors: Vec<String>,
}

impl Authority {
    /// Signs the saved request of a name. `lifetime` replaces `ca_ttl`.
    pub fn sign(&self, name: &str, lifetime: Option<Duration>) -> Result<(), CaError> {
        let writer = self.paths().writer()?;
        self.sign_saved(&writer, name, lifetime)
    }

    /// Signs several saved requests under one lock; one that can't be signed does not stop the others.
    pub fn sign_many(&self, names: &[String]) -> Result<SignedMany, CaError> {
        let writer = self.paths().writer()?;
        let mut result = SignedMany::default();
        for name in names {
            let list = match self.sign_saved(&writer, name, None) {
                Ok(()) => &mut result.signed,
                Err(CaError::NoRequest(_) | CaError::UnknownSubject(_)) => &mut result.no_csr,
                Err(error) if error.is_refusal() => &mut result.signing_errors,
                Err(error) => return Err(error),
            };
            list.push(name.clone());
        }
        Ok(result)
    }

    /// Signs all saved requests.
    pub fn sign_all(&self) -> Result<SignedMany, CaError> {
        self.sign_many(&stores::names(&self.paths().requests)?)
    }

    fn sign_saved(
        &self,
        writer: &Writer<'_>,
        name: &str,
        lifetime: Option<Duration>,
    ) -> Result<(), CaError> {
        let Some(saved) = self.request(name)? else {
            return Err(match self.is_issued(name)? {
                true => CaError::NoRequest(name.to_owned()),
                false => CaError::UnknownSubject(name.to_owned()),
            });
        };
        let request = CertificateRequest::parse(&saved)?;
        checks::name(name, &request.subject)?;
        checks::request(&request, &self.options)?;
        self.issue(writer, name, &request, lifetime)
    }

    /// Signs a request that was saved a moment ago and has been checked since. If an administrator signed or deleted it
    /// in between, there is nothing left to do.
    pub(crate) fn issue_saved(
        &self,
        name: &str,
        request: &CertificateRequest,
    ) -> Result<(), CaError> {
        let writer = self.paths().writer()?;
        match self.request(name)? {
            Some(saved) if saved == request.to_pem().as_bytes() => {
                self.issue(&writer, name, request, None)
            }
            _ => Ok(()),
        }
    }

    fn issue(
        &self,
        writer: &Writer<'_>,
        name: &str,
        request: &CertificateRequest,
        lifetime: Option<Duration>,
    ) -> Result<(), CaError> {
        let mut names = request.alt_names()?;
        names.add_dns(name);
        let mut extensions = vec![names.encoded()?];
        extensions.extend(self.host_extensions(&request.key)?);
        extensions.extend(request.puppet_extensions()?);
        let is_renewable = self.options.allows_renewal && request.is_renewable;
        let default = if is_renewable { self.options.renewal_ttl } else { self.options.ca_ttl };
        let lifetime = lifetime.unwrap_or(default);
        self.issue_host(writer, name, Subject { key: request.key.clone(), extensions, lifetime })?;
        let path = self.paths().request_file(name).ok_or(CaError::InvalidName)?;
        writer.remove(&path).map(drop)
    }

    /// Returns the extensions that all hosts have, in Puppet Server's order.
    pub(crate) fn host_extensions(
        &self,
        key: &SubjectPublicKeyInfoOwned,
    ) -> Result<Vec<Extension>, CaError> {
        let issuer = self.issuer()?;
        let certificate = &issuer.certificate;
        let mut extensions = vec![
            extension::comment()?,
            extension::authority(&certificate.certificate, &certificate.key_identifier())?,
            extension::subject_key(key)?,
        ];
        extensions.extend(extension::host_usages()?);
        Ok(extensions)
    }

    /// Signs a certificate and records it: serial number, inventory, certificate. A crash between two of them leaves an
    /// unused number, or a line of a certificate that no client has.
    pub(crate) fn issue_host(
        &self,
        writer: &Writer<'_>,
        name: &str,
        subject: Subject,
    ) -> Result<Parsed, CaError> {
        let path = self.paths().signed_file(name).ok_or(CaError::InvalidName)?;
        let issuer = self.issuer()?;
        let Subject { key, extensions, lifetime } = subject;
        let serial = writer.take_serial()?;
        let draft = Draft {
            serial: &serial,
            lifetime,
            issuer: issuer.certificate.subject(),
            subject: common_name(name)?,
            key,
            extensions,
        };
        let certificate = Parsed::from_der(draft.sign(&issuer.key)?);
        let certificate = certificate.ok_or(CaError::Encoding("a certificate"))?;
        writer.append(&self.paths().inventory, &certificate.inventory_line()?)?;
        if self.paths().infra_names()?.iter().any(|infra| infra == name) {
            writer.append(&self.paths().infra_serials, &serial.to_string())?;
        }
        writer.public(&path, certificate.to_pem().as_bytes())?;
        Ok(certificate)
    }

    /// Returns whether a certificate of that name was ever signed and can be revoked.
    pub(crate) fn is_issued(&self, name: &str) -> Result<bool, CaError> {
        if self.paths().has_signed(name) {
            return Ok(true);
        }
        Ok(inventory::read(&self.paths().inventory)?.iter().any(|entry| entry.subject == name))
    }

    /// Returns the certificate of a name.
    pub(crate) fn signed(&self, name: &str) -> Result<Option<Parsed>, CaError> {
        let Some(path) = self.paths().signed_file(name) else { return Ok(None) };
        let Some(text) = pem::read_if_present(&path)? else { return Ok(None) };
        let der =
            pem::all(&text, pem::Kind::Certificate).and_then(|mut list| list.drain(..).next());
        let parsed = der.and_then(Parsed::from_der);
        parsed
            .map(Some)
            .ok_or_else(|| CaError::file(&path, "there is no readable certificate in it"))
    }
}

/// The subject of a new certificate.
pub(crate) struct Subject {
    pub(crate) key: SubjectPublicKeyInfoOwned,
    pub(crate) extensions: Vec<Extension>,
    pub(crate) lifetime: Duration,
}

impl Subject {
    /// Returns the names that a host is reached by, its own among them.
    pub(crate) fn names(alt_names: &AltNames, name: &str) -> Result<Extension, CaError> {
        let mut names = alt_names.clone();
        names.add_dns(name);
        names.check()?;
        names.encoded()
    }
}
