//! The parser: builds a tree from tokens.
//!
//! Statements by recursive descent, expressions by precedence climbing (Pratt). It limits the nesting and the height
//! of the tree, since all later passes recurse. Parsing never fails: invalid source becomes an [`Expr::Error`] with
//! a diagnostic, and the parser continues at the next statement.

mod expressions;
mod statements;

pub(crate) use expressions::text_op;

use kukla_base::{Diagnostic, Span};

use crate::ast::{Ast, Expr, ExprId, Word};
use crate::issues;
use crate::lexer::lex_from;
use crate::limits::Limits;
use crate::token::{Keyword, Symbol, Token, TokenKind};

/// Number of diagnostics after which the parser stops.
pub(crate) const MOST: usize = 1000;

/// A tree and its diagnostics.
#[derive(Debug)]
pub struct Parsed {
    /// The tree.
    pub ast: Ast,
    /// The diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses a program.
pub fn parse(text: &str, limits: &Limits) -> Parsed {
    parse_from(text, 0, limits)
}

/// Parses the program after an offset.
pub fn parse_from(text: &str, start: usize, limits: &Limits) -> Parsed {
    let lexed = lex_from(text, start, limits);
    let mut tokens = lexed.tokens;
    tokens.retain(|token| token.kind != TokenKind::Comment);
    let ast = Ast::default();
    let diagnostics = lexed.diagnostics;
    let mut parser = Parser { text, tokens, at: 0, ast, diagnostics, depth: 0, limits: *limits };
    let program = parser.program();
    parser.ast.program = program;
    Parsed { ast: parser.ast, diagnostics: parser.diagnostics }
}

#[derive(Debug)]
struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    ast: Ast,
    diagnostics: Vec<Diagnostic>,
    depth: usize,
    limits: Limits,
}

/// Marker error: the rest of the statement can't be parsed, and a diagnostic was reported.
#[derive(Debug)]
struct Lost;

type Parse<T> = Result<T, Lost>;

impl Parser<'_> {
    fn peek(&self) -> Token {
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn peek_after(&self) -> TokenKind {
        self.tokens[(self.at + 1).min(self.tokens.len() - 1)].kind
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn is(&self, symbol: Symbol) -> bool {
        self.peek().kind == TokenKind::Symbol(symbol)
    }

    fn is_word(&self, keyword: Keyword) -> bool {
        self.peek().kind == TokenKind::Keyword(keyword)
    }

    fn take(&mut self, symbol: Symbol) -> Option<Token> {
        self.is(symbol).then(|| self.next())
    }

    fn take_word(&mut self, keyword: Keyword) -> Option<Token> {
        self.is_word(keyword).then(|| self.next())
    }

    fn expect(&mut self, symbol: Symbol, context: &str) -> Parse<Token> {
        match self.take(symbol) {
            Some(token) => Ok(token),
            None => self.unexpected(&format!("`{}` {context}", symbol.text())),
        }
    }

    /// Reports the next token as unexpected, unless the lexer reported it.
    fn unexpected<T>(&mut self, wanted: &str) -> Parse<T> {
        let token = self.peek();
        if token.kind != TokenKind::Error {
            let issue = issues::unexpected(token, self.slice(token.span), wanted);
            self.diagnostics.push(issue);
        }
        Err(Lost)
    }

    fn slice(&self, span: Span) -> &str {
        &self.text[span.range()]
    }

    fn word(&self, token: Token) -> Word {
        Word { text: self.slice(token.span).into(), span: token.span }
    }

    fn add(&mut self, expr: Expr, span: Span) -> Parse<ExprId> {
        let id = self.ast.add(expr, span);
        if self.ast.height(id) > self.limits.height {
            self.diagnostics.push(issues::too_high(span, self.limits.height));
            return Err(Lost);
        }
        Ok(id)
    }

    /// Runs a rule one level deeper.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth >= self.limits.nesting {
            let span = self.peek().span;
            self.diagnostics.push(issues::too_deep(span, self.limits.nesting));
            // Skips the rest, so that there is only one diagnostic.
            self.at = self.tokens.len() - 1;
            return Err(Lost);
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        result
    }
}
