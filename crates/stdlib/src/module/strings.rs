//! Functions on strings.

use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::{Value, ruby};
use kukla_rubytext::{case, float, shell, uri};

use super::legacy::deprecate;
use super::ruby_like::{fitting, raised, refuse, wrong_number, wrong_number_plain};
use super::transliterate::Characters;
use crate::fault::fault;

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::typed(
        "sprintf_hash",
        &[Signature::new("String format, Hash arguments", |call| {
            deprecate(
                call,
                "sprintf_hash",
                "This method is deprecated. From Puppet 4.10.10/5.3.4 please use the built-in sprintf instead",
            )?;
            crate::formats::formatted(call.string(0), &call.arguments()[1..])
        })],
    ),
    Function::untyped("regexpescape", -1, |call| on_texts(call, ruby::regexp_escape)),
    Function::untyped("swapcase", -1, |call| on_texts(call, case::swapcase)).keeping_encoding(),
    Function::untyped("uriescape", -1, uri_escape),
    Function::untyped("squeeze", -1, squeeze).keeping_encoding(),
    Function::untyped("dos2unix", 1, |call| line_ends(call, |text| text.replace("\r\n", "\n"))),
    Function::untyped("unix2dos", 1, |call| line_ends(call, unix2dos)),
    Function::untyped("shell_join", -1, shell_join),
    Function::untyped("shell_split", -1, shell_split),
    Function::untyped("to_bytes", -1, to_bytes),
    Function::typed("batch_escape", BATCH_ESCAPE),
    Function::typed("stdlib::batch_escape", BATCH_ESCAPE),
    Function::typed("powershell_escape", POWERSHELL_ESCAPE),
    Function::typed("stdlib::powershell_escape", POWERSHELL_ESCAPE),
    Function::typed("shell_escape", SHELL_ESCAPE).keeping_encoding(),
    Function::typed("stdlib::shell_escape", SHELL_ESCAPE),
    Function::typed(
        "stdlib::start_with",
        &[Signature::returning(
            "String test_string, Variant[String[1],Array[String[1], 1]] prefixes",
            "Boolean",
            |call| Ok(has_end(call, |text, prefix| text.starts_with(prefix))),
        )],
    ),
    Function::typed(
        "stdlib::end_with",
        &[Signature::returning(
            "String test_string, Variant[String[1],Array[String[1], 1]] suffixes",
            "Boolean",
            |call| Ok(has_end(call, |text, suffix| text.ends_with(suffix))),
        )],
    ),
    Function::typed(
        "stdlib::xml_encode",
        &[Signature::returning("String str, Enum['text','attr'] type?", "String", xml_encode)],
    ),
];

const BATCH_ESCAPE: &[Signature] = &[Signature::new("Any string", |call| {
    let text = ruby::to_s(call.value(0)).replace('\\', "\\\\").replace('$', "\\$");
    Ok(Value::from(format!("\"{}\"", text.replace('"', "\"\""))))
})];

const POWERSHELL_ESCAPE: &[Signature] = &[Signature::new("Any string", |call| {
    let mut out = String::new();
    for character in ruby::to_s(call.value(0)).chars() {
        match character {
            ' ' | '\'' | '`' | '|' | '\n' | '$' => out.push('`'),
            '"' => out.push_str("\\`"),
            _ => (),
        }
        out.push(character);
    }
    Ok(Value::from(out))
})];

const SHELL_ESCAPE: &[Signature] = &[Signature::new("Any string", |call| {
    Ok(Value::from(shell::escape(&ruby::to_s(call.value(0)))))
})];

/// Maps a string or all strings of an array.
/// Implements `uriescape`.
pub(super) fn uri_escape(call: &mut Call<'_>) -> Eval<Value> {
    on_texts(call, uri::escape)
}

fn on_texts(call: &mut Call<'_>, change: fn(&str) -> String) -> Eval<Value> {
    let change = |value: &Value| match value {
        Value::String(text) => Value::from(change(text)),
        other => other.clone(),
    };
    match call.arguments() {
        [] => wrong_number(call, "1"),
        [Value::Array(values), ..] => Ok(Value::array(values.iter().map(change))),
        [text @ Value::String(_), ..] => Ok(change(text)),
        _ => refuse(call, "Requires either array or string to work with"),
    }
}

fn squeeze(call: &mut Call<'_>) -> Eval<Value> {
    let (item, which) = match call.arguments() {
        [item] => (item, None),
        [item, which] => (item, Some(which).filter(|which| which.is_truthy())),
        _ => return wrong_number_plain(call, "2 or 1"),
    };
    match item {
        Value::Array(items) => {
            let squeezed: Eval<Vec<Value>> =
                items.iter().map(|item| squeezed(item, which)).collect();
            Ok(Value::array(squeezed?))
        }
        item => squeezed(item, which),
    }
}

fn squeezed(item: &Value, which: Option<&Value>) -> Eval<Value> {
    let Value::String(text) = item else { return fault(ruby::no_method("squeeze", item)) };
    let which = match which {
        None => None,
        Some(Value::String(set)) => Some(Characters::parse(set).map_err(raised)?),
        Some(other) => return fault(ruby::no_implicit_conversion(other)),
    };
    let mut out = String::new();
    for character in text.chars() {
        let is_squeezed = which.as_ref().is_none_or(|set| set.contains(character));
        if !(is_squeezed && out.ends_with(character)) {
            out.push(character);
        }
    }
    Ok(Value::from(out))
}

fn line_ends(call: &mut Call<'_>, change: fn(&str) -> String) -> Eval<Value> {
    match call.value(0) {
        Value::String(text) => Ok(Value::from(change(text))),
        _ => refuse(call, "Requires string as argument"),
    }
}

fn unix2dos(text: &str) -> String {
    let mut lines: Vec<&str> = text.split('\n').collect();
    let last = lines.pop().unwrap_or_default();
    let mut out = String::new();
    for line in lines {
        out.push_str(line.trim_end_matches('\r'));
        out.push_str("\r\n");
    }
    out + last
}

fn shell_join(call: &mut Call<'_>) -> Eval<Value> {
    match call.arguments() {
        [Value::Array(words)] => {
            let words: Vec<String> = words.iter().map(ruby::resource_to_s).collect();
            Ok(Value::from(shell::join(&words)))
        }
        [other] => {
            fault(format!("First argument is not an Array: {}", ruby::resource_inspect(other)))
        }
        _ => wrong_number(call, "1"),
    }
}

fn shell_split(call: &mut Call<'_>) -> Eval<Value> {
    let [line] = call.arguments() else { return wrong_number(call, "1") };
    let words = shell::split(&ruby::resource_to_s(line)).map_err(raised)?;
    Ok(Value::array(words.into_iter().map(Value::from)))
}

/// Implements `to_bytes`: `4 kB` is 4096.
fn to_bytes(call: &mut Call<'_>) -> Eval<Value> {
    let text = match call.arguments() {
        [number @ (Value::Integer(_) | Value::Float(_))] => return Ok(number.clone()),
        [Value::String(text)] => text.as_str(),
        [other] => return fault(ruby::no_implicit_conversion(other)),
        _ => return wrong_number(call, "1"),
    };
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit() || ".e+-".contains(c));
    let number = float::to_f(&text[..text.len() - rest.len()]);
    let unit = rest.trim_start_matches([' ', '\t', '\r', '\n', '\u{b}', '\u{c}']).chars().next();
    let shift = match unit.filter(|unit| !matches!(unit, 'b' | 'B')) {
        None => 0,
        Some('k') => 10,
        Some('M') => 20,
        Some('G') => 30,
        Some('T') => 40,
        Some('P') => 50,
        Some('E') => 60,
        Some(other) => return refuse(call, &format!("Unknown prefix {other}")),
    };
    fitting(&float::truncate(number * f64::powi(2.0, shift)).map_err(raised)?)
}

fn has_end(call: &Call<'_>, is_end: fn(&str, &str) -> bool) -> Value {
    let text = call.string(0);
    let ends = super::ruby_like::array(call.value(1));
    Value::Boolean(ends.iter().filter_map(Value::as_str).any(|end| is_end(text, end)))
}

fn xml_encode(call: &mut Call<'_>) -> Eval<Value> {
    let text = call.string(0).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    Ok(Value::from(match call.string(1) {
        "attr" => format!("\"{}\"", text.replace('"', "&quot;")),
        _ => text,
    }))
}
