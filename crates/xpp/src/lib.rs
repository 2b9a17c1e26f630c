//! XPP: files with trees of manifests that were parsed and validated before.
//!
//! [`tree`] is the directory of an environment that holds the files of all its manifests.
//!
//! [`encode`] writes a tree and its diagnostics, [`decode`] reads them. There are three encodings below
//! one [`Envelope`]: `flat` is the fastest, `json` is readable by Puppet without a plugin, and `msgpack` is the same
//! stream as `json` in fewer bytes. All three follow Puppet's own model of the tree
//! (`model`), so Puppet can use the files too.
//!
//! Encoding is deterministic: the same source gives the same bytes. Decoding trusts nothing: no bytes make it panic,
//! and
//! memory grows only with the actual input, not with the counts in it.

mod build;
mod complaints;
mod crc32;
mod envelope;
mod error;
mod flat;
mod model;
mod native;
mod pcore;
mod shape;
pub mod tree;

pub use envelope::{Encoding, Envelope};
pub use error::XppError;

use std::borrow::Cow;

use kukla_base::Diagnostic;

use kukla_syntax::Ast;

/// The name of the section that only Kukla reads; files with another version of it take the slow path.
pub const SECTION: &str = native::NAME;

/// The content of a file.
#[derive(Debug)]
pub struct Decoded {
    /// The header before the payload.
    pub envelope: Envelope,
    /// The size and checksum of the source.
    pub check: SourceCheck,
    /// The tree; a source with errors has none.
    pub ast: Option<Ast>,
    /// The diagnostics of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// The name of the source; `flat` does not store it.
    pub file: Option<String>,
}

/// Size and checksum of a source, which identify it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceCheck {
    /// The size in bytes.
    pub size: u32,
    /// The CRC-32, as zlib computes it.
    pub crc32: u32,
}

impl SourceCheck {
    /// Computes the size and checksum of `source`.
    pub fn of(source: &str) -> Self {
        let size = u32::try_from(source.len()).unwrap_or(u32::MAX);
        Self { size, crc32: crc32::crc32(source.as_bytes()) }
    }

    fn compare(self, source: &str, trust: Trust) -> Result<(), XppError> {
        // The size is compared first, since it needs no pass over the text.
        let is_same = self.size as usize == source.len()
            && (trust == Trust::Size || self == Self::of(source));
        if is_same { Ok(()) } else { Err(XppError::Stale) }
    }
}

/// The condition under which a source is accepted as the one that a tree was made from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// Equal size.
    Size,
    /// Equal size and checksum.
    Checksum,
}

/// The content of a payload.
struct Parts {
    check: SourceCheck,
    ast: Option<Ast>,
    diagnostics: Vec<Diagnostic>,
    file: Option<String>,
}

/// Writes a tree and its diagnostics.
///
/// With errors among the diagnostics, or with nodes that Puppet's model can't have, the tree is left out.
/// `file` is the name of the source in `json` and `msgpack`.
pub fn encode(ast: &Ast, file: &str, diagnostics: &[Diagnostic], encoding: Encoding) -> Vec<u8> {
    let has_tree = !diagnostics.iter().any(Diagnostic::is_error);
    let payload = match encoding {
        Encoding::Flat => flat::encode::payload(ast, has_tree, diagnostics, false),
        Encoding::Json => pcore::json(ast, has_tree, file, diagnostics),
        Encoding::Msgpack => pcore::msgpack(ast, has_tree, file, diagnostics),
    };
    in_envelope(encoding, &payload)
}

/// Writes a tree and its diagnostics in `flat`, with the source.
pub fn encode_with_source(ast: &Ast, diagnostics: &[Diagnostic]) -> Vec<u8> {
    let has_tree = !diagnostics.iter().any(Diagnostic::is_error);
    in_envelope(Encoding::Flat, &flat::encode::payload(ast, has_tree, diagnostics, true))
}

/// Decodes a file that [`encode`] made from `source`.
///
/// Any other source is an error. A tree holds its source: a `String` becomes part of it, a `&str` is copied.
pub fn decode<'s>(bytes: &[u8], source: impl Into<Cow<'s, str>>) -> Result<Decoded, XppError> {
    read(bytes, Some(source.into()), Trust::Checksum)
}

/// Like [`decode`], but the caller guarantees that `source` is unchanged.
///
/// For `flat` only the size of the source is compared, which saves about a tenth of the time.
pub fn decode_trusting<'s>(
    bytes: &[u8],
    source: impl Into<Cow<'s, str>>,
) -> Result<Decoded, XppError> {
    read(bytes, Some(source.into()), Trust::Size)
}

/// Decodes a file that holds its source: `json`, `msgpack`, or `flat` by [`encode_with_source`].
pub fn decode_with_source(bytes: &[u8]) -> Result<Decoded, XppError> {
    read(bytes, None, Trust::Checksum)
}

/// Returns the size and checksum of a file's source, if the file is undamaged.
pub fn source_check(bytes: &[u8]) -> Result<SourceCheck, XppError> {
    let (envelope, payload) = Envelope::split(bytes)?;
    match envelope.encoding {
        Encoding::Flat => envelope.check(payload).and_then(|()| flat::decode::check(payload)),
        Encoding::Json | Encoding::Msgpack => {
            decode_with_source(bytes).map(|decoded| decoded.check)
        }
    }
}

/// Updates the checksums of a modified file, for tests with malformed files.
#[doc(hidden)]
pub fn seal(bytes: &mut [u8]) {
    let Some(end) = bytes.windows(2).position(|pair| pair == b"\n\n") else { return };
    let (head, payload) = bytes.split_at_mut(end + 2);
    if head.starts_with(b"application/vnd.puppet.pcore+flat")
        && let Some(at) = payload.windows(4).position(|word| word == native::MAGIC)
    {
        native::seal(&mut payload[at..]);
    }
    let crc = format!("{:08x}", crc32::crc32(payload));
    if let Some(place) = end.checked_sub(crc.len()) {
        head[place..end].copy_from_slice(crc.as_bytes());
    }
}

fn read(bytes: &[u8], source: Option<Cow<'_, str>>, trust: Trust) -> Result<Decoded, XppError> {
    let (envelope, payload) = Envelope::split(bytes)?;
    let Parts { check, ast, diagnostics, file } = match envelope.encoding {
        Encoding::Flat => flat::decode::payload(&envelope, payload, source, trust)?,
        Encoding::Json => {
            envelope.check(payload)?;
            pcore::from_json(payload, source.as_deref())?
        }
        Encoding::Msgpack => {
            envelope.check(payload)?;
            pcore::from_msgpack(payload, source.as_deref())?
        }
    };
    Ok(Decoded { envelope, check, ast, diagnostics, file })
}

fn in_envelope(encoding: Encoding, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Envelope::of(encoding, payload).to_text().into_bytes();
    bytes.extend_from_slice(payload);
    bytes
}
