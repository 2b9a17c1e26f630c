//! What is asked, and what is found.

use std::rc::Rc;

use ecow::EcoString;
use kukla_pcore::types::mismatch;
use kukla_pcore::{Hash, Type, Value};

use crate::run::Run;
use crate::trace::Origin;
use crate::{Fault, Miss, Search};

/// What is looked up, and how.
#[derive(Clone, Debug)]
pub struct Query<'a> {
    /// The names, of which the first that is found counts.
    pub names: &'a [EcoString],
    /// The type that the value must have.
    pub type_: Option<&'a Type>,
    /// How values are merged; without it `lookup_options` of the data say.
    pub merge: Option<&'a Value>,
    /// What is the value if there is none.
    pub default: Option<Value>,
    /// Values that are taken before anything else.
    pub overrides: Option<Rc<Hash>>,
    /// Values that are taken before the default.
    pub default_values: Option<Rc<Hash>>,
    /// Set for `hiera` and its kin: paths that come first in hierarchies of version 3.
    pub hiera: Option<Rc<[EcoString]>>,
}

impl<'a> Query<'a> {
    /// The first of some names.
    pub const fn new(names: &'a [EcoString]) -> Self {
        Self {
            names,
            type_: None,
            merge: None,
            default: None,
            overrides: None,
            default_values: None,
            hiera: None,
        }
    }

    /// A message about a secret does not show it.
    fn check_found(&self, found: &Found) -> Result<(), Fault> {
        match (self.check("Found value", &found.value), self.type_) {
            (Err(fault), Some(type_)) if found.is_secret => Err(Fault {
                message: format!("Found value has wrong type, expects {}", type_.text()),
                ..fault
            }),
            (checked, _) => checked,
        }
    }

    fn check(&self, subject: &str, value: &Value) -> Result<(), Fault> {
        match self.type_ {
            Some(type_) => mismatch::assert_instance(subject, type_, value).map_err(Fault::puppet),
            None => Ok(()),
        }
    }
}

/// A value, and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The value.
    pub value: Value,
    /// The places it comes from, the one of highest priority first; none for a default.
    pub origins: Vec<Origin>,
    /// Whether it is a secret, or has one in it: something that was encrypted, or that is to be `Sensitive`.
    pub is_secret: bool,
}

impl Found {
    /// A value that stands in no file.
    const fn given(value: Value) -> Self {
        Self { value, origins: Vec::new(), is_secret: false }
    }
}

/// A value of a key, whether or not it counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// Where it stands.
    pub origin: Origin,
    /// The value.
    pub value: Value,
    /// Whether it is a secret.
    pub is_secret: bool,
}

/// A use of data that somebody may want to know of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Use {
    /// What was looked up.
    pub key: EcoString,
    /// Why it is worth noting.
    pub kind: UseKind,
    /// Where the values stand; if it was denied, the rule that says so.
    pub origins: Vec<Origin>,
}

/// A lookup that found something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Read {
    /// What was looked up.
    pub key: EcoString,
    /// Where the values stand.
    pub origins: Vec<Origin>,
}

/// Why a use of data is worth noting.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum UseKind {
    /// A secret was used.
    Secret,
    /// Something was used that is for some nodes only.
    Restricted,
    /// Something was asked for that is for other nodes.
    Denied,
}

impl Run<'_> {
    pub(super) fn searched(&mut self, name: &EcoString, merge: Option<&Value>) -> Search<Found> {
        let value = self.search(name, merge)?;
        let origins = self.invocation.origins.take();
        Ok(Found { value, origins, is_secret: self.invocation.is_secret.get() })
    }

    /// Looks names up one after the other, then in the default values; then there is the default.
    pub(crate) fn query(&mut self, query: &Query<'_>) -> Search<Option<Found>> {
        let overrides = self.invocation.overrides.clone();
        for name in query.names {
            if let Some(value) = overrides.as_ref().and_then(|hash| hash.get_str(name)) {
                let subject = format!("Value found for key '{name}' in override hash");
                query.check(&subject, value)?;
                query.check("Found value", value)?;
                return Ok(Some(Found::given(value.clone())));
            }
            match self.searched(name, query.merge) {
                Err(Miss::NotFound) => (),
                other => {
                    let found = other?;
                    query.check_found(&found)?;
                    return Ok(Some(found));
                }
            }
        }
        let defaults = self.invocation.defaults.clone();
        for name in query.names {
            if let Some(value) = defaults.as_ref().and_then(|hash| hash.get_str(name)) {
                let subject = format!("Value found for key '{name}' in default values hash");
                query.check(&subject, value)?;
                return Ok(Some(Found::given(value.clone())));
            }
        }
        match &query.default {
            Some(value) => {
                query.check("Default value", value)?;
                Ok(Some(Found::given(value.clone())))
            }
            None => Ok(None),
        }
    }
}

/// What `lookup()` says when there is no value and no default.
pub fn not_found(names: &[EcoString]) -> Fault {
    match names {
        [name] => {
            Fault::lookup(format!("Function lookup() did not find a value for the name '{name}'"))
        }
        names => {
            let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
            Fault::lookup(format!(
                "Function lookup() did not find a value for any of the names [{}]",
                quoted.join(", ")
            ))
        }
    }
}
