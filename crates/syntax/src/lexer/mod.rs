//! The lexer.
//!
//! Start at [`lex`]. The whole text is lexed before the parser starts. Text that is no token becomes a
//! [`TokenKind::Error`]; the parser reports it when it gets there, so that the first error of a file is the one that Puppet
//! would report.
//!
//! Double-quoted strings, heredocs and templates are flattened into the same list of tokens
//! ([`strings`], [`heredoc`], [`epp`]), as Puppet's own lexer does.

mod chars;
mod data;
mod epp;
mod heredoc;
mod names;
mod numbers;
mod strings;
mod subtext;
mod unclosed;

pub(crate) use subtext::SubText;

use kukla_base::{Diagnostic, Span};

use crate::ast::{Ast, Text};
use crate::issues;
use crate::token::{Token, TokenKind};
use crate::{Language, Options};
use kukla_regex as regexp;

/// The result of lexing.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    /// The diagnostics of the `Error` tokens.
    pub(crate) errors: Vec<Diagnostic>,
    /// Warnings, each with the number of the token at which Puppet warns.
    pub(crate) warnings: Vec<(usize, Diagnostic)>,
    /// The texts of heredocs.
    pub(crate) subtexts: Vec<SubText>,
}

/// Lexes the source of `ast`, which receives strings that have to be built.
pub(crate) fn lex(source: &str, options: &Options, ast: &mut Ast) -> Lexed {
    let lexed = Lexed { tokens: Vec::with_capacity(source.len() / 8 + 8), ..Lexed::default() };
    let mut lexer = Lexer::new(source, 0, None, options.tasks, Output { ast, lexed });
    lexer.is_data = options.language.is_data();
    match options.language {
        Language::Manifest | Language::Data | Language::DataAccess => lexer.manifest(),
        Language::Template => lexer.template(),
    }
    let end = lexer.bytes.len();
    lexer.push_silently(TokenKind::End, end, end, Text::default());
    lexer.out.lexed
}

/// The collected tokens and built strings; passed on to the lexers of heredocs.
struct Output<'o> {
    ast: &'o mut Ast,
    lexed: Lexed,
}

/// The state of the lexer in one text.
struct Lexer<'t, 'o> {
    text: &'t str,
    bytes: &'t [u8],
    pos: usize,
    /// The offset of `text` in the text of the tree.
    base: u32,
    /// The heredoc that the text belongs to.
    subtext: Option<usize>,
    tasks: bool,
    /// Set for PDL, whose words and patterns are simpler.
    is_data: bool,
    /// The kind of the previous token.
    after: TokenKind,
    /// The number of open `{`; negative if more were closed, which the parser reports.
    braces: i64,
    /// The offset of the next line, if the text of heredocs lies between.
    newline_jump: Option<usize>,
    /// The offset of the current line.
    line_start: usize,
    /// The number of open strings with interpolation.
    strings: u32,
    /// The number of the first token of the outermost string.
    string_start: usize,
    /// The number of warnings at the first error in a string: Puppet never comes to later ones.
    warnings_at_error: Option<usize>,
    epp: epp::Mode,
    /// Set if no slash ahead can end a regular expression.
    no_regexps: bool,
    out: Output<'o>,
}

impl<'t, 'o> Lexer<'t, 'o> {
    fn new(text: &'t str, base: u32, subtext: Option<usize>, tasks: bool, out: Output<'o>) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            pos: 0,
            base,
            subtext,
            tasks,
            is_data: false,
            after: TokenKind::End,
            braces: 0,
            newline_jump: None,
            line_start: 0,
            strings: 0,
            string_start: 0,
            warnings_at_error: None,
            epp: epp::Mode::Off,
            no_regexps: false,
            out,
        }
    }

    fn manifest(&mut self) {
        while self.pos < self.bytes.len() {
            self.token();
        }
    }

    /// Skips white space and comments and lexes one token; strings and heredocs give several tokens.
    fn token(&mut self) {
        use TokenKind as T;
        self.blanks();
        let Some(&byte) = self.bytes.get(self.pos) else { return };
        if self.is_data && self.data_token(byte) {
            return;
        }
        match byte {
            b'a'..=b'z' | b'_' => self.bare_word(),
            b'A'..=b'Z' => self.class_reference(0),
            b'0'..=b'9' => self.number(),
            b'$' => self.variable(),
            b'\'' => self.single_quoted(),
            b'"' => self.double_quoted(),
            b',' => self.sign(T::Comma, 1),
            b'=' => {
                self.sign2([(b'>', T::FArrow), (b'=', T::IsEqual), (b'~', T::Match)], T::Equals)
            }
            b'{' => self.open_brace(),
            b'}' => self.close_brace(),
            b'[' => self.open_bracket(),
            b']' => self.sign(T::RBrack, 1),
            b'(' => self.open_parenthesis(),
            b')' => self.sign(T::RParen, 1),
            b':' => self.colon(),
            b'.' => self.sign(T::Dot, 1),
            b';' => self.sign(T::Semic, 1),
            b'|' => self.pipe(),
            b'-' => self.minus(),
            b'>' => self.sign2([(b'>', T::RShift), (b'=', T::GreaterEqual)], T::GreaterThan),
            b'<' => self.less(),
            b'/' => self.slash(),
            b'@' => self.at(),
            b'?' => self.sign(T::QMark, 1),
            b'*' => self.sign(T::Times, 1),
            b'!' => self.sign2([(b'=', T::NotEqual), (b'~', T::NoMatch)], T::Not),
            b'+' => self.sign2([(b'=', T::Appends), (b'>', T::PArrow)], T::Plus),
            b'~' => self.sign2([(b'>', T::InEdgeSub)], T::Tilde),
            b'%' => self.percent(),
            _ => self.other(),
        }
    }

    /// Skips white space and comments. A separate loop, since they are half of all text.
    #[inline]
    fn blanks(&mut self) {
        loop {
            match self.bytes.get(self.pos) {
                Some(b' ' | b'\t' | b'\r') => self.pos += 1,
                Some(b'\n') => self.newline(),
                Some(b'#') => self.comment(),
                _ => return,
            }
        }
    }

    fn newline(&mut self) {
        self.pos = self.newline_jump.take().unwrap_or(self.pos + 1);
        self.line_start = self.pos;
    }

    fn comment(&mut self) {
        let rest = &self.bytes[self.pos..];
        self.pos += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }

    fn open_brace(&mut self) {
        self.braces += 1;
        let after_qmark = self.after == TokenKind::QMark;
        self.sign(if after_qmark { TokenKind::SelBrace } else { TokenKind::LBrace }, 1);
    }

    fn close_brace(&mut self) {
        self.braces -= 1;
        self.sign(TokenKind::RBrace, 1);
    }

    fn open_bracket(&mut self) {
        let after_space = match self.text[..self.pos].chars().next_back() {
            None => true,
            Some(char) => char == '\n' || char == '\r' || chars::is_blank(char),
        };
        self.sign(if after_space { TokenKind::ListStart } else { TokenKind::LBrack }, 1);
    }

    fn open_parenthesis(&mut self) {
        // The line may start after this offset: line counting excludes a template's text.
        let before = self.text.get(self.line_start..self.pos).unwrap_or("");
        let first_on_line = before.chars().rev().all(|char| char == '\r' || chars::is_blank(char));
        self.sign(if first_on_line { TokenKind::WsLParen } else { TokenKind::LParen }, 1);
    }

    fn pipe(&mut self) {
        match self.bytes[self.pos + 1..] {
            [b'>', b'>', ..] => self.sign(TokenKind::RRCollect, 3),
            [b'>', ..] => self.sign(TokenKind::RCollect, 2),
            _ => self.sign(TokenKind::Pipe, 1),
        }
    }

    fn minus(&mut self) {
        match self.bytes[self.pos + 1..] {
            [b'%', b'>', ..] if self.epp != epp::Mode::Off => self.end_epp(true),
            [b'>', ..] => self.sign(TokenKind::InEdge, 2),
            [b'=', ..] => self.sign(TokenKind::Deletes, 2),
            _ => self.sign(TokenKind::Minus, 1),
        }
    }

    fn percent(&mut self) {
        match self.bytes[self.pos + 1..] {
            [b'>', ..] if self.epp != epp::Mode::Off => self.end_epp(false),
            _ => self.sign(TokenKind::Modulo, 1),
        }
    }

    fn less(&mut self) {
        match self.bytes[self.pos + 1..] {
            [b'<', b'|', ..] => self.sign(TokenKind::LLCollect, 3),
            [b'<', ..] => self.sign(TokenKind::LShift, 2),
            [b'=', ..] => self.sign(TokenKind::LessEqual, 2),
            [b'|', ..] => self.sign(TokenKind::LCollect, 2),
            [b'-', ..] => self.sign(TokenKind::OutEdge, 2),
            [b'~', ..] => self.sign(TokenKind::OutEdgeSub, 2),
            _ => self.sign(TokenKind::LessThan, 1),
        }
    }

    fn at(&mut self) {
        match self.bytes.get(self.pos + 1) {
            Some(b'@') => self.sign(TokenKind::AtAt, 2),
            Some(b'(') => self.heredoc(),
            _ => self.sign(TokenKind::At, 1),
        }
    }

    /// Lexes `/`: a comment, a regular expression or a division.
    fn slash(&mut self) {
        if self.bytes.get(self.pos + 1) == Some(&b'*') {
            return self.multi_line_comment();
        }
        match self.regexp_end() {
            Some(end) if self.after.regexp_may_follow() => self.regexp(end),
            _ => self.sign(TokenKind::Div, 1),
        }
    }

    #[inline(never)]
    fn multi_line_comment(&mut self) {
        match memchr::memmem::find(&self.bytes[self.pos + 2..], b"*/") {
            Some(length) => self.pos += 2 + length + 2,
            None => {
                let span = self.global(Span::new(offset(self.pos), 2));
                self.error(issues::unclosed_mlcomment(span), self.bytes.len());
            }
        }
    }

    /// Returns the position after the slash that ends the regular expression at the current position.
    fn regexp_end(&mut self) -> Option<usize> {
        if self.no_regexps || !self.after.regexp_may_follow() {
            return None;
        }
        let mut escaped = false;
        for (at, &byte) in self.bytes.iter().enumerate().skip(self.pos + 1) {
            match byte {
                b'/' if !escaped => return Some(at + 1),
                b'\\' => escaped = !escaped,
                _ => escaped = false,
            }
        }
        // The start of the search makes no difference: backslashes are counted backwards from each slash.
        self.no_regexps = true;
        None
    }

    #[inline(never)]
    fn regexp(&mut self, end: usize) {
        let source = &self.text[self.pos + 1..end - 1];
        let text = if source.contains("\\/") {
            self.out.ast.add_text(&source.replace("\\/", "/"))
        } else {
            self.slice(self.pos + 1, end - 1)
        };
        match regexp::check(self.out.ast.text(text)) {
            Ok(()) => self.push(TokenKind::Regex, self.pos, end, text),
            Err(error) => {
                let span = self.global(Span::between(offset(self.pos), offset(end)));
                self.error(issues::invalid_regexp(span, &error.to_string()), end);
            }
        }
        self.pos = end;
    }

    /// Lexes a byte that starts no token: a space of another script, or an error.
    #[inline(never)]
    fn other(&mut self) {
        let char = self.text[self.pos..].chars().next().expect("there is a byte");
        let end = self.pos + char.len_utf8();
        if chars::is_blank(char) {
            self.pos = end;
        } else {
            // Puppet takes one byte and has no text for it.
            self.push(TokenKind::Other, self.pos, end, Text::default());
            self.pos = end;
        }
    }

    /// Pushes a sign of two characters, chosen by the second, otherwise one of a single character.
    fn sign2<const N: usize>(&mut self, pairs: [(u8, TokenKind); N], single: TokenKind) {
        let next = self.bytes.get(self.pos + 1).copied();
        for (second, kind) in pairs {
            if next == Some(second) {
                return self.sign(kind, 2);
            }
        }
        self.sign(single, 1);
    }

    fn sign(&mut self, kind: TokenKind, length: usize) {
        let end = self.pos + length;
        self.push(kind, self.pos, end, Text::default());
        self.pos = end;
    }

    /// Pushes a token, and records it as the previous one.
    fn push(&mut self, kind: TokenKind, start: usize, end: usize, text: Text) {
        self.after = kind;
        self.push_silently(kind, start, end, text);
    }

    /// Pushes a token without recording it as the previous one.
    fn push_silently(&mut self, kind: TokenKind, start: usize, end: usize, text: Text) {
        let span = Span::between(offset(start), offset(end));
        self.out.lexed.tokens.push(Token { kind, span, text });
    }

    /// Pushes an error token, and continues at `end`.
    #[cold]
    fn error(&mut self, diagnostic: Diagnostic, end: usize) {
        let text = self.error_text(diagnostic);
        self.push(TokenKind::Error, self.pos, end, text);
        self.pos = end;
    }

    /// Stores the diagnostic of an error token and returns the text of that token.
    fn error_text(&mut self, diagnostic: Diagnostic) -> Text {
        self.warnings_at_error.get_or_insert(self.out.lexed.warnings.len());
        let number = offset(self.out.lexed.errors.len());
        self.out.lexed.errors.push(diagnostic);
        Text { start: number, len: 0 }
    }

    /// Returns the text between two positions.
    fn slice(&self, start: usize, end: usize) -> Text {
        Text { start: self.base + offset(start), len: offset(end - start) }
    }

    /// Converts a span of this text to the coordinates of the source.
    fn global(&self, span: Span) -> Span {
        match self.subtext {
            Some(number) => self.out.lexed.subtexts[number].to_source(span),
            None => span,
        }
    }

    /// Returns the text at `at` as messages quote it: five characters, or `<eof>`.
    fn followed_by(&self, at: usize) -> String {
        let rest = &self.text[at..];
        if rest.is_empty() {
            return "<eof>".to_owned();
        }
        let start: String = rest.chars().take(5).collect();
        start.replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r") + "..."
    }
}

/// Narrows a position. All fit in 32 bits: larger sources are refused before they are lexed.
fn offset(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}
