//! Fingerprints of the files of the stdlib module that have a native version.
//!
//! Versions of stdlib differ in their functions, and users may change a file; so only files whose code was compared with the
//! Rust version are replaced, and all others run as Ruby. `known.rb` writes the table from copies of stdlib.

use super::{File, Generation};

/// One `generation kind name fingerprint` per line.
const TABLE: &str = include_str!("known.txt");

/// Returns true for the code of a file that was compared.
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
    TABLE.lines().any(|row| row == line)
}

/// Returns a hash of the code of a file, without comments, blank lines and indentation.
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
