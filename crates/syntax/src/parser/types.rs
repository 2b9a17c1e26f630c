//! `type`: aliases, mappings and definitions.

use kukla_base::Span;

use super::{Parse, Parser};
use crate::ast::{Expr, ExprId, Text, TypeDefinition};
use crate::token::{Token, TokenKind};

impl Parser {
    /// Parses everything that starts with `type`.
    pub(super) fn type_keyword(&mut self) -> Parse<ExprId> {
        let start = self.advance();
        match self.kind() {
            TokenKind::LParen => {
                let functor = self.ast.add(Expr::QualifiedName(start.text), start.span);
                self.call(functor)
            }
            TokenKind::ClassRef => match self.next_kind() {
                TokenKind::LBrace | TokenKind::Inherits => self.type_definition(start),
                _ => self.type_alias(),
            },
            _ => Err(self.unexpected()),
        }
    }

    /// Parses `type Name inherits Parent { statements }`.
    fn type_definition(&mut self, start: Token) -> Parse<ExprId> {
        let name = self.advance().text;
        let parent = match self.accept(TokenKind::Inherits) {
            Some(_) => Some(self.expect(TokenKind::ClassRef)?.text),
            None => None,
        };
        let (body, close) = self.definition_body(start)?;
        let definition = self.ast.add_type_definition(TypeDefinition { name, parent, body });
        Ok(self.add_definition(Expr::TypeDefinition(definition), start.span.to(close)))
    }

    /// Parses `Left = type`.
    fn type_alias(&mut self) -> Parse<ExprId> {
        let left = self.parameter_type()?;
        self.expect(TokenKind::Equals)?;
        let left_span = self.ast.span(left);
        match self.kind() {
            TokenKind::LBrace => {
                let hash = self.hash()?;
                let span = left_span.to(self.ast.span(hash));
                Ok(self.type_assignment(left, hash, None, span))
            }
            // Puppet's span of these is the name alone.
            TokenKind::LBrack | TokenKind::ListStart => {
                let array = self.array()?;
                Ok(self.type_assignment(left, array, None, left_span))
            }
            _ => {
                let name = self.expect(TokenKind::ClassRef)?;
                let type_ = self.ast.add(Expr::QualifiedReference(name.text), name.span);
                match self.kind() {
                    TokenKind::LBrace => {
                        let hash = self.hash()?;
                        let span = left_span.to(self.ast.span(hash));
                        Ok(self.type_assignment(left, hash, Some(type_), span))
                    }
                    TokenKind::LBrack => {
                        let access = self.alias_access(type_)?;
                        Ok(self.type_assignment(left, access, None, left_span))
                    }
                    _ => {
                        let span = left_span.to(name.span);
                        Ok(self.type_assignment(left, type_, None, span))
                    }
                }
            }
        }
    }

    /// Parses `type[arguments]` on the right side. Puppet gives it no span of its own.
    fn alias_access(&mut self, type_: ExprId) -> Parse<ExprId> {
        self.advance();
        let mark = self.stack.len();
        self.access_args()?;
        self.accept(TokenKind::Comma);
        self.expect(TokenKind::RBrack)?;
        let keys = self.take(mark);
        Ok(self.ast.add(Expr::Access { left: type_, keys }, Span::default()))
    }

    /// Parses an alias or a mapping; `parent` precedes the hash `right`.
    fn type_assignment(
        &mut self,
        left: ExprId,
        right: ExprId,
        parent: Option<ExprId>,
        span: Span,
    ) -> ExprId {
        let place = Span::new(span.start, 0);
        if let Expr::Access { .. } = self.ast[right] {
            self.ast.set_span(right, place);
        }
        let definition = match self.ast[left] {
            Expr::QualifiedReference(name) => {
                let type_ = match self.ast[right] {
                    Expr::Hash(_) => self.object_type(right, parent, place),
                    _ => right,
                };
                Expr::TypeAlias { name, type_ }
            }
            _ => {
                let mapping = match parent {
                    Some(key) => self.ast.add(Expr::KeyedEntry { key, value: right }, place),
                    None => right,
                };
                Expr::TypeMapping { type_: left, mapping }
            }
        };
        self.add_definition(definition, span)
    }

    /// Returns `Object[{ …, parent => Parent }]`, the meaning of `Parent { … }`.
    fn object_type(&mut self, hash: ExprId, parent: Option<ExprId>, place: Span) -> ExprId {
        let parent_name = parent.and_then(|parent| match self.ast[parent] {
            Expr::QualifiedReference(name) => Some(name),
            _ => None,
        });
        let is_meta = |name: Text| matches!(self.ast.text(name), "Object" | "TypeSet");
        let left = match (parent, parent_name) {
            (Some(parent), Some(name)) if is_meta(name) => parent,
            _ => {
                let object = self.built_text("Object");
                self.ast.add(Expr::QualifiedReference(object), place)
            }
        };
        if let Some(parent) = parent
            && left != parent
        {
            self.add_parent_entry(hash, parent);
        }
        let keys = self.ast.add_list(&[hash]);
        self.ast.add(Expr::Access { left, keys }, place)
    }

    /// Adds `parent => Parent` to the hash.
    fn add_parent_entry(&mut self, hash: ExprId, parent: ExprId) {
        let Expr::Hash(entries) = self.ast[hash] else { return };
        let place = Span::new(self.ast.span(hash).start, 0);
        let word = self.built_text("parent");
        let key = self.ast.add(Expr::QualifiedName(word), place);
        let entry = self.ast.add(Expr::KeyedEntry { key, value: parent }, place);
        let mut all = self.ast.list(entries).to_vec();
        all.push(entry);
        let entries = self.ast.add_list(&all);
        self.ast.set(hash, Expr::Hash(entries));
    }
}
