//! Whether a file of a tree is what a build would write.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::attributes::Attributes;
use super::codec::{Encoding, is_made_of};

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

/// The first bytes of a flat file tell what it was made of. They fit in here with a long envelope.
const HEAD: u64 = 256;

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
        let file = File::open(path)?;
        let is_current = is_made_of(&read(&file, encoding)?, source, encoding);
        if let (true, Some(attributes)) = (is_current, attributes) {
            attributes.apply(&file)?;
        }
        Ok(is_current)
    };
    match look() {
        Ok(true) => Freshness::Current,
        Err(error) if is_absent(&error) => Freshness::Absent,
        Ok(false) | Err(_) => Freshness::Outdated,
    }
}

/// As much of a file as is needed.
fn read(file: &File, encoding: Encoding) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match encoding {
        Encoding::Flat => file.take(HEAD).read_to_end(&mut bytes)?,
        Encoding::Json | Encoding::Msgpack => (&*file).read_to_end(&mut bytes)?,
    };
    Ok(bytes)
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}
