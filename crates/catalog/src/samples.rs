//! Small catalogs for tests.

use kukla_base::Symbol;
use kukla_pcore::Value;

use crate::{Catalog, Kind, Resource, Tags, Version};

/// Creates a resource without a place.
pub(crate) fn resource(type_: &str, title: &str, parameters: &[(&str, &str)]) -> Resource {
    let parameter = |&(name, value): &(&str, &str)| (Symbol::new(name), Value::from(value));
    Resource {
        type_: Symbol::new(type_),
        title: title.into(),
        tags: Tags::new(),
        file: None,
        line: None,
        is_exported: false,
        names_kind_first: false,
        kind: Kind::CompilableType,
        parameters: parameters.iter().map(parameter).collect(),
        sensitive: Vec::new(),
    }
}

/// Creates a catalog of resources and containment.
pub(crate) fn catalog(resources: Vec<Resource>, edges: &[(u32, u32)]) -> Catalog {
    Catalog {
        name: "node".into(),
        version: Version::default(),
        environment: "production".into(),
        tag_names: Vec::new(),
        tags: Tags::new(),
        resources,
        exported: Vec::new(),
        edges: edges.to_vec(),
        classes: Vec::new(),
        origins: crate::Origins::default(),
    }
}
