//! Prefilters and properties of a program, which spare attempts that must fail.
//!
//! Nothing here changes the matches.

use memchr::memmem::Finder;

use crate::program::{Assert, ByteSet, CharSet, Loop, One, Op, Pc, PlainPattern, Program, Start};

pub(super) fn optimize(program: &mut Program) {
    for pc in 0..program.ops.len() {
        let next = next_input(program, pc as Pc + 1);
        match &program.ops[pc] {
            Op::Push(otherwise) => {
                if let NextInput::Byte(byte) = next {
                    program.ops[pc] = Op::PushIf { byte, otherwise: *otherwise };
                }
            }
            Op::Loop(single) if single.repeat.is_greedy => {
                let is_possessive = single.is_possessive || keeps_all(program, single.one, &next);
                let next = if let NextInput::Byte(byte) = next { Some(byte) } else { None };
                program.ops[pc] = Op::Loop(Loop { is_possessive, next, ..*single });
            }
            _ => {}
        }
    }
    program.start = start(program);
    program.needle = needle(program);
    program.plain = match &program.ops[..] {
        // A group that is repeated zero times leaves no step, but it is a group.
        _ if program.n_groups > 0 => None,
        [Op::Bytes(bytes), Op::Match] => Some(PlainPattern::Text(bytes.len())),
        [Op::Byte(_), Op::Match] => Some(PlainPattern::Text(1)),
        [Op::One(One::Set(set)), Op::Match] if matches!(program.start, Start::Bytes(_)) => {
            let is_plain = program.sets[*set as usize].is_known_by_first_byte();
            is_plain.then_some(PlainPattern::Character)
        }
        _ => None,
    };
}

/// The input that a program requires next.
enum NextInput {
    Byte(u8),
    One(One),
    TextEnd,
    LineEnd,
    /// None: the match is complete.
    Nothing,
    Unknown,
}

fn next_input(program: &Program, pc: Pc) -> NextInput {
    let mut pc = pc as usize;
    // Eight steps decide almost all patterns.
    for _ in 0..8 {
        let Some(op) = program.ops.get(pc) else { return NextInput::Unknown };
        match op {
            Op::SaveStart { .. } | Op::SaveEnd(_) => pc += 1,
            Op::Jump(target) => pc = *target as usize,
            Op::Byte(byte) | Op::One(One::Byte(byte)) => return NextInput::Byte(*byte),
            Op::Bytes(bytes) if bytes[0] < 0x80 => return NextInput::Byte(bytes[0]),
            Op::One(one) => return NextInput::One(*one),
            Op::Loop(Loop { one, repeat, .. }) if repeat.lower > 0 => {
                return if let One::Byte(byte) = one {
                    NextInput::Byte(*byte)
                } else {
                    NextInput::One(*one)
                };
            }
            Op::Assert(Assert::TextEnd) => return NextInput::TextEnd,
            Op::Assert(Assert::LineEnd | Assert::LastLineEnd) => return NextInput::LineEnd,
            Op::Match => return NextInput::Nothing,
            _ => return NextInput::Unknown,
        }
    }
    NextInput::Unknown
}

/// Returns true if giving back a character of `one` can't help when `next` must follow.
fn keeps_all(program: &Program, one: One, next: &NextInput) -> bool {
    match next {
        // Behind a character that is given back comes one that the loop took.
        NextInput::TextEnd | NextInput::Nothing => true,
        NextInput::LineEnd => !takes(program, one, b'\n'),
        NextInput::Byte(byte) => !takes(program, one, *byte),
        NextInput::One(other) => match (one, other) {
            (One::Set(a), One::Set(b)) => {
                let set = |index: u32| &program.sets[index as usize];
                CharSet::is_apart_from(set(a), set(*b))
            }
            (One::Byte(byte), other) => !takes(program, *other, byte),
            _ => false,
        },
        NextInput::Unknown => false,
    }
}

fn takes(program: &Program, one: One, ascii: u8) -> bool {
    match one {
        One::Byte(byte) => byte == ascii,
        One::NotNewline => ascii != b'\n',
        One::Any => true,
        One::Set(index) => program.sets[index as usize].has_ascii(ascii),
    }
}

fn start(program: &Program) -> Start {
    if let Some(anchor) = anchor(program, 0, 0) {
        return match anchor {
            Assert::TextStart => Start::Text,
            Assert::SearchStart => Start::Search,
            _ => Start::Line,
        };
    }
    let mut first = 0;
    while let Op::SaveStart { .. } = program.ops[first] {
        first += 1;
    }
    match &program.ops[first] {
        Op::Bytes(bytes) => Start::Literal(Box::new(Finder::new(bytes).into_owned())),
        Op::Byte(byte) => Start::Literal(Box::new(Finder::new(&[*byte]).into_owned())),
        _ => first_bytes(program),
    }
}

/// Returns the longest literal in every match, apart from the one that the search for a start uses.
fn needle(program: &Program) -> Option<Box<Finder<'static>>> {
    let mut run = Vec::new();
    let mut longest = Vec::new();
    let mut is_start = matches!(program.start, Start::Literal(_));
    // Only up to the first alternative.
    for op in &program.ops {
        match op {
            Op::Byte(byte) => run.push(*byte),
            Op::Bytes(bytes) => run.extend_from_slice(bytes),
            Op::SaveStart { .. } | Op::SaveEnd(_) | Op::Assert(_) => continue,
            _ => {
                if run.len() > longest.len() && !is_start {
                    longest = std::mem::take(&mut run);
                }
                run.clear();
                is_start = false;
                if !matches!(op, Op::One(_) | Op::Loop(_)) {
                    break;
                }
            }
        }
    }
    (!longest.is_empty()).then(|| Box::new(Finder::new(&longest).into_owned()))
}

/// Returns the anchor that all alternatives begin with.
fn anchor(program: &Program, pc: Pc, depth: usize) -> Option<Assert> {
    if depth > 16 {
        return None;
    }
    match &program.ops[pc as usize] {
        Op::Assert(assert @ (Assert::TextStart | Assert::LineStart | Assert::SearchStart)) => {
            Some(*assert)
        }
        Op::SaveStart { .. } | Op::Mark => anchor(program, pc + 1, depth + 1),
        Op::Jump(target) => anchor(program, *target, depth + 1),
        Op::Push(other) | Op::PushIf { otherwise: other, .. } => {
            let one = anchor(program, pc + 1, depth + 1)?;
            (anchor(program, *other, depth + 1)? == one).then_some(one)
        }
        _ => None,
    }
}

fn first_bytes(program: &Program) -> Start {
    let mut first = First {
        program,
        bytes: [false; 256],
        is_seen: vec![false; program.ops.len().min(MAX_LOOK)],
    };
    if !first.visit(0) || first.bytes.iter().all(|&is_in| is_in) {
        return Start::Anywhere;
    }
    Start::Bytes(Box::new(ByteSet(first.bytes)))
}

/// The number of steps in which to look for the first byte.
const MAX_LOOK: usize = 1000;

struct First<'p> {
    program: &'p Program,
    bytes: [bool; 256],
    is_seen: Vec<bool>,
}

impl First<'_> {
    /// Adds the bytes that a match can begin with; false if they are unknown.
    fn visit(&mut self, pc: Pc) -> bool {
        let mut pending = vec![pc];
        while let Some(pc) = pending.pop() {
            match self.is_seen.get_mut(pc as usize) {
                None => return false,
                Some(true) => continue,
                Some(is_seen) => *is_seen = true,
            }
            match &self.program.ops[pc as usize] {
                Op::Byte(byte) => self.bytes[usize::from(*byte)] = true,
                Op::Bytes(bytes) => self.bytes[usize::from(bytes[0])] = true,
                Op::One(one) => self.add(*one),
                Op::Loop(single) => {
                    self.add(single.one);
                    if single.repeat.lower == 0 {
                        pending.push(pc + 1);
                    }
                }
                Op::Folded(codes) => {
                    if !self.add_folded(codes[0]) {
                        return false;
                    }
                }
                Op::SaveStart { .. } | Op::SaveEnd(_) | Op::Keep | Op::Assert(_) => {
                    pending.push(pc + 1);
                }
                Op::Mark | Op::Commit | Op::RoundStart { .. } => pending.push(pc + 1),
                Op::Jump(target) => pending.push(*target),
                Op::Push(other)
                | Op::PushIf { otherwise: other, .. }
                | Op::RoundEnd { exit: other, .. } => pending.extend([pc + 1, *other]),
                Op::RepeatStart { repeat, exit, .. } => {
                    pending.push(pc + 1);
                    if repeat.lower == 0 {
                        pending.push(*exit);
                    }
                }
                Op::NotStart(exit) | Op::NotBehindStart { exit, .. } => pending.push(*exit),
                Op::Match
                | Op::Backref(_)
                | Op::RepeatEnd { .. }
                | Op::CommitAndReturn
                | Op::NotEnd
                | Op::Back(_)
                | Op::AbsentStart
                | Op::AbsentNext { .. }
                | Op::AbsentEnd
                | Op::Call(_)
                | Op::Return
                | Op::Condition { .. } => return false,
            }
        }
        true
    }

    fn add(&mut self, one: One) {
        for byte in 0..0x80 {
            self.bytes[usize::from(byte)] |= takes(self.program, one, byte);
        }
        match one {
            One::Byte(_) => {}
            One::NotNewline | One::Any => self.bytes[0x80..].fill(true),
            One::Set(index) => {
                for &(first, last) in self.program.sets[index as usize].beyond() {
                    let (first, last) = (first_byte(first), first_byte(last));
                    self.bytes[usize::from(first)..=usize::from(last)].fill(true);
                }
            }
        }
    }

    /// Adds all characters that can begin a text without case; false if they are not ASCII.
    fn add_folded(&mut self, code: u32) -> bool {
        let Ok(letter) = u8::try_from(code) else { return false };
        if letter >= 0x80 {
            return false;
        }
        self.bytes[usize::from(letter)] = true;
        self.bytes[usize::from(letter.to_ascii_uppercase())] = true;
        // Ligatures and similar characters may match several letters.
        self.bytes[0x80..].fill(true);
        true
    }
}

/// Returns the first byte of a character beyond ASCII.
fn first_byte(code: u32) -> u8 {
    match code {
        0..0x800 => 0xC0 | (code >> 6) as u8,
        0x800..0x1_0000 => 0xE0 | (code >> 12) as u8,
        _ => 0xF0 | (code >> 18) as u8,
    }
}
