//! Files of data: PDL (`$name = value where condition`) and `data_access` (`key 'pattern' where condition`).
//!
//! A statement ends with its line, unless a bracket is open there. Expressions are those of the language;
//! [`validate::data`](crate::validate::data) refuses those that PDL lacks, with an error that names them.

use kukla_base::Span;

use super::recovery::nesting;
use super::{Parse, Parser};
use crate::Language;
use crate::ast::Text;
use crate::data::{Item, Statement, Subject};
use crate::issues;
use crate::token::{Token, TokenKind};

impl Parser {
    /// Parses all statements of a file; those with errors are left out.
    pub(super) fn data(&mut self, language: Language) -> Vec<Statement> {
        self.tokens = self.with_line_ends(language);
        let statement = match language {
            Language::DataAccess => Self::access_rule,
            _ => Self::data_assignment,
        };
        let mut statements = Vec::new();
        while self.kind() != TokenKind::End {
            if self.accept(TokenKind::LineEnd).is_some() {
                continue;
            }
            let state = self.state();
            match statement(self) {
                Ok(statement) => statements.push(statement),
                Err(_) => {
                    self.restore(state);
                    self.skip_line();
                }
            }
        }
        statements
    }

    /// Returns the tokens with a [`TokenKind::LineEnd`] after each statement.
    fn with_line_ends(&self, language: Language) -> Vec<Token> {
        let mut tokens: Vec<Token> = Vec::with_capacity(self.tokens.len() + 8);
        let (mut open, mut strings, mut end) = (0, 0, 0_u32);
        for (at, &token) in self.tokens.iter().enumerate() {
            let gap = self.ast.source().get(end as usize..token.span.start as usize);
            let is_first = strings == 0 && gap.is_some_and(|gap| gap.contains('\n'));
            // A line that can only be a new statement ends the previous one, which has an unclosed bracket.
            let is_forgotten = is_first && open > 0 && self.starts_statement(at, language);
            let is_end = is_first && open == 0 || is_forgotten || token.kind == TokenKind::End;
            if is_end && !tokens.is_empty() {
                let place = if is_forgotten { token.span.start } else { end };
                let (kind, span) = (TokenKind::LineEnd, Span::new(place, 0));
                tokens.push(Token { kind, span, text: Text::default() });
                open = 0;
            }
            strings += nesting_of_strings(token.kind);
            open = (open + nesting(token.kind)).max(0);
            end = token.span.end();
            tokens.push(token);
        }
        tokens
    }

    /// Returns true if the tokens from `at` on can only be the start of a statement.
    fn starts_statement(&self, at: usize, language: Language) -> bool {
        let (first, next) = (self.tokens[at], self.tokens.get(at + 1).map(|next| next.kind));
        match (language, first.kind, next) {
            (Language::DataAccess, TokenKind::Name, Some(TokenKind::String | TokenKind::DqPre)) => {
                matches!(self.ast.text(first.text), "key" | "file")
            }
            (Language::Data, TokenKind::Variable, next) => next == Some(TokenKind::Equals),
            _ => false,
        }
    }

    /// Skips the rest of a statement with an error, reporting errors of the lexer on the way.
    fn skip_line(&mut self) {
        let reported = self.at;
        while !matches!(self.kind(), TokenKind::LineEnd | TokenKind::End) {
            if self.kind() == TokenKind::Error && self.at > reported {
                self.unexpected();
            }
            self.at += 1;
        }
    }

    /// Parses `$name = value where condition`.
    fn data_assignment(&mut self) -> Parse<Statement> {
        let first = self.token();
        match first.kind {
            TokenKind::Variable => self.advance(),
            TokenKind::Error => return Err(self.unexpected()),
            _ => return Err(self.fail(issues::pdl_statement(first.span))),
        };
        let name = self.ast.text(first.text);
        if name.is_empty() {
            return Err(self.fail(issues::pdl_variable_name(first.span)));
        }
        if self.kind() == TokenKind::LBrack {
            let span = first.span.to(self.token().span);
            let issue = issues::pdl_element_assignment(span, name);
            return Err(self.fail(issue));
        }
        self.expect(TokenKind::Equals)?;
        let value = self.expression()?;
        let item = Item::Assignment { name: first.text, value };
        self.statement_of(item, first.span)
    }

    /// Parses `key 'pattern' where condition`.
    fn access_rule(&mut self) -> Parse<Statement> {
        let first = self.token();
        let subject = match (first.kind, self.ast.text(first.text)) {
            (TokenKind::Error, _) => return Err(self.unexpected()),
            (TokenKind::Name, "key") => Subject::Key,
            (TokenKind::Name, "file") => Subject::File,
            _ => return Err(self.fail(issues::access_statement(first.span))),
        };
        self.advance();
        let pattern = self.token();
        match pattern.kind {
            TokenKind::String | TokenKind::DqPre => (),
            TokenKind::Error => return Err(self.unexpected()),
            _ => return Err(self.fail(issues::access_pattern(pattern.span))),
        }
        let end = self.pass_string();
        // A pattern is taken literally: without escapes and variables.
        let start = pattern.span.start + 1;
        let pattern = Text { start, len: end.saturating_sub(start + 1) };
        self.statement_of(Item::Rule { subject, pattern }, first.span)
    }

    /// Skips all tokens of the string at the current token, and returns its end.
    fn pass_string(&mut self) -> u32 {
        let mut strings = 0;
        loop {
            let token = self.advance();
            strings += nesting_of_strings(token.kind);
            if strings <= 0 || token.kind == TokenKind::End {
                return token.span.end();
            }
        }
    }

    /// Parses the optional condition after an item, and the end of the line.
    fn statement_of(&mut self, item: Item, span: Span) -> Parse<Statement> {
        let token = self.token();
        let mut condition = None;
        if token.kind == TokenKind::Name && self.ast.text(token.text) == "where" {
            self.advance();
            condition = Some(self.expression()?);
        }
        match self.kind() {
            TokenKind::LineEnd | TokenKind::End => Ok(Statement { item, condition, span }),
            TokenKind::Error => Err(self.unexpected()),
            _ => {
                let issue = issues::pdl_end_of_line(self.token().span);
                Err(self.fail(issue))
            }
        }
    }

    /// Parses `=>` as in Ruby or `:` as in JSON, between the key and the value of a hash.
    pub(super) fn data_arrow(&mut self) -> Parse<Token> {
        match self.accept(TokenKind::FArrow).or_else(|| self.accept(TokenKind::Colon)) {
            Some(arrow) => Ok(arrow),
            None => Err(self.missing_one_of("`=>` or `:`")),
        }
    }

    /// Returns the innermost bracket that is open at the current end of a line.
    pub(super) fn unclosed_on_line(&self) -> Option<Span> {
        let mut closed = 0;
        for token in self.tokens[..self.at].iter().rev() {
            match nesting(token.kind) {
                _ if token.kind == TokenKind::LineEnd => return None,
                -1 => closed += 1,
                1 if closed == 0 => return Some(token.span),
                1 => closed -= 1,
                _ => (),
            }
        }
        None
    }
}

/// Returns the change of the number of open strings with interpolation.
fn nesting_of_strings(kind: TokenKind) -> i32 {
    match kind {
        TokenKind::DqPre => 1,
        TokenKind::DqPost => -1,
        _ => 0,
    }
}
