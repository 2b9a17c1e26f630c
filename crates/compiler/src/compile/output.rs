//! The catalog that agents get.

use std::sync::Arc;

use kukla_base::Symbol;
use kukla_base::cancel::walk;
use kukla_catalog::origins::{OriginId, Origins, ResourceOrigins};
use kukla_catalog::{Catalog, Kind as CatalogKind, Resource as CatalogResource};
use kukla_pcore::{ByteTexts, Hash, Value, richdata};

use super::Compiler;
use super::reference;
use super::resource::{Kind, Parameter, Resource};
use super::run::Request;
use crate::log::{Entry, Level};
use crate::{Eval, Stop, Strict, issues};

impl Compiler {
    /// The catalog, without virtual resources; what goes into it is taken away from the compilation.
    pub(super) fn catalog(&mut self, request: &Request) -> Eval<Catalog> {
        if let Some(issue) = self.catalog.late_issue.get() {
            return Err(Stop::final_fault(issue.clone()));
        }
        let exported = self.exported()?;
        let mut all = self.catalog.take_resources();
        let n = all.len();
        let mut numbers: Vec<Option<u32>> = Vec::with_capacity(n);
        let mut resources = Vec::with_capacity(n);
        let mut origins = Origins { resources: Vec::with_capacity(n), ..Origins::default() };
        for resource in &mut all {
            if resource.is_virtual {
                numbers.push(None);
                continue;
            }
            numbers.push(u32::try_from(resources.len()).ok());
            self.add_resource_origins(resource, &mut origins);
            let parameters = self.output_parameters(resource, &mut origins)?;
            resources.push(output(resource, parameters));
        }
        let mut edges = Vec::with_capacity(n);
        origins.edges.reserve(n);
        for (resource, &number) in all.iter().zip(&numbers) {
            let Some(number) = number else { continue };
            for &(container, origin) in &resource.contained_in {
                if let Some(container) = numbers[container.0 as usize] {
                    edges.push((container, number));
                    origins.edges.push(origin);
                }
            }
        }
        self.complete_origins(&mut origins, &numbers, request);
        Ok(Catalog {
            name: request.node.as_str().into(),
            version: request.version.clone(),
            environment: request.environment.as_str().into(),
            tag_names: self.catalog.tags.texts().cloned().collect(),
            tags: self.catalog.catalog_tags.take_numbers(),
            resources,
            exported,
            edges,
            classes: self.catalog.classes.clone(),
            origins,
        })
    }

    /// The parameters of a resource as catalogs have them: they are taken away. Their origins go to those of the last
    /// resource.
    pub(super) fn output_parameters(
        &self,
        resource: &mut Resource,
        origins: &mut Origins,
    ) -> Eval<Vec<(Symbol, Value)>> {
        let given = std::mem::take(&mut resource.parameters);
        let mut made = Vec::with_capacity(given.len() + 1);
        let namevar = self.add_keys(resource, &given, &mut made)?;
        let n_keys = made.len();
        let first = origins.parameters.len();
        origins.parameters.resize(first + n_keys, OriginId::TITLE);
        let has_code = resource.definition().is_some();
        // Parameters have names of their own: only what the title gives can be there already.
        let mut n_of_title = made.len();
        for parameter in given {
            let origin = parameter.origin;
            if parameter.value.is_undef() {
                if let (true, Some(number)) = (has_code, origins.resources.len().checked_sub(1)) {
                    let number = u32::try_from(number).unwrap_or(u32::MAX);
                    origins.undefs.push((number, parameter.name, origin));
                }
                continue;
            }
            let value = self.plain_value(parameter.name, parameter.value);
            let name = match parameter.name == self.catalog.names.name {
                true => namevar,
                false => lower_case(parameter.name),
            };
            if name == namevar || name != parameter.name {
                n_of_title = made.len();
            }
            match made[..n_of_title].iter().position(|(known, _)| *known == name) {
                Some(at) => (made[at].1, origins.parameters[first + at]) = (value, origin),
                None => {
                    made.push((name, value));
                    origins.parameters.push(origin);
                }
            }
        }
        if n_keys > 0 {
            let (mut from, mut to) = (first, first);
            made.retain(|(name, value)| {
                let is_title = !resource.has_odd_title
                    && *name == namevar
                    && matches!(value, Value::String(text) if *text == resource.title);
                let is_written = !is_title && !value.is_undef();
                origins.parameters[to] = origins.parameters[from];
                (from, to) = (from + 1, to + usize::from(is_written));
                is_written
            });
            origins.parameters.truncate(to);
        }
        for (name, value) in &mut made {
            if !is_data(value, &self.byte_texts) {
                *value = self.data(resource, *name, value)?;
            }
        }
        Ok(made)
    }

    /// Adds the origins of a resource, whose parameters follow.
    fn add_resource_origins(&mut self, resource: &Resource, origins: &mut Origins) {
        let first_parameter = u32::try_from(origins.parameters.len()).unwrap_or(u32::MAX);
        let definition = resource
            .definition()
            .map(|definition| self.catalog.origins.expression(&definition.program, definition.id));
        // A number of the compilation, until all of those of the catalog are known.
        let declared_in = self.catalog.scope_resource(resource.scope).map(|id| id.0);
        let declaration = resource.origin;
        let own = ResourceOrigins { declaration, definition, declared_in, first_parameter };
        origins.resources.push(own);
    }

    /// Adds what is known once all resources have their numbers.
    fn complete_origins(
        &mut self,
        origins: &mut Origins,
        numbers: &[Option<u32>],
        request: &Request,
    ) {
        let number = |id: u32| numbers.get(id as usize).copied().flatten();
        for resource in &mut origins.resources {
            resource.declared_in = resource.declared_in.and_then(number);
        }
        let recorder = &mut self.catalog.origins;
        let tags = std::mem::take(&mut recorder.tags).into_iter();
        origins.tags.extend(
            tags.filter_map(|(id, tag, origin)| Some((number(id.0)?, tag.number(), origin))),
        );
        origins.lookups = std::mem::take(&mut recorder.lookups);
        origins.main = std::mem::take(&mut recorder.main);
        origins.table = recorder.take_table(numbers);
        origins.facts = Arc::clone(&request.facts);
        origins.variables = Arc::clone(&request.parameters);
    }

    /// Adds what the title of a resource says of its keys; the key that `name` stands for.
    fn add_keys(
        &self,
        resource: &Resource,
        given: &[Parameter],
        made: &mut Vec<(Symbol, Value)>,
    ) -> Eval<Symbol> {
        let own_name = self.catalog.names.name;
        let title = || Value::String(resource.title.clone());
        // The title itself is not written.
        let is_left_out = |namevar: Symbol| {
            let is_name = |name: Symbol| name == namevar || name == own_name;
            !resource.has_odd_title && !given.iter().any(|parameter| is_name(parameter.name))
        };
        let Kind::Native(type_) = &resource.kind else {
            if !is_left_out(own_name) {
                made.push((own_name, title()));
            }
            return Ok(own_name);
        };
        let namevar = type_.namevar_symbol();
        match type_.whole_title(&resource.title) {
            Some(name) if name == namevar && is_left_out(namevar) => (),
            Some(name) => made.push((name, title())),
            None => {
                let parsed = type_.parse_title(&resource.title);
                let parsed = parsed.map_err(|error| Stop::fault(issues::title_mismatch(&error)))?;
                made.extend(parsed.into_iter().map(|(name, value)| {
                    (Symbol::new(name), value.map(Value::from).unwrap_or_default())
                }));
            }
        }
        Ok(namevar)
    }

    /// References as text; arrays that have some in them are flat.
    fn plain_value(&self, name: Symbol, value: Value) -> Value {
        let Value::Array(values) = &value else {
            return if may_change(&value) { plain(&value) } else { value };
        };
        let is_relationship = self.catalog.names.is_relationship(name);
        let is_plain = match is_relationship {
            true => values.iter().all(|value| matches!(value, Value::String(_))),
            false => !values.iter().any(may_change),
        };
        if is_plain {
            return value;
        }
        let mut all = Vec::with_capacity(values.len());
        add_flat(&value, is_relationship, &mut all);
        match is_relationship || all.iter().copied().any(reference::is_reference) {
            true => Value::array(all.into_iter().map(plain)),
            false => plain(&value),
        }
    }

    /// A value that is no data as it is.
    fn data(&self, resource: &Resource, name: Symbol, value: &Value) -> Eval<Value> {
        let prefix = format!("{}['{name}']", resource.reference());
        let rich_data = !self.catalog.is_plain;
        let options = richdata::Options {
            rich_data,
            local_references: false,
            prefix: &prefix,
            byte_texts: Some(&self.byte_texts),
        };
        let mut lose = |issue: &richdata::DataLoss| {
            match self.strictness.strict {
                Strict::Off => (),
                Strict::Warning => self.catalog.lost.borrow_mut().push(Entry {
                    file: resource.at.file.clone(),
                    line: resource.at.line,
                    ..Entry::new(Level::Warning, issue.to_string())
                }),
                Strict::Error => {
                    return Err(richdata::DataError::Refused(format!("Evaluation Error: {issue}")));
                }
            }
            Ok(())
        };
        richdata::to_data(value, &options, &mut lose).map_err(|error| {
            let place = if rich_data { String::new() } else { resource.at.text_with_space() };
            Stop::final_fault(issues::unsupported_value(&error, &place))
        })
    }
}

/// A resource as catalogs have it: its tags are taken away.
#[inline]
pub(super) fn output(resource: &mut Resource, parameters: Vec<(Symbol, Value)>) -> CatalogResource {
    let kind = match &resource.kind {
        Kind::Native(_) => CatalogKind::CompilableType,
        Kind::Define(_) => CatalogKind::DefinedType,
        Kind::Class(_) if resource.at.line.is_some() => CatalogKind::Class,
        Kind::Class(_) | Kind::Node(_) => CatalogKind::Unknown,
    };
    CatalogResource {
        type_: resource.type_,
        title: resource.title.clone(),
        tags: resource.tags.take_numbers(),
        file: resource.at.file.clone(),
        line: resource.at.line,
        is_exported: resource.is_exported,
        names_kind_first: resource.is_by_function && !resource.is_exported,
        kind,
        parameters,
        sensitive: std::mem::take(&mut resource.sensitive),
    }
}

/// Adds the elements of arrays in arrays.
fn add_flat<'v>(value: &'v Value, without_undef: bool, all: &mut Vec<&'v Value>) {
    match value {
        Value::Array(values) => {
            walk((), || values.iter().for_each(|value| add_flat(value, without_undef, all)));
        }
        Value::Undef if without_undef => (),
        other => all.push(other),
    }
}

/// A value with text in place of references.
pub(super) fn plain(value: &Value) -> Value {
    match value {
        Value::Type(_) => reference::text(value).map_or_else(|| value.clone(), Value::String),
        Value::Array(values) if values.iter().any(may_change) => {
            walk(Value::Undef, || Value::array(values.iter().map(plain)))
        }
        Value::Hash(hash)
            if hash.iter().any(|(key, value)| may_change(key) || may_change(value)) =>
        {
            let entries = hash.iter().map(|(key, value)| (plain(key), plain(value)));
            walk(Value::Undef, || Value::hash(entries.collect::<Hash>()))
        }
        other => other.clone(),
    }
}

fn may_change(value: &Value) -> bool {
    matches!(value, Value::Type(_) | Value::Array(_) | Value::Hash(_))
}

/// Whether a value is data as it is.
fn is_data(value: &Value, byte_texts: &ByteTexts) -> bool {
    match value {
        Value::Undef | Value::Boolean(_) | Value::Integer(_) | Value::Float(_) => true,
        Value::String(text) => !byte_texts.contains(text),
        Value::Array(values) => {
            walk(true, || values.iter().all(|value| is_data(value, byte_texts)))
        }
        Value::Hash(hash) => walk(true, || {
            hash.iter().all(|(key, value)| match key {
                Value::String(key) => !key.starts_with("__p") && is_data(value, byte_texts),
                _ => false,
            })
        }),
        _ => false,
    }
}

/// Returns the name of a parameter in catalogs, where Puppet has it in lower case.
fn lower_case(name: Symbol) -> Symbol {
    match name.has_upper_case() {
        true => Symbol::new(&name.as_str().to_lowercase()),
        false => name,
    }
}
