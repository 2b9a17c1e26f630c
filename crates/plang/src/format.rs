//! Formatter. It works on tokens, so that comments stay and the meaning can't change.

#[cfg(test)]
mod tests;

use crate::lexer::lex;
use crate::limits::Limits;
use crate::token::{Keyword, Symbol, Token, TokenKind};

/// Formats a program; None: it has syntax errors.
pub fn format(text: &str) -> Option<String> {
    let tokens = tokens(text)?;
    let mut writer = Writer { text, out: String::new(), depth: 0, at_start: true };
    for (index, token) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| tokens[before]);
        writer.token(*token, before, tokens.get(index + 1).copied());
    }
    let mut out = writer.out.trim_end().to_owned();
    if !out.is_empty() {
        out.push('\n');
    }
    Some(out)
}

/// Minifies a program: no comments, no space that is not needed.
pub fn minify(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut last: Option<Token> = None;
    for token in tokens(text)? {
        if token.kind == TokenKind::Comment {
            continue;
        }
        let is_word = |token: &Token| {
            matches!(token.kind, TokenKind::Word | TokenKind::Keyword(_) | TokenKind::Number)
        };
        if last.as_ref().is_some_and(is_word) && is_word(&token) {
            out.push(' ');
        }
        // The last semicolon of a block is optional.
        if token.kind == TokenKind::Symbol(Symbol::BraceClose) && out.ends_with(';') {
            out.pop();
        }
        out.push_str(&text[token.span.range()]);
        last = Some(token);
    }
    Some(out)
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let lexed = lex(text, &Limits::DEFAULT);
    let mut tokens = lexed.tokens;
    tokens.pop();
    lexed.diagnostics.is_empty().then_some(tokens)
}

struct Writer<'t> {
    text: &'t str,
    out: String,
    depth: usize,
    at_start: bool,
}

impl Writer<'_> {
    fn token(&mut self, token: Token, before: Option<Token>, after: Option<Token>) {
        let text = &self.text[token.span.range()];
        if token.kind == TokenKind::Symbol(Symbol::BraceClose) {
            self.depth = self.depth.saturating_sub(1);
            if before.is_some_and(|before| before.kind != symbol(Symbol::BraceOpen)) {
                self.line_break();
            } else {
                self.at_start = false;
            }
        }
        let n_breaks = self.breaks(before, token);
        if n_breaks > 1 && !self.out.is_empty() && token.kind != symbol(Symbol::BraceClose) {
            self.blank_line(before);
        }
        if token.kind == TokenKind::Comment {
            return self.comment(token, n_breaks, after);
        }
        if self.at_start {
            self.indent();
        } else if needs_space(before, token) {
            self.out.push(' ');
        }
        self.out.push_str(text);
        self.after(token, after);
    }

    /// Returns the number of line breaks before a token in the source.
    fn breaks(&self, before: Option<Token>, token: Token) -> usize {
        let start = before.map_or(0, |before| before.span.end() as usize);
        self.text[start..token.span.start as usize].matches('\n').count()
    }

    /// Keeps one empty line between statements.
    fn blank_line(&mut self, before: Option<Token>) {
        let starts_block = before.is_some_and(|b| b.kind == symbol(Symbol::BraceOpen));
        if self.at_start && !starts_block && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    fn comment(&mut self, token: Token, n_breaks: usize, after: Option<Token>) {
        let text = &self.text[token.span.range()];
        let ends_line = after.is_some_and(|after| {
            let between = &self.text[token.span.end() as usize..after.span.start as usize];
            between.contains('\n')
        });
        let ends_line = ends_line || text.starts_with("//") || after.is_none();
        if n_breaks == 0 && ends_line && self.at_start && self.out.ends_with('\n') {
            // The comment followed the statement on its line, and stays there.
            self.out.pop();
            self.out.push(' ');
        } else if self.at_start {
            self.indent();
        } else {
            self.out.push(' ');
        }
        self.out.push_str(text.trim_end());
        self.at_start = false;
        if ends_line {
            self.line_break();
        }
    }

    fn after(&mut self, token: Token, after: Option<Token>) {
        match token.kind {
            TokenKind::Symbol(Symbol::BraceOpen) => {
                self.depth += 1;
                let is_empty = after.is_some_and(|a| a.kind == symbol(Symbol::BraceClose));
                if !is_empty {
                    self.line_break();
                }
            }
            TokenKind::Symbol(Symbol::Semicolon) => self.line_break(),
            TokenKind::Symbol(Symbol::BraceClose) if !continues(after) => self.line_break(),
            _ => (),
        }
    }

    fn line_break(&mut self) {
        if !self.at_start {
            self.out.push('\n');
            self.at_start = true;
        }
    }

    fn indent(&mut self) {
        self.out.extend(std::iter::repeat_n("    ", self.depth));
        self.at_start = false;
    }
}

fn symbol(symbol: Symbol) -> TokenKind {
    TokenKind::Symbol(symbol)
}

/// Whether the next token continues the statement of a block.
fn continues(after: Option<Token>) -> bool {
    let Some(after) = after else { return false };
    match after.kind {
        TokenKind::Keyword(keyword) => matches!(
            keyword,
            Keyword::Else
                | Keyword::Elsif
                | Keyword::Otherwise
                | Keyword::Or
                | Keyword::And
                | Keyword::Xor
        ),
        TokenKind::Symbol(symbol) => !matches!(symbol, Symbol::BraceOpen | Symbol::BraceClose),
        TokenKind::Word | TokenKind::Number | TokenKind::Text => false,
        TokenKind::Comment | TokenKind::Error | TokenKind::End => false,
    }
}

/// Whether two tokens need a space between them.
fn needs_space(before: Option<Token>, token: Token) -> bool {
    use Symbol::{BraceClose, BraceOpen, Comma, Dot, ParenClose, ParenOpen, Semicolon};
    let Some(before) = before else { return false };
    match (before.kind, token.kind) {
        (TokenKind::Symbol(BraceOpen), TokenKind::Symbol(BraceClose)) => false,
        (_, TokenKind::Symbol(Comma | Dot | Semicolon | ParenClose)) => false,
        // Without the space the two would be lexed as one symbol.
        (TokenKind::Symbol(Symbol::Bang), TokenKind::Symbol(next))
            if next.text().starts_with('=') =>
        {
            true
        }
        (TokenKind::Symbol(Dot | ParenOpen | Symbol::Bang), _) => false,
        // A call has no space before its arguments; a condition has.
        (TokenKind::Word | TokenKind::Symbol(ParenClose), TokenKind::Symbol(ParenOpen)) => false,
        (TokenKind::Keyword(Keyword::Import), TokenKind::Symbol(ParenOpen)) => false,
        _ => true,
    }
}
