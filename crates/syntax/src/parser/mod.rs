//! The parser.
//!
//! Start at [`parse`]. Recursive descent, with precedence climbing for operators ([`operators`]); one function per rule of
//! Puppet's grammar, with its name. Puppet's parser is generated (LALR), so an error is reported at the first token that
//! can't follow. Ours are reported at the same token, since no function consumes a token that can't follow.
//!
//! A function that can't go on reports a diagnostic and returns [`Failed`]; [`statements`] catches that, skips to a token
//! that may start a statement, and continues. Puppet would stop there.

mod calls;
mod conditionals;
mod data;
mod definitions;
mod literals;
mod operators;
mod parameters;
mod recovery;
mod resources;
mod statements;
mod strings;
mod templates;
mod types;
mod unclosed;

use kukla_base::{Diagnostic, Span};

use crate::ast::{Ast, Expr, ExprId, ExprList, Text};
use crate::issues;
use crate::lexer::{self, SubText};
use crate::token::{Token, TokenKind};
use crate::{Options, data::Statement};
use kukla_regex as regexp;

/// The maximum nesting of brackets, blocks and operators.
///
/// Puppet itself runs out of stack at a few thousand.
const MAX_DEPTH: u32 = 4_000;

/// Like [`MAX_DEPTH`], but for PDL: its values are merged, converted and printed by recursive functions.
const MAX_DATA_DEPTH: u32 = 200;

/// The number of levels between two checks of the stack, the stack that must be left for them, and the size of the stack
/// that is added otherwise.
const STACK_CHECKS: u32 = 16;
const RED_ZONE: usize = 256 * 1024;
const MORE_STACK: usize = 4 * 1024 * 1024;

/// The failure of a rule; the diagnostic is already reported.
struct Failed;

type Parse<T> = Result<T, Failed>;

/// Lexes and parses `source`.
pub(crate) fn parse(source: &str, options: &Options) -> (Ast, Vec<Diagnostic>) {
    let (mut parser, warnings) = Parser::new(source, options);
    parser.program();
    // Puppet lexes as it parses, so it warns only about text before its first error.
    let (earlier, later): (Vec<_>, Vec<_>) =
        warnings.into_iter().partition(|&(token, _)| token <= parser.first_error);
    let mut diagnostics: Vec<Diagnostic> = earlier.into_iter().map(|(_, it)| it).collect();
    diagnostics.append(&mut parser.diagnostics);
    diagnostics.extend(later.into_iter().map(|(_, it)| it));
    (parser.ast, diagnostics)
}

/// Lexes and parses `source`, which is PDL or a file of `data_access`.
pub(crate) fn parse_data(
    source: &str,
    options: &Options,
) -> (Ast, Vec<Statement>, Vec<Diagnostic>) {
    let (mut parser, warnings) = Parser::new(source, options);
    let statements = parser.data(options.language);
    let mut diagnostics = parser.diagnostics;
    diagnostics.extend(warnings.into_iter().map(|(_, warning)| warning));
    (parser.ast, statements, diagnostics)
}

struct Parser {
    tokens: Vec<Token>,
    lexical_errors: Vec<Diagnostic>,
    subtexts: Vec<SubText>,
    /// The current token.
    at: usize,
    /// The heredoc whose text is being parsed.
    subtext: Option<usize>,
    /// Set in the interpolation of a string or heredoc.
    in_string: bool,
    ast: Ast,
    /// Children of unfinished lists.
    stack: Vec<ExprId>,
    /// The names of the enclosing classes and plans.
    names: Vec<Text>,
    depth: u32,
    /// Set for PDL, where words have no special meaning, and nothing is declared.
    is_data: bool,
    /// Set if the last assignment was just an expression.
    plain: bool,
    outline: recovery::Outline,
    /// The size of all joined names of nested definitions.
    joined: usize,
    diagnostics: Vec<Diagnostic>,
    /// The token at which the first error was found.
    first_error: usize,
    /// Set once an error at the end was reported.
    has_ended: bool,
}

/// The part of the state that a failed rule must restore.
#[derive(Clone, Copy)]
struct SavedState {
    stack: usize,
    names: usize,
    subtext: Option<usize>,
    in_string: bool,
}

impl Parser {
    /// Creates a parser of `source`; returns the warnings of its lexer too.
    fn new(source: &str, options: &Options) -> (Self, Vec<(usize, Diagnostic)>) {
        let mut ast = Ast::new(source);
        let lexed = lexer::lex(source, options, &mut ast);
        let parser = Self {
            tokens: lexed.tokens,
            lexical_errors: lexed.errors,
            subtexts: lexed.subtexts,
            at: 0,
            subtext: None,
            in_string: false,
            ast,
            stack: Vec::with_capacity(64),
            names: Vec::new(),
            depth: 0,
            is_data: options.language.is_data(),
            plain: true,
            outline: recovery::Outline::default(),
            joined: 0,
            diagnostics: Vec::new(),
            first_error: usize::MAX,
            has_ended: false,
        };
        (parser, lexed.warnings)
    }

    fn program(&mut self) {
        if self.kind() == TokenKind::EppStart {
            let body = self.epp_expression();
            return self.ast.set_body(body);
        }
        let end = self.tokens.last().map_or(0, |token| token.span.start);
        if self.kind() == TokenKind::End {
            let nop = self.ast.add(Expr::Nop, Span::new(end, 0));
            return self.ast.set_body(nop);
        }
        let mark = self.stack.len();
        self.statements_to_end();
        let body = self.block_or_expression(mark, None);
        let body = body.unwrap_or_else(|| self.ast.add(Expr::Error, Span::new(end, 0)));
        self.ast.set_body(body);
    }

    /// Returns the one expression on the stack since `mark`, or a block of them.
    fn block_or_expression(&mut self, mark: usize, braces: Option<Span>) -> Option<ExprId> {
        match self.stack[mark..] {
            [] => None,
            [single] => {
                self.stack.truncate(mark);
                Some(single)
            }
            [first, .., last] => {
                let span = braces.unwrap_or_else(|| self.ast.span(first).to(self.ast.span(last)));
                let list = self.take(mark);
                Some(self.ast.add(Expr::Block(list), span))
            }
        }
    }

    /// Returns a block of all expressions on the stack since `mark`, as a body, which starts for Puppet where its container
    /// does.
    fn body(&mut self, mark: usize, container: u32) -> Option<ExprId> {
        if self.stack.len() == mark {
            return None;
        }
        let list = self.take(mark);
        Some(self.ast.add(Expr::Block(list), Span::new(container, 0)))
    }

    /// Makes a list of all expressions on the stack since `mark`.
    fn take(&mut self, mark: usize) -> ExprList {
        let list = self.ast.add_list(&self.stack[mark..]);
        self.stack.truncate(mark);
        list
    }

    fn state(&self) -> SavedState {
        SavedState {
            stack: self.stack.len(),
            names: self.names.len(),
            subtext: self.subtext,
            in_string: self.in_string,
        }
    }

    /// Restores the state before a failed rule.
    fn restore(&mut self, state: SavedState) {
        self.stack.truncate(state.stack);
        self.names.truncate(state.names);
        self.subtext = state.subtext;
        self.in_string = state.in_string;
    }
}

/// Access to tokens.
impl Parser {
    fn token(&self) -> Token {
        self.tokens[self.at]
    }

    fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    /// Returns the kind of the token after the current one.
    fn next_kind(&self) -> TokenKind {
        self.tokens.get(self.at + 1).map_or(TokenKind::End, |token| token.kind)
    }

    fn advance(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    /// Takes the current token if it is of that kind.
    fn accept(&mut self, kind: TokenKind) -> Option<Token> {
        (self.kind() == kind).then(|| self.advance())
    }

    fn expect(&mut self, kind: TokenKind) -> Parse<Token> {
        self.accept(kind).ok_or_else(|| self.missing(kind))
    }

    /// Reports that another token was expected.
    #[cold]
    fn missing(&mut self, kind: TokenKind) -> Failed {
        match kind.sign() {
            Some(sign) => self.missing_one_of(&format!("`{sign}`")),
            None => self.unexpected(),
        }
    }

    /// Reports that one of the tokens that `signs` lists was expected.
    #[cold]
    fn missing_one_of(&mut self, signs: &str) -> Failed {
        if self.end_was_reported() {
            return Failed;
        }
        let mut diagnostic = self.syntax_diagnostic();
        if diagnostic.code == "syntax-error" {
            diagnostic = diagnostic.label(format!("expected {signs}"));
        }
        self.fail(diagnostic)
    }

    /// Reports that the current token is not allowed here.
    #[cold]
    fn unexpected(&mut self) -> Failed {
        if self.end_was_reported() {
            return Failed;
        }
        let diagnostic = self.syntax_diagnostic();
        self.fail(diagnostic)
    }

    fn syntax_diagnostic(&mut self) -> Diagnostic {
        let token = self.token();
        match token.kind {
            TokenKind::Error => self.lexical_errors[token.text.start as usize].clone(),
            TokenKind::End => {
                issues::syntax_error_at_end(token.span.start, self.unclosed_bracket())
            }
            TokenKind::LineEnd => {
                issues::syntax_error_at_line_end(token.span, self.unclosed_on_line())
            }
            _ => {
                let issue = issues::syntax_error(self.place(token.span), &self.token_value(token));
                match self.advice() {
                    Some(advice) => issue.help(advice),
                    None => issue,
                }
            }
        }
    }

    /// Returns advice for frequent mistakes at the current token.
    fn advice(&self) -> Option<&'static str> {
        let before = self.tokens[..self.at].last().map(|token| token.kind);
        match (before?, self.kind()) {
            (TokenKind::Else, TokenKind::If) => Some("write `elsif`"),
            (TokenKind::Name, TokenKind::Equals | TokenKind::Colon) => {
                Some("a name is assigned to with a `$`, an attribute with `=>`")
            }
            (TokenKind::Comma, TokenKind::RBrace) => Some("remove the comma before it"),
            _ => None,
        }
    }

    /// Reports a diagnostic and abandons the rule.
    #[cold]
    fn fail(&mut self, diagnostic: Diagnostic) -> Failed {
        self.report(diagnostic);
        Failed
    }

    /// Returns true if the unexpected end of input was reported. Every enclosing rule fails there too; one error is enough.
    fn end_was_reported(&self) -> bool {
        self.has_ended && self.kind() == TokenKind::End
    }

    #[cold]
    fn report(&mut self, diagnostic: Diagnostic) {
        if self.end_was_reported() {
            return;
        }
        self.has_ended |= self.kind() == TokenKind::End;
        self.first_error = self.first_error.min(self.at);
        self.diagnostics.push(diagnostic);
    }

    /// Returns Puppet's name of a token in a message.
    fn token_value(&self, token: Token) -> String {
        match token.kind.sign() {
            Some(sign) => sign.to_owned(),
            // Its text is a number, and no message quotes it.
            None if token.kind == TokenKind::Sublocate => String::new(),
            None if self.is_data && !matches!(token.kind, TokenKind::Error | TokenKind::End) => {
                self.ast.source()[token.span.range()].to_owned()
            }
            None if token.kind == TokenKind::Regex => regexp::to_s(self.ast.text(token.text)),
            None => self.ast.text(token.text).to_owned(),
        }
    }

    /// Converts a span of the current text to the coordinates of the source.
    fn place(&self, span: Span) -> Span {
        match self.subtext {
            Some(number) => self.subtexts[number].to_source(span),
            None => span,
        }
    }

    /// Reports that the current token is nested too deeply, and skips the rest.
    #[cold]
    fn give_up(&mut self) -> Failed {
        let span = self.place(self.token().span);
        self.report(issues::too_deep(span));
        self.at = self.tokens.len() - 1;
        self.has_ended = true;
        Failed
    }

    /// Runs a rule one level deeper.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let limit = if self.is_data { MAX_DATA_DEPTH } else { MAX_DEPTH };
        if self.depth >= limit {
            return Err(self.give_up());
        }
        self.depth += 1;
        let result = if self.depth.is_multiple_of(STACK_CHECKS) {
            stacker::maybe_grow(RED_ZONE, MORE_STACK, || rule(self))
        } else {
            rule(self)
        };
        self.depth -= 1;
        result
    }
}
