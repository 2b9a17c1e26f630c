//! `Type[parameters]` in text, whose rules and messages differ from those in code.

use std::sync::Arc;

use kukla_syntax::ast::{Expr, ExprId};

use super::super::{InitType, IntegerRange, Type, define, factory, mismatch, times};
use super::{Interpreter, ParseError, Parsed, as_type};
use crate::Value;

impl Interpreter<'_> {
    pub(super) fn access(&self, expr: ExprId, left: ExprId, keys: Vec<Value>) -> Parsed<Type> {
        let Expr::QualifiedReference(name) = self.ast[left] else {
            return Err(self.invalid(Some(expr)));
        };
        let name = self.ast.text(name);
        let call = TextAccess { interpreter: self, expr, left, keys };
        match call.of_collection(&name.to_ascii_lowercase()) {
            Some(type_) => type_,
            None => match call.of_scalar(&name.to_ascii_lowercase()) {
                Some(type_) => type_,
                None => call.of_other(name),
            },
        }
    }
}

/// One `Type[parameters]`.
pub(super) struct TextAccess<'a> {
    pub(super) interpreter: &'a Interpreter<'a>,
    pub(super) expr: ExprId,
    left: ExprId,
    pub(super) keys: Vec<Value>,
}

impl TextAccess<'_> {
    fn of_collection(&self, name: &str) -> Option<Parsed<Type>> {
        Some(match name {
            "array" => self.array(),
            "hash" => self.hash(),
            "collection" => {
                self.sized("Collection").map(|size| Type::Collection(Some(size.to_size())))
            }
            "string" => self.sized("String").map(Type::string),
            "tuple" => self.tuple(),
            "struct" => self.structure(),
            "callable" => self.callable(),
            "variant" => self.variant(),
            "optional" => self.quotable("Optional").map(Type::optional),
            "notundef" => self.not_undef(),
            "sensitive" => match &self.keys[..] {
                [] => Ok(Type::Sensitive(None)),
                [key] => self.type_(key).map(|type_| Type::sensitive(&type_)),
                _ => self.wrong_number("Sensitive", "0 to 1"),
            },
            "type" => self.inner("Type").map(Type::meta),
            "iterable" => self.inner("Iterable").map(Type::iterable),
            "iterator" => self.inner("Iterator").map(|type_| Type::Iterator(Some(Arc::new(type_)))),
            "init" => self.init(),
            "class" => self.class(),
            "resource" => self.resource(),
            _ => return None,
        })
    }

    fn of_scalar(&self, name: &str) -> Option<Parsed<Type>> {
        let several = !self.keys.is_empty();
        Some(match name {
            "integer" => self.integer(),
            "float" => self.float(),
            "boolean" => self.boolean(),
            "enum" => self.enumeration(),
            "pattern" if several => factory::pattern(&self.keys).map_err(ParseError),
            "pattern" => self.wrong_number("Pattern", "1 or more"),
            "regexp" => self.regexp(),
            "semver" if several => factory::versions(&self.keys).map_err(ParseError),
            "semver" => self.wrong_number("SemVer", "1 or more"),
            "timestamp" if self.keys.len() <= 2 => times::timestamp(&self.keys).map_err(ParseError),
            "timestamp" => self.wrong_number("Timestamp", "0 to 2"),
            "timespan" if self.keys.len() <= 2 => times::timespan(&self.keys).map_err(ParseError),
            "timespan" => self.wrong_number("Timespan", "0 to 2"),
            "uri" => match &self.keys[..] {
                [key] => match factory::uri(key) {
                    Some(type_) => type_.map_err(ParseError),
                    None => Ok(Type::Uri(None)),
                },
                _ => self.wrong_number("URI", "1"),
            },
            "runtime" => match &self.keys[..] {
                [Value::String(runtime), name] => {
                    factory::runtime(runtime.clone(), name).map_err(ParseError)
                }
                [runtime, _] => {
                    let expected = Type::String(Some(IntegerRange::new(Some(1), None)));
                    let message = mismatch::assertion("Runtime 'runtime'", &expected, runtime);
                    Err(ParseError(message))
                }
                _ => self.wrong_number("Runtime", "2"),
            },
            "object" => match &self.keys[..] {
                [key] => self.interpreter.object(key),
                _ => self.wrong_number("Object", "1"),
            },
            "typeset" => match &self.keys[..] {
                [key] => define::type_set(key).map_err(|error| ParseError(error.into())),
                _ => self.wrong_number("Object", "1"),
            },
            "any" | "data" | "catalogentry" | "scalar" | "undef" | "numeric" | "default"
            | "semverrange" => self.not_parameterized(),
            _ => return None,
        })
    }

    /// Creates types of the environment.
    fn of_other(&self, name: &str) -> Parsed<Type> {
        let type_ = super::named::named(name).or_else(|| self.interpreter.names.find(name));
        match type_ {
            None => Ok(Type::Reference(self.interpreter.text_of(self.expr).into())),
            Some(Type::Resource(resource)) => match &self.keys[..] {
                [Value::String(title)] => {
                    Ok(Type::resource(resource.name.clone(), Some(title.clone())))
                }
                [_] => Err(self.interpreter.invalid(Some(self.expr))),
                _ => self.wrong_number(name, "1"),
            },
            Some(Type::Object(object)) => {
                define::extension(&object, &self.keys).map_err(|error| ParseError(error.into()))
            }
            Some(_) => self.not_parameterized(),
        }
    }

    pub(super) fn wrong_number<T>(&self, name: &str, required: &str) -> Parsed<T> {
        let given = self.keys.len();
        Err(ParseError(format!(
            "Invalid number of type parameters specified: {name} requires {required}, {given} provided"
        )))
    }

    fn not_parameterized<T>(&self) -> Parsed<T> {
        let text = self.interpreter.text_of(self.left);
        Err(ParseError(format!("Not a parameterized type <{text}>")))
    }

    fn type_(&self, value: &Value) -> Parsed<Type> {
        match as_type(value) {
            Some(type_) => Ok((**type_).clone()),
            None => Err(self.interpreter.invalid(Some(self.expr))),
        }
    }

    fn range(&self, from: &Value, to: &Value) -> Parsed<IntegerRange> {
        for limit in [from, to] {
            if !factory::is_range_parameter(limit) {
                return Err(self.interpreter.invalid(Some(self.expr)));
            }
        }
        factory::integer_range(from, to).map_err(ParseError)
    }

    /// Parses a size: an `Integer` type, or its lower limit.
    fn size(&self, value: &Value) -> Parsed<IntegerRange> {
        match as_type(value).map(|type_| &**type_) {
            Some(Type::Integer(range)) => Ok(*range),
            _ => self.range(value, &Value::Default),
        }
    }

    fn sized(&self, name: &str) -> Parsed<IntegerRange> {
        match &self.keys[..] {
            [size] => self.size(size),
            [from, to] => self.range(from, to),
            _ => self.wrong_number(name, "1 to 2"),
        }
    }

    fn array(&self) -> Parsed<Type> {
        match &self.keys[..] {
            [element] => Ok(Type::array(self.type_(element)?, None)),
            [element @ Value::Type(_), size] => {
                Ok(Type::array(self.type_(element)?, Some(self.size(size)?)))
            }
            // In text, a missing parameter is `default`, which is a type.
            [from, to] => Ok(Type::array(Type::Default, Some(self.range(from, to)?))),
            [element, from, to] => {
                Ok(Type::array(self.type_(element)?, Some(self.range(from, to)?)))
            }
            _ => self.wrong_number("Array", "1 to 3"),
        }
    }

    fn hash(&self) -> Parsed<Type> {
        match &self.keys[..] {
            [key @ Value::Type(_), value @ Value::Type(_)] => {
                Ok(Type::hash(self.type_(key)?, self.type_(value)?, None))
            }
            [from, to] => Ok(Type::hash(Type::Default, Type::Default, Some(self.range(from, to)?))),
            [key, value, size] => {
                let size = self.size(size)?;
                Ok(Type::hash(self.type_(key)?, self.type_(value)?, Some(size)))
            }
            [key, value, from, to] => {
                let size = self.range(from, to)?;
                Ok(Type::hash(self.type_(key)?, self.type_(value)?, Some(size)))
            }
            _ => self.wrong_number("Hash", "2 to 4"),
        }
    }

    fn tuple(&self) -> Parsed<Type> {
        if self.keys.is_empty() {
            return self.wrong_number("Tuple", "1 or more");
        }
        let mut keys = self.keys.clone();
        let is_range = |place: Option<usize>| {
            place.and_then(|place| self.keys.get(place)).is_some_and(factory::is_range_parameter)
        };
        let count = keys.len();
        if is_range(count.checked_sub(2)) && !is_range(count.checked_sub(1)) {
            return Err(self.interpreter.invalid(Some(self.expr)));
        }
        let size = factory::take_size(&mut keys).map_err(ParseError)?;
        Ok(Type::tuple(factory::types_of(&keys).map_err(ParseError)?, size))
    }

    fn structure(&self) -> Parsed<Type> {
        match &self.keys[..] {
            [Value::Hash(hash)] => factory::structure(hash).map_err(ParseError),
            [_] => Err(self.interpreter.invalid(Some(self.expr))),
            _ => self.wrong_number("Struct", "1"),
        }
    }

    fn callable(&self) -> Parsed<Type> {
        if matches!(&self.keys[..], [Value::Array(_), _, _, ..]) {
            return self.wrong_number("callable", "2 when first parameter is an array");
        }
        factory::callable(&self.keys).map_err(ParseError)
    }

    fn variant(&self) -> Parsed<Type> {
        if self.keys.is_empty() {
            return self.wrong_number("Variant", "1 or more");
        }
        let types = self.keys.iter().map(|key| self.type_(key)).collect::<Parsed<Vec<_>>>()?;
        Ok(Type::variant(types))
    }

    fn inner(&self, name: &str) -> Parsed<Type> {
        match &self.keys[..] {
            [key] => self.type_(key),
            _ => self.wrong_number(name, "1"),
        }
    }

    fn quotable(&self, name: &str) -> Parsed<Type> {
        match &self.keys[..] {
            [Value::String(text)] => Ok(Type::StringValue(text.clone())),
            _ => self.inner(name),
        }
    }

    fn not_undef(&self) -> Parsed<Type> {
        match self.keys.len() {
            0 => Ok(Type::NotUndef(None)),
            1 => self.quotable("NotUndef").map(Type::not_undef),
            _ => self.wrong_number("NotUndef", "0 to 1"),
        }
    }

    fn init(&self) -> Parsed<Type> {
        let (type_, arguments) = match self.keys.split_first() {
            Some((key, arguments)) => (self.type_(key)?, arguments.to_vec()),
            None => return Err(self.interpreter.invalid(Some(self.expr))),
        };
        Ok(Type::Init(Some(Arc::new(InitType::new(type_, arguments)))))
    }
}
