//! Functions that choose at random, or by the name of the node.

use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::{Value, ruby};
use kukla_rubytext::digest;
use kukla_rubytext::random::Random;

use super::arrays::as_list;
use super::crypt::by_chance;
use super::facts::dig;
use super::predicates::is_integer;
use super::ruby_like::{raised, refuse, to_i, wrong_number};
use crate::fault::fault;

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::untyped("fqdn_rand_string", -2, fqdn_rand_string),
    Function::typed(
        "stdlib::fqdn_rand_string",
        &[Signature::new("Integer[1] length, Optional[String] charset?, Any *seed", |call| {
            let seed = call.arguments().get(2..).unwrap_or_default();
            rand_string(call, call.integer(0), call.string(1), seed)
        })],
    ),
    Function::untyped("fqdn_rotate", -1, fqdn_rotate),
    Function::typed(
        "stdlib::fqdn_rotate",
        &[
            Signature::returning(
                "String input, Variant[Integer,String] *seeds",
                "String",
                rotate_by_facts,
            ),
            Signature::returning(
                "Array input, Variant[Integer,String] *seeds",
                "Array",
                rotate_by_facts,
            ),
        ],
    ),
    Function::untyped("fqdn_uuid", -1, fqdn_uuid),
    Function::untyped("seeded_rand", 2, seeded_rand),
    Function::typed(
        "stdlib::seeded_rand",
        &[Signature::new("Integer[1] max, String seed", |call| {
            below(call.string(1), call.integer(0))
        })],
    ),
    Function::typed("seeded_rand_string", SEEDED_RAND_STRING),
    Function::typed("stdlib::seeded_rand_string", SEEDED_RAND_STRING),
    Function::untyped("shuffle", -1, shuffle),
];

const SEEDED_RAND_STRING: &[Signature] =
    &[Signature::new("Integer[1] length, String seed, String[2] charset?", |call| {
        let letters: Vec<char> = match call.string(2) {
            "" => ('0'..='9').chain('a'..='z').chain('A'..='Z').collect(),
            charset => charset.chars().collect(),
        };
        let mut random = Random::from_hex(&digest::sha256(call.string(1).as_bytes()));
        letters_by(call, call.integer(0), &letters, |_, _, n| random.below(n).map_err(raised))
    })];

/// The maximum length of a random text.
const LONGEST: i64 = 10_000_000;

/// Returns a text of letters chosen one by one.
fn letters_by(
    call: &mut Call<'_>,
    length: i64,
    letters: &[char],
    mut choose: impl FnMut(&mut Call<'_>, i64, i64) -> Eval<i64>,
) -> Eval<Value> {
    if length > LONGEST {
        return refuse(call, "the string would be too long");
    }
    let n_letters = i64::try_from(letters.len()).unwrap_or(i64::MAX);
    let mut text = String::new();
    for n in 1..=length {
        let index = usize::try_from(choose(call, n, n_letters)?).unwrap_or(0);
        text.extend(letters.get(index));
    }
    Ok(Value::from(text))
}

fn fqdn_rand_string(call: &mut Call<'_>) -> Eval<Value> {
    let [length, rest @ ..] = call.arguments() else { return Ok(Value::Undef) };
    if !(is_integer(length) && to_i(length)? > 0) {
        return refuse(call, "first argument must be a positive integer");
    }
    let charset = match rest.first() {
        None => "",
        Some(Value::String(charset)) => charset.as_str(),
        Some(_) => return refuse(call, "second argument must be undef or a string"),
    };
    let seed = rest.get(1..).unwrap_or_default();
    rand_string(call, to_i(length)?, charset, seed)
}

fn rand_string(call: &mut Call<'_>, length: i64, charset: &str, seed: &[Value]) -> Eval<Value> {
    let letters: Vec<char> = match charset {
        "" => ('0'..='9').chain('A'..='Z').chain('a'..='z').collect(),
        charset => charset.chars().collect(),
    };
    letters_by(call, length, &letters, |call, n, n_letters| {
        let mut seed = seed.to_vec();
        seed.push(Value::Integer(n));
        let seed = Value::from(ruby::join(&seed, ":"));
        to_i(&call.call_function("fqdn_rand", &[Value::Integer(n_letters), seed])?)
    })
}

fn fqdn_rotate(call: &mut Call<'_>) -> Eval<Value> {
    let [value, seeds @ ..] = call.arguments() else { return wrong_number(call, "1") };
    as_list(call, value, |call, list| {
        let Some(fqdn) = call.top_variable("fqdn") else {
            return fault("Undefined variable '::fqdn'; ");
        };
        rotate(list, &fqdn, seeds)
    })
}

fn rotate_by_facts(call: &mut Call<'_>) -> Eval<Value> {
    let (value, seeds) = (call.value(0), call.arguments().get(1..).unwrap_or_default());
    as_list(call, value, |call, list| match list.len() {
        0 | 1 => Ok(()),
        _ => rotate(list, &dig(call, &["networking", "fqdn"])?, seeds),
    })
}

fn rotate(list: &mut [Value], fqdn: &Value, seeds: &[Value]) -> Eval<()> {
    let text = ruby::join(&[fqdn.clone(), Value::array(seeds.iter().cloned())], ":");
    let mut random = Random::from_hex(&digest::md5(text.as_bytes()));
    let size = i64::try_from(list.len()).unwrap_or(i64::MAX);
    let offset = random.below(size).map_err(raised)?;
    list.rotate_left(usize::try_from(offset).unwrap_or(0));
    Ok(())
}

fn fqdn_uuid(call: &mut Call<'_>) -> Eval<Value> {
    match call.arguments() {
        [] => crate::fault::wrong_arguments("fqdn_uuid: No arguments given"),
        [Value::String(name)] => Ok(Value::from(digest::dns_uuid(name))),
        [other] => fault(ruby::no_implicit_conversion(other)),
        arguments => crate::fault::wrong_arguments(format!(
            "fqdn_uuid: Too many arguments given ({})",
            arguments.len()
        )),
    }
}

fn seeded_rand(call: &mut Call<'_>) -> Eval<Value> {
    let max = call.value(0);
    if !(is_integer(max) && to_i(max)? > 0) {
        return refuse(call, "first argument must be a positive integer");
    }
    match call.value(1) {
        Value::String(seed) => below(seed, to_i(max)?),
        _ => refuse(call, "second argument must be a string"),
    }
}

fn below(seed: &str, max: i64) -> Eval<Value> {
    let mut random = Random::from_hex(&digest::md5(seed.as_bytes()));
    random.below(max).map(Value::Integer).map_err(raised)
}

fn shuffle(call: &mut Call<'_>) -> Eval<Value> {
    let [value, ..] = call.arguments() else { return wrong_number(call, "1") };
    as_list(call, value, |call, list| {
        by_chance(call).shuffle(list);
        Ok(())
    })
}
