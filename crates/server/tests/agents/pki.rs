//! Certificates of tests, made by rcgen.

use std::path::Path;

use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, CustomExtension, DnType,
    IsCa, Issuer, KeyIdMethod, KeyPair, KeyUsagePurpose, RevocationReason, RevokedCertParams,
    SerialNumber, date_time_ymd,
};

/// An authority.
pub(crate) struct Pki {
    issuer: Issuer<'static, KeyPair>,
    pub(crate) ca_pem: String,
}

/// A certificate with its key, in PEM.
#[derive(Clone)]
pub(crate) struct Pair {
    pub(crate) certificate: String,
    pub(crate) key: String,
    serial: u64,
}

impl Pki {
    pub(crate) fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name = named(&[name]);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = KeyPair::generate().expect("a key");
        let certificate = params.self_signed(&key).expect("a certificate");
        Self { ca_pem: certificate.pem(), issuer: Issuer::new(params, key) }
    }

    /// Signs a certificate for common names, with extensions of Puppet: the numbers behind its arc, and texts.
    pub(crate) fn sign(&self, serial: u64, names: &[&str], extensions: &[(&[u64], &str)]) -> Pair {
        self.sign_with(serial, names, |params| {
            params.custom_extensions =
                extensions.iter().map(|(numbers, text)| puppet(numbers, text)).collect();
        })
    }

    /// Signs a certificate for common names, with other changes.
    pub(crate) fn sign_with(
        &self,
        serial: u64,
        names: &[&str],
        change: impl FnOnce(&mut CertificateParams),
    ) -> Pair {
        let alternatives = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let mut params = CertificateParams::new(alternatives).expect("valid names");
        params.distinguished_name = named(names);
        params.serial_number = Some(SerialNumber::from(serial));
        change(&mut params);
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        Pair { certificate: certificate.pem(), key: key.serialize_pem(), serial }
    }

    /// Signs a certificate for a name by a certificate that is no authority's.
    pub(crate) fn sign_below(&self, serial: u64, name: &str) -> Pair {
        let mut params = CertificateParams::default();
        params.distinguished_name = named(&["agent.example"]);
        let key = KeyPair::generate().expect("a key");
        let leaf = params.signed_by(&key, &self.issuer).expect("a certificate");
        let below = Self { issuer: Issuer::new(params, key), ca_pem: leaf.pem() };
        let pair = below.sign(serial, &[name], &[]);
        Pair { certificate: pair.certificate + &below.ca_pem, ..pair }
    }

    /// Returns the list of revoked certificates.
    pub(crate) fn crl(&self, number: u64, revoked: &[&Pair]) -> String {
        let entry = |pair: &&Pair| RevokedCertParams {
            serial_number: SerialNumber::from(pair.serial),
            revocation_time: date_time_ymd(2026, 1, 1),
            reason_code: Some(RevocationReason::KeyCompromise),
            invalidity_date: None,
        };
        let params = CertificateRevocationListParams {
            this_update: date_time_ymd(2026, 1, 1),
            next_update: date_time_ymd(2056, 1, 1),
            crl_number: SerialNumber::from(number),
            issuing_distribution_point: None,
            revoked_certs: revoked.iter().map(entry).collect(),
            key_identifier_method: KeyIdMethod::Sha256,
        };
        params.signed_by(&self.issuer).expect("a list").pem().expect("PEM")
    }
}

/// Returns an extension of Puppet: the numbers behind its arc, and a text of less than 128 bytes.
pub(crate) fn puppet(numbers: &[u64], text: &str) -> CustomExtension {
    let oid = [&[1, 3, 6, 1, 4, 1, 34380, 1][..], numbers].concat();
    let length = u8::try_from(text.len()).expect("a short text");
    let der = [&[0x0c, length], text.as_bytes()].concat();
    CustomExtension::from_oid_content(&oid, der)
}

pub(crate) fn named(names: &[&str]) -> rcgen::DistinguishedName {
    let mut subject = rcgen::DistinguishedName::new();
    for (n, name) in names.iter().enumerate() {
        // A name of a kind replaces an earlier one; the same kind by its number does not.
        let kind = if n == 0 { DnType::CommonName } else { DnType::CustomDnType(vec![2, 5, 4, 3]) };
        subject.push(kind, *name);
    }
    subject
}

/// Writes a file that a server reads, at once.
pub(crate) fn write(path: &Path, text: &str) {
    let temporary = path.with_extension("new");
    std::fs::write(&temporary, text).expect("written");
    std::fs::rename(&temporary, path).expect("renamed");
}
