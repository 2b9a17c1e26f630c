//! Laws of the type system, on generated types.
//!
//! Puppet's own type system breaks them in a few corners; each test lists them. `cargo xtask compare types` checks that
//! ours breaks them in the same corners.

use kukla_pcore::types::parse::parse_literal;
use kukla_pcore::types::{Type, infer_set, parse};

use super::{ALIASES, Environment, question};

const N: u64 = 4000;

fn environment() -> Environment {
    Environment::new(ALIASES).expect("aliases are valid")
}

fn types(names: &Environment) -> Vec<Type> {
    let all = (0..N).flat_map(|seed| {
        let question = question(seed);
        [question.a, question.b]
    });
    all.filter_map(|text| parse(&text, names).ok()).collect()
}

/// Whether the text of a type contains one of these.
fn mentions(type_: &Type, texts: &[&str]) -> bool {
    let type_text = type_.expanded();
    texts.iter().any(|text| type_text.contains(text))
}

/// Exceptions: `NotUndef[Optional[a]]`, and `Optional[Variant]`, where `Variant` is empty.
#[test]
fn every_type_takes_itself() {
    let names = environment();
    for type_ in &types(&names) {
        if mentions(type_, &["NotUndef["]) || ends_with(type_, &["Variant"]) {
            continue;
        }
        assert!(type_.is_assignable(type_), "{type_}");
    }
}

/// Exceptions: `Optional` and `Enum` without parameters take every type but not every value; the type of a type
/// is an object, but not an Object type. Of two aliases that stand for each other Puppet forgets one on the way
/// into an array: `[[]]` is no `Deep`.
#[test]
fn instance_agrees_with_the_inferred_type() {
    let names = environment();
    for seed in 0..N {
        let question = question(seed);
        let Ok(type_) = parse(&question.a, &names) else { continue };
        let Ok(value) = parse_literal(&question.value, &names) else { continue };
        let inferred = infer_set(&value);
        if ends_with(&type_, &["Optional", "Enum", "Object", "Init"])
            || mentions(&type_, &["Deep", "Wide"])
        {
            continue;
        }
        assert!(inferred.is_instance(&value), "{} of {inferred}", question.value);
        assert_eq!(
            type_.is_instance(&value),
            type_.is_assignable(&inferred),
            "{} of {type_}",
            question.value
        );
    }
}

/// Whether the text of a type contains a name without parameters.
fn ends_with(type_: &Type, names: &[&str]) -> bool {
    let text = type_.to_string();
    let words = text.split([',', ' ', ']']);
    words.into_iter().any(|word| names.iter().any(|name| word.rsplit('[').next() == Some(name)))
}

/// Exceptions: unknown names, what `Sensitive` drops each time it is created, and callables without parameters, whose
/// text has an empty parameter list.
#[test]
fn text_gives_the_type_back() {
    let names = environment();
    let odd = ["Foo", "Bar", "TypeReference", "Sensitive[", "Object", "Unit", "[0, 0, "];
    for type_ in types(&names).into_iter().filter(|type_| !mentions(type_, &odd)) {
        let text = type_.to_string();
        match parse(&text, &names) {
            Ok(again) => assert_eq!(again, type_, "{text}"),
            Err(error) => panic!("{text}: {error}"),
        }
    }
}

/// Exceptions: `Optional` alone takes everything, but is taken where only `Undef` is.
#[test]
fn assignability_is_transitive() {
    let names = environment();
    let types: Vec<Type> = types(&names)
        .into_iter()
        .filter(|type_| !ends_with(type_, &["Optional", "Enum"]))
        .collect();
    for triple in types.windows(3) {
        let [a, b, c] = triple else { continue };
        if a.is_assignable(b) && b.is_assignable(c) {
            assert!(a.is_assignable(c), "{a} takes {b}, which takes {c}");
        }
    }
}
