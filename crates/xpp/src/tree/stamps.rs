//! Stamps of manifests and their files, taken when their contents were last compared.
//!
//! ```text
//! kukla-stamps 1 <bytes of the rest> <CRC-32 of the rest>
//! flat <seven numbers of the manifest> <seven numbers of its file> apache/manifests/init.xpp
//! ```
//! Contents decide whether a file is current, but contents that were compared once need not be read again as long as
//! the
//! stamps of both are unchanged. A stamp changes with every write, except one that follows so soon that it gets the
//! same
//! time; so a manifest that was changed a moment ago is not recorded, and the next build reads it again.

use std::collections::BTreeMap;
use std::path::Path;

use kukla_world::files::{self, Status};
use kukla_world::tree::Attributes;
use kukla_world::{Disk, World};

use crate::{Encoding, SourceCheck};

const HEAD: &str = "kukla-stamps 1";

/// The resolution of time stamps: file systems count time in steps of up to two seconds.
const STEP: i128 = 2;

/// Nanoseconds per second.
const NANOSECONDS: i128 = 1_000_000_000;

/// Numbers that differ after a file was changed: device, inode, size, and the seconds and nanoseconds of the times at
/// which
/// its contents and its metadata were changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FullStamp([i128; FullStamp::LEN]);

impl FullStamp {
    const LEN: usize = 7;

    /// The index of the time at which the metadata was changed.
    const CHANGED: usize = 5;

    fn of(status: &Status) -> Self {
        let (device, inode) = status.identity();
        let [device, inode, size] = [device, inode, status.size()].map(i128::from);
        let [[m, m_nano], [c, c_nano]] =
            [status.modified(), status.changed()].map(|time| time.map(i128::from));
        Self([device, inode, size, m, m_nano, c, c_nano])
    }

    /// Returns the stamp of a manifest that is about to be read; `None` if it might change undetected.
    pub(super) fn of_source(status: &Status) -> Option<Self> {
        let stamp = Self::of(status);
        let Self([.., modified, _, changed, _]) = stamp;
        let last = Disk.now() / NANOSECONDS - STEP;
        (modified.max(changed) < last).then_some(stamp)
    }

    /// Returns whether the contents are unchanged, though the number of links may have changed.
    fn has_contents_of(self, other: Self) -> bool {
        self.0[..Self::CHANGED] == other.0[..Self::CHANGED]
    }
}

/// The stamps of a manifest and of the file that was made from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    encoding: Encoding,
    source: FullStamp,
    file: FullStamp,
}

impl Pair {
    /// Returns whether a manifest and the file at this path are unchanged.
    ///
    /// A file with other attributes than it should have is read again.
    pub(super) fn is_unchanged(
        &self,
        encoding: Encoding,
        source: &Status,
        file: &Path,
        attributes: Attributes,
    ) -> bool {
        self.encoding == encoding
            && self.source == FullStamp::of(source)
            && Status::of_entry(file).is_ok_and(|file| {
                self.file == FullStamp::of(&file) && Attributes::of(&file).is_as(attributes)
            })
    }
}

/// Stamps of the manifests of a tree, by the paths of their files in the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stamps(BTreeMap<String, Pair>);

impl Stamps {
    /// Reads the stamps in a file; none if there is no such file, or if it is damaged.
    pub(super) fn read(path: &Path) -> Self {
        files::read_text(path).ok().and_then(|text| Self::parse(&text)).unwrap_or_default()
    }

    fn parse(text: &str) -> Option<Self> {
        let (head, body) = text.split_once('\n')?;
        (head == self::head(body))
            .then(|| body.lines().map(line).collect::<Option<_>>().map(Self))?
    }

    /// Returns the text of the file.
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

    /// Returns the stamps of a file and its manifest.
    pub(super) fn get(&self, target: &Path) -> Option<&Pair> {
        self.0.get(target.to_str()?)
    }

    /// Removes the stamps of a file.
    pub(super) fn remove(&mut self, target: &Path) {
        target.to_str().map(|target| self.0.remove(target));
    }

    /// Records that the file at this path was made of the manifest with this stamp.
    pub(super) fn insert(
        &mut self,
        target: &Path,
        encoding: Encoding,
        source: FullStamp,
        file: &Path,
    ) {
        if let (Some(target), Ok(file)) = (target.to_str(), Status::of_entry(file)) {
            let file = FullStamp::of(&file);
            self.0.insert(target.to_owned(), Pair { encoding, source, file });
        }
    }

    /// Returns the stamps of a tree that was just put in place: links to files that were in the one before have the same
    /// contents.
    pub(super) fn carry_over(&self, modules: &Path) -> Self {
        let carry = |(target, pair): (&String, &Pair)| {
            let file = FullStamp::of(&Status::of_entry(&modules.join(target)).ok()?);
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
    let mut words = line.splitn(2 + 2 * FullStamp::LEN, ' ');
    let name = words.next()?;
    let encoding = Encoding::ALL.into_iter().find(|encoding| encoding.as_str() == name)?;
    let mut stamp = || {
        let mut numbers = [0; FullStamp::LEN];
        for number in &mut numbers {
            *number = words.next()?.parse().ok()?;
        }
        Some(FullStamp(numbers))
    };
    let (source, file) = (stamp()?, stamp()?);
    Some((words.next()?.to_owned(), Pair { encoding, source, file }))
}
