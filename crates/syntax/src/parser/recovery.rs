//! Recovery from errors.

use super::Parser;
use crate::token::{Token, TokenKind};

/// An index for recovery, built at the first error, so that many errors cost no more than one.
#[derive(Debug, Default)]
pub(super) struct Outline {
    /// The number of open brackets before each token; `None` inside of strings and heredocs.
    open: Vec<Option<i32>>,
    line: SourceLine,
}

/// A line of the source.
#[derive(Clone, Copy, Debug, Default)]
struct SourceLine {
    start: usize,
    /// The offset of its first word or sign.
    first: usize,
    end: usize,
}

impl Parser {
    /// Skips from an error in the statement that starts at token `start` to the possible start of the next.
    ///
    /// That is after the brackets that the statement opened are closed; or, since brackets may be left unclosed, at a line that
    /// is not indented deeper than the statement. Errors of the lexer on the way are reported.
    pub(super) fn recover(&mut self, start: usize) {
        let column = self.indentation(start);
        let reported = self.at;
        // At least one token must be skipped, or the same error would come again.
        self.at = self.at.max(start + 1);
        let mut open = self.n_opened(start);
        while self.kind() != TokenKind::End {
            let kind = self.kind();
            let is_first = self.is_first_on_line(self.at);
            if is_first {
                let indentation = self.indentation(self.at);
                let is_own_end = open > 0 && closes(kind) && indentation == column;
                if indentation <= column && !is_own_end {
                    return;
                }
            }
            if open <= 0 && (kind == TokenKind::RBrace || (is_first && !continues(kind))) {
                return;
            }
            if kind == TokenKind::Error && self.at > reported {
                self.unexpected();
            }
            open += nesting(kind);
            self.at = unit_end(&self.tokens, self.at);
        }
    }

    /// Returns the number of brackets opened since token `start`; continues to the end of the string it is in.
    fn n_opened(&mut self, start: usize) -> i32 {
        if self.outline.open.is_empty() {
            self.outline.open = open_brackets(&self.tokens);
        }
        let open = &self.outline.open;
        while self.at + 1 < open.len() && open[self.at].is_none() {
            self.at += 1;
        }
        open[self.at].unwrap_or(0) - open[start].unwrap_or(0)
    }

    /// Returns the number of bytes before a token on its line.
    pub(super) fn indentation(&mut self, at: usize) -> usize {
        let start = self.tokens[at].span.start as usize;
        start.saturating_sub(self.line(start).start)
    }

    /// Returns the number of blanks at the start of the line of a token.
    pub(super) fn line_indentation(&mut self, at: usize) -> usize {
        let line = self.line(self.tokens[at].span.start as usize);
        line.first - line.start
    }

    pub(super) fn is_first_on_line(&mut self, at: usize) -> bool {
        let start = self.tokens[at].span.start as usize;
        start <= self.line(start).first
    }

    /// Returns the line of an offset, cached since most offsets are on the line of the previous one.
    fn line(&mut self, offset: usize) -> SourceLine {
        let line = self.outline.line;
        if offset > 0 && (line.start..line.end).contains(&offset) {
            return line;
        }
        let bytes = self.ast.source().as_bytes();
        let offset = offset.min(bytes.len());
        let start = memchr::memrchr(b'\n', &bytes[..offset]).map_or(0, |newline| newline + 1);
        let end = memchr::memchr(b'\n', &bytes[offset..]).map_or(bytes.len(), |at| offset + at);
        let is_blank = |byte: &&u8| byte.is_ascii_whitespace();
        let first = start + bytes[start..end].iter().take_while(is_blank).count();
        self.outline.line = SourceLine { start, first, end };
        self.outline.line
    }
}

/// Returns the number of open brackets before each token that is not inside of a string.
fn open_brackets(tokens: &[Token]) -> Vec<Option<i32>> {
    let mut all = vec![None; tokens.len()];
    let (mut at, mut open) = (0, 0);
    while at < tokens.len() {
        all[at] = Some(open);
        open += nesting(tokens[at].kind);
        at = unit_end(tokens, at).max(at + 1);
    }
    all
}

/// Returns the number of the token after the one at `at`, or after the string or heredoc that starts there.
fn unit_end(tokens: &[Token], mut at: usize) -> usize {
    if tokens[at].kind == TokenKind::Heredoc {
        // Its text follows it.
        at += 2;
    }
    let mut strings = 0;
    while at + 1 < tokens.len() {
        match tokens[at].kind {
            TokenKind::DqPre => strings += 1,
            TokenKind::DqPost => strings -= 1,
            _ => (),
        }
        at += 1;
        if strings <= 0 {
            break;
        }
    }
    at.min(tokens.len() - 1)
}

/// Returns the change of the number of open brackets.
pub(super) fn nesting(kind: TokenKind) -> i32 {
    match kind {
        TokenKind::LBrace
        | TokenKind::SelBrace
        | TokenKind::LParen
        | TokenKind::WsLParen
        | TokenKind::LBrack
        | TokenKind::ListStart => 1,
        TokenKind::RBrace | TokenKind::RParen | TokenKind::RBrack => -1,
        _ => 0,
    }
}

fn closes(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::RBrace | TokenKind::RParen | TokenKind::RBrack)
}

/// Returns true if a statement continues with such a token.
fn continues(kind: TokenKind) -> bool {
    closes(kind)
        || matches!(
            kind,
            TokenKind::Comma
                | TokenKind::Semic
                | TokenKind::FArrow
                | TokenKind::PArrow
                | TokenKind::InEdge
                | TokenKind::InEdgeSub
                | TokenKind::OutEdge
                | TokenKind::OutEdgeSub
                | TokenKind::Else
                | TokenKind::Elsif
                | TokenKind::QMark
                | TokenKind::Dot
                | TokenKind::Colon
                | TokenKind::Pipe
        )
}
