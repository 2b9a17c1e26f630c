//! The format tar: files one after the other, each behind a block that describes it.

use std::io::{self, Read, Write};

use super::ArchiveError;

/// The size of a block.
const BLOCK: usize = 512;
/// The largest file that is read or passed over.
pub(super) const MOST_FILE: u64 = 256 << 20;
/// The largest name in a block of its own.
const MOST_NAME: u64 = 64 << 10;

/// A file of an archive.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) content: Vec<u8>,
}

/// Reads the regular files of an archive, one after the other.
#[derive(Debug)]
pub(super) struct Files<R> {
    source: R,
}

impl<R: Read> Files<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source }
    }

    /// Returns the next regular file.
    pub(super) fn next(&mut self) -> Result<Option<Entry>, ArchiveError> {
        let mut long_name = None;
        loop {
            let mut head = [0; BLOCK];
            self.source.read_exact(&mut head).map_err(|_| ArchiveError::Damaged)?;
            // A block of zeros is the end.
            if head.iter().all(|byte| *byte == 0) {
                return Ok(None);
            }
            if !has_checksum(&head) {
                return Err(ArchiveError::Damaged);
            }
            let n_bytes = octal(&head[124..136]).ok_or(ArchiveError::Damaged)?;
            let name = long_name.take().unwrap_or_else(|| name_of(&head));
            if n_bytes > MOST_FILE {
                return Err(ArchiveError::TooLarge(name));
            }
            match head[156] {
                b'0' | 0 => return Ok(Some(Entry { name, content: self.content(n_bytes)? })),
                // A long name, as GNU has it and as POSIX does.
                b'L' if n_bytes <= MOST_NAME => {
                    let content = self.content(n_bytes)?;
                    let text = String::from_utf8_lossy(&content);
                    long_name = Some(text.trim_end_matches('\0').to_owned());
                }
                b'x' if n_bytes <= MOST_NAME => long_name = path_of(&self.content(n_bytes)?),
                // Directories, links and what else there may be have no commands.
                _ => self.skip(n_bytes)?,
            }
        }
    }

    fn content(&mut self, n_bytes: u64) -> Result<Vec<u8>, ArchiveError> {
        let padded = padded(n_bytes);
        let mut content = Vec::new();
        (&mut self.source).take(padded).read_to_end(&mut content)?;
        if content.len() as u64 != padded {
            return Err(ArchiveError::Damaged);
        }
        content.truncate(usize::try_from(n_bytes).map_err(|_| ArchiveError::Damaged)?);
        Ok(content)
    }

    fn skip(&mut self, n_bytes: u64) -> Result<(), ArchiveError> {
        let padded = padded(n_bytes);
        let skipped = io::copy(&mut (&mut self.source).take(padded), &mut io::sink())?;
        if skipped == padded { Ok(()) } else { Err(ArchiveError::Damaged) }
    }
}

fn padded(n_bytes: u64) -> u64 {
    n_bytes.div_ceil(BLOCK as u64) * BLOCK as u64
}

fn text(field: &[u8]) -> String {
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    String::from_utf8_lossy(&field[..end]).into_owned()
}

fn name_of(head: &[u8; BLOCK]) -> String {
    let name = text(&head[..100]);
    match head[257..].starts_with(b"ustar\0") && head[345] != 0 {
        true => format!("{}/{name}", text(&head[345..500])),
        false => name,
    }
}

/// Returns the path of an extended header, whose records are `LENGTH NAME=VALUE` and the end of a line.
fn path_of(mut content: &[u8]) -> Option<String> {
    let mut path = None;
    while let Some(end) = content.iter().position(|byte| *byte == b' ') {
        let length: usize = std::str::from_utf8(&content[..end]).ok()?.parse().ok()?;
        let record = content.get(end + 1..length.checked_sub(1)?)?;
        if let Some(value) = record.strip_prefix(b"path=") {
            path = Some(String::from_utf8_lossy(value).into_owned());
        }
        content = content.get(length..)?;
    }
    path
}

fn octal(field: &[u8]) -> Option<u64> {
    let digits = std::str::from_utf8(field).ok()?;
    let digits = digits.trim_matches(|c: char| c == '\0' || c == ' ');
    // A sign is none.
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| u64::from_str_radix(digits, 8).ok())?
}

fn sum(head: &[u8; BLOCK]) -> u64 {
    let counted = |(at, byte): (usize, &u8)| match at {
        148..156 => u64::from(b' '),
        _ => u64::from(*byte),
    };
    head.iter().enumerate().map(counted).sum()
}

fn has_checksum(head: &[u8; BLOCK]) -> bool {
    octal(&head[148..156]) == Some(sum(head))
}

/// The longest name within a head.
const HEAD_NAME: usize = 100;

/// Appends a file. A long name has an entry of its own before it, as GNU's tar writes it.
pub(super) fn append(out: &mut impl Write, name: &str, content: &[u8]) -> io::Result<()> {
    if name.len() > HEAD_NAME {
        append_entry(out, b"././@LongLink", &[name.as_bytes(), b"\0"].concat(), "L")?;
    }
    append_entry(out, &name.as_bytes()[..name.len().min(HEAD_NAME)], content, "0")
}

fn append_entry(out: &mut impl Write, name: &[u8], content: &[u8], kind: &str) -> io::Result<()> {
    let mut head = [0; BLOCK];
    head[..name.len()].copy_from_slice(name);
    let mut put =
        |at: usize, text: &str| head[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(100, "0000600\0");
    put(108, "0000000\0");
    put(116, "0000000\0");
    put(124, &format!("{:011o}\0", content.len()));
    put(136, "00000000000\0");
    put(156, kind);
    put(257, "ustar\x0000");
    let checksum = sum(&head);
    head[148..156].copy_from_slice(format!("{checksum:06o}\0 ").as_bytes());
    out.write_all(&head)?;
    out.write_all(content)?;
    let n_padding = (BLOCK - content.len() % BLOCK) % BLOCK;
    out.write_all(&[0; BLOCK][..n_padding])
}

/// Appends the end of an archive.
pub(super) fn finish(out: &mut impl Write) -> io::Result<()> {
    out.write_all(&[0; 2 * BLOCK])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(bytes: &[u8]) -> Result<Vec<String>, ArchiveError> {
        let mut files = Files::new(bytes);
        let mut names = Vec::new();
        while let Some(entry) = files.next()? {
            names.push(entry.name);
        }
        Ok(names)
    }

    #[test]
    fn a_file_comes_back() {
        let mut bytes = Vec::new();
        let long = "n".repeat(300);
        for (name, length) in [("a", 0), ("b/c.json", 511), ("d", 512), (&long, 513)] {
            append(&mut bytes, name, &vec![7; length]).expect("written");
        }
        let whole = [&bytes[..], &[0; 1024]].concat();
        assert_eq!(names(&whole).expect("an archive"), ["a", "b/c.json", "d", &long]);
        // Whatever is cut off is missed.
        for end in 0..bytes.len() {
            assert!(matches!(names(&whole[..end]), Err(ArchiveError::Damaged)), "{end}");
        }
        for at in 0..BLOCK {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x11;
            assert!(names(&damaged).is_err(), "{at}");
        }
    }

    /// Whatever is changed, reading ends without a panic, and no more comes than was there.
    #[expect(clippy::disallowed_methods, reason = "the long form of the test")]
    #[test]
    fn changed_archives_are_read_or_refused() {
        let mut bytes = Vec::new();
        for (name, length) in [("a", 10), ("b/c.json", 600), ("d", 0)] {
            append(&mut bytes, name, &vec![b'7'; length]).expect("written");
        }
        finish(&mut bytes).expect("written");
        let rounds = std::env::var("ROUNDS").ok().and_then(|text| text.parse().ok());
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut random = |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            usize::try_from(state % below as u64).expect("small")
        };
        for _ in 0..rounds.unwrap_or(20_000) {
            let mut changed = bytes.clone();
            for _ in 0..=random(4) {
                let at = random(changed.len());
                changed[at] = [0, b'0', b'7', b' ', 0xff, b'L', b'x'][random(7)];
            }
            // Half of them have sums that are right.
            for at in [0, 1024, 2560] {
                if random(2) == 0 {
                    let head: [u8; BLOCK] = changed[at..at + BLOCK].try_into().expect("a block");
                    let sum = format!("{:06o}\0 ", sum(&head));
                    changed[at + 148..at + 156].copy_from_slice(sum.as_bytes());
                }
            }
            changed.truncate(changed.len() - random(3) * random(changed.len()) / 3);
            let mut files = Files::new(&changed[..]);
            let mut n_bytes = 0;
            while let Ok(Some(entry)) = files.next() {
                n_bytes += entry.content.len() + BLOCK;
            }
            assert!(n_bytes <= changed.len());
        }
    }

    #[test]
    fn sizes_are_bounded() {
        let mut bytes = Vec::new();
        append(&mut bytes, "a", b"x").expect("written");
        for (size, kind) in [
            ("77777777777\0", b'0'),
            ("77777777777\0", b'5'),
            ("-0000000001\0", b'0'),
            ("+0000000001\0", b'0'),
            ("\u{1}\0\0\0\0\0\0\0\0\0\0\0", b'0'),
            ("00001000000\0", b'L'),
            ("00001000000\0", b'x'),
        ] {
            let mut changed = bytes.clone();
            changed[124..136].copy_from_slice(size.as_bytes());
            changed[156] = kind;
            let head: [u8; BLOCK] = changed[..BLOCK].try_into().expect("a block");
            changed[148..156].copy_from_slice(format!("{:06o}\0 ", sum(&head)).as_bytes());
            assert!(names(&changed).is_err(), "{size:?}");
        }
    }

    #[test]
    fn extended_headers_are_read_by_their_lengths() {
        assert_eq!(path_of(b"12 path=abc\n"), Some("abc".to_owned()));
        assert_eq!(path_of(b"23 comment=1 path=no\nx\n12 path=abc\n"), Some("abc".to_owned()));
        for wrong in [&b""[..], b"99 path=a\n", b"0 path=a\n", b"1 path=a\n", b"x path=a\n", b"12"]
        {
            assert_eq!(path_of(wrong), None);
        }
    }
}
