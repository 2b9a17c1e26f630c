//! The identity of a client, read from its certificate.
//!
//! The proxy has verified the certificate; here it is only parsed. Any ambiguity is an error.

use std::fmt;

use kukla_plang::message::Tls;
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::{GeneralName, ParsedExtension};
use x509_parser::oid_registry::OID_X509_COMMON_NAME;
use x509_parser::prelude::FromDer as _;
use x509_parser::x509::X509Name;

use super::extensions;
use super::subject::{CommonNames, SubjectError, string};

/// A client whose certificate the proxy verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) common_name: String,
    pub(crate) alt_names: Vec<String>,
    pub(crate) extensions: Vec<(String, String)>,
}

/// The reason why a certificate gives no identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CertificateError {
    /// The data is no valid certificate.
    Malformed,
    /// Its subject names no client.
    Subject(SubjectError),
    /// An extension occurs twice.
    RepeatedExtension,
    /// Its alternative names are malformed.
    AltNames,
}

impl fmt::Display for CertificateError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => out.write_str("it is no X.509 certificate"),
            Self::Subject(error) => error.fmt(out),
            Self::RepeatedExtension => out.write_str("an extension is there twice"),
            Self::AltNames => out.write_str("the subject alternative names can't be read"),
        }
    }
}

impl Identity {
    /// Creates an identity of which only the name is known.
    pub(super) fn named(common_name: String) -> Self {
        Self { common_name, alt_names: Vec::new(), extensions: Vec::new() }
    }

    /// Reads a certificate.
    pub(crate) fn from_der(der: &[u8]) -> Result<Self, CertificateError> {
        let certificate = match X509Certificate::from_der(der) {
            Ok((b"", certificate)) => certificate,
            _ => return Err(CertificateError::Malformed),
        };
        // Two extensions of one type: parsers differ on which of them counts.
        certificate.extensions_map().map_err(|_| CertificateError::RepeatedExtension)?;
        Ok(Self {
            common_name: common_name(certificate.subject()).map_err(CertificateError::Subject)?,
            alt_names: alt_names(&certificate)?,
            extensions: extensions::texts(&certificate),
        })
    }

    /// Returns the identity as programs see it.
    pub(crate) fn tls(&self) -> Tls<'_> {
        Tls {
            is_verified: true,
            common_name: Some(self.common_name.as_bytes()),
            alt_names: &self.alt_names,
            extensions: &self.extensions,
        }
    }
}

/// Returns the only common name of a subject, also of one whose RDNs have several attributes.
fn common_name(subject: &X509Name<'_>) -> Result<String, SubjectError> {
    let mut names = CommonNames::default();
    for attribute in subject.iter_attributes() {
        let is_name = *attribute.attr_type() == OID_X509_COMMON_NAME;
        let name = is_name.then(|| string(attribute.attr_value()).ok_or(SubjectError::StringType));
        names.add(name.transpose()?);
    }
    names.only()
}

/// Returns the DNS names of a certificate. Other kinds are left out, since programs compare texts without a kind.
fn alt_names(certificate: &X509Certificate<'_>) -> Result<Vec<String>, CertificateError> {
    let mut names = Vec::new();
    for extension in certificate.extensions() {
        if extension.oid != x509_parser::oid_registry::OID_X509_EXT_SUBJECT_ALT_NAME {
            continue;
        }
        let ParsedExtension::SubjectAlternativeName(list) = extension.parsed_extension() else {
            return Err(CertificateError::AltNames);
        };
        for name in &list.general_names {
            match name {
                GeneralName::DNSName(name) if is_plain(name) => names.push((*name).to_owned()),
                GeneralName::DNSName(_) | GeneralName::Invalid(..) => {
                    return Err(CertificateError::AltNames);
                }
                _ => (),
            }
        }
    }
    Ok(names)
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.is_ascii() && !name.contains(|c: char| c.is_control())
}
