//! `if`, `unless` and `case`.

use kukla_base::Span;

use super::{Parse, Parser};
use crate::ast::{Expr, ExprId};
use crate::token::{Token, TokenKind};

impl Parser {
    /// Parses `if test { … } elsif test { … } else { … }`.
    pub(super) fn if_expression(&mut self) -> Parse<ExprId> {
        let start = self.advance();
        self.if_part(start)
    }

    fn if_part(&mut self, start: Token) -> Parse<ExprId> {
        let test = self.expression()?;
        let (then, close) = self.braces()?;
        let otherwise = match self.kind() {
            TokenKind::Elsif => {
                let elsif = self.advance();
                Some(self.nested(|parser| parser.if_part(elsif))?)
            }
            _ => self.else_part()?,
        };
        let end = otherwise.map_or(close, |otherwise| self.ast.span(otherwise));
        // Puppet moves the start to the keyword but keeps the length from the test on.
        let length = self.ast.span(test).to(end).len;
        let span = Span::new(start.span.start, length);
        Ok(self.ast.add(Expr::If { test, then, otherwise }, span))
    }

    fn else_part(&mut self) -> Parse<Option<ExprId>> {
        match self.accept(TokenKind::Else) {
            Some(_) => Ok(self.braces()?.0),
            None => Ok(None),
        }
    }

    /// Parses `{ statements }`; returns the one statement, or a block of them, and the span of the closing brace.
    fn braces(&mut self) -> Parse<(Option<ExprId>, Span)> {
        let open = self.expect(TokenKind::LBrace)?;
        let mark = self.stack.len();
        let close = self.nested(Self::statements_to_brace)?;
        let body = self.block_or_expression(mark, Some(open.span.to(close)));
        Ok((body, close))
    }

    /// Parses `unless test { … } else { … }`.
    pub(super) fn unless_expression(&mut self) -> Parse<ExprId> {
        let start = self.advance();
        let test = self.expression()?;
        let (then, close) = self.braces()?;
        let otherwise = self.else_part()?;
        // Puppet's span of an `unless` without statements ends with its `else`, or its keyword.
        let end = match (then, otherwise) {
            (Some(_), _) => close,
            (None, Some(otherwise)) => self.ast.span(otherwise),
            (None, None) => start.span,
        };
        Ok(self.ast.add(Expr::Unless { test, then, otherwise }, start.span.to(end)))
    }

    /// Parses `case test { options }`.
    pub(super) fn case_expression(&mut self) -> Parse<ExprId> {
        let start = self.advance();
        let test = self.expression()?;
        self.expect(TokenKind::LBrace)?;
        let mark = self.stack.len();
        loop {
            self.case_option()?;
            if let Some(close) = self.accept(TokenKind::RBrace) {
                let options = self.take(mark);
                let span = start.span.to(close.span);
                return Ok(self.ast.add(Expr::Case { test, options }, span));
            }
        }
    }

    /// Pushes `values: { statements }`.
    fn case_option(&mut self) -> Parse<()> {
        let mark = self.stack.len();
        loop {
            let value = self.expression()?;
            self.stack.push(value);
            if self.accept(TokenKind::Comma).is_none() {
                break;
            }
        }
        let values = self.take(mark);
        let colon = self.expect(TokenKind::Colon)?;
        self.expect(TokenKind::LBrace)?;
        let close = self.nested(Self::statements_to_brace)?;
        let then = self.body(mark, colon.span.start);
        let option = self.ast.add(Expr::CaseOption { values, then }, colon.span.to(close));
        self.stack.push(option);
        Ok(())
    }
}
