//! Names that resources have beside their titles.

use kukla_catalog::{Kind, Resource};
use kukla_compiler::Library as _;
use kukla_world::Record;

use crate::OpenEnvironment;

impl OpenEnvironment {
    /// Returns the value of the attribute that names a resource, if it differs from the title. PuppetDB's terminus adds it to
    /// the parameter `alias`, but for types that have several such attributes or allow two resources with one name.
    pub fn other_name<'a>(&self, resource: &'a Resource) -> Option<&'a str> {
        if resource.kind != Kind::CompilableType {
            return None;
        }
        let name = resource.type_.as_str().to_lowercase();
        let type_ = self.snapshot.resource_type(&name, &Record::default())?;
        if type_.key_attributes().len() != 1 || !type_.is_isomorphic() {
            return None;
        }
        let namevar = type_.namevar_symbol();
        let is_open = !resource.sensitive.contains(&namevar);
        let found = resource.parameters.iter().find(|(name, _)| *name == namevar && is_open)?;
        found.1.as_str().filter(|name| *name != resource.title)
    }
}
