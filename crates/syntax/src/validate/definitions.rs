//! Classes, defines, functions, plans, types, lambdas, and their parameters.

use kukla_base::{EditionChange, Span};

use super::{Validator, names};
use crate::ast::{Expr, ExprId, ExprList, NamedId, NamedKind, Text, TypeDefinitionId};
use crate::issues;

impl Validator<'_> {
    pub(super) fn named(&mut self, id: ExprId, named: NamedId) {
        let named = *self.ast.named(named);
        let is_function = matches!(named.kind, NamedKind::Function | NamedKind::Plan);
        if self.options.tasks && !is_function {
            return self.only_when_compiling(id);
        }
        self.top(id);
        let (span, name) = (self.span(id), self.ast.text(named.name));
        if !names::is_definition_name(name) {
            self.report(issues::illegal_definition_name(span, name, &self.a_an(id)));
        }
        self.location(id, name);
        self.reserved_type_name(id, name);
        self.future_reserved_word(span, name);
        if is_function {
            self.return_type(id, named.return_type);
            self.unique_parameters(named.parameters);
        } else {
            self.no_captures_rest(named.parameters, id);
            self.unique_parameters(named.parameters);
            self.reserved_parameters(named.parameters, id);
            self.no_idem_last(id, named.body);
            if named.kind == NamedKind::Class {
                self.literal_parameter_types(named.parameters);
            }
        }
    }

    /// Checks that the types of a class's parameters can be read without an evaluation.
    fn literal_parameter_types(&mut self, parameters: ExprList) {
        if !self.options.edition.has(EditionChange::LiteralParameterTypes) {
            return;
        }
        for &parameter in self.ast.list(parameters) {
            let Expr::Parameter { name, type_: Some(type_), .. } = self.ast[parameter] else {
                continue;
            };
            if self.literals().value(type_).is_none() {
                let (name, class) = (self.ast.text(name), self.ast.class_name(type_));
                self.report(issues::nonliteral_parameter_type(self.span(parameter), name, class));
            }
        }
    }

    /// Checks that a definition is in an allowed place.
    pub(super) fn top(&mut self, id: ExprId) {
        if self.glance {
            if !self.is_top_statement(id) {
                self.report(issues::not_top_level(self.span(id)));
            }
            return;
        }
        let is_absolute = match self.ast[id] {
            Expr::Named(named) => {
                matches!(self.ast.named(named).kind, NamedKind::Function | NamedKind::Plan)
            }
            Expr::TypeAlias { .. } | Expr::TypeDefinition(_) => true,
            _ => false,
        };
        for (at, &container) in self.path.iter().enumerate().rev() {
            match self.ast[container] {
                Expr::Apply { .. } => return,
                Expr::Named(named) if self.ast.named(named).kind == NamedKind::Class => return,
                Expr::Block(_) | Expr::ApplyBlock(_) => {
                    if at > 0 && is_absolute {
                        let what = self.a_an_uc(id);
                        return self.report(issues::not_absolute_top_level(self.span(id), &what));
                    }
                }
                _ => return self.report(issues::not_top_level(self.span(id))),
            }
        }
    }

    /// Returns true for the whole source, or a statement of it.
    fn is_top_statement(&self, id: ExprId) -> bool {
        self.ast.body().is_some_and(|body| match self.ast[body] {
            // Nodes are numbered as they are finished, so statements are in order.
            Expr::Block(statements) => self.ast.list(statements).binary_search(&id).is_ok(),
            _ => body == id,
        })
    }

    fn reserved_type_name(&mut self, id: ExprId, name: &str) {
        if names::is_reserved_type(name) {
            self.report(issues::reserved_type_name(self.span(id), name, &self.a_an(id)));
        }
    }

    fn future_reserved_word(&mut self, span: Span, name: &str) {
        if name == "plan" {
            self.report(issues::future_reserved_word(span, name));
        }
    }

    fn return_type(&mut self, id: ExprId, return_type: Option<ExprId>) {
        if let Some(return_type) = return_type {
            self.type_reference(id, return_type);
        }
    }

    /// Checks that `type_` names a type.
    fn type_reference(&mut self, container: ExprId, type_: ExprId) {
        let name = match self.ast[type_] {
            Expr::Access { left, keys: _ } => left,
            _ => type_,
        };
        let span = self.span(type_);
        match self.ast[name] {
            Expr::QualifiedReference(name) => {
                self.future_reserved_word(span, &self.ast.text(name).to_ascii_lowercase());
            }
            _ => {
                let (what, container) = (self.a_an_uc(type_), self.a_an(container));
                let feature = "a type reference";
                self.report(issues::illegal_expression(span, &what, feature, &container));
            }
        }
    }

    pub(super) fn type_alias(&mut self, id: ExprId, name: Text, type_: ExprId) {
        self.top(id);
        let (span, name) = (self.span(id), self.ast.text(name));
        if !names::is_type_name(name) {
            self.report(issues::illegal_definition_name(span, name, &self.a_an(id)));
        }
        self.reserved_type_name(id, name);
        self.type_reference(id, type_);
    }

    pub(super) fn type_definition(&mut self, id: ExprId, definition: TypeDefinitionId) {
        self.top(id);
        let name = self.ast.text(self.ast.type_definition(definition).name);
        self.reserved_type_name(id, name);
        self.report(issues::unsupported_expression(self.span(id), &self.a_an(id)));
    }

    /// Checks `type Runtime[name, pattern] = mapping`.
    pub(super) fn type_mapping(&mut self, id: ExprId, type_: ExprId, mapping: ExprId) {
        self.top(id);
        let span = self.span(id);
        let keys = match self.ast[type_] {
            Expr::Access { left, keys } if self.is_runtime(left) => self.ast.list(keys),
            _ => return self.report(issues::unsupported_expression(span, &self.a_an(id))),
        };
        let by_pattern = matches!(*keys, [_, second] if self.is_pattern(second));
        let fits = if by_pattern { self.is_pattern(mapping) } else { self.is_type(mapping) };
        if !fits {
            let what = self.a_an_uc(id);
            self.report(if by_pattern {
                issues::illegal_regexp_type_mapping(span, &what)
            } else {
                issues::illegal_single_type_mapping(span, &what)
            });
        }
    }

    fn is_runtime(&self, id: ExprId) -> bool {
        matches!(self.ast[id], Expr::QualifiedReference(name) if self.ast.text(name) == "Runtime")
    }

    /// Matches `[/pattern/, 'replacement']`.
    fn is_pattern(&self, id: ExprId) -> bool {
        let Expr::List(values) = self.ast[id] else { return false };
        let [pattern, replacement] = *self.ast.list(values) else { return false };
        matches!(
            (self.ast[pattern], self.ast[replacement]),
            (Expr::Regexp(_), Expr::String(_) | Expr::RenderString(_))
        )
    }

    fn is_type(&self, id: ExprId) -> bool {
        let id = match self.ast[id] {
            Expr::Access { left, keys: _ } => left,
            _ => id,
        };
        matches!(self.ast[id], Expr::QualifiedReference(_))
    }

    pub(super) fn lambda(&mut self, id: ExprId, parameters: ExprList, return_type: Option<ExprId>) {
        if let [before @ .., _] = self.ast.list(parameters) {
            for &parameter in before {
                if let Some(name) = self.captures_rest(parameter) {
                    let span = self.span(parameter);
                    self.report(issues::captures_rest_not_last(span, self.ast.text(name)));
                }
            }
        }
        self.return_type(id, return_type);
    }

    /// Checks the parameters of a template, which belong to the lambda around it.
    pub(super) fn epp(&mut self, id: ExprId) {
        let lambda = match self.ast.body() {
            Some(body) if self.glance => Some(self.ast[body]),
            _ => self.parent(),
        };
        if let Some(Expr::Lambda { parameters, .. }) = lambda {
            self.no_captures_rest(parameters, id);
            self.unique_parameters(parameters);
        }
    }

    fn captures_rest(&self, parameter: ExprId) -> Option<Text> {
        match self.ast[parameter] {
            Expr::Parameter { name, captures_rest: true, .. } => Some(name),
            _ => None,
        }
    }

    fn no_captures_rest(&mut self, parameters: ExprList, container: ExprId) {
        for &parameter in self.ast.list(parameters) {
            if let Some(name) = self.captures_rest(parameter) {
                let (span, container) = (self.span(parameter), self.a_an(container));
                let name = self.ast.text(name);
                self.report(issues::captures_rest_not_supported(span, name, &container));
            }
        }
    }

    fn unique_parameters(&mut self, parameters: ExprList) {
        let parameters = self.ast.list(parameters);
        let name_of = |&id: &ExprId| match self.ast[id] {
            Expr::Parameter { name, .. } => self.ast.text(name),
            _ => "",
        };
        let mut named: Vec<(&str, usize)> = parameters.iter().map(name_of).zip(0..).collect();
        named.sort_unstable();
        let mut twice: Vec<(usize, usize)> = Vec::new();
        for group in named.chunk_by(|left, right| left.0 == right.0) {
            twice.extend(group[1..].iter().map(|&(_, at)| (at, group[0].1)));
        }
        twice.sort_unstable();
        for (second, first) in twice {
            let (span, first) = (self.span(parameters[second]), self.span(parameters[first]));
            let Expr::Parameter { name, .. } = self.ast[parameters[second]] else { continue };
            self.report(issues::duplicate_parameter(span, first, self.ast.text(name)));
        }
    }

    fn reserved_parameters(&mut self, parameters: ExprList, container: ExprId) {
        for &parameter in self.ast.list(parameters) {
            let Expr::Parameter { name, .. } = self.ast[parameter] else { continue };
            let name = self.ast.text(name);
            if matches!(name, "name" | "title") {
                let (span, container) = (self.span(parameter), self.label(container));
                let container = format!("the {container}");
                self.report(issues::reserved_parameter(span, name, &container));
            }
        }
    }

    pub(super) fn parameter(&mut self, id: ExprId, name: Text, value: Option<ExprId>) {
        let (span, name) = (self.span(id), self.ast.text(name));
        if names::is_numeric_parameter(name) {
            self.report(issues::illegal_numeric_parameter(span, name));
        }
        if !names::is_parameter_name(name) {
            self.report(issues::illegal_param_name(span, name));
        }
        if let Some(value) = value {
            self.no_assignment_in(value);
        }
    }

    /// Checks that a class, define or node does not end with an unused value.
    pub(super) fn no_idem_last(&mut self, container: ExprId, body: Option<ExprId>) {
        if let Some(last) = self.idem_at_end(body)
            && self.resource_without_title(last).is_none()
        {
            let (what, container) = (self.label(last), self.a_an_uc(container));
            let issue = issues::idem_not_allowed_last(self.span(last), &what, &container);
            self.report(issue.underline(self.extent(last)));
        }
    }
}
