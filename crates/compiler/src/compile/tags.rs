//! Tags: names by which resources are found and chosen.

use std::borrow::Cow;

use ecow::EcoString;
use kukla_base::Symbol;
use kukla_base::name::{first_segment, segments};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::issues::{self, Issue};

/// Initial capacity: catalogs seldom have more tags.
const USUAL: usize = 448;

/// A tag of one compilation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tag(u32);

/// All tags of one compilation: equal texts are equal numbers.
#[derive(Debug)]
pub(crate) struct Tags {
    by_text: FxHashMap<EcoString, Tag>,
    list: Vec<Entry>,
    /// The tags of types of resources.
    by_type: FxHashMap<Symbol, Tag>,
}

#[derive(Debug)]
struct Entry {
    text: EcoString,
    /// The tags that come with it: the segments of a qualified name.
    segments: SmallVec<[Tag; 4]>,
}

/// Tags in the order in which they were added.
#[derive(Clone, Debug, Default)]
pub(crate) struct TagSet {
    /// Their numbers.
    list: kukla_catalog::Tags,
    /// Has the bit of every tag: most tags that are not here are told by it.
    bits: u64,
}

impl Tag {
    /// Its number in the list of all texts.
    pub(crate) const fn number(self) -> u32 {
        self.0
    }
}

impl Tags {
    /// No tags, with room for those of a usual catalog.
    pub(crate) fn new() -> Self {
        Self {
            by_text: FxHashMap::with_capacity_and_hasher(USUAL, FxBuildHasher),
            list: Vec::with_capacity(USUAL),
            by_type: FxHashMap::default(),
        }
    }

    /// Returns the tag of a text in lower case; the caller checks that it is a valid tag.
    pub(crate) fn intern(&mut self, text: &str) -> Tag {
        if let Some(&tag) = self.by_text.get(text) {
            return tag;
        }
        let segments = match first_segment(text).len() < text.len() {
            true => segments(text).map(|segment| self.intern(segment)).collect(),
            false => SmallVec::new(),
        };
        let tag = Tag(u32::try_from(self.list.len()).expect("resources are limited"));
        let text = EcoString::from(text);
        self.by_text.insert(text.clone(), tag);
        self.list.push(Entry { text, segments });
        tag
    }

    /// The text of a tag.
    pub(crate) fn text(&self, tag: Tag) -> &EcoString {
        &self.list[tag.0 as usize].text
    }

    /// The texts of all tags, in the order of their numbers.
    pub(crate) fn texts(&self) -> impl ExactSizeIterator<Item = &EcoString> {
        self.list.iter().map(|entry| &entry.text)
    }

    /// The tag of a text, if anything has it.
    pub(crate) fn find(&self, text: &str) -> Option<Tag> {
        self.by_text.get(text).copied()
    }

    /// Adds a tag with its segments; says what is wrong with one that is not valid.
    pub(crate) fn add(&mut self, set: &mut TagSet, text: &str) -> Result<(), Issue> {
        let name = lower(text);
        if !is_valid(&name) {
            return Err(issues::invalid_tag(&name));
        }
        let tag = self.intern(&name);
        self.add_tag(set, tag);
        Ok(())
    }

    /// Adds the name of a type, which can always be a tag.
    pub(crate) fn add_type(&mut self, set: &mut TagSet, type_: Symbol) {
        let tag = match self.by_type.get(&type_) {
            Some(&known) => known,
            None => {
                let tag = self.intern(&lower(type_.as_str()));
                self.by_type.insert(type_, tag);
                tag
            }
        };
        self.add_tag(set, tag);
    }

    /// Adds the title of a resource, if it can be a tag.
    pub(crate) fn add_if_valid(&mut self, set: &mut TagSet, text: &str) {
        if is_valid(text) {
            let tag = self.intern(&lower(text));
            self.add_tag(set, tag);
        }
    }

    fn add_tag(&self, set: &mut TagSet, tag: Tag) {
        if set.insert(tag) {
            for &segment in &self.list[tag.0 as usize].segments {
                set.insert(segment);
            }
        }
    }
}

impl TagSet {
    /// Adds a tag; whether it was not there yet.
    #[inline]
    fn insert(&mut self, tag: Tag) -> bool {
        if self.contains(tag) {
            return false;
        }
        self.bits |= bit(tag);
        self.list.push(tag.0);
        true
    }

    /// Whether it is there.
    #[inline]
    pub(crate) fn contains(&self, tag: Tag) -> bool {
        self.bits & bit(tag) != 0 && self.list.contains(&tag.0)
    }

    /// Adds all of another's.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.merge_from(other, 0);
    }

    /// Adds another's, from the one at a place on: those before it are here already.
    pub(crate) fn merge_from(&mut self, other: &Self, first: usize) {
        if self.list.is_empty() {
            self.clone_from(other);
            return;
        }
        let others = &other.list[first..];
        if self.bits & other.bits == 0 {
            self.list.extend_from_slice(others);
            self.bits |= other.bits;
            return;
        }
        if others.len() < MANY {
            for &tag in others {
                self.insert(Tag(tag));
            }
            return;
        }
        // Definitions within definitions have the tags of all around them.
        let known: FxHashSet<u32> = self.list.iter().copied().collect();
        self.list.extend(others.iter().copied().filter(|tag| !known.contains(tag)));
        self.bits |= other.bits;
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Takes the numbers of all of them.
    pub(crate) fn take_numbers(&mut self) -> kukla_catalog::Tags {
        self.bits = 0;
        std::mem::take(&mut self.list)
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = Tag> {
        self.list.iter().copied().map(Tag)
    }
}

/// From so many on, tags are not looked for one by one.
const MANY: usize = 64;

const fn bit(tag: Tag) -> u64 {
    1 << (tag.0 % 64)
}

fn lower(text: &str) -> Cow<'_, str> {
    match text.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        true => text.into(),
        false => text.to_lowercase().into(),
    }
}

/// Which bytes of ASCII may stand in a tag behind the first.
const MAY_FOLLOW: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] =
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.' | b'-');
        byte += 1;
    }
    table
};

/// Whether a text can be a tag: letters, digits and `_`, and `:`, `.` and `-` behind the first.
fn is_valid(text: &str) -> bool {
    // A newline at the end does not count.
    let text = text.strip_suffix('\n').unwrap_or(text);
    let Some(&first) = text.as_bytes().first() else { return false };
    if text.bytes().all(|byte| MAY_FOLLOW[usize::from(byte)]) {
        return first.is_ascii_alphanumeric() || first == b'_';
    }
    if text.is_ascii() {
        return false;
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut letters = text.chars();
    letters.next().is_some_and(is_word)
        && letters.all(|c| is_word(c) || matches!(c, ':' | '.' | '-'))
}
