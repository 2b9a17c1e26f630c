//! PKCS #7, enveloped data: a text for the holder of a private key.

use aes::cipher::{BlockModeDecrypt, KeyIvInit, block_padding::Pkcs7};

use super::der::{INTEGER, OBJECT, OCTETS, Reader, SEQUENCE, SET};
use super::rsa::PrivateKey;

const ENVELOPED_DATA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x03];
/// What the names of AES in CBC mode start with.
const AES: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01];

/// The content, decrypted with a key in PEM; why not, without anything of it.
pub(super) fn decrypt(private_key: &str, data: &[u8]) -> Result<Vec<u8>, String> {
    let key = PrivateKey::from_pem(private_key);
    let key = key.ok_or("Neither PUB key nor PRIV key: the private key cannot be read")?;
    let envelope = Envelope::read(data).ok_or("Could not parse the PKCS7: not enough data")?;
    let keys = envelope.keys.iter().filter_map(|cipher| key.decrypt(cipher));
    let mut plain = keys.filter_map(|key| envelope.open(&key));
    plain.next().ok_or_else(|| "decrypt error".to_owned())
}

/// What is encrypted: keys for several holders, and the content.
struct Envelope<'a> {
    keys: Vec<&'a [u8]>,
    algorithm: &'a [u8],
    vector: &'a [u8],
    content: Vec<u8>,
}

impl<'a> Envelope<'a> {
    fn read(data: &'a [u8]) -> Option<Self> {
        let mut outer = Reader(data).inside(SEQUENCE)?;
        outer.expect(OBJECT).filter(|name| *name == ENVELOPED_DATA)?;
        let mut envelope = outer.inside(0xa0)?.inside(SEQUENCE)?;
        envelope.expect(INTEGER)?;
        let mut recipients = envelope.inside(SET)?;
        let mut keys = Vec::new();
        while let Some(mut recipient) = recipients.inside(SEQUENCE) {
            recipient.expect(INTEGER)?;
            recipient.expect(SEQUENCE)?;
            recipient.expect(SEQUENCE)?;
            keys.push(recipient.expect(OCTETS)?);
        }
        let mut content = envelope.inside(SEQUENCE)?;
        content.expect(OBJECT)?;
        let mut algorithm = content.inside(SEQUENCE)?;
        let (name, vector) = (algorithm.expect(OBJECT)?, algorithm.expect(OCTETS)?);
        let content = match content.any()? {
            (0x80, content) => content.to_vec(),
            // In pieces.
            (0xa0, content) => {
                let (mut pieces, mut all) = (Reader(content), Vec::new());
                while let Some(piece) = pieces.expect(OCTETS) {
                    all.extend_from_slice(piece);
                }
                all
            }
            _ => return None,
        };
        Some(Self { keys, algorithm: name, vector, content })
    }

    fn open(&self, key: &[u8]) -> Option<Vec<u8>> {
        let content = &self.content;
        match self.algorithm.strip_prefix(AES)? {
            [2] => open::<cbc::Decryptor<aes::Aes128>>(key, self.vector, content),
            [22] => open::<cbc::Decryptor<aes::Aes192>>(key, self.vector, content),
            [42] => open::<cbc::Decryptor<aes::Aes256>>(key, self.vector, content),
            _ => None,
        }
    }
}

fn open<D: KeyIvInit + BlockModeDecrypt>(
    key: &[u8],
    vector: &[u8],
    content: &[u8],
) -> Option<Vec<u8>> {
    let decryptor = D::new_from_slices(key, vector).ok()?;
    let mut buffer = content.to_vec();
    decryptor.decrypt_padded::<Pkcs7>(&mut buffer).ok().map(<[u8]>::to_vec)
}
