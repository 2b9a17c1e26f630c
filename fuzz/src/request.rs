//! Certificate requests.

use kukla_ca::CertificateRequest;

/// Parses a request in DER; a valid one has exactly one name, and all its accessors work.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(request) = CertificateRequest::from_der(bytes.to_owned()) else { return };
    assert_eq!(request.der(), bytes, "the request is not kept as it was");
    let _ = (request.is_authentic(), request.alt_names(), request.subject().len());
}
