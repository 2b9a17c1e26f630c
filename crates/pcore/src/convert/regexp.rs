//! `Regexp.new`

use std::sync::LazyLock;

use super::signature::{NewFunction, SignatureRow};
use super::{Convert, ConvertError};
use crate::Value;
use crate::regex::Regex;

/// Named after another function, as in Puppet.
pub(super) static FUNCTION: LazyLock<NewFunction> = LazyLock::new(|| {
    let parameters = &[("pattern", "String"), ("escape?", "Boolean")];
    NewFunction::new("new_float", &[], &[SignatureRow::Make(parameters, from_string)])
});

fn from_string(_: &Convert<'_>, args: &[Value]) -> Result<Value, ConvertError> {
    let [Value::String(pattern), rest @ ..] = args else { return Ok(Value::Undef) };
    let regex = match rest.first().is_some_and(Value::is_truthy) {
        true => Regex::new(&escape(pattern)),
        false => Regex::new(pattern),
    };
    regex.map(Value::Regexp).map_err(|error| ConvertError::new(error.to_string()))
}

/// Returns a pattern that matches only the text, as Ruby's `Regexp.escape` does.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        let letter = match char {
            '\t' => 't',
            '\n' => 'n',
            '\r' => 'r',
            '\x0c' => 'f',
            '\x0b' => 'v',
            other => other,
        };
        if letter != char || " []{}()|-*.\\?+^$#".contains(char) {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}
