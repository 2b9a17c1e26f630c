//! Questions of code about the catalog: attributes of resources, declarations, tags.

use std::sync::Arc;

use ecow::EcoString;
use kukla_base::Symbol;
use kukla_catalog::origins::OriginId;
use kukla_pcore::types::capitalize_segments;
use kukla_pcore::{Hash, Type, Value, ruby};
use kukla_syntax::ast::{ExprId, Form};
use smallvec::smallvec;

use super::Compiler;
use super::declare::{Declaration, lower};
use super::definition::DefinitionKind;
use super::resource::{Kind, Parameter, ResourceId};
use super::state::flatten;
use crate::interpreter::scope::{Lookup, ScopeId};
use crate::interpreter::shared::{Changed, is_same};
use crate::interpreter::table::Variable;
use crate::place::At;
use crate::{Eval, Program, Stop, fault, issues};

impl Compiler {
    /// `Type['title']['attribute', …]`
    pub(crate) fn attributes(
        &mut self,
        program: &Program,
        at: ExprId,
        type_: &Type,
        keys: &[Value],
        as_array: bool,
    ) -> Eval<Value> {
        let (name, title) = match type_ {
            Type::Class(Some(name)) => (EcoString::from("Class"), name.clone()),
            Type::Resource(resource) => {
                let part = |text: &Option<EcoString>| text.clone().unwrap_or_default();
                (part(&resource.name), part(&resource.title))
            }
            _ => return fault(issues::no_catalog()),
        };
        let Some(id) = self.find_resource(&name, &title) else {
            return issues::at(program, at, issues::resource_not_found(&name, &title));
        };
        let mut values = Vec::with_capacity(keys.len());
        for key in keys {
            match key.as_str().filter(|key| self.has_attribute(id, key)) {
                Some(key) => values.push(self.attribute_value(id, key)),
                None => {
                    let name = capitalize(&name);
                    let key = crate::interpreter::text::of(key);
                    return issues::at(program, at, issues::unknown_attribute(&name, &title, &key));
                }
            }
        }
        Ok(match as_array {
            true => Value::array(values),
            false => values.pop().unwrap_or_default(),
        })
    }

    fn has_attribute(&mut self, id: ResourceId, name: &str) -> bool {
        let resource = self.catalog.resource(id);
        match &resource.kind {
            Kind::Native(type_) => type_.is_valid_parameter(name),
            Kind::Class(None) => false,
            Kind::Class(Some(definition)) | Kind::Define(definition) | Kind::Node(definition) => {
                let definition = definition.clone();
                let Some(symbol) = Symbol::known(name) else { return false };
                if symbol == self.catalog.names.name || self.catalog.names.is_metaparameter(symbol)
                {
                    return true;
                }
                self.parameters(&definition.program, definition.id)
                    .is_ok_and(|parameters| parameters.list.iter().any(|p| p.name == symbol))
            }
        }
    }

    fn attribute_value(&self, id: ResourceId, name: &str) -> Value {
        let resource = self.catalog.resource(id);
        if name == "title" {
            return Value::String(resource.title.clone());
        }
        let Some(name) = Symbol::known(name) else { return Value::Undef };
        match resource.get(name) {
            Some(value) if !value.is_undef() => value.clone(),
            _ => {
                let defaults = self.defaults_of(resource.scope, resource.type_);
                let default = defaults.into_iter().find(|default| default.name == name);
                default.map(|default| default.value.clone()).unwrap_or_default()
            }
        }
    }

    /// `require`: the class or define where we are comes after these classes.
    pub(crate) fn require_classes(&mut self, names: &[EcoString], origin: OriginId) -> Eval<()> {
        self.include(names, origin)?;
        for name in names {
            let Some(class) = self.find_class(name)? else {
                return fault(issues::unknown_required_class());
            };
            let reference = Value::type_(super::reference::class(class.name.clone()));
            let Some(id) = self.catalog.scope_resource(self.scopes.current) else { continue };
            let require = self.catalog.names.require;
            let (resource, origins) = self.catalog.resource_and_origins(id);
            let (mut values, origin) = match resource.parameter(require) {
                Some(known) if !known.value.is_undef() => {
                    let unnamed = Some(OriginId::COMPILER);
                    (flatten(&known.value), origins.append(known.origin, origin, 1, unnamed))
                }
                _ => (Vec::new(), origin),
            };
            values.push(reference);
            resource.set(require, Value::array(values), origin);
        }
        Ok(())
    }

    /// `contain`: these classes lie within the class or define where we are.
    pub(crate) fn contain_classes(&mut self, names: &[EcoString], origin: OriginId) -> Eval<()> {
        let container = self.catalog.scope_resource(self.scopes.current);
        for id in self.include(names, origin)? {
            if let Some(container) = container {
                self.catalog.add_edge(container, id, origin);
            }
        }
        Ok(())
    }

    /// `tag`: adds tags to the class or define where we are.
    pub(crate) fn tag(&mut self, values: &[Value], origin: OriginId) -> Eval<()> {
        let Some(id) = self.catalog.scope_resource(self.scopes.current) else { return Ok(()) };
        let n_before = self.catalog.resource(id).tags.len();
        self.tag_resource(id, values)?;
        let compilation = &mut *self.catalog;
        let added = compilation.resource(id).tags.iter().skip(n_before);
        let added: Vec<_> = added.map(|tag| (id, tag, origin)).collect();
        compilation.origins.tags.extend(added);
        Ok(())
    }

    /// Adds tags to a resource.
    pub(super) fn tag_resource(&mut self, id: ResourceId, values: &[Value]) -> Eval<()> {
        for value in values.iter().flat_map(flatten) {
            let text = crate::interpreter::text::of(&value);
            let mut tags = std::mem::take(&mut self.catalog.resource_mut(id).tags);
            let added = self.catalog.tags.add(&mut tags, &text);
            let resource = self.catalog.resource_mut(id);
            resource.tags = tags;
            if let Err(issue) = added {
                return Err(Stop::fault_at_line(issue, &resource.at));
            }
        }
        Ok(())
    }

    /// Returns the source of messages of log functions: `Scope(Class[main])`.
    pub(crate) fn log_source(&self) -> Option<Arc<str>> {
        let id = self.catalog.scope_resource(self.scopes.current)?;
        Some(format!("Scope({})", self.catalog.reference(id)).into())
    }

    /// `tagged`: whether the catalog, or where we are, has the tag.
    pub(crate) fn is_tagged(&self, value: &Value) -> bool {
        let text = lower(&kukla_pcore::ruby::to_s(value));
        let Some(tag) = self.catalog.tags.find(&text) else { return false };
        let around = self.catalog.scope_resource(self.scopes.current);
        self.catalog.catalog_tags.contains(tag)
            || around.is_some_and(|id| self.catalog.is_tagged(id, tag))
    }

    /// The value of a variable of the class or define where we are was changed in place; a parameter of that name is
    /// the same thing, and so are variables that have the same object.
    pub(crate) fn change_variable(&mut self, name: Symbol, value: &Value) {
        let scope = self.scopes.current;
        let Some(old) = self.scopes.replace_named(scope, name, value.clone()) else {
            // It belongs to a block, or to an outer scope.
            if let Lookup::Found(old) = self.scopes.get(Variable::new(name)) {
                let old = old.clone();
                self.change_shared(&old, value, false);
            }
            return;
        };
        let mut is_parameter = false;
        if let Some(id) = self.catalog.scope_resource(scope) {
            let resource = self.catalog.resource_mut(id);
            if let Some(own) = resource.parameters.iter_mut().find(|own| own.name == name)
                && own.value == old
            {
                own.value = value.clone();
                is_parameter = true;
            }
        }
        self.change_shared(&old, value, is_parameter);
    }

    /// A function changed one of its arguments in place.
    pub(crate) fn change_argument(&mut self, argument: &Value, value: &Value) {
        let scope = self.scopes.current;
        let own = self.catalog.scope_resource(scope).and_then(|id| {
            let parameters = &self.catalog.resource(id).parameters;
            parameters.iter().find(|own| is_same(&own.value, argument)).map(|own| own.name)
        });
        match own {
            Some(name) => self.change_variable(name, value),
            None => self.change_shared(argument, value, false),
        }
    }

    /// Changes all variables that have the same object. Puppet copies the values of parameters, so a parameter shares
    /// its value with other variables of its class or define, and with nothing else.
    fn change_shared(&mut self, old: &Value, new: &Value, is_parameter: bool) {
        let only = is_parameter.then_some(self.scopes.current);
        let Self { scopes, catalog, .. } = self;
        let is_own = |scope: ScopeId, name: Symbol| {
            let resource = catalog.scope_resource(scope).map(|id| catalog.resource(id));
            resource.is_some_and(|resource| resource.get(name).is_some())
        };
        scopes.replace_shared(&Changed::new(old, new), only, is_own);
    }

    /// The tags of the catalog.
    pub(crate) fn catalog_tags(&self) -> Vec<String> {
        let tags = self.catalog.catalog_tags.iter();
        tags.map(|tag| self.catalog.tags.text(tag).to_string()).collect()
    }

    /// The value of a parameter of a resource, if it has one.
    pub(crate) fn parameter_of(&self, type_: &str, title: &str, name: &str) -> Option<Value> {
        let id = self.find_resource(type_, title)?;
        self.catalog.resource(id).get(Symbol::known(name)?).cloned()
    }

    /// Whether there is another resource of that type and title with these parameters; any title if it is empty.
    pub(crate) fn is_declared_with(&self, type_: &str, title: &str, parameters: &Hash) -> bool {
        let around = self.catalog.scope_resource(self.scopes.current);
        let has_all = |id: ResourceId| {
            let resource = self.catalog.resource(id);
            Some(id) != around
                && parameters.iter().all(|(name, wanted)| {
                    let name = name.as_str().and_then(Symbol::known);
                    let actual = name.and_then(|name| resource.get(name)).unwrap_or(&Value::Undef);
                    (actual.is_undef() && wanted.is_undef()) || ruby::equal(actual, wanted)
                })
        };
        if !title.is_empty() {
            return self.find_resource(type_, title).is_some_and(has_all);
        }
        let Some(type_) = Symbol::known(&capitalize_segments(type_)) else { return false };
        let mut resources = self.catalog.resources();
        resources.any(|(id, resource)| resource.type_ == type_ && has_all(id))
    }

    /// The class or define where we are: whether it is a class, and its name.
    pub(crate) fn current_definition(&self) -> Option<(bool, EcoString)> {
        let definition = self.catalog.source(self.current_source())?;
        Some((definition.kind == DefinitionKind::Class, definition.name.clone()))
    }

    /// `create_resources`: declares a resource whose type is data, with parameters as catalogs have them.
    pub(crate) fn declare_by_name(
        &mut self,
        type_: &str,
        title: &Value,
        parameters: &Hash,
        (at, origin): (At, OriginId),
    ) -> Eval<()> {
        let (form, name) = match type_.strip_prefix('@') {
            Some(rest) => match rest.strip_prefix('@') {
                Some(rest) => (Form::Exported, rest),
                None => (Form::Virtual, rest),
            },
            None => (Form::Regular, type_),
        };
        let source = self.current_source();
        // Arrows may add `before` and `notify`.
        let mut list = Vec::with_capacity(parameters.len() + 2);
        for (name, value) in parameters.iter() {
            // Names that no type has are refused when the resource is finished.
            let name = match name {
                Value::String(name) => self.scopes.strangers.symbol(name),
                other => self.scopes.strangers.symbol(&crate::interpreter::text::of(other)),
            };
            let value = value.clone();
            list.push(Parameter { name, value, source, origin, adds: false });
        }
        let title_text = match title {
            Value::String(text) => text.clone(),
            other => ruby::to_s(other).into(),
        };
        let what = Declaration {
            type_name: lower(name),
            titles: smallvec![title_text],
            parameters: list,
            form,
            at,
            origin,
            is_by_function: true,
            has_odd_title: title.as_str().is_none(),
        };
        self.declare(what, &mut None)
    }
}

fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        None => String::new(),
        Some(first) => first.to_uppercase().chain(letters.flat_map(char::to_lowercase)).collect(),
    }
}
