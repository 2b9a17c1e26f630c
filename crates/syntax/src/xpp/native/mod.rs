//! The section of `flat` that only Kukla reads: the tree as it lies in memory, column by column.
//!
//! Puppet's part of the file names everything by strings, because that is what Ruby needs. Here names are places in
//! the source, and nodes of one shape stand in a row (a run), so that what they are is said and asked once for
//! all of them. Reading is little more than copying and comparing whole columns. All numbers are little endian;
//! `n` is 2 bytes, or 4 if one of them needs it.
//!
//! ```text
//! "KUK3" | u64 digest of all behind this number
//! u32 bytes of the source | u32 its CRC-32 | u64 its digest | u32 bytes of `n`: 2 or 4
//! n leaves of each of nine groups | n other nodes | n runs | n texts | n counts | n bytes of built text
//! n children of each of eight roles
//! nodes: n start of each, n length of each, n place of each but the last
//! texts: n start of each, n length of each     counts: n each
//! odd variables: n start of each name, n length of each
//! runs: n nodes of each, u8 tag of each, u8 details of each
//! built text
//! ```
//! A node is named by the number of nodes before it. Leaves that are nothing but a text come first, group by group
//! ([`Leaf`]). The others follow in runs, children before their parents.
//!
//! All children of all nodes stand in one list, role by role; the place of a node is where in that list it stands.
//! The last node is nobody's child. A run has a tag and details ([`shape`]), and takes what all its nodes have from the
//! columns: for each part of the shape as many as there are nodes. A list takes a count for each node, and
//! then as many children as the counts say. A child comes from the column of the role that it has there.
//!
//! A text is a piece of the source followed by the built text. Those of leaves follow from their spans, except in the
//! odd groups, which have theirs in the column before those of the others.

mod columns;
pub(super) mod decode;
mod digest;
pub(super) mod encode;
mod parts;
mod runs;
mod shape;

use kukla_base::Span;

use crate::ast::Text;

pub(super) const MAGIC: &[u8; 4] = b"KUK3";

/// Makes the checksum of a section right, if there is room for one.
pub(super) fn seal(section: &mut [u8]) {
    if let Some((head, rest)) = section.split_at_mut_checked(MAGIC.len() + 8) {
        head[MAGIC.len()..].copy_from_slice(&digest::Digest::of(rest).sum.to_le_bytes());
    }
}

/// A larger source or tree is left to Puppet's part of the file: the highest bit is used to compare many numbers at once.
const LIMIT: usize = 1 << 31;

/// What a leaf is, and where its text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Leaf {
    /// Between its quotes.
    String,
    /// All of it.
    Name,
    /// All of it.
    Reference,
    /// Behind its dollar sign, where the name is too.
    Variable,
    /// All of it, as in `"${x}"`; so is the name.
    BareVariable,
    /// Elsewhere.
    OddString,
    /// Elsewhere.
    OddName,
    /// Elsewhere.
    OddReference,
    /// Elsewhere, and the name has a place of its own.
    OddVariable,
}

impl Leaf {
    const COUNT: usize = 9;
}

/// The text between the first and the last byte of a span, which has at least two.
#[inline]
fn between_quotes(span: Span) -> Text {
    Text { start: span.start.wrapping_add(1), len: span.len.wrapping_sub(2) }
}

/// The text behind the first byte of a span, which has at least one.
#[inline]
fn behind_dollar(span: Span) -> Text {
    Text { start: span.start.wrapping_add(1), len: span.len.wrapping_sub(1) }
}

/// The text that is the span.
#[inline]
fn all_of(span: Span) -> Text {
    Text { start: span.start, len: span.len }
}

/// What a node is to its parent. Each has a column of its own, so that what is in it can be compared at one go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Expression,
    Option,
    Query,
    Entry,
    Operation,
    Parameter,
    Body,
    Selector,
}

impl Role {
    const COUNT: usize = 8;
}
