//! What a regular expression is compiled to: steps for the machine in `exec`.

use memchr::memmem::Finder;

/// A step, by its place in the program.
pub(crate) type Pc = u32;

/// The steps of a regular expression, and what the search for a start needs to know.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) ops: Vec<Op>,
    pub(crate) sets: Vec<CharSet>,
    /// The characters of words, for `\b`; present if that is asked beyond ASCII.
    pub(crate) words: Option<CharSet>,
    /// How many capture groups there are, without the whole match.
    pub(crate) n_groups: usize,
    /// How many registers loops use.
    pub(crate) n_registers: usize,
    pub(crate) start: Start,
    /// A text that is in every match.
    pub(crate) needle: Option<Box<Finder<'static>>>,
    /// Set if it takes no machine to match.
    pub(crate) plain: Option<Plain>,
}

/// A pattern that matches wherever the search for a start says so.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Plain {
    /// A text of so many bytes.
    Text(usize),
    /// A character that begins with one of the bytes.
    Character,
}

#[derive(Clone, Debug)]
pub(crate) enum Op {
    Match,
    /// One byte of ASCII.
    Byte(u8),
    Bytes(Box<[u8]>),
    /// A text without case.
    Folded(Box<[u32]>),
    One(One),
    /// A single character again and again.
    Loop(Loop),
    Assert(Assert),
    /// `\K`
    Keep,
    Jump(Pc),
    /// Goes on; if that fails, at the other place.
    Push(Pc),
    /// The same, if the next byte is this one; else goes on without the other place.
    PushIf {
        byte: u8,
        otherwise: Pc,
    },
    SaveStart {
        group: u32,
        is_pushed: bool,
    },
    SaveEnd(SaveEnd),
    Backref(Box<Backref>),
    /// Begins a counted repetition.
    RepeatStart {
        register: u32,
        repeat: Repeat,
        exit: Pc,
    },
    /// Ends a round of it.
    RepeatEnd {
        register: u32,
        repeat: Repeat,
        body: Pc,
    },
    /// Remembers where a round begins that may consume nothing.
    RoundStart {
        register: u32,
    },
    /// Leaves the loop if the round has consumed nothing.
    RoundEnd {
        register: u32,
        minds_captures: bool,
        exit: Pc,
    },
    /// Begins `(?>…)` and `(?=…)`.
    Mark,
    /// Ends `(?>…)`.
    Commit,
    /// Ends `(?=…)`.
    CommitAndReturn,
    /// Begins `(?!…)`; goes on there if it fails.
    NotStart(Pc),
    /// Ends `(?!…)` and `(?<!…)`.
    NotEnd,
    /// Goes back so many characters.
    Back(u32),
    /// Begins `(?<!…)`.
    NotBehindStart {
        n_characters: u32,
        exit: Pc,
    },
    /// Begins `(?~…)`.
    AbsentStart,
    /// Tries the next point of it.
    AbsentNext {
        exit: Pc,
    },
    AbsentEnd,
    Call(Pc),
    Return,
    /// Goes on if the group has matched, else there.
    Condition {
        group: u32,
        otherwise: Pc,
    },
}

/// One character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum One {
    Byte(u8),
    /// All but a line feed.
    NotNewline,
    Any,
    /// By the index of the set.
    Set(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Loop {
    pub(crate) one: One,
    pub(crate) repeat: Repeat,
    /// What was taken is never given back.
    pub(crate) is_possessive: bool,
    /// What must follow the loop.
    pub(crate) next: Option<u8>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Repeat {
    pub(crate) lower: u32,
    /// `u32::MAX` is without end.
    pub(crate) upper: u32,
    pub(crate) is_greedy: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SaveEnd {
    pub(crate) group: u32,
    /// Its end can be asked for by level.
    pub(crate) is_pushed: bool,
    /// It can be open several times.
    pub(crate) is_recursive: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Backref {
    /// The first of these that has matched, and matches again; in the order of trial.
    pub(crate) groups: Vec<u32>,
    pub(crate) level: Option<i64>,
    pub(crate) ignores_case: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Assert {
    TextStart,
    TextEnd,
    LastLineEnd,
    LineStart,
    LineEnd,
    SearchStart,
    WordBoundary { is_negated: bool, is_ascii: bool },
}

/// Where a match can start.
#[derive(Debug)]
pub(crate) enum Start {
    Anywhere,
    /// At the start of the text.
    Text,
    /// Where the search began.
    Search,
    /// At the start of a line.
    Line,
    /// Where this text is.
    Literal(Box<Finder<'static>>),
    /// At one of these bytes.
    Bytes(Box<ByteSet>),
}

/// A set of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ByteSet(pub(crate) [bool; 256]);

/// A set of characters that is quick to ask.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CharSet {
    ascii: [bool; 128],
    /// What is beyond ASCII.
    ranges: Box<[(u32, u32)]>,
}

impl CharSet {
    pub(crate) fn new(set: &crate::set::Set) -> Self {
        let mut ascii = [false; 128];
        let mut ranges = Vec::new();
        for &(first, last) in set.ranges() {
            for code in first..=last.min(0x7F) {
                ascii[code as usize] = true;
            }
            if last > 0x7F {
                ranges.push((first.max(0x80), last));
            }
        }
        Self { ascii, ranges: ranges.into() }
    }

    pub(crate) fn has_ascii(&self, byte: u8) -> bool {
        self.ascii.get(usize::from(byte)).is_some_and(|&is_in| is_in)
    }

    pub(crate) fn has_beyond(&self, code: u32) -> bool {
        match &self.ranges[..] {
            [] => false,
            [(first, last)] => *first <= code && code <= *last,
            ranges => {
                let index = ranges.partition_point(|&(_, last)| last < code);
                ranges.get(index).is_some_and(|&(first, _)| first <= code)
            }
        }
    }

    pub(crate) fn beyond(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    /// Whether everything beyond ASCII is in it, or nothing: then the first byte of a character tells.
    pub(crate) fn is_known_by_first_byte(&self) -> bool {
        match *self.ranges {
            [] | [(0x80, 0x10_FFFF)] => true,
            // There are no characters in between.
            [(0x80, last), (first, 0x10_FFFF)] => last >= 0xD7FF && first <= 0xE000,
            _ => false,
        }
    }

    /// Whether no character is in both.
    pub(crate) fn is_apart_from(&self, other: &Self) -> bool {
        let ascii = self.ascii.iter().zip(&other.ascii);
        let meets = |&(first, last): &(u32, u32)| {
            let index = other.ranges.partition_point(|&(_, end)| end < first);
            other.ranges.get(index).is_some_and(|&(start, _)| start <= last)
        };
        !ascii.into_iter().any(|(a, b)| *a && *b) && !self.ranges.iter().any(meets)
    }
}
