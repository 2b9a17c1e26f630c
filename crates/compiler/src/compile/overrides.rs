//! `Type { … }` and `Type['title'] { … }`: defaults and overrides.

use kukla_base::Symbol;
use kukla_pcore::elements::flattened;
use kukla_pcore::{Value, types};
use kukla_syntax::ast::{Expr, ExprId, ExprList};

use super::Compiler;
use super::declare::{at, lower};
use super::reference;
use super::resource::{Parameter, ResourceId, SourceId};
use super::state::flatten;
use crate::place::At;
use crate::{Eval, Program, Stop, Strict, issues};

/// Parameters that are to replace those of a resource.
#[derive(Clone, Debug)]
pub(crate) struct Override {
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) source: SourceId,
    pub(crate) at: At,
}

impl Compiler {
    /// `Type { operations }`; its value is the type.
    pub(crate) fn resource_defaults(
        &mut self,
        program: &Program,
        type_ref: ExprId,
        operations: ExprList,
    ) -> Eval<Value> {
        let value = self.eval(program, type_ref)?;
        let name = match &value {
            Value::Type(type_) => reference::untitled(type_).cloned(),
            _ => None,
        };
        let Some(name) = name else {
            let actual = types::infer(&value).generalize();
            return issues::at(program, type_ref, issues::illegal_resource_type(&actual));
        };
        let parameters = self.operations(program, operations)?;
        let type_ = types::capitalize_segments(&lower(&name));
        let Some(type_) = self.default_type(program, type_ref, &type_)? else { return Ok(value) };
        let table = self.catalog.own_defaults_mut(self.scopes.current, type_);
        for parameter in parameters {
            if table.iter().any(|known| known.name == parameter.name) {
                let name = self.scopes.strangers.text(parameter.name);
                let issue = issues::duplicate_resource_default(type_, name);
                let at = self.catalog.origins.at(parameter.origin);
                return Err(Stop::fault_at_line(issue, &at));
            }
            table.push(parameter);
        }
        Ok(value)
    }

    /// Returns the type that defaults are of; none if only data names it and there is no such type.
    fn default_type(
        &self,
        program: &Program,
        type_ref: ExprId,
        type_: &str,
    ) -> Eval<Option<Symbol>> {
        if matches!(program.ast()[type_ref], Expr::QualifiedReference(_)) {
            return Ok(Some(Symbol::new(type_)));
        }
        if Symbol::known(type_).is_none() {
            self.find_resource_type(&lower(type_))?;
        }
        Ok(Symbol::known(type_))
    }

    /// `Type['title'] { operations }`; its value is that of the left side.
    pub(crate) fn resource_override(
        &mut self,
        program: &Program,
        id: ExprId,
        resources: ExprId,
        operations: ExprList,
    ) -> Eval<Value> {
        let references = self.eval(program, resources)?;
        let parameters = self.operations(program, operations)?;
        let source = self.current_source();
        for resource in flatten(&references) {
            let Some((name, title)) = reference::named_resource(&resource) else {
                return issues::at(program, id, issues::override_of_no_resource(&resource));
            };
            let parameters = parameters.clone();
            let new = Override { parameters, source, at: at(program, id) };
            self.add_override(&name, &title, new)?;
        }
        Ok(references)
    }

    /// Changes a resource, or will do so when it is there.
    pub(crate) fn add_override(&mut self, type_: &str, title: &str, new: Override) -> Eval<()> {
        if let Some(id) = self.find_resource(type_, title) {
            return self.merge_override(id, &new);
        }
        let type_ = types::capitalize_segments(type_).into();
        self.catalog.overrides.entry((type_, title.into())).or_default().push(new);
        Ok(())
    }

    pub(super) fn merge_override(&mut self, id: ResourceId, new: &Override) -> Eval<()> {
        let resource = self.catalog.resource(id);
        let own = resource.source;
        if own != new.source && !self.catalog.is_child_of(new.source, own) {
            return Err(Stop::fault_at_line(issues::override_not_inherited(), &new.at));
        }
        if resource.is_evaluated {
            let issue = issues::override_after_evaluation(&resource.at.text());
            match self.strictness.strict {
                Strict::Off => (),
                Strict::Warning => {
                    let message = format!("{issue}{}", new.at.text_with_space());
                    self.say(crate::log::Level::Warning, message, None);
                }
                Strict::Error => return Err(Stop::fault_at_line(issue, &new.at)),
            }
        }
        for parameter in &new.parameters {
            let mut parameter = parameter.clone();
            let kind = &self.catalog.resource(id).kind;
            parameter.name = self.parameter_symbol(kind, parameter.name);
            self.override_parameter(id, parameter)?;
        }
        Ok(())
    }

    fn override_parameter(&mut self, id: ResourceId, mut new: Parameter) -> Eval<()> {
        let resource = self.catalog.resource(id);
        if let Some(current) = resource.parameter(new.name) {
            if self.is_default(resource.scope, resource.type_, new.name, &new.value) {
                return Ok(());
            }
            let is_default =
                || self.is_default(resource.scope, resource.type_, new.name, &current.value);
            let may = self.catalog.is_child_of(new.source, current.source)
                || (new.source == current.source && is_default());
            if !may {
                return Err(self.already_set(id, current, &new));
            }
            let (by, previous) = (new.origin, current.origin);
            if new.adds {
                let mut values = flatten_all(&current.value);
                let added = flatten_all(&new.value);
                let n = added.len();
                values.extend(added);
                new.value = Value::array(values);
                let table = &mut self.catalog.origins.table;
                new.origin = table.append(previous, by, n, Some(by));
            } else {
                new.origin = self.catalog.origins.replaced(by, previous);
            }
        }
        self.set_parameter(id, new)
    }

    fn already_set(&self, id: ResourceId, current: &Parameter, new: &Parameter) -> Box<Stop> {
        let name = self.scopes.strangers.text(new.name);
        let resource = self.catalog.reference(id);
        let at = self.catalog.origins.at(current.origin).text();
        let issue = issues::parameter_already_set(name, &resource, &at);
        Stop::fault_at_line(issue, &self.catalog.origins.at(new.origin))
    }

    /// Whether a value is the default that holds in a scope.
    fn is_default(
        &self,
        scope: crate::interpreter::scope::ScopeId,
        type_: Symbol,
        name: Symbol,
        value: &Value,
    ) -> bool {
        let mut at = Some(scope);
        while let Some(scope) = at {
            let defaults = self.catalog.own_defaults(scope, type_);
            if defaults.iter().any(|known| known.name == name && known.value == *value) {
                return true;
            }
            at = self.catalog.scope_parent(scope);
        }
        false
    }

    /// Sets a parameter; `tag` adds tags too.
    pub(crate) fn set_parameter(&mut self, id: ResourceId, parameter: Parameter) -> Eval<()> {
        if parameter.name == self.catalog.names.tag {
            self.tag_resource(id, std::slice::from_ref(&parameter.value))?;
        }
        self.catalog.resource_mut(id).put(parameter);
        Ok(())
    }
}

/// The elements of arrays in arrays.
fn flatten_all(value: &Value) -> Vec<Value> {
    flattened(std::slice::from_ref(value))
}
