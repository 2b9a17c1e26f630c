//! Sets of characters during the construction of a class, with Ruby's quirks.
//!
//! Ruby keeps bits for bytes and, separately, ranges of characters beyond ASCII, and drops the ranges when they are empty. It
//! then tests a character by its first byte, whose bit may be set by a negation. Hence the surprising meaning of `[^[^\D]]`.

use crate::set::Set;

#[derive(Clone, Debug)]
pub(crate) struct RawSet {
    bits: [bool; 256],
    /// `None` if there never was a character beyond ASCII, or if none is left.
    beyond: Option<Set>,
}

const FIRST_BEYOND: u32 = 0x80;

/// The last code point.
const LAST: u32 = 0x10_FFFF;

/// The end of the negation of a property in Ruby.
///
/// The negation of a class ends elsewhere, so a class that lacks no character may still have ranges.
const LAST_OF_PROPERTY: u32 = 0x7FFF_FFFF;

impl Default for RawSet {
    fn default() -> Self {
        Self { bits: [false; 256], beyond: None }
    }
}

impl RawSet {
    /// Creates the set of the characters of `set`, or of its complement.
    pub(crate) fn of(set: &Set, is_negated: bool, reaches_end: bool) -> Self {
        let last = if reaches_end { u32::MAX } else { LAST_OF_PROPERTY };
        let others = if is_negated { Some(set.negated_up_to(last)) } else { None };
        let set = others.as_ref().unwrap_or(set);
        let mut raw = Self::default();
        let mut beyond = Vec::new();
        for &(first, last) in set.ranges() {
            for code in first..=last.min(FIRST_BEYOND - 1) {
                raw.bits[code as usize] = true;
            }
            if last >= FIRST_BEYOND {
                beyond.push((first.max(FIRST_BEYOND), last));
            }
        }
        raw.beyond = some(Set::from_sorted(beyond));
        raw
    }

    pub(crate) fn add_range(&mut self, first: char, last: char) {
        let (first, last) = (u32::from(first), u32::from(last));
        if first < FIRST_BEYOND {
            for code in first..=last.min(0xFF) {
                self.bits[code as usize] = true;
            }
        }
        if last >= FIRST_BEYOND {
            self.add_beyond(&Set::from_sorted(vec![(first.max(FIRST_BEYOND), last)]));
        }
    }

    fn add_beyond(&mut self, set: &Set) {
        self.beyond.get_or_insert_default().add(set);
    }

    /// Adds single characters; those of Latin-1 only to the bits, where Ruby's lookup does not find them.
    pub(crate) fn add_folded(&mut self, codes: &[u32]) {
        for &code in codes.iter().filter(|&&code| code <= 0xFF) {
            self.bits[code as usize] = true;
        }
        let beyond = codes.iter().filter(|&&code| code > 0xFF).map(|&code| (code, code));
        let beyond = Set::from_ranges(beyond.collect());
        if !beyond.ranges().is_empty() {
            self.add_beyond(&beyond);
        }
    }

    pub(crate) fn has(&self, code: u32) -> bool {
        if code < FIRST_BEYOND {
            return self.bits[code as usize];
        }
        self.beyond.as_ref().is_some_and(|beyond| beyond.contains(code))
    }

    pub(crate) fn goes_beyond_ascii(&self) -> bool {
        self.beyond.is_some()
    }

    /// Adds `other`, or its complement.
    pub(crate) fn or(&mut self, other: &Self, is_negated: bool) {
        for (bit, &other) in self.bits.iter_mut().zip(&other.bits) {
            *bit |= other != is_negated;
        }
        let other = match (&other.beyond, is_negated) {
            (None, false) => return,
            (None, true) => Some(all_beyond()),
            (Some(beyond), false) => Some(beyond.clone()),
            (Some(beyond), true) => some(without_ascii(&beyond.negated_up_to(u32::MAX))),
        };
        if let Some(beyond) = other {
            self.add_beyond(&beyond);
        }
    }

    pub(crate) fn and(&mut self, other: &Self) {
        for (bit, &other) in self.bits.iter_mut().zip(&other.bits) {
            *bit &= other;
        }
        self.beyond = match (&self.beyond, &other.beyond) {
            (Some(a), Some(b)) => some(a.and(b)),
            _ => None,
        };
    }

    /// Returns the only character, if there is one.
    pub(crate) fn single(&self) -> Option<char> {
        let mut bits = (0..).zip(&self.bits).filter(|&(_, &bit)| bit).map(|(code, _)| code);
        let bit: Option<u32> = bits.next();
        let only = match (bit, &self.beyond) {
            (Some(bit), None) => bit,
            (None, Some(beyond)) => match beyond.ranges() {
                &[(first, last)] if first == last => first,
                _ => return None,
            },
            _ => return None,
        };
        bits.next().is_none().then(|| char::from_u32(only)).flatten()
    }

    /// Returns the final set.
    pub(crate) fn into_set(self) -> Set {
        let ascii = (0..FIRST_BEYOND).filter(|&code| self.bits[code as usize]);
        let mut set = Set::from_ranges(ascii.map(|code| (code, code)).collect());
        match &self.beyond {
            Some(beyond) => set.add(&up_to_last(beyond)),
            None => {
                let bytes = (0xC2..=0xF4u8).filter(|&byte| self.bits[usize::from(byte)]);
                set.add(&Set::from_ranges(bytes.map(of_first_byte).collect()));
            }
        }
        set
    }
}

fn all_beyond() -> Set {
    Set::from_sorted(vec![(FIRST_BEYOND, u32::MAX)])
}

fn without_ascii(set: &Set) -> Set {
    let ranges = set.ranges().iter().filter(|&&(_, last)| last >= FIRST_BEYOND);
    Set::from_sorted(ranges.map(|&(first, last)| (first.max(FIRST_BEYOND), last)).collect())
}

fn up_to_last(set: &Set) -> Set {
    let ranges = set.ranges().iter().filter(|&&(first, _)| first <= LAST);
    Set::from_sorted(ranges.map(|&(first, last)| (first, last.min(LAST))).collect())
}

fn some(set: Set) -> Option<Set> {
    (!set.ranges().is_empty()).then_some(set)
}

/// Returns the range of characters that begin with this byte.
fn of_first_byte(byte: u8) -> (u32, u32) {
    let byte = u32::from(byte);
    match byte {
        0xC2..0xE0 => ((byte & 0x1F) << 6, (byte & 0x1F) << 6 | 0x3F),
        0xE0..0xF0 => (((byte & 0xF) << 12).max(0x800), (byte & 0xF) << 12 | 0xFFF),
        _ => (((byte & 7) << 18).max(0x1_0000), ((byte & 7) << 18 | 0x3_FFFF).min(LAST)),
    }
}
