//! Unclosed strings, in Puppet's words.

use kukla_base::Span;

use super::{Lexer, offset};
use crate::issues;
use crate::token::TokenKind;

impl Lexer<'_, '_> {
    #[cold]
    pub(super) fn unclosed_quote(&mut self, opening: Span, at: usize, after: &str) {
        let at = at.min(self.bytes.len());
        let opening = self.global(opening);
        let place = self.global(Span::new(offset(at), 0)).start;
        let followed_by = self.followed_by(at);
        self.error(issues::unclosed_quote(opening, place, after, &followed_by), self.bytes.len());
    }

    /// Returns the last match of Puppet's scanner before the current position, which follows an interpolation.
    pub(super) fn last_match(&self) -> &str {
        let before = &self.text[..self.pos];
        let text = before.strip_suffix('}').unwrap_or(before);
        // Tokens before a heredoc have spans in another text, hence the checked slices.
        let mut end = text.len();
        for token in self.out.lexed.tokens.iter().rev() {
            let (start, token_end) = (token.span.start as usize, token.span.end() as usize);
            let gap = text.get(token_end..end).unwrap_or("");
            // Puppet's scanner matches white space at the start of an expression and of a line; after a token its last match is
            // empty.
            let is_start = matches!(token.kind, TokenKind::DqPre | TokenKind::DqMid);
            match gap.rsplit_once('\n') {
                Some((_, blanks)) => return blanks,
                None if is_start => return gap,
                None if !gap.is_empty() => return "",
                None => (),
            }
            // A `$` alone is no variable.
            if token.kind == TokenKind::Variable && token.text.is_empty() {
                return "";
            }
            let word = text.get(start..token_end).unwrap_or("");
            match token.kind {
                TokenKind::String => return end_of_string(word.get(1..).unwrap_or("")),
                TokenKind::DqPost => return end_of_string(word),
                _ if !token.text.is_empty() => return word,
                _ => end = start,
            }
        }
        ""
    }
}

/// Returns the closing quote of a string with the character before it, and backslashes between them.
///
/// `string` is without its opening quote.
fn end_of_string(string: &str) -> &str {
    let text = &string[..string.len().saturating_sub(1)];
    let text = text.trim_end_matches('\\');
    match text.char_indices().next_back() {
        Some((last, _)) => &string[last..],
        None => &string[string.len().saturating_sub(1)..],
    }
}
