//! Parameters of a query or a form.

use hyper::StatusCode;

use super::exchange::RouteError;

/// The largest number of parameters that a request may have.
const MOST: usize = 1000;
/// Parameters that choose what is answered: with two values, rules and handlers might choose different ones.
const SINGLE: &[&str] = &[
    "environment",
    "configured_environment",
    "check_environment",
    "facts",
    "facts_format",
    "code_id",
    "static_catalog",
    "state",
    "level",
    "diff_with",
];

/// Parameters in their order, decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query(Vec<(String, String)>);

/// A query or form that can't be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// A `%` without two hexadecimal digits, or bytes that are not UTF-8.
    #[error("the parameters are not valid percent-encoded UTF-8")]
    Encoding,
    /// Too many parameters.
    #[error("there are more than {MOST} parameters")]
    TooMany,
}

impl FromIterator<(String, String)> for Query {
    fn from_iter<T: IntoIterator<Item = (String, String)>>(pairs: T) -> Self {
        Self(pairs.into_iter().collect())
    }
}

impl Query {
    /// Reads `a=1&b=2`, where `+` is a blank.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        let mut all = Vec::new();
        for pair in pairs {
            if all.len() == MOST {
                return Err(QueryError::TooMany);
            }
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            all.push((form_decoded(name)?, form_decoded(value)?));
        }
        Ok(Self(all))
    }

    /// Refuses parameters with two values where there can be one.
    pub(super) fn refuse_repeated(&self) -> Result<(), RouteError> {
        match SINGLE.iter().find(|name| self.all(name).nth(1).is_some()) {
            None => Ok(()),
            Some(name) => {
                let words = format!("the parameter `{name}` is there twice");
                Err(RouteError::text(StatusCode::BAD_REQUEST, words))
            }
        }
    }

    /// Returns the first value of a parameter.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns all parameters with their values.
    pub(super) fn pairs(&self) -> impl Iterator<Item = &(String, String)> {
        self.0.iter()
    }

    /// Returns all values of a parameter.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns all parameters.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Adds the parameters of another query behind these.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }
}

/// Decodes a text of a form, where `+` is a blank.
pub fn form_decoded(text: &str) -> Result<String, QueryError> {
    match text.contains('+') {
        true => decoded(&text.replace('+', " ")),
        false => decoded(text),
    }
}

/// Decodes `%20` and its kind.
pub fn decoded(text: &str) -> Result<String, QueryError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some(at) = memchr::memchr(b'%', rest) {
        bytes.extend_from_slice(&rest[..at]);
        let digits = rest.get(at + 1..at + 3).ok_or(QueryError::Encoding)?;
        let digit =
            |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let (high, low) = (digit(digits[0]), digit(digits[1]));
        let (Some(high), Some(low)) = (high, low) else { return Err(QueryError::Encoding) };
        bytes.push(high << 4 | low);
        rest = &rest[at + 3..];
    }
    bytes.extend_from_slice(rest);
    String::from_utf8(bytes).map_err(|_| QueryError::Encoding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_once() {
        let query = Query::parse("a=%2541+b&ignore=.svn&ignore=CVS&empty").expect("valid");
        assert_eq!(query.get("a"), Some("%41 b"));
        assert_eq!(query.all("ignore").collect::<Vec<_>>(), [".svn", "CVS"]);
        assert_eq!(query.get("empty"), Some(""));
        assert_eq!(Query::parse("a=%zz"), Err(QueryError::Encoding));
        assert_eq!(Query::parse("a=%ff"), Err(QueryError::Encoding));
        assert_eq!(Query::parse("a=%2"), Err(QueryError::Encoding));
    }
}
