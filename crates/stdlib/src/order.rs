//! Functions that compare.

use std::cmp::Ordering;

use kukla_base::EditionChange;
use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::{Value, ruby};
use kukla_rubytext::{float, versioncmp};

use crate::fault::fault;
use crate::sorting;

/// The signatures of `max` and `min`, which differ in the preferred order.
macro_rules! extremes {
    ($preferred:expr) => {
        [
            Signature::new("Numeric *values", |call| numbers(call, $preferred, call.arguments())),
            Signature::new("String *values", |call| texts(call, $preferred, call.arguments())),
            Signature::new("Semver *values", |call| numbers(call, $preferred, call.arguments()))
                .since(EditionChange::TypedExtremes),
            Signature::new("Timespan *values", |call| numbers(call, $preferred, call.arguments()))
                .since(EditionChange::TypedExtremes),
            Signature::new("Timestamp *values", |call| numbers(call, $preferred, call.arguments()))
                .since(EditionChange::TypedExtremes),
            Signature::new("Array[Numeric] values, Callable[2, 2] &block?", |call| {
                of_array(call, $preferred)
            }),
            Signature::new("Array[String] values, Callable[2, 2] &block?", |call| {
                match call.has_block() {
                    true => by_block(call, $preferred, call.array(0)),
                    false => texts(call, $preferred, call.array(0)),
                }
            }),
            Signature::new("Array[Semver] values, Callable[2, 2] &block?", |call| {
                of_array(call, $preferred)
            })
            .since(EditionChange::TypedExtremes),
            Signature::new("Array[Timespan] values, Callable[2, 2] &block?", |call| {
                of_array(call, $preferred)
            })
            .since(EditionChange::TypedExtremes),
            Signature::new("Array[Timestamp] values, Callable[2, 2] &block?", |call| {
                of_array(call, $preferred)
            })
            .since(EditionChange::TypedExtremes),
            Signature::new("Array values, Callable[2, 2] &block?", |call| match call.has_block() {
                true => by_block(call, $preferred, call.array(0)),
                false => anything(call, $preferred, call.array(0)),
            }),
            Signature::new("Any *values, Callable[2, 2] &block", |call| {
                by_block(call, $preferred, call.arguments())
            }),
            Signature::new("Any *values", |call| anything(call, $preferred, call.arguments())),
        ]
    };
}
/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::typed(
        "compare",
        &[
            Signature::new("Numeric a, Numeric b", compare),
            Signature::new("String a, String b, Boolean ignore_case?", compare_texts),
            Signature::new("Semver a, Semver b", compare),
            Signature::new("Numeric a, Variant[Timespan, Timestamp] b", compare_number_with_time),
            Signature::new("Timestamp a, Variant[Timestamp, Numeric] b", compare),
            Signature::new("Timespan a, Variant[Timespan, Numeric] b", compare),
            Signature::mismatch(
                "Variant[String, Semver, Numeric, Timespan, Timestamp] a, Variant[String, Semver, Numeric, Timespan, Timestamp] b, Any *ignore_case",
                not_the_same_type,
            ),
            Signature::mismatch("Any a, Any b, Any *ignore_case", not_comparable),
        ],
    ),
    Function::typed("max", &extremes!(Ordering::Greater)),
    Function::typed("min", &extremes!(Ordering::Less)),
    Function::typed(
        "sort",
        &[
            Signature::new("String string_value, Callable[2, 2] &block?", sort_text),
            Signature::new("Array array_value, Callable[2, 2] &block?", |call| {
                Ok(Value::array(sort(call, call.array(0).to_vec())?))
            }),
        ],
    ),
    Function::typed(
        "versioncmp",
        &[Signature::new("String a, String b, Boolean ignore_trailing_zeroes?", |call| {
            let ignore = call.value(2).is_truthy();
            Ok(sign(versioncmp::versioncmp(call.string(0), call.string(1), ignore)))
        })],
    ),
];

fn sign(ordering: Ordering) -> Value {
    Value::Integer(ordering as i64)
}

fn compare(call: &mut Call<'_>) -> Eval<Value> {
    Ok(ruby::compare(call.value(0), call.value(1)).map_or(Value::Undef, sign))
}

fn compare_number_with_time(call: &mut Call<'_>) -> Eval<Value> {
    let ordering = ruby::compare(call.value(1), call.value(0)).map(Ordering::reverse);
    Ok(ordering.map_or(Value::Undef, sign))
}

fn compare_texts(call: &mut Call<'_>) -> Eval<Value> {
    let (a, b) = (call.string(0), call.string(1));
    let ignore_case = call.arguments().get(2).is_none_or(Value::is_truthy);
    Ok(sign(if ignore_case { ruby::casecmp(a, b) } else { a.cmp(b) }))
}

fn not_comparable(call: &mut Call<'_>) -> Eval<Value> {
    let (a, b) = (call.label(call.value(0)), call.label(call.value(1)));
    Ok(Value::from(format!(
        "compare(): Non comparable type. Only values of the types Numeric, String, Semver, Timestamp and Timestamp can be compared. Got {a} and {b}"
    )))
}

fn not_the_same_type(call: &mut Call<'_>) -> Eval<Value> {
    let [a, b, rest @ ..] = call.arguments() else { return Ok(Value::Undef) };
    if !rest.is_empty() {
        if !matches!((a, b), (Value::String(_), Value::String(_))) {
            return Ok(Value::from(
                "compare(): The third argument (ignore case) can only be used when comparing strings",
            ));
        }
        if rest.len() > 1 {
            return Ok(Value::from(format!(
                "compare(): Accepts at most 3 arguments, got {}",
                call.arguments().len()
            )));
        }
        // A bug in Puppet's own check, which names a class that does not exist.
        return fault(
            "uninitialized constant Puppet::Pops::Loader::RubyFunctionInstantiator::Boolean",
        );
    }
    let (a, b) = (call.label(a), call.label(b));
    Ok(Value::from(format!(
        "compare(): Can only compare values of the same type (or for Timestamp/Timespan also against Numeric). Got {a} and {b}"
    )))
}

fn assert_any(call: &Call<'_>, values: &[Value]) -> Eval<()> {
    if values.is_empty() {
        return crate::fault::wrong_arguments(format!(
            "{}(): Wrong number of arguments need at least one",
            call.name()
        ));
    }
    Ok(())
}

/// Returns the first value to which no later one is preferred.
fn extreme(
    values: &[Value],
    preferred: Ordering,
    mut order: impl FnMut(&Value, &Value) -> Eval<Ordering>,
) -> Eval<Value> {
    let Some((mut best, rest)) = values.split_first() else { return Ok(Value::Undef) };
    for value in rest {
        if order(value, best)? == preferred {
            best = value;
        }
    }
    Ok(best.clone())
}

/// Returns the extreme of the array that is the first argument: by the block, or by Ruby's order.
fn of_array(call: &mut Call<'_>, preferred: Ordering) -> Eval<Value> {
    match call.has_block() {
        true => by_block(call, preferred, call.array(0)),
        false => numbers(call, preferred, call.array(0)),
    }
}

fn numbers(call: &mut Call<'_>, preferred: Ordering, values: &[Value]) -> Eval<Value> {
    assert_any(call, values)?;
    extreme(values, preferred, |a, b| Ok(ruby::compare(a, b).unwrap_or(Ordering::Equal)))
}

fn by_block(call: &mut Call<'_>, preferred: Ordering, values: &[Value]) -> Eval<Value> {
    extreme(values, preferred, |a, b| sorting::by_block(call, a, b))
}

fn texts(call: &mut Call<'_>, preferred: Ordering, values: &[Value]) -> Eval<Value> {
    assert_any(call, values)?;
    extreme(values, preferred, |a, b| {
        let (a, b) = (a.as_str().unwrap_or_default(), b.as_str().unwrap_or_default());
        Ok(match is_numeric(a) && is_numeric(b) {
            true => {
                warn_numeric(call);
                as_numbers(a, b)
            }
            false => a.cmp(b),
        })
    })
}

fn anything(call: &mut Call<'_>, preferred: Ordering, values: &[Value]) -> Eval<Value> {
    assert_any(call, values)?;
    extreme(values, preferred, |a, b| {
        let (a, b) = (ruby::to_s(a), ruby::to_s(b));
        Ok(match is_numeric(&a) && is_numeric(&b) {
            true => {
                warn_numeric(call);
                as_numbers(&a, &b)
            }
            false => {
                let name = call.name();
                let key = format!("{name}_function_string_coerce_any");
                call.warn_once(&key, &format!(
                    "The {name}() function's auto conversion of Any to String is deprecated - change to convert input before calling, or use lambda"
                ));
                a.cmp(&b)
            }
        })
    })
}

fn warn_numeric(call: &mut Call<'_>) {
    let name = call.name();
    let key = format!("{name}_function_numeric_coerce_string");
    call.warn_once(&key, &format!(
        "The {name}() function's auto conversion of String to Numeric is deprecated - change to convert input before calling, or use lambda"
    ));
}

fn as_numbers(a: &str, b: &str) -> Ordering {
    float::to_f(a).partial_cmp(&float::to_f(b)).unwrap_or(Ordering::Equal)
}

/// Returns true for digits, optionally followed by more of them behind one of `._eE`.
fn is_numeric(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    match text.split_once(['.', '_', 'e', 'E']) {
        Some((whole, rest)) => digits(whole) && digits(rest),
        None => digits(text),
    }
}

fn sort(call: &mut Call<'_>, values: Vec<Value>) -> Eval<Vec<Value>> {
    match call.has_block() {
        true => sorting::sort(values, |a, b| sorting::by_block(call, a, b)),
        false => sorting::sort_by_value(values),
    }
}

fn sort_text(call: &mut Call<'_>) -> Eval<Value> {
    let letters = call.string(0).chars().map(kukla_pcore::elements::character).collect();
    let sorted = sort(call, letters)?;
    Ok(Value::from(sorted.iter().filter_map(Value::as_str).collect::<String>()))
}
