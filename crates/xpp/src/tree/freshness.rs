//! Freshness of a file of a tree: whether a build would write the same.

use std::io;
use std::path::Path;

use kukla_world::tree::{Attributes, Whole};

use crate::{Encoding, Envelope, SourceCheck, source_check};

/// The relation of a file of a tree to its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// It was made of this very text.
    Current,
    /// It was made of another text or in another encoding, or can't be used at all.
    Outdated,
    /// There is none.
    Absent,
}

/// Compares the file at `path` with the text of its source.
pub fn freshness(path: &Path, source: &[u8], encoding: Encoding) -> Freshness {
    inspect(path, source, encoding, None)
}

/// Like [`freshness`], but also sets the attributes of a current file.
pub(super) fn inspect(
    path: &Path,
    source: &[u8],
    encoding: Encoding,
    attributes: Option<Attributes>,
) -> Freshness {
    let look = || {
        let file = Whole::read(path)?;
        let is_current = is_made_of(&file.bytes, source, encoding);
        if let (true, Some(attributes)) = (is_current, attributes) {
            file.set_attributes(attributes)?;
        }
        Ok(is_current)
    };
    match look() {
        Ok(true) => Freshness::Current,
        Err(error) if is_absent(&error) => Freshness::Absent,
        Ok(false) | Err(_) => Freshness::Outdated,
    }
}

fn is_made_of(bytes: &[u8], source: &[u8], encoding: Encoding) -> bool {
    let has_encoding = Envelope::split(bytes).is_ok_and(|(found, _)| found.encoding == encoding);
    let check = std::str::from_utf8(source).map(SourceCheck::of).ok();
    has_encoding && check.is_some() && check == source_check(bytes).ok()
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
