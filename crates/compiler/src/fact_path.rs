//! Paths into facts as records write them: `os.release.major`, `mountpoints.'/'.size`, `disks.0`.
//!
//! A key that is no plain word is quoted, so that `a.b` is never taken for the one key `'a.b'`, nor `0` for `'0'`.

use kukla_base::Digest;
use kukla_pcore::digest::digest;
use kukla_pcore::{Hash, Value};
use kukla_world::Answer;

/// Returns the text of a path.
pub(crate) fn text(path: &[Value]) -> String {
    let segment = |key: &Value| match key {
        Value::Integer(index) => index.to_string(),
        Value::String(word) if is_word(word) => word.to_string(),
        other => format!("'{}'", kukla_pcore::interpolate::text(other).replace('\'', "''")),
    };
    path.iter().map(segment).collect::<Vec<_>>().join(".")
}

/// Returns the path of a text that [`text`] wrote.
pub(crate) fn parse(text: &str) -> Vec<Value> {
    let mut path = Vec::new();
    let mut rest = text;
    loop {
        let (key, after) = match rest.strip_prefix('\'') {
            Some(quoted) => {
                let end = end_of_quote(quoted);
                let key = Value::from(quoted[..end].replace("''", "'"));
                (key, quoted.get(end + 1..).unwrap_or_default())
            }
            None => {
                let end = rest.find('.').unwrap_or(rest.len());
                let word = &rest[..end];
                let key = word.parse().map_or_else(|_| Value::from(word), Value::Integer);
                (key, &rest[end..])
            }
        };
        path.push(key);
        match after.strip_prefix('.') {
            Some(next) => rest = next,
            None => return path,
        }
    }
}

/// Returns where the quote that stands alone is.
fn end_of_quote(text: &str) -> usize {
    let mut from = 0;
    while let Some(at) = text[from..].find('\'') {
        let at = from + at;
        if !text[at + 1..].starts_with('\'') {
            return at;
        }
        from = at + 2;
    }
    text.len()
}

fn is_word(text: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    text.bytes().all(is_letter) && text.starts_with(|first: char| !first.is_ascii_digit())
}

/// Returns the answer of a record to the question for the value at a path.
///
/// An access stops where there is nothing to look into, which may be an error: how far it came is a part of the answer.
pub(crate) fn answer(hash: &Hash, path: &[Value]) -> Answer {
    let partial =
        |depth: usize, what: &str| Answer::Digest(Digest::of(format!("{depth} {what}").as_bytes()));
    let Some((first, rest)) = path.split_first() else { return Answer::Absent };
    let mut value = hash.get(first);
    for (depth, key) in (1..).zip(rest) {
        let Some(outer) = value else { return partial(depth, "missing") };
        value = match (outer, key) {
            (Value::Hash(hash), key) => hash.get(key),
            (Value::Array(items), Value::Integer(index)) if *index >= 0 => {
                usize::try_from(*index).ok().and_then(|index| items.get(index))
            }
            // Negative numbers, parts of texts and all that is an error are decided by the whole.
            (other, _) => return partial(depth, &digest(other).to_string()),
        };
    }
    value.map_or(Answer::Absent, |value| Answer::Digest(digest(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(entries: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
        Value::hash(entries.into_iter().map(|(key, value)| (Value::from(key), value)).collect())
    }

    #[test]
    fn a_path_is_read_back() {
        let keys = ["os", "a.b", "0", "it's", "''", "", "/", "*", "-1"].map(Value::from);
        let numbers = [Value::Integer(0), Value::Integer(-1)];
        let path: Vec<Value> = keys.into_iter().chain(numbers).collect();
        assert_eq!(parse(&text(&path)), path, "{}", text(&path));
        assert_eq!(text(&[Value::from("os"), Value::from("family")]), "os.family");
    }

    #[test]
    fn answers_tell_apart_what_code_can() {
        let at = |facts: &Value| match facts {
            Value::Hash(facts) => answer(facts, &[Value::from("a"), Value::from("b")]),
            _ => Answer::Volatile,
        };
        let text = || Value::from("x");
        let all = [
            hash([]),
            hash([("a", Value::Undef)]),
            hash([("a", text())]),
            hash([("a", hash([]))]),
            hash([("a", hash([("b", Value::Undef)]))]),
            hash([("a", hash([("b", text())]))]),
            hash([("a", Value::array([text()]))]),
        ];
        for (n, one) in all.iter().enumerate() {
            assert!(all[..n].iter().all(|other| at(other) != at(one)), "{one:?}");
        }
    }
}
