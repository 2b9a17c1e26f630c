//! The section of `flat` that only Kukla reads: the tree as it lies in memory, column by column.
//!
//! Puppet's part of the file names everything by strings, because that is what Ruby needs. Here names are places in
//! the source, and each node has a row of a few numbers. What there are many of stands in a row too, so that the
//! processor guesses rightly what comes next: a wrong guess costs more than a node. All numbers are little endian;
//! `n` is 2 bytes, or 4 if one of them needs it.
//!
//! ```text
//! "KUK4" | u64 digest of all behind this number
//! u32 bytes of the source | u32 its CRC-32 | u64 its digest | u32 bytes of `n`: 2 or 4
//! n leaves of each of five groups | n other nodes | n texts | n odd names | n counts | n bytes of built text
//! n children of each of eight roles
//! leaves: n place, n start, n length of each
//! others: u8 tag, u8 details (and 2 bytes of 0 if `n` is 4), n place, n start, n length of each
//! texts: n start, n length of each     odd names: n start, n length of each     counts: n each
//! built text
//! ```
//! A node is named by the number of nodes before it. Leaves that are nothing but a text come first, group by group
//! ([`Leaf`]). The others follow, children before their parents, as many of one tag in a row as that allows.
//!
//! All children of all nodes stand in one list, role by role; the place of a node is where in that list it stands.
//! The last node is nobody's child, and has the last place of an expression. Tag and details ([`shape`]) say what a
//! node has, and it takes that from the columns, in which everything stands in the order of the nodes: a text, a child
//! of a role, or a count and as many children of a role.
//!
//! A text is a piece of the source followed by the built text. Those of leaves follow from their spans. A variable that
//! is no leaf has an odd name: the place that Puppet gives the name.

mod children;
mod columns;
pub(super) mod decode;
mod digest;
pub(super) mod encode;
mod nodes;
mod parts;
mod shape;

use kukla_base::Span;

use crate::ast::Text;

pub(super) const MAGIC: &[u8; 4] = b"KUK4";

/// Makes the checksum of a section right, if there is room for one.
pub(super) fn seal(section: &mut [u8]) {
    if let Some((head, rest)) = section.split_at_mut_checked(MAGIC.len() + 8) {
        head[MAGIC.len()..].copy_from_slice(&digest::of_section(rest).to_le_bytes());
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
    /// All of it, as in `"${x}"`; the name is where it would be behind a dollar sign, as Puppet has it.
    BareVariable,
}

impl Leaf {
    const COUNT: usize = 5;
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
