//! Expressions, calls, conditionals and resources.

use std::collections::HashMap;

use super::literal::Literals;
use super::{Validator, names};
use crate::ast::{BinaryOp, CallKind, Expr, ExprId, ExprList, Form, Text};
use crate::{integer, issues};

/// The number of keys up to which they are compared one by one.
const FEW_KEYS: usize = 12;

impl<'a> Validator<'a> {
    /// Returns the reader of literals by the rules of the edition.
    pub(super) fn literals(&self) -> Literals<'a> {
        Literals::new(self.ast, self.options.edition)
    }
}

impl Validator<'_> {
    pub(super) fn binary(&mut self, id: ExprId, op: BinaryOp, left: ExprId, right: ExprId) {
        match op {
            BinaryOp::Assign(op) => self.assignment(id, op, left, right),
            BinaryOp::Before | BinaryOp::Require | BinaryOp::Notify | BinaryOp::Subscribe => {
                if self.may_compile(id) {
                    self.relation(left);
                    self.relation(right);
                }
            }
            _ => {
                self.rvalue(left);
                self.rvalue(right);
            }
        }
    }

    /// Checks a side of a relationship: something with a value, or a collector.
    fn relation(&mut self, id: ExprId) {
        if !matches!(self.ast[id], Expr::Collect { .. }) {
            self.rvalue(id);
        }
    }

    pub(super) fn block(&mut self, id: ExprId, statements: ExprList) {
        if let Some(name) = self.resource_without_title(id) {
            let issue = issues::resource_without_title(self.span(id), self.ast.text(name));
            return self.report(issue);
        }
        // Text before an invalid part may belong to it.
        let mut pairs = self.ast.list(statements).windows(2);
        let forgotten =
            pairs.find(|pair| self.ast[pair[1]] != Expr::Error && self.is_idem(pair[0]));
        if let Some(&[first, _]) = forgotten {
            let issue = issues::idem_expression_not_last(self.span(first), &self.label(first));
            let issue = issue.underline(self.extent(first));
            self.report(issue);
        }
    }

    /// Returns the name of the type, if the block is the parser's result for `file { mode => '0644' }`.
    pub(super) fn resource_without_title(&self, id: ExprId) -> Option<Text> {
        if self.options.tasks {
            return None;
        }
        let Expr::Block(statements) = self.ast[id] else { return None };
        let [name, hash] = self.ast.list(statements) else { return None };
        match (self.ast[*name], self.ast[*hash]) {
            (Expr::QualifiedName(name), Expr::Hash(_)) => Some(name),
            _ => None,
        }
    }

    pub(super) fn call(&mut self, id: ExprId, kind: CallKind, functor: ExprId) {
        let is_type = |id| matches!(self.ast[id], Expr::QualifiedReference(_));
        match self.ast[functor] {
            _ if kind == CallKind::Method => (),
            Expr::QualifiedName(_) | Expr::QualifiedReference(_) | Expr::Error => (),
            Expr::Access { left, .. } if is_type(left) => (),
            Expr::RenderString(_) => self.report(issues::illegal_epp_parameters(self.span(id))),
            _ => {
                let (what, container) = (self.a_an_uc(functor), self.a_an(id));
                let span = self.span(functor);
                self.report(issues::illegal_expression(span, &what, "function name", &container));
            }
        }
    }

    pub(super) fn hash(&mut self, entries: ExprList) {
        let entries = self.ast.list(entries);
        if entries.len() < 2 {
            return;
        }
        let (ast, literals) = (self.ast, self.literals());
        let keys = entries.iter().filter_map(|&entry| match ast[entry] {
            Expr::KeyedEntry { key, value: _ } => Some((entry, key, literals.value(key)?)),
            _ => None,
        });
        if entries.len() <= FEW_KEYS {
            let keys: Vec<_> = keys.collect();
            for (at, (entry, key, value)) in keys.iter().enumerate() {
                let first = keys[..at].iter().find(|(_, _, earlier)| earlier == value);
                if let Some((first, _, _)) = first {
                    self.duplicate_key(*entry, *key, *first);
                }
            }
            return;
        }
        let mut first_entries = HashMap::with_capacity(entries.len());
        for (entry, key, value) in keys {
            match first_entries.get(&value) {
                Some(&first) => self.duplicate_key(entry, key, first),
                None => drop(first_entries.insert(value, entry)),
            }
        }
    }

    fn duplicate_key(&mut self, entry: ExprId, key: ExprId, first: ExprId) {
        let text = self.literals().to_s(key);
        let issue = issues::duplicate_key(self.span(entry), self.extent(first), &text);
        self.report_strictly(issue.underline(self.extent(entry)));
    }

    pub(super) fn integer(&mut self, id: ExprId, digits: Text, radix: u32) {
        if self.ast.integer(digits, radix).is_none() {
            let hex = integer::to_hex(self.ast.text(digits), radix);
            self.report(issues::numeric_overflow(self.span(id), &hex));
        }
    }

    pub(super) fn case(&mut self, id: ExprId, test: ExprId, options: ExprList) {
        self.rvalue(test);
        let ast = self.ast;
        let values = ast.list(options).iter().flat_map(|&option| match ast[option] {
            Expr::CaseOption { values, then: _ } => ast.list(values),
            _ => &[],
        });
        let defaults: Vec<ExprId> =
            values.copied().filter(|&value| ast[value] == Expr::Default).collect();
        for &default in defaults.iter().skip(1) {
            self.duplicate_default(id, defaults[0], default);
        }
    }

    pub(super) fn selector(&mut self, id: ExprId, left: ExprId, selectors: ExprList) {
        self.rvalue(left);
        let ast = self.ast;
        let mut defaults = ast.list(selectors).iter().filter_map(|&entry| match ast[entry] {
            Expr::SelectorEntry { matching, value: _ } if ast[matching] == Expr::Default => {
                Some(matching)
            }
            _ => None,
        });
        // Only the second is reported.
        if let (Some(first), Some(second)) = (defaults.next(), defaults.next()) {
            self.duplicate_default(id, first, second);
        }
    }

    fn duplicate_default(&mut self, container: ExprId, first: ExprId, second: ExprId) {
        let (span, first) = (self.span(second), self.span(first));
        let container = self.label(container);
        self.report(issues::duplicate_default(span, first, &container));
    }

    pub(super) fn collect(&mut self, id: ExprId, type_: ExprId, query: ExprId) {
        if !self.may_collect(id, query) {
            return;
        }
        if !matches!(self.ast[type_], Expr::QualifiedReference(_)) {
            let (what, container) = (self.a_an_uc(type_), self.a_an(id));
            let span = self.span(type_);
            self.report(issues::illegal_expression(span, &what, "type name", &container));
        }
    }

    /// Checks the condition of a collector.
    pub(super) fn query(&mut self, id: ExprId) {
        // An explicit stack, since `or` may be chained without limit.
        let mut rest = vec![id];
        while let Some(id) = rest.pop() {
            match self.ast[id] {
                Expr::Binary { op: BinaryOp::And | BinaryOp::Or, left, right } => {
                    rest.extend([right, left]);
                }
                Expr::Unary { op: crate::ast::UnaryOp::Paren, expr } => rest.push(expr),
                Expr::Binary { op: BinaryOp::Equal | BinaryOp::NotEqual, .. }
                | Expr::Variable(_)
                | Expr::QualifiedName(_)
                | Expr::Integer { .. }
                | Expr::Float(_)
                | Expr::String(_)
                | Expr::RenderString(_)
                | Expr::Boolean(_)
                | Expr::Error => (),
                _ => {
                    let issue = issues::illegal_query_expression(self.span(id), &self.a_an_uc(id));
                    self.report(issue);
                }
            }
        }
    }

    pub(super) fn attribute(&mut self, id: ExprId, name: Text, append: bool, value: ExprId) {
        let may_append =
            matches!(self.parent(), Some(Expr::Collect { .. } | Expr::ResourceOverride { .. }));
        if append && !may_append {
            let parent = self.path.last().map_or_else(String::new, |&parent| self.a_an(parent));
            let name = self.ast.text(name);
            self.report(issues::illegal_attribute_append(self.span(id), name, &parent));
        }
        self.rvalue(value);
    }

    pub(super) fn resource_body(&mut self, operations: ExprList) {
        let ast = self.ast;
        let is_unfold = |&&id: &&ExprId| matches!(ast[id], Expr::AttributesOperation(_));
        for &second in ast.list(operations).iter().filter(is_unfold).skip(1) {
            self.report(issues::multiple_attributes_unfold(self.span(second)));
        }
    }

    pub(super) fn resource(&mut self, id: ExprId, type_name: ExprId, form: Form) {
        if !self.may_compile(id) {
            return;
        }
        let is_class = matches!(self.ast[type_name],
            Expr::QualifiedName(name) if self.ast.text(name) == "class");
        if form != Form::Regular && is_class {
            self.report(issues::class_not_virtualizable(self.span(id)));
        }
    }

    /// Checks defaults and overrides.
    pub(super) fn not_virtual(&mut self, id: ExprId, form: Form) {
        if self.may_compile(id) && form != Form::Regular {
            self.report(issues::not_virtualizeable(self.span(id)));
        }
    }

    pub(super) fn variable(&mut self, id: ExprId, name: Text) {
        let (span, name) = (self.span(id), self.ast.text(name));
        if name.starts_with(|first: char| first.is_ascii_digit()) {
            if !names::is_numeric_variable(name) {
                self.report(issues::illegal_numeric_var_name(span, name));
            }
        } else if !names::is_variable_name(name) {
            self.report(issues::illegal_var_name(span, name));
        } else if self.ast.is_interpolated_boolean(id) {
            self.report(issues::interpolated_boolean(span, name));
        }
    }
}
