//! Conversion from data to values.

use kukla_base::cancel::walk;
use std::collections::HashMap;
use std::sync::Arc;

use ecow::EcoString;

use super::issue::DataError;
use super::{MAX_DEPTH, TYPE_KEY, VALUE_KEY, from_types, path};
use crate::convert::{Convert, new_instance};
use crate::types::access::ruby_class;
use crate::types::{named, parse};
use crate::{Hash, Type, Value};

/// Converts data to a value. Data that stands for nothing else, such as most facts, is shared and not copied.
pub fn from_data(data: &Value, convert: &Convert<'_>) -> Result<Value, DataError> {
    if is_plain(data, 0) {
        return Ok(data.clone());
    }
    let mut reader = DataReader { root: data, convert, targets: HashMap::new(), depth: 0 };
    reader.value(data)
}

/// Returns true if no hash within a value has a type's name, and the value is not nested too deeply.
fn is_plain(data: &Value, depth: usize) -> bool {
    let is_plain = |value: &Value| is_plain(value, depth + 1);
    match data {
        Value::Array(_) | Value::Hash(_) if depth >= MAX_DEPTH => false,
        Value::Array(values) => walk(false, || values.iter().all(is_plain)),
        Value::Hash(hash) => walk(false, || {
            hash.get_str(TYPE_KEY).is_none() && hash.iter().all(|(_, value)| is_plain(value))
        }),
        _ => true,
    }
}

/// The state of a conversion.
struct DataReader<'a> {
    root: &'a Value,
    convert: &'a Convert<'a>,
    /// The targets of references; `None` during their conversion.
    targets: HashMap<EcoString, Option<Value>>,
    depth: usize,
}

impl DataReader<'_> {
    fn value(&mut self, data: &Value) -> Result<Value, DataError> {
        if self.depth >= MAX_DEPTH {
            return Err(DataError::TooDeep);
        }
        self.depth += 1;
        let value = walk(Err(DataError::TooDeep), || match data {
            Value::Array(values) => self.array(values),
            Value::Hash(hash) => match hash.get_str(TYPE_KEY) {
                Some(Value::String(name)) => self.tagged(name, hash),
                Some(Value::Hash(type_)) => self.of_type_hash(type_, hash),
                _ => self.hash(hash),
            },
            other => Ok(other.clone()),
        });
        self.depth -= 1;
        value
    }

    fn array(&mut self, values: &[Value]) -> Result<Value, DataError> {
        let values: Result<_, _> = values.iter().map(|value| self.value(value)).collect();
        values.map(Value::Array)
    }

    fn hash(&mut self, hash: &Hash) -> Result<Value, DataError> {
        let entries = hash.iter().map(|(key, value)| Ok((key.clone(), self.value(value)?)));
        Ok(entries.collect::<Result<Hash, DataError>>()?.into())
    }

    /// Converts a hash with a type's name.
    fn tagged(&mut self, name: &EcoString, hash: &Hash) -> Result<Value, DataError> {
        let value = hash.get_str(VALUE_KEY);
        match (name.as_str(), value) {
            ("Hash", Some(Value::Array(pairs))) => self.pairs(pairs),
            ("Sensitive", value) => {
                let inner = self.value(value.unwrap_or(&Value::Undef))?;
                Ok(Value::Sensitive(Arc::new(inner)))
            }
            ("Default", _) => Ok(Value::Default),
            ("Symbol", value) => Ok(value.cloned().unwrap_or_default()),
            ("LocalRef", Some(Value::String(path))) => self.reference(path),
            _ => match name.strip_prefix("Pcore::") {
                Some(kind) => self.type_(name, kind, hash),
                None => self.of_type_name(name, hash),
            },
        }
    }

    fn pairs(&mut self, pairs: &[Value]) -> Result<Value, DataError> {
        let mut hash = Hash::new();
        for pair in pairs.chunks(2) {
            let key = self.value(&pair[0])?;
            let value = self.value(pair.get(1).unwrap_or(&Value::Undef))?;
            hash.insert(key, value);
        }
        Ok(hash.into())
    }

    fn type_(&mut self, name: &str, kind: &str, hash: &Hash) -> Result<Value, DataError> {
        if let Some(type_) = self.type_by_name(kind, hash) {
            return Ok(type_.into());
        }
        let parts = self.attributes(hash)?;
        match from_types::type_(kind, &parts, self.convert)? {
            Some(value) => Ok(value),
            None => Err(unknown(name)),
        }
    }

    /// Finds a type by its name, which may contain itself.
    fn type_by_name(&self, kind: &str, hash: &Hash) -> Option<Type> {
        let name = match (kind, hash.get_str("_pcore_init_hash")) {
            ("TypeAliasType", _) => hash.get_str("name"),
            ("ObjectType", Some(Value::Hash(init))) => init.get_str("name"),
            _ => None,
        };
        let name = name?.as_str()?;
        named(name).or_else(|| self.convert.names.find(name))
    }

    fn of_type_name(&mut self, name: &str, hash: &Hash) -> Result<Value, DataError> {
        let type_ = parse(name, self.convert.names)
            .map_err(|error| DataError::Refused(error.to_string()))?;
        match type_ {
            Type::Reference(_) => Err(unknown(name)),
            type_ => self.instance(&type_, hash),
        }
    }

    /// Converts a hash with the type as data.
    fn of_type_hash(&mut self, type_: &Arc<Hash>, hash: &Hash) -> Result<Value, DataError> {
        match self.value(&Value::Hash(type_.clone()))? {
            Value::Type(type_) => self.instance(&type_, hash),
            other => {
                let text = crate::interpolate::text(&other);
                Err(DataError::Refused(format!("Unable to deserialize type from {text}")))
            }
        }
    }

    /// Creates an instance of a type: from its attributes, or from a text.
    fn instance(&mut self, type_: &Type, hash: &Hash) -> Result<Value, DataError> {
        let arguments = match hash.get_str(VALUE_KEY) {
            None if hash.len() == 1 => vec![],
            None => vec![self.attributes(hash)?.into()],
            Some(value @ (Value::String(_) | Value::Hash(_))) => vec![self.value(value)?],
            Some(other) => {
                let (name, class) = (type_.simple_name(), ruby_class(other));
                return Err(DataError::Refused(format!("Cannot create a {name} from a {class}")));
            }
        };
        let instance = new_instance(self.convert, type_, &arguments);
        instance.map_err(|error| DataError::Refused(error.to_string()))
    }

    fn attributes(&mut self, hash: &Hash) -> Result<Hash, DataError> {
        let entries = hash.iter().filter(|(key, _)| key.as_str() != Some(TYPE_KEY));
        entries.map(|(key, value)| Ok((key.clone(), self.value(value)?))).collect()
    }

    /// Resolves a path from the root; each only once.
    fn reference(&mut self, text: &EcoString) -> Result<Value, DataError> {
        match self.targets.get(text) {
            Some(Some(value)) => return Ok(value.clone()),
            Some(None) => return Err(DataError::Refused(format!("\"{text}\" leads to itself"))),
            None => (),
        }
        self.targets.insert(text.clone(), None);
        let path = path::parse(text);
        let path =
            path.ok_or_else(|| DataError::Refused(format!("Unable to parse jsonpath \"{text}\"")))?;
        let value = match self.follow(&path) {
            Some(data) => self.value(&data)?,
            None => Value::Undef,
        };
        self.targets.insert(text.clone(), Some(value.clone()));
        Ok(value)
    }

    fn follow(&self, path: &[Value]) -> Option<Value> {
        let mut node = self.root;
        for segment in path {
            node = step(node, segment)?;
        }
        Some(node.clone())
    }
}

/// Takes one step of a path through data.
fn step<'a>(node: &'a Value, segment: &Value) -> Option<&'a Value> {
    match (node, segment) {
        (Value::Array(values), Value::Integer(index)) => values.get(usize::try_from(*index).ok()?),
        (Value::Hash(hash), segment) => match (hash.get_str(TYPE_KEY), hash.get_str(VALUE_KEY)) {
            (Some(Value::String(name)), Some(Value::Array(pairs))) if name == "Hash" => {
                pairs.chunks(2).find(|pair| pair[0] == *segment)?.get(1)
            }
            _ => hash.get(segment),
        },
        _ => None,
    }
}

fn unknown(name: &str) -> DataError {
    DataError::Refused(format!("No implementation mapping found for Puppet Type {name}"))
}
