//! Keys and signatures, by aws-lc-rs.

use std::path::Path;

use aws_lc_rs::digest;
use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der, PublicKeyX509Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeySize;
use aws_lc_rs::signature::{
    self, ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P384_SHA384_ASN1,
    ECDSA_P384_SHA384_ASN1_SIGNING, ECDSA_P521_SHA512_ASN1, ECDSA_P521_SHA512_ASN1_SIGNING,
    EcdsaKeyPair, EcdsaSigningAlgorithm, KeyPair, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, RSA_PKCS1_SHA256, RsaKeyPair,
    UnparsedPublicKey, VerificationAlgorithm,
};
use der::asn1::{Any, AnyRef, ObjectIdentifier, OctetStringRef, UintRef};
use der::{Decode, Encode, Sequence};
use x509_cert::spki::{AlgorithmIdentifierOwned, SubjectPublicKeyInfoOwned};

use crate::CaError;
use crate::oids;
use crate::pem::{self, Kind};

/// A private key of an authority or a host.
pub(crate) enum SigningKey {
    Rsa(Box<RsaKeyPair>),
    Ec(Box<EcdsaKeyPair>, ObjectIdentifier),
}

/// Curves with their algorithms, and the identifier of the signatures.
static CURVES: [(&EcdsaSigningAlgorithm, ObjectIdentifier); 3] = [
    (&ECDSA_P256_SHA256_ASN1_SIGNING, oids::ECDSA_SHA256),
    (&ECDSA_P384_SHA384_ASN1_SIGNING, oids::ECDSA_SHA384),
    (&ECDSA_P521_SHA512_ASN1_SIGNING, oids::ECDSA_SHA512),
];

/// The outer part of PKCS#8, to get at the RSA key inside of it.
#[derive(Sequence)]
struct PrivateKeyInfo<'a> {
    version: u8,
    algorithm: AnyRef<'a>,
    key: &'a OctetStringRef,
}

/// An RSA public key of PKCS#1.
#[derive(Sequence)]
struct RsaBits<'a> {
    modulus: UintRef<'a>,
    exponent: UintRef<'a>,
}

impl SigningKey {
    /// Makes an RSA key.
    pub(crate) fn generate(length: u32) -> Result<Self, CaError> {
        let size = match length {
            2048 => KeySize::Rsa2048,
            3072 => KeySize::Rsa3072,
            4096 => KeySize::Rsa4096,
            8192 => KeySize::Rsa8192,
            _ => return Err(CaError::KeyLength(length)),
        };
        let key = RsaKeyPair::generate(size).map_err(|_| CaError::Encoding("a key"))?;
        Ok(Self::Rsa(Box::new(key)))
    }

    /// Reads a key: RSA or EC, in PKCS#1, PKCS#8 or SEC1.
    pub(crate) fn read(path: &Path) -> Result<Self, CaError> {
        Self::parse(&pem::read(path)?).ok_or_else(|| {
            CaError::file(
                path,
                "no unencrypted RSA key of 2048 to 8192 bits or EC key of P-256, P-384 or P-521",
            )
        })
    }

    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        pem::sections(text)?.into_iter().find_map(|(kind, der)| match kind {
            Kind::Pkcs1 => Some(Self::Rsa(Box::new(RsaKeyPair::from_der(&der).ok()?))),
            Kind::Pkcs8 => match RsaKeyPair::from_pkcs8(&der) {
                Ok(key) => Some(Self::Rsa(Box::new(key))),
                Err(_) => Self::ec(|algorithm| EcdsaKeyPair::from_pkcs8(algorithm, &der).ok()),
            },
            Kind::Sec1 => {
                Self::ec(|algorithm| EcdsaKeyPair::from_private_key_der(algorithm, &der).ok())
            }
            Kind::Certificate | Kind::Request | Kind::Crl | Kind::PublicKey => None,
        })
    }

    fn ec(read: impl Fn(&'static EcdsaSigningAlgorithm) -> Option<EcdsaKeyPair>) -> Option<Self> {
        let mut curves = CURVES.iter();
        curves.find_map(|(algorithm, oid)| Some(Self::Ec(Box::new(read(algorithm)?), *oid)))
    }

    /// Formats an RSA key in PKCS#1, as Puppet does, and an EC key in PKCS#8.
    pub(crate) fn to_pem(&self) -> Result<String, CaError> {
        let failure = || CaError::Encoding("a key");
        match self {
            Self::Rsa(key) => {
                let pkcs8 = AsDer::<Pkcs8V1Der<'_>>::as_der(key.as_ref()).map_err(|_| failure())?;
                let info = PrivateKeyInfo::from_der(pkcs8.as_ref()).map_err(|_| failure())?;
                Ok(pem::format(Kind::Pkcs1, info.key.as_bytes()))
            }
            Self::Ec(key, _) => {
                let pkcs8 = key.to_pkcs8v1().map_err(|_| failure())?;
                Ok(pem::format(Kind::Pkcs8, pkcs8.as_ref()))
            }
        }
    }

    pub(crate) fn public(&self) -> Result<SubjectPublicKeyInfoOwned, CaError> {
        let failure = || CaError::Encoding("a key");
        let der: PublicKeyX509Der<'_> = match self {
            Self::Rsa(key) => key.public_key().as_der(),
            Self::Ec(key, _) => key.public_key().as_der(),
        }
        .map_err(|_| failure())?;
        SubjectPublicKeyInfoOwned::from_der(der.as_ref()).map_err(|_| failure())
    }

    /// Returns the identifier of this key's signatures.
    pub(crate) fn algorithm(&self) -> AlgorithmIdentifierOwned {
        match self {
            Self::Rsa(_) => {
                AlgorithmIdentifierOwned { oid: oids::RSA_SHA256, parameters: Some(Any::null()) }
            }
            Self::Ec(_, oid) => AlgorithmIdentifierOwned { oid: *oid, parameters: None },
        }
    }

    pub(crate) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, CaError> {
        let failure = |_| CaError::Encoding("a signature");
        let random = SystemRandom::new();
        match self {
            Self::Rsa(key) => {
                let mut bytes = vec![0; key.public_modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, message, &mut bytes).map_err(failure)?;
                Ok(bytes)
            }
            Self::Ec(key, _) => Ok(key.sign(&random, message).map_err(failure)?.as_ref().to_vec()),
        }
    }
}

/// Formats a public key.
pub(crate) fn public_pem(key: &SubjectPublicKeyInfoOwned) -> Result<String, CaError> {
    let der = key.to_der().map_err(|_| CaError::Encoding("a key"))?;
    Ok(pem::format(Kind::PublicKey, &der))
}

/// Returns the identifier of a key: SHA-1 of its bits, as RFC 5280 proposes.
pub(crate) fn identifier(key: &SubjectPublicKeyInfoOwned) -> Vec<u8> {
    let bits = key.subject_public_key.raw_bytes();
    digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, bits).as_ref().to_vec()
}

/// Returns whether a key is strong enough for a certificate, and small enough to work with.
pub(crate) fn is_acceptable(key: &SubjectPublicKeyInfoOwned) -> bool {
    let bits = key.subject_public_key.raw_bytes();
    match key.algorithm.oid {
        oids::RSA => RsaBits::from_der(bits).is_ok_and(|key| {
            let modulus = key.modulus.as_bytes();
            let leading = modulus.first().map_or(0, |byte| byte.leading_zeros() as usize);
            // aws-lc refuses larger exponents as well: verifying with them takes long.
            (2048..=8192).contains(&(modulus.len() * 8 - leading))
                && key.exponent.as_bytes().len() <= 4
        }),
        oids::EC => curve(key).is_some_and(|curve| {
            matches!((curve, bits.len()), (oids::P256, 65) | (oids::P384, 97) | (oids::P521, 133))
        }),
        _ => false,
    }
}

fn curve(key: &SubjectPublicKeyInfoOwned) -> Option<ObjectIdentifier> {
    key.algorithm.parameters.as_ref()?.decode_as().ok()
}

/// Returns whether a signature was made by a key; signatures with SHA-1 and older don't count.
pub(crate) fn verifies(
    key: &SubjectPublicKeyInfoOwned,
    algorithm: ObjectIdentifier,
    message: &[u8],
    signature: &[u8],
) -> bool {
    let Some(algorithm) = verification(key, algorithm) else { return false };
    let key = UnparsedPublicKey::new(algorithm, key.subject_public_key.raw_bytes());
    key.verify(message, signature).is_ok()
}

fn verification(
    key: &SubjectPublicKeyInfoOwned,
    algorithm: ObjectIdentifier,
) -> Option<&'static dyn VerificationAlgorithm> {
    let algorithm: &'static dyn VerificationAlgorithm = match (key.algorithm.oid, algorithm) {
        (oids::RSA, oids::RSA_SHA256) => &RSA_PKCS1_2048_8192_SHA256,
        (oids::RSA, oids::RSA_SHA384) => &RSA_PKCS1_2048_8192_SHA384,
        (oids::RSA, oids::RSA_SHA512) => &RSA_PKCS1_2048_8192_SHA512,
        (oids::EC, algorithm) => match (curve(key)?, algorithm) {
            (oids::P256, oids::ECDSA_SHA256) => &ECDSA_P256_SHA256_ASN1,
            (oids::P384, oids::ECDSA_SHA256) => &signature::ECDSA_P384_SHA256_ASN1,
            (oids::P384, oids::ECDSA_SHA384) => &ECDSA_P384_SHA384_ASN1,
            (oids::P521, oids::ECDSA_SHA512) => &ECDSA_P521_SHA512_ASN1,
            _ => return None,
        },
        _ => return None,
    };
    Some(algorithm)
}
