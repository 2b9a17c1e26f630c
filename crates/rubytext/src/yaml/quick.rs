//! Fast path for plain YAML, without libyaml.
//!
//! Covers mappings and sequences in lines, scalars of one line, literal blocks, and lists and hashes in brackets on one line.
//! For all other texts, and for invalid ones, [`events`] gives up, and libyaml is the fallback.
//!
//! Invariant: libyaml gives the same events for every text that is accepted here.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use super::event::{Event, EventKind};

/// The maximum nesting of collections; deeper texts are left to libyaml.
const MAX_DEPTH: usize = 64;
/// The maximum length of a key.
const MAX_KEY: usize = 1000;

/// Returns the events of a text that is one plain document; `None` if it is not.
pub(super) fn events(text: &str) -> Option<Vec<Event<'_>>> {
    if !is_printable(text) {
        return None;
    }
    let events = Vec::with_capacity(text.len() / 12);
    let mut reader = Reader { text, events, line: None, next: 0, number: 0, depth: 0 };
    reader.advance();
    if reader.line.is_some_and(|line| line.indent == 0 && line.text == "---") {
        reader.advance();
    }
    reader.block()?;
    reader.line.is_none().then_some(reader.events)
}

/// Returns true if a text has only characters without special rules: no tabs, no unusual line breaks.
fn is_printable(text: &str) -> bool {
    if text.bytes().all(|byte| matches!(byte, b'\n' | b' '..=b'~')) {
        return true;
    }
    text.chars().all(|c| match c {
        '\n' | ' '..='~' => true,
        '\u{2028}' | '\u{2029}' | '\u{feff}' => false,
        '\u{a0}'..='\u{fffd}' | '\u{10000}'.. => true,
        _ => false,
    })
}

/// A line that is not blank.
#[derive(Clone, Copy)]
struct Line<'t> {
    /// Counted from 0.
    number: usize,
    indent: usize,
    /// The text behind the indent.
    text: &'t str,
}

struct Reader<'t> {
    text: &'t str,
    events: Vec<Event<'t>>,
    /// The current line; `None` at the end.
    line: Option<Line<'t>>,
    /// The offset of the next line, and its number.
    next: usize,
    number: usize,
    depth: usize,
}

impl<'t> Reader<'t> {
    /// Returns the next line, blank ones too.
    fn raw_line(&mut self) -> Option<&'t str> {
        let rest = self.text.get(self.next..).filter(|rest| !rest.is_empty())?;
        let length = rest.as_bytes().iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        self.next += length + 1;
        self.number += 1;
        Some(&rest[..length])
    }

    /// Goes to the next line that is neither blank nor a comment.
    fn advance(&mut self) {
        self.line = None;
        while let Some(line) = self.raw_line() {
            let indent = indent(line);
            let text = &line[indent..];
            if !text.is_empty() && !text.starts_with('#') {
                self.line = Some(Line { number: self.number - 1, indent, text });
                return;
            }
        }
    }

    fn push(&mut self, kind: EventKind<'t>) {
        let line = self.line.map_or(0, |line| line.number);
        self.events.push(Event { kind, line });
    }

    fn scalar(&mut self, value: Cow<'t, str>, is_plain: bool) {
        self.push(EventKind::Scalar { value, is_plain, marks: None });
    }

    /// Reads the mapping or sequence that starts here.
    fn block(&mut self) -> Option<()> {
        let line = self.line?;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        match is_item(line.text) {
            true => self.sequence(line.indent)?,
            false => self.mapping(line.indent)?,
        }
        self.depth -= 1;
        // A line further to the right belongs to a construct that is not supported here.
        self.line.is_none_or(|behind| behind.indent <= line.indent).then_some(())
    }

    fn mapping(&mut self, indent: usize) -> Option<()> {
        self.push(EventKind::MappingStart(None));
        while let Some(line) = self.line.filter(|line| line.indent == indent) {
            let (key, is_plain, rest) = key(line.text)?;
            self.scalar(key, is_plain);
            let rest = rest.trim_start_matches(' ');
            if !is_nothing(rest) {
                self.inline(rest, indent)?;
                continue;
            }
            self.advance();
            let is_list = |next: Line<'_>| next.indent == indent && is_item(next.text);
            match self.line {
                Some(next) if next.indent > indent || is_list(next) => self.block()?,
                _ => self.scalar(Cow::Borrowed(""), true),
            }
        }
        self.push(EventKind::MappingEnd);
        Some(())
    }

    fn sequence(&mut self, indent: usize) -> Option<()> {
        self.push(EventKind::SequenceStart(None));
        let is_own = |line: &Line<'_>| line.indent == indent && is_item(line.text);
        while let Some(line) = self.line.filter(is_own) {
            let rest = line.text[1..].trim_start_matches(' ');
            if is_nothing(rest) {
                self.advance();
                match self.line {
                    Some(next) if next.indent > indent => self.block()?,
                    _ => self.scalar(Cow::Borrowed(""), true),
                }
            } else if is_item(rest) || key(rest).is_some() {
                // Its first entry continues in the lines below, in the same column.
                let indent = indent + line.text.len() - rest.len();
                self.line = Some(Line { indent, text: rest, ..line });
                self.block()?;
            } else {
                self.inline(rest, indent)?;
            }
        }
        self.push(EventKind::SequenceEnd);
        Some(())
    }

    /// Reads a value that starts on this line; nothing may be further to the right than its container.
    fn inline(&mut self, text: &'t str, indent: usize) -> Option<()> {
        let rest = match text.as_bytes()[0] {
            b'|' => return self.literal(text, indent),
            b'[' | b'{' => self.flow(text, 0)?,
            b'\'' | b'"' => {
                let (value, rest) = quoted(text)?;
                self.scalar(value, false);
                rest
            }
            _ => {
                self.scalar(Cow::Borrowed(plain(text)?), true);
                ""
            }
        };
        let behind = rest.trim_start_matches(' ');
        if !(behind.is_empty() || behind.len() < rest.len() && behind.starts_with('#')) {
            return None;
        }
        self.advance();
        self.line.is_none_or(|line| line.indent <= indent).then_some(())
    }

    /// Reads `|`, and the lines below that are further to the right.
    fn literal(&mut self, header: &str, outer: usize) -> Option<()> {
        let keeps_end = match header {
            "|" => true,
            "|-" => false,
            _ => return None,
        };
        if !self.text.ends_with('\n') {
            return None;
        }
        let (mut value, mut n_blank, mut own) = (String::new(), 0, None);
        loop {
            let before = (self.next, self.number);
            let Some(line) = self.raw_line() else { break };
            let spaces = indent(line);
            let own = *own.get_or_insert(spaces);
            if spaces == line.len() {
                // A blank first line, or leading spaces that are content.
                if value.is_empty() || spaces > own {
                    return None;
                }
                n_blank += 1;
                continue;
            }
            if own <= outer {
                return None;
            }
            if spaces < own {
                (self.next, self.number) = before;
                break;
            }
            value.extend(std::iter::repeat_n('\n', n_blank));
            n_blank = 0;
            value.push_str(&line[own..]);
            value.push('\n');
        }
        if value.is_empty() {
            return None;
        }
        if !keeps_end {
            value.pop();
        }
        self.scalar(Cow::Owned(value), false);
        self.advance();
        self.line.is_none_or(|line| line.indent <= outer).then_some(())
    }

    /// Reads a list or hash in brackets, and returns the text behind it.
    fn flow(&mut self, text: &'t str, depth: usize) -> Option<&'t str> {
        if depth > MAX_DEPTH {
            return None;
        }
        match text.as_bytes().first()? {
            b'[' => {
                self.push(EventKind::SequenceStart(None));
                let rest = self
                    .flow_entries(&text[1..], ']', |reader, text| reader.flow(text, depth + 1))?;
                self.push(EventKind::SequenceEnd);
                Some(rest)
            }
            b'{' => {
                self.push(EventKind::MappingStart(None));
                let rest = self.flow_entries(&text[1..], '}', |reader, text| {
                    let rest = reader.flow_scalar(text)?;
                    let value = rest.strip_prefix(": ")?.trim_start_matches(' ');
                    reader.flow(value, depth + 1)
                })?;
                self.push(EventKind::MappingEnd);
                Some(rest)
            }
            _ => self.flow_scalar(text),
        }
    }

    fn flow_entries(
        &mut self,
        text: &'t str,
        end: char,
        mut entry: impl FnMut(&mut Self, &'t str) -> Option<&'t str>,
    ) -> Option<&'t str> {
        let mut rest = text.trim_start_matches(' ');
        if let Some(rest) = rest.strip_prefix(end) {
            return Some(rest);
        }
        loop {
            rest = entry(self, rest)?.trim_start_matches(' ');
            if let Some(rest) = rest.strip_prefix(end) {
                return Some(rest);
            }
            rest = rest.strip_prefix(',')?.trim_start_matches(' ');
        }
    }

    fn flow_scalar(&mut self, text: &'t str) -> Option<&'t str> {
        if text.starts_with(['\'', '"']) {
            let (value, rest) = quoted(text)?;
            self.scalar(value, false);
            return Some(rest);
        }
        let is_start = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '/' | '.');
        let is_inner = |c: char| is_start(c) || matches!(c, '-' | '+' | '@' | '=' | ' ');
        let first = text.strip_prefix('-').unwrap_or(text);
        if !first.starts_with(is_start) {
            return None;
        }
        let end = text.find(|c| !is_inner(c))?;
        let value = text[..end].trim_end_matches(' ');
        self.scalar(Cow::Borrowed(value), true);
        Some(&text[value.len()..])
    }
}

fn indent(line: &str) -> usize {
    line.bytes().take_while(|byte| *byte == b' ').count()
}

/// Returns true for `- item`.
fn is_item(text: &str) -> bool {
    text == "-" || text.starts_with("- ")
}

/// Returns true for an empty text, or a comment behind a space.
fn is_nothing(text: &str) -> bool {
    text.is_empty() || text.starts_with('#')
}

/// Splits off the key at the start of a line; returns whether it is plain, and the text after its colon.
fn key(text: &str) -> Option<(Cow<'_, str>, bool, &str)> {
    if text.starts_with(['\'', '"']) {
        let (key, rest) = quoted(text)?;
        let is_short = text.len() - rest.len() <= MAX_KEY;
        let rest = rest.strip_prefix(':')?;
        let fits = rest.is_empty() || rest.starts_with(' ');
        return (fits && is_short).then_some((key, false, rest));
    }
    if text.starts_with("---") || text.starts_with("...") || !is_plain_start(text) {
        return None;
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        match bytes.get(at)? {
            b':' if matches!(bytes.get(at + 1), None | Some(b' ')) => break,
            b' ' if matches!(bytes.get(at + 1), Some(b'#' | b':')) => return None,
            _ => at += 1,
        }
    }
    (at <= MAX_KEY).then(|| (Cow::Borrowed(&text[..at]), true, &text[at + 1..]))
}

/// Returns true if a plain scalar may start like this.
fn is_plain_start(text: &str) -> bool {
    match text.as_bytes() {
        [b'-', second, ..] => *second != b' ',
        [first, ..] => !b"-?:,[]{}#&*!|>'\"%@`".contains(first),
        [] => false,
    }
}

/// Returns a plain scalar that ends with its line, or before a comment.
fn plain(text: &str) -> Option<&str> {
    if !is_plain_start(text) {
        return None;
    }
    let bytes = text.as_bytes();
    let mut end = bytes.len();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b':' if matches!(bytes.get(at + 1), None | Some(b' ')) => return None,
            b'#' if at > 0 && bytes[at - 1] == b' ' => {
                end = at;
                break;
            }
            _ => (),
        }
    }
    Some(text[..end].trim_end_matches(' '))
}

/// Reads a scalar in quotes, and returns the text behind it.
fn quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let quote = text.chars().next()?;
    let inner = &text[1..];
    let special: &[char] = if quote == '"' { &['"', '\\'] } else { &['\''] };
    let end = inner.find(special)?;
    let behind = &inner[end + 1..];
    if inner[end..].starts_with(quote) && !(quote == '\'' && behind.starts_with('\'')) {
        return Some((Cow::Borrowed(&inner[..end]), behind));
    }
    let mut value = String::new();
    let mut rest = inner;
    loop {
        let end = rest.find(special)?;
        value.push_str(&rest[..end]);
        let mut behind = rest[end..].chars();
        let pair = (behind.next()?, behind.next());
        value.push(match pair {
            ('\'', Some('\'')) => '\'',
            ('\\', Some(c @ ('\\' | '"'))) => c,
            ('\\', Some('n')) => '\n',
            ('\\', Some('t')) => '\t',
            ('\\', _) => return None,
            _ => return Some((Cow::Owned(value), &rest[end + 1..])),
        });
        rest = behind.as_str();
    }
}
