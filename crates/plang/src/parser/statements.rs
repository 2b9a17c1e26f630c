//! Statements and blocks.

use kukla_base::Span;

use super::{Lost, Parse, Parser};
use crate::ast::{Expr, ExprId};
use crate::issues;
use crate::token::{Keyword, Symbol, TokenKind};

impl Parser<'_> {
    /// `program = code`
    pub(super) fn program(&mut self) -> Vec<ExprId> {
        let mut statements = self.code();
        while self.peek().kind != TokenKind::End {
            // Only a closing brace stops `code` before the end.
            let brace = self.next();
            self.diagnostics.push(issues::stray_brace(brace.span));
            if self.diagnostics.len() >= super::MOST {
                break;
            }
            statements.extend(self.code());
        }
        statements
    }

    /// `code = *( statement ws )`, up to a closing brace or the end.
    fn code(&mut self) -> Vec<ExprId> {
        let mut statements = Vec::new();
        loop {
            while self.take(Symbol::Semicolon).is_some() {}
            if self.is(Symbol::BraceClose) || self.peek().kind == TokenKind::End {
                return statements;
            }
            if self.diagnostics.len() >= super::MOST {
                // Reporting more diagnostics would not help.
                self.at = self.tokens.len() - 1;
                return statements;
            }
            let start = self.peek().span;
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(Lost) => {
                    self.recover(start);
                    statements.push(self.ast.add(Expr::Error, start));
                }
            }
        }
    }

    /// Skips the rest of a statement: up to its semicolon, or to the brace that ends the block around it.
    fn recover(&mut self, start: Span) {
        let mut depth = 0_usize;
        loop {
            let token = self.peek();
            match token.kind {
                TokenKind::End => return,
                TokenKind::Symbol(Symbol::BraceClose) if depth == 0 => return,
                TokenKind::Symbol(Symbol::BraceClose) => {
                    depth -= 1;
                    self.next();
                    if depth == 0 {
                        return;
                    }
                    continue;
                }
                TokenKind::Symbol(Symbol::BraceOpen) => depth += 1,
                TokenKind::Symbol(Symbol::Semicolon) if depth == 0 => {
                    self.next();
                    return;
                }
                TokenKind::Keyword(Keyword::If) if depth == 0 && token.span != start => return,
                _ => (),
            }
            self.next();
        }
    }

    fn statement(&mut self) -> Parse<ExprId> {
        match (self.peek().kind, self.peek_after()) {
            (TokenKind::Keyword(Keyword::If), _) => self.if_statement(),
            (TokenKind::Word, TokenKind::Symbol(Symbol::Assign)) => self.assignment(),
            (TokenKind::Symbol(Symbol::BraceOpen), _) => self.block_statement(),
            _ => self.expression_statement(),
        }
    }

    fn if_statement(&mut self) -> Parse<ExprId> {
        let start = self.next().span;
        let mut arms = vec![self.arm()?];
        let mut otherwise = None;
        loop {
            if self.take_word(Keyword::Elsif).is_some() {
                arms.push(self.arm()?);
            } else if self.take_word(Keyword::Else).is_some() {
                if self.take_word(Keyword::If).is_some() {
                    arms.push(self.arm()?);
                    continue;
                }
                otherwise = Some(self.block("after `else`")?);
                break;
            } else {
                break;
            }
        }
        let last = otherwise.or(arms.last().map(|(_, block)| *block));
        let span = last.map_or(start, |last| start.to(self.ast.span(last)));
        self.add(Expr::If { arms, otherwise }, span)
    }

    fn arm(&mut self) -> Parse<(ExprId, ExprId)> {
        self.expect(Symbol::ParenOpen, "before the condition")?;
        let condition = self.nested(Self::expression)?;
        self.expect(Symbol::ParenClose, "after the condition")?;
        Ok((condition, self.block("after the condition")?))
    }

    /// `block = "{" ws code "}"`
    pub(super) fn block(&mut self, context: &str) -> Parse<ExprId> {
        let open = self.expect(Symbol::BraceOpen, context)?;
        let statements = self.nested(|parser| Ok(parser.code()))?;
        match self.take(Symbol::BraceClose) {
            Some(close) => self.add(Expr::Block(statements), open.span.to(close.span)),
            None => {
                self.diagnostics.push(issues::unclosed_block(open.span));
                Err(Lost)
            }
        }
    }

    /// Parses a block: a statement of its own unless an operator follows that takes blocks.
    fn block_statement(&mut self) -> Parse<ExprId> {
        let block = self.block("")?;
        let is_operand = [Keyword::Otherwise, Keyword::Or, Keyword::And, Keyword::Xor]
            .iter()
            .any(|word| self.is_word(*word));
        if !is_operand {
            self.take(Symbol::Semicolon);
            return Ok(block);
        }
        let expression = self.expression_from(block)?;
        self.end_of_expression(expression)
    }

    fn assignment(&mut self) -> Parse<ExprId> {
        let name = self.next();
        let name = self.word(name);
        self.next();
        let value = self.expression()?;
        let span = name.span.to(self.ast.span(value));
        self.end(span, false)?;
        self.add(Expr::Assign { name, value }, span)
    }

    fn expression_statement(&mut self) -> Parse<ExprId> {
        let expression = self.expression()?;
        if self.is(Symbol::Assign) {
            let span = self.ast.span(expression);
            self.diagnostics.push(issues::not_assignable(span));
            return Err(Lost);
        }
        self.end_of_expression(expression)
    }

    fn end_of_expression(&mut self, expression: ExprId) -> Parse<ExprId> {
        let ends_with_block =
            self.tokens[self.at - 1].kind == TokenKind::Symbol(Symbol::BraceClose);
        self.end(self.ast.span(expression), ends_with_block)?;
        Ok(expression)
    }

    /// Parses `end = ";" / ""`: empty only before `}`, at the end of the program, or with `is_optional`.
    fn end(&mut self, statement: Span, is_optional: bool) -> Parse<()> {
        let is_last = self.is(Symbol::BraceClose) || self.peek().kind == TokenKind::End;
        if self.take(Symbol::Semicolon).is_some() || is_last || is_optional {
            return Ok(());
        }
        if self.peek().kind == TokenKind::Error {
            return Err(Lost);
        }
        let token = self.peek();
        let issue = issues::missing_semicolon(token, self.slice(token.span), statement);
        self.diagnostics.push(issue);
        // If the next line starts a statement, only the semicolon is missing and nothing needs to be skipped.
        let between = &self.text[statement.end() as usize..token.span.start as usize];
        let starts = matches!(token.kind, TokenKind::Word | TokenKind::Keyword(Keyword::If));
        if between.contains('\n') && starts { Ok(()) } else { Err(Lost) }
    }
}
