//! Resources, their defaults and overrides, and collectors.

use kukla_base::Span;

use super::{Parse, Parser};
use crate::ast::{Expr, ExprId, ExprList, Form};
use crate::issues;
use crate::token::{Token, TokenKind};

impl Parser {
    /// Parses an expression, or a resource of any form.
    pub(super) fn resource(&mut self) -> Parse<ExprId> {
        let mut resource = match self.kind() {
            TokenKind::At | TokenKind::AtAt => return self.with_form(),
            TokenKind::Class if self.next_kind() == TokenKind::LBrace => self.class_resource()?,
            _ => {
                let expression = self.expression()?;
                self.plain = true;
                expression
            }
        };
        while self.kind() == TokenKind::LBrace {
            resource = self.resource_braces(resource)?;
            self.plain = false;
        }
        Ok(resource)
    }

    /// Parses `@resource` or `@@resource`.
    ///
    /// There may be several signs, of which the first counts.
    fn with_form(&mut self) -> Parse<ExprId> {
        let first = self.token();
        let mut last = first;
        while matches!(self.kind(), TokenKind::At | TokenKind::AtAt) {
            last = self.advance();
        }
        let resource = self.nested(Self::resource)?;
        self.plain = false;
        // Puppet moves the start to the sign but keeps the length.
        let span = Span::new(first.span.start, self.ast.span(resource).len);
        let lookahead = self.kind();
        match self.ast.get_mut(resource) {
            Expr::Resource { form, .. }
            | Expr::ResourceDefaults { form, .. }
            | Expr::ResourceOverride { form, .. } => *form = form_of(first),
            // Puppet has to read the next token before it decides.
            _ if lookahead == TokenKind::Error => return Err(self.unexpected()),
            _ => {
                let place = self.place(last.span);
                return Err(self.fail(match form_of(last) {
                    Form::Exported => issues::exported_not_resource(place),
                    Form::Regular | Form::Virtual => issues::virtual_not_resource(place),
                }));
            }
        }
        self.ast.set_span(resource, span);
        self.place_bodies(resource);
        Ok(resource)
    }

    /// Sets the spans of the parts of a resource that have none of their own to the start of the resource.
    fn place_bodies(&mut self, resource: ExprId) {
        let Expr::Resource { type_name, bodies, .. } = self.ast[resource] else { return };
        let place = Span::new(self.ast.span(resource).start, 0);
        if self.ast.span(type_name).len == 0 {
            self.ast.set_span(type_name, place);
        }
        for at in 0..bodies.len() {
            self.ast.set_span(self.ast.list(bodies)[at], place);
        }
    }

    /// Parses `class { 'name': … }`.
    fn class_resource(&mut self) -> Parse<ExprId> {
        let class = self.advance();
        self.expect(TokenKind::LBrace)?;
        self.plain = false;
        let place = Span::new(class.span.start, 0);
        let type_name = self.ast.add(Expr::QualifiedName(class.text), place);
        let mark = self.stack.len();
        self.resource_bodies()?;
        let end = self.expect(TokenKind::RBrace)?;
        let bodies = self.take(mark);
        Ok(self.add_resource(type_name, bodies, class.span.to(end.span)))
    }

    fn add_resource(&mut self, type_name: ExprId, bodies: ExprList, span: Span) -> ExprId {
        let form = Form::Regular;
        let resource = self.ast.add(Expr::Resource { type_name, form, bodies }, span);
        self.place_bodies(resource);
        resource
    }

    /// Parses `left { … }`: titles and attributes, or attributes alone.
    fn resource_braces(&mut self, left: ExprId) -> Parse<ExprId> {
        let open = self.advance();
        let mark = self.stack.len();
        if self.attributes_alone() {
            let operations = self.attribute_operations()?;
            self.accept(TokenKind::Comma);
            let close = self.expect(TokenKind::RBrace)?;
            return self.untitled(left, operations, open, close);
        }
        self.resource_body()?;
        if self.accept(TokenKind::Semic).is_some() && self.kind() != TokenKind::RBrace {
            self.resource_bodies()?;
        }
        let close = self.expect(TokenKind::RBrace)?;
        let bodies = self.take(mark);
        let span = self.ast.span(left).to(close.span);
        Ok(self.add_resource(left, bodies, span))
    }

    /// Returns true if the braces hold attributes without a title.
    fn attributes_alone(&self) -> bool {
        match self.kind() {
            TokenKind::RBrace | TokenKind::Comma => true,
            TokenKind::Times => self.next_kind() == TokenKind::FArrow,
            // These tokens start no title.
            TokenKind::And
            | TokenKind::Or
            | TokenKind::In
            | TokenKind::Else
            | TokenKind::Elsif
            | TokenKind::Inherits => true,
            kind if kind == TokenKind::Name || kind.is_attribute_keyword() => {
                matches!(self.next_kind(), TokenKind::FArrow | TokenKind::PArrow)
            }
            _ => false,
        }
    }

    /// Pushes `title: attributes; title: attributes;`.
    fn resource_bodies(&mut self) -> Parse<()> {
        loop {
            self.resource_body()?;
            if self.accept(TokenKind::Semic).is_none() || self.kind() == TokenKind::RBrace {
                return Ok(());
            }
        }
    }

    /// Pushes `title: attributes`.
    fn resource_body(&mut self) -> Parse<()> {
        let title = self.expression()?;
        self.expect(TokenKind::Colon)?;
        let operations = self.attribute_operations()?;
        self.accept(TokenKind::Comma);
        let body = self.ast.add(Expr::ResourceBody { title, operations }, Span::default());
        self.stack.push(body);
        Ok(())
    }

    /// Parses `Type { … }`, `Type[…] { … }`, or a frequent mistake.
    fn untitled(
        &mut self,
        left: ExprId,
        operations: ExprList,
        open: Token,
        close: Token,
    ) -> Parse<ExprId> {
        let span = self.ast.span(left).to(close.span);
        let form = Form::Regular;
        let expr = match self.ast[left] {
            Expr::QualifiedName(_) => return self.without_title(left, operations, open, close),
            Expr::QualifiedReference(_) => {
                Expr::ResourceDefaults { form, type_ref: left, operations }
            }
            Expr::Access { .. } => Expr::ResourceOverride { form, resources: left, operations },
            _ => {
                let place = self.place(self.ast.span(left));
                return Err(self.fail(issues::not_a_resource(place)));
            }
        };
        Ok(self.ast.add(expr, span))
    }

    /// Parses `name { a => b }` as a name and a hash, as Puppet does.
    fn without_title(
        &mut self,
        name: ExprId,
        operations: ExprList,
        open: Token,
        close: Token,
    ) -> Parse<ExprId> {
        let mark = self.stack.len();
        let hash_span = open.span.to(close.span);
        let place = Span::new(hash_span.start, 0);
        for at in 0..operations.len() {
            let operation = self.ast.list(operations)[at];
            let (key, value) = match self.ast[operation] {
                Expr::AttributeOperation { name, append: false, value } => {
                    (self.ast.add(Expr::String(name), place), value)
                }
                // Puppet loses the hash of `* =>`, and can't check a call with such an argument.
                Expr::AttributesOperation(_) if !self.is_statement_function(name) => {
                    (self.ast.add(Expr::Nop, place), self.ast.add(Expr::Nop, place))
                }
                _ => {
                    let open = self.place(open.span);
                    return Err(self.fail(issues::resource_without_title_or_hash(open)));
                }
            };
            let entry = self.ast.add(Expr::KeyedEntry { key, value }, place);
            self.stack.push(entry);
        }
        let entries = self.take(mark);
        let hash = self.ast.add(Expr::Hash(entries), hash_span);
        let span = self.ast.span(name).to(close.span);
        let result = if self.is_statement_function(name) {
            self.stack.push(hash);
            self.statement_call(name, mark)
        } else {
            let statements = self.ast.add_list(&[name, hash]);
            self.ast.add(Expr::Block(statements), span)
        };
        self.ast.set_span(result, span);
        Ok(result)
    }

    /// Parses `name => value, name +> value, * => value`; may be empty, and may start with a comma.
    pub(super) fn attribute_operations(&mut self) -> Parse<ExprList> {
        let mark = self.stack.len();
        if self.starts_attribute(self.kind()) {
            let operation = self.attribute_operation()?;
            self.stack.push(operation);
        }
        loop {
            if self.kind() == TokenKind::Comma && self.starts_attribute(self.next_kind()) {
                self.advance();
            } else if !self.comma_is_missing(mark) {
                return Ok(self.take(mark));
            }
            let operation = self.attribute_operation()?;
            self.stack.push(operation);
        }
    }

    fn starts_attribute(&self, kind: TokenKind) -> bool {
        kind == TokenKind::Name || kind == TokenKind::Times || kind.is_attribute_keyword()
    }

    /// Reports an attribute that follows another without a comma: the most frequent of all errors.
    fn comma_is_missing(&mut self, mark: usize) -> bool {
        let is_attribute = self.kind() != TokenKind::Times
            && self.starts_attribute(self.kind())
            && matches!(self.next_kind(), TokenKind::FArrow | TokenKind::PArrow);
        let Some(&before) = self.stack[mark..].last() else { return false };
        if is_attribute {
            let before = self.place(self.ast.extent(before));
            let diagnostic = self
                .syntax_diagnostic()
                .label_at(Span::new(before.end(), 0), "a comma is missing here")
                .help("separate attributes with commas");
            self.report(diagnostic);
        }
        is_attribute
    }

    fn attribute_operation(&mut self) -> Parse<ExprId> {
        let name = self.advance();
        let append = match self.kind() {
            TokenKind::FArrow => false,
            TokenKind::PArrow if name.kind != TokenKind::Times => true,
            _ => return Err(self.unexpected()),
        };
        self.advance();
        let value = self.expression()?;
        let span = name.span.to(self.ast.span(value));
        let expr = match name.kind {
            TokenKind::Times => Expr::AttributesOperation(value),
            _ => Expr::AttributeOperation { name: name.text, append, value },
        };
        Ok(self.ast.add(expr, span))
    }

    /// Parses `type<| query |> { attributes }`.
    pub(super) fn collection(&mut self, type_: ExprId) -> Parse<ExprId> {
        let open = self.advance();
        let exported = open.kind == TokenKind::LLCollect;
        let closing = if exported { TokenKind::RRCollect } else { TokenKind::RCollect };
        let expr = if self.kind() == closing { None } else { Some(self.expression()?) };
        let close = self.expect(closing)?;
        let query = self.ast.add(Expr::Query { exported, expr }, open.span.to(close.span));
        let mut span = self.ast.span(type_).to(close.span);
        let mut operations = ExprList::default();
        if self.accept(TokenKind::LBrace).is_some() {
            operations = self.attribute_operations()?;
            self.accept(TokenKind::Comma);
            span = span.to(self.expect(TokenKind::RBrace)?.span);
        }
        Ok(self.ast.add(Expr::Collect { type_, query, operations }, span))
    }
}

/// Returns the form that `@` or `@@` gives a resource.
fn form_of(sign: Token) -> Form {
    if sign.kind == TokenKind::AtAt { Form::Exported } else { Form::Virtual }
}
