//! RSA private keys in PEM, and decryption with PKCS #1 padding.
//!
//! AWS-LC decrypts with keys of 2048 to 8192 bits, in constant time; all keys of `eyaml createkeys` are in that range.
//! It refuses other sizes, while Ruby's OpenSSL accepts them from 512 bits on, so the crate `rsa` decrypts with those.
//!
//! RUSTSEC-2023-0071 lists all versions of `rsa`: the Marvin attack distinguishes right from wrong padding by time. The
//! release candidate that is used here blinds, and rejects implicitly, but no version counts as fixed yet. The attack
//! needs ciphertexts chosen by the attacker, and these are part of the site's own data.

use aws_lc_rs::rsa::{Pkcs1PrivateDecryptingKey, PrivateDecryptingKey};
use der::asn1::OctetStringRef;
use der::{Decode, Encode, SliceReader};
use kukla_rubytext::base64;
use rsa::pkcs1::{ALGORITHM_ID, RsaPrivateKeyRef};
use rsa::pkcs8::PrivateKeyInfoRef;
use rsa::{Pkcs1v15Encrypt, RsaPrivateKey};

/// Key sizes in bits that AWS-LC accepts.
const COMMON_SIZES: std::ops::RangeInclusive<usize> = 2048..=8192;

/// Maximum size of a modulus in bytes.
const MAX_BYTES: usize = 2048;

/// A private key and the size of its modulus in bytes.
pub(super) struct PrivateKey {
    key: Key,
    n_bytes: usize,
}

enum Key {
    /// Of a common size.
    Common(Pkcs1PrivateDecryptingKey),
    /// Smaller or larger.
    Odd(Box<RsaPrivateKey>),
}

impl PrivateKey {
    /// Reads a key in PEM, of PKCS #1 or PKCS #8.
    pub(super) fn from_pem(text: &str) -> Option<Self> {
        if let Some(bytes) = pem(text, "RSA PRIVATE KEY") {
            return Self::from_pkcs1(&bytes);
        }
        let bytes = pem(text, "PRIVATE KEY")?;
        let info = PrivateKeyInfoRef::decode(&mut SliceReader::new(&bytes).ok()?).ok()?;
        Self::from_pkcs1(info.private_key.as_bytes())
    }

    /// Reads a key in DER. Bytes that follow are ignored, as OpenSSL ignores them.
    fn from_pkcs1(bytes: &[u8]) -> Option<Self> {
        let parts = RsaPrivateKeyRef::decode(&mut SliceReader::new(bytes).ok()?).ok()?;
        let modulus = parts.modulus.as_bytes();
        let n_bytes = modulus.len();
        if n_bytes > MAX_BYTES {
            return None;
        }
        let unused = modulus.first()?.leading_zeros();
        let n_bits = n_bytes * 8 - usize::try_from(unused).ok()?;
        let key = match COMMON_SIZES.contains(&n_bits) {
            true => Key::Common(common_key(&parts)?),
            false => Key::Odd(Box::new(RsaPrivateKey::try_from(parts).ok()?)),
        };
        Some(Self { key, n_bytes })
    }

    /// Decrypts a message. `None` if its padding is wrong, though a key of an odd size may return garbage then.
    pub(super) fn decrypt(&self, cipher: &[u8]) -> Option<Vec<u8>> {
        let cipher = self.sized(cipher)?;
        match &self.key {
            Key::Common(key) => {
                let mut buffer = vec![0; key.min_output_size()];
                key.decrypt(&cipher, &mut buffer).ok().map(|plain| plain.to_vec())
            }
            Key::Odd(key) => key.decrypt(Pkcs1v15Encrypt, &cipher).ok(),
        }
    }

    /// Pads or trims a ciphertext to the size of the modulus.
    fn sized(&self, cipher: &[u8]) -> Option<Vec<u8>> {
        let n_zeros = cipher.iter().take_while(|byte| **byte == 0).count();
        let digits = &cipher[n_zeros..];
        let mut sized = vec![0; self.n_bytes.checked_sub(digits.len())?];
        sized.extend_from_slice(digits);
        Some(sized)
    }
}

/// Converts a key for AWS-LC, which only reads PKCS #8.
fn common_key(parts: &RsaPrivateKeyRef<'_>) -> Option<Pkcs1PrivateDecryptingKey> {
    let pkcs1 = parts.to_der().ok()?;
    let key = OctetStringRef::new(&pkcs1).ok()?;
    let info = PrivateKeyInfoRef::new(ALGORITHM_ID, key).to_der().ok()?;
    Pkcs1PrivateDecryptingKey::new(PrivateDecryptingKey::from_pkcs8(&info).ok()?).ok()
}

/// Returns the bytes between `-----BEGIN NAME-----` and its end.
fn pem(text: &str, name: &str) -> Option<Vec<u8>> {
    let (_, rest) = text.split_once(&format!("-----BEGIN {name}-----"))?;
    let (inner, _) = rest.split_once(&format!("-----END {name}-----"))?;
    Some(base64::decode(inner))
}
