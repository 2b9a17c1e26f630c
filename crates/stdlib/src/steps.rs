//! Functions that return elements in another order, or in groups.

use kukla_compiler::{Call, Eval, Function, LocalType, Signature};
use kukla_pcore::elements::Elements;
use kukla_pcore::iterator::Iterator;
use kukla_pcore::tree::{Tree, TreeOptions};
use kukla_pcore::types;
use kukla_pcore::value::Rare;
use kukla_pcore::{Type, Value};

use crate::fault::fault;
use crate::iterate::{all_elements, finished, push};

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::typed(
        "step",
        &[
            Signature::new("Iterable iterable, Integer[1] step", step),
            Signature::new("Iterable iterable, Integer[1] step, Callable[1, 1] &block", step),
        ],
    ),
    Function::typed(
        "reverse_each",
        &[
            Signature::new("Iterable iterable", reverse_each),
            Signature::new("Iterable iterable, Callable[1, 1] &block", reverse_each),
        ],
    ),
    Function::typed(
        "slice",
        &[
            Signature::new(
                "Hash[Any, Any] hash, Integer[1, default] slice_size, Callable &block?",
                |call| slice(call, &Value::array([])),
            ),
            Signature::new(
                "Iterable enumerable, Integer[1, default] slice_size, Callable &block?",
                |call| slice(call, &Value::Undef),
            ),
        ],
    ),
    Function::typed_with(
        "tree_each",
        TREE_TYPES,
        &[
            Signature::new(
                "Variant[Iterator, Array, Hash, Object] tree, OptionsType options?, Callable[2, 2] &block",
                |call| tree_each(call, false),
            ),
            Signature::new(
                "Variant[Iterator, Array, Hash, Object] tree, OptionsType options?, Callable[1, 1] &block",
                |call| tree_each(call, true),
            ),
            Signature::new(
                "Variant[Iterator, Array, Hash, Object] tree, OptionsType options?",
                tree_iterator,
            ),
        ],
    ),
];

const TREE_TYPES: &[LocalType] = &[LocalType {
    name: "OptionsType",
    type_: "Struct[{container_type => Optional[Type], include_root => Optional[Boolean], \
            include_containers => Optional[Boolean], include_values => Optional[Boolean], \
            order => Optional[Enum[depth_first, breadth_first]], include_refs => Optional[Boolean]}]",
}];

fn iterator(call: &Call<'_>) -> Eval<std::sync::Arc<Iterator>> {
    match Iterator::over(call.value(0)) {
        Some(iterator) => Ok(iterator),
        None => crate::fault::wrong_arguments(format!(
            "{}(): wrong argument type; is not Iterable.",
            call.name()
        )),
    }
}

/// Calls the block for each element of an iterator.
fn exhaust(call: &mut Call<'_>, iterator: &Iterator) -> Eval<Value> {
    while let Some(element) = iterator.take() {
        if call.iterate(&[element])?.is_none() {
            break;
        }
    }
    Ok(Value::Undef)
}

fn step(call: &mut Call<'_>) -> Eval<Value> {
    let stepped = match iterator(call)?.step(call.integer(1)) {
        Ok(stepped) => stepped,
        Err(message) => return fault(message),
    };
    match call.has_block() {
        true => exhaust(call, &stepped),
        false => Ok(Value::rare(Rare::Iterator(stepped))),
    }
}

fn reverse_each(call: &mut Call<'_>) -> Eval<Value> {
    let reversed = iterator(call)?.reverse_each();
    match call.has_block() {
        true => exhaust(call, &reversed),
        false => Ok(Value::rare(Rare::Iterator(reversed.into()))),
    }
}

fn slice(call: &mut Call<'_>, filler: &Value) -> Eval<Value> {
    let size = usize::try_from(call.integer(1)).unwrap_or(usize::MAX);
    let serving = serving_size(call, size)?;
    let (elements, _) = all_elements(call, "each_slice")?;
    if !call.has_block() {
        return slices(elements, size);
    }
    let mut elements = elements.peekable();
    while elements.peek().is_some() {
        let mut slice: Vec<Value> = elements.by_ref().take(size).collect();
        if serving == 1 {
            slice = vec![Value::array(slice)];
        } else if slice.len() < serving {
            slice.resize(serving, filler.clone());
        }
        if call.iterate(&slice)?.is_none() {
            break;
        }
    }
    Ok(call.value(0).clone())
}

fn slices(elements: Elements<'_>, size: usize) -> Eval<Value> {
    let (mut elements, mut slices) = (elements.peekable(), Vec::new());
    while elements.peek().is_some() {
        if !push(&mut slices, Value::array(elements.by_ref().take(size))) {
            break;
        }
    }
    finished(slices)
}

/// Returns the number of arguments of the block: one, which is the slice, or that of its elements.
fn serving_size(call: &mut Call<'_>, size: usize) -> Eval<usize> {
    if !call.has_block() {
        return Ok(1);
    }
    let serving = match call.block_arity() {
        (least, Some(most)) if least == most => least,
        _ => size,
    };
    if serving == 0 {
        return fault("slice(): block must define at least one parameter. Block has 0.");
    }
    if serving != 1 && serving != size {
        let names = call.block_parameter_names()?.join(", ");
        return fault(format!(
            "slice(): block must define one parameter, or the same number of parameters as the given size of the slice ({size}). Block has {serving}; {names}"
        ));
    }
    Ok(serving)
}

fn tree_each(call: &mut Call<'_>, only_node: bool) -> Eval<Value> {
    let mut tree = tree(call)?;
    while let Some(node) = next_node(&mut tree)? {
        // A compilation that was stopped makes no more values.
        let Value::Array(pair) = &node else { break };
        let Some(arguments) = pair.get(usize::from(only_node)..) else { break };
        if call.iterate(arguments)?.is_none() {
            break;
        }
    }
    Ok(call.value(0).clone())
}

/// Returns the next node. Puppet finds a value without nodes only when it takes the first.
fn next_node(tree: &mut Tree) -> Eval<Option<Value>> {
    if tree.is_stuck() {
        return fault(
            "undefined method `next' for nil:NilClass\n\n        idx = @indexer_stack[-1].next\n                                ^^^^^",
        );
    }
    Ok(tree.next())
}

fn tree_iterator(call: &mut Call<'_>) -> Eval<Value> {
    let tree = tree(call)?;
    Ok(Value::rare(Rare::Iterator(Iterator::tree(tree).into())))
}

fn tree(call: &Call<'_>) -> Eval<Tree> {
    let option = |name: &str| call.hash(1).and_then(|options| options.get_str(name));
    let is_on = |name: &str, default: bool| match option(name) {
        None | Some(Value::Undef) => default,
        Some(value) => value.is_truthy(),
    };
    let any_container =
        Type::variant(["Array", "Hash", "Object"].into_iter().filter_map(types::named));
    let containers = match option("container_type") {
        Some(Value::Type(type_)) => (**type_).clone(),
        _ => any_container.clone(),
    };
    if !any_container.is_assignable(&containers) {
        return fault(format!(
            "Only Array, Hash, and Object types can be used as container types. Got {containers}"
        ));
    }
    let with_containers = is_on("include_containers", true);
    let with_values = is_on("include_values", true);
    if !with_containers && !with_values {
        return fault("Options 'include_containers' and 'include_values' cannot both be false");
    }
    let options = TreeOptions {
        containers,
        root: with_containers && is_on("include_root", true),
        with_containers,
        with_values,
        references: is_on("include_refs", false),
        depth_first: option("order").and_then(Value::as_str) != Some("breadth_first"),
    };
    Ok(Tree::new(call.value(0).clone(), options))
}
