//! Resources as data, for Ruby code that looks at the catalog.

use kukla_base::Symbol;
use kukla_pcore::types::capitalize_segments;
use kukla_pcore::{Hash, Value};

use super::Compiler;
use super::resource::{Kind, Parameter, Resource};

impl Compiler {
    /// A resource of the catalog so far.
    pub(crate) fn describe(&self, type_name: &str, title: &str) -> Option<Value> {
        let id = self.find_resource(type_name, title)?;
        Some(self.described(self.catalog.resource(id)))
    }

    /// The resource of the class, define or node where we are.
    pub(crate) fn describe_own(&self) -> Option<Value> {
        let id = self.catalog.scope_resource(self.scopes.current)?;
        Some(self.described(self.catalog.resource(id)))
    }

    /// All resources of the catalog so far.
    pub(crate) fn describe_all(&self) -> Vec<Value> {
        self.catalog.resources().map(|(_, resource)| self.described(resource)).collect()
    }

    /// The defaults that hold here for a type of resources.
    pub(crate) fn describe_defaults(&self, type_name: &str) -> Value {
        match Symbol::known(&capitalize_segments(type_name)) {
            Some(type_) => parameters(self.defaults_of(self.scopes.current, type_)),
            None => parameters([]),
        }
    }

    fn described(&self, resource: &Resource) -> Value {
        let tags = resource.tags.iter().map(|tag| self.catalog.tags.text(tag).clone());
        let mut hash = Hash::with_capacity(6);
        let mut set = |name: &str, value| hash.insert(Value::string(name), value);
        set("type", Value::string(resource.type_.as_str()));
        set("title", Value::String(resource.title.clone()));
        set("parameters", parameters(&resource.parameters));
        set("tags", Value::array(tags.map(Value::String)));
        set("virtual", Value::Boolean(resource.is_virtual));
        // Those of agents have a key of their own for it.
        set("has_name", Value::Boolean(!matches!(resource.kind, Kind::Native(_))));
        Value::hash(hash)
    }
}

fn parameters<'p>(parameters: impl IntoIterator<Item = &'p Parameter>) -> Value {
    let mut hash = Hash::new();
    for parameter in parameters {
        hash.insert(Value::string(parameter.name.as_str()), parameter.value.clone());
    }
    Value::hash(hash)
}
