//! Functions that call a block for each element.
//!
//! Ruby iterates in two ways, which are observable: some functions take elements of an iterator one by one, so that they are
//! gone afterwards ([`Elements::of`]), some restart ([`Elements::all_of`]); and `break()` ends some functions and is an error
//! in others ([`Breaks`]).

use kukla_base::cancel;
use kukla_compiler::{Call, Eval, Function, Signature, issues};
use kukla_pcore::elements::{Elements, MAX_ELEMENTS, is_hash_style};
use kukla_pcore::{Hash, Value, ruby};

use crate::fault::fault;

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::typed(
        "each",
        &[
            Signature::new(HASH_2, |call| each(call, BlockStyle::Entry)),
            Signature::new(HASH_1, |call| each(call, BlockStyle::Element)),
            Signature::new(ITERABLE_2, |call| each(call, two(call))),
            Signature::new(ITERABLE_1, |call| each(call, BlockStyle::Element)),
        ],
    ),
    Function::typed(
        "map",
        &[
            Signature::new(HASH_2, |call| map(call, BlockStyle::Entry)),
            Signature::new(HASH_1, |call| map(call, BlockStyle::Element)),
            Signature::new(ITERABLE_2, |call| map(call, two(call))),
            Signature::new(ITERABLE_1, |call| map(call, BlockStyle::Element)),
        ],
    ),
    Function::typed(
        "filter",
        &[
            Signature::new(HASH_2, |call| filter_hash(call, BlockStyle::Entry)),
            Signature::new(HASH_1, |call| filter_hash(call, BlockStyle::Element)),
            Signature::new(ITERABLE_2, |call| match two(call) {
                BlockStyle::Entry => filter_hash(call, BlockStyle::Entry),
                style => filter(call, style),
            }),
            Signature::new(ITERABLE_1, |call| filter(call, BlockStyle::Element)),
        ],
    ),
    Function::typed(
        "reduce",
        &[
            Signature::new("Iterable enumerable, Callable[2, 2] &block", reduce),
            Signature::new("Iterable enumerable, Any memo, Callable[2, 2] &block", reduce),
        ],
    ),
    Function::typed(
        "all",
        &[
            Signature::new(HASH_2, |call| all(call, BlockStyle::Entry)),
            Signature::new(HASH_1, |call| all(call, BlockStyle::Element)),
            Signature::new(ITERABLE_2, |call| all(call, two(call))),
            Signature::new(ITERABLE_1, |call| all(call, BlockStyle::Element)),
        ],
    ),
    Function::typed(
        "any",
        &[
            Signature::new(HASH_2, |call| any(call, BlockStyle::Entry)),
            Signature::new(HASH_1, |call| any(call, BlockStyle::Element)),
            Signature::new(ITERABLE_2, |call| any(call, two(call))),
            Signature::new(ITERABLE_1, |call| any(call, BlockStyle::Element)),
        ],
    ),
    Function::typed(
        "index",
        &[
            Signature::new(HASH_2, |call| index_block(call, BlockStyle::Entry)),
            Signature::new(HASH_1, |call| index_block(call, BlockStyle::Value)),
            Signature::new(ITERABLE_2, |call| index_block(call, two(call))),
            Signature::new(ITERABLE_1, |call| match is_hash_style(call.value(0)) {
                true => index_block(call, BlockStyle::Value),
                false => index_block(call, BlockStyle::Element),
            }),
            Signature::new("String str, Variant[String, Regexp] match", index_text),
            Signature::new("Iterable enumerable, Any match", index_value),
        ],
    ),
];

const HASH_2: &str = "Hash[Any, Any] hash, Callable[2, 2] &block";
const HASH_1: &str = "Hash[Any, Any] hash, Callable[1, 1] &block";
const ITERABLE_2: &str = "Iterable enumerable, Callable[2, 2] &block";
const ITERABLE_1: &str = "Iterable enumerable, Callable[1, 1] &block";

/// The arguments of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockStyle {
    /// `|$element|`
    Element,
    /// `|$index, $element|`
    Indexed,
    /// `|$key, $value|`
    Entry,
    /// `|$value|` of a hash
    Value,
}

/// The effect of `break()` in a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Breaks {
    /// It ends the function.
    Quietly,
    /// It passes on to the caller of the function.
    Loudly,
}

/// Returns the arguments of a block with two parameters.
fn two(call: &Call<'_>) -> BlockStyle {
    if is_hash_style(call.value(0)) { BlockStyle::Entry } else { BlockStyle::Indexed }
}

/// Calls the block for each element until `visit`, which gets index, element and the block's value, returns `false`.
pub(crate) fn walk(
    call: &mut Call<'_>,
    elements: Elements<'_>,
    style: BlockStyle,
    breaks: Breaks,
    mut visit: impl FnMut(i64, Value, Value) -> bool,
) -> Eval<()> {
    for (index, element) in (0..).zip(elements) {
        let mut result = Value::Undef;
        if !call_with(call, style, breaks, index, &element, &mut result)?
            || !visit(index, element, result)
        {
            break;
        }
    }
    Ok(())
}

/// Calls the block for an element; its value goes into an empty slot. `false` if it breaks.
fn call_with(
    call: &mut Call<'_>,
    style: BlockStyle,
    breaks: Breaks,
    index: i64,
    element: &Value,
    out: &mut Value,
) -> Eval<bool> {
    let result = match (style, element) {
        (BlockStyle::Element, _) => call.call_block_into(std::slice::from_ref(element), out),
        (BlockStyle::Indexed, _) => {
            call.give_to_block(&mut [Value::Integer(index), element.clone()], out)
        }
        (BlockStyle::Entry, Value::Array(entry)) => call.call_block_into(entry, out),
        (BlockStyle::Value, Value::Array(entry)) => {
            call.call_block_into(entry.get(1..).unwrap_or(&[]), out)
        }
        (BlockStyle::Entry | BlockStyle::Value, _) => {
            call.call_block_into(std::slice::from_ref(element), out)
        }
    };
    went_on(result, breaks)
}

/// Like [`call_with`], but moves the element into the call.
fn give_to(
    call: &mut Call<'_>,
    style: BlockStyle,
    breaks: Breaks,
    index: i64,
    mut element: Value,
    out: &mut Value,
) -> Eval<bool> {
    let result = match style {
        BlockStyle::Element => call.give_to_block(std::slice::from_mut(&mut element), out),
        BlockStyle::Indexed => call.give_to_block(&mut [Value::Integer(index), element], out),
        BlockStyle::Entry | BlockStyle::Value => {
            return call_with(call, style, breaks, index, &element, out);
        }
    };
    went_on(result, breaks)
}

/// Returns true if a block did not break.
#[inline]
fn went_on(result: Eval<()>, breaks: Breaks) -> Eval<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(stop) if stop.is_break() && breaks == Breaks::Quietly => Ok(false),
        Err(stop) => Err(stop),
    }
}

/// Returns the elements of the first argument, consuming those of an iterator.
fn taken<'a>(call: &Call<'a>) -> Eval<Elements<'a>> {
    Elements::of(call.value(0)).map_or_else(|| not_iterable(call), Ok)
}

/// Returns all elements of the first argument, and the effect of `break()` on this iteration.
///
/// `method` is Ruby's, which trees don't have.
pub(crate) fn all_elements<'a>(call: &Call<'a>, method: &str) -> Eval<(Elements<'a>, Breaks)> {
    let Some(elements) = Elements::all_of(call.value(0)) else { return not_iterable(call) };
    if let Some(class) = elements.tree_class() {
        return fault(format!("undefined method `{method}' for #<{class}>"));
    }
    let breaks = if elements.ends_on_break() { Breaks::Quietly } else { Breaks::Loudly };
    Ok((elements, breaks))
}

fn not_iterable<T>(call: &Call<'_>) -> Eval<T> {
    let class = ruby::class_name(call.value(0));
    crate::fault::wrong_arguments(format!(
        "{}(): wrong argument type ({class}; is not Iterable.",
        call.name()
    ))
}

/// Appends to a list of limited size; false at the limit.
pub(crate) fn push(list: &mut Vec<Value>, value: Value) -> bool {
    if !cancel::room_in(list) {
        return false;
    }
    list.push(value);
    list.len() < MAX_ELEMENTS
}

/// Converts a list to an array, unless it reached the limit.
pub(crate) fn finished(list: Vec<Value>) -> Eval<Value> {
    if list.len() >= MAX_ELEMENTS {
        return kukla_compiler::fault(issues::value_too_large());
    }
    Ok(Value::array_of(list))
}

fn each(call: &mut Call<'_>, style: BlockStyle) -> Eval<Value> {
    for (index, element) in (0..).zip(taken(call)?) {
        let mut result = Value::Undef;
        if !give_to(call, style, Breaks::Quietly, index, element, &mut result)? {
            break;
        }
        result.discard();
    }
    Ok(call.value(0).clone())
}

fn map(call: &mut Call<'_>, style: BlockStyle) -> Eval<Value> {
    let is_hash = matches!(call.value(0), Value::Hash(_));
    let (elements, breaks) = match style {
        BlockStyle::Entry if !is_hash => all_elements(call, "map")?,
        _ => (taken(call)?, Breaks::Quietly),
    };
    let mut results = Vec::with_capacity(elements.size_hint().0);
    for (index, element) in (0..).zip(elements) {
        if !cancel::room_in(&results) {
            break;
        }
        // The value is built in its final slot.
        results.push(Value::Undef);
        let Some(place) = results.last_mut() else { break };
        if !give_to(call, style, breaks, index, element, place)? {
            results.pop();
            break;
        }
        if results.len() >= MAX_ELEMENTS {
            break;
        }
    }
    finished(results)
}

fn filter(call: &mut Call<'_>, style: BlockStyle) -> Eval<Value> {
    let elements = taken(call)?;
    let mut results = Vec::new();
    walk(call, elements, style, Breaks::Quietly, |_, element, result| {
        !result.is_truthy() || push(&mut results, element)
    })?;
    finished(results)
}

fn filter_hash(call: &mut Call<'_>, style: BlockStyle) -> Eval<Value> {
    let elements = taken(call)?;
    // Ruby's loop over an iterator of a hash ends on `break()`, that over a hash does not.
    let breaks = match call.value(0) {
        Value::Hash(_) => Breaks::Loudly,
        _ => Breaks::Quietly,
    };
    let mut results = Hash::new();
    walk(call, elements, style, breaks, |_, element, result| {
        if let (true, Value::Array(entry)) = (result.is_truthy(), &element)
            && let [key, value] = &entry[..]
        {
            results.insert(key.clone(), value.clone());
        }
        true
    })?;
    Ok(Value::hash(results))
}

fn reduce(call: &mut Call<'_>) -> Eval<Value> {
    let (mut elements, _) = all_elements(call, "reduce")?;
    let mut memo = match call.arguments().get(1) {
        Some(memo) => memo.clone(),
        None => match elements.next() {
            Some(first) => first,
            None => return Ok(Value::Undef),
        },
    };
    let never_breaks = call.block_never_breaks();
    for element in elements {
        // The accumulator is the result if the block breaks, so it is moved into the call only if it can't.
        if never_breaks {
            let mut arguments = [std::mem::take(&mut memo), element];
            call.iterate_taking(&mut arguments, &mut memo)?;
        } else {
            let mut result = Value::Undef;
            if !call.iterate_taking(&mut [memo.clone(), element], &mut result)? {
                break;
            }
            memo = result;
        }
    }
    Ok(memo)
}

fn all(call: &mut Call<'_>, style: BlockStyle) -> Eval<Value> {
    let method = if style == BlockStyle::Element { "all?" } else { "each_with_index" };
    let (elements, breaks) = all_elements(call, method)?;
    let mut holds = true;
    walk(call, elements, style, breaks, |_, _, result| {
        holds = result.is_truthy();
        holds
    })?;
    Ok(Value::Boolean(holds))
}

fn any(call: &mut Call<'_>, style: BlockStyle) -> Eval<Value> {
    let method = if style == BlockStyle::Element { "any?" } else { "each_with_index" };
    let (elements, breaks) = all_elements(call, method)?;
    let mut is_met = false;
    walk(call, elements, style, breaks, |_, _, result| {
        is_met = result.is_truthy();
        !is_met
    })?;
    Ok(Value::Boolean(is_met))
}

fn index_block(call: &mut Call<'_>, style: BlockStyle) -> Eval<Value> {
    let is_hash = matches!(call.value(0), Value::Hash(_));
    let (elements, breaks) = match style {
        BlockStyle::Entry | BlockStyle::Value if !is_hash => (taken(call)?, Breaks::Quietly),
        _ => all_elements(call, "each_with_index")?,
    };
    let mut key = Value::Undef;
    walk(call, elements, style, breaks, |index, element, result| {
        if result.is_truthy() {
            key = place(style, index, &element);
        }
        !result.is_truthy()
    })?;
    Ok(key)
}

/// Returns the key of an entry, or the index of an element.
fn place(style: BlockStyle, index: i64, element: &Value) -> Value {
    match (style, element) {
        (BlockStyle::Entry | BlockStyle::Value, Value::Array(entry)) => {
            entry.first().cloned().unwrap_or_default()
        }
        _ => Value::Integer(index),
    }
}

fn index_value(call: &mut Call<'_>) -> Eval<Value> {
    let style = if is_hash_style(call.value(0)) { BlockStyle::Entry } else { BlockStyle::Indexed };
    let elements = match style {
        BlockStyle::Entry => taken(call)?,
        _ => all_elements(call, "each_with_index")?.0,
    };
    let target = call.value(1);
    for (index, element) in (0..).zip(elements) {
        let is_equal = match (style, &element) {
            (BlockStyle::Entry, Value::Array(entry)) => {
                entry.get(1).is_some_and(|value| ruby::equal(value, target))
            }
            _ => ruby::equal(&element, target),
        };
        if is_equal {
            return Ok(place(style, index, &element));
        }
    }
    Ok(Value::Undef)
}

fn index_text(call: &mut Call<'_>) -> Eval<Value> {
    let text = call.string(0);
    let at = match call.value(1) {
        Value::String(part) => text.find(part.as_str()),
        Value::Regexp(regex) => crate::patterns::find(regex, text)?,
        _ => None,
    };
    let Some(at) = at else { return Ok(Value::Undef) };
    Ok(Value::Integer(i64::try_from(text[..at].chars().count()).unwrap_or(i64::MAX)))
}
