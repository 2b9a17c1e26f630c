//! Compares two types and lists the mismatches.

use super::super::make::size_or_any;
use super::super::visit;
use super::super::{
    ArrayType, CallableType, HashType, IntegerRange, StructElement, TupleType, Type,
};
use super::merge::{SizeWording, merge};
use super::path::{Step, then};
use super::{Mismatch, MismatchKind};
use kukla_base::cancel::walk;

/// The expected type: its simplest form, and the form in messages.
#[derive(Clone, Copy)]
struct Expected<'a> {
    original: &'a Type,
    path: &'a [Step],
}

impl Expected<'_> {
    fn mismatch(&self, actual: &Type) -> Vec<Mismatch> {
        vec![Mismatch::of_type(self.path, self.original, actual)]
    }

    fn sizes(&self, expected: IntegerRange, actual: IntegerRange) -> Vec<Mismatch> {
        vec![Mismatch::new(self.path, MismatchKind::Size { expected, actual })]
    }
}

/// Returns all mismatches between the expected and the actual type.
pub(super) fn describe(expected: &Type, actual: &Type, path: &[Step]) -> Vec<Mismatch> {
    if let Some(name) = visit::unresolved(expected) {
        return vec![Mismatch::new(path, MismatchKind::Unresolved(name))];
    }
    let here = Expected { original: expected, path };
    compare(&expected.normalize(), actual, here)
}

fn compare(expected: &Type, actual: &Type, here: Expected<'_>) -> Vec<Mismatch> {
    walk(Vec::new(), || match expected {
        Type::Variant(types) => variant(types, actual, here),
        Type::Struct(elements) => structure(elements, actual, here),
        Type::Hash(hash) => self::hash(hash, actual, here),
        Type::Tuple(tuple) => self::tuple(tuple, actual, here, SizeWording::Size),
        Type::Array(array) => self::array(array, actual, here),
        Type::Callable(callable) => self::callable(callable, actual, here),
        Type::Optional(inner) => optional(expected, inner.as_deref(), actual, here),
        Type::Pattern(_) | Type::Enum(_) => {
            let expected = here.original.normalize();
            vec![Mismatch::new(
                here.path,
                MismatchKind::Pattern { expected, actual: actual.normalize() },
            )]
        }
        Type::Alias(alias) => match alias.resolved() {
            Some(resolved) if here.path.len() < MAX_PATH => {
                let here = Expected { original: expected, ..here };
                compare(&resolved.normalize(), actual, here)
            }
            _ => here.mismatch(actual),
        },
        expected if expected.is_assignable(actual) => Vec::new(),
        _ => here.mismatch(actual),
    })
}

/// The maximum length of a path, since recursive types may be infinite.
const MAX_PATH: usize = 512;

fn optional(
    expected: &Type,
    inner: Option<&Type>,
    actual: &Type,
    here: Expected<'_>,
) -> Vec<Mismatch> {
    let Some(inner) = inner else { return Vec::new() };
    if matches!(actual, Type::Undef) {
        return Vec::new();
    }
    let is_alias = matches!(here.original, Type::Alias(_));
    let original = if is_alias { here.original } else { expected };
    compare(inner, actual, Expected { original, ..here })
}

fn variant(types: &[Type], actual: &Type, here: Expected<'_>) -> Vec<Mismatch> {
    let undef = matches!(here.original, Type::Optional(_)).then_some(&Type::Undef);
    let mut all = Vec::new();
    for (index, type_) in undef.into_iter().chain(types).enumerate() {
        let mismatches = describe(type_, actual, &then(here.path, Step::Variant(index)));
        if mismatches.is_empty() {
            return Vec::new();
        }
        all.push(mismatches);
    }
    let merged = merge(here.path.len(), SizeWording::Size, &all);
    if matches!(here.original, Type::Alias(_)) && merged.len() == 1 {
        return here.mismatch(actual);
    }
    merged
}

fn array(expected: &ArrayType, actual: &Type, here: Expected<'_>) -> Vec<Mismatch> {
    let size = size_or_any(expected.size);
    match actual {
        Type::Tuple(tuple) => {
            let actual_size =
                tuple.size.unwrap_or_else(|| IntegerRange::exactly(tuple.types.len()));
            if !size.covers(actual_size) {
                return here.sizes(size, actual_size);
            }
            let wrong = tuple.types.iter().enumerate();
            let wrong = wrong.filter(|(_, type_)| !expected.element.is_assignable(type_));
            wrong
                .flat_map(|(index, type_)| {
                    describe(&expected.element, type_, &then(here.path, Step::Index(index)))
                })
                .collect()
        }
        Type::Array(array) => {
            let actual_size = size_or_any(array.size);
            match expected.size.is_none() || size.covers(actual_size) {
                true => here.mismatch(&Type::array(array.element.clone(), None)),
                false => here.sizes(size, actual_size),
            }
        }
        actual => here.mismatch(actual),
    }
}

fn hash(expected: &HashType, actual: &Type, here: Expected<'_>) -> Vec<Mismatch> {
    let size = size_or_any(expected.size);
    match actual {
        Type::Struct(elements) => {
            let actual_size = struct_size(elements);
            match size.covers(actual_size) {
                true => {
                    elements.iter().flat_map(|element| entry(expected, element, here)).collect()
                }
                false => here.sizes(size, actual_size),
            }
        }
        Type::Hash(hash) => {
            let actual_size = size_or_any(hash.size);
            match expected.size.is_none() || size.covers(actual_size) {
                true => here.mismatch(&Type::hash(hash.key.clone(), hash.value.clone(), None)),
                false => here.sizes(size, actual_size),
            }
        }
        actual => here.mismatch(actual),
    }
}

fn entry(expected: &HashType, element: &StructElement, here: Expected<'_>) -> Vec<Mismatch> {
    let mut all = Vec::new();
    let name = element.name.to_string();
    let key = element.key_type();
    if !expected.key.is_assignable(&key) {
        all = describe(&expected.key, &key, &then(here.path, Step::EntryKey(name.clone())));
    }
    if !expected.value.is_assignable(&element.value) {
        let path = then(here.path, Step::EntryValue(name));
        all.extend(describe(&expected.value, &element.value, &path));
    }
    all
}

/// Returns the range from the number of required keys to that of all.
fn struct_size(elements: &[StructElement]) -> IntegerRange {
    let required = elements.iter().filter(|element| !element.optional_key).count();
    IntegerRange::sizes(required, elements.len())
}

fn structure(elements: &[StructElement], actual: &Type, here: Expected<'_>) -> Vec<Mismatch> {
    match actual {
        Type::Struct(others) => between_structs(elements, others, here),
        Type::Hash(hash) => {
            let (size, actual_size) = (struct_size(elements), size_or_any(hash.size));
            match size.covers(actual_size) {
                true => here.mismatch(&Type::hash(hash.key.clone(), hash.value.clone(), None)),
                false => here.sizes(size, actual_size),
            }
        }
        actual => here.mismatch(actual),
    }
}

fn between_structs(
    elements: &[StructElement],
    others: &[StructElement],
    here: Expected<'_>,
) -> Vec<Mismatch> {
    let mut all = Vec::new();
    for element in elements {
        let name = element.name.to_string();
        let Some(other) = others.iter().rev().find(|other| other.name == element.name) else {
            if !element.optional_key {
                all.push(Mismatch::new(here.path, MismatchKind::MissingKey(name)));
            }
            continue;
        };
        if other.optional_key && !element.optional_key {
            let path = then(here.path, Step::EntryKey(name.clone()));
            all.extend(describe(&element.key_type(), &other.key_type(), &path));
        }
        if !element.value.is_assignable(&other.value) {
            let path = then(here.path, Step::EntryValue(name));
            all.extend(describe(&element.value, &other.value, &path));
        }
    }
    let is_expected = |name: &str| elements.iter().any(|element| element.name == name);
    let extra = others.iter().filter(|other| !is_expected(&other.name));
    all.extend(extra.map(|other| {
        Mismatch::new(here.path, MismatchKind::ExtraneousKey(other.name.to_string()))
    }));
    all
}

fn tuple(
    expected: &TupleType,
    actual: &Type,
    here: Expected<'_>,
    sizes: SizeWording,
) -> Vec<Mismatch> {
    let size = expected.size_range();
    let sized =
        |actual_size: IntegerRange| vec![Mismatch::new(here.path, sizes.kind(size, actual_size))];
    match actual {
        Type::Tuple(tuple) => {
            let actual_size = tuple.size_range();
            if expected == &**tuple {
                return Vec::new();
            }
            if !size.covers(actual_size) {
                return sized(actual_size);
            }
            let last = expected.types.len().saturating_sub(1);
            let each = tuple.types.iter().enumerate();
            each.flat_map(|(index, type_)| {
                let place = index.min(last);
                expected.types.get(place).map_or_else(Vec::new, |expected| {
                    describe(expected, type_, &then(here.path, Step::Index(place)))
                })
            })
            .collect()
        }
        Type::Array(array) => {
            if expected.types.is_empty() {
                return Vec::new();
            }
            let actual_size = size_or_any(array.size);
            if !size.covers(actual_size) {
                return sized(actual_size);
            }
            let each = expected.types.iter().enumerate();
            each.flat_map(|(index, type_)| {
                describe(type_, &array.element, &then(here.path, Step::Index(index)))
            })
            .collect()
        }
        actual => here.mismatch(actual),
    }
}

fn callable(expected: &CallableType, actual: &Type, here: Expected<'_>) -> Vec<Mismatch> {
    let Type::Callable(actual) = actual else { return here.mismatch(actual) };
    if let Some(parameters) = &expected.parameters {
        let original = Type::tuple(parameters.types.clone(), parameters.size);
        let others = actual.parameters.as_ref();
        let others = others.map_or(Type::Any, |tuple| Type::tuple(tuple.types.clone(), tuple.size));
        let here = Expected { original: &original, ..here };
        let errors = tuple(parameters, &others, here, SizeWording::Count);
        if !errors.is_empty() {
            return errors;
        }
    } else if expected.returns.is_none() {
        return Vec::new();
    }
    let this = expected.returns.as_ref().unwrap_or(&Type::Any);
    let that = actual.returns.as_ref().unwrap_or(&Type::Any);
    if !this.is_assignable(that) {
        return vec![Mismatch::of_type(&then(here.path, Step::Return), this, that)];
    }
    let this = expected.block.as_ref().unwrap_or(&Type::Undef);
    let that = actual.block.as_ref().unwrap_or(&Type::Undef);
    if that.is_assignable(this) {
        return Vec::new();
    }
    vec![Mismatch::of_type(&then(here.path, Step::Block), this, that)]
}
