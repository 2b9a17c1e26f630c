//! Merge strategies for values from several levels.

mod deep;

use std::sync::Arc;

use kukla_pcore::types::{self, mismatch};
use kukla_pcore::{Hash, Type, Value, ruby};

use crate::Fault;
use crate::trace::Change;

/// A strategy with its options.
#[derive(Clone, Debug)]
pub struct Merge {
    kind: Kind,
    options: Option<Arc<Hash>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Default,
    First,
    Unique,
    Hash,
    Deep,
    UnconstrainedDeep,
    ReverseDeep,
}

const KINDS: &[(&str, Kind)] = &[
    ("first", Kind::First),
    ("default", Kind::Default),
    ("hash", Kind::Hash),
    ("unique", Kind::Unique),
    ("deep", Kind::Deep),
    ("unconstrained_deep", Kind::UnconstrainedDeep),
    ("reverse_deep", Kind::ReverseDeep),
];

impl Merge {
    pub(crate) const DEFAULT: Self = Self { kind: Kind::Default, options: None };
    pub(crate) const FIRST: Self = Self { kind: Kind::First, options: None };
    pub(crate) const HASH: Self = Self { kind: Kind::Hash, options: None };

    /// Returns the strategy that `merge` of a call or of `lookup_options` names.
    pub fn new(merge: Option<&Value>) -> Result<Self, Fault> {
        let (name, options) = match merge {
            None | Some(Value::Undef | Value::Boolean(false)) => return Ok(Self::DEFAULT),
            Some(Value::Hash(hash)) => match hash.get_str("strategy") {
                None | Some(Value::Undef) => {
                    return Err(Fault::other(
                        "The hash given as 'merge' must contain the name of a strategy in string form for the key 'strategy'",
                    ));
                }
                Some(name) => (name, (hash.len() > 1).then(|| Arc::clone(hash))),
            },
            Some(name) => (name, None),
        };
        let kind = name.as_str().and_then(|name| KINDS.iter().find(|(other, _)| *other == name));
        let Some((_, kind)) = kind else {
            let shown = ruby::to_s(name);
            return Err(Fault::other(format!("Unknown merge strategy: '{shown}'")));
        };
        let kind = match (kind, &options) {
            // Puppet has no instance of it without options.
            (Kind::UnconstrainedDeep, None) => Kind::Deep,
            (kind, _) => *kind,
        };
        let strategy = Self { kind, options };
        strategy.check_options()?;
        Ok(strategy)
    }

    /// Returns a deep merge of version 3, whose options are not checked.
    pub(crate) const fn of_version_3(kind: Kind, options: Arc<Hash>) -> Self {
        Self { kind, options: Some(options) }
    }

    pub(crate) const fn kind(&self) -> Kind {
        self.kind
    }

    /// Returns the name of the strategy.
    pub fn name(&self) -> &'static str {
        KINDS.iter().find(|(_, kind)| *kind == self.kind).map_or("default", |(name, _)| name)
    }

    pub(crate) fn options(&self) -> Option<&Arc<Hash>> {
        self.options.as_ref()
    }

    /// Whether the first value ends the search.
    pub(crate) const fn is_first_found(&self) -> bool {
        matches!(self.kind, Kind::Default | Kind::First)
    }

    fn check_options(&self) -> Result<(), Fault> {
        let Some(options) = &self.options else { return Ok(()) };
        let text = match self.kind {
            Kind::Deep => {
                "Struct[{strategy=>Optional[Pattern[deep]],knockout_prefix=>Optional[String],merge_debug=>Optional[Boolean],merge_hash_arrays=>Optional[Boolean],sort_merged_arrays=>Optional[Boolean]}]".to_owned()
            }
            Kind::UnconstrainedDeep | Kind::ReverseDeep => "Hash[String[1],Any]".to_owned(),
            _ => format!("Struct[{{strategy=>Optional[Pattern[/{}/]]}}]", self.name()),
        };
        assert_type("The merge options", &text, &Value::Hash(Arc::clone(options)))
    }

    /// Converts a value that has no other value to merge with.
    pub(crate) fn single(&self, value: Value) -> Value {
        match (self.kind, value) {
            (Kind::Unique, Value::Array(items)) => Value::array(unique(items)),
            (_, value) => value,
        }
    }

    /// Converts the first of several values.
    pub(crate) fn first(&self, value: Value) -> Value {
        match (self.kind, value) {
            (Kind::Unique, value) => Value::array(flattened(value)),
            (_, value) => value,
        }
    }

    /// Merges the value so far with one of lower priority.
    ///
    /// Adds arrays of the first value that were modified to `changes`.
    pub(crate) fn merge(
        &self,
        found: Value,
        lower: Value,
        changes: &mut Vec<Change>,
    ) -> Result<Value, Fault> {
        match self.kind {
            Kind::Default | Kind::First => Ok(found),
            Kind::Hash => {
                check_both("Hash[String,Data]", &found, &lower)?;
                Ok(merge_hashes(found, lower))
            }
            Kind::Unique => {
                check_both("Variant[Scalar,Array[Data]]", &found, &lower)?;
                let all = flattened(found).into_iter().chain(flattened(lower));
                Ok(Value::array(unique(all)))
            }
            Kind::Deep | Kind::UnconstrainedDeep => self.deep(found, lower, changes),
            Kind::ReverseDeep => self.deep(lower, found, changes),
        }
    }

    fn deep(
        &self,
        source: Value,
        destination: Value,
        changes: &mut Vec<Change>,
    ) -> Result<Value, Fault> {
        let options = deep::Options::new(self.options.as_deref())?;
        deep::merge(source, destination, &options, changes)
    }
}

fn merge_hashes(found: Value, lower: Value) -> Value {
    let (Value::Hash(found), Value::Hash(mut lower)) = (found, lower) else {
        return Value::Undef;
    };
    let merged = Arc::make_mut(&mut lower);
    merged.extend(found.iter().map(|(key, value)| (key.clone(), value.clone())));
    Value::Hash(lower)
}

fn check_both(type_: &str, found: &Value, lower: &Value) -> Result<(), Fault> {
    assert_type("The first element of the merge", type_, found)?;
    assert_type("The second element of the merge", type_, lower)
}

/// Fails if a value does not match a type given as text.
pub(crate) fn assert_type(subject: &str, type_: &str, value: &Value) -> Result<(), Fault> {
    mismatch::assert_instance(subject, &built_in(type_), value).map_err(Fault::puppet)
}

/// Parses a type that only has built-in names.
pub(crate) fn built_in(text: &str) -> Type {
    types::parse(text, &types::NoNames).unwrap_or(Type::Any)
}

/// Flattens nested arrays; any other value becomes an array of one.
fn flattened(value: Value) -> Vec<Value> {
    fn add(items: impl IntoIterator<Item = Value>, out: &mut Vec<Value>) {
        for item in items {
            match item {
                Value::Array(inner) => stacker::maybe_grow(32 << 10, 1 << 20, || add(inner, out)),
                other => out.push(other),
            }
        }
    }
    let mut out = Vec::new();
    add([value], &mut out);
    out
}

/// Removes duplicates; `1` and `1.0` are different.
pub(crate) fn unique(values: impl IntoIterator<Item = Value>) -> Vec<Value> {
    let mut seen = Hash::new();
    for value in values {
        seen.insert(value, Value::Undef);
    }
    seen.into_iter().map(|(value, _)| value).collect()
}
