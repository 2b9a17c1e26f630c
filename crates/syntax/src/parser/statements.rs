//! Statements, and calls without parentheses.

use kukla_base::{Diagnostic, Span};

use super::{Failed, Parse, Parser};
use crate::ast::{AssignmentOp, BinaryOp, CallKind, Expr, ExprId};
use crate::issues;
use crate::token::TokenKind;

impl Parser {
    /// Parses statements up to the end of the source; a `}` too many is reported and skipped.
    pub(super) fn statements_to_end(&mut self) {
        // Outside of strings, statements do not fail.
        while self.statements().is_ok() && self.kind() != TokenKind::End {
            self.unexpected();
            self.advance();
        }
    }

    /// Parses statements up to and with a `}`; they are left on the stack.
    pub(super) fn statements_to_brace(&mut self) -> Parse<Span> {
        self.statements()?;
        self.expect(TokenKind::RBrace).map(|token| token.span)
    }

    /// Pushes statements onto the stack until a `}` or the end.
    fn statements(&mut self) -> Parse<()> {
        self.statements_since(self.stack.len(), None)
    }

    /// Like [`Self::statements`], but for a block whose statements are on the stack since `mark`.
    ///
    /// Puppet looks for arguments without parentheses when a block is complete, so their errors are `late`.
    ///
    /// Fails only in the interpolation of a string: then parsing continues after the statement that the string belongs to.
    fn statements_since(&mut self, mark: usize, mut late: Option<Diagnostic>) -> Parse<()> {
        while !matches!(self.kind(), TokenKind::RBrace | TokenKind::End) {
            let (start, state) = (self.at, self.state());
            if self.statement(None, mark, &mut late).is_err() {
                if self.at == start
                    && self.kind() != TokenKind::Error
                    && let Some(late) = late.take()
                {
                    // A token that starts no statement completes the block for Puppet.
                    let last = self.diagnostics.len() - 1;
                    self.diagnostics.insert(last, late);
                }
                self.restore(state);
                if self.in_string {
                    return Err(Failed);
                }
                // The name of a statement function has lost its arguments.
                if self.stack[mark..].last().is_some_and(|&id| self.is_statement_function(id)) {
                    self.stack.pop();
                }
                self.recover(start);
                let span = self.tokens[start].span;
                let error = self.ast.add(Expr::Error, span);
                self.stack.push(error);
            }
        }
        if let Some(late) = late {
            self.report(late);
        }
        Ok(())
    }

    /// Pushes statements until a `}` or the end; the start of the first is already parsed.
    pub(super) fn statements_after(&mut self, first: ExprId) -> Parse<()> {
        let mark = self.stack.len();
        let mut late = None;
        self.statement(Some(first), mark, &mut late)?;
        self.statements_since(mark, late)
    }

    /// Parses one statement, with the `;` and the statement that may follow it.
    fn statement(
        &mut self,
        mut first: Option<ExprId>,
        mark: usize,
        late: &mut Option<Diagnostic>,
    ) -> Parse<()> {
        loop {
            let arguments = self.stack.len();
            let first = match first.take() {
                Some(first) => first,
                None => self.assignment()?,
            };
            self.stack.push(first);
            let mut comma = None;
            while let Some(token) = self.accept(TokenKind::Comma) {
                comma.get_or_insert(token.span);
                let next = self.assignment()?;
                self.stack.push(next);
            }
            self.transform_call(mark, arguments, comma, late);
            if self.accept(TokenKind::Semic).is_none() {
                return Ok(());
            }
        }
    }

    /// Makes a call of a statement function's name and the statement after it.
    ///
    /// `arguments` is the start of the expressions of the last statement on the stack.
    fn transform_call(
        &mut self,
        mark: usize,
        arguments: usize,
        comma: Option<Span>,
        late: &mut Option<Diagnostic>,
    ) {
        let before = self.stack[mark..arguments].last().copied();
        match before {
            Some(name) if self.is_statement_function(name) => {
                let call = self.statement_call(name, arguments);
                self.stack.pop();
                self.stack.push(call);
            }
            _ => match comma {
                Some(comma) => {
                    let issue = self.arguments_to_non_call(before, comma);
                    late.get_or_insert(issue);
                }
                None => {
                    let statement = self.stack[arguments];
                    if let Expr::Call { kind: CallKind::Named, rvalue, .. } =
                        self.ast.get_mut(statement)
                    {
                        *rvalue = false;
                    }
                }
            },
        }
    }

    fn arguments_to_non_call(&self, before: Option<ExprId>, comma: Span) -> Diagnostic {
        let comma = self.place(comma);
        match before.map(|id| self.ast[id]) {
            Some(Expr::QualifiedName(name)) => {
                issues::arguments_without_parentheses(comma, self.ast.text(name))
            }
            _ => issues::illegal_comma_list(comma),
        }
    }

    /// Returns the call of `name` with the expressions on the stack from `arguments` on.
    pub(super) fn statement_call(&mut self, name: ExprId, arguments: usize) -> ExprId {
        let last = *self.stack.last().expect("a statement has an expression");
        let span = self.ast.span(name).to(self.ast.span(last));
        let arguments = self.take(arguments);
        let kind = CallKind::Named;
        let call = Expr::Call { kind, rvalue: false, functor: name, arguments, lambda: None };
        self.ast.add(call, span)
    }

    /// Returns true for the name of a function that may be called without parentheses.
    pub(super) fn is_statement_function(&self, id: ExprId) -> bool {
        let Expr::QualifiedName(name) = self.ast[id] else { return false };
        matches!(
            self.ast.text(name),
            "require"
                | "realize"
                | "include"
                | "contain"
                | "tag"
                | "debug"
                | "info"
                | "notice"
                | "warning"
                | "err"
                | "fail"
                | "import"
                | "break"
                | "next"
                | "return"
        )
    }

    /// Parses `relationship = assignment`, or just a relationship.
    ///
    /// In PDL, where neither is allowed, just an expression.
    pub(super) fn assignment(&mut self) -> Parse<ExprId> {
        if self.is_data {
            return self.expression();
        }
        let left = self.relationship()?;
        let op = match self.kind() {
            TokenKind::Equals => AssignmentOp::Set,
            TokenKind::Appends => AssignmentOp::Append,
            TokenKind::Deletes => AssignmentOp::Delete,
            _ => return Ok(left),
        };
        let token = self.advance();
        let right = self.nested(Self::assignment)?;
        self.plain = false;
        let op = BinaryOp::Assign(op);
        Ok(self.ast.add(Expr::Binary { op, left, right }, token.span))
    }

    /// Parses `resource -> resource`, or just a resource.
    fn relationship(&mut self) -> Parse<ExprId> {
        let mut left = self.resource()?;
        loop {
            let op = match self.kind() {
                TokenKind::InEdge => BinaryOp::Before,
                TokenKind::InEdgeSub => BinaryOp::Notify,
                TokenKind::OutEdge => BinaryOp::Require,
                TokenKind::OutEdgeSub => BinaryOp::Subscribe,
                _ => return Ok(left),
            };
            let token = self.advance();
            let right = self.resource()?;
            self.plain = false;
            left = self.ast.add(Expr::Binary { op, left, right }, token.span);
        }
    }
}
