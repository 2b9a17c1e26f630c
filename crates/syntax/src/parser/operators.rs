//! Expressions: operators and postfix constructs.

use super::{Parse, Parser};
use crate::ast::{BinaryOp, Expr, ExprId, UnaryOp};
use crate::token::TokenKind;

/// The maximum number of operators in a row without brackets: each is a level of the tree, and Puppet itself runs out of
/// stack at a few thousand.
const MAX_CHAIN: u32 = 10_000;

/// The precedence of an operator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Lowest,
    Or,
    And,
    Selector,
    Comparison,
    Equality,
    Shift,
    Sum,
    Product,
    Match,
    In,
    Prefix,
}

impl Parser {
    /// Parses an expression: no assignment, relationship or resource, unless in brackets.
    pub(super) fn expression(&mut self) -> Parse<ExprId> {
        self.nested(|parser| parser.operation(Precedence::Lowest))
    }

    /// Parses an expression whose operators bind tighter than `outer`.
    fn operation(&mut self, outer: Precedence) -> Parse<ExprId> {
        let left = match self.kind() {
            TokenKind::Not => self.prefix(UnaryOp::Not)?,
            TokenKind::Minus => self.prefix(UnaryOp::Minus)?,
            TokenKind::Times => self.prefix(UnaryOp::Unfold)?,
            _ => self.primary()?,
        };
        self.operation_on(left, outer)
    }

    /// Parses an expression that starts with a hash which is already parsed.
    pub(super) fn expression_on(&mut self, hash: ExprId) -> Parse<ExprId> {
        self.operation_on(hash, Precedence::Lowest)
    }

    fn operation_on(&mut self, mut left: ExprId, outer: Precedence) -> Parse<ExprId> {
        for _ in 0..MAX_CHAIN {
            left = match self.kind() {
                TokenKind::LBrack => self.access(left)?,
                TokenKind::LParen => self.call(left)?,
                TokenKind::Dot => self.method_call(left)?,
                TokenKind::LCollect | TokenKind::LLCollect => self.collection(left)?,
                TokenKind::QMark if outer < Precedence::Selector => self.selector(left)?,
                kind => match binary(kind) {
                    Some((op, precedence)) if outer < precedence => {
                        let token = self.advance();
                        let right = self.nested(|parser| parser.operation(precedence))?;
                        self.ast.add(Expr::Binary { op, left, right }, token.span)
                    }
                    _ => return Ok(left),
                },
            };
        }
        Err(self.give_up())
    }

    fn prefix(&mut self, op: UnaryOp) -> Parse<ExprId> {
        let token = self.advance();
        let expr = self.nested(|parser| parser.operation(Precedence::Prefix))?;
        Ok(self.ast.add(Expr::Unary { op, expr }, token.span))
    }

    /// Parses `left[keys]`.
    fn access(&mut self, left: ExprId) -> Parse<ExprId> {
        self.advance();
        let mark = self.stack.len();
        self.access_args()?;
        self.accept(TokenKind::Comma);
        let close = self.expect(TokenKind::RBrack)?;
        let keys = self.take(mark);
        let span = self.ast.span(left).to(close.span);
        Ok(self.ast.add(Expr::Access { left, keys }, span))
    }

    /// Parses `left ? { matching => value, … }` or `left ? matching => value`.
    fn selector(&mut self, left: ExprId) -> Parse<ExprId> {
        self.advance();
        let mark = self.stack.len();
        if self.accept(TokenKind::SelBrace).is_some() {
            loop {
                self.selector_entry()?;
                if self.accept(TokenKind::Comma).is_none() || self.kind() == TokenKind::RBrace {
                    break;
                }
            }
            self.expect(TokenKind::RBrace)?;
        } else {
            self.selector_entry()?;
        }
        let selectors = self.take(mark);
        let span = self.ast.span(left);
        Ok(self.ast.add(Expr::Selector { left, selectors }, span))
    }

    /// Pushes `matching => value`.
    fn selector_entry(&mut self) -> Parse<()> {
        let matching = self.expression()?;
        let arrow = self.expect(TokenKind::FArrow)?;
        let value = self.expression()?;
        let entry = self.ast.add(Expr::SelectorEntry { matching, value }, arrow.span);
        self.stack.push(entry);
        Ok(())
    }
}

/// Returns the binary operator of a token.
fn binary(kind: TokenKind) -> Option<(BinaryOp, Precedence)> {
    Some(match kind {
        TokenKind::In => (BinaryOp::In, Precedence::In),
        TokenKind::Match => (BinaryOp::Match, Precedence::Match),
        TokenKind::NoMatch => (BinaryOp::NoMatch, Precedence::Match),
        TokenKind::Times => (BinaryOp::Multiply, Precedence::Product),
        TokenKind::Div => (BinaryOp::Divide, Precedence::Product),
        TokenKind::Modulo => (BinaryOp::Modulo, Precedence::Product),
        TokenKind::Plus => (BinaryOp::Add, Precedence::Sum),
        TokenKind::Minus => (BinaryOp::Subtract, Precedence::Sum),
        TokenKind::LShift => (BinaryOp::LeftShift, Precedence::Shift),
        TokenKind::RShift => (BinaryOp::RightShift, Precedence::Shift),
        TokenKind::IsEqual => (BinaryOp::Equal, Precedence::Equality),
        TokenKind::NotEqual => (BinaryOp::NotEqual, Precedence::Equality),
        TokenKind::LessThan => (BinaryOp::Less, Precedence::Comparison),
        TokenKind::LessEqual => (BinaryOp::LessEqual, Precedence::Comparison),
        TokenKind::GreaterThan => (BinaryOp::Greater, Precedence::Comparison),
        TokenKind::GreaterEqual => (BinaryOp::GreaterEqual, Precedence::Comparison),
        TokenKind::And => (BinaryOp::And, Precedence::And),
        TokenKind::Or => (BinaryOp::Or, Precedence::Or),
        _ => return None,
    })
}
