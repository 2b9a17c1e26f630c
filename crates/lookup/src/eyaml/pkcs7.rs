//! PKCS #7 enveloped data: a text encrypted for the holder of a private key.

use aws_lc_rs::cipher::{
    AES_128, AES_192, AES_256, Algorithm, DecryptionContext, PaddedBlockDecryptingKey,
    UnboundCipherKey,
};
use aws_lc_rs::iv::FixedLength;
use cms::content_info::ContentInfo;
use cms::enveloped_data::{EnvelopedData, RecipientInfo};
use der::asn1::ObjectIdentifier;
use der::{Decode, EncodingRules, SliceReader};

use super::key::PrivateKey;

const ENVELOPED_DATA: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.7.3");
const AES_128_CBC: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.1.2");
const AES_192_CBC: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.1.22");
const AES_256_CBC: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.1.42");

/// Decrypts the content with a key in PEM. Errors contain nothing of it.
pub(super) fn decrypt(private_key: &str, data: &[u8]) -> Result<Vec<u8>, String> {
    let key = PrivateKey::from_pem(private_key);
    let key = key.ok_or("Neither PUB key nor PRIV key: the private key cannot be read")?;
    let envelope = Envelope::read(data).ok_or("Could not parse the PKCS7: not enough data")?;
    let keys = envelope.keys.iter().filter_map(|cipher| key.decrypt(cipher));
    let mut plain = keys.filter_map(|key| envelope.open(&key));
    plain.next().ok_or_else(|| "decrypt error".to_owned())
}

/// Encrypted content, and its key for each holder.
struct Envelope {
    keys: Vec<Vec<u8>>,
    algorithm: ObjectIdentifier,
    vector: Vec<u8>,
    content: Vec<u8>,
}

impl Envelope {
    /// Reads BER, of which DER is a part: OpenSSL writes streams of indefinite length. Trailing bytes are ignored, as
    /// OpenSSL ignores them.
    fn read(data: &[u8]) -> Option<Self> {
        let mut reader = SliceReader::new_with_encoding_rules(data, EncodingRules::Ber).ok()?;
        let outer = ContentInfo::decode(&mut reader).ok()?;
        if outer.content_type != ENVELOPED_DATA {
            return None;
        }
        let envelope: EnvelopedData = outer.content.decode_as_encoding(EncodingRules::Ber).ok()?;
        let recipients = envelope.recip_infos.0.into_vec().into_iter();
        let keys = recipients.filter_map(|recipient| match recipient {
            RecipientInfo::Ktri(recipient) => Some(recipient.enc_key.as_bytes().to_vec()),
            _ => None,
        });
        let content = envelope.encrypted_content;
        let algorithm = content.content_enc_alg;
        Some(Self {
            keys: keys.collect(),
            algorithm: algorithm.oid,
            vector: algorithm.parameters?.value().to_vec(),
            content: content.encrypted_content?.as_bytes().to_vec(),
        })
    }

    fn open(&self, key: &[u8]) -> Option<Vec<u8>> {
        let algorithm: &'static Algorithm = match self.algorithm {
            AES_128_CBC => &AES_128,
            AES_192_CBC => &AES_192,
            AES_256_CBC => &AES_256,
            _ => return None,
        };
        let key = UnboundCipherKey::new(algorithm, key).ok()?;
        let key = PaddedBlockDecryptingKey::cbc_pkcs7(key).ok()?;
        let vector = FixedLength::try_from(self.vector.as_slice()).ok()?;
        let mut buffer = self.content.clone();
        let plain = key.decrypt(&mut buffer, DecryptionContext::Iv128(vector)).ok()?;
        Some(plain.to_vec())
    }
}
