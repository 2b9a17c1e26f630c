//! The catalog that agents get.

use kukla_base::Symbol;
use kukla_catalog::{Catalog, Kind as CatalogKind, Resource as CatalogResource};
use kukla_pcore::{Hash, Value, richdata};

use super::reference;
use super::resource::{Kind, Resource, ResourceId};
use super::run::Request;
use crate::log::{Entry, Level};
use crate::{Eval, Evaluator, Stop, Strict};

impl Evaluator {
    /// The catalog, without virtual resources.
    pub(super) fn catalog(&self, request: &Request) -> Eval<Catalog> {
        if let Some(message) = self.compilation.late_fault.get() {
            return Err(Stop::final_fault(message.clone()));
        }
        let n = self.compilation.n_resources();
        let mut numbers: Vec<Option<u32>> = Vec::with_capacity(n);
        let mut resources = Vec::with_capacity(n);
        let mut kept = Vec::with_capacity(n);
        for (id, resource) in self.compilation.resources() {
            if resource.is_virtual {
                numbers.push(None);
                continue;
            }
            numbers.push(u32::try_from(resources.len()).ok());
            resources.push(self.output(resource)?);
            kept.push(id);
        }
        let number = |id: ResourceId| numbers[id.0 as usize];
        let mut edges = Vec::with_capacity(n);
        for &id in &kept {
            let containers = &self.compilation.resource(id).contained_in;
            edges.extend(
                containers.iter().filter_map(|&source| Some((number(source)?, number(id)?))),
            );
        }
        Ok(Catalog {
            name: request.node.as_str().into(),
            version: request.version,
            environment: request.environment.as_str().into(),
            tag_names: self.compilation.tags.texts().cloned().collect(),
            tags: self.compilation.catalog_tags.numbers(),
            resources,
            exported: self.exported()?,
            edges,
            classes: self.compilation.classes.clone(),
        })
    }

    pub(super) fn output(&self, resource: &Resource) -> Eval<CatalogResource> {
        let kind = match &resource.kind {
            Kind::Native(_) => CatalogKind::CompilableType,
            Kind::Define(_) => CatalogKind::DefinedType,
            Kind::Class(_) if resource.at.line.is_some() => CatalogKind::Class,
            Kind::Class(_) | Kind::Node(_) => CatalogKind::Unknown,
        };
        Ok(CatalogResource {
            type_: resource.type_,
            title: resource.title.clone(),
            tags: resource.tags.numbers(),
            file: resource.at.file,
            line: resource.at.line,
            is_exported: resource.is_exported,
            names_kind_first: resource.is_by_function && !resource.is_exported,
            kind,
            parameters: self.output_parameters(resource)?,
            sensitive: resource.sensitive.clone(),
        })
    }

    fn output_parameters(&self, resource: &Resource) -> Eval<Vec<(Symbol, Value)>> {
        let mut made: Vec<(Symbol, Value)> = Vec::with_capacity(resource.parameters.len() + 1);
        let namevar = match &resource.kind {
            Kind::Native(type_) => {
                let namevar = type_.namevar_symbol();
                match type_.whole_title(&resource.title) {
                    Some(name) => made.push((name, Value::String(resource.title.clone()))),
                    None => {
                        let parsed = type_.parse_title(&resource.title);
                        let parsed = parsed.map_err(|error| Stop::fault(error.to_string()))?;
                        made.extend(parsed.into_iter().map(|(name, value)| {
                            (Symbol::new(name), value.map(Value::from).unwrap_or_default())
                        }));
                    }
                }
                namevar
            }
            _ => {
                made.push((self.compilation.names.name, Value::String(resource.title.clone())));
                self.compilation.names.name
            }
        };
        // Parameters have names of their own: only what the title gives can be there already.
        let mut n_of_title = made.len();
        for parameter in &resource.parameters {
            if parameter.value.is_undef() {
                continue;
            }
            let value = self.plain_value(parameter.name, &parameter.value);
            let name = match parameter.name == self.compilation.names.name {
                true => namevar,
                false => parameter.name,
            };
            if name == namevar {
                n_of_title = made.len();
            }
            match made[..n_of_title].iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = value,
                None => made.push((name, value)),
            }
        }
        let mut failure = Ok(());
        made.retain_mut(|(name, value)| {
            let is_title = !resource.has_odd_title
                && *name == namevar
                && matches!(value, Value::String(text) if *text == resource.title);
            if is_title || value.is_undef() {
                return false;
            }
            if !is_data(value) {
                match self.data(resource, *name, value) {
                    Ok(data) => *value = data,
                    Err(stop) => failure = Err(stop),
                }
            }
            true
        });
        failure.map(|()| made)
    }

    /// References as text; arrays that have some in them are flat.
    fn plain_value(&self, name: Symbol, value: &Value) -> Value {
        match value {
            Value::Array(values) => {
                let is_relationship = self.compilation.names.is_relationship(name);
                let is_flat = !values.iter().any(|value| matches!(value, Value::Array(_)));
                if is_flat && !is_relationship && !values.iter().any(may_change) {
                    return value.clone();
                }
                let all: Vec<Value> = match is_flat {
                    true if !is_relationship => values.iter().cloned().collect(),
                    _ => flat(value, is_relationship),
                };
                let has_reference = all.iter().any(|value| reference::text(value).is_some());
                match has_reference || is_relationship {
                    true => Value::array(all.iter().map(plain)),
                    false => plain(value),
                }
            }
            other => plain(other),
        }
    }

    /// A value that is no data as it is.
    fn data(&self, resource: &Resource, name: Symbol, value: &Value) -> Eval<Value> {
        let prefix = format!("{}['{name}']", resource.reference());
        let rich_data = !self.compilation.is_plain;
        let options = richdata::Options { rich_data, local_references: false, prefix: &prefix };
        let mut lose = |issue: &richdata::Issue| {
            match self.settings.strict {
                Strict::Off => (),
                Strict::Warning => self.compilation.lost.borrow_mut().push(Entry {
                    level: Level::Warning,
                    message: issue.to_string(),
                    file: resource.at.file.map(|file| file.as_str().into()),
                    line: resource.at.line,
                }),
                Strict::Error => {
                    return Err(richdata::DataError(format!("Evaluation Error: {issue}")));
                }
            }
            Ok(())
        };
        richdata::to_data(value, &options, &mut lose).map_err(|error| {
            let place = if rich_data { String::new() } else { resource.at.text_with_space() };
            Stop::final_fault(format!("{error}{place}"))
        })
    }
}

/// The elements of arrays in arrays.
fn flat(value: &Value, without_undef: bool) -> Vec<Value> {
    match value {
        Value::Array(values) => {
            values.iter().flat_map(|value| flat(value, without_undef)).collect()
        }
        Value::Undef if without_undef => Vec::new(),
        other => vec![other.clone()],
    }
}

/// A value with text in place of references.
pub(super) fn plain(value: &Value) -> Value {
    match value {
        Value::Type(_) => reference::text(value).map_or_else(|| value.clone(), Value::from),
        Value::Array(values) if values.iter().any(may_change) => {
            Value::array(values.iter().map(plain))
        }
        Value::Hash(hash)
            if hash.iter().any(|(key, value)| may_change(key) || may_change(value)) =>
        {
            let entries = hash.iter().map(|(key, value)| (plain(key), plain(value)));
            Value::hash(entries.collect::<Hash>())
        }
        other => other.clone(),
    }
}

fn may_change(value: &Value) -> bool {
    matches!(value, Value::Type(_) | Value::Array(_) | Value::Hash(_))
}

/// Whether a value is data as it is.
fn is_data(value: &Value) -> bool {
    match value {
        Value::Undef
        | Value::Boolean(_)
        | Value::Integer(_)
        | Value::Float(_)
        | Value::String(_) => true,
        Value::Array(values) => values.iter().all(is_data),
        Value::Hash(hash) => hash.iter().all(|(key, value)| match key {
            Value::String(key) => !key.starts_with("__p") && is_data(value),
            _ => false,
        }),
        _ => false,
    }
}
