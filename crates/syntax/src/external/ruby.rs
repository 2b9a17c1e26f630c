//! How Ruby writes floats and JSON strings.

use std::fmt::Write;

#[cfg(test)]
mod tests;

/// `number` as Ruby's `Float#to_s` writes it.
///
/// ```
/// # use kukla_syntax::external::ruby::float_to_s;
/// assert_eq!(float_to_s(1e14), "100000000000000.0");
/// assert_eq!(float_to_s(1e15), "1.0e+15");
/// assert_eq!(float_to_s(0.00001), "1.0e-05");
/// ```
pub fn float_to_s(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    let sign = if number.is_sign_negative() { "-" } else { "" };
    let (digits, exponent) = shortest(number.abs());
    format!("{sign}{}", placed(&digits, exponent))
}

/// The fewest digits that stand for `number`, and the power of ten of the first.
///
/// Of two that are equally near, Ruby takes the even one.
fn shortest(number: f64) -> (String, i32) {
    let (digits, exponent) = scientific(&format!("{number:e}"));
    // A tie has exactly one digit more. This is enough to see that no other follows it.
    let (exact, _) = scientific(&format!("{number:.40e}"));
    let (cut, beyond) = exact.split_at(digits.len());
    let is_tie =
        beyond.strip_prefix('5').is_some_and(|rest| rest.bytes().all(|digit| digit == b'0'));
    if is_tie && is_even(cut) && placed(cut, exponent).parse() == Ok(number) {
        return (cut.to_owned(), exponent);
    }
    (digits, exponent)
}

/// The digits and the exponent of a number that Rust wrote.
fn scientific(written: &str) -> (String, i32) {
    let (mantissa, exponent) = written.split_once('e').expect("the format has an exponent");
    (mantissa.replace('.', ""), exponent.parse().expect("the exponent is an integer"))
}

fn is_even(digits: &str) -> bool {
    digits.ends_with(['0', '2', '4', '6', '8'])
}

/// The digits with a point and perhaps an exponent, where Ruby has them.
fn placed(digits: &str, exponent: i32) -> String {
    let n_digits = i32::try_from(digits.len()).expect("there are few digits");
    let n_before = exponent + 1;
    if n_before > 0 && n_before < n_digits {
        let (before, after) = digits.split_at(usize::try_from(n_before).expect("it is positive"));
        return format!("{before}.{after}");
    }
    match n_before {
        1..=15 => {
            let width = usize::try_from(n_before).expect("it is positive");
            format!("{digits:0<width$}.0")
        }
        -3..=0 => {
            let n_zeros = usize::try_from(-n_before).expect("it is not negative");
            format!("0.{}{digits}", "0".repeat(n_zeros))
        }
        _ => {
            let (first, rest) = digits.split_at(1);
            let rest = if rest.is_empty() { "0" } else { rest };
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{first}.{rest}e{sign}{:02}", exponent.abs())
        }
    }
}

/// `text` as a string in JSON that Ruby wrote, with its quotes.
///
/// ```
/// # use kukla_syntax::external::ruby::json_string;
/// assert_eq!(json_string("a\n\"é/"), r#""a\n\"é/""#);
/// ```
pub fn json_string(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 2);
    written.push('"');
    for character in text.chars() {
        match character {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            '\x0C' => written.push_str("\\f"),
            '\x08' => written.push_str("\\b"),
            '\0'..='\x1F' => {
                write!(written, "\\u{:04x}", u32::from(character))
                    .expect("a string takes all text");
            }
            _ => written.push(character),
        }
    }
    written.push('"');
    written
}
