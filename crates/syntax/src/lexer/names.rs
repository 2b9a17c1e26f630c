//! Words, names, type names and variables.

use kukla_base::Span;

use super::chars::{is_lower, is_upper, is_word, skip_word};
use super::{Lexer, offset};
use crate::ast::Text;
use crate::issues;
use crate::token::TokenKind;

impl Lexer<'_, '_> {
    /// Lexes a name (`apache::vhost`), a keyword, or a word (`foo-bar`, `_private`).
    pub(super) fn bare_word(&mut self) {
        let start = self.pos;
        let (end, is_name) = self.scan_bare_word(start);
        let text = self.slice(start, end);
        let kind = if is_name {
            TokenKind::of_name(&self.bytes[start..end], self.tasks)
        } else {
            TokenKind::Word
        };
        self.push(kind, start, end, text);
        self.pos = end;
    }

    /// Returns the end of the bare word at `at`, and whether it is a name.
    ///
    /// Segments are joined by `::`. Those of a name start with a letter and have no hyphen.
    fn scan_bare_word(&self, mut at: usize) -> (usize, bool) {
        let bytes = self.bytes;
        let mut is_name = true;
        loop {
            is_name &= is_lower(bytes[at]);
            at = skip_word(bytes, at);
            if bytes.get(at) == Some(&b'-') {
                let end = self.scan_hyphenated(at);
                is_name &= end == at;
                at = end;
            }
            match bytes[at..] {
                [b':', b':', first, ..] if is_lower(first) || first == b'_' => at += 2,
                _ => return (at, is_name),
            }
        }
    }

    /// Returns the end of a segment that has hyphens; it does not end with one.
    fn scan_hyphenated(&self, mut at: usize) -> usize {
        let mut end = at;
        while at < self.bytes.len() && (self.bytes[at] == b'-' || is_word(self.bytes[at])) {
            at += 1;
            if self.bytes[at - 1] != b'-' {
                end = at;
            }
        }
        end
    }

    /// Lexes `Apache::Vhost`; `prefix` is the length of a leading `::`.
    pub(super) fn class_reference(&mut self, prefix: usize) {
        let start = self.pos;
        let mut end = skip_word(self.bytes, start + prefix);
        while let [b':', b':', first, ..] = self.bytes[end..]
            && is_upper(first)
        {
            end = skip_word(self.bytes, end + 2);
        }
        if self.bytes[end..].starts_with(b"::") {
            return self.illegal_class_reference(prefix, end);
        }
        let text = self.slice(start, end);
        self.push(TokenKind::ClassRef, start, end, text);
        self.pos = end;
    }

    /// Reports a type name with a segment that starts in lower case, or with none after `::`.
    #[cold]
    fn illegal_class_reference(&mut self, prefix: usize, end: usize) {
        let mut whole = end;
        while self.bytes.get(whole).is_some_and(|&byte| is_word(byte) || byte == b':') {
            whole += 1;
        }
        let text = self.global(Span::between(offset(self.pos), offset(whole)));
        let at = end + if prefix == 0 { 1 } else { 3 };
        let place = self.global(Span::new(offset(at), 0)).start;
        let diagnostic = if prefix == 0 {
            issues::illegal_class_reference(text, place)
        } else if at > self.bytes.len() {
            issues::unfinished_class_reference(text)
        } else {
            issues::illegal_fully_qualified_class_reference(text, place)
        };
        self.error(diagnostic, whole);
    }

    /// Lexes `:`, `::name` or `::Type`.
    pub(super) fn colon(&mut self) {
        match self.bytes[self.pos + 1..] {
            [b':', first, ..] if is_upper(first) => self.class_reference(2),
            [b':', first, ..] if is_lower(first) || first == b'_' => {
                let start = self.pos;
                let (end, is_name) = self.scan_bare_word(start + 2);
                let kind = if is_name { TokenKind::Name } else { TokenKind::Word };
                let text = self.slice(start, end);
                self.push(kind, start, end, text);
                self.pos = end;
            }
            [b':', ..] => {
                let text = self.global(Span::new(offset(self.pos), 2));
                self.error(issues::illegal_fully_qualified_name(text), self.pos + 2);
            }
            _ => self.sign(TokenKind::Colon, 1),
        }
    }

    /// Lexes `$name`, or a dollar sign alone, which validation reports.
    pub(super) fn variable(&mut self) {
        let start = self.pos;
        let end = self.scan_variable(start + 1).unwrap_or(start + 1);
        let text = if end == start + 1 { Text::default() } else { self.slice(start + 1, end) };
        self.push(TokenKind::Variable, start, end, text);
        self.pos = end;
    }

    /// Returns the end of the variable name at `at`, if there is one: `a`, `a::b`, `::a`, `1`.
    pub(super) fn scan_variable(&self, mut at: usize) -> Option<usize> {
        if self.bytes[at..].starts_with(b"::") {
            at += 2;
        }
        let mut end = skip_word(self.bytes, at);
        if end == at {
            return None;
        }
        while let [b':', b':', first, ..] = self.bytes[end..]
            && is_word(first)
        {
            end = skip_word(self.bytes, end + 2);
        }
        Some(end)
    }
}
