//! The end of a compilation: overrides, checks, and what resources get from what contains them.

use std::collections::VecDeque;
use std::sync::Arc;

use ecow::EcoString;
use kukla_base::Symbol;
use kukla_base::cancel::walk;
use kukla_catalog::origins::OriginId;
use kukla_pcore::types::named;
use kukla_pcore::value::Rare;
use kukla_pcore::{Type, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::Compiler;
use super::reference;
use super::resource::{Kind, Parameter, ResourceId};
use super::state::flatten;
use crate::library::FunctionRef;
use crate::log::Level;
use crate::{Eval, Stop, fault, issues};

impl Compiler {
    /// Completes all resources.
    pub(super) fn finish(&mut self) -> Eval<()> {
        self.evaluate_relationships()?;
        for at in 0..self.catalog.declared.len() {
            let id = self.catalog.declared[at];
            self.merge_late_overrides(id)?;
            self.finish_resource(id)?;
        }
        self.spread_metaparameters()
    }

    fn merge_late_overrides(&mut self, id: ResourceId) -> Eval<()> {
        if self.catalog.overrides.is_empty() {
            return Ok(());
        }
        let resource = self.catalog.resource(id);
        let key = (resource.type_.as_str().into(), resource.title.clone());
        let Some(overrides) = self.catalog.overrides.shift_remove(&key) else { return Ok(()) };
        for new in &overrides {
            self.merge_override(id, new)?;
        }
        self.catalog.related[id.0 as usize] = [0; 2];
        Ok(())
    }

    fn finish_resource(&mut self, id: ResourceId) -> Eval<()> {
        if std::mem::replace(&mut self.catalog.resource_mut(id).is_finished, true) {
            return Ok(());
        }
        self.add_scope_tags(id);
        let resource = self.catalog.resource_mut(id);
        let has_code = resource.definition().is_some();
        let mut deferred: Vec<Value> = Vec::new();
        for parameter in &mut resource.parameters {
            match &parameter.value {
                Value::Sensitive(inner) => {
                    resource.sensitive.push(parameter.name);
                    parameter.value = (**inner).clone();
                }
                value @ Value::Rare(_) if has_code => deferred.push(value.clone()),
                _ => (),
            }
        }
        self.read_deferred(deferred.iter());
        self.validate_resource(id)
    }

    /// Works out the types of deferred values; warns of functions that don't say what they return.
    pub(super) fn read_deferred<'v>(&mut self, values: impl Iterator<Item = &'v Value>) {
        for value in values {
            let Some((name, arguments)) = deferred_function(value) else { continue };
            match self.deferred_type(&name, &arguments) {
                Some(type_) => self.catalog.deferred_types.push((value.clone(), type_)),
                None => self.warn_of_function(&name),
            }
        }
    }

    /// Returns the type that a function says it returns for these arguments.
    fn deferred_type(&mut self, name: &str, arguments: &[Value]) -> Option<Type> {
        match self.find_named_function(name, "").ok()?? {
            FunctionRef::Puppet(function) => {
                let parameters = self.parameters(&function.program, function.definition).ok()?;
                parameters.returns.clone()
            }
            FunctionRef::Foreign(function) => function.deferred_type(arguments, &self.names()),
            FunctionRef::Native(_) => None,
        }
    }

    fn warn_of_function(&mut self, name: &str) {
        if self.caches.is_new_warning(&format!("{name}_deferred_warning")) {
            let message = format!(
                "Deferred function {name} has no return_type, unable to guarantee value type \
                 during compilation.\n   (file & line not available)"
            );
            self.say(Level::Warning, message, None);
        }
    }

    /// Checks that all parameters of a resource are known, and of their types.
    fn validate_resource(&mut self, id: ResourceId) -> Eval<()> {
        let resource = self.catalog.resource(id);
        match &resource.kind {
            Kind::Native(type_) => {
                let is_known = |name: Symbol| {
                    type_.is_declared(name)
                        || self.catalog.names.is_metaparameter(name)
                        || type_.is_valid_parameter(name.as_str())
                };
                let mut parameters = resource.parameters.iter();
                match parameters.find(|parameter| !is_known(parameter.name)) {
                    None => Ok(()),
                    Some(unknown) => {
                        let at = resource.at.text_with_space();
                        let reference = resource.reference();
                        let name = self.scopes.strangers.text(unknown.name);
                        let issue = issues::unknown_parameter(name, &at, &reference)
                            .did_you_mean(name, type_.properties().chain(type_.parameters()));
                        Err(Stop::fault_at_line(issue, &resource.at))
                    }
                }
            }
            Kind::Class(None) => Ok(()),
            Kind::Class(Some(definition)) | Kind::Define(definition) | Kind::Node(definition) => {
                if resource.is_checked {
                    return Ok(());
                }
                let definition = Arc::clone(definition);
                let values: Vec<(Symbol, Value)> = resource
                    .parameters
                    .iter()
                    .map(|parameter| {
                        let value = match resource.sensitive.contains(&parameter.name) {
                            true => Value::Sensitive(Arc::new(parameter.value.clone())),
                            false => parameter.value.clone(),
                        };
                        (parameter.name, value)
                    })
                    .filter(|(name, _)| *name != self.catalog.names.name)
                    .collect();
                let parameters = self.parameters(&definition.program, definition.id)?;
                let values = values.iter().map(|(name, value)| (*name, value));
                self.validate_values(id, &parameters, values)
            }
        }
    }

    /// Resources get metaparameters and tags from what contains them.
    fn spread_metaparameters(&mut self) -> Eval<()> {
        let Some(main) = self.catalog.scope_resource(crate::interpreter::scope::ScopeId::TOP)
        else {
            return fault(issues::no_main_class());
        };
        let names = self.catalog.names.inherited();
        let mut data: FxHashMap<ResourceId, Vec<(Symbol, Value)>> = FxHashMap::default();
        let mut is_seen = vec![false; self.catalog.resources().count()];
        let mut queue = VecDeque::from([main]);
        while let Some(source) = queue.pop_front() {
            if std::mem::replace(&mut is_seen[source.0 as usize], true) {
                continue;
            }
            let contents = std::mem::take(&mut self.catalog.resource_mut(source).contains);
            if contents.is_empty() {
                continue;
            }
            let own = match data.get(&source) {
                Some(known) => known.clone(),
                None => self.metaparameters(source, &names),
            };
            // One entry serves all contents and all names.
            let origin = match own.is_empty() {
                true => OriginId::COMPILER,
                false => self.catalog.origins.inherited(source),
            };
            for &target in &contents {
                if !own.is_empty() {
                    self.inherit(target, (&own, origin), &names, &mut data)?;
                }
                self.catalog.merge_tags(source, target);
            }
            queue.extend(&contents);
            self.catalog.resource_mut(source).contains = contents;
        }
        Ok(())
    }

    fn inherit(
        &mut self,
        target: ResourceId,
        (given, origin): (&[(Symbol, Value)], OriginId),
        names: &[Symbol],
        data: &mut FxHashMap<ResourceId, Vec<(Symbol, Value)>>,
    ) -> Eval<()> {
        for (name, value) in given {
            let resource = self.catalog.resource(target);
            if resource.get(*name).is_none_or(Value::is_undef) {
                let (value, source) = (value.clone(), resource.source);
                let name = *name;
                self.set_parameter(target, Parameter { name, value, source, origin, adds: false })?;
            }
        }
        let mut merged = given.to_vec();
        for (name, value) in self.metaparameters(target, names) {
            match merged.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = value,
                None => merged.push((name, value)),
            }
        }
        data.insert(target, merged);
        Ok(())
    }

    fn metaparameters(&self, id: ResourceId, names: &[Symbol]) -> Vec<(Symbol, Value)> {
        let parameters = self.catalog.resource(id).parameters.iter();
        // Parameters are many, and mostly others: they are gone through once.
        let mut given: SmallVec<[(usize, &Value); 4]> = parameters
            .filter(|parameter| !parameter.value.is_undef())
            .filter_map(|parameter| {
                let place = names.iter().position(|name| *name == parameter.name)?;
                Some((place, &parameter.value))
            })
            .collect();
        given.sort_unstable_by_key(|(place, _)| *place);
        given.into_iter().map(|(place, value)| (names[place], value.clone())).collect()
    }

    /// Reports overrides and collected references that no resource has matched.
    pub(super) fn check_leftovers(&self) -> Eval<()> {
        let overrides = self.catalog.overrides.iter();
        let left: Vec<String> = overrides
            .flat_map(|((type_, title), list)| {
                list.iter().map(move |_| format!("{type_}[{title}]"))
            })
            .collect();
        if !left.is_empty() {
            return fault(issues::not_overridden(&left));
        }
        let left = self.unrealized();
        match left.is_empty() {
            true => Ok(()),
            false => fault(issues::not_realized(&left)),
        }
    }

    /// Every resource that another is ordered by must be there.
    pub(super) fn validate_relationships(&self) -> Eval<()> {
        for (id, resource) in self.catalog.resources() {
            if resource.is_virtual {
                continue;
            }
            for parameter in &resource.parameters {
                if self.catalog.names.is_relationship(parameter.name)
                    && !self.is_written_by_arrows(id, parameter)
                {
                    self.validate_relationship(
                        parameter,
                        resource.sensitive.contains(&parameter.name),
                    )?;
                }
            }
        }
        Ok(())
    }

    /// Whether all references of a parameter come from arrows.
    fn is_written_by_arrows(&self, id: ResourceId, parameter: &Parameter) -> bool {
        let names = &self.catalog.names;
        let [n_before, n_notify] = self.catalog.related[id.0 as usize];
        let n = match parameter.name {
            name if name == names.before => n_before,
            name if name == names.notify => n_notify,
            _ => 0,
        };
        matches!(&parameter.value, Value::Array(values) if values.len() == n)
    }

    /// Whether a value is a reference to a resource or class that is there, or many of them.
    fn is_known_reference(&self, value: &Value) -> bool {
        let type_ = match value {
            Value::Type(type_) => type_,
            Value::String(text) => return self.find_reference(text).is_some(),
            Value::Array(values) => {
                return walk(false, || values.iter().all(|value| self.is_known_reference(value)));
            }
            _ => return false,
        };
        self.referenced(type_).is_some()
    }

    /// The resource that a reference names.
    pub(super) fn referenced(&self, type_: &Type) -> Option<ResourceId> {
        match type_ {
            Type::Class(Some(name)) => self.catalog.find_class(name),
            Type::Resource(reference) => match (&reference.name, &reference.title) {
                (Some(name), Some(title)) if !title.is_empty() => self.find_resource(name, title),
                _ => None,
            },
            _ => None,
        }
    }

    /// Checks the references of a metaparameter; the error about one that is secret does not show it.
    fn validate_relationship(&self, parameter: &Parameter, is_secret: bool) -> Eval<()> {
        if self.is_known_reference(&parameter.value) {
            return Ok(());
        }
        let at = || self.catalog.origins.at(parameter.origin);
        for value in flatten(&parameter.value) {
            if self.is_known_reference(&value) {
                continue;
            }
            let text = match reference::text(&value) {
                Some(text) => text,
                None => kukla_pcore::ruby::to_s(&value).into(),
            };
            let is_reference = is_reference(&text);
            if !is_reference {
                let shown = match is_secret {
                    true => "Sensitive [value redacted]".to_owned(),
                    false => kukla_pcore::ruby::inspect(&Value::String(text)),
                };
                let issue = issues::illegal_reference(&shown);
                return Err(Stop::fault_at_line(issue, &at()));
            }
            if self.find_reference(&text).is_none() {
                let text = if is_secret { "Sensitive [value redacted]" } else { &text };
                let issue = issues::unknown_in_parameter(text, parameter.name);
                return Err(Stop::fault_at_line(issue, &at()));
            }
        }
        Ok(())
    }
}

/// The name of the function that a Deferred value is to call, and its arguments.
fn deferred_function(value: &Value) -> Option<(EcoString, Vec<Value>)> {
    let Value::Rare(rare) = value else { return None };
    match &**rare {
        Rare::Object(object) if Arc::ptr_eq(&object.type_, &named::deferred()) => {
            let name = object.values.first().and_then(Value::as_str)?;
            let arguments = match object.values.get(1) {
                Some(Value::Array(arguments)) => arguments.to_vec(),
                _ => Vec::new(),
            };
            Some((name.into(), arguments))
        }
        _ => None,
    }
}

/// Whether a text has the form `Type[title]`.
fn is_reference(text: &str) -> bool {
    text.strip_suffix(']')
        .and_then(|text| text.split_once('['))
        .is_some_and(|(type_, title)| !type_.is_empty() && !title.is_empty())
}
