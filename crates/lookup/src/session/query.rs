//! Queries and their results.

use std::rc::Rc;

use ecow::EcoString;
use kukla_pcore::types::mismatch;
use kukla_pcore::{Hash, Type, Value};

use crate::run::Run;
use crate::trace::Origin;
use crate::{Fault, Miss, Search};

/// A lookup with its options.
#[derive(Clone, Debug)]
pub struct Query<'a> {
    /// The names; the first that has a value counts.
    pub names: &'a [EcoString],
    /// The required type of the value.
    pub type_: Option<&'a Type>,
    /// The merge strategy; without it, `lookup_options` of the data apply.
    pub merge: Option<&'a Value>,
    /// The value to use if there is none.
    pub default: Option<Value>,
    /// Values that take precedence over all data.
    pub overrides: Option<Rc<Hash>>,
    /// Values that take precedence over the default.
    pub default_values: Option<Rc<Hash>>,
    /// Set for `hiera` and its relatives: paths that come first in hierarchies of version 3.
    pub hiera: Option<Rc<[EcoString]>>,
}

impl<'a> Query<'a> {
    /// Creates a query for the first of some names.
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

    /// Checks the type of the value; the message does not show a secret.
    fn check_found(&self, found: &FoundValue) -> Result<(), Fault> {
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

/// A value and its origins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundValue {
    /// The value.
    pub value: Value,
    /// The origins, the one of highest priority first; none for a default.
    pub origins: Vec<Origin>,
    /// Whether it is or contains a secret: encrypted data, or data converted to `Sensitive`.
    pub is_secret: bool,
}

impl FoundValue {
    /// Creates a value without an origin.
    const fn without_origin(value: Value) -> Self {
        Self { value, origins: Vec::new(), is_secret: false }
    }
}

/// A value of a key, maybe shadowed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// Its origin.
    pub origin: Origin,
    /// The value.
    pub value: Value,
    /// Whether it is a secret.
    pub is_secret: bool,
}

/// A use of secret or restricted data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataUse {
    /// The key.
    pub key: EcoString,
    /// The reason why it is reported.
    pub kind: UseKind,
    /// The origins of the values; for a denial, the rule.
    pub origins: Vec<Origin>,
}

/// A successful lookup.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataRead {
    /// The key.
    pub key: EcoString,
    /// The origins of the values.
    pub origins: Vec<Origin>,
}

/// Reason why a use of data is reported.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum UseKind {
    /// A secret was used.
    Secret,
    /// Data restricted to some nodes was used.
    Restricted,
    /// Data restricted to other nodes was requested.
    Denied,
}

impl Run<'_> {
    pub(super) fn searched(
        &mut self,
        name: &EcoString,
        merge: Option<&Value>,
    ) -> Search<FoundValue> {
        let value = self.search(name, merge)?;
        let origins = self.invocation.origins.take();
        Ok(FoundValue { value, origins, is_secret: self.invocation.is_secret.get() })
    }

    /// Looks names up in order, then in the default values; falls back to the default.
    pub(crate) fn query(&mut self, query: &Query<'_>) -> Search<Option<FoundValue>> {
        let overrides = self.invocation.overrides.clone();
        for name in query.names {
            if let Some(value) = overrides.as_ref().and_then(|hash| hash.get_str(name)) {
                let subject = format!("Value found for key '{name}' in override hash");
                query.check(&subject, value)?;
                query.check("Found value", value)?;
                return Ok(Some(FoundValue::without_origin(value.clone())));
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
                return Ok(Some(FoundValue::without_origin(value.clone())));
            }
        }
        match &query.default {
            Some(value) => {
                query.check("Default value", value)?;
                Ok(Some(FoundValue::without_origin(value.clone())))
            }
            None => Ok(None),
        }
    }
}

/// Returns the error of `lookup()` without a value or default.
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
