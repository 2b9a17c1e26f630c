//! The command `replace facts`.

use serde_json::{Map, Value};

use super::Fields;
use crate::CommandError;

/// The facts of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// The environment that its agent asked for.
    pub environment: Option<String>,
    /// The server.
    pub producer: Option<String>,
    /// The facts, with the trusted data as `trusted`.
    pub values: Map<String, Value>,
    /// The packages that are installed, if the node names them.
    pub packages: Option<Vec<Package>>,
}

/// A package that is installed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Who installed it: `apt`, `gem`.
    pub provider: String,
}

impl Facts {
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, CommandError> {
        let values = fields.object("values")?.ok_or_else(|| fields.wrong("values", "an object"))?;
        if values.keys().any(|name| name.len() > 1000) {
            return Err(fields.wrong("values", "names of at most 1000 bytes"));
        }
        let packages = match fields.get("package_inventory") {
            None => None,
            Some(_) => Some(packages(fields)?),
        };
        Ok(Self {
            environment: fields.name("environment")?,
            producer: fields.name("producer")?,
            values: values.clone(),
            packages,
        })
    }
}

fn packages(fields: &Fields<'_>) -> Result<Vec<Package>, CommandError> {
    let expected = "arrays of name, version and provider";
    let package = |entry: &Value| {
        let parts: Vec<&str> =
            entry.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        match parts[..] {
            [name, version, provider] => Ok(Package {
                name: name.to_owned(),
                version: version.to_owned(),
                provider: provider.to_owned(),
            }),
            _ => Err(fields.wrong("package_inventory", expected)),
        }
    };
    fields.list("package_inventory")?.iter().map(package).collect()
}
