//! Conversion from values to data.

use kukla_base::cancel::walk;
use std::collections::HashMap;
use std::sync::Arc;

use ecow::EcoString;

use super::issue::{DataError, DataLoss};
use super::{MAX_DEPTH, TYPE_KEY, VALUE_KEY, path};
use crate::interpolate::text;
use crate::types::access::ruby_class;
use crate::value::{Object, Rare};
use crate::{ByteTexts, Hash, Type, Value};

/// Options of the conversion to data.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// Converts values that are not data to hashes that name their type; otherwise to strings.
    pub rich_data: bool,
    /// Refers to values that occurred before instead of repeating them.
    pub local_references: bool,
    /// The text before paths in messages.
    pub prefix: &'a str,
    /// The texts that hold bytes, which are Binary in rich data.
    pub byte_texts: Option<&'a ByteTexts>,
}

impl Default for Options<'_> {
    /// Returns Puppet's options for rich data.
    fn default() -> Self {
        Self { rich_data: true, local_references: true, prefix: "", byte_texts: None }
    }
}

/// Converts a value to data; `report` is called for each loss, and may stop the conversion.
pub fn to_data(
    value: &Value,
    options: &Options<'_>,
    report: &mut dyn FnMut(&DataLoss) -> Result<(), DataError>,
) -> Result<Value, DataError> {
    let mut converter = Converter {
        options,
        report,
        path: Vec::new(),
        first_paths: HashMap::new(),
        active: Vec::new(),
    };
    converter.convert(value)
}

/// The state of a conversion.
pub(super) struct Converter<'a> {
    pub(super) options: &'a Options<'a>,
    report: &'a mut dyn FnMut(&DataLoss) -> Result<(), DataError>,
    path: Vec<Value>,
    /// The path of the first occurrence of values. The values are kept alive, so that their addresses stay unique.
    first_paths: HashMap<Identity, (Vec<Value>, Value)>,
    /// Types that are being written, which may contain themselves.
    active: Vec<Identity>,
}

/// The identity of a value: its address, or the kind of a type without parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Identity {
    /// The address of shared content.
    Address(usize),
    /// A type that exists only once.
    Type(std::mem::Discriminant<Type>),
}

impl Converter<'_> {
    pub(super) fn convert(&mut self, value: &Value) -> Result<Value, DataError> {
        match value {
            Value::String(text) if self.holds_bytes(text) => {
                self.rich(&Value::Binary(text.as_bytes().into()))
            }
            Value::Undef
            | Value::Boolean(_)
            | Value::Integer(_)
            | Value::Float(_)
            | Value::String(_) => Ok(value.clone()),
            Value::Default => self.default(),
            Value::Array(values) => {
                let id = identity(values.as_ptr(), values.is_empty());
                self.once(id, value, |converter| converter.array(values))
            }
            Value::Hash(hash) => {
                let id = identity(Arc::as_ptr(hash), false);
                self.once(id, value, |converter| converter.hash(hash))
            }
            Value::Sensitive(inner) => {
                let id = identity(Arc::as_ptr(inner), false);
                self.once(id, value, |converter| {
                    let inner = converter.convert(inner)?;
                    Ok(tagged("Sensitive", Some(inner)))
                })
            }
            other if self.options.rich_data => self.rich(other),
            other => self.lost(other),
        }
    }

    fn holds_bytes(&self, text: &EcoString) -> bool {
        let Options { rich_data, byte_texts, .. } = self.options;
        *rich_data && byte_texts.is_some_and(|texts| texts.contains(text))
    }

    /// Converts values that are no data.
    fn rich(&mut self, value: &Value) -> Result<Value, DataError> {
        let name = match value {
            Value::Regexp(regex) => {
                return Ok(tagged(
                    "Regexp",
                    Some(crate::regexps::plain(regex).into_owned().into()),
                ));
            }
            Value::Type(type_) => return self.type_(value, type_),
            Value::Binary(_) => "Binary",
            Value::Timestamp(_) => "Timestamp",
            Value::Timespan(_) => "Timespan",
            Value::Rare(rare) => match &**rare {
                Rare::SemVer(_) => "SemVer",
                Rare::SemVerRange(_) => "SemVerRange",
                Rare::Uri(_) => "URI",
                Rare::Object(object) => {
                    let id = identity(Arc::as_ptr(rare), false);
                    return self.once(id, value, |converter| converter.object(object));
                }
                Rare::Iterator(_) => return self.lost(value),
            },
            other => return Ok(other.clone()),
        };
        Ok(tagged(name, Some(text(value).into())))
    }

    fn default(&mut self) -> Result<Value, DataError> {
        if self.options.rich_data {
            return Ok(tagged("Default", None));
        }
        let path = self.shown_path();
        (self.report)(&DataLoss::Default { path })?;
        Ok("default".into())
    }

    /// Converts a value to a string.
    fn lost(&mut self, value: &Value) -> Result<Value, DataError> {
        let (path, class, text) = (self.shown_path(), class_of(value), text(value));
        (self.report)(&DataLoss::Value { path, class, text: text.clone() })?;
        Ok(text.into())
    }

    fn array(&mut self, values: &[Value]) -> Result<Value, DataError> {
        let mut data = ecow::EcoVec::with_capacity(values.len());
        for (index, value) in (0..).zip(values) {
            data.push(self.below(Value::Integer(index), value)?);
        }
        Ok(Value::Array(data))
    }

    fn hash(&mut self, hash: &Hash) -> Result<Value, DataError> {
        let is_plain = hash.keys().all(|key| key.as_str().is_some_and(|key| key != TYPE_KEY));
        if !is_plain {
            return if self.options.rich_data {
                self.list_of_pairs(hash)
            } else {
                self.with_text_keys(hash)
            };
        }
        let mut data = Hash::with_capacity(hash.len());
        for (key, value) in hash.iter() {
            let value = self.below(key.clone(), value)?;
            data.insert(key.clone(), value);
        }
        Ok(data.into())
    }

    /// Converts a hash with keys that are no strings, which JSON can't hold.
    fn list_of_pairs(&mut self, hash: &Hash) -> Result<Value, DataError> {
        let mut pairs = ecow::EcoVec::with_capacity(2 * hash.len());
        for (key, value) in hash.iter() {
            let key = self.convert(key)?;
            pairs.push(key.clone());
            pairs.push(self.below(key, value)?);
        }
        Ok(tagged("Hash", Some(Value::Array(pairs))))
    }

    fn with_text_keys(&mut self, hash: &Hash) -> Result<Value, DataError> {
        let mut data = Hash::with_capacity(hash.len());
        for (key, value) in hash.iter() {
            let key = match key {
                Value::String(_) => key.clone(),
                other => self.lost_key(other)?,
            };
            let value = self.below(key.clone(), value)?;
            data.insert(key, value);
        }
        Ok(data.into())
    }

    fn lost_key(&mut self, key: &Value) -> Result<Value, DataError> {
        let (path, class, text) = (self.shown_path(), class_of(key), text(key));
        (self.report)(&DataLoss::Key { path, class, text: text.clone() })?;
        Ok(text.into())
    }

    /// Converts an object to attributes by name; those at the end that have their defaults are left out.
    fn object(&mut self, object: &Object) -> Result<Value, DataError> {
        let mut data = Hash::new();
        data.insert(TYPE_KEY.into(), object.type_.name.clone().unwrap_or_default().into());
        for (name, value) in object.arguments() {
            let value = self.below(name.into(), value)?;
            data.insert(name.into(), value);
        }
        Ok(data.into())
    }

    /// Converts a value one level down.
    pub(super) fn below(&mut self, key: Value, value: &Value) -> Result<Value, DataError> {
        self.step(key, |converter| converter.convert(value))
    }

    /// Runs `f` one level down.
    pub(super) fn step(
        &mut self,
        key: Value,
        convert: impl FnOnce(&mut Self) -> Result<Value, DataError>,
    ) -> Result<Value, DataError> {
        if self.path.len() >= MAX_DEPTH {
            return Err(DataError::TooDeep);
        }
        self.path.push(key);
        let data = walk(Err(DataError::TooDeep), || convert(self));
        self.path.pop();
        data
    }

    /// Converts the first occurrence of a value, and refers to it from then on.
    pub(super) fn once(
        &mut self,
        id: Option<Identity>,
        value: &Value,
        convert: impl FnOnce(&mut Self) -> Result<Value, DataError>,
    ) -> Result<Value, DataError> {
        let Some(id) = id.filter(|_| self.options.local_references) else { return convert(self) };
        match self.first_paths.get(&id).map(|(path, _)| path::to_text(path)) {
            Some(Some(path)) => Ok(tagged("LocalRef", Some(path.into()))),
            // There is no path to it, so it is repeated.
            Some(None) => convert(self),
            None => {
                self.first_paths.insert(id, (self.path.clone(), value.clone()));
                convert(self)
            }
        }
    }

    /// Refuses a value that contains itself, which only types can.
    pub(super) fn guarded(
        &mut self,
        id: Identity,
        convert: impl FnOnce(&mut Self) -> Result<Value, DataError>,
    ) -> Result<Value, DataError> {
        if self.active.contains(&id) {
            return Err(DataError::Refused(
                "Endless recursion detected when attempting to serialize value of class \
                 Puppet::Pops::Types::PTypeAliasType"
                    .into(),
            ));
        }
        self.active.push(id);
        let data = convert(self);
        self.active.pop();
        data
    }

    fn shown_path(&self) -> String {
        let path = path::to_text(&self.path).unwrap_or_else(|| "$".into());
        format!("{}{}", self.options.prefix, &path[1..])
    }
}

/// Returns `{"__ptype": name, "__pvalue": value}`.
pub(super) fn tagged(name: &str, value: Option<Value>) -> Value {
    let value = value.map(|value| (VALUE_KEY.into(), value));
    std::iter::once((TYPE_KEY.into(), name.into())).chain(value).collect::<Hash>().into()
}

/// Returns the identity; none for empty arrays, which share one address.
fn identity<T>(address: *const T, is_empty: bool) -> Option<Identity> {
    (!is_empty).then(|| Identity::Address(address.addr()))
}

/// Returns the class of a value in messages.
fn class_of(value: &Value) -> String {
    match value {
        Value::Type(type_) => format!("{}-Type", type_.simple_name()),
        Value::Rare(rare) => match &**rare {
            Rare::Object(object) => object.type_.name.clone().unwrap_or_default().into(),
            Rare::Uri(uri) => uri.class_name().into(),
            _ => ruby_class(value).into(),
        },
        other => ruby_class(other).into(),
    }
}
