//! Extensions of certificates, encoded here and nowhere else.

use der::asn1::{Any, Ia5StringRef, ObjectIdentifier, OctetString, Utf8StringRef};
use der::{Decode, Encode, Tag, Tagged};
use x509_cert::Certificate;
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{
    AuthorityKeyIdentifier, BasicConstraints, ExtendedKeyUsage, KeyUsage, KeyUsages,
    SubjectKeyIdentifier,
};
use x509_cert::spki::SubjectPublicKeyInfoOwned;

use crate::key;
use crate::{CaError, oids};

const COMMENT: &str = "Puppet Server Internal Certificate";

fn extension(
    extn_id: ObjectIdentifier,
    critical: bool,
    value: &impl Encode,
) -> Result<Extension, CaError> {
    let failure = |_| CaError::Encoding("an extension");
    let extn_value = OctetString::new(value.to_der().map_err(failure)?).map_err(failure)?;
    Ok(Extension { extn_id, critical, extn_value })
}

/// Encodes alternative names.
pub(crate) fn alt_names(names: &Vec<GeneralName>) -> Result<Extension, CaError> {
    extension(oids::ALT_NAMES, false, names)
}

/// Encodes the comment that Puppet Server puts into its certificates.
pub(crate) fn comment() -> Result<Extension, CaError> {
    let text = Ia5StringRef::new(COMMENT).map_err(|_| CaError::Encoding("an extension"))?;
    extension(oids::NETSCAPE_COMMENT, false, &text)
}

/// Encodes the identifier of a subject's key.
pub(crate) fn subject_key(key: &SubjectPublicKeyInfoOwned) -> Result<Extension, CaError> {
    let id =
        OctetString::new(key::identifier(key)).map_err(|_| CaError::Encoding("an extension"))?;
    extension(oids::SUBJECT_KEY_ID, false, &SubjectKeyIdentifier(id))
}

/// Encodes the issuer's key alone, as certificates of authorities and CRLs have it.
pub(crate) fn authority_key(identifier: &[u8]) -> Result<Extension, CaError> {
    let id = OctetString::new(identifier).map_err(|_| CaError::Encoding("an extension"))?;
    let value = AuthorityKeyIdentifier { key_identifier: Some(id), ..Default::default() };
    extension(oids::AUTHORITY_KEY_ID, false, &value)
}

/// Encodes key, issuer and serial number of the issuing certificate, as Puppet Server does for hosts.
pub(crate) fn authority(issuer: &Certificate, identifier: &[u8]) -> Result<Extension, CaError> {
    let id = OctetString::new(identifier).map_err(|_| CaError::Encoding("an extension"))?;
    let tbs = issuer.tbs_certificate();
    let value = AuthorityKeyIdentifier {
        key_identifier: Some(id),
        authority_cert_issuer: Some(vec![GeneralName::DirectoryName(tbs.issuer().clone())]),
        authority_cert_serial_number: Some(tbs.serial_number().clone()),
    };
    extension(oids::AUTHORITY_KEY_ID, false, &value)
}

/// Encodes constraints and usages of a host's certificate, all critical.
pub(crate) fn host_usages() -> Result<[Extension; 3], CaError> {
    let constraints = BasicConstraints { ca: false, path_len_constraint: None };
    let purposes = ExtendedKeyUsage(vec![oids::SERVER_AUTH, oids::CLIENT_AUTH]);
    let usages = KeyUsage(KeyUsages::DigitalSignature | KeyUsages::KeyEncipherment);
    Ok([
        extension(oids::BASIC_CONSTRAINTS, true, &constraints)?,
        extension(oids::EXTENDED_KEY_USAGE, true, &purposes)?,
        extension(oids::KEY_USAGE, true, &usages)?,
    ])
}

/// Encodes constraints and usages of an authority's certificate, both critical.
pub(crate) fn authority_usages() -> Result<[Extension; 2], CaError> {
    let constraints = BasicConstraints { ca: true, path_len_constraint: None };
    let usages = KeyUsage(KeyUsages::KeyCertSign | KeyUsages::CRLSign);
    Ok([
        extension(oids::BASIC_CONSTRAINTS, true, &constraints)?,
        extension(oids::KEY_USAGE, true, &usages)?,
    ])
}

/// Encodes a text of Puppet, such as that of `pp_role`.
pub(crate) fn puppet(oid: ObjectIdentifier, value: &str) -> Result<Extension, CaError> {
    let text = Utf8StringRef::new(value).map_err(|_| CaError::Encoding("an extension"))?;
    extension(oid, false, &text)
}

/// Encodes the number of a CRL.
pub(crate) fn crl_number(number: &der::asn1::Uint) -> Result<Extension, CaError> {
    extension(oids::CRL_NUMBER, false, number)
}

/// Encodes the reason of a revocation: like Puppet Server always `keyCompromise`.
pub(crate) fn key_compromise() -> Result<Extension, CaError> {
    extension(oids::CRL_REASON, false, &x509_cert::ext::pkix::CrlReason::KeyCompromise)
}

/// Returns the text of a Puppet extension: an ASN.1 string, or bytes without a type, as OpenSSL's command writes them.
pub(crate) fn text(value: &[u8]) -> Option<String> {
    let bytes = match Any::from_der(value) {
        Ok(any) => match any.tag() {
            Tag::Utf8String | Tag::PrintableString | Tag::Ia5String | Tag::TeletexString => {
                any.value().to_vec()
            }
            _ => return None,
        },
        Err(_) => value.to_vec(),
    };
    let text = String::from_utf8(bytes).ok()?;
    (!text.chars().any(char::is_control)).then_some(text)
}
