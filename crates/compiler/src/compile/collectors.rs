//! `Type<| query |> { overrides }` and `realize`.

use ecow::EcoString;
use kukla_base::Symbol;
use kukla_pcore::Value;
use kukla_syntax::ast::{BinaryOp, Expr, ExprId, ExprList, UnaryOp};

use super::Compiler;
use super::declare::{Found, at, lower};
use super::overrides::Override;
use super::resource::{ResourceId, ResourceSet};
use super::state::flatten;
use super::tags::Tag;
use crate::interpreter::scope::ScopeId;
use crate::interpreter::{equal, includes};
use crate::log::Level;
use crate::{Eval, Program, fault, issues};

/// A collector of one compilation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CollectorId(pub(crate) u32);

/// Makes resources real that are virtual, and changes those that it finds.
#[derive(Debug)]
pub(crate) struct Collector {
    what: What,
    overrides: Option<Override>,
    /// The resources that it has found so far.
    pub(crate) collected: Vec<ResourceId>,
    seen: ResourceSet,
    /// The operand that replaces it in a chain when it finds nothing.
    pub(crate) alternative: Option<super::relationships::Operands>,
}

#[derive(Debug)]
enum What {
    /// `Type<| query |>`
    Query { type_: Symbol, query: Option<Query> },
    /// `Type<<| query |>>`
    Exported { found: Found, type_: Symbol, query: Option<Query>, scope: ScopeId, is_asked: bool },
    /// `realize(references)`: those that are not there yet.
    Fixed(Vec<Value>),
}

/// The query of a collector.
#[derive(Debug)]
pub(super) enum Query {
    And(Box<(Self, Self)>),
    Or(Box<(Self, Self)>),
    /// `tag == 'a'`
    Tagged(Vec<Tag>),
    /// `name == value`
    Equal(Symbol, Value),
    /// `name != value`
    NotEqual(Symbol, Value),
}

impl Compiler {
    /// `Type<| query |> { operations }`
    pub(crate) fn collect(
        &mut self,
        program: &Program,
        id: ExprId,
        type_: ExprId,
        query: ExprId,
        operations: ExprList,
    ) -> Eval<CollectorId> {
        let ast = program.ast();
        let Expr::Query { exported, expr } = ast[query] else {
            return fault(issues::not_a_query());
        };
        if exported && !self.catalog.storeconfigs() {
            let place = program.place(id);
            let message = "You cannot collect exported resources without storeconfigs being set; \
                           the collection will be ignored";
            self.say(Level::Warning, message.to_owned(), Some(&place));
        }
        let name = match ast[type_] {
            Expr::QualifiedReference(name) => lower(ast.text(name)),
            _ => EcoString::new(),
        };
        if name == "class" {
            return fault(issues::classes_not_collectable());
        }
        let found = self.find_resource_type(&name)?;
        self.read_parameter_types()?;
        let Some(found) = found else {
            return fault(self.with_likely_types(issues::unknown_collected_type(&name), &name));
        };
        let overrides = match operations.len() {
            0 => None,
            _ => Some(Override {
                parameters: self.operations(program, operations)?,
                source: self.current_source(),
                at: at(program, id),
            }),
        };
        let query = match expr {
            Some(expr) if !matches!(ast[expr], Expr::Nop) => Some(self.query(program, expr)?),
            _ => None,
        };
        let type_ = found.symbol();
        let what = match exported {
            true => {
                let scope = self.scopes.current;
                What::Exported { found, type_, query, scope, is_asked: false }
            }
            false => What::Query { type_, query },
        };
        Ok(self.add_collector(what, overrides))
    }

    /// `realize(references)`
    pub(crate) fn realize(&mut self, references: &[Value]) {
        let references = references.iter().flat_map(flatten).collect();
        self.add_collector(What::Fixed(references), None);
    }

    fn add_collector(&mut self, what: What, overrides: Option<Override>) -> CollectorId {
        let id = CollectorId(u32::try_from(self.catalog.collectors.len()).unwrap_or(u32::MAX));
        self.catalog.collectors.push(Some(Collector {
            what,
            overrides,
            collected: Vec::new(),
            seen: ResourceSet::default(),
            alternative: None,
        }));
        id
    }

    fn query(&mut self, program: &Program, id: ExprId) -> Eval<Query> {
        let ast = program.ast();
        match ast[id] {
            Expr::Unary { op: UnaryOp::Paren, expr } => self.query(program, expr),
            Expr::Binary { op: BinaryOp::And, left, right } => {
                Ok(Query::And(Box::new((self.query(program, left)?, self.query(program, right)?))))
            }
            Expr::Binary { op: BinaryOp::Or, left, right } => {
                Ok(Query::Or(Box::new((self.query(program, left)?, self.query(program, right)?))))
            }
            Expr::Binary { op: op @ (BinaryOp::Equal | BinaryOp::NotEqual), left, right } => {
                let name = self.eval(program, left)?;
                let value = self.query_operand(program, right)?;
                let text = crate::interpreter::text::of(&name);
                let name = match ast[left] {
                    Expr::QualifiedName(_) => Symbol::new(&text),
                    _ => self.scopes.strangers.symbol(&text),
                };
                match op {
                    BinaryOp::Equal if text == "tag" => self.tagged(&value),
                    BinaryOp::Equal => Ok(Query::Equal(name, value)),
                    _ => Ok(Query::NotEqual(name, value)),
                }
            }
            _ => not_transformable(program, id),
        }
    }

    fn tagged(&mut self, value: &Value) -> Eval<Query> {
        let values = match value {
            Value::Array(values) => values,
            other => std::slice::from_ref(other),
        };
        let mut tags = Vec::with_capacity(values.len());
        for value in values {
            if matches!(value, Value::Integer(_) | Value::Float(_)) {
                return fault(issues::number_as_tag());
            }
            tags.push(self.catalog.tags.intern(&lower(&kukla_pcore::ruby::to_s(value))));
        }
        Ok(Query::Tagged(tags))
    }

    /// Returns the value that an attribute is compared with; only simple expressions are allowed.
    fn query_operand(&mut self, program: &Program, id: ExprId) -> Eval<Value> {
        match program.ast()[id] {
            Expr::Unary { op: UnaryOp::Paren, expr } => self.query_operand(program, expr),
            Expr::Access { .. }
            | Expr::Variable(_)
            | Expr::Boolean(_)
            | Expr::String(_)
            | Expr::Concat(_)
            | Expr::Integer { .. }
            | Expr::Float(_)
            | Expr::Undef
            | Expr::QualifiedName(_) => {
                let value = self.eval(program, id)?;
                self.catalog_value(value)
            }
            _ => not_transformable(program, id),
        }
    }

    /// Lets all collectors look; whether any found something new.
    pub(crate) fn evaluate_collectors(&mut self) -> Eval<bool> {
        let mut found = false;
        let mut at = 0;
        let n_collectors = self.catalog.collectors.len();
        while at < n_collectors {
            if let Some(collector) = self.catalog.collectors[at].take() {
                let (collector, result) = self.evaluate_collector(collector);
                if !matches!(&collector.what, What::Fixed(left) if left.is_empty()) {
                    self.catalog.collectors[at] = Some(collector);
                }
                found |= result?;
            }
            at += 1;
        }
        Ok(found)
    }

    fn evaluate_collector(&mut self, mut collector: Collector) -> (Collector, Eval<bool>) {
        let found = match self.found_by(&mut collector) {
            Ok(found) => found,
            Err(stop) => return (collector, Err(stop)),
        };
        for &id in &found {
            self.catalog.resource_mut(id).is_virtual = false;
        }
        let mut new = found;
        new.retain(|&id| collector.seen.insert(id));
        if new.is_empty() {
            return (collector, Ok(false));
        }
        if let Some(overrides) = &collector.overrides {
            self.catalog.let_override(overrides.source);
            for &id in &new {
                if let Err(stop) = self.merge_override(id, overrides) {
                    return (collector, Err(stop));
                }
            }
        }
        collector.collected.extend(new);
        (collector, Ok(true))
    }

    fn found_by(&mut self, collector: &mut Collector) -> Eval<Vec<ResourceId>> {
        match &mut collector.what {
            What::Exported { .. } if !self.catalog.storeconfigs() => Ok(Vec::new()),
            What::Query { type_, query } => self.all_matching(*type_, query.as_ref(), false),
            What::Exported { found, type_, query, scope, is_asked } => {
                let mut all = self.all_matching(*type_, query.as_ref(), true)?;
                // What is stored is looked at once: what was found is in the catalog from then on.
                if !std::mem::replace(is_asked, true) {
                    all.extend(self.import(found, query.as_ref(), *scope)?);
                }
                Ok(all)
            }
            What::Fixed(references) => {
                let mut found = Vec::new();
                references.retain(|reference| {
                    let text = kukla_pcore::ruby::to_s(&reference_text(reference));
                    match self.find_reference(&text) {
                        Some(id) => {
                            found.push(id);
                            false
                        }
                        None => true,
                    }
                });
                Ok(found)
            }
        }
    }

    fn all_matching(
        &self,
        type_: Symbol,
        query: Option<&Query>,
        is_exported: bool,
    ) -> Eval<Vec<ResourceId>> {
        let mut found = Vec::new();
        for &id in self.catalog.declared_of(type_) {
            let resource = self.catalog.resource(id);
            if !is_exported || resource.is_exported {
                let matches = match query {
                    Some(query) => self.matches(query, id)?,
                    None => true,
                };
                if matches {
                    found.push(id);
                }
            }
        }
        Ok(found)
    }

    fn matches(&self, query: &Query, id: ResourceId) -> Eval<bool> {
        Ok(match query {
            Query::And(both) => self.matches(&both.0, id)? && self.matches(&both.1, id)?,
            Query::Or(both) => self.matches(&both.0, id)? || self.matches(&both.1, id)?,
            Query::Tagged(tags) => tags.iter().any(|&tag| self.catalog.is_tagged(id, tag)),
            Query::Equal(name, value) => {
                let actual = self.attribute(id, *name);
                match &actual {
                    // A reference is looked for, not what would be of its type.
                    Value::Array(values) if super::reference::text(value).is_some() => {
                        values.iter().any(|known| equal(known, value))
                    }
                    Value::Array(_) => includes(&actual, value),
                    actual => equal(actual, value),
                }
            }
            Query::NotEqual(name, value) => !equal(&self.attribute(id, *name), value),
        })
    }

    /// An attribute as queries see it.
    fn attribute(&self, id: ResourceId, name: Symbol) -> Value {
        let resource = self.catalog.resource(id);
        match name == self.catalog.names.title {
            true => Value::String(resource.title.clone()),
            false => resource.get(name).cloned().unwrap_or_default(),
        }
    }

    /// Returns the references in calls of `realize` that no resource has.
    pub(crate) fn unrealized(&self) -> Vec<String> {
        let left =
            self.catalog.collectors.iter().flatten().filter_map(|collector| {
                match &collector.what {
                    What::Fixed(references) => Some(references),
                    _ => None,
                }
            });
        left.flatten()
            .map(|reference| kukla_pcore::ruby::to_s(&reference_text(reference)))
            .collect()
    }
}

/// A reference as text; other values as they are.
fn reference_text(value: &Value) -> Value {
    match super::reference::text(value) {
        Some(text) => Value::from(text),
        None => value.clone(),
    }
}

fn not_transformable<T>(program: &Program, id: ExprId) -> Eval<T> {
    let class = program.ast().class_name(id);
    fault(issues::illegal_query(class))
}
