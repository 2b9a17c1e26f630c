//! Numbers from texts, where Puppet takes texts for numbers.

use kukla_pcore::Value;

/// The number that a text is, or `None`: blanks, a sign, blanks, then a hexadecimal, octal, decimal or float number.
pub(crate) fn number(text: &str) -> Option<Value> {
    let text = text.strip_prefix("::").unwrap_or(text);
    let text = text.trim_matches(is_blank);
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, text[1..].trim_start_matches(is_blank)),
        b'+' => (false, text[1..].trim_start_matches(is_blank)),
        _ => (false, text),
    };
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        return integer(hex, 16, negative);
    }
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let (whole, rest) = digits.split_at(end);
    if whole.is_empty() {
        return None;
    }
    if rest.is_empty() {
        let radix = if whole.len() > 1 && whole.starts_with('0') { 8 } else { 10 };
        return integer(whole, radix, negative);
    }
    float(whole, rest, negative)
}

fn is_blank(c: char) -> bool {
    c == ' ' || c == '\t'
}

fn integer(digits: &str, radix: u32, negative: bool) -> Option<Value> {
    if digits.is_empty() || digits.starts_with(['+', '-']) {
        return None;
    }
    let value = i128::from_str_radix(digits, radix).ok()?;
    let value = if negative { -value } else { value };
    i64::try_from(value).ok().map(Value::Integer)
}

/// `rest` is what follows the whole part: a fraction, an exponent or both.
fn float(whole: &str, rest: &str, negative: bool) -> Option<Value> {
    let exponent_at = rest.find(['e', 'E']).unwrap_or(rest.len());
    let (fraction, exponent) = rest.split_at(exponent_at);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !fraction.is_empty() && !fraction.strip_prefix('.').is_some_and(digits) {
        return None;
    }
    if !exponent.is_empty() {
        let power = &exponent[1..];
        if !digits(power.strip_prefix('-').unwrap_or(power)) {
            return None;
        }
        // Puppet does not take `0e5` or `0.0e5` for a number.
        let zeros = fraction.strip_prefix('.').unwrap_or("").bytes().all(|b| b == b'0');
        if whole.bytes().all(|b| b == b'0') && zeros {
            return None;
        }
    }
    let value: f64 = format!("{whole}{rest}").parse().ok()?;
    value.is_finite().then_some(Value::Float(if negative { -value } else { value }))
}
