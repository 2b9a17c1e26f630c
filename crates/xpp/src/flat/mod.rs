//! The encoding `flat`, version `XPF1`: a list of numbers, and the strings that they refer to.
//!
//! All numbers are little endian.
//! ```text
//! "XPF1" | u8 width of a number of the code: 2 or 4 | u8 flags | u16 model: 1
//! u32 bytes of the source | u32 its CRC-32
//! u32 numbers in the code | u32 lines | u32 strings | u32 bytes of the strings | u32 bytes of the diagnostics
//! code | starts of lines: u32 each | strings | diagnostics | source, if flag 2 is set
//! if flag 4 is set: a section that only Kukla reads, up to the end
//! ```
//! The strings are joined by NUL; with flag 1 there is the length of each (u32) before all of them instead.
//!
//! The code lists the nodes, children before their parents: the number of the class, offset, length, and
//! one number for each attribute in the order of Puppet's constructor. A node is 1, or 0 if there is none;
//! a list of nodes is their count; a truth value is 0 for undef, 1 for false, 2 for true; everything else is
//! the number of a string, from 1 on, or 0 for undef. 200 is a variable with its name: offset, length,
//! offset and length of the name, and the name. The node that is left at the end is the body of the source.
//!
//! The diagnostics are: their count, and for each the count of its values and these: a byte 0 (undef), 1 (number, u32
//! follows) or 2 (text, u32 length and the bytes follow).
//!
//! Everything before the section is for Puppet. Kukla builds the tree from its section ([`native`](super::native)), which
//! has a checksum of its own, and reads the rest only if there is none.

pub(super) mod decode;
pub(super) mod encode;

const MAGIC: &[u8; 4] = b"XPF1";
const MODEL: u16 = 1;
const LENGTHS: u8 = 1;
const SOURCE: u8 = 2;
const NATIVE: u8 = 4;
