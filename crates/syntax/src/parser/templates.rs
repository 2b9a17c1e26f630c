//! Templates.

use kukla_base::Span;

use super::{Parse, Parser};
use crate::ast::{Expr, ExprId, ExprList, UnaryOp};
use crate::token::{Token, TokenKind};

impl Parser {
    /// A whole template: parameters, text and code.
    pub(super) fn epp_expression(&mut self) -> ExprId {
        let start = self.advance().span;
        let mut parameters = ExprList::default();
        let parameters_specified = self.kind() == TokenKind::Pipe;
        if parameters_specified {
            let first = self.at;
            match self.pipe_parameters() {
                Ok(list) => parameters = list,
                Err(_) => {
                    self.stack.clear();
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

    /// `<%= expression %>` or `<%= { statements } %>`
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

    /// What starts with a brace in `<%= %>`: a hash, with operators after it, or statements.
    fn render_braces(&mut self) -> Parse<ExprId> {
        let open_at = self.at;
        if self.braces_hold_a_hash(open_at) {
            return self.expression();
        }
        let open = self.advance();
        let mark = self.stack.len();
        let close = self.nested(Self::statements_to_brace)?;
        let braces = open.span.to(close);
        self.block_or_expression(mark, Some(braces)).ok_or_else(|| self.unexpected())
    }

    /// Whether a `=>` or the closing brace comes first at the level of the brace at token `open`.
    fn braces_hold_a_hash(&self, open: usize) -> bool {
        let mut depth = 0;
        for (distance, token) in self.tokens[open..].iter().enumerate() {
            match token.kind {
                TokenKind::LBrace
                | TokenKind::SelBrace
                | TokenKind::LParen
                | TokenKind::WsLParen
                | TokenKind::LBrack
                | TokenKind::ListStart => depth += 1,
                TokenKind::RBrace | TokenKind::RParen | TokenKind::RBrack if depth > 1 => {
                    depth -= 1
                }
                TokenKind::RBrace => return distance == 1,
                // The arrow of a selector without braces is not the hash's.
                TokenKind::QMark if depth == 1 => return false,
                TokenKind::FArrow if depth == 1 => return true,
                TokenKind::End | TokenKind::EppEnd | TokenKind::EppEndTrim => return false,
                _ => (),
            }
        }
        false
    }
}
