//! The stream in msgpack.

use super::{Plain, Write};

/// Writes msgpack, each value in the fewest bytes.
pub(super) struct MsgpackWriter {
    out: Vec<u8>,
}

impl MsgpackWriter {
    pub(super) fn new() -> Self {
        Self { out: Vec::new() }
    }
}

impl Write for MsgpackWriter {
    fn plain(&mut self, value: Plain<'_>) {
        self::value(&mut self.out, value);
    }

    fn extension(&mut self, code: u8, payload: &[Plain<'_>], _n_elements: usize) {
        let mut body = Vec::new();
        for &part in payload {
            value(&mut body, part);
        }
        match body.len() {
            1 => self.out.push(0xD4),
            2 => self.out.push(0xD5),
            4 => self.out.push(0xD6),
            8 => self.out.push(0xD7),
            16 => self.out.push(0xD8),
            len => length(&mut self.out, len, [0xC7, 0xC8, 0xC9]),
        }
        self.out.push(code);
        self.out.extend_from_slice(&body);
    }

    fn finish(self) -> Vec<u8> {
        self.out
    }
}

fn value(out: &mut Vec<u8>, value: Plain<'_>) {
    match value {
        Plain::Undef => out.push(0xC0),
        Plain::Boolean(value) => out.push(if value { 0xC3 } else { 0xC2 }),
        Plain::Integer(number) => integer(out, number),
        Plain::Float(number) => {
            out.push(0xCB);
            out.extend(number.to_be_bytes());
        }
        Plain::Text(text) => {
            match u8::try_from(text.len()) {
                Ok(len @ 0..=31) => out.push(0xA0 | len),
                _ => length(out, text.len(), [0xD9, 0xDA, 0xDB]),
            }
            out.extend_from_slice(text.as_bytes());
        }
    }
}

/// A length in one, two or four bytes after the code for that.
fn length(out: &mut Vec<u8>, len: usize, [one, two, four]: [u8; 3]) {
    if let Ok(len) = u8::try_from(len) {
        out.extend([one, len]);
    } else if let Ok(len) = u16::try_from(len) {
        out.push(two);
        out.extend(len.to_be_bytes());
    } else {
        out.push(four);
        out.extend(u32::try_from(len).expect("sources are limited").to_be_bytes());
    }
}

fn integer(out: &mut Vec<u8>, number: i64) {
    if let Ok(small @ -32..=127) = i8::try_from(number) {
        out.extend(small.to_be_bytes());
    } else if let Ok(number) = u8::try_from(number) {
        out.extend([0xCC, number]);
    } else if let Ok(number) = u16::try_from(number) {
        out.push(0xCD);
        out.extend(number.to_be_bytes());
    } else if let Ok(number) = u32::try_from(number) {
        out.push(0xCE);
        out.extend(number.to_be_bytes());
    } else if let Ok(number) = u64::try_from(number) {
        out.push(0xCF);
        out.extend(number.to_be_bytes());
    } else {
        // No number in a tree is negative.
        out.push(0xD3);
        out.extend(number.to_be_bytes());
    }
}
