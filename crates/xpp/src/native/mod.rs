//! The section of `flat` that only Kukla reads: the tree in its memory layout, group by group.
//!
//! Puppet's part of the file refers to everything by strings, because Ruby needs that. Here names are spans in
//! the source, and each node has a row of a few numbers. All rows of a [`Group`] have one width and are contiguous,
//! so that there is no branch per node: a misprediction costs more than decoding a node. All
//! numbers are little endian; `n` is 2 bytes, or 4 if one of them needs it.
//!
//! ```text
//! "KUK5" | u64 digest of all behind this number
//! u32 bytes of the source | u32 its CRC-32 | u64 its digest | u32 bytes of `n`: 2 or 4
//! n nodes of each group | n expressions | n nodes | n outermost node, or 0 | n nodes in lists | n bytes of built text
//! n whether the source is not ASCII
//! lists: n nodes before each     rows: n start, n length, and the numbers of its group, of each node     built text
//! ```
//! A node is named by the number of nodes before it in the order of the rows; where it may be missing by one more, and 0
//! is none. Expressions come first, then the parts of expressions, such as the entries of a hash. An expression has at
//! most one parent, which names it, or has it in a list: all lists of expressions stand one after the other, and rows
//! have only their lengths. Parts are not named at all: they stand in the order of their parents, which have as many as
//! their rows say.
//!
//! A text is a piece of the source followed by the built text. Those of leaves follow from their spans, and those of
//! built strings from each other.

mod decode;
mod digest;
mod encode;
mod group;
mod links;
mod nodes;
mod numbers;
mod rows;
mod texts;

pub(super) use decode::{is_known, tree};
pub(super) use encode::section;

use kukla_base::Span;

use group::Group;
use kukla_syntax::ast::Text;

/// The magic number; each version has its own.
pub(super) const NAME: &str = "KUK5";

pub(super) const MAGIC: &[u8] = NAME.as_bytes();

/// Updates the checksum of a section, if it is long enough to have one.
pub(super) fn seal(section: &mut [u8]) {
    if let Some((head, rest)) = section.split_at_mut_checked(MAGIC.len() + 8) {
        head[MAGIC.len()..].copy_from_slice(&digest::of(rest).to_le_bytes());
    }
}

/// The maximum size of a source or tree; larger ones use Puppet's part of the file. The highest bit is used to compare
/// many numbers at once.
const LIMIT: usize = 1 << 31;

/// Returns the text between the first and the last byte of a span, which has at least two.
#[inline]
fn between_quotes(span: Span) -> Text {
    Text { start: span.start.wrapping_add(1), len: span.len.wrapping_sub(2) }
}

/// Returns the text behind the first byte of a span, which has at least one.
#[inline]
fn behind_dollar(span: Span) -> Text {
    Text { start: span.start.wrapping_add(1), len: span.len.wrapping_sub(1) }
}

/// Returns the text that is the span.
#[inline]
fn all_of(span: Span) -> Text {
    Text { start: span.start, len: span.len }
}
