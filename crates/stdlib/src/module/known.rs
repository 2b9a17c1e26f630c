//! Which texts of stdlib's files the functions of this room stand in for.
//!
//! Versions differ in what a function does, and anybody may change a file; so only files whose code was compared are
//! replaced, and Ruby runs all others. `known.rb` writes the table from copies of stdlib.

use super::{File, Generation};

/// `generation kind name fingerprint`, a line each.
const TABLE: &str = include_str!("known.txt");

/// Whether this is the code of a file that was compared.
pub(super) fn is_known(name: &str, file: File, generation: Generation, text: &str) -> bool {
    let generation = match generation {
        Generation::Eight => "8",
        Generation::Nine => "9",
    };
    let kind = match file {
        File::New => "new",
        File::Puppet => "puppet",
        File::Old => "old",
    };
    let line = format!("{generation} {kind} {name} {:016x}", fingerprint(text));
    TABLE.lines().any(|known| known == line)
}

/// A number for the code of a file: comments, blank lines and indentation don't count.
fn fingerprint(text: &str) -> u64 {
    let lines = text.lines().map(str::trim);
    let code = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let bytes = code.flat_map(|line| line.bytes().chain(std::iter::once(b'\n')));
    // FNV-1a
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::fingerprint;

    #[test]
    fn comments_and_indentation_do_not_count() {
        assert_eq!(fingerprint("# a\ndef a\n  1\nend\n"), fingerprint("def a\n\n1\n  # b\nend"));
        assert_ne!(fingerprint("def a\n  1\nend\n"), fingerprint("def a\n  2\nend\n"));
    }
}
