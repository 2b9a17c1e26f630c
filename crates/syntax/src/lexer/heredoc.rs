//! `@(END)` and the text below it.

use kukla_base::{Diagnostic, Span};

use super::strings::StringStyle;
use super::{Lexer, Output, SubText, chars, offset};
use crate::ast::Text;
use crate::escapes::Escapes;
use crate::issues;
use crate::token::TokenKind;

/// The number of errors after which an invalid heredoc ends the lexing: the search for the end of each reads the rest of
/// the text.
const MAX_FAULTY: usize = 100;

/// The text between `@(` and `)`.
struct Header<'t> {
    end_tag: &'t str,
    syntax: &'t str,
    interpolate: bool,
    escapes: Escapes,
}

/// The line that ends a heredoc.
struct EndLine<'t> {
    margin: Option<&'t str>,
    remove_break: bool,
}

/// The lines of a heredoc.
struct HeredocBody<'t> {
    start: usize,
    /// The offset of the end line.
    end: usize,
    /// The offset after the end line.
    next_line: usize,
    end_line: EndLine<'t>,
}

impl<'t> Lexer<'t, '_> {
    /// Pushes `HEREDOC`, `SUBLOCATE` and the tokens of the text, and continues after the `)`.
    #[inline(never)]
    pub(super) fn heredoc(&mut self) {
        let start = self.pos;
        if self.subtext.is_some() {
            let span = self.global(Span::new(offset(start), 2));
            return self.error(issues::nested_heredoc(span), self.bytes.len());
        }
        let Some(length) = memchr::memchr(b')', &self.bytes[start..]) else {
            let followed_by = self.followed_by(start);
            let span = self.global(Span::new(offset(start), 2));
            let diagnostic = issues::heredoc_unclosed_parenthesis(span, &followed_by);
            return self.error(diagnostic, self.bytes.len());
        };
        let end = start + length + 1;
        let parsed = self.header(start, end).and_then(|header| {
            let body = self.body(start, end, header.end_tag)?;
            Ok((header, body))
        });
        match parsed {
            Err(diagnostic) => {
                let goes_on = self.out.lexed.errors.len() < MAX_FAULTY;
                self.error(*diagnostic, if goes_on { end } else { self.bytes.len() });
            }
            Ok((header, body)) => {
                let syntax = self.out.ast.add_text(header.syntax);
                self.push_silently(TokenKind::Heredoc, start, end, syntax);
                self.newline_jump = Some(body.next_line);
                self.lex_body(&header, &body);
                self.pos = end;
                let last = self.out.lexed.tokens.last().map(|token| token.kind);
                if self.strings == 0 {
                    self.after = last.unwrap_or(TokenKind::Heredoc);
                }
            }
        }
    }

    /// Parses `@(end tag:syntax/escapes)`.
    fn header(&self, start: usize, end: usize) -> Result<Header<'t>, Box<Diagnostic>> {
        let text = self.text;
        let span = self.global(Span::between(offset(start), offset(end)));
        let place = self.global(Span::new(offset(end), 0)).start;
        let Some((tag, syntax, flags)) = first_parts(&text[start..end - 1]) else {
            return Err(issues::heredoc_invalid_syntax(span, place).into());
        };
        // Ruby's `strip` also removes NUL bytes at the end.
        let tag =
            tag.trim_matches(is_ruby_space).trim_end_matches('\0').trim_end_matches(is_ruby_space);
        let quoted = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"'));
        let end_tag = quoted.map_or(tag, |tag| tag.trim_matches(is_ruby_space));
        if end_tag.is_empty() {
            return Err(issues::heredoc_empty_endtag(span, place).into());
        }
        let escapes = match flags {
            None => Escapes::default(),
            Some(flags) => escapes(flags).map_err(|fault| {
                Box::new(match fault {
                    FlagFault::Twice(flags) => {
                        issues::heredoc_multiple_at_escapes(span, place, &flags)
                    }
                    FlagFault::Unknown(flag) => issues::heredoc_invalid_escape(span, place, flag),
                })
            })?,
        };
        Ok(Header { end_tag, syntax, interpolate: quoted.is_some(), escapes })
    }

    /// Finds the text, and the line that ends it.
    fn body(
        &self,
        start: usize,
        end: usize,
        end_tag: &str,
    ) -> Result<HeredocBody<'t>, Box<Diagnostic>> {
        let span = self.global(Span::between(offset(start), offset(end)));
        let text_start = match self.newline_jump {
            Some(position) => position,
            None => match memchr::memchr(b'\n', &self.bytes[end..]) {
                Some(length) => end + length + 1,
                None => {
                    let place = self.global(Span::new(offset(end), 0)).start;
                    return Err(issues::heredoc_without_text(span, place).into());
                }
            },
        };
        let mut line_start = text_start;
        while line_start < self.bytes.len() {
            let rest = &self.bytes[line_start..];
            let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |length| length + 1);
            let line = &self.text[line_start..line_start + length];
            if let Some(end_line) = end_line(line, end_tag) {
                let next_line = line_start + length;
                return Ok(HeredocBody { start: text_start, end: line_start, next_line, end_line });
            }
            line_start += length;
        }
        let place = self.global(Span::new(offset(text_start), 0)).start;
        Err(issues::heredoc_without_end_tagged_line(span, place, end_tag).into())
    }

    /// Lexes the text with a lexer of its own.
    fn lex_body(&mut self, header: &Header<'_>, body: &HeredocBody<'_>) {
        let raw = &self.text[body.start..body.end];
        let number = self.out.lexed.subtexts.len();
        let sub_token = Text { start: offset(number), len: 0 };
        match body.end_line.margin.filter(|margin| !margin.is_empty()) {
            None => {
                let text = if body.end_line.remove_break { without_break(raw) } else { raw };
                let base = self.base + offset(body.start);
                let sub = match body.end_line.margin {
                    None => SubText::plain(offset(body.start)),
                    Some(_) => SubText::with_margin(offset(body.start), text, &[]),
                };
                self.out.lexed.subtexts.push(sub);
                self.push_silently(TokenKind::Sublocate, body.start, body.end, sub_token);
                self.lex_text(text, base, number, header);
            }
            Some(margin) => {
                let (mut text, removed) = cut_margin(raw, margin);
                if body.end_line.remove_break {
                    text.truncate(without_break(&text).len());
                }
                let start = offset(body.start);
                let sub = SubText::with_margin(start, &text, &removed);
                self.out.lexed.subtexts.push(sub);
                self.push_silently(TokenKind::Sublocate, body.start, body.end, sub_token);
                let base = self.out.ast.add_text(&text).start;
                self.lex_text(&text, base, number, header);
            }
        }
    }

    fn lex_text(&mut self, text: &str, base: u32, number: usize, header: &Header<'_>) {
        if let Some((name, length)) = crate::bom::find(text.as_bytes()) {
            let diagnostic = issues::illegal_bom(name, &text.as_bytes()[..length]);
            // Drops HEREDOC and SUBLOCATE.
            let first = self.out.lexed.tokens.len() - 2;
            self.out.lexed.tokens.truncate(first);
            return self.error(diagnostic, self.pos);
        }
        let style =
            StringStyle { quoted: false, interpolate: header.interpolate, escapes: header.escapes };
        let first = self.out.lexed.tokens.len();
        let lexed = std::mem::take(&mut self.out.lexed);
        let output = Output { ast: &mut *self.out.ast, lexed };
        let mut lexer = Lexer::new(text, base, Some(number), self.tasks, output);
        lexer.strings = self.strings + 1;
        lexer.string_start = if self.strings == 0 { first - 2 } else { self.string_start };
        lexer.interpolated(style, 0);
        self.out.lexed = lexer.out.lexed;
        let tokens = &self.out.lexed.tokens;
        if let Some(error) =
            tokens[first..].iter().find(|token| token.kind == TokenKind::Error).copied()
        {
            // Drops HEREDOC and SUBLOCATE too.
            self.out.lexed.tokens.truncate(first - 2);
            self.out.lexed.tokens.push(error);
        }
    }
}

/// An error in the escapes of a heredoc.
enum FlagFault {
    Twice(String),
    Unknown(char),
}

/// Splits `@(tag:syntax/flags`, from the first `@(` on for which that is possible.
fn first_parts(header: &str) -> Option<(&str, &str, Option<&str>)> {
    // The text after a tag is the same for all openings before it, and refused only once.
    let mut refused = 0;
    header.match_indices("@(").map(|(at, _)| at + 2).find_map(|at| {
        if at < refused {
            return None;
        }
        let inner = &header[at..];
        refused = at + tag_length(inner);
        parts(inner)
    })
}

fn tag_length(inner: &str) -> usize {
    inner.find([':', '/', '\r', '\n']).unwrap_or(inner.len())
}

/// Splits `tag:syntax/flags`.
fn parts(inner: &str) -> Option<(&str, &str, Option<&str>)> {
    let (tag, mut rest) = inner.split_at(tag_length(inner));
    if tag.is_empty() {
        return None;
    }
    let mut syntax = "";
    if let Some(after) = rest.strip_prefix(':') {
        let after = after.trim_start_matches(chars::is_blank);
        let allowed = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '+';
        let length = after.find(|char| !allowed(char)).unwrap_or(after.len());
        syntax = &after[..length];
        if length < 2 || !syntax.starts_with(|first: char| first.is_ascii_lowercase()) {
            return None;
        }
        rest = after[length..].trim_start_matches(chars::is_blank);
    }
    let Some(after) = rest.strip_prefix('/') else {
        return rest.is_empty().then_some((tag, syntax, None));
    };
    let allowed = |char: char| char.is_ascii_alphanumeric() || char == '_' || char == '$';
    let length = after.find(|char| !allowed(char)).unwrap_or(after.len());
    let is_end = after[length..].trim_start_matches(chars::is_blank).is_empty();
    is_end.then_some((tag, syntax, Some(&after[..length])))
}

fn escapes(flags: &str) -> Result<Escapes, FlagFault> {
    let flags = if flags.is_empty() { "trnsuL$" } else { flags };
    let twice = flags.char_indices().any(|(at, flag)| flags[..at].contains(flag));
    if twice {
        let list: Vec<String> = flags.chars().map(String::from).collect();
        return Err(FlagFault::Twice(list.join(", ")));
    }
    let mut escapes = Escapes { backslash: true, ..Escapes::default() };
    for flag in flags.chars() {
        match flag {
            't' => escapes.tab = true,
            'r' => escapes.carriage_return = true,
            'n' => escapes.newline = true,
            's' => escapes.space = true,
            'u' => escapes.unicode = true,
            '$' => escapes.dollar = true,
            'L' => escapes.line_end = true,
            other => return Err(FlagFault::Unknown(other)),
        }
    }
    Ok(escapes)
}

/// Parses the line that ends a heredoc: it ends with the tag, with `|` or `-` or both before it.
///
/// As in Puppet, any text may precede that.
fn end_line<'l>(line: &'l str, end_tag: &str) -> Option<EndLine<'l>> {
    let line = line.strip_suffix('\n').unwrap_or(line);
    let line = line.strip_suffix('\r').unwrap_or(line);
    let before = line.trim_end_matches(chars::is_blank).strip_suffix(end_tag)?;
    let trimmed = before.trim_end_matches(chars::is_blank);
    let without_dash = trimmed.strip_suffix('-');
    let remove_break = without_dash.is_some();
    let rest = without_dash.map_or(trimmed, |rest| rest.trim_end_matches(chars::is_blank));
    let margin = rest.strip_suffix('|').map(|leading| {
        let text = leading.trim_end_matches(chars::is_blank);
        &leading[text.len()..]
    });
    Some(EndLine { margin, remove_break })
}

/// Removes the margin; returns the text, and the number of characters removed from each line.
///
/// As in Puppet, a line with text in the margin stays as it is.
fn cut_margin(raw: &str, margin: &str) -> (String, Vec<u32>) {
    let mut text = String::with_capacity(raw.len());
    let mut removed = Vec::new();
    let width = offset(margin.chars().count());
    for line in raw.split_inclusive('\n') {
        match line.strip_prefix(margin) {
            Some(rest) => {
                text.push_str(rest);
                removed.push(width);
            }
            None => {
                text.push_str(line);
                removed.push(0);
            }
        }
    }
    (text, removed)
}

fn without_break(text: &str) -> &str {
    match text.strip_suffix('\n') {
        Some(text) => text.strip_suffix('\r').unwrap_or(text),
        None => text,
    }
}

/// Returns true for a character that Ruby's `strip` removes.
fn is_ruby_space(char: char) -> bool {
    matches!(char, ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | '\0')
}
