//! The values that `Init[type]` accepts: arguments of `new` of the type.

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::{InitType, TupleType, Type, infer_set};
use crate::convert::parameter_tuples;

/// The possible arguments of `new` of a type.
#[derive(Clone, Debug, Default)]
pub(crate) struct InitArguments {
    /// The types of single arguments.
    pub(crate) single: Vec<Type>,
    /// Tuples of several arguments, passed as arrays.
    pub(crate) tuples: Vec<Type>,
    /// Set if one element of such an array is enough.
    pub(crate) has_optional_single: bool,
}

/// An error of an `Init` type, in Puppet's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InitError {
    /// The type has no `new`.
    #[error("Creation of new instance of type '{0}' is not supported")]
    NoNew(String),
    /// `new` of the type can't be called with the arguments.
    #[error("The type '{init}' does not represent a valid set of parameters for {name}.new()")]
    BadArguments {
        /// The `Init` type.
        init: String,
        /// The name of the type.
        name: String,
    },
}

impl From<InitError> for String {
    fn from(error: InitError) -> Self {
        error.to_string()
    }
}

/// The result of [`arguments`], or an error.
type Accepted = Result<Arc<InitArguments>, InitError>;

/// The arguments that an `Init` type accepts, found once. It says nothing that the type itself does not.
#[derive(Debug, Default)]
pub(crate) struct AcceptedCache(OnceLock<Accepted>);

impl Clone for AcceptedCache {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for AcceptedCache {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for AcceptedCache {}

impl std::hash::Hash for AcceptedCache {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// The `Init` types whose arguments one question leads to, by address; `None` while they are looked for.
type Visited = FxHashMap<usize, Option<Accepted>>;

thread_local! {
    /// The state of the outermost call of [`arguments`].
    static VISITED: RefCell<Option<Visited>> = const { RefCell::new(None) };
}

/// Returns the arguments that `new` of the type can be called with.
///
/// Object types may have attributes of `Init` types of themselves or of each other. As in Puppet, an `Init` type whose
/// arguments are being looked for takes instances of its type and nothing else. Only the result of the outermost call
/// is kept for good: it depends on the type alone.
pub(crate) fn arguments(init: &InitType) -> Accepted {
    if let Some(known) = init.accepted.0.get() {
        return known.clone();
    }
    let id = std::ptr::from_ref(init).addr();
    let is_outermost = VISITED.with_borrow(Option::is_none);
    let visited = VISITED.with_borrow_mut(|visited| {
        let visited = visited.get_or_insert_default();
        let known = visited.get(&id).cloned();
        visited.entry(id).or_insert(None);
        known
    });
    match visited {
        Some(Some(known)) => return known,
        Some(None) => return Ok(Arc::default()),
        None => (),
    }
    let found = find(init).map(Arc::new);
    match is_outermost {
        true => {
            VISITED.set(None);
            init.accepted.0.get_or_init(|| found).clone()
        }
        false => VISITED.with_borrow_mut(|visited| {
            visited.as_mut().map(|visited| visited.insert(id, Some(found.clone())));
            found
        }),
    }
}

/// Finds the arguments that `new` of the type can be called with.
fn find(init: &InitType) -> Result<InitArguments, InitError> {
    let unsupported = || InitError::NoNew(init.type_.text());
    let signatures = signatures(&init.type_).ok_or_else(unsupported)?;
    if init.arguments.is_empty() {
        let is_single = |tuple: &TupleType| tuple.size_range() == super::IntegerRange::exactly(1);
        let (single, tuples): (Vec<_>, Vec<_>) = signatures.into_iter().partition(is_single);
        return Ok(InitArguments {
            single: single.into_iter().filter_map(|tuple| tuple.types.into_iter().next()).collect(),
            has_optional_single: tuples.iter().any(|tuple| tuple.size_range().min == 1),
            tuples: tuples.into_iter().map(|tuple| Type::tuple(tuple.types, tuple.size)).collect(),
        });
    }
    let fixed: Vec<Type> = init.arguments.iter().map(infer_set).collect();
    let fitting = signatures.into_iter().filter(|tuple| takes(tuple, &fixed));
    let single: Vec<Type> = fitting.filter_map(|tuple| tuple.types.into_iter().next()).collect();
    if single.is_empty() {
        return Err(InitError::BadArguments {
            init: Type::Init(Some(std::sync::Arc::new(init.clone()))).to_string(),
            name: init.type_.generalize().name(),
        });
    }
    Ok(InitArguments { single, tuples: Vec::new(), has_optional_single: false })
}

/// Returns true if `new` can be called with one argument and the fixed ones after it.
fn takes(tuple: &TupleType, fixed: &[Type]) -> bool {
    let count = super::IntegerRange::exactly(fixed.len() + 1);
    let first = tuple.types.first().cloned();
    let all = first.into_iter().chain(fixed.iter().cloned()).collect();
    tuple.size_range().covers(count)
        && Type::tuple(tuple.types.clone(), tuple.size).is_assignable(&Type::tuple(all, None))
}

/// Returns the parameters of `new`, one tuple per signature.
fn signatures(type_: &Type) -> Option<Vec<TupleType>> {
    match type_ {
        Type::Alias(alias) if alias.is_recursive() => None,
        Type::Init(_) | Type::Optional(_) | Type::NotUndef(_) => None,
        type_ => parameter_tuples(type_),
    }
}
