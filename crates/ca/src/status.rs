//! States of certificates and requests.

use std::fmt;

use aws_lc_rs::digest::{self, Algorithm};
use x509_cert::ext::Extension;

use crate::authority::Authority;
use crate::certificate::Parsed;
use crate::{
    AltNames, CaError, CertificateRequest, Serial, extension, oids, short_name, stores, time,
};

/// State of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CertificateState {
    /// There is a request.
    Requested,
    /// There is a certificate.
    Signed,
    /// There is a certificate, and the CRL has it.
    Revoked,
}

impl CertificateState {
    /// Returns Puppet's word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Signed => "signed",
            Self::Revoked => "revoked",
        }
    }

    /// Reads Puppet's word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Requested, Self::Signed, Self::Revoked]
            .into_iter()
            .find(|state| state.word() == word)
    }
}

impl fmt::Display for CertificateState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

/// A certificate or request, as `certificate_status` describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateStatus {
    /// The subject.
    pub name: String,
    /// Its state.
    pub state: CertificateState,
    /// Its alternative names.
    pub alt_names: AltNames,
    /// Its authorization extensions: short names, or identifiers without one, with their values.
    pub authorization_extensions: Vec<(String, String)>,
    /// Digests of its encoding.
    pub fingerprints: Fingerprints,
    /// Period and serial number, which only certificates have.
    pub validity: Option<Validity>,
}

/// Digests with a colon after each byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprints {
    /// SHA-1.
    pub sha1: String,
    /// SHA-256, which is Puppet's default.
    pub sha256: String,
    /// SHA-512.
    pub sha512: String,
}

/// Period and serial number of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validity {
    /// Its beginning, such as `2026-11-16T23:38:01UTC`.
    pub not_before: String,
    /// Its end.
    pub not_after: String,
    /// The serial number.
    pub serial: Serial,
}

impl Authority {
    /// Returns the state of a name: of its certificate if there is one, else of its request.
    pub fn status(&self, name: &str) -> Result<Option<CertificateStatus>, CaError> {
        match self.signed(name)? {
            Some(certificate) => self.status_of(name, &certificate).map(Some),
            None => self.requested_status(name),
        }
    }

    /// Returns all names in a state, or in any: requests first, each kind sorted.
    pub fn statuses(
        &self,
        state: Option<CertificateState>,
    ) -> Result<Vec<CertificateStatus>, CaError> {
        let mut statuses = Vec::new();
        if state.is_none_or(|state| state == CertificateState::Requested) {
            for name in stores::names(&self.paths().requests)? {
                statuses.extend(self.requested_status(&name)?);
            }
        }
        if state != Some(CertificateState::Requested) {
            for name in stores::names(&self.paths().signed)? {
                let certificate = self.signed(&name)?;
                let status = certificate.map(|one| self.status_of(&name, &one)).transpose()?;
                statuses.extend(status.filter(|one| state.is_none_or(|state| state == one.state)));
            }
        }
        Ok(statuses)
    }

    /// Returns whether a certificate is signed or revoked; none if there is none.
    pub(crate) fn state(&self, name: &str) -> Result<Option<CertificateState>, CaError> {
        let Some(certificate) = self.signed(name)? else { return Ok(None) };
        self.state_of(&certificate).map(Some)
    }

    fn state_of(&self, certificate: &Parsed) -> Result<CertificateState, CaError> {
        let serial = certificate.serial();
        let crl = self.own_crl()?;
        let mut entries = crl.entries().iter();
        let is_revoked = entries.any(|entry| Serial::of(&entry.serial_number) == serial);
        Ok(if is_revoked { CertificateState::Revoked } else { CertificateState::Signed })
    }

    fn requested_status(&self, name: &str) -> Result<Option<CertificateStatus>, CaError> {
        let Some(text) = self.request(name)? else { return Ok(None) };
        let request = CertificateRequest::parse(&text).map_err(|_| {
            let path = self.paths().request_file(name).unwrap_or_default();
            CaError::file(&path, "there is no readable request in it")
        })?;
        Ok(Some(CertificateStatus {
            name: name.to_owned(),
            state: CertificateState::Requested,
            alt_names: AltNames::listed(&request.extensions),
            authorization_extensions: authorization(&request.extensions),
            fingerprints: Fingerprints::of(&request.der),
            validity: None,
        }))
    }

    fn status_of(&self, name: &str, certificate: &Parsed) -> Result<CertificateStatus, CaError> {
        let validity = certificate.certificate.tbs_certificate().validity();
        Ok(CertificateStatus {
            name: name.to_owned(),
            state: self.state_of(certificate)?,
            alt_names: AltNames::listed(certificate.extensions()),
            authorization_extensions: authorization(certificate.extensions()),
            fingerprints: Fingerprints::of(&certificate.der),
            validity: Some(Validity {
                not_before: time::text(validity.not_before.to_date_time()),
                not_after: time::text(validity.not_after.to_date_time()),
                serial: certificate.serial(),
            }),
        })
    }
}

impl Fingerprints {
    fn of(der: &[u8]) -> Self {
        let digest = |algorithm: &'static Algorithm| {
            let digest = digest::digest(algorithm, der);
            let bytes: Vec<String> =
                digest.as_ref().iter().map(|byte| format!("{byte:02X}")).collect();
            bytes.join(":")
        };
        Self {
            sha1: digest(&digest::SHA1_FOR_LEGACY_USE_ONLY),
            sha256: digest(&digest::SHA256),
            sha512: digest(&digest::SHA512),
        }
    }
}

fn authorization(extensions: &[Extension]) -> Vec<(String, String)> {
    let own = extensions.iter().filter(|one| oids::is_below(oids::AUTHORIZATION, one.extn_id));
    own.map(|one| {
        let oid = one.extn_id.to_string();
        let name = short_name(&oid).map_or(oid.clone(), str::to_owned);
        (name, extension::text(one.extn_value.as_bytes()).unwrap_or_default())
    })
    .collect()
}
