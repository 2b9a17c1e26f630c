//! Strings with interpolation, and heredocs.

use kukla_base::Span;

use super::{Parse, Parser};
use crate::ast::{Expr, ExprId, UnaryOp};
use crate::token::TokenKind;

impl Parser {
    /// Parses `"text ${expression} text"`.
    pub(super) fn dq_string(&mut self) -> Parse<ExprId> {
        let first = self.token();
        let mark = self.stack.len();
        let outer = std::mem::replace(&mut self.in_string, true);
        self.dq_part();
        loop {
            let expr = self.assignment()?;
            self.name_to_variable(expr, first.span.start);
            let place = Span::new(first.span.start, 0);
            let text = self.ast.add(Expr::Unary { op: UnaryOp::Text, expr }, place);
            self.stack.push(text);
            let part = self.token();
            match part.kind {
                TokenKind::DqMid => self.dq_part(),
                TokenKind::DqPost => {
                    self.dq_part();
                    self.in_string = outer;
                    let segments = self.take(mark);
                    let span = first.span.to(part.span);
                    return Ok(self.ast.add(Expr::Concat(segments), span));
                }
                _ => return Err(self.unexpected()),
            }
        }
    }

    /// Turns a name alone into a variable. The lexer does that too, unless the brace is not closed.
    fn name_to_variable(&mut self, expr: ExprId, string: u32) {
        if let Expr::QualifiedName(name) = self.ast[expr] {
            let variable = Span::new(string, 0);
            self.ast.set(expr, Expr::Variable(name));
            self.ast.set_name_span(expr, variable, self.ast.span(expr));
            self.ast.set_span(expr, variable);
        }
    }

    /// Pushes a piece of text, unless it is empty.
    fn dq_part(&mut self) {
        let part = self.advance();
        if !part.text.is_empty() {
            let text = self.ast.add(Expr::String(part.text), part.span);
            self.stack.push(text);
        }
    }

    /// Parses `@(END)`; the text is in the tokens right after it.
    pub(super) fn heredoc(&mut self) -> Parse<ExprId> {
        let heredoc = self.advance();
        let number = self.expect(TokenKind::Sublocate)?.text.start as usize;
        self.subtext = Some(number);
        let first = self.ast.next_index();
        let text = match self.kind() {
            TokenKind::String | TokenKind::DqPre => self.primary()?,
            _ => return Err(self.unexpected()),
        };
        self.subtext = None;
        let subtext = &self.subtexts[number];
        self.ast.map_spans(first, |span| subtext.to_source(span));
        let syntax = heredoc.text;
        Ok(self.ast.add(Expr::Heredoc { text, syntax }, heredoc.span))
    }
}
