//! Certificates: building, signing and reading them.

use std::path::Path;
use std::time::Duration;

use der::asn1::{Any, BitString, SetOfVec, Utf8StringRef};
use der::{Decode, Encode, Sequence, Tag, Tagged};
use x509_cert::attr::AttributeTypeAndValue;
use x509_cert::ext::Extension;
use x509_cert::name::{Name, RdnSequence, RelativeDistinguishedName};
use x509_cert::serial_number::SerialNumber;
use x509_cert::spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};
use x509_cert::time::Validity;
use x509_cert::{Certificate, Version};

use crate::key::{self, SigningKey};
use crate::pem::{self, Kind};
use crate::{CaError, Serial, extension, oids, time};

/// The part of a certificate that is signed. The fields of `x509-cert`'s own are private, and its builder chooses
/// extensions itself, while Puppet Server's order is kept here.
#[derive(Sequence)]
struct ToBeSigned {
    #[asn1(context_specific = "0", default = "Default::default")]
    version: Version,
    serial: SerialNumber,
    signature: AlgorithmIdentifierOwned,
    issuer: Name,
    validity: Validity,
    subject: Name,
    key: SubjectPublicKeyInfoOwned,
    #[asn1(context_specific = "3", tag_mode = "EXPLICIT", optional = "true")]
    extensions: Option<Vec<Extension>>,
}

#[derive(Sequence)]
struct Signed {
    content: Any,
    algorithm: AlgorithmIdentifierOwned,
    signature: BitString,
}

/// A certificate to be signed.
pub(crate) struct Draft<'a> {
    pub(crate) serial: &'a Serial,
    pub(crate) lifetime: Duration,
    pub(crate) issuer: &'a Name,
    pub(crate) subject: Name,
    pub(crate) key: SubjectPublicKeyInfoOwned,
    pub(crate) extensions: Vec<Extension>,
}

impl Draft<'_> {
    /// Signs the certificate; returns it in DER. Critical extensions come last, as Puppet Server has them.
    pub(crate) fn sign(self, key: &SigningKey) -> Result<Vec<u8>, CaError> {
        let [from, until] = time::period(self.lifetime)?;
        let (critical, other): (Vec<_>, Vec<_>) =
            self.extensions.into_iter().partition(|extension| extension.critical);
        let content = ToBeSigned {
            version: Version::V3,
            serial: self.serial.encoded()?,
            signature: key.algorithm(),
            issuer: self.issuer.clone(),
            validity: Validity::new(time::encoded(from)?, time::encoded(until)?),
            subject: self.subject,
            key: self.key,
            extensions: Some(other.into_iter().chain(critical).collect()),
        };
        signed(&content, key)
    }
}

/// Encodes something together with its signature.
pub(crate) fn signed(content: &impl Encode, key: &SigningKey) -> Result<Vec<u8>, CaError> {
    let failure = |_| CaError::Encoding("a certificate");
    let content = content.to_der().map_err(failure)?;
    let signature = BitString::from_bytes(&key.sign(&content)?).map_err(failure)?;
    let content = Any::from_der(&content).map_err(failure)?;
    Signed { content, algorithm: key.algorithm(), signature }.to_der().map_err(failure)
}

/// Returns whether a certificate, request or CRL is signed by a key.
pub(crate) fn is_signed_by(der: &[u8], key: &SubjectPublicKeyInfoOwned) -> bool {
    let Ok(signed) = Signed::from_der(der) else { return false };
    let Ok(content) = signed.content.to_der() else { return false };
    key::verifies(key, signed.algorithm.oid, &content, signed.signature.raw_bytes())
}

/// Returns a name that has nothing but a common name.
pub(crate) fn common_name(name: &str) -> Result<Name, CaError> {
    let failure = |_| CaError::Encoding("a name");
    let value = Any::from(Utf8StringRef::new(name).map_err(failure)?);
    let mut set = SetOfVec::new();
    set.insert(AttributeTypeAndValue { oid: oids::COMMON_NAME, value }).map_err(failure)?;
    let mut sequence = RdnSequence::default();
    sequence.push(RelativeDistinguishedName::from(set));
    Name::from_der(&sequence.to_der().map_err(failure)?).map_err(failure)
}

/// Returns the common names of a name; an error if one is no text.
pub(crate) fn common_names(name: &Name) -> Result<Vec<String>, CaError> {
    let names = name.iter().filter(|attribute| attribute.oid == oids::COMMON_NAME);
    names.map(|attribute| text(&attribute.value)).collect()
}

fn text(value: &Any) -> Result<String, CaError> {
    let is_text = matches!(
        value.tag(),
        Tag::Utf8String | Tag::PrintableString | Tag::Ia5String | Tag::TeletexString
    );
    let text = is_text.then(|| String::from_utf8(value.value().to_vec()).ok()).flatten();
    text.ok_or(CaError::Malformed("the common name is not a text in UTF-8"))
}

/// A certificate with its encoding.
#[derive(Clone, Debug)]
pub(crate) struct Parsed {
    pub(crate) der: Vec<u8>,
    pub(crate) certificate: Certificate,
}

impl Parsed {
    pub(crate) fn from_der(der: Vec<u8>) -> Option<Self> {
        let certificate = Certificate::from_der(&der).ok()?;
        Some(Self { der, certificate })
    }

    /// Reads all certificates of a file.
    pub(crate) fn read_all(path: &Path) -> Result<Vec<Self>, CaError> {
        let objects = pem::all(&pem::read(path)?, Kind::Certificate);
        let parsed = objects.and_then(|list| list.into_iter().map(Self::from_der).collect());
        let parsed: Vec<Self> =
            parsed.ok_or_else(|| CaError::file(path, "a certificate is damaged"))?;
        if parsed.is_empty() {
            return Err(CaError::file(path, "there is no certificate in it"));
        }
        Ok(parsed)
    }

    pub(crate) fn key(&self) -> &SubjectPublicKeyInfoOwned {
        self.certificate.tbs_certificate().subject_public_key_info()
    }

    pub(crate) fn subject(&self) -> &Name {
        self.certificate.tbs_certificate().subject()
    }

    pub(crate) fn serial(&self) -> Serial {
        Serial::of(self.certificate.tbs_certificate().serial_number())
    }

    pub(crate) fn extensions(&self) -> &[Extension] {
        self.certificate.tbs_certificate().extensions().map_or(&[], Vec::as_slice)
    }

    /// Returns the identifier of its key: the extension's if it has one.
    pub(crate) fn key_identifier(&self) -> Vec<u8> {
        let written = self.extensions().iter().find(|one| one.extn_id == oids::SUBJECT_KEY_ID);
        let written = written
            .and_then(|one| der::asn1::OctetString::from_der(one.extn_value.as_bytes()).ok());
        written.map_or_else(|| key::identifier(self.key()), |id| id.as_bytes().to_vec())
    }

    /// Returns whether its period includes this moment.
    pub(crate) fn is_current(&self) -> bool {
        let validity = self.certificate.tbs_certificate().validity();
        let now = time::now();
        validity.not_before.to_unix_duration() <= now && now < validity.not_after.to_unix_duration()
    }

    pub(crate) fn to_pem(&self) -> String {
        pem::format(Kind::Certificate, &self.der)
    }

    /// Returns the line of `inventory.txt`.
    pub(crate) fn inventory_line(&self) -> Result<String, CaError> {
        let tbs = self.certificate.tbs_certificate();
        let [from, until] = [tbs.validity().not_before, tbs.validity().not_after];
        let name = common_names(tbs.subject())?.pop().unwrap_or_default();
        let [from, until] = [time::text(from.to_date_time()), time::text(until.to_date_time())];
        Ok(format!("0x{} {from} {until} /CN={name}", self.serial().to_hex()))
    }
}

/// Returns the extensions of a new authority, in Puppet Server's order.
pub(crate) fn authority_extensions(
    issuer_identifier: &[u8],
    key: &SubjectPublicKeyInfoOwned,
) -> Result<Vec<Extension>, CaError> {
    let mut extensions = vec![
        extension::comment()?,
        extension::authority_key(issuer_identifier)?,
        extension::subject_key(key)?,
    ];
    extensions.extend(extension::authority_usages()?);
    Ok(extensions)
}
