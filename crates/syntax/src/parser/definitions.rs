//! Classes, defines, functions, plans, nodes, and `apply`.

use kukla_base::Span;

use super::{Parse, Parser};
use crate::ast::{Expr, ExprId, ExprList, Named, NamedKind, Text};
use crate::issues;
use crate::token::{Token, TokenKind};

/// The maximum size of all joined names: nested definitions repeat the names of those around them.
const MAX_JOINED: usize = 1 << 30;

impl Parser {
    /// Parses `class name(parameters) inherits parent { statements }`.
    pub(super) fn class_definition(&mut self) -> Parse<ExprId> {
        let start = self.advance();
        let name = self.class_name()?;
        self.names.push(name);
        let parameters = self.parameter_list()?;
        let parent_class = match self.accept(TokenKind::Inherits) {
            Some(_) if self.kind() == TokenKind::Default => Some(self.advance().text),
            Some(_) => Some(self.class_name()?),
            None => None,
        };
        let (body, close) = self.definition_body(start)?;
        self.names.pop();
        let kind = NamedKind::Class;
        let name = self.qualified(name);
        let named = Named { kind, name, parameters, body, return_type: None, parent_class };
        Ok(self.add_named(named, start.span.to(close)))
    }

    /// Parses `define name(parameters) { statements }`.
    pub(super) fn define_definition(&mut self) -> Parse<ExprId> {
        let start = self.advance();
        let name = self.class_name()?;
        let parameters = self.parameter_list()?;
        let (body, close) = self.definition_body(start)?;
        let name = self.qualified(name);
        Ok(self.add_simple(NamedKind::Define, name, parameters, body, start.span.to(close)))
    }

    /// Parses `plan name(parameters) { statements }`.
    pub(super) fn plan_definition(&mut self) -> Parse<ExprId> {
        let start = self.advance();
        let name = self.class_name()?;
        self.names.push(name);
        let parameters = self.parameter_list()?;
        let (body, close) = self.definition_body(start)?;
        self.names.pop();
        let name = self.qualified(name);
        Ok(self.add_simple(NamedKind::Plan, name, parameters, body, start.span.to(close)))
    }

    /// Parses `function name(parameters) >> type { statements }`.
    pub(super) fn function_definition(&mut self) -> Parse<ExprId> {
        let start = self.advance();
        let name = self.class_name()?;
        let parameters = self.parameter_list()?;
        let return_type = self.optional_return_type()?;
        let (body, close) = self.definition_body(start)?;
        let kind = NamedKind::Function;
        let named = Named { kind, name, parameters, body, return_type, parent_class: None };
        Ok(self.add_named(named, start.span.to(close)))
    }

    fn add_simple(
        &mut self,
        kind: NamedKind,
        name: Text,
        parameters: ExprList,
        body: Option<ExprId>,
        span: Span,
    ) -> ExprId {
        let (return_type, parent_class) = (None, None);
        self.add_named(Named { kind, name, parameters, body, return_type, parent_class }, span)
    }

    fn add_named(&mut self, named: Named, span: Span) -> ExprId {
        let named = self.ast.add_named(named);
        self.add_definition(Expr::Named(named), span)
    }

    pub(super) fn add_definition(&mut self, definition: Expr, span: Span) -> ExprId {
        let id = self.ast.add(definition, span);
        self.ast.add_definition(id);
        id
    }

    /// Parses `{ statements }` of a definition that starts with the token `start`.
    pub(super) fn definition_body(&mut self, start: Token) -> Parse<(Option<ExprId>, Span)> {
        self.expect(TokenKind::LBrace)?;
        let mark = self.stack.len();
        let close = self.nested(Self::statements_to_brace)?;
        Ok((self.body(mark, start.span.start), close))
    }

    /// Parses the name of a definition, as written.
    fn class_name(&mut self) -> Parse<Text> {
        let token = self.token();
        match token.kind {
            TokenKind::Name | TokenKind::Word | TokenKind::ClassRef => Ok(self.advance().text),
            TokenKind::Class => {
                let place = self.place(token.span);
                Err(self.fail(issues::class_keyword_as_name(place)))
            }
            TokenKind::String => {
                let place = self.place(token.span);
                Err(self.fail(issues::quoted_name(place)))
            }
            _ => Err(self.unexpected()),
        }
    }

    /// Prefixes a name with those of the classes around it.
    fn qualified(&mut self, name: Text) -> Text {
        if self.names.is_empty() || !self.may_join(name) {
            return name;
        }
        let parts: Vec<&str> = self.names.iter().map(|&part| self.ast.text(part)).collect();
        let mut whole = parts.join("::");
        whole.push_str("::");
        whole.push_str(self.ast.text(name));
        let whole = whole.strip_prefix("::").unwrap_or(&whole).to_owned();
        self.built_text(&whole)
    }

    /// Counts the text of a joined name; reports an error beyond the maximum.
    fn may_join(&mut self, name: Text) -> bool {
        let limit = MAX_JOINED.min(self.ast.source().len() * 16 + MAX_JOINED / 1024);
        let may = self.joined < limit;
        self.joined +=
            self.names.iter().chain([&name]).map(|part| part.len as usize + 2).sum::<usize>();
        if may && self.joined >= limit {
            let span = self.place(self.token().span);
            self.report(issues::too_deep(span));
        }
        self.joined < limit
    }

    /// Parses `node names { statements }`.
    pub(super) fn node_definition(&mut self) -> Parse<ExprId> {
        let start = self.advance();
        let mark = self.stack.len();
        loop {
            let hostname = self.hostname()?;
            self.stack.push(hostname);
            if self.accept(TokenKind::Comma).is_none()
                || matches!(self.kind(), TokenKind::LBrace | TokenKind::Inherits)
            {
                break;
            }
        }
        let matches = self.take(mark);
        let parent = match self.accept(TokenKind::Inherits) {
            Some(_) => Some(self.hostname()?),
            None => None,
        };
        let (body, close) = self.definition_body(start)?;
        let node = Expr::Node { matches, parent, body };
        Ok(self.add_definition(node, start.span.to(close)))
    }

    /// Parses a name, pattern or `default` of a node.
    fn hostname(&mut self) -> Parse<ExprId> {
        match self.kind() {
            TokenKind::Name | TokenKind::Number => self.dotted_name(),
            TokenKind::String
            | TokenKind::Word
            | TokenKind::DqPre
            | TokenKind::Heredoc
            | TokenKind::Default
            | TokenKind::Regex => self.primary(),
            _ => Err(self.unexpected()),
        }
    }

    /// Parses `web1.example.com`.
    fn dotted_name(&mut self) -> Parse<ExprId> {
        let first = self.advance();
        if self.kind() != TokenKind::Dot {
            return Ok(self.ast.add(Expr::String(first.text), first.span));
        }
        let (mut text, mut span) = (self.ast.text(first.text).to_owned(), first.span);
        while self.accept(TokenKind::Dot).is_some() {
            if !matches!(self.kind(), TokenKind::Name | TokenKind::Number) {
                return Err(self.unexpected());
            }
            let next = self.advance();
            text.push('.');
            text.push_str(self.ast.text(next.text));
            span = span.to(next.span);
        }
        let text = self.built_text(&text);
        Ok(self.ast.add(Expr::String(text), span))
    }

    /// Parses `apply(targets) { statements }`.
    pub(super) fn apply_expression(&mut self) -> Parse<ExprId> {
        let start = self.advance();
        self.expect(TokenKind::LParen)?;
        let mark = self.stack.len();
        self.arguments()?;
        self.accept(TokenKind::Comma);
        self.expect(TokenKind::RParen)?;
        let arguments = self.take(mark);
        self.expect(TokenKind::LBrace)?;
        let close = self.nested(Self::statements_to_brace)?;
        let statements = self.take(mark);
        let place = Span::new(start.span.start, 0);
        let body = self.ast.add(Expr::ApplyBlock(statements), place);
        Ok(self.ast.add(Expr::Apply { arguments, body }, start.span.to(close)))
    }
}
