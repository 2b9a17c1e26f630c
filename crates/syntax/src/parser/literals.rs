//! Primary expressions: literals, names, brackets, and everything that starts with a keyword.

use super::{Parse, Parser};
use crate::ast::{Expr, ExprId, Text, UnaryOp};
use crate::token::{Token, TokenKind};

impl Parser {
    /// Parses an expression without operators around it.
    pub(super) fn primary(&mut self) -> Parse<ExprId> {
        let token = self.token();
        let expr = match token.kind {
            TokenKind::Variable => Expr::Variable(token.text),
            TokenKind::Name => Expr::QualifiedName(token.text),
            TokenKind::String | TokenKind::Word => Expr::String(token.text),
            TokenKind::ClassRef => Expr::QualifiedReference(token.text),
            TokenKind::Number => self.number(token),
            TokenKind::Boolean => Expr::Boolean(token.text.len == 4),
            TokenKind::Default => Expr::Default,
            TokenKind::Undef => Expr::Undef,
            TokenKind::Regex => Expr::Regexp(token.text),
            // In PDL, an operator at the start of an operand is a word.
            TokenKind::And | TokenKind::Or | TokenKind::In if self.is_data => {
                Expr::QualifiedName(token.text)
            }
            TokenKind::Private | TokenKind::Attr => Expr::ReservedWord(token.text),
            TokenKind::RenderString => Expr::RenderString(token.text),
            _ => return self.compound(token.kind),
        };
        self.at += 1;
        Ok(self.ast.add(expr, token.span))
    }

    fn compound(&mut self, kind: TokenKind) -> Parse<ExprId> {
        match kind {
            TokenKind::DqPre => self.dq_string(),
            TokenKind::Heredoc => self.heredoc(),
            TokenKind::LParen | TokenKind::WsLParen => self.parenthesized(),
            TokenKind::LBrack | TokenKind::ListStart => self.array(),
            TokenKind::LBrace => self.hash(),
            TokenKind::If => self.if_expression(),
            TokenKind::Unless => self.unless_expression(),
            TokenKind::Case => self.case_expression(),
            TokenKind::Class => self.class_definition(),
            TokenKind::Define => self.define_definition(),
            TokenKind::Function => self.function_definition(),
            TokenKind::Plan => self.plan_definition(),
            TokenKind::Node => self.node_definition(),
            TokenKind::Type => self.type_keyword(),
            TokenKind::Apply => self.apply_expression(),
            TokenKind::RenderExpr => self.render_expression(),
            _ => Err(self.unexpected()),
        }
    }

    fn number(&self, token: Token) -> Expr {
        let digits = self.ast.text(token.text).as_bytes();
        match *digits {
            [b'0', b'x' | b'X', ..] => Expr::Integer { digits: token.text, radix: 16 },
            _ if digits.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => {
                Expr::Float(token.text)
            }
            [b'0', _, ..] => Expr::Integer { digits: token.text, radix: 8 },
            _ => Expr::Integer { digits: token.text, radix: 10 },
        }
    }

    /// Parses `(assignment)`.
    fn parenthesized(&mut self) -> Parse<ExprId> {
        let open = self.advance();
        let expr = self.assignment()?;
        self.expect(TokenKind::RParen)?;
        Ok(self.ast.add(Expr::Unary { op: UnaryOp::Paren, expr }, open.span))
    }

    /// Parses `[a, b]`.
    pub(super) fn array(&mut self) -> Parse<ExprId> {
        let open = self.advance();
        let mark = self.stack.len();
        if self.kind() != TokenKind::RBrack {
            self.collection_entries()?;
            self.accept(TokenKind::Comma);
        }
        let close = self.expect(TokenKind::RBrack)?;
        let values = self.take(mark);
        Ok(self.ast.add(Expr::List(values), open.span.to(close.span)))
    }

    /// Parses `{ a => b }`.
    pub(super) fn hash(&mut self) -> Parse<ExprId> {
        let open = self.advance();
        if self.kind() == TokenKind::RBrace {
            return self.hash_with(open, None);
        }
        let key = self.hash_entry()?;
        self.hash_with(open, Some(key))
    }

    /// Parses the rest of a hash after its brace and its first key.
    pub(super) fn hash_with(&mut self, open: Token, first_key: Option<ExprId>) -> Parse<ExprId> {
        let mark = self.stack.len();
        let mut next_key = first_key;
        while let Some(key) = next_key {
            let arrow = match self.is_data {
                true => self.data_arrow()?,
                false => self.expect(TokenKind::FArrow)?,
            };
            let value = self.hash_entry()?;
            let entry = self.ast.add(Expr::KeyedEntry { key, value }, arrow.span);
            self.stack.push(entry);
            next_key = match self.accept(TokenKind::Comma) {
                Some(_) if self.kind() != TokenKind::RBrace => Some(self.hash_entry()?),
                _ => None,
            };
        }
        let close = self.expect(TokenKind::RBrace)?;
        let entries = self.take(mark);
        Ok(self.ast.add(Expr::Hash(entries), open.span.to(close.span)))
    }

    /// Adds a text that is not literally in the source.
    pub(super) fn built_text(&mut self, text: &str) -> Text {
        self.ast.add_text(text)
    }
}
