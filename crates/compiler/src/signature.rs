//! What a function written in Rust accepts.

use kukla_base::Symbol;
use kukla_pcore::types::{self, CallableType, NoNames};
use kukla_pcore::{Type, Value};

use crate::call::{BlockParameter, Parameter, Parameters};
use crate::{Eval, Signature, fault};

/// Reads a signature: see [`Signature`] for how it is written.
pub(crate) fn parameters(signature: &Signature) -> Parameters {
    let mut read = Parameters {
        list: Vec::new(),
        min: 0,
        max: Some(0),
        block: None,
        returns: signature.returns.map(type_),
        is_plain: false,
    };
    for part in parts(signature.accepts) {
        let (text, name) = part.rsplit_once(' ').unwrap_or(("Any", part));
        let type_ = type_(text);
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

fn type_(text: &str) -> Type {
    types::parse(text, &NoNames).unwrap_or_else(|_| panic!("signatures are well-formed: {text}"))
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
pub(crate) fn accepts(
    parameters: &Parameters,
    arguments: &[Value],
    block: Option<&CallableType>,
) -> bool {
    let n = arguments.len();
    if n < parameters.min || parameters.max.is_some_and(|max| n > max) {
        return false;
    }
    let block_fits = match (&parameters.block, block) {
        (None, None) => true,
        (Some(wanted), None) => wanted.is_optional,
        (None, Some(_)) => false,
        (Some(wanted), Some(given)) => {
            wanted.type_.is_assignable(&Type::Callable(given.clone().into()))
        }
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

/// What a function of the old kind gets for an argument.
pub(crate) fn untyped_argument(value: &Value) -> Value {
    match value {
        Value::Undef => Value::from(""),
        other => other.clone(),
    }
}

/// Whether a function of the old kind takes that many arguments.
pub(crate) fn check_arity(name: &str, arity: i32, n: usize) -> Eval<()> {
    let wanted = usize::try_from(arity.unsigned_abs()).unwrap_or(0);
    if arity >= 0 && n != wanted {
        return fault(format!("{name}(): Wrong number of arguments given ({n} for {wanted})"));
    }
    if arity < 0 && n < wanted - 1 {
        let least = wanted - 1;
        return fault(format!(
            "{name}(): Wrong number of arguments given ({n} for minimum {least})"
        ));
    }
    Ok(())
}
