//! Tokens of PDL that differ from those of the language.
//!
//! PDL has no keywords but `and`, `or`, `in`, `true`, `false` and `undef`, and no type names, divisions, heredocs or
//! arrows between resources. White space before a bracket has no meaning.

use kukla_base::Span;

use super::chars::{is_digit, is_word, skip_word};
use super::{Lexer, offset};
use crate::issues;
use crate::token::TokenKind;

impl Lexer<'_, '_> {
    /// Lexes a token that starts with `byte` if PDL has one of its own; false if it has not.
    pub(super) fn data_token(&mut self, byte: u8) -> bool {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.data_word(),
            b'0'..=b'9' => return self.data_float(),
            b'[' => self.sign(TokenKind::LBrack, 1),
            b'(' => self.sign(TokenKind::LParen, 1),
            b'<' => self.sign2([(b'=', TokenKind::LessEqual)], TokenKind::LessThan),
            b'@' => self.sign(TokenKind::At, 1),
            b'/' if self.bytes.get(self.pos + 1) != Some(&b'*') => self.data_regexp(),
            _ => return self.data_blank(),
        }
        true
    }

    /// Lexes `Debian`, `ntp::server`, or a keyword.
    fn data_word(&mut self) {
        let start = self.pos;
        let mut end = skip_word(self.bytes, start);
        while let [b':', b':', first, ..] = self.bytes[end..]
            && is_word(first)
            && !is_digit(first)
        {
            end = skip_word(self.bytes, end + 2);
        }
        let kind = match &self.bytes[start..end] {
            b"and" => TokenKind::And,
            b"or" => TokenKind::Or,
            b"in" => TokenKind::In,
            b"undef" => TokenKind::Undef,
            b"true" | b"false" => TokenKind::Boolean,
            _ => TokenKind::Name,
        };
        let text = self.slice(start, end);
        self.push(kind, start, end, text);
        self.pos = end;
    }

    /// Lexes `1.` and `01.5`, which are no numbers in the language; false if there is no number with a dot.
    fn data_float(&mut self) -> bool {
        let rest = &self.bytes[self.pos..];
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'.';
        let end = self.pos + rest.iter().take_while(is_part).count();
        let digits = &self.text[self.pos..end];
        if !digits.contains('.') || digits.parse::<f64>().is_err() {
            return false;
        }
        let text = self.slice(self.pos, end);
        self.push(TokenKind::Number, self.pos, end, text);
        self.pos = end;
        true
    }

    /// Lexes `/pattern/` in any place.
    fn data_regexp(&mut self) {
        // The token before makes no difference: no `/` divides.
        self.after = TokenKind::End;
        match self.regexp_end() {
            Some(end) => self.regexp(end),
            None => {
                let span = self.global(Span::new(offset(self.pos), 1));
                // The next line is lexed again, so that its errors are found too.
                let rest = &self.bytes[self.pos..];
                let end = self.pos + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                self.error(issues::unclosed_regexp(span), end);
            }
        }
    }

    /// Skips a character that is white space in Unicode, though not in the language.
    fn data_blank(&mut self) -> bool {
        let char = self.text[self.pos..].chars().next();
        match char.filter(|char| char.is_whitespace()) {
            Some(blank) => {
                self.pos += blank.len_utf8();
                true
            }
            None => false,
        }
    }
}
