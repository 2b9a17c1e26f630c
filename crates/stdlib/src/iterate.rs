//! Functions that call a block for each element.
//!
//! Ruby iterates in two ways, and it shows: some functions take elements of an iterator one by one, so that
//! they are gone afterwards ([`Elements::of`]), some begin anew ([`Elements::all_of`]); and `break()` ends some
//! functions and is an error in others ([`Breaks`]).

use kukla_compiler::{Call, Eval, Function, Signature, issues};
use kukla_pcore::elements::{Elements, MAX_ELEMENTS, is_hash_style};
use kukla_pcore::{Hash, Value, ruby};

use crate::fault::fault;

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::typed(
        "each",
        &[
            Signature::new(HASH_2, |call| each(call, Style::Entry)),
            Signature::new(HASH_1, |call| each(call, Style::Element)),
            Signature::new(ITERABLE_2, |call| each(call, two(call))),
            Signature::new(ITERABLE_1, |call| each(call, Style::Element)),
        ],
    ),
    Function::typed(
        "map",
        &[
            Signature::new(HASH_2, |call| map(call, Style::Entry)),
            Signature::new(HASH_1, |call| map(call, Style::Element)),
            Signature::new(ITERABLE_2, |call| map(call, two(call))),
            Signature::new(ITERABLE_1, |call| map(call, Style::Element)),
        ],
    ),
    Function::typed(
        "filter",
        &[
            Signature::new(HASH_2, |call| filter_hash(call, Style::Entry)),
            Signature::new(HASH_1, |call| filter_hash(call, Style::Element)),
            Signature::new(ITERABLE_2, |call| match two(call) {
                Style::Entry => filter_hash(call, Style::Entry),
                style => filter(call, style),
            }),
            Signature::new(ITERABLE_1, |call| filter(call, Style::Element)),
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
            Signature::new(HASH_2, |call| all(call, Style::Entry)),
            Signature::new(HASH_1, |call| all(call, Style::Element)),
            Signature::new(ITERABLE_2, |call| all(call, two(call))),
            Signature::new(ITERABLE_1, |call| all(call, Style::Element)),
        ],
    ),
    Function::typed(
        "any",
        &[
            Signature::new(HASH_2, |call| any(call, Style::Entry)),
            Signature::new(HASH_1, |call| any(call, Style::Element)),
            Signature::new(ITERABLE_2, |call| any(call, two(call))),
            Signature::new(ITERABLE_1, |call| any(call, Style::Element)),
        ],
    ),
    Function::typed(
        "index",
        &[
            Signature::new(HASH_2, |call| index_block(call, Style::Entry)),
            Signature::new(HASH_1, |call| index_block(call, Style::Value)),
            Signature::new(ITERABLE_2, |call| index_block(call, two(call))),
            Signature::new(ITERABLE_1, |call| match is_hash_style(call.value(0)) {
                true => index_block(call, Style::Value),
                false => index_block(call, Style::Element),
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

/// What a block gets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// `|$element|`
    Element,
    /// `|$index, $element|`
    Indexed,
    /// `|$key, $value|`
    Entry,
    /// `|$value|` of a hash
    Value,
}

/// What `break()` in a block does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Breaks {
    /// It ends the function.
    Quietly,
    /// It goes on to whoever called the function.
    Loudly,
}

/// What a block with two parameters gets.
fn two(call: &Call<'_>) -> Style {
    if is_hash_style(call.value(0)) { Style::Entry } else { Style::Indexed }
}

/// Calls the block for each element until `visit`, which gets index, element and the block's value, says `false`.
pub(crate) fn walk(
    call: &mut Call<'_>,
    elements: Elements<'_>,
    style: Style,
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

/// Calls the block for an element; its value comes into an empty place. `false` if it breaks.
fn call_with(
    call: &mut Call<'_>,
    style: Style,
    breaks: Breaks,
    index: i64,
    element: &Value,
    out: &mut Value,
) -> Eval<bool> {
    let result = match (style, element) {
        (Style::Element, _) => call.call_block_into(std::slice::from_ref(element), out),
        (Style::Indexed, _) => {
            call.give_to_block(&mut [Value::Integer(index), element.clone()], out)
        }
        (Style::Entry, Value::Array(entry)) => call.call_block_into(entry, out),
        (Style::Value, Value::Array(entry)) => {
            call.call_block_into(entry.get(1..).unwrap_or(&[]), out)
        }
        (Style::Entry | Style::Value, _) => {
            call.call_block_into(std::slice::from_ref(element), out)
        }
    };
    went_on(result, breaks)
}

/// The same for an element that nobody needs afterwards.
fn give_to(
    call: &mut Call<'_>,
    style: Style,
    breaks: Breaks,
    index: i64,
    mut element: Value,
    out: &mut Value,
) -> Eval<bool> {
    let result = match style {
        Style::Element => call.give_to_block(std::slice::from_mut(&mut element), out),
        Style::Indexed => call.give_to_block(&mut [Value::Integer(index), element], out),
        Style::Entry | Style::Value => {
            return call_with(call, style, breaks, index, &element, out);
        }
    };
    went_on(result, breaks)
}

/// Whether a block did not break.
#[inline]
fn went_on(result: Eval<()>, breaks: Breaks) -> Eval<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(stop) if stop.is_break() && breaks == Breaks::Quietly => Ok(false),
        Err(stop) => Err(stop),
    }
}

/// The elements that are taken from the first argument.
fn taken<'a>(call: &Call<'a>) -> Eval<Elements<'a>> {
    Elements::of(call.value(0)).map_or_else(|| not_iterable(call), Ok)
}

/// All elements of the first argument, and what `break()` does to this way of iterating.
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

/// Adds to a list that may not grow without limit.
pub(crate) fn push(list: &mut Vec<Value>, value: Value) -> bool {
    list.push(value);
    list.len() < MAX_ELEMENTS
}

/// A list as an array, unless it reached the limit.
pub(crate) fn finished(list: Vec<Value>) -> Eval<Value> {
    if list.len() >= MAX_ELEMENTS {
        return kukla_compiler::fault(issues::value_too_large());
    }
    Ok(Value::array_of(list))
}

fn each(call: &mut Call<'_>, style: Style) -> Eval<Value> {
    for (index, element) in (0..).zip(taken(call)?) {
        let mut result = Value::Undef;
        if !give_to(call, style, Breaks::Quietly, index, element, &mut result)? {
            break;
        }
        result.discard();
    }
    Ok(call.value(0).clone())
}

fn map(call: &mut Call<'_>, style: Style) -> Eval<Value> {
    let is_hash = matches!(call.value(0), Value::Hash(_));
    let (elements, breaks) = match style {
        Style::Entry if !is_hash => all_elements(call, "map")?,
        _ => (taken(call)?, Breaks::Quietly),
    };
    let mut results = Vec::with_capacity(elements.size_hint().0);
    for (index, element) in (0..).zip(elements) {
        // Made where it stays.
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

fn filter(call: &mut Call<'_>, style: Style) -> Eval<Value> {
    let elements = taken(call)?;
    let mut results = Vec::new();
    walk(call, elements, style, Breaks::Quietly, |_, element, result| {
        !result.is_truthy() || push(&mut results, element)
    })?;
    finished(results)
}

fn filter_hash(call: &mut Call<'_>, style: Style) -> Eval<Value> {
    let elements = taken(call)?;
    // An iterator over a hash is walked by a loop that ends on `break()`, a hash is not.
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
        // What is reduced so far is the result if the block breaks, so it is given away only if it does not.
        if never_breaks {
            let mut given = [std::mem::take(&mut memo), element];
            call.iterate_taking(&mut given, &mut memo)?;
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

fn all(call: &mut Call<'_>, style: Style) -> Eval<Value> {
    let method = if style == Style::Element { "all?" } else { "each_with_index" };
    let (elements, breaks) = all_elements(call, method)?;
    let mut holds = true;
    walk(call, elements, style, breaks, |_, _, result| {
        holds = result.is_truthy();
        holds
    })?;
    Ok(Value::Boolean(holds))
}

fn any(call: &mut Call<'_>, style: Style) -> Eval<Value> {
    let method = if style == Style::Element { "any?" } else { "each_with_index" };
    let (elements, breaks) = all_elements(call, method)?;
    let mut found = false;
    walk(call, elements, style, breaks, |_, _, result| {
        found = result.is_truthy();
        !found
    })?;
    Ok(Value::Boolean(found))
}

fn index_block(call: &mut Call<'_>, style: Style) -> Eval<Value> {
    let is_hash = matches!(call.value(0), Value::Hash(_));
    let (elements, breaks) = match style {
        Style::Entry | Style::Value if !is_hash => (taken(call)?, Breaks::Quietly),
        _ => all_elements(call, "each_with_index")?,
    };
    let mut found = Value::Undef;
    walk(call, elements, style, breaks, |index, element, result| {
        if result.is_truthy() {
            found = place(style, index, &element);
        }
        !result.is_truthy()
    })?;
    Ok(found)
}

/// The key of an entry, or the index of an element.
fn place(style: Style, index: i64, element: &Value) -> Value {
    match (style, element) {
        (Style::Entry | Style::Value, Value::Array(entry)) => {
            entry.first().cloned().unwrap_or_default()
        }
        _ => Value::Integer(index),
    }
}

fn index_value(call: &mut Call<'_>) -> Eval<Value> {
    let style = if is_hash_style(call.value(0)) { Style::Entry } else { Style::Indexed };
    let elements = match style {
        Style::Entry => taken(call)?,
        _ => all_elements(call, "each_with_index")?.0,
    };
    let wanted = call.value(1);
    for (index, element) in (0..).zip(elements) {
        let is_it = match (style, &element) {
            (Style::Entry, Value::Array(entry)) => {
                entry.get(1).is_some_and(|value| ruby::equal(value, wanted))
            }
            _ => ruby::equal(&element, wanted),
        };
        if is_it {
            return Ok(place(style, index, &element));
        }
    }
    Ok(Value::Undef)
}

fn index_text(call: &mut Call<'_>) -> Eval<Value> {
    let text = call.string(0);
    let at = match call.value(1) {
        Value::String(wanted) => text.find(wanted.as_str()),
        Value::Regexp(regex) => crate::patterns::find(regex, text)?,
        _ => None,
    };
    let Some(at) = at else { return Ok(Value::Undef) };
    Ok(Value::Integer(i64::try_from(text[..at].chars().count()).unwrap_or(i64::MAX)))
}
