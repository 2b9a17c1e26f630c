//! Certificate requests (PKCS#10). Everything in them is hostile.

use der::asn1::{Any, BitString, SetOfVec};
use der::{Decode, Encode, Sequence};
use x509_cert::attr::Attribute;
use x509_cert::ext::Extension;
use x509_cert::name::Name;
use x509_cert::spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};

use crate::certificate::{self, common_names};
use crate::key::{self, SigningKey};
use crate::pem::{self, Kind};
use crate::{AltNames, CaError, extension, oids};

/// The most bytes of a request; one with an RSA key of 8192 bits has 3 KB.
const MAX_REQUEST: usize = 64 << 10;

/// The most extensions of a request.
const MAX_EXTENSIONS: usize = 64;

#[derive(Sequence)]
struct Outer {
    info: Info,
    algorithm: AlgorithmIdentifierOwned,
    signature: BitString,
}

/// Unlike `x509-cert`'s own with any version: `puppetserver ca generate` writes 2 where the standard has 0.
#[derive(Sequence)]
struct Info {
    version: u8,
    subject: Name,
    key: SubjectPublicKeyInfoOwned,
    #[asn1(context_specific = "0", tag_mode = "IMPLICIT", optional = "true")]
    attributes: Option<SetOfVec<Attribute>>,
}

/// A certificate request that could be read. Its signature and extensions are checked when it is signed.
#[derive(Clone, Debug)]
pub struct CertificateRequest {
    pub(crate) der: Vec<u8>,
    pub(crate) subject: String,
    pub(crate) key: SubjectPublicKeyInfoOwned,
    pub(crate) extensions: Vec<Extension>,
    pub(crate) is_renewable: bool,
}

impl CertificateRequest {
    /// Reads a request in PEM.
    pub fn parse(text: &[u8]) -> Result<Self, CaError> {
        if text.len() > MAX_REQUEST {
            return Err(CaError::Malformed("it is larger than 64 KB"));
        }
        let requests = pem::all(text, Kind::Request);
        let mut requests = requests.ok_or(CaError::Malformed("it is not PEM"))?;
        match (requests.pop(), requests.is_empty()) {
            (Some(der), true) => Self::from_der(der),
            (Some(_), false) => Err(CaError::Malformed("it has several requests")),
            (None, _) => Err(CaError::Malformed("there is no PEM section CERTIFICATE REQUEST")),
        }
    }

    /// Reads a request in DER.
    pub fn from_der(der: Vec<u8>) -> Result<Self, CaError> {
        let outer = Outer::from_der(&der)
            .map_err(|_| CaError::Malformed("it is not a PKCS#10 request in DER"))?;
        let Info { subject, key, attributes, version: _ } = outer.info;
        if !key::is_acceptable(&key) {
            return Err(CaError::Malformed(
                "its key is neither RSA of 2048 to 8192 bits nor EC of P-256, P-384 or P-521",
            ));
        }
        let attributes = attributes.unwrap_or_default();
        Ok(Self {
            subject: only_name(&subject)?,
            key,
            extensions: requested(&attributes)?,
            is_renewable: is_renewable(&attributes),
            der,
        })
    }

    /// Makes a request of a host for its key.
    pub(crate) fn create(
        key: &SigningKey,
        name: &str,
        extensions: &Vec<Extension>,
    ) -> Result<Vec<u8>, CaError> {
        let failure = |_| CaError::Encoding("a request");
        let mut attributes = SetOfVec::new();
        if !extensions.is_empty() {
            let mut values = SetOfVec::new();
            values.insert(Any::encode_from(extensions).map_err(failure)?).map_err(failure)?;
            let attribute = Attribute { oid: oids::EXTENSION_REQUEST, values };
            attributes.insert(attribute).map_err(failure)?;
        }
        let subject = certificate::common_name(name)?;
        let info = Info { version: 0, subject, key: key.public()?, attributes: Some(attributes) };
        certificate::signed(&info, key)
    }

    /// Returns whether the request is signed by the key that it contains.
    pub fn is_authentic(&self) -> bool {
        certificate::is_signed_by(&self.der, &self.key)
    }

    /// Returns its DER.
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// Returns the common name of its subject.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Returns the alternative names that it asks for.
    pub fn alt_names(&self) -> Result<AltNames, CaError> {
        AltNames::of(&self.extensions)
    }

    pub(crate) fn to_pem(&self) -> String {
        pem::format(Kind::Request, &self.der)
    }

    /// Returns the extensions of Puppet that it asks for, encoded anew.
    pub(crate) fn puppet_extensions(&self) -> Result<Vec<Extension>, CaError> {
        let own = self.extensions.iter().filter(|one| one.extn_id != oids::ALT_NAMES);
        own.map(|one| {
            let text = extension::text(one.extn_value.as_bytes());
            extension::puppet(
                one.extn_id,
                &text.ok_or(CaError::Malformed("an extension is no text"))?,
            )
        })
        .collect()
    }
}

fn only_name(subject: &Name) -> Result<String, CaError> {
    let mut names = common_names(subject)?;
    match (names.pop(), names.is_empty()) {
        (Some(name), true) => Ok(name),
        (Some(_), false) => Err(CaError::Malformed("its subject has several common names")),
        (None, _) => Err(CaError::Malformed("its subject has no common name")),
    }
}

/// Returns the extensions that a request asks for. Two lists, or one extension twice, are refused: readers would
/// disagree about which of them counts.
fn requested(attributes: &SetOfVec<Attribute>) -> Result<Vec<Extension>, CaError> {
    let mut requests = attributes.iter().filter(|one| one.oid == oids::EXTENSION_REQUEST);
    let Some(request) = requests.next() else { return Ok(Vec::new()) };
    let value = request.values.iter().next().filter(|_| request.values.len() == 1);
    let Some(value) = value.filter(|_| requests.next().is_none()) else {
        return Err(CaError::Malformed("it has several lists of extensions"));
    };
    let unreadable = |_| CaError::Malformed("its extensions can't be read");
    let extensions: Vec<Extension> = value.decode_as().map_err(unreadable)?;
    if extensions.len() > MAX_EXTENSIONS {
        return Err(CaError::Malformed("it has more than 64 extensions"));
    }
    for (index, one) in extensions.iter().enumerate() {
        if extensions[..index].iter().any(|other| other.extn_id == one.extn_id) {
            return Err(CaError::Malformed("it has an extension twice"));
        }
    }
    Ok(extensions)
}

fn is_renewable(attributes: &SetOfVec<Attribute>) -> bool {
    let attribute = attributes.iter().find(|one| one.oid == oids::AUTO_RENEW);
    let value = attribute.and_then(|one| one.values.iter().next());
    let value = value.and_then(|value| extension::text(&value.to_der().ok()?));
    value.as_deref() == Some("true")
}
