//! `Init[type, arguments].new`: what `new` of another type does, with arguments that follow the first.

use super::{Convert, ConvertError, new_instance, parameter_tuples};
use crate::types::{InitType, IntegerRange, TupleType, infer_set};
use crate::{Type, Value};

/// `Init[type, arguments].new(value)`
pub(super) fn new(
    convert: &Convert<'_>,
    init: &InitType,
    arguments: &[Value],
) -> Result<Value, ConvertError> {
    let singles = single_types(init)?;
    let convert = convert.deeper()?;
    let [value] = arguments else {
        let names: &[&str] = &["value"];
        return Err(wrong_count(names, arguments));
    };
    match value {
        Value::Array(values)
            if init.arguments.is_empty() && !singles.iter().any(|single| single.is_instance(value)) =>
        {
            new_instance(&convert, &init.type_, values)
        }
        value => {
            let mut all = vec![value.clone()];
            all.extend_from_slice(&init.arguments);
            new_instance(&convert, &init.type_, &all)
        }
    }
}

fn wrong_count(names: &[&str], arguments: &[Value]) -> ConvertError {
    let got = match arguments.len() {
        0 => "none".to_owned(),
        n => n.to_string(),
    };
    let expected = names.len();
    ConvertError(format!("'new_Init' expects {expected} argument, got {got}"))
}

/// An `Init` takes one value.
pub(super) fn tuples(init: &InitType) -> Option<Vec<TupleType>> {
    single_types(init).ok()?;
    let any = TupleType { types: vec![Type::Any], size: None };
    Some(if init.arguments.is_empty() { vec![any.clone(), any] } else { vec![any] })
}

/// The types of single values that can be converted; an error if nothing can.
pub(super) fn single_types(init: &InitType) -> Result<Vec<Type>, ConvertError> {
    let unsupported = || {
        ConvertError(format!(
            "Creation of new instance of type '{}' is not supported",
            init.type_.text()
        ))
    };
    if matches!(init.type_, Type::Init(_) | Type::Optional(_) | Type::NotUndef(_)) {
        return Err(unsupported());
    }
    let tuples = parameter_tuples(&init.type_).ok_or_else(unsupported)?;
    let fitting: Vec<_> = match init.arguments.is_empty() {
        true => tuples.iter().filter(|tuple| size(tuple) == ONE).collect(),
        false => tuples.iter().filter(|tuple| takes(tuple, &init.arguments)).collect(),
    };
    if fitting.is_empty() && !init.arguments.is_empty() {
        let name = init.type_.generalize();
        let shown = Type::Init(Some(init.clone().into()));
        return Err(ConvertError(format!(
            "The type '{shown}' does not represent a valid set of parameters for {}.new()",
            name.name()
        )));
    }
    let first = |tuple: &&TupleType| tuple.types.first().cloned();
    Ok(std::iter::once(init.type_.clone()).chain(fitting.iter().filter_map(first)).collect())
}

const ONE: IntegerRange = IntegerRange { min: 1, max: 1 };

fn size(tuple: &TupleType) -> IntegerRange {
    let n = i64::try_from(tuple.types.len()).unwrap_or(i64::MAX);
    tuple.size.unwrap_or(IntegerRange { min: n, max: n })
}

/// Whether arguments fit from the second parameter on.
fn takes(tuple: &TupleType, arguments: &[Value]) -> bool {
    let count = i64::try_from(arguments.len() + 1).unwrap_or(i64::MAX);
    size(tuple).contains(count)
        && tuple.types[1..].iter().zip(arguments).all(|(type_, arg)| type_.is_assignable(&infer_set(arg)))
}
