//! Whether a file of a tree is what a build would write.

use std::io;
use std::path::Path;

use crate::{Encoding, Envelope, SourceCheck, source_check};

use super::attributes::Attributes;
use super::whole;

/// How a file of a tree relates to its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// It was made of this very text.
    Current,
    /// It was made of another text or in another encoding, or can't be used at all.
    Outdated,
    /// There is none.
    Absent,
}

/// How the file at `path` relates to the text of its source.
pub fn freshness(path: &Path, source: &[u8], encoding: Encoding) -> Freshness {
    inspect(path, source, encoding, None)
}

/// The same; a file that is current is given attributes.
pub(super) fn inspect(
    path: &Path,
    source: &[u8],
    encoding: Encoding,
    attributes: Option<Attributes>,
) -> Freshness {
    let look = || {
        let (file, metadata, bytes) = whole::read(path)?;
        let is_current = is_made_of(&bytes, source, encoding);
        if let (true, Some(attributes)) = (is_current, attributes) {
            attributes.replace(Attributes::of(&metadata), &file)?;
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
