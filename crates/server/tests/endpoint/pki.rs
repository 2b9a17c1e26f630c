//! Certificates with any subject, signed by an authority of the test: built as DER, since no tool would make some of them.

use data_encoding::BASE64;
use rcgen::{KeyPair, PublicKeyData as _, SigningKey as _};

/// Type of an attribute, as the content of its OID.
pub(crate) const CN: &[u8] = &[0x55, 4, 3];
pub(crate) const O: &[u8] = &[0x55, 4, 10];

/// Tags of strings.
pub(crate) const BIT_STRING: u8 = 3;
pub(crate) const UTF8: u8 = 12;
pub(crate) const PRINTABLE: u8 = 19;
pub(crate) const T61: u8 = 20;
pub(crate) const IA5: u8 = 22;
pub(crate) const BMP: u8 = 30;

/// Contents of OIDs of extensions.
pub(crate) const ALT_NAMES: &[u8] = &[0x55, 0x1D, 17];
/// `1.3.6.1.4.1.34380.1.3.39`
pub(crate) const PP_CLI_AUTH: &[u8] = &[0x2B, 6, 1, 4, 1, 0x82, 0x8C, 0x4C, 1, 3, 39];
/// `1.3.6.1.4.1.34380.1.1.13`
pub(crate) const PP_ROLE: &[u8] = &[0x2B, 6, 1, 4, 1, 0x82, 0x8C, 0x4C, 1, 1, 13];
const BASIC_CONSTRAINTS: &[u8] = &[0x55, 0x1D, 19];

/// An attribute of a subject: type, tag of the value, and value.
pub(crate) type Attribute<'t> = (&'t [u8], u8, &'t [u8]);
/// A subject: RDNs of attributes.
pub(crate) type Subject<'t> = &'t [&'t [Attribute<'t>]];
/// An extension: type and value.
pub(crate) type Extension<'t> = (&'t [u8], Vec<u8>);

/// An authority that signs anything.
pub(crate) struct Authority {
    key: KeyPair,
    pub(crate) der: Vec<u8>,
}

/// A certificate and its key.
pub(crate) struct Issued {
    pub(crate) der: Vec<u8>,
    pub(crate) key: KeyPair,
}

const AUTHORITY: Subject<'_> = &[&[(CN, UTF8, b"test authority")]];

impl Authority {
    pub(crate) fn new() -> Self {
        let key = KeyPair::generate().expect("a key is made");
        let constraints = tlv(0x30, &tlv(1, &[0xFF]));
        let der = certificate(&key, &key, AUTHORITY, &[(BASIC_CONSTRAINTS, constraints)]);
        Self { key, der }
    }

    /// Issues a certificate with a subject and extensions.
    pub(crate) fn issue(&self, subject: Subject<'_>, extensions: &[Extension<'_>]) -> Issued {
        let key = KeyPair::generate().expect("a key is made");
        Issued { der: certificate(&self.key, &key, subject, extensions), key }
    }

    /// Issues a certificate with one common name.
    pub(crate) fn named(&self, name: &str) -> Issued {
        self.issue(&[&[(CN, UTF8, name.as_bytes())]], &[])
    }
}

/// Returns the value of an extension that is a text, as Puppet writes it.
pub(crate) fn text(value: &str) -> Vec<u8> {
    tlv(UTF8, value.as_bytes())
}

/// Returns the value of subject alternative names that are DNS names.
pub(crate) fn dns_names(names: &[&str]) -> Vec<u8> {
    let names: Vec<u8> = names.iter().flat_map(|name| tlv(0x82, name.as_bytes())).collect();
    tlv(0x30, &names)
}

/// PEM with lines of 64 digits.
pub(crate) fn pem(label: &str, der: &[u8]) -> String {
    let digits = BASE64.encode(der);
    let lines: Vec<&str> =
        (0..digits.len()).step_by(64).map(|at| &digits[at..digits.len().min(at + 64)]).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

/// URL escapes for all but letters, digits and `-._~`, as nginx and Envoy write them.
pub(crate) fn escaped(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes()
        .map(
            |byte| {
                if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }
            },
        )
        .collect()
}

fn certificate(
    signer: &KeyPair,
    key: &KeyPair,
    subject: Subject<'_>,
    extensions: &[Extension<'_>],
) -> Vec<u8> {
    // ecdsa-with-SHA256
    let algorithm = tlv(0x30, &tlv(6, &[0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2]));
    let validity = [tlv(0x17, b"200101000000Z"), tlv(0x17, b"491231235959Z")].concat();
    let extensions: Vec<u8> = extensions
        .iter()
        .flat_map(|(oid, value)| tlv(0x30, &[tlv(6, oid), tlv(4, value)].concat()))
        .collect();
    let mut parts = vec![
        tlv(0xA0, &tlv(2, &[2])),
        tlv(2, &[0x42]),
        algorithm.clone(),
        name(AUTHORITY),
        tlv(0x30, &validity),
        name(subject),
        key.subject_public_key_info(),
    ];
    if !extensions.is_empty() {
        parts.push(tlv(0xA3, &tlv(0x30, &extensions)));
    }
    let signed = tlv(0x30, &parts.concat());
    let signature = signer.sign(&signed).expect("it is signed");
    let signature = tlv(3, &[&[0], &signature[..]].concat());
    tlv(0x30, &[signed, algorithm, signature].concat())
}

fn name(subject: Subject<'_>) -> Vec<u8> {
    let attribute =
        |(oid, tag, value): &Attribute<'_>| tlv(0x30, &[tlv(6, oid), tlv(*tag, value)].concat());
    let rdn = |attributes: &&[Attribute<'_>]| {
        tlv(0x31, &attributes.iter().flat_map(attribute).collect::<Vec<u8>>())
    };
    tlv(0x30, &subject.iter().flat_map(rdn).collect::<Vec<u8>>())
}

fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let mut out = vec![tag];
    match u8::try_from(length) {
        Ok(length @ ..0x80) => out.push(length),
        Ok(length) => out.extend([0x81, length]),
        Err(_) => {
            out.push(0x82);
            out.extend(u16::try_from(length).expect("it is small").to_be_bytes());
        }
    }
    out.extend(content);
    out
}
