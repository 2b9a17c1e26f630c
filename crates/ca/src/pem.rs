//! PEM: texts around Base64.

use std::path::Path;

use data_encoding::BASE64;
use kukla_world::{Disk, World};
use rustls_pki_types::pem::{PemObject, SectionKind};

use crate::CaError;

/// The most bytes of a file of the CA; a CRL of a million entries has 60 MB.
const MAX_FILE: u64 = 256 << 20;

const LINE: usize = 64;

/// Kind of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Certificate,
    Request,
    Crl,
    Pkcs1,
    Pkcs8,
    Sec1,
    PublicKey,
}

const LABELS: [(Kind, SectionKind, &str); 7] = [
    (Kind::Certificate, SectionKind::Certificate, "CERTIFICATE"),
    (Kind::Request, SectionKind::Csr, "CERTIFICATE REQUEST"),
    (Kind::Crl, SectionKind::Crl, "X509 CRL"),
    (Kind::Pkcs1, SectionKind::RsaPrivateKey, "RSA PRIVATE KEY"),
    (Kind::Pkcs8, SectionKind::PrivateKey, "PRIVATE KEY"),
    (Kind::Sec1, SectionKind::EcPrivateKey, "EC PRIVATE KEY"),
    (Kind::PublicKey, SectionKind::PublicKey, "PUBLIC KEY"),
];

/// A section of a kind that the CA knows.
struct Section(Kind, Vec<u8>);

impl PemObject for Section {
    fn from_pem(section: SectionKind, der: Vec<u8>) -> Option<Self> {
        let (kind, ..) = LABELS.iter().find(|(_, known, _)| *known == section)?;
        Some(Self(*kind, der))
    }
}

/// Returns the sections of a text; none if one of them is damaged. Text between them is skipped.
pub(crate) fn sections(text: &[u8]) -> Option<Vec<(Kind, Vec<u8>)>> {
    let sections = Section::pem_slice_iter(text);
    sections.map(|section| section.ok().map(|Section(kind, der)| (kind, der))).collect()
}

/// Returns the sections of one kind.
pub(crate) fn all(text: &[u8], kind: Kind) -> Option<Vec<Vec<u8>>> {
    let sections = sections(text)?.into_iter();
    Some(sections.filter(|(found, _)| *found == kind).map(|(_, der)| der).collect())
}

/// Formats a section with lines of 64 characters.
pub(crate) fn format(kind: Kind, der: &[u8]) -> String {
    let label = LABELS.iter().find(|(known, ..)| *known == kind).map_or("", |(.., label)| *label);
    let base64 = BASE64.encode(der);
    let mut text = format!("-----BEGIN {label}-----\n");
    let mut rest = base64.as_str();
    while !rest.is_empty() {
        let (line, next) = rest.split_at(rest.len().min(LINE));
        text.push_str(line);
        text.push('\n');
        rest = next;
    }
    text + "-----END " + label + "-----\n"
}

/// Formats several sections of one kind.
pub(crate) fn format_all<'a>(kind: Kind, objects: impl IntoIterator<Item = &'a [u8]>) -> String {
    objects.into_iter().map(|der| format(kind, der)).collect()
}

/// Reads a file of at most 256 MB.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, CaError> {
    let text = path.to_str().ok_or_else(|| CaError::file(path, "the path is not UTF-8"))?;
    let opened = Disk.read(text, MAX_FILE).map_err(CaError::io(path))?;
    Ok(opened.bytes.to_vec())
}

/// Like [`read`], but none if there is no file.
pub(crate) fn read_if_present(path: &Path) -> Result<Option<Vec<u8>>, CaError> {
    match read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(CaError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}
