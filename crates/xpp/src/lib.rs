//! XPP: trees that were parsed and validated before, in files.
//!
//! [`tree`] is the directory of an environment that holds the files of all its manifests.
//!
//! [`encode`] writes a tree and its diagnostics, [`decode`] reads them. There are three encodings below
//! one [`Envelope`]: `flat` is the fastest, `json` is what Puppet reads by itself, and `msgpack` is the same
//! stream as `json` in fewer bytes. All three say what Puppet's own model of the tree says
//! (`model`), so a file also serves Puppet.
//!
//! The bytes are the same for the same source. Reading believes nothing: no bytes make it panic, and
//! memory grows only with what was really there, not with what a count promises.

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

/// The name of the part of a file that only Kukla reads; files with another are read slowly.
pub const SECTION: &str = native::NAME;

/// What the file says.
#[derive(Debug)]
pub struct Decoded {
    /// What stands before the payload.
    pub envelope: Envelope,
    /// Which source it was made of.
    pub check: SourceCheck,
    /// The tree; a source with errors has none.
    pub ast: Option<Ast>,
    /// What was wrong with the source.
    pub diagnostics: Vec<Diagnostic>,
    /// The name that the source had; `flat` does not keep it.
    pub file: Option<String>,
}

/// Size and checksum of a source: whether a tree was made of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceCheck {
    /// In bytes.
    pub size: u32,
    /// As zlib has it.
    pub crc32: u32,
}

impl SourceCheck {
    /// Of `source`.
    pub fn of(source: &str) -> Self {
        let size = u32::try_from(source.len()).unwrap_or(u32::MAX);
        Self { size, crc32: crc32::crc32(source.as_bytes()) }
    }

    fn compare(self, source: &str, trust: Trust) -> Result<(), XppError> {
        // The size is known without looking at the text.
        let is_same = self.size as usize == source.len()
            && (trust == Trust::Size || self == Self::of(source));
        if is_same { Ok(()) } else { Err(XppError::Stale) }
    }
}

/// When a source is taken for the one that a tree was made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// If it has the same size.
    Size,
    /// If it also has the same checksum.
    Checksum,
}

/// What a payload holds.
struct Parts {
    check: SourceCheck,
    ast: Option<Ast>,
    diagnostics: Vec<Diagnostic>,
    file: Option<String>,
}

/// Writes a tree and its diagnostics.
///
/// With errors among the diagnostics, or with nodes that Puppet's model can't have, the tree is left out.
/// `file` is what `json` and `msgpack` give as the name of the source.
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

/// Reads what [`encode`] wrote of `source`.
///
/// Another source than that is an error. A tree holds its source: a `String` becomes part of it, a `&str` is copied.
pub fn decode<'s>(bytes: &[u8], source: impl Into<Cow<'s, str>>) -> Result<Decoded, XppError> {
    read(bytes, Some(source.into()), Trust::Checksum)
}

/// Reads what [`encode`] wrote of `source`, which the caller knows to be unchanged.
///
/// Of `flat` only the size of the source is compared, which saves about a tenth of the time.
pub fn decode_trusting<'s>(
    bytes: &[u8],
    source: impl Into<Cow<'s, str>>,
) -> Result<Decoded, XppError> {
    read(bytes, Some(source.into()), Trust::Size)
}

/// Reads a file that holds its source: `json`, `msgpack`, or `flat` by [`encode_with_source`].
pub fn decode_with_source(bytes: &[u8]) -> Result<Decoded, XppError> {
    read(bytes, None, Trust::Checksum)
}

/// Which source a file was made of, if its bytes are those that were written.
pub fn source_check(bytes: &[u8]) -> Result<SourceCheck, XppError> {
    let (envelope, payload) = Envelope::split(bytes)?;
    match envelope.encoding {
        Encoding::Flat => envelope.check(payload).and_then(|()| flat::decode::check(payload)),
        Encoding::Json | Encoding::Msgpack => {
            decode_with_source(bytes).map(|decoded| decoded.check)
        }
    }
}

/// Makes the checksums of a changed file right, for those who want to know what wrong files do.
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
