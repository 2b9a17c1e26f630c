//! The parameters of classes in a catalog, with their types and origins.

use std::sync::Arc;

use ecow::EcoString;
use kukla_base::Symbol;
use kukla_catalog::Catalog;
use kukla_catalog::origins::{Origin, Role};
use kukla_pcore::{Type, Value};

use super::Lookups;
use crate::compile::exports::rich;
use crate::compile::resource::{Kind, ResourceId};
use crate::compile::{Compiled, Definition};

/// A parameter of a class in a catalog.
#[derive(Clone, Debug)]
pub struct ParameterUse {
    /// The class.
    pub class: EcoString,
    /// The parameter.
    pub name: EcoString,
    /// Its value.
    pub value: Value,
    /// Its type, if the class says so.
    pub type_: Option<Type>,
    /// Its origin.
    pub source: ParameterSource,
    /// Where it was set: of merged data all places, the one of highest priority first.
    pub places: Vec<SourcePlace>,
    /// Whether it is a secret.
    pub is_secret: bool,
}

/// The origin of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParameterSource {
    /// The declaration of the class.
    Declared,
    /// Data.
    Data,
    /// The default in the class, if it has one.
    Default,
}

/// A place in code or data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourcePlace {
    /// The file; empty for code without one.
    pub file: EcoString,
    /// The line, counted from 1; 0 if it is not known.
    pub line: u32,
    /// The name of the level of the hierarchy, of data.
    pub level: Option<EcoString>,
}

/// The value of a parameter.
struct Assigned<'c> {
    value: Value,
    origin: Option<Origin<'c>>,
    is_sensitive: bool,
}

impl Lookups {
    /// Returns every parameter of every class in the catalog, in its order; without a catalog, those of the classes
    /// that there were when the compilation failed.
    pub fn parameters(&mut self, compiled: &Compiled) -> Vec<ParameterUse> {
        match &compiled.catalog {
            Ok(catalog) => self.parameters_of_catalog(catalog),
            Err(_) => self.parameters_so_far(),
        }
    }

    fn parameters_of_catalog(&mut self, catalog: &Catalog) -> Vec<ParameterUse> {
        let mut uses = Vec::new();
        for (number, resource) in catalog.resources.iter().enumerate() {
            let has_code = catalog.origins.resources[number].definition.is_some();
            if resource.type_.as_str() != "Class" || !has_code {
                continue;
            }
            let class = self.compiler.find_class(&resource.title.to_lowercase());
            let Ok(Some(definition)) = class else { continue };
            uses.extend(self.of_class(&definition, |name| {
                let value = resource.parameters.iter().find(|(known, _)| *known == name);
                let origin = catalog.named_origin(number, name.as_str());
                Assigned {
                    value: value.map(|(_, value)| rich(value.clone())).unwrap_or_default(),
                    origin: origin.map(|id| catalog.origin(id)),
                    is_sensitive: resource.sensitive.contains(&name),
                }
            }));
        }
        uses
    }

    fn parameters_so_far(&mut self) -> Vec<ParameterUse> {
        let resources = self.compiler.catalog.resources();
        let classes = resources.filter_map(|(id, resource)| match &resource.kind {
            Kind::Class(Some(definition)) => Some((id, Arc::clone(definition))),
            _ => None,
        });
        let classes: Vec<(ResourceId, Arc<Definition>)> = classes.collect();
        let mut uses = Vec::new();
        for (id, definition) in classes {
            // Types that can't be read are the reason of the failure, or none of this compilation.
            let Ok(parameters) = self.compiler.parameters(&definition.program, definition.id)
            else {
                continue;
            };
            let compilation = &self.compiler.catalog;
            let resource = compilation.resource(id);
            uses.extend(parameters.list.iter().map(|parameter| {
                let assigned = resource.parameter(parameter.name);
                let value = assigned.map(|assigned| assigned.value.clone()).unwrap_or_default();
                let origin = assigned.map(|own| compilation.origins.table.origin(own.origin));
                let is_sensitive = matches!(value, Value::Sensitive(_));
                used(&definition, parameter, Assigned { value, origin, is_sensitive })
            }));
        }
        uses
    }

    fn of_class<'c>(
        &mut self,
        definition: &Definition,
        assigned: impl Fn(Symbol) -> Assigned<'c>,
    ) -> Vec<ParameterUse> {
        let parameters = self.compiler.parameters(&definition.program, definition.id);
        let Ok(parameters) = parameters else { return Vec::new() };
        let list = parameters.list.iter();
        list.map(|parameter| used(definition, parameter, assigned(parameter.name))).collect()
    }
}

fn used(class: &Definition, parameter: &crate::Parameter, assigned: Assigned<'_>) -> ParameterUse {
    let Assigned { value, origin, is_sensitive } = assigned;
    let (source, places, is_data_secret) = source_of(origin.as_ref(), &value);
    ParameterUse {
        class: class.name.clone(),
        name: parameter.name.as_str().into(),
        is_secret: is_sensitive || is_data_secret,
        value,
        type_: parameter.type_.clone(),
        source,
        places,
    }
}

/// Returns what set a value, where, and whether it is secret data.
fn source_of(
    origin: Option<&Origin<'_>>,
    value: &Value,
) -> (ParameterSource, Vec<SourcePlace>, bool) {
    match origin {
        Some(Origin::Data(data)) => {
            let places = data.places.iter().map(|place| SourcePlace {
                file: place.file.clone(),
                line: place.line,
                level: Some(place.level.clone()),
            });
            (ParameterSource::Data, places.collect(), data.is_secret)
        }
        Some(Origin::Code { role, place, .. }) => {
            let places =
                vec![SourcePlace { file: place.file.into(), line: place.line, level: None }];
            match role {
                Role::ParameterDefault => (ParameterSource::Default, places, false),
                // A parameter that is declared as `undef` has no value.
                _ if value.is_undef() => (ParameterSource::Default, Vec::new(), false),
                _ => (ParameterSource::Declared, places, false),
            }
        }
        Some(_) if !value.is_undef() => (ParameterSource::Declared, Vec::new(), false),
        _ => (ParameterSource::Default, Vec::new(), false),
    }
}
