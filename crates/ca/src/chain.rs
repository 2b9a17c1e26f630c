//! Validation of a CA's own chain.

use der::Decode;
use x509_cert::ext::pkix::BasicConstraints;

use crate::certificate::{Parsed, is_signed_by};
use crate::crl::Crl;
use crate::oids;

/// The most authorities above one another.
const MAX_DEPTH: usize = 16;

/// Returns the problem of a chain: from the signing certificate to a root in the bundle, every certificate must be an
/// authority's, current, signed by the next one and not revoked, and every authority needs a current CRL.
pub(crate) fn problem(leaf: &Parsed, bundle: &[Parsed], crls: &[Crl]) -> Option<&'static str> {
    let mut certificate = leaf;
    for _ in 0..MAX_DEPTH {
        let issuer_name = certificate.certificate.tbs_certificate().issuer();
        let issuer = bundle
            .iter()
            .find(|one| one.subject() == issuer_name && is_signed_by(&certificate.der, one.key()));
        let Some(issuer) = issuer else {
            return Some("unable to get issuer certificate");
        };
        if !is_authority(certificate) {
            return Some("invalid CA certificate");
        }
        if !certificate.is_current() {
            return Some("certificate has expired or is not yet valid");
        }
        let Some(crl) = crls.iter().find(|crl| crl.is_of(issuer)) else {
            return Some("unable to get certificate CRL");
        };
        if crl.remaining().is_some_and(|rest| rest.is_zero()) {
            return Some("CRL has expired");
        }
        if crl.serials().contains(&certificate.serial()) {
            return Some("certificate revoked");
        }
        if issuer.der == certificate.der {
            return None;
        }
        certificate = issuer;
    }
    Some("certificate chain too long")
}

fn is_authority(certificate: &Parsed) -> bool {
    let extension =
        certificate.extensions().iter().find(|one| one.extn_id == oids::BASIC_CONSTRAINTS);
    let value =
        extension.and_then(|one| BasicConstraints::from_der(one.extn_value.as_bytes()).ok());
    value.is_some_and(|constraints| constraints.ca)
}
