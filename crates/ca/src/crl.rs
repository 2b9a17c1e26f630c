//! Lists of revoked certificates.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use der::asn1::{BitString, Uint};
use der::{Decode, Encode};
use x509_cert::Version;
use x509_cert::crl::{CertificateList, RevokedCert, TbsCertList};
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::AuthorityKeyIdentifier;

use crate::certificate::{Parsed, is_signed_by};
use crate::key::SigningKey;
use crate::pem::{self, Kind};
use crate::serial::Serial;
use crate::{CaError, extension, oids, time};

/// The time until a CRL that was changed expires: five years, as in Puppet Server.
const LIFETIME: Duration = Duration::from_secs(5 * 365 * 86_400);

/// A CRL with its encoding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Crl {
    pub(crate) der: Vec<u8>,
    pub(crate) list: CertificateList,
}

impl Crl {
    pub(crate) fn from_der(der: Vec<u8>) -> Option<Self> {
        let list = CertificateList::from_der(&der).ok()?;
        Some(Self { der, list })
    }

    /// Reads all CRLs of a file.
    pub(crate) fn read_all(path: &Path) -> Result<Vec<Self>, CaError> {
        Self::parse_all(&pem::read(path)?).ok_or_else(|| CaError::file(path, "a CRL is damaged"))
    }

    pub(crate) fn parse_all(text: &[u8]) -> Option<Vec<Self>> {
        pem::all(text, Kind::Crl)?.into_iter().map(Self::from_der).collect()
    }

    pub(crate) fn format_all(crls: &[Self]) -> String {
        pem::format_all(Kind::Crl, crls.iter().map(|crl| crl.der.as_slice()))
    }

    /// Makes an empty one.
    pub(crate) fn create(issuer: &Parsed, key: &SigningKey) -> Result<Self, CaError> {
        let list = TbsCertList {
            version: Version::V2,
            signature: key.algorithm(),
            issuer: issuer.subject().clone(),
            this_update: time::encoded(time::date(time::now())?)?,
            next_update: None,
            revoked_certificates: None,
            crl_extensions: None,
        };
        let number = Uint::new(&[0]).map_err(|_| CaError::Encoding("a CRL"))?;
        sign(list, &number, issuer, key)
    }

    /// Returns this CRL with more certificates in it, the next number and a new date. `keeps` says which entries stay.
    pub(crate) fn revoking(
        &self,
        serials: &[Serial],
        keeps: impl Fn(&RevokedCert) -> bool,
        issuer: &Parsed,
        key: &SigningKey,
    ) -> Result<Self, CaError> {
        let mut list = self.list.tbs_cert_list.clone();
        let mut entries = list.revoked_certificates.take().unwrap_or_default();
        entries.retain(keeps);
        for serial in serials {
            entries.push(RevokedCert {
                serial_number: serial.encoded()?,
                revocation_date: time::encoded(time::date(time::now())?)?,
                crl_entry_extensions: Some(vec![extension::key_compromise()?]),
            });
        }
        list.revoked_certificates = (!entries.is_empty()).then_some(entries);
        list.version = Version::V2;
        list.this_update = time::encoded(time::date(time::now())?)?;
        let number = self.number().map_or_else(Serial::one, |number| number.next());
        let number =
            Uint::new(number.encoded()?.as_bytes()).map_err(|_| CaError::Encoding("a CRL"))?;
        sign(list, &number, issuer, key)
    }

    /// Returns the serial numbers in it.
    pub(crate) fn serials(&self) -> BTreeSet<Serial> {
        self.entries().iter().map(|entry| Serial::of(&entry.serial_number)).collect()
    }

    pub(crate) fn entries(&self) -> &[RevokedCert] {
        self.list.tbs_cert_list.revoked_certificates.as_deref().unwrap_or_default()
    }

    /// Returns its number, which grows with every version of a CRL.
    pub(crate) fn number(&self) -> Option<Serial> {
        let value = self.extension(oids::CRL_NUMBER)?.extn_value.as_bytes();
        let number = Uint::from_der(value).ok()?;
        data_encoding_number(number.as_bytes())
    }

    /// Returns the identifier of the key that signed it, as it says itself.
    pub(crate) fn authority_key(&self) -> Option<Vec<u8>> {
        let value = self.extension(oids::AUTHORITY_KEY_ID)?.extn_value.as_bytes();
        let identifier = AuthorityKeyIdentifier::from_der(value).ok()?.key_identifier?;
        Some(identifier.as_bytes().to_vec())
    }

    pub(crate) fn is_delta(&self) -> bool {
        self.extension(oids::DELTA_CRL).is_some()
    }

    /// Returns whether it is a CRL of this authority: its name and its signature are.
    pub(crate) fn is_of(&self, issuer: &Parsed) -> bool {
        self.list.tbs_cert_list.issuer == *issuer.subject() && is_signed_by(&self.der, issuer.key())
    }

    /// Returns the time until it expires; none if it never does.
    pub(crate) fn remaining(&self) -> Option<Duration> {
        let end = self.list.tbs_cert_list.next_update?.to_unix_duration();
        Some(end.saturating_sub(time::now()))
    }

    fn extension(&self, oid: der::asn1::ObjectIdentifier) -> Option<&Extension> {
        let extensions = self.list.tbs_cert_list.crl_extensions.as_deref().unwrap_or_default();
        extensions.iter().find(|one| one.extn_id == oid)
    }
}

fn data_encoding_number(bytes: &[u8]) -> Option<Serial> {
    Serial::from_hex(&data_encoding::HEXUPPER.encode(bytes))
}

fn sign(
    mut list: TbsCertList,
    number: &Uint,
    issuer: &Parsed,
    key: &SigningKey,
) -> Result<Crl, CaError> {
    let failure = |_| CaError::Encoding("a CRL");
    list.next_update = Some(time::encoded(time::date(time::now() + LIFETIME)?)?);
    list.signature = key.algorithm();
    list.crl_extensions = Some(vec![
        extension::crl_number(number)?,
        extension::authority_key(&issuer.key_identifier())?,
    ]);
    let content = list.to_der().map_err(failure)?;
    let signature = BitString::from_bytes(&key.sign(&content)?).map_err(failure)?;
    let list =
        CertificateList { tbs_cert_list: list, signature_algorithm: key.algorithm(), signature };
    let der = list.to_der().map_err(failure)?;
    Ok(Crl { der, list })
}
