//! `Array#pack` and `String#unpack`, as far as modules use them.

use kukla_rubytext::base64;

use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

/// A letter of a format with its count; `None` is `*`.
struct Directive {
    letter: char,
    count: Option<usize>,
    is_counted: bool,
    is_big: bool,
}

/// Decodes hexadecimal digits; an odd digit at the end is the upper half of a byte.
pub(crate) fn from_hex(digits: &[u8]) -> Vec<u8> {
    let half = |digit: u8| match digit {
        // Ruby takes any letter, and cuts it to four bits.
        b'a'..=b'z' | b'A'..=b'Z' => (digit.to_ascii_lowercase() - b'a' + 10) & 15,
        other => other & 15,
    };
    digits.chunks(2).map(|two| half(two[0]) << 4 | two.get(1).map_or(0, |low| half(*low))).collect()
}

/// Returns the number of bytes of a numeric directive.
fn width(letter: char) -> Option<usize> {
    Some(match letter {
        'c' | 'C' => 1,
        'n' | 'v' | 's' | 'S' => 2,
        'N' | 'V' | 'l' | 'L' => 4,
        'q' | 'Q' => 8,
        _ => return None,
    })
}

impl Run<'_> {
    fn directives(&mut self, format: &str) -> Eval<Vec<Directive>> {
        let mut found = Vec::new();
        let mut rest = format.chars().peekable();
        while let Some(letter) = rest.next() {
            if letter.is_ascii_whitespace() {
                continue;
            }
            let known = "aAHhmMUnNvVcCsSlLqQ".contains(letter) && letter != 'M';
            if !known {
                return self.unsupported(format!("the directive {letter} of pack"));
            }
            let mut is_big = matches!(letter, 'n' | 'N');
            while let Some(mark) = rest.next_if(|next| matches!(next, '<' | '>' | '_' | '!')) {
                is_big |= mark == '>';
            }
            let mut digits = String::new();
            while let Some(digit) = rest.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            let is_star = rest.next_if_eq(&'*').is_some();
            let count = if is_star { None } else { Some(digits.parse().unwrap_or(1)) };
            found.push(Directive { letter, count, is_counted: !digits.is_empty(), is_big });
        }
        Ok(found)
    }

    /// `[…].pack(format)`
    pub(crate) fn pack(&mut self, items: &[RubyValue], a: Args<'_>) -> Eval {
        let format = self.text_arg(&a.get(0))?;
        let mut out = Vec::new();
        let mut rest = items.iter();
        let (mut is_text, mut is_unicode) = (false, false);
        for (index, directive) in self.directives(&format)?.iter().enumerate() {
            // Base64 has the encoding US-ASCII.
            is_text = match directive.letter {
                'U' | 'm' => is_text || index == 0,
                _ => is_text && is_unicode,
            };
            is_unicode |= index == 0 && directive.letter == 'U';
            let n = match (directive.letter, directive.count) {
                ('a' | 'A' | 'H' | 'h' | 'm', _) => 1,
                (_, None) => rest.len(),
                (_, Some(count)) => count,
            };
            for _ in 0..n {
                let Some(item) = rest.next() else {
                    return self.argument_error("too few arguments");
                };
                self.pack_item(directive, item, &mut out)?;
            }
            self.charge(out.len())?;
        }
        match String::from_utf8(out) {
            Ok(text) if is_text => Ok(RubyValue::str(text)),
            Ok(text) => Ok(self.bytes(text.into_bytes())),
            Err(error) => Ok(self.bytes(error.into_bytes())),
        }
    }

    fn pack_item(
        &mut self,
        directive: &Directive,
        item: &RubyValue,
        out: &mut Vec<u8>,
    ) -> Eval<()> {
        if let Some(width) = width(directive.letter) {
            let number = self.int_arg(item)?;
            match directive.is_big {
                true => out.extend(&number.to_be_bytes()[8 - width..]),
                false => out.extend(&number.to_le_bytes()[..width]),
            }
            return Ok(());
        }
        if directive.letter == 'U' {
            let number = self.int_arg(item)?;
            let Some(letter) = u32::try_from(number).ok().and_then(char::from_u32) else {
                return self.raise("RangeError", "pack(U): value out of range");
            };
            out.extend(letter.encode_utf8(&mut [0; 4]).as_bytes());
            return Ok(());
        }
        let bytes = self.bytes_arg(item)?;
        match directive.letter {
            'm' if directive.count == Some(0) => out.extend(base64::strict_encode(&bytes).bytes()),
            'm' if !directive.is_counted => out.extend(base64::encode(&bytes).bytes()),
            'm' => return self.unsupported("pack with lines of another length"),
            'H' | 'h' => {
                let n = directive.count.unwrap_or(bytes.len());
                if n > bytes.len() {
                    return self.unsupported("pack of more digits than there are");
                }
                let swap =
                    |byte: u8| if directive.letter == 'h' { byte.rotate_left(4) } else { byte };
                out.extend(from_hex(&bytes[..n]).into_iter().map(swap));
            }
            _ => {
                let n = directive.count.unwrap_or(bytes.len());
                self.charge(n)?;
                let pad = if directive.letter == 'A' { b' ' } else { 0 };
                out.extend(bytes.iter().copied().chain(std::iter::repeat(pad)).take(n));
            }
        }
        Ok(())
    }

    /// `"…".unpack(format)`
    pub(crate) fn unpack(&mut self, bytes: &[u8], a: Args<'_>) -> Eval {
        Ok(RubyValue::array(self.unpacked(bytes, a)?))
    }

    /// Returns the first value of `unpack`.
    pub(crate) fn unpack1(&mut self, bytes: &[u8], a: Args<'_>) -> Eval {
        Ok(self.unpacked(bytes, a)?.into_iter().next().unwrap_or_default())
    }

    fn unpacked(&mut self, bytes: &[u8], a: Args<'_>) -> Eval<Vec<RubyValue>> {
        if a.len() > 1 {
            return self.unsupported("offset of unpack");
        }
        let format = self.text_arg(&a.get(0))?;
        let mut rest = bytes;
        let mut found = Vec::new();
        for directive in self.directives(&format)? {
            self.unpack_one(&directive, &mut rest, &mut found)?;
        }
        Ok(found)
    }

    fn unpack_one(
        &mut self,
        directive: &Directive,
        rest: &mut &[u8],
        found: &mut Vec<RubyValue>,
    ) -> Eval<()> {
        if let Some(width) = width(directive.letter) {
            let n = directive.count.unwrap_or(rest.len() / width);
            self.charge(n.saturating_mul(8))?;
            for _ in 0..n {
                let Some((bytes, after)) = rest.split_at_checked(width) else {
                    found.push(RubyValue::Nil);
                    continue;
                };
                *rest = after;
                found.push(self.number(directive, bytes)?);
            }
            return Ok(());
        }
        let take = |n: usize, rest: &mut &[u8]| {
            let (bytes, after) = rest.split_at(n.min(rest.len()));
            *rest = after;
            bytes.to_vec()
        };
        let value = match directive.letter {
            'U' => {
                let text = match std::str::from_utf8(rest) {
                    Ok(text) => text,
                    Err(_) => return self.argument_error("malformed UTF-8 character"),
                };
                let n = directive.count.unwrap_or(text.len());
                let letters: Vec<char> = text.chars().take(n).collect();
                *rest = &rest[letters.iter().map(|c| c.len_utf8()).sum()..];
                found.extend(letters.iter().map(|c| RubyValue::Int(i64::from(u32::from(*c)))));
                return Ok(());
            }
            'm' => {
                let text = String::from_utf8_lossy(rest).into_owned();
                *rest = &[];
                let strict = directive.count == Some(0);
                let decoded =
                    if strict { base64::strict_decode(&text) } else { Ok(base64::decode(&text)) };
                self.from_text(decoded)?
            }
            'H' | 'h' => {
                let n = directive.count.unwrap_or(rest.len().saturating_mul(2));
                let bytes = take(n.div_ceil(2), rest);
                let swap =
                    |byte: u8| if directive.letter == 'h' { byte.rotate_left(4) } else { byte };
                let bytes: Vec<u8> = bytes.into_iter().map(swap).collect();
                let mut digits = kukla_rubytext::digest::hex(&bytes);
                digits.truncate(n);
                self.charge(n)?;
                // Digits have the encoding US-ASCII, unlike all others.
                found.push(RubyValue::str(digits));
                return Ok(());
            }
            letter => {
                let mut bytes = take(directive.count.unwrap_or(rest.len()), rest);
                while letter == 'A' && bytes.last().is_some_and(|last| matches!(last, b' ' | 0)) {
                    bytes.pop();
                }
                bytes
            }
        };
        self.charge(value.len())?;
        found.push(self.bytes(value));
        Ok(())
    }

    fn number(&mut self, directive: &Directive, bytes: &[u8]) -> Eval {
        let fold = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        let number = match directive.is_big {
            true => bytes.iter().fold(0, fold),
            false => bytes.iter().rev().fold(0, fold),
        };
        let bits = 64 - 8 * bytes.len();
        if directive.letter.is_ascii_lowercase() && !matches!(directive.letter, 'n' | 'v') {
            return Ok(RubyValue::Int((number << bits).cast_signed() >> bits));
        }
        self.int_of(i128::from(number))
    }
}
