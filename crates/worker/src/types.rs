//! Resource types that only real Ruby can load.

use kukla_catalog::types::{AppliesTo, TitlePart, TitlePattern, TitlePatterns, TypeDeclaration};
use kukla_foreign::{NoHost, RubyError};
use kukla_pcore::{Hash, Value};

use crate::conversation::failed;
use crate::message::{request, text};
use crate::pool::Pool;
use crate::{WorkerError, msgpack};

impl Pool {
    /// Returns the declaration of a resource type from Puppet's library, as bytes for the cache; `type_facts` parses
    /// them.
    pub fn resource_type(&self, name: &str) -> Result<Vec<u8>, RubyError> {
        let parts = self.ask(&request("type", [Value::string(name)]), &mut NoHost)?;
        match parts.first() {
            Some(declaration @ Value::Hash(_)) => Ok(msgpack::write(declaration)),
            _ => Err(failed(&WorkerError::Nonsense("a type is no hash"))),
        }
    }
}

/// Parses the declaration of a resource type; `None` if it is malformed.
pub fn type_facts(name: &str, declaration: &[u8]) -> Option<TypeDeclaration> {
    let Value::Hash(hash) = msgpack::read(declaration).ok()? else { return None };
    Some(TypeDeclaration {
        name: name.to_owned(),
        properties: names(&hash, "properties"),
        parameters: names(&hash, "parameters"),
        keys: names(&hash, "keys"),
        title_patterns: patterns(&hash)?,
        is_not_isomorphic: matches!(hash.get_str("isomorphic"), Some(Value::Boolean(false))),
        applies_to: match hash.get_str("apply_to").and_then(Value::as_str) {
            Some("device") => AppliesTo::Device,
            Some("both") => AppliesTo::Both,
            _ => AppliesTo::Host,
        },
        ..TypeDeclaration::default()
    })
}

fn names(hash: &Hash, name: &str) -> Vec<String> {
    match hash.get_str(name) {
        Some(Value::Array(items)) => {
            items.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

fn patterns(hash: &Hash) -> Option<TitlePatterns> {
    let Some(Value::Array(list)) = hash.get_str("patterns") else { return None };
    let pattern = |value: &Value| {
        let Value::Array(parts) = value else { return None };
        let Some(Value::Integer(options)) = parts.get(1) else { return None };
        let regex = regex(&text(parts, 0), *options)?;
        let Some(Value::Array(attributes)) = parts.get(2) else { return None };
        let parts = attributes.iter().filter_map(Value::as_str).map(TitlePart::plain).collect();
        Some(TitlePattern { regex, parts })
    };
    list.iter().map(pattern).collect::<Option<Vec<_>>>().map(TitlePatterns::List)
}

/// Returns a regular expression from its source and Ruby's numeric options.
fn regex(source: &str, options: i64) -> Option<kukla_regex::Regex> {
    let mark = |bit: i64, letter: &'static str| if options & bit == 0 { "" } else { letter };
    let marks = format!("{}{}{}", mark(4, "m"), mark(1, "i"), mark(2, "x"));
    let source = if marks.is_empty() { source.to_owned() } else { format!("(?{marks}:{source})") };
    kukla_regex::Regex::new(&source).ok()
}
