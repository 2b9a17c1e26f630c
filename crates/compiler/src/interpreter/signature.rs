//! The signatures of functions written in Rust.

use kukla_base::Symbol;
use kukla_base::cancel::walk;
use std::sync::{Arc, OnceLock};

use kukla_pcore::types::{self, Names, TypeAlias};
use kukla_pcore::value::Rare;
use kukla_pcore::{Hash, Type, Value, ruby};

use super::{BlockParameter, Parameter, Parameters};
use crate::function::LocalType;
use crate::{Eval, Signature, fault};

/// Reads the signatures of a function: see [`Signature`] for how they are written.
///
/// Its module may have types of its own, which `others` knows.
pub(crate) fn read(
    signatures: &[Signature],
    local: &[LocalType],
    others: &dyn Names,
) -> Vec<Parameters> {
    let local_types = local.iter().map(|alias| Arc::new(TypeAlias::new(alias.name))).collect();
    let names = LocalNames { local: local_types, others };
    for (alias, local) in names.local.iter().zip(local) {
        let resolved = alias.resolve(&type_(local.type_, &names));
        debug_assert!(resolved.is_ok(), "local types are well-formed: {}", local.type_);
    }
    signatures.iter().map(|signature| parameters(signature, &names)).collect()
}

/// Names for types that only one function knows, and those that everybody does.
struct LocalNames<'a> {
    local: Vec<Arc<TypeAlias>>,
    others: &'a dyn Names,
}

impl Names for LocalNames<'_> {
    fn find(&self, name: &str) -> Option<Type> {
        let Some(alias) = self.local.iter().find(|alias| alias.name.eq_ignore_ascii_case(name))
        else {
            return self.others.find(name);
        };
        match alias.resolved() {
            // An Object type has that name itself.
            Some(object @ Type::Object(_)) => Some(object.clone()),
            _ => Some(Type::Alias(Arc::clone(alias))),
        }
    }
}

fn parameters(signature: &Signature, names: &LocalNames<'_>) -> Parameters {
    let mut read = Parameters {
        list: Vec::new(),
        min: 0,
        max: Some(0),
        block: None,
        returns: signature.returns.map(|returns| type_(returns, names)),
        is_plain: false,
        as_type: OnceLock::new(),
        numbers: OnceLock::new(),
        constants: OnceLock::new(),
    };
    for part in parts(signature.accepts) {
        let (text, name) = part.rsplit_once(' ').unwrap_or(("Any", part));
        let type_ = type_(text, names);
        let is_optional = name.ends_with('?');
        let bare = name.trim_matches(['?', '*', '+', '&']);
        let name_symbol = Symbol::new(bare);
        if name.starts_with('&') {
            read.block = Some(BlockParameter { name: name_symbol, type_, is_optional });
            continue;
        }
        let captures_rest = name.starts_with(['*', '+']);
        read.min += usize::from(!is_optional && !name.starts_with('*'));
        read.max = if captures_rest { None } else { read.max.map(|max| max + 1) };
        read.list.push(Parameter {
            name: name_symbol,
            type_: Some(type_),
            default: None,
            captures_rest,
            at: None,
        });
    }
    read
}

fn type_(text: &str, names: &LocalNames<'_>) -> Type {
    types::parse(text, names).unwrap_or_else(|_| panic!("signatures are well-formed: {text}"))
}

/// The parts between commas that are not in brackets.
fn parts(accepts: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, byte) in accepts.bytes().enumerate() {
        match byte {
            b'[' | b'{' | b'(' => depth += 1,
            b']' | b'}' | b')' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(accepts[start..at].trim());
                start = at + 1;
            }
            _ => (),
        }
    }
    parts.push(accepts[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Whether a signature takes these arguments and this block.
pub(crate) fn accepts(parameters: &Parameters, arguments: &[Value], block: Option<&Type>) -> bool {
    let n = arguments.len();
    if n < parameters.min || parameters.max.is_some_and(|max| n > max) {
        return false;
    }
    let block_fits = match (&parameters.block, block) {
        (None, None) => true,
        (Some(wanted), None) => wanted.is_optional,
        (None, Some(_)) => false,
        (Some(wanted), Some(given)) => wanted.type_.is_assignable(given),
    };
    block_fits
        && arguments.iter().enumerate().all(|(n, argument)| {
            let parameter = parameters.list.get(n).or(parameters.list.last());
            match parameter.and_then(|parameter| parameter.type_.as_ref()) {
                None | Some(Type::Any) => true,
                Some(type_) => type_.is_instance(argument),
            }
        })
}

/// Converts an argument for a function of the old kind, which knows few kinds of values.
pub(crate) fn untyped_argument(value: &Value) -> Eval<Value> {
    match value {
        Value::Undef => Ok(Value::from("")),
        other => nested(other),
    }
}

/// Converts an argument for a function of the old kind that has no value: copies of arguments can't be seen there.
pub(crate) fn untyped_statement_argument(value: &Value) -> Eval<Value> {
    match is_kept(value, 8) {
        true => Ok(value.clone()),
        false => untyped_argument(value),
    }
}

/// Whether a function of the old kind gets a value as it is, and that can be told within some levels.
fn is_kept(value: &Value, levels: u32) -> bool {
    match value {
        Value::Array(values) => levels > 0 && values.iter().all(|v| is_kept_inside(v, levels - 1)),
        Value::Hash(hash) => {
            let is_kept = |value| is_kept_inside(value, levels - 1);
            levels > 0 && hash.iter().all(|(key, value)| is_kept(key) && is_kept(value))
        }
        Value::String(_) | Value::Integer(_) | Value::Boolean(_) | Value::Float(_) => true,
        _ => false,
    }
}

/// Inside of others `undef` stays what it is.
fn is_kept_inside(value: &Value, levels: u32) -> bool {
    value.is_undef() || is_kept(value, levels)
}

/// Values may be nested deeper than the stack is.
fn nested(value: &Value) -> Eval<Value> {
    match value {
        Value::Array(_) | Value::Hash(_) => walk(Ok(Value::Undef), || untyped(value)),
        single => untyped(single),
    }
}

fn untyped(value: &Value) -> Eval<Value> {
    match value {
        Value::Regexp(regex) => Ok(Value::from(regex.inspect())),
        Value::Binary(_) | Value::Timespan(_) | Value::Timestamp(_) => {
            Ok(Value::from(ruby::to_s(value)))
        }
        Value::Rare(rare) => match &**rare {
            Rare::Iterator(_) => fault(crate::issues::iterator_not_supported()),
            Rare::SemVer(_) | Rare::SemVerRange(_) => Ok(Value::from(ruby::to_s(value))),
            Rare::Object(_) | Rare::Uri(_) => Ok(value.clone()),
        },
        Value::Array(values) if !values.iter().all(is_plain) => {
            let values: Eval<Vec<Value>> = values.iter().map(nested).collect();
            Ok(Value::array(values?))
        }
        Value::Hash(hash) => {
            let entries = hash.iter().map(|(key, value)| Ok((nested(key)?, nested(value)?)));
            Ok(Value::hash(entries.collect::<Eval<Hash>>()?))
        }
        _ => Ok(value.clone()),
    }
}

const fn is_plain(value: &Value) -> bool {
    matches!(value, Value::String(_) | Value::Integer(_) | Value::Boolean(_) | Value::Undef)
}

/// Whether a function of the old kind takes that many arguments.
pub(crate) fn check_arity(name: &str, arity: i32, n: usize) -> Eval<()> {
    let wanted = usize::try_from(arity.unsigned_abs()).unwrap_or(0);
    if arity >= 0 && n != wanted {
        return fault(crate::issues::wrong_number_of_arguments(name, n, wanted));
    }
    if arity < 0 && n < wanted - 1 {
        return fault(crate::issues::too_few_arguments(name, n, wanted - 1));
    }
    Ok(())
}
