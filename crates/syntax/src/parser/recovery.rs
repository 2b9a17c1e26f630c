//! Going on after an error.

use super::Parser;
use crate::token::TokenKind;

impl Parser {
    /// Skips from an error in the statement that starts at token `start` to where the next may start.
    ///
    /// That is after the brackets that the statement opened are closed; or, as people forget to close
    /// them, at a line that is not indented deeper than the statement. Errors of the lexer on the way are
    /// reported: they stand for themselves.
    pub(super) fn recover(&mut self, start: usize) {
        let column = self.indentation(start);
        let reported = self.at;
        let mut open = 0i32;
        // Some token must be passed, or the same error would come again.
        let error = self.at.max(start + 1);
        self.at = start;
        while self.at < error && self.kind() != TokenKind::End {
            open += self.skip_unit();
        }
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
            open += self.skip_unit();
        }
    }

    /// Passes a token, or all tokens of a string or heredoc; returns how the number of open brackets
    /// changes.
    fn skip_unit(&mut self) -> i32 {
        let token = self.advance();
        match token.kind {
            TokenKind::Heredoc => {
                self.advance();
                self.skip_unit();
                0
            }
            TokenKind::DqPre => {
                let mut strings = 1;
                while strings > 0 && self.kind() != TokenKind::End {
                    match self.advance().kind {
                        TokenKind::DqPre => strings += 1,
                        TokenKind::DqPost => strings -= 1,
                        _ => (),
                    }
                }
                0
            }
            kind => nesting(kind),
        }
    }

    /// The number of bytes before a token on its line.
    pub(super) fn indentation(&self, at: usize) -> u32 {
        let start = self.tokens[at].span.start as usize;
        let before = &self.ast.source().as_bytes()[..start.min(self.ast.source().len())];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        u32::try_from(start - line_start).unwrap_or(u32::MAX)
    }

    pub(super) fn is_first_on_line(&self, at: usize) -> bool {
        let start = self.tokens[at].span.start as usize;
        let before = &self.ast.source().as_bytes()[..start.min(self.ast.source().len())];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        before[line_start..].iter().all(u8::is_ascii_whitespace)
    }
}

/// How a token changes the number of open brackets.
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

/// Whether a statement goes on with such a token.
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
