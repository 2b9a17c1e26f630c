//! Calls, their arguments and lambdas.

use kukla_base::Span;

use super::{Parse, Parser};
use crate::ast::{CallKind, Expr, ExprId};
use crate::token::TokenKind;

impl Parser {
    /// Parses `functor(arguments) |…| { … }`.
    pub(super) fn call(&mut self, functor: ExprId) -> Parse<ExprId> {
        self.advance();
        let mark = self.stack.len();
        if self.kind() != TokenKind::RParen {
            self.arguments()?;
            self.accept(TokenKind::Comma);
        }
        let close = self.expect(TokenKind::RParen)?;
        let arguments = self.take(mark);
        let lambda = self.optional_lambda()?;
        let end = lambda.map_or(close.span, |lambda| self.ast.span(lambda));
        let span = self.ast.span(functor).to(end);
        let kind = CallKind::Named;
        Ok(self.ast.add(Expr::Call { kind, rvalue: true, functor, arguments, lambda }, span))
    }

    /// Parses `left.name(arguments) |…| { … }`.
    pub(super) fn method_call(&mut self, left: ExprId) -> Parse<ExprId> {
        let dot = self.advance();
        if !matches!(self.kind(), TokenKind::Name | TokenKind::Type) {
            return Err(self.unexpected());
        }
        let name = self.advance();
        let mut span = dot.span.to(name.span);
        let functor = self.ast.add(Expr::NamedAccess { left, name: name.text }, span);
        let mark = self.stack.len();
        if let Some(open) = self.accept(TokenKind::LParen) {
            span = open.span;
            if self.kind() == TokenKind::RParen {
                self.advance();
            } else {
                // No comma is allowed before this parenthesis.
                self.list(None, Self::argument)?;
                span = span.to(self.expect(TokenKind::RParen)?.span);
            }
        }
        let arguments = self.take(mark);
        let lambda = self.optional_lambda()?;
        let kind = CallKind::Method;
        Ok(self.ast.add(Expr::Call { kind, rvalue: true, functor, arguments, lambda }, span))
    }

    /// Pushes arguments, up to a closing parenthesis or a comma before it.
    pub(super) fn arguments(&mut self) -> Parse<()> {
        self.list(Some(TokenKind::RParen), Self::argument)
    }

    /// Pushes the keys of `[…]`, up to the bracket or a comma before it.
    pub(super) fn access_args(&mut self) -> Parse<()> {
        self.list(Some(TokenKind::RBrack), Self::access_arg)
    }

    /// Pushes the keys of a type's `[…]`, where no comma is allowed before the bracket.
    pub(super) fn type_arguments(&mut self) -> Parse<()> {
        self.list(None, Self::access_arg)
    }

    /// Pushes the elements of an array, up to the bracket or a comma before it.
    pub(super) fn collection_entries(&mut self) -> Parse<()> {
        self.list(Some(TokenKind::RBrack), Self::collection_entry)
    }

    /// Pushes elements with commas between them.
    ///
    /// A comma before `end` is not consumed. Adjacent pairs `a => b` become one hash.
    fn list(
        &mut self,
        end: Option<TokenKind>,
        element: fn(&mut Self) -> Parse<ListElement>,
    ) -> Parse<()> {
        let mut pairs = None;
        loop {
            match element(self)? {
                ListElement::Pair(entry) => {
                    pairs.get_or_insert(self.stack.len());
                    self.stack.push(entry);
                }
                ListElement::Single(id) => {
                    self.close_pairs(&mut pairs);
                    self.stack.push(id);
                }
            }
            if self.kind() != TokenKind::Comma || end == Some(self.next_kind()) {
                self.close_pairs(&mut pairs);
                return Ok(());
            }
            self.advance();
        }
    }

    /// Makes one hash of the pairs on the stack.
    fn close_pairs(&mut self, pairs: &mut Option<usize>) {
        if let Some(mark) = pairs.take() {
            let span = self.ast.span(self.stack[mark]);
            let entries = self.take(mark);
            let hash = self.ast.add(Expr::Hash(entries), span);
            self.stack.push(hash);
        }
    }

    /// Parses `assignment` or `key => value`.
    fn argument(&mut self) -> Parse<ListElement> {
        if self.is_keyword_entry() && self.next_kind() == TokenKind::FArrow {
            let key = self.keyword_entry();
            return self.pair(key);
        }
        let id = self.assignment()?;
        if self.kind() == TokenKind::FArrow { self.pair(id) } else { Ok(ListElement::Single(id)) }
    }

    /// Parses `expression` or `key => value`.
    fn access_arg(&mut self) -> Parse<ListElement> {
        match self.argument()? {
            ListElement::Single(_) if !self.plain => Err(self.unexpected()),
            element => Ok(element),
        }
    }

    /// Parses an argument, or one of the keywords that are allowed in an array.
    fn collection_entry(&mut self) -> Parse<ListElement> {
        if self.is_keyword_entry() && self.next_kind() != TokenKind::FArrow {
            return Ok(ListElement::Single(self.keyword_entry()));
        }
        self.argument()
    }

    fn pair(&mut self, key: ExprId) -> Parse<ListElement> {
        let arrow = self.advance();
        let value = self.hash_entry()?;
        // The pair itself is plain whatever its parts are.
        self.plain = true;
        Ok(ListElement::Pair(self.ast.add(Expr::KeyedEntry { key, value }, arrow.span)))
    }

    /// Parses a key or value of a hash.
    pub(super) fn hash_entry(&mut self) -> Parse<ExprId> {
        if self.is_keyword_entry() { Ok(self.keyword_entry()) } else { self.assignment() }
    }

    /// Returns true if the current token is `type` or `function` as a word of its own.
    fn is_keyword_entry(&self) -> bool {
        match self.kind() {
            TokenKind::Type => !matches!(self.next_kind(), TokenKind::LParen | TokenKind::ClassRef),
            TokenKind::Function => !matches!(
                self.next_kind(),
                TokenKind::Name
                    | TokenKind::Word
                    | TokenKind::ClassRef
                    | TokenKind::Class
                    | TokenKind::String
            ),
            _ => false,
        }
    }

    fn keyword_entry(&mut self) -> ExprId {
        let token = self.advance();
        self.ast.add(Expr::String(token.text), token.span)
    }

    fn optional_lambda(&mut self) -> Parse<Option<ExprId>> {
        match self.kind() == TokenKind::Pipe && !self.is_data {
            true => self.lambda().map(Some),
            false => Ok(None),
        }
    }

    /// Parses `|parameters| >> type { statements }`.
    fn lambda(&mut self) -> Parse<ExprId> {
        let start = self.token().span;
        let parameters = self.pipe_parameters()?;
        let return_type = self.optional_return_type()?;
        self.expect(TokenKind::LBrace)?;
        let mark = self.stack.len();
        let close = self.nested(Self::statements_to_brace)?;
        let body = self.body(mark, start.start);
        let span: Span = start.to(close);
        Ok(self.ast.add(Expr::Lambda { parameters, body, return_type }, span))
    }
}

/// An element of a list.
enum ListElement {
    Single(ExprId),
    /// `key => value`
    Pair(ExprId),
}
