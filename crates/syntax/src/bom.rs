//! Byte order marks, for which Puppet has one message each.

/// Returns the name of the encoding and the length of the mark that `bytes` start with.
pub(crate) fn find(bytes: &[u8]) -> Option<(&'static str, usize)> {
    Some(match *bytes {
        [0x00, 0x00, 0xFE, 0xFF, ..] | [0xFF, 0xFE, 0x00, 0x00, ..] => ("UTF-32", 4),
        [0x84, 0x31, 0x95, 0x33, ..] => ("GB-18030", 4),
        [0xDD, 0x73, 0x66, 0x73, ..] => ("UTF-EBCDIC", 4),
        [0x0E, 0xFE, 0xFF, ..] => ("SCSU", 3),
        [0xEF, 0xBB, 0xBF, ..] => ("UTF-8", 3),
        [0xF7, 0x64, 0x4C, ..] => ("UTF-1", 3),
        [0xFB, 0xEE, 0x28, ..] => ("BOCU", 3),
        [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..] => ("UTF-16", 2),
        _ => return None,
    })
}
