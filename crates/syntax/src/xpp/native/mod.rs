//! The section of `flat` that only Kukla reads: the tree as it lies in memory, column by column.
//!
//! Puppet's part of the file names everything by strings, because that is what Ruby needs. Here names are places in
//! the source, operators and flags are part of a node's tag, and every count is known before, so that
//! reading is little more than copying and comparing whole columns. All numbers are little endian; `n` is 2 bytes, or
//! 4 if one of them needs it.
//!
//! ```text
//! "KUK1" | u32 CRC-32 of the header of the payload and of all behind this number
//! u32 bytes of `n`: 2 or 4
//! u32 strings | u32 names | u32 references | u32 variables | u32 other nodes
//! u32 texts | u32 counts | u32 odd names | u32 definitions | u32 bytes of built text
//! u32 children of each of eight roles
//! spans: n start of each node, n length of each     texts: n start of each, n length of each
//! children: n each, role by role                    counts: n each
//! odd names: n node, n start, n length of each      definitions: n each
//! other nodes: u8 tag of each, u8 details of each    built text
//! ```
//! A node is named by the number of nodes before it. Leaves that are nothing but a text come first: all strings, names,
//! references, variables. The others follow, children before their parents, and have a tag each ([`tag`]). A node takes from
//! the columns what its tag says: texts, the length of its list, its children (in the order of
//! [`Ast::push_children`](crate::Ast::push_children)) from the column of the role that they have there.
//! A text is a piece of the source followed by the built text. An odd name is the place of a variable's name
//! that does not follow its dollar sign.

pub(super) mod decode;
pub(super) mod encode;
mod nodes;
mod tag;

pub(super) const MAGIC: &[u8; 4] = b"KUK1";

/// A larger source or tree is left to Puppet's part of the file: the highest bit is used to compare many numbers at once.
const LIMIT: usize = 1 << 31;

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
    const ALL: [Self; 8] = [
        Self::Expression,
        Self::Option,
        Self::Query,
        Self::Entry,
        Self::Operation,
        Self::Parameter,
        Self::Body,
        Self::Selector,
    ];
}
