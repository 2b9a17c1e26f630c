//! Functions that hash passwords and other data.

use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::{Hash, Value, ruby};
use kukla_rubytext::random::Random;
use kukla_rubytext::{BigInt, case, crypt, digest};

use super::ruby_like::{class, raised, refuse};

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::untyped("pw_hash", 3, |call| hashed(call, &ANY_COST)),
    Function::untyped("str2saltedpbkdf2", -1, str2saltedpbkdf2),
    Function::untyped("str2saltedsha512", -1, str2saltedsha512),
    Function::typed(
        "stdlib::sha256",
        &[Signature::returning(SCALAR, "String", |call| {
            Ok(Value::from(digest::sha256(bare(call.value(0)).as_bytes())))
        })],
    ),
    Function::typed(
        "stdlib::crc32",
        &[Signature::returning(SCALAR, "String", |call| {
            Ok(Value::from(format!("{:x}", crc32(bare(call.value(0)).as_bytes()))))
        })],
    ),
];

const SCALAR: &str =
    "Variant[ScalarData, Sensitive[ScalarData], Binary, Sensitive[Binary]] my_data";

fn bare(value: &Value) -> String {
    ruby::to_s(unwrapped(value))
}

fn unwrapped(value: &Value) -> &Value {
    match value {
        Value::Sensitive(inner) => inner,
        other => other,
    }
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 }
        })
    };
    !bytes.iter().fold(u32::MAX, step)
}

/// The salts of bcrypt that are accepted.
struct Costs {
    pattern: &'static str,
    accepts: fn(u8) -> bool,
}

const ANY_COST: Costs = Costs { pattern: "[0-9]{2}", accepts: |_| true };

/// stdlib 9 checks the number of rounds.
const REAL_COST: Costs =
    Costs { pattern: "(0[4-9]|[12][0-9]|3[01])", accepts: |cost| (4..=31).contains(&cost) };

/// Implements `pw_hash` of stdlib 9.
pub(super) fn pw_hash_nine(call: &mut Call<'_>) -> Eval<Value> {
    hashed(call, &REAL_COST)
}

fn hashed(call: &mut Call<'_>, costs: &Costs) -> Eval<Value> {
    let [password, kind, salt] = [0, 1, 2].map(|n| unwrapped(call.value(n)));
    if !matches!(password, Value::String(_) | Value::Undef) {
        return refuse(call, "first argument must be a string");
    }
    let Value::String(kind) = kind else { return refuse(call, "second argument must be a string") };
    let (prefix, is_bcrypt) = match case::downcase(kind).as_str() {
        "md5" => ("1", false),
        "sha-256" => ("5", false),
        "sha-512" => ("6", false),
        "bcrypt" => ("2b", true),
        "bcrypt-a" => ("2a", true),
        "bcrypt-x" => ("2x", true),
        "bcrypt-y" => ("2y", true),
        _ => return refuse(call, &format!("{kind} is not a valid hash type")),
    };
    let Value::String(salt) = salt else { return refuse(call, "third argument must be a string") };
    if salt.is_empty() {
        return refuse(call, "third argument must not be empty");
    }
    if is_bcrypt && !salt.split('\n').any(|line| is_bcrypt_salt(line, costs)) {
        let cost = costs.pattern;
        let words =
            format!("characters in salt must match (?-mix:^{cost}\\$[.\\/A-Za-z0-9]{{22}})");
        return refuse(call, &words);
    }
    if !is_bcrypt && !salt.bytes().all(is_letter) {
        return refuse(call, "characters in salt must be in the set [a-zA-Z0-9./]");
    }
    match password.as_str() {
        None | Some("") => Ok(Value::Undef),
        Some(password) => {
            let hash = crypt::crypt(password, &format!("${prefix}${salt}")).map_err(raised)?;
            Ok(call.text_of_bytes(&hash))
        }
    }
}

const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/')
}

/// Returns true for `10$abcdefghijklmnopqrstuv`, followed by any text.
fn is_bcrypt_salt(line: &str, costs: &Costs) -> bool {
    let bytes = line.as_bytes();
    bytes.len() >= 25
        && bytes[..2].iter().all(u8::is_ascii_digit)
        && (costs.accepts)((bytes[0] - b'0') * 10 + (bytes[1] - b'0'))
        && bytes[2] == b'$'
        && bytes[3..25].iter().all(|byte| is_letter(*byte))
}

fn str2saltedpbkdf2(call: &mut Call<'_>) -> Eval<Value> {
    let n = call.arguments().len();
    if n != 3 {
        return refuse(call, &format!("wrong number of arguments ({n} for 3)"));
    }
    let [password, salt, iterations] = [0, 1, 2].map(|n| unwrapped(call.value(n)));
    let Value::String(password) = password else {
        return refuse(call, "first argument must be a string");
    };
    let Value::String(salt) = salt else { return refuse(call, "second argument must be a string") };
    if salt.len() < 8 {
        return refuse(call, "second argument must be at least 8 bytes long");
    }
    let Value::Integer(iterations) = iterations else {
        return refuse(call, "third argument must be an integer");
    };
    let rounds = match u32::try_from(*iterations) {
        Ok(rounds @ 40_001..70_000) => rounds,
        _ => return refuse(call, "third argument must be between 40,000 and 70,000"),
    };
    let hash = crypt::pbkdf2_sha512(password.as_bytes(), salt.as_bytes(), rounds, 128);
    let entry = |name: &str, value: Value| (Value::from(name), value);
    Ok(Value::hash(Hash::from_iter([
        entry("password_hex", Value::from(digest::hex(&hash))),
        entry("salt_hex", Value::from(digest::hex(salt.as_bytes()))),
        entry("iterations", Value::Integer(*iterations)),
    ])))
}

fn str2saltedsha512(call: &mut Call<'_>) -> Eval<Value> {
    match call.arguments() {
        [Value::String(password)] => {
            let salt = by_chance(call).next_u32() & 0x7fff_ffff;
            Ok(Value::from(crypt::salted_sha512(password, salt.to_le_bytes())))
        }
        [other] => {
            let class = class(other);
            refuse(call, &format!("Requires a String argument, you passed: {class}"))
        }
        arguments => {
            let n = arguments.len();
            refuse(call, &format!("Wrong number of arguments passed ({n} but we require 1)"))
        }
    }
}

/// Returns a generator seeded by the clock.
pub(super) fn by_chance(call: &Call<'_>) -> Random {
    Random::new(&BigInt::from(call.inputs().now()))
}
