//! What the system said of manifests and their files when their contents were last compared.
//!
//! ```text
//! kukla-stamps 1 <bytes of the rest> <CRC-32 of the rest>
//! flat <seven numbers of the manifest> <seven numbers of its file> apache/manifests/init.xpp
//! ```
//! Contents decide whether a file is current, but contents that were compared once need not be read again as long as the
//! system says the same of both. It tells every change, except one that comes so soon after the look that it gets the same
//! time; so a manifest that was changed a moment ago is not remembered, and is read again by the next build.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::{Encoding, SourceCheck};

use super::attributes::Attributes;

const HEAD: &str = "kukla-stamps 1";

/// File systems count time in steps of up to two seconds.
const STEP: Duration = Duration::from_secs(2);

/// What is another after a file was changed: device, inode, size, and the seconds and nanoseconds of the times at which its
/// contents and it itself were changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp([i128; Stamp::LEN]);

impl Stamp {
    const LEN: usize = 7;

    /// Where the times of the file itself begin.
    const CHANGED: usize = 5;

    #[cfg(unix)]
    fn of(metadata: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let [device, inode, size] =
            [metadata.dev(), metadata.ino(), metadata.size()].map(i128::from);
        let modified = [metadata.mtime(), metadata.mtime_nsec()].map(i128::from);
        let changed = [metadata.ctime(), metadata.ctime_nsec()].map(i128::from);
        let [[m, m_nano], [c, c_nano]] = [modified, changed];
        Some(Self([device, inode, size, m, m_nano, c, c_nano]))
    }

    #[cfg(not(unix))]
    fn of(_: &Metadata) -> Option<Self> {
        None
    }

    /// That of a manifest which is about to be read; none if it might change without a trace.
    pub(super) fn of_source(metadata: &Metadata) -> Option<Self> {
        let stamp = Self::of(metadata)?;
        let Self([.., modified, _, changed, _]) = stamp;
        let last = SystemTime::now().checked_sub(STEP)?;
        let last = last.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs();
        (modified.max(changed) < i128::from(last)).then_some(stamp)
    }

    /// Whether the contents are the same ones, though there may be more or fewer links to them.
    fn has_contents_of(self, other: Self) -> bool {
        self.0[..Self::CHANGED] == other.0[..Self::CHANGED]
    }
}

/// A manifest and its file, when the one was made of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    encoding: Encoding,
    source: Stamp,
    file: Stamp,
}

impl Pair {
    /// Whether a manifest and the file at this path are still as they were.
    ///
    /// A file that does not have the attributes that it should have is to be looked at again.
    pub(super) fn is_unchanged(
        &self,
        encoding: Encoding,
        source: &Metadata,
        file: &Path,
        attributes: Attributes,
    ) -> bool {
        self.encoding == encoding
            && Some(self.source) == Stamp::of(source)
            && fs::symlink_metadata(file).is_ok_and(|file| {
                Some(self.file) == Stamp::of(&file) && Attributes::of(&file).is_as(attributes)
            })
    }
}

/// What is known of the manifests of a tree, by the paths of their files in the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stamps(BTreeMap<String, Pair>);

impl Stamps {
    /// Those in a file; none if there is no such file, or if it is damaged.
    pub(super) fn read(path: &Path) -> Self {
        fs::read_to_string(path).ok().and_then(|text| Self::parse(&text)).unwrap_or_default()
    }

    fn parse(text: &str) -> Option<Self> {
        let (head, body) = text.split_once('\n')?;
        (head == self::head(body))
            .then(|| body.lines().map(line).collect::<Option<_>>().map(Self))?
    }

    /// As they stand in a file.
    pub(super) fn to_text(&self) -> String {
        let mut body = String::with_capacity(self.0.len() * 200);
        for (target, Pair { encoding, source, file }) in &self.0 {
            body.push_str(encoding.as_str());
            for number in source.0.iter().chain(&file.0) {
                body.extend([" ", &number.to_string()]);
            }
            body.extend([" ", target, "\n"]);
        }
        format!("{}\n{body}", head(&body))
    }

    /// What is known of a file.
    pub(super) fn get(&self, target: &Path) -> Option<&Pair> {
        self.0.get(target.to_str()?)
    }

    /// Forgets it.
    pub(super) fn remove(&mut self, target: &Path) {
        target.to_str().map(|target| self.0.remove(target));
    }

    /// Remembers that the file at this path was made of the manifest with this stamp.
    pub(super) fn insert(&mut self, target: &Path, encoding: Encoding, source: Stamp, file: &Path) {
        let file = fs::symlink_metadata(file).ok().as_ref().and_then(Stamp::of);
        if let (Some(target), Some(file)) = (target.to_str(), file) {
            self.0.insert(target.to_owned(), Pair { encoding, source, file });
        }
    }

    /// What holds of the files of a tree that was just put in place: links to files that were in the one before
    /// have the same contents.
    pub(super) fn carry_over(&self, modules: &Path) -> Self {
        let carry = |(target, pair): (&String, &Pair)| {
            let file = Stamp::of(&fs::symlink_metadata(modules.join(target)).ok()?)?;
            file.has_contents_of(pair.file).then(|| (target.clone(), Pair { file, ..*pair }))
        };
        Self(self.0.iter().filter_map(carry).collect())
    }
}

fn head(body: &str) -> String {
    let SourceCheck { size, crc32 } = SourceCheck::of(body);
    format!("{HEAD} {size} {crc32:08x}")
}

fn line(line: &str) -> Option<(String, Pair)> {
    let mut words = line.splitn(2 + 2 * Stamp::LEN, ' ');
    let name = words.next()?;
    let encoding = Encoding::ALL.into_iter().find(|encoding| encoding.as_str() == name)?;
    let mut stamp = || {
        let mut numbers = [0; Stamp::LEN];
        for number in &mut numbers {
            *number = words.next()?.parse().ok()?;
        }
        Some(Stamp(numbers))
    };
    let (source, file) = (stamp()?, stamp()?);
    Some((words.next()?.to_owned(), Pair { encoding, source, file }))
}
