//! Templates.

use kukla_base::Span;

use super::{Parse, Parser};
use crate::ast::{Expr, ExprId, ExprList, UnaryOp};
use crate::token::{Token, TokenKind};

impl Parser {
    /// Parses a whole template: parameters, text and code.
    pub(super) fn epp_expression(&mut self) -> ExprId {
        let start = self.advance().span;
        let mut parameters = ExprList::default();
        let parameters_specified = self.kind() == TokenKind::Pipe;
        if parameters_specified {
            let (first, state) = (self.at, self.state());
            match self.pipe_parameters() {
                Ok(list) => parameters = list,
                Err(_) => {
                    self.restore(state);
                    self.recover(first);
                }
            }
        }
        let mark = self.stack.len();
        self.statements_to_end();
        let body = self.body(mark, start.start);
        let place = Span::new(start.start, 0);
        let epp = self.ast.add(Expr::Epp { parameters_specified, body }, place);
        let lambda = Expr::Lambda { parameters, body: Some(epp), return_type: None };
        self.ast.add(lambda, start)
    }

    /// Parses `<%= expression %>` or `<%= { statements } %>`.
    pub(super) fn render_expression(&mut self) -> Parse<ExprId> {
        let start = self.advance();
        let expr = match self.kind() {
            TokenKind::LBrace => self.render_braces()?,
            _ => self.expression()?,
        };
        let end = self.epp_end()?;
        let render = Expr::Unary { op: UnaryOp::Render, expr };
        Ok(self.ast.add(render, start.span.to(end.span)))
    }

    fn epp_end(&mut self) -> Parse<Token> {
        match self.kind() {
            TokenKind::EppEnd | TokenKind::EppEndTrim => Ok(self.advance()),
            _ => Err(self.unexpected()),
        }
    }

    /// Parses a brace in `<%= %>`: a hash, with operators after it, or statements.
    fn render_braces(&mut self) -> Parse<ExprId> {
        let open = self.advance();
        if self.kind() == TokenKind::RBrace {
            let hash = self.hash_with(open, None)?;
            return self.expression_on(hash);
        }
        let first = self.hash_entry()?;
        if self.kind() == TokenKind::FArrow {
            let hash = self.hash_with(open, Some(first))?;
            return self.expression_on(hash);
        }
        let mark = self.stack.len();
        self.statements_after(first)?;
        let close = self.expect(TokenKind::RBrace)?;
        let braces = open.span.to(close.span);
        self.block_or_expression(mark, Some(braces)).ok_or_else(|| self.unexpected())
    }
}
