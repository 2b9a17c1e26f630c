//! Extensions of a certificate that hold a text, by OID and by Puppet's short names.

use kukla_ca::short_name;
use x509_parser::asn1_rs::Any;
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer as _;

use super::subject::string;

/// Returns each extension that is a string of ASN.1, by its OID and by its short name if it has one.
pub(super) fn texts(certificate: &X509Certificate<'_>) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for extension in certificate.extensions() {
        let Some(text) = text(extension.value) else { continue };
        let oid = extension.oid.to_id_string();
        if let Some(name) = short_name(&oid) {
            texts.push((name.to_owned(), text.clone()));
        }
        texts.push((oid, text));
    }
    texts
}

fn text(value: &[u8]) -> Option<String> {
    let (rest, any) = Any::from_der(value).ok()?;
    let text = string(&any).filter(|_| rest.is_empty())?;
    (!text.contains(char::is_control)).then_some(text)
}
