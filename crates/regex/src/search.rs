//! The search for a match: the choice of offsets at which to run the machine.

use memchr::memchr;
use smallvec::smallvec;

use crate::LimitError;
use crate::exec::{Machine, NOWHERE, Slots};
use crate::program::{PlainPattern, Program, Start};

/// Returns the first match that begins at `start` or behind it.
pub(crate) fn search(
    program: &Program,
    text: &str,
    start: usize,
) -> Result<Option<Slots>, LimitError> {
    if let Some(pattern) = program.plain {
        return plain(program, pattern, text, start);
    }
    if let Some(needle) = &program.needle
        && text.as_bytes().get(start..).is_none_or(|rest| needle.find(rest).is_none())
    {
        return Ok(None);
    }
    let mut places =
        StartOffsets { program, text: text.as_bytes(), next: start, search_start: start };
    let Some(mut place) = places.next() else { return Ok(None) };
    if text.len() >= NOWHERE as usize {
        return Err(LimitError::Text);
    }
    let mut machine = Machine::new(program, text, start);
    loop {
        if machine.matches_at(place)? {
            return Ok(Some(machine.take_slots()));
        }
        match places.next() {
            Some(next) => place = next,
            None => return Ok(None),
        }
    }
}

/// Returns the first match of a pattern that needs no machine.
fn plain(
    program: &Program,
    plain: PlainPattern,
    text: &str,
    start: usize,
) -> Result<Option<Slots>, LimitError> {
    let span = find_plain(program, plain, text.as_bytes(), start);
    let Some((first, last)) = span else { return Ok(None) };
    let place = |at: usize| match u32::try_from(at) {
        Ok(at) if at < NOWHERE => Ok(at),
        _ => Err(LimitError::Text),
    };
    Ok(Some(smallvec![(place(first)?, place(last)?)]))
}

/// Returns start and end of all matches that don't overlap, if the pattern needs no machine.
pub(crate) fn plain_matches<'t>(
    program: &'t Program,
    text: &'t str,
) -> Option<impl Iterator<Item = (usize, usize)> + 't> {
    let plain = program.plain?;
    let mut from = 0;
    Some(std::iter::from_fn(move || {
        let span = find_plain(program, plain, text.as_bytes(), from)?;
        from = span.1;
        Some(span)
    }))
}

/// Returns start and end of the first match from an offset on, for a pattern that needs no machine.
fn find_plain(
    program: &Program,
    plain: PlainPattern,
    text: &[u8],
    from: usize,
) -> Option<(usize, usize)> {
    let rest = text.get(from..)?;
    match (&program.start, plain) {
        (Start::Literal(finder), PlainPattern::Text(length)) => {
            let start = from + finder.find(rest)?;
            Some((start, start + length))
        }
        (Start::Bytes(set), PlainPattern::Character) => {
            let start = from + rest.iter().position(|&byte| set.0[usize::from(byte)])?;
            Some((start, start + crate::exec::length(text[start])))
        }
        _ => None,
    }
}

/// An iterator over the offsets at which a match may begin.
struct StartOffsets<'p, 't> {
    program: &'p Program,
    text: &'t [u8],
    /// The first offset that was not returned yet; behind the text if none is left.
    next: usize,
    search_start: usize,
}

impl StartOffsets<'_, '_> {
    fn next(&mut self) -> Option<usize> {
        let rest = self.text.get(self.next..)?;
        let place = match &self.program.start {
            Start::Anywhere => self.next,
            Start::Text => (self.next == 0).then_some(0)?,
            Start::Search => (self.next == self.search_start).then_some(self.next)?,
            Start::Line => self.line_start(rest)?,
            Start::Literal(finder) => self.next + finder.find(rest)?,
            Start::Bytes(set) => {
                let is_wanted = |byte: &u8| set.0[usize::from(*byte)];
                self.next + rest.iter().position(is_wanted)?
            }
        };
        self.next = place + self.text.get(place).map_or(1, |&byte| crate::exec::length(byte));
        Some(place)
    }

    fn line_start(&self, rest: &[u8]) -> Option<usize> {
        if self.next == 0 || self.text[self.next - 1] == b'\n' {
            return Some(self.next);
        }
        Some(self.next + memchr(b'\n', rest)? + 1)
    }
}
