//! Single characters, loops of them, and texts without case.

use super::frames::Frame;
use super::{Machine, StepFailed};
use crate::program::{Loop, One, Pc};
use crate::unicode;

impl Machine<'_, '_> {
    /// Returns the offset behind the character at `at`, if `one` matches it.
    #[inline]
    pub(super) fn one(&self, one: One, at: usize) -> Option<usize> {
        if at >= self.limit {
            return None;
        }
        let byte = self.text[at];
        let is_in = match one {
            One::Byte(literal) => byte == literal,
            One::NotNewline => byte != b'\n',
            One::Any => true,
            One::Set(index) => {
                let set = &self.program.sets[index as usize];
                if byte < 0x80 { set.has_ascii(byte) } else { set.has_beyond(self.code(at)) }
            }
        };
        is_in.then_some(at + length(byte))
    }

    /// Runs a loop: takes as many characters as possible, or as few.
    #[inline]
    pub(super) fn single_loop(&mut self, single: &Loop, next: Pc) -> Result<(), StepFailed> {
        let repeat = single.repeat;
        let first = self.several(single.one, self.at, repeat.lower).ok_or(StepFailed)?;
        self.at = first;
        let n_left = match repeat.upper {
            u32::MAX => u32::MAX,
            upper => upper - repeat.lower,
        };
        if n_left == 0 {
            return Ok(());
        }
        if !repeat.is_greedy {
            self.stack.push(Frame::TakeMore { pc: next, at: first as u32, n_left });
            return Ok(());
        }
        self.at = self.most(single.one, first, n_left);
        if self.at > first && !single.is_possessive {
            // With a known next byte, offsets without it are skipped.
            self.stack.push(Frame::GiveBack { pc: next, first: first as u32, at: self.at as u32 });
        }
        Ok(())
    }

    /// Returns the offset behind exactly `count` characters.
    fn several(&self, one: One, at: usize, count: u32) -> Option<usize> {
        let mut at = at;
        for _ in 0..count {
            at = self.one(one, at)?;
        }
        Some(at)
    }

    /// Returns the offset behind up to `n_left` characters.
    fn most(&self, one: One, at: usize, n_left: u32) -> usize {
        if n_left == u32::MAX {
            return self.all(one, at);
        }
        let mut at = at;
        for _ in 0..n_left {
            match self.one(one, at) {
                Some(after) => at = after,
                None => break,
            }
        }
        at
    }

    fn all(&self, one: One, at: usize) -> usize {
        let limit = self.limit.max(at);
        match one {
            One::Any => limit,
            One::NotNewline => {
                memchr::memchr(b'\n', &self.text[at..limit]).map_or(limit, |length| at + length)
            }
            One::Byte(literal) => {
                let rest = &self.text[at..limit];
                at + rest.iter().position(|&byte| byte != literal).unwrap_or(rest.len())
            }
            One::Set(index) => {
                let set = &self.program.sets[index as usize];
                let mut at = at;
                while at < limit {
                    let byte = self.text[at];
                    let is_in = match byte < 0x80 {
                        true => set.has_ascii(byte),
                        false => set.has_beyond(self.code(at)),
                    };
                    if !is_in {
                        break;
                    }
                    at += length(byte);
                }
                at
            }
        }
    }

    /// Compares a text without case with the text that is next.
    pub(super) fn folded(&mut self, codes: &[u32]) -> Result<(), StepFailed> {
        let mut codes = codes;
        let mut at = self.at;
        while let Some((&code, rest)) = codes.split_first() {
            if at >= self.limit {
                return Err(StepFailed);
            }
            let byte = self.text[at];
            if byte < 0x80 {
                if u32::from(byte.to_ascii_lowercase()) != code {
                    return Err(StepFailed);
                }
                codes = rest;
            } else {
                let folded = unicode::folded(self.character(at));
                codes = codes.strip_prefix(folded.as_slice()).ok_or(StepFailed)?;
            }
            at += length(byte);
        }
        self.at = at;
        Ok(())
    }

    pub(super) fn is_word(&self, at: usize, is_ascii: bool) -> bool {
        let byte = self.text[at];
        if byte < 0x80 {
            return byte.is_ascii_alphanumeric() || byte == b'_';
        }
        let words = self.program.words.as_ref();
        !is_ascii && words.is_some_and(|words| words.has_beyond(self.code(at)))
    }

    /// Returns the offset of the character before `at`.
    #[inline]
    pub(super) fn before(&self, at: usize) -> Option<usize> {
        let mut at = at.checked_sub(1)?;
        while self.text[at] & 0xC0 == 0x80 {
            at = at.checked_sub(1)?;
        }
        Some(at)
    }

    /// Returns the code of the character at `at`, which is not ASCII.
    #[inline]
    pub(super) fn code(&self, at: usize) -> u32 {
        let bits = |offset: usize| u32::from(self.text[at + offset] & 0x3F);
        let first = u32::from(self.text[at]);
        match first {
            0..0xE0 => (first & 0x1F) << 6 | bits(1),
            0xE0..0xF0 => (first & 0xF) << 12 | bits(1) << 6 | bits(2),
            _ => (first & 7) << 18 | bits(1) << 12 | bits(2) << 6 | bits(3),
        }
    }

    /// Returns the character at `at`.
    pub(super) fn character(&self, at: usize) -> char {
        let byte = self.text[at];
        if byte < 0x80 {
            return char::from(byte);
        }
        char::from_u32(self.code(at)).expect("the text is made of characters")
    }
}

/// Returns the length of the character whose first byte this is.
#[inline]
pub(crate) fn length(first: u8) -> usize {
    match first {
        0..0xC0 => 1,
        0xC0..0xE0 => 2,
        0xE0..0xF0 => 3,
        _ => 4,
    }
}
