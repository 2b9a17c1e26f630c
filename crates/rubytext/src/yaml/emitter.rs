//! Layout by libyaml's rules: indentation, indicators, and scalars in each style.

use super::analysis::{is_break, is_printable};
use std::fmt::Write;

/// The style of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScalarStyle {
    Plain,
    Single,
    Double,
    Literal,
    Folded,
}

/// Writes lines and tracks the column.
#[derive(Debug)]
pub(super) struct Emitter {
    pub(super) out: String,
    column: usize,
    /// The current indentation; -1 outside of the document.
    pub(super) indent: i32,
    pub(super) best_indent: i32,
    pub(super) best_width: usize,
    /// Set if the last character is a space, or the start of a line.
    whitespace: bool,
    /// Set if there is only indentation on this line.
    pub(super) indention: bool,
    /// Set if the text ends in line breaks that belong to it.
    pub(super) open_ended: bool,
}

impl Emitter {
    pub(super) fn new(best_indent: i32, best_width: usize) -> Self {
        Self {
            out: String::new(),
            column: 0,
            indent: -1,
            best_indent,
            best_width,
            whitespace: true,
            indention: true,
            open_ended: false,
        }
    }

    fn put(&mut self, c: char) {
        self.out.push(c);
        self.column += 1;
    }

    fn put_break(&mut self) {
        self.out.push('\n');
        self.column = 0;
    }

    fn write_break(&mut self, c: char) {
        self.out.push(c);
        self.column = 0;
    }

    /// Increases the indentation, and returns the old one to be restored.
    pub(super) fn increase_indent(&mut self, flow: bool, indentless: bool) -> i32 {
        let old = self.indent;
        if old < 0 {
            self.indent = if flow { self.best_indent } else { 0 };
        } else if !indentless {
            self.indent += self.best_indent;
        }
        old
    }

    /// Starts a line, unless the current one is empty up to the indentation.
    pub(super) fn write_indent(&mut self) {
        let indent = usize::try_from(self.indent).unwrap_or(0);
        if !self.indention || self.column > indent || (self.column == indent && !self.whitespace) {
            self.put_break();
        }
        let missing = indent.saturating_sub(self.column);
        self.out.extend(std::iter::repeat_n(' ', missing));
        self.column += missing;
        self.whitespace = true;
        self.indention = true;
    }

    pub(super) fn indicator(
        &mut self,
        text: &str,
        need_space: bool,
        is_space: bool,
        is_indention: bool,
    ) {
        if need_space && !self.whitespace {
            self.put(' ');
        }
        self.out.push_str(text);
        self.column += text.chars().count();
        self.whitespace = is_space;
        self.indention = self.indention && is_indention;
        self.open_ended = false;
    }

    /// Writes an anchor, an alias or a tag.
    pub(super) fn property(&mut self, text: &str) {
        self.indicator(text, true, false, false);
    }

    /// Writes the space behind an alias that is a key.
    pub(super) fn space(&mut self) {
        self.put(' ');
    }

    /// Writes a scalar. A key is never broken into lines.
    pub(super) fn scalar(&mut self, text: &str, style: ScalarStyle, is_key: bool) {
        match style {
            ScalarStyle::Plain => self.plain(text, !is_key),
            ScalarStyle::Single => self.single(text, !is_key),
            ScalarStyle::Double => self.double(text, !is_key),
            ScalarStyle::Literal => self.literal(text),
            ScalarStyle::Folded => self.folded(text),
        }
    }

    /// Writes a text of visible ASCII as a plain scalar.
    pub(super) fn word(&mut self, text: &str) {
        if !self.whitespace {
            self.out.push(' ');
            self.column += 1;
        }
        self.out.push_str(text);
        self.column += text.len();
        self.whitespace = false;
        self.indention = false;
    }

    fn is_wide(&self) -> bool {
        self.column > self.best_width
    }

    fn plain(&mut self, text: &str, allow_breaks: bool) {
        // An empty value leaves no space behind its key.
        if !self.whitespace && !text.is_empty() {
            self.put(' ');
        }
        self.lines(text, allow_breaks, false);
        if !text.is_empty() {
            self.whitespace = false;
        }
        self.indention = false;
    }

    fn single(&mut self, text: &str, allow_breaks: bool) {
        self.indicator("'", true, false, false);
        let breaks = self.lines(text, allow_breaks, true);
        if breaks {
            self.write_indent();
        }
        self.indicator("'", false, false, false);
        self.whitespace = false;
        self.indention = false;
    }

    /// Writes text, folded where it is too wide; true if it ends in a line break.
    fn lines(&mut self, text: &str, allow_breaks: bool, quoted: bool) -> bool {
        let is_simple = |byte: u8| byte.is_ascii_graphic() && byte != b'\'';
        if !text.is_empty() && text.bytes().all(is_simple) {
            // Neither a space nor a line break nor a quote: the text is written as it is.
            self.out.push_str(text);
            self.column += text.len();
            self.indention = false;
            return false;
        }
        let (mut spaces, mut breaks) = (false, false);
        let last = text.char_indices().next_back().map_or(0, |(at, _)| at);
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let next = chars.peek().map(|&(_, next)| next);
            if c == ' ' {
                let inside = !quoted || (at != 0 && at != last);
                if allow_breaks && !spaces && self.is_wide() && inside && next != Some(' ') {
                    self.write_indent();
                } else {
                    self.put(c);
                }
                spaces = true;
            } else if is_break(c) {
                if !breaks && c == '\n' {
                    self.put_break();
                }
                self.write_break(c);
                self.indention = true;
                breaks = true;
            } else {
                if breaks {
                    self.write_indent();
                }
                if quoted && c == '\'' {
                    self.put('\'');
                }
                self.put(c);
                self.indention = false;
                (spaces, breaks) = (false, false);
            }
        }
        breaks
    }

    fn double(&mut self, text: &str, allow_breaks: bool) {
        self.indicator("\"", true, false, false);
        if text.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\')) {
            // Neither a space nor anything to escape: the text is written as it is.
            self.out.push_str(text);
            self.column += text.len();
            self.end_double();
            return;
        }
        let mut spaces = false;
        let last = text.char_indices().next_back().map_or(0, |(at, _)| at);
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            if !is_printable(c) || is_break(c) || c == '"' || c == '\\' {
                self.escape(c);
                spaces = false;
            } else if c == ' ' {
                if allow_breaks && !spaces && self.is_wide() && at != 0 && at != last {
                    self.write_indent();
                    if chars.peek().is_some_and(|&(_, next)| next == ' ') {
                        self.put('\\');
                    }
                } else {
                    self.put(c);
                }
                spaces = true;
            } else {
                self.put(c);
                spaces = false;
            }
        }
        self.end_double();
    }

    fn end_double(&mut self) {
        self.indicator("\"", false, false, false);
        self.whitespace = false;
        self.indention = false;
    }

    fn escape(&mut self, c: char) {
        let start = self.out.len();
        let code = u32::from(c);
        // Writing to a `String` can't fail.
        let _ = match c {
            '\0' => self.out.write_str("\\0"),
            '\x07' => self.out.write_str("\\a"),
            '\x08' => self.out.write_str("\\b"),
            '\t' => self.out.write_str("\\t"),
            '\n' => self.out.write_str("\\n"),
            '\x0b' => self.out.write_str("\\v"),
            '\x0c' => self.out.write_str("\\f"),
            '\r' => self.out.write_str("\\r"),
            '\x1b' => self.out.write_str("\\e"),
            '"' => self.out.write_str("\\\""),
            '\\' => self.out.write_str("\\\\"),
            '\u{85}' => self.out.write_str("\\N"),
            '\u{2028}' => self.out.write_str("\\L"),
            '\u{2029}' => self.out.write_str("\\P"),
            _ if code <= 0xff => write!(self.out, "\\x{code:02X}"),
            _ if code <= 0xffff => write!(self.out, "\\u{code:04X}"),
            _ => write!(self.out, "\\U{code:08X}"),
        };
        self.column += self.out.len() - start;
    }

    /// Writes the part after `|` or `>`: the indentation if it is not evident, and the treatment of line breaks at the end.
    fn block_hints(&mut self, text: &str) {
        if text.starts_with(|c| c == ' ' || is_break(c)) {
            let hint = self.best_indent.to_string();
            self.indicator(&hint, false, false, false);
        }
        self.open_ended = false;
        let mut back = text.chars().rev();
        match (back.next(), back.next()) {
            (Some(last), None) if is_break(last) => self.keep(),
            (Some(last), Some(before)) if is_break(last) && is_break(before) => self.keep(),
            (Some(last), _) if is_break(last) => (),
            _ => self.indicator("-", false, false, false),
        }
    }

    fn keep(&mut self) {
        self.indicator("+", false, false, false);
        self.open_ended = true;
    }

    fn literal(&mut self, text: &str) {
        self.indicator("|", true, false, false);
        self.block_hints(text);
        self.put_break();
        self.indention = true;
        self.whitespace = true;
        let mut breaks = true;
        for c in text.chars() {
            if is_break(c) {
                self.write_break(c);
                self.indention = true;
                breaks = true;
            } else {
                if breaks {
                    self.write_indent();
                }
                self.put(c);
                self.indention = false;
                breaks = false;
            }
        }
    }

    fn folded(&mut self, text: &str) {
        self.indicator(">", true, false, false);
        self.block_hints(text);
        self.put_break();
        self.indention = true;
        self.whitespace = true;
        let (mut breaks, mut leading_spaces) = (true, true);
        for (at, c) in text.char_indices() {
            let rest = &text[at..];
            if is_break(c) {
                if !breaks && !leading_spaces && c == '\n' {
                    let behind = rest.trim_start_matches(is_break).chars().next();
                    if behind.is_some_and(|c| c != ' ' && c != '\t') {
                        self.put_break();
                    }
                }
                self.write_break(c);
                self.indention = true;
                breaks = true;
            } else {
                if breaks {
                    self.write_indent();
                    leading_spaces = c == ' ' || c == '\t';
                }
                let next = rest.chars().nth(1);
                if !breaks && c == ' ' && next != Some(' ') && self.is_wide() {
                    self.write_indent();
                } else {
                    self.put(c);
                }
                self.indention = false;
                breaks = false;
            }
        }
    }
}
