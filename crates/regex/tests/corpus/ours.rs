//! Kukla's answer to a case, in the shape of Ruby's.

use kukla_regex::{LimitError, Options, Regex};
use serde_json::{Value, json};

/// Returns the answer to a case; see `tests/oracle.rb`.
pub(crate) fn answer(case: &Value) -> Value {
    let pattern = case["pattern"].as_str().expect("a case has a pattern");
    let letters = case["options"].as_str().unwrap_or("");
    let options = Options {
        ignore_case: letters.contains('i'),
        extended: letters.contains('x'),
        multi_line: letters.contains('m'),
    };
    let regex = match Regex::with_options(pattern, options) {
        Ok(regex) => regex,
        Err(error) => return json!({ "error": error.to_string() }),
    };
    let subjects = case["subjects"].as_array().expect("a case has subjects");
    let each = |answer: &dyn Fn(&str) -> Value| {
        let texts = subjects.iter().map(|subject| subject.as_str().expect("subjects are texts"));
        texts.map(answer).collect::<Value>()
    };
    let mut answer = json!({
        "to_s": regex.to_s(),
        "inspect": regex.inspect(),
        "names": regex.names().collect::<Vec<_>>(),
        "matches": each(&|text| matches(&regex, text).unwrap_or_else(limited)),
    });
    if let Some(replace) = case["replace"].as_str() {
        answer["gsub"] = each(&|text| or_error(regex.gsub(text, replace)));
        answer["sub"] = each(&|text| or_error(regex.sub(text, replace)));
        answer["split"] = each(&|text| split(&regex, text).unwrap_or_else(limited));
    }
    answer
}

/// Returns the first difference.
///
/// A case that took Ruby too long may have any answer.
pub(crate) fn difference(ours: &Value, theirs: &Value) -> Option<String> {
    if ours.get("error").is_some() || theirs.get("error").is_some() {
        return (ours.get("error") != theirs.get("error"))
            .then(|| format!("ours {ours}, theirs {theirs}"));
    }
    for key in ["to_s", "inspect", "names"] {
        if ours[key] != theirs[key] {
            return Some(format!("{key}: ours {}, theirs {}", ours[key], theirs[key]));
        }
    }
    for key in ["matches", "gsub", "sub", "split"] {
        let (Some(ours), Some(theirs)) = (ours[key].as_array(), theirs[key].as_array()) else {
            continue;
        };
        let pairs = ours.iter().zip(theirs);
        for (index, (ours, theirs)) in pairs.enumerate() {
            if ours != theirs && theirs != "timeout" {
                return Some(format!("{key} of subject {index}: ours {ours}, theirs {theirs}"));
            }
        }
    }
    None
}

fn matches(regex: &Regex, text: &str) -> Result<Value, LimitError> {
    let mut all = Vec::new();
    for captures in regex.find_iter(text) {
        let captures = captures?;
        let spans = (0..captures.len()).map(|group| captures.span(group));
        all.push(spans.collect::<Vec<_>>());
    }
    Ok(json!(all))
}

fn split(regex: &Regex, text: &str) -> Result<Value, LimitError> {
    let parts: Result<Vec<_>, _> =
        [0, -1, 2].into_iter().map(|limit| regex.split(text, limit)).collect();
    Ok(json!(parts?))
}

fn limited(error: LimitError) -> Value {
    json!({ "limit": error.to_string() })
}

fn or_error(replaced: Result<std::borrow::Cow<'_, str>, kukla_regex::ReplaceError>) -> Value {
    match replaced {
        Ok(text) => json!(text),
        Err(error) => json!({ "error": error.to_string() }),
    }
}
