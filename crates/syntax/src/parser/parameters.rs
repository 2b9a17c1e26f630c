//! Parameters of definitions, lambdas and templates, and return types.

use super::{Parse, Parser};
use crate::ast::{Expr, ExprId, ExprList};
use crate::token::TokenKind;

impl Parser {
    /// Parses `(parameters)`, or nothing.
    pub(super) fn parameter_list(&mut self) -> Parse<ExprList> {
        if !matches!(self.kind(), TokenKind::LParen | TokenKind::WsLParen) {
            return Ok(ExprList::default());
        }
        self.advance();
        self.parameters(TokenKind::RParen)
    }

    /// Parses `|parameters|`.
    pub(super) fn pipe_parameters(&mut self) -> Parse<ExprList> {
        self.expect(TokenKind::Pipe)?;
        self.parameters(TokenKind::Pipe)
    }

    /// Parameters up to and with the closing token.
    fn parameters(&mut self, close: TokenKind) -> Parse<ExprList> {
        let mark = self.stack.len();
        if self.kind() != close {
            loop {
                let parameter = self.parameter()?;
                self.stack.push(parameter);
                if self.accept(TokenKind::Comma).is_none() || self.kind() == close {
                    break;
                }
            }
        }
        self.expect(close)?;
        Ok(self.take(mark))
    }

    /// Parses `Type *$name = default`.
    fn parameter(&mut self) -> Parse<ExprId> {
        let type_ = match self.kind() {
            TokenKind::ClassRef => Some(self.parameter_type()?),
            _ => None,
        };
        let captures_rest = self.accept(TokenKind::Times).is_some();
        let variable = self.expect(TokenKind::Variable)?;
        let value = match self.accept(TokenKind::Equals) {
            Some(_) => Some(self.expression()?),
            None => None,
        };
        let name = variable.text;
        Ok(self.ast.add(Expr::Parameter { name, value, type_, captures_rest }, variable.span))
    }

    /// Parses `Type` or `Type[arguments]`.
    pub(super) fn parameter_type(&mut self) -> Parse<ExprId> {
        let name = self.expect(TokenKind::ClassRef)?;
        let type_ = self.ast.add(Expr::QualifiedReference(name.text), name.span);
        if self.accept(TokenKind::LBrack).is_none() {
            return Ok(type_);
        }
        let mark = self.stack.len();
        self.type_arguments()?;
        let close = self.expect(TokenKind::RBrack)?;
        let keys = self.take(mark);
        Ok(self.ast.add(Expr::Access { left: type_, keys }, name.span.to(close.span)))
    }

    /// Parses `>> Type`, or nothing.
    pub(super) fn optional_return_type(&mut self) -> Parse<Option<ExprId>> {
        match self.accept(TokenKind::RShift) {
            Some(_) => self.parameter_type().map(Some),
            None => Ok(None),
        }
    }
}
