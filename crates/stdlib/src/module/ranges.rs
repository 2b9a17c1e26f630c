//! `range`, with Ruby's ranges of strings.

use kukla_compiler::{Call, Eval, Function};
use kukla_pcore::regex::Options;
use kukla_pcore::{Value, ruby};

use super::ruby_like::{has_digits_line, refuse, to_i};
use crate::fault::{failed, fault};

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[Function::untyped("range", -1, range)];

/// The maximum length of a range.
const LONGEST: usize = 1_000_000;

fn range(call: &mut Call<'_>) -> Eval<Value> {
    let (start, stop, step, excludes_end) = match call.arguments() {
        [] => return refuse(call, "Wrong number of arguments given (0 for 1)"),
        [text] => {
            let (start, stop, excludes_end) = parse(call, text)?;
            (start, stop, 1, excludes_end)
        }
        [start, stop, rest @ ..] => {
            let step = rest.first().map_or(Ok(1), to_i)?.unsigned_abs();
            if step == 0 {
                return refuse(
                    call,
                    "3rd arg (step size) must be a non zero integer (e.g. 1 or -1)",
                );
            }
            (start.clone(), stop.clone(), usize::try_from(step).unwrap_or(usize::MAX), false)
        }
    };
    let first = ruby::resource_to_s(&start);
    if has_digits_line(&first) {
        return Ok(integers(to_i(&start)?, to_i(&stop)?, step, excludes_end));
    }
    let texts = texts(&first, &ruby::resource_to_s(&stop), step, excludes_end);
    Ok(Value::array(texts.into_iter().map(Value::from)))
}

/// Parses `a..c`, `a-c` or `a...c`.
fn parse(call: &mut Call<'_>, value: &Value) -> Eval<(Value, Value, bool)> {
    let text = match value {
        Value::String(text) => text.as_str(),
        Value::Default => "default",
        other => return fault(ruby::no_method("match", other)),
    };
    let regex = call.regex(r"^(\w+)(\.\.\.?|\-)(\w+)$", Options::default())?;
    let captures = regex.captures(text, 0).map_err(|error| failed(error.to_string()))?;
    let Some(captures) = captures else {
        return match text.split('\n').any(|line| !line.is_empty()) {
            true => refuse(call, &format!("Unable to compute range from the value: {text}")),
            false => refuse(call, &format!("Unknown range format: {text}")),
        };
    };
    let group = |n| Value::from(captures.get(n).unwrap_or_default());
    Ok((group(1), group(3), captures.get(2) == Some("...")))
}

fn integers(start: i64, stop: i64, step: usize, excludes_end: bool) -> Value {
    let last = if excludes_end { stop.saturating_sub(1) } else { stop };
    Value::array((start..=last).step_by(step).take(LONGEST).map(Value::Integer))
}

/// Returns Ruby's `(first..last).step(step)` of strings.
fn texts(first: &str, last: &str, step: usize, excludes_end: bool) -> Vec<String> {
    let mut all = Vec::new();
    let is_letter = |text: &str| text.len() == 1 && text.is_ascii();
    if is_letter(first) && is_letter(last) {
        let (from, to) = (first.as_bytes()[0], last.as_bytes()[0]);
        all.extend((from..=to).map(|byte| char::from(byte).to_string()));
        if excludes_end {
            all.pop();
        }
    } else if first <= last {
        let (after, length) = (successor(last), last.chars().count());
        let mut current = first.to_owned();
        while current != after && all.len() / step < LONGEST {
            if excludes_end && current == last {
                break;
            }
            let next = successor(&current);
            let is_last = current == last;
            all.push(current);
            current = next;
            if is_last || current.len() > last.len().max(length) || current.is_empty() {
                break;
            }
        }
    }
    all.into_iter().step_by(step).take(LONGEST).collect()
}

/// Returns Ruby's `String#succ`.
fn successor(text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let Some(mut at) = letters.iter().rposition(char::is_ascii_alphanumeric) else {
        if let Some(last) = letters.last_mut() {
            *last = char::from_u32(u32::from(*last) + 1).unwrap_or(char::MAX);
        }
        return letters.into_iter().collect();
    };
    loop {
        let (next, carry) = match letters[at] {
            'z' => ('a', Some('a')),
            'Z' => ('A', Some('A')),
            '9' => ('0', Some('1')),
            other => (char::from_u32(u32::from(other) + 1).unwrap_or(other), None),
        };
        let old = std::mem::replace(&mut letters[at], next);
        let Some(carry) = carry else { break };
        match left_of(&letters, at, old) {
            Some(left) => at = left,
            None => {
                letters.insert(at, carry);
                break;
            }
        }
    }
    letters.into_iter().collect()
}

/// Returns the target of a carry: the next letter or digit, but not across other characters to one of the other kind.
fn left_of(letters: &[char], at: usize, old: char) -> Option<usize> {
    let left = letters[..at].iter().rposition(char::is_ascii_alphanumeric)?;
    let is_near = left + 1 == at;
    let is_same_kind = letters[left].is_ascii_digit() == old.is_ascii_digit();
    (is_near || is_same_kind).then_some(left)
}
