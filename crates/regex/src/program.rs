//! Compiled regular expressions: steps for the machine in `exec`.

use memchr::memmem::Finder;

/// The address of a step.
pub(crate) type Pc = u32;

/// The steps of a regular expression, and the data of its prefilters.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) ops: Vec<Op>,
    pub(crate) sets: Vec<CharSet>,
    /// The word characters, for `\b`; present if a `\b` is not limited to ASCII.
    pub(crate) words: Option<CharSet>,
    /// The number of capture groups, without the whole match.
    pub(crate) n_groups: usize,
    /// The number of registers that loops use.
    pub(crate) n_registers: usize,
    pub(crate) start: Start,
    /// A literal that is in every match.
    pub(crate) needle: Option<Box<Finder<'static>>>,
    /// Set if the search for a start already finds the match.
    pub(crate) plain: Option<PlainPattern>,
}

/// A pattern whose matches the search for a start finds by itself.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PlainPattern {
    /// A literal of that many bytes.
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
    /// A literal, compared without case.
    Folded(Box<[u32]>),
    One(One),
    /// A loop over a single character.
    Loop(Loop),
    Assert(Assert),
    /// `\K`
    Keep,
    Jump(Pc),
    /// Goes on, and pushes a backtracking point that resumes at `Pc`.
    Push(Pc),
    /// Like `Push`, but pushes only if the next byte is `byte`.
    PushIf {
        byte: u8,
        otherwise: Pc,
    },
    SaveStart {
        group: u32,
        is_pushed: bool,
    },
    SaveEnd(SaveEnd),
    Backref(Box<BackrefStep>),
    /// Begins a counted repetition.
    RepeatStart {
        register: u32,
        repeat: RepeatBounds,
        exit: Pc,
    },
    /// Ends a round of a counted repetition.
    RepeatEnd {
        register: u32,
        repeat: RepeatBounds,
        body: Pc,
    },
    /// Stores the offset at which a round begins that may consume nothing.
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
    /// Begins `(?!…)`; goes on at `Pc` if its body fails.
    NotStart(Pc),
    /// Ends `(?!…)` and `(?<!…)`.
    NotEnd,
    /// Goes back that many characters.
    Back(u32),
    /// Begins `(?<!…)`.
    NotBehindStart {
        n_characters: u32,
        exit: Pc,
    },
    /// Begins `(?~…)`.
    AbsentStart,
    /// Tries the next point of `(?~…)`.
    AbsentNext {
        exit: Pc,
    },
    AbsentEnd,
    Call(Pc),
    Return,
    /// Goes on if the group has matched, otherwise at `otherwise`.
    Condition {
        group: u32,
        otherwise: Pc,
    },
}

/// A matcher of one character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum One {
    Byte(u8),
    /// Every character but a line feed.
    NotNewline,
    Any,
    /// A set, by its index.
    Set(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Loop {
    pub(crate) one: One,
    pub(crate) repeat: RepeatBounds,
    /// Set if the loop never gives back characters.
    pub(crate) is_possessive: bool,
    /// The byte that must follow the loop.
    pub(crate) next: Option<u8>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct RepeatBounds {
    pub(crate) lower: u32,
    /// `u32::MAX` means unbounded.
    pub(crate) upper: u32,
    pub(crate) is_greedy: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SaveEnd {
    pub(crate) group: u32,
    /// Set if `\k<name+1>` may need its end at another level.
    pub(crate) is_pushed: bool,
    /// Set if the group can be open several times.
    pub(crate) is_recursive: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct BackrefStep {
    /// The candidates, in the order of trial; the first whose text is next matches.
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

/// The places at which a match can start.
#[derive(Debug)]
pub(crate) enum Start {
    Anywhere,
    /// At the start of the text.
    Text,
    /// At the start of the search.
    Search,
    /// At the start of a line.
    Line,
    /// At an occurrence of this literal.
    Literal(Box<Finder<'static>>),
    /// At one of these bytes.
    Bytes(Box<ByteSet>),
}

/// A set of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ByteSet(pub(crate) [bool; 256]);

/// A set of characters with a quick test of membership.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CharSet {
    ascii: [bool; 128],
    /// The members beyond ASCII.
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

    /// Returns true if all or none of the characters beyond ASCII are members, so that the first byte decides.
    pub(crate) fn is_known_by_first_byte(&self) -> bool {
        match *self.ranges {
            [] | [(0x80, 0x10_FFFF)] => true,
            // The gap holds only surrogates, which are no characters.
            [(0x80, last), (first, 0x10_FFFF)] => last >= 0xD7FF && first <= 0xE000,
            _ => false,
        }
    }

    /// Returns true if the sets share no character.
    pub(crate) fn is_apart_from(&self, other: &Self) -> bool {
        let ascii = self.ascii.iter().zip(&other.ascii);
        let meets = |&(first, last): &(u32, u32)| {
            let index = other.ranges.partition_point(|&(_, end)| end < first);
            other.ranges.get(index).is_some_and(|&(start, _)| start <= last)
        };
        !ascii.into_iter().any(|(a, b)| *a && *b) && !self.ranges.iter().any(meets)
    }
}
