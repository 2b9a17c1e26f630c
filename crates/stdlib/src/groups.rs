//! Functions that sort elements into groups.

use indexmap::IndexMap;
use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::elements::Elements;
use kukla_pcore::{Hash, Value};

use crate::iterate::{BlockStyle, Breaks, all_elements, finished, push, walk};

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::typed(
        "group_by",
        &[
            Signature::new("Collection collection, Callable[1, 1] &block", |call| {
                group_by(call, BlockStyle::Element)
            }),
            Signature::new("Array array, Callable[2, 2] &block", |call| {
                group_by(call, BlockStyle::Indexed)
            }),
            Signature::new("Collection collection, Callable[2, 2] &block", |call| {
                group_by(call, BlockStyle::Entry)
            }),
        ],
    ),
    Function::typed(
        "partition",
        &[
            Signature::new("Collection collection, Callable[1, 1] &block", |call| {
                partition(call, BlockStyle::Element)
            }),
            Signature::new("Array array, Callable[2, 2] &block", |call| {
                partition(call, BlockStyle::Indexed)
            }),
            Signature::new("Collection collection, Callable[2, 2] &block", |call| {
                partition(call, BlockStyle::Entry)
            }),
        ],
    ),
    Function::typed(
        "unique",
        &[
            Signature::new("String string, Callable[String] &block?", |call| {
                let Value::Array(letters) = unique(call)? else { return Ok(Value::Undef) };
                Ok(Value::from(letters.iter().filter_map(Value::as_str).collect::<String>()))
            }),
            Signature::new("Hash hash, Callable[Any] &block?", unique_hash),
            Signature::new("Array array, Callable[Any] &block?", unique),
            Signature::new("Iterable iterable, Callable[Any] &block?", unique),
        ],
    ),
];

fn collection<'a>(call: &Call<'a>) -> Elements<'a> {
    Elements::of(call.value(0)).unwrap_or_default()
}

fn group_by(call: &mut Call<'_>, style: BlockStyle) -> Eval<Value> {
    let mut groups: IndexMap<Value, Vec<Value>> = IndexMap::new();
    let elements = collection(call);
    walk(call, elements, style, Breaks::Loudly, |_, element, group| {
        groups.entry(group).or_default().push(element);
        true
    })?;
    let groups = groups.into_iter().map(|(key, group)| (key, Value::array(group)));
    Ok(Value::hash(groups.collect()))
}

fn partition(call: &mut Call<'_>, style: BlockStyle) -> Eval<Value> {
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    let elements = collection(call);
    walk(call, elements, style, Breaks::Loudly, |_, element, result| {
        if result.is_truthy() {
            yes.push(element)
        } else {
            no.push(element)
        }
        true
    })?;
    Ok(Value::array([Value::array(yes), Value::array(no)]))
}

fn unique(call: &mut Call<'_>) -> Eval<Value> {
    let (elements, breaks) = all_elements(call, "uniq")?;
    let mut keys = Hash::new();
    let mut results = Vec::new();
    if call.has_block() {
        walk(call, elements, BlockStyle::Element, breaks, |_, element, key| {
            keys.insert(key, Value::Undef).is_some() || push(&mut results, element)
        })?;
    } else {
        for element in elements {
            let is_new = keys.insert(element.clone(), Value::Undef).is_none();
            if is_new && !push(&mut results, element) {
                break;
            }
        }
    }
    finished(results)
}

/// Groups keys that have the same value, with these values.
fn unique_hash(call: &mut Call<'_>) -> Eval<Value> {
    let mut groups: IndexMap<Value, (Vec<Value>, Hash)> = IndexMap::new();
    for (key, value) in call.hash(0).into_iter().flat_map(Hash::iter) {
        let group = match call.has_block() {
            true => call.call_block(std::slice::from_ref(value))?,
            false => value.clone(),
        };
        let (keys, values) = groups.entry(group).or_default();
        keys.push(key.clone());
        values.insert(value.clone(), Value::Undef);
    }
    let groups = groups.into_values();
    Ok(Value::hash(
        groups
            .map(|(keys, values)| (Value::array(keys), Value::array(values.keys().cloned())))
            .collect(),
    ))
}
