//! Quoted strings, and interpolation in them and in heredocs.

use kukla_base::{Diagnostic, Span};

use super::{Lexer, offset};
use crate::ast::Text;
use crate::escapes::{self, Escapes};
use crate::issues;
use crate::token::TokenKind;

/// The maximum nesting of strings in interpolations.
const MAX_NESTED_STRINGS: u32 = 100;

/// The end and the escapes of a text with interpolation.
#[derive(Clone, Copy)]
pub(super) struct StringStyle {
    pub(super) quoted: bool,
    pub(super) interpolate: bool,
    pub(super) escapes: Escapes,
}

const DOUBLE_QUOTED: StringStyle =
    StringStyle { quoted: true, interpolate: true, escapes: Escapes::DOUBLE_QUOTED };

/// A double-quoted string of PDL.
const DATA: StringStyle = StringStyle { quoted: true, interpolate: true, escapes: Escapes::DATA };

/// The end of a piece of text.
enum Terminator {
    /// The closing quote, or the end of a heredoc's text.
    End,
    /// `${`
    Brace,
    /// `$name`, with the end of the name.
    Variable(usize),
}

/// The context before a piece of text.
#[derive(Clone, Copy)]
enum PieceContext {
    Quote,
    /// `$name`, with the start of the name.
    Variable(usize),
    /// `${…}`
    Expression,
}

/// A piece of a string: a slice of the source, or text that was built.
struct Piece {
    start: usize,
    end: usize,
    built: Option<String>,
}

impl Lexer<'_, '_> {
    /// Lexes `'text'`.
    pub(super) fn single_quoted(&mut self) {
        let start = self.pos;
        let (mut at, mut has_escapes) = self.after_quoted_quote(start + 1, b"'");
        loop {
            match memchr::memchr2(b'\'', b'\\', &self.bytes[at.min(self.bytes.len())..]) {
                None => {
                    let opening = Span::new(offset(start), 1);
                    return self.unclosed_quote(opening, start + 1, "\"'\"");
                }
                Some(offset) if self.bytes[at + offset] == b'\'' => {
                    at += offset;
                    break;
                }
                Some(offset) => {
                    at += offset + 2;
                    has_escapes = true;
                }
            }
        }
        let text = if has_escapes {
            self.out.ast.add_text(&escapes::single_quoted(&self.text[start + 1..at]))
        } else {
            self.slice(start + 1, at)
        };
        self.push(TokenKind::String, start, at + 1, text);
        self.pos = at + 1;
    }

    /// Lexes `"text ${expression} $variable"`.
    #[inline(never)]
    pub(super) fn double_quoted(&mut self) {
        let start = self.pos;
        if self.strings >= MAX_NESTED_STRINGS {
            let span = self.global(Span::new(offset(start), 1));
            return self.error(issues::too_deep(span), self.bytes.len());
        }
        let first = self.out.lexed.tokens.len();
        if self.strings == 0 {
            self.string_start = first;
            self.warnings_at_error = None;
        }
        self.pos += 1;
        self.strings += 1;
        self.interpolated(if self.is_data { DATA } else { DOUBLE_QUOTED }, start);
        self.strings -= 1;
        if self.strings == 0 {
            self.hoist_error(first, start);
        }
    }

    /// Replaces all tokens of a string by its first error: that is where Puppet fails.
    fn hoist_error(&mut self, first: usize, start: usize) {
        let tokens = &self.out.lexed.tokens[first..];
        if tokens.len() > 1
            && let Some(error) = tokens.iter().find(|token| token.kind == TokenKind::Error).copied()
        {
            self.out.lexed.tokens.truncate(first);
            self.push(TokenKind::Error, start, self.pos, error.text);
            let warnings = &mut self.out.lexed.warnings;
            warnings.truncate(self.warnings_at_error.unwrap_or(warnings.len()));
        }
    }

    /// Pushes the tokens of a string or heredoc whose text starts at the current position.
    ///
    /// `start` is the start of its first token: the quote.
    pub(super) fn interpolated(&mut self, style: StringStyle, start: usize) {
        let mut part_start = start;
        let mut kind = TokenKind::DqPre;
        let mut before = PieceContext::Quote;
        loop {
            let Some((text, terminator)) = self.text_part(style, start, before) else { return };
            match terminator {
                Terminator::End if kind == TokenKind::DqPre => {
                    return self.push(TokenKind::String, part_start, self.pos, text);
                }
                Terminator::End => {
                    self.push_silently(TokenKind::DqPost, part_start, self.pos, text);
                    if self.strings == 1 {
                        self.after = TokenKind::DqPost;
                    }
                    return;
                }
                Terminator::Brace => {
                    self.push_silently(kind, part_start, self.pos, text);
                    self.interpolation();
                    before = PieceContext::Expression;
                }
                Terminator::Variable(end) => {
                    let dollar = self.pos - 1;
                    self.push_silently(kind, part_start, dollar, text);
                    let name = self.slice(dollar + 1, end);
                    self.push_silently(TokenKind::Variable, dollar, end, name);
                    self.pos = end;
                    before = PieceContext::Variable(dollar + 1);
                }
            }
            part_start = self.pos;
            kind = TokenKind::DqMid;
        }
    }

    /// Pushes the text up to the next interpolation or the end; a `$` that starts no variable is text.
    ///
    /// `start` is the start of the whole string.
    fn text_part(
        &mut self,
        style: StringStyle,
        start: usize,
        before: PieceContext,
    ) -> Option<(Text, Terminator)> {
        let mut text: Option<Piece> = None;
        let mut false_variable = false;
        loop {
            let Some((piece, terminator)) = self.slurp(style) else {
                let last = match before {
                    _ if false_variable => "",
                    PieceContext::Quote => "\"",
                    PieceContext::Variable(name) => &self.text[name..self.pos],
                    PieceContext::Expression => self.last_match(),
                };
                let after = issues::quoted(last);
                let opening = Span::new(offset(start), u32::from(style.quoted));
                self.unclosed_quote(opening, self.pos, &after);
                return None;
            };
            let piece = match text {
                None => piece,
                Some(before) => self.join(before, &piece),
            };
            let terminator = match terminator {
                SlurpEnd::End => Terminator::End,
                SlurpEnd::Brace => Terminator::Brace,
                SlurpEnd::Dollar => match self.scan_variable(self.pos) {
                    Some(end) => Terminator::Variable(end),
                    None => {
                        false_variable = true;
                        text = Some(piece);
                        continue;
                    }
                },
            };
            let text = match piece.built {
                None => self.slice(piece.start, piece.end),
                Some(built) => self.out.ast.add_text(&built),
            };
            return Some((text, terminator));
        }
    }

    /// Joins two pieces with a dollar sign between them.
    fn join(&self, before: Piece, piece: &Piece) -> Piece {
        if before.built.is_none() && piece.built.is_none() {
            return Piece { start: before.start, end: piece.end, built: None };
        }
        // Appends in place, so that text with many dollar signs is not copied at each.
        let mut text =
            before.built.unwrap_or_else(|| self.text[before.start..before.end].to_owned());
        text.push('$');
        text.push_str(piece.built.as_deref().unwrap_or(&self.text[piece.start..piece.end]));
        Piece { start: before.start, end: piece.end, built: Some(text) }
    }

    /// Scans text up to and with the next terminator.
    fn slurp(&mut self, style: StringStyle) -> Option<(Piece, SlurpEnd)> {
        let start = self.pos;
        let (end, terminator, has_escapes) = self.find_terminator(style)?;
        let length = match terminator {
            SlurpEnd::End => usize::from(style.quoted),
            SlurpEnd::Dollar => 1,
            SlurpEnd::Brace => 2,
        };
        self.pos = end + length;
        let built = if has_escapes { self.unescape(start, end, style) } else { None };
        Some((Piece { start, end, built }, terminator))
    }

    /// Returns the end of the text from the current position on, its terminator, and whether it has backslashes.
    fn find_terminator(&self, style: StringStyle) -> Option<(usize, SlurpEnd, bool)> {
        let bytes = self.bytes;
        if !style.interpolate {
            let has_escapes = memchr::memchr(b'\\', &bytes[self.pos..]).is_some();
            return Some((bytes.len(), SlurpEnd::End, has_escapes));
        }
        let quote = if style.quoted { b'"' } else { b'$' };
        let (mut at, mut has_escapes) = match style.quoted {
            true => self.after_quoted_quote(self.pos, b"\"$"),
            false => (self.pos, false),
        };
        loop {
            let Some(offset) = memchr::memchr3(quote, b'$', b'\\', bytes.get(at..).unwrap_or(&[]))
            else {
                // Text that ends inside an escape has no end.
                let ends = !style.quoted && at <= bytes.len();
                return ends.then_some((bytes.len(), SlurpEnd::End, has_escapes));
            };
            at += offset;
            match bytes[at] {
                b'\\' => {
                    has_escapes = true;
                    at += if style.quoted || style.escapes.dollar { 2 } else { 1 };
                }
                b'"' if style.quoted => return Some((at, SlurpEnd::End, has_escapes)),
                _ if bytes.get(at + 1) == Some(&b'{') => {
                    return Some((at, SlurpEnd::Brace, has_escapes));
                }
                _ => return Some((at, SlurpEnd::Dollar, has_escapes)),
            }
        }
    }

    /// Returns the offset from which to search the end of text that starts at `at`, and whether backslashes were skipped.
    ///
    /// Puppet takes a quote at the very start for text if another terminator follows it: `'''` is a string with one quote in
    /// it. PDL does not.
    fn after_quoted_quote(&self, at: usize, terminators: &[u8]) -> (usize, bool) {
        if self.is_data || self.bytes.get(at) != terminators.first() {
            return (at, false);
        }
        let after = &self.bytes[at + 1..];
        let backslashes = after.iter().take_while(|&&byte| byte == b'\\').count();
        let ends = after.get(backslashes).is_some_and(|byte| terminators.contains(byte));
        if ends && backslashes.is_multiple_of(2) {
            (at + 1 + backslashes, backslashes > 0)
        } else {
            (at, false)
        }
    }

    /// Replaces the escapes of the text from `start` to `end`.
    #[inline(never)]
    fn unescape(&mut self, start: usize, end: usize, style: StringStyle) -> Option<String> {
        let terminator = end..self.pos;
        let raw = &self.text[start..self.pos];
        let unescaped = escapes::unescape(raw, terminator.len(), style.escapes);
        // Puppet's place of this warning is the end of the text.
        let place = self.global(Span::new(offset(self.pos), 0)).start;
        match unescaped {
            Ok(unescaped) => {
                for escape in unescaped.unrecognized {
                    let span = match escape.at {
                        Some(at) => Span::new(offset(start + at), escape.length()),
                        None => Span::between(offset(start), offset(end)),
                    };
                    let span = self.global(span);
                    if self.subtext.is_some() {
                        // Puppet fails while it computes the location.
                        let error = issues::illegal_heredoc_escape(span);
                        self.silent_error(error, start);
                        continue;
                    }
                    let warning = issues::unrecognized_escape(span, place, escape.char);
                    self.out.lexed.warnings.push((self.string_start, warning));
                }
                Some(unescaped.text)
            }
            Err(escapes::IllegalUnicode) => {
                let span = self.global(Span::between(offset(start), offset(end)));
                self.silent_error(issues::illegal_code_point(span), start);
                None
            }
        }
    }

    /// Pushes an error in the text of a string, which continues.
    fn silent_error(&mut self, diagnostic: Diagnostic, start: usize) {
        let text = self.error_text(diagnostic);
        self.push_silently(TokenKind::Error, start, self.pos, text);
    }

    /// Lexes `${ … }`: the tokens up to the closing brace, which is not one of them.
    fn interpolation(&mut self) {
        let open = self.braces;
        self.braces += 1;
        let first = self.out.lexed.tokens.len();
        while self.pos < self.bytes.len() {
            let before = self.out.lexed.tokens.len();
            self.token();
            let tokens = &mut self.out.lexed.tokens;
            let closes = tokens.len() == before + 1 && tokens[before].kind == TokenKind::RBrace;
            if closes && self.braces == open {
                tokens.pop();
                return self.name_to_variable(first);
            }
        }
    }

    /// Turns the name in `${name}`, `${name.…}` and `${name[…]}` into a variable.
    fn name_to_variable(&mut self, first: usize) {
        let is_data = self.is_data;
        let tokens = &mut self.out.lexed.tokens[first..];
        let is_variable = match tokens {
            [single] => single.kind.names_a_variable(),
            // In PDL a name that is not called is a variable: `${role == 'web'}`.
            [name, next, ..] if is_data => {
                name.kind.names_a_variable() && next.kind != TokenKind::LParen
            }
            [name, next, ..] => {
                name.kind.names_a_variable()
                    && matches!(next.kind, TokenKind::Dot | TokenKind::LBrack)
            }
            [] => false,
        };
        if is_variable {
            tokens[0].kind = TokenKind::Variable;
            if tokens[0].text.is_empty() {
                let span = tokens[0].span;
                tokens[0].text = Text { start: self.base + span.start, len: span.len };
            }
        }
    }
}

/// The end of a stretch of text.
enum SlurpEnd {
    End,
    Dollar,
    Brace,
}
