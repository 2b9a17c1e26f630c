//! Classifiers: programs and files that say which classes, parameters and environment a node has.

use std::path::Path;
use std::sync::Arc;

use kukla_pcore::{Hash, Value, data};
use kukla_rubytext::Data;
use kukla_rubytext::yaml::{self, LoadOptions};

use crate::SiteError;
use crate::data_file;
use crate::node::Node;
use crate::program::{ProgramError, execute};
use crate::settings::Settings;
use kukla_world::paths::Anchor;

/// A classification that fails, in Puppet's words where it has any.
#[derive(Debug, thiserror::Error)]
pub enum ClassifierError {
    /// The setting `external_nodes` is missing.
    #[error("You must set the 'external_nodes' parameter to use the external node terminus")]
    NoProgram,
    /// The setting `external_nodes` has a relative path.
    #[error("You must set the exec parameter to a fully qualified command")]
    RelativeProgram,
    /// The program fails.
    #[error("Failed to find {node} via exec: {error}")]
    Failed {
        /// The node.
        node: String,
        /// The reason.
        error: ProgramError,
    },
    /// The program prints no classification.
    #[error("Could not load external node results for {node}: {reason}")]
    Unreadable {
        /// The node.
        node: String,
        /// The reason.
        reason: String,
    },
    /// `classes` is of another type.
    #[error("classes are neither a list nor a hash")]
    BadClasses,
    /// `parameters` is of another type.
    #[error("parameters are not a hash")]
    BadParameters,
}

/// Classifies a node by a file.
pub(crate) fn by_file(node: &mut Node, path: &Path, anchor: &Anchor) -> Result<(), SiteError> {
    let classification = data_file::read(path, anchor)?;
    let result = node.classify(&classification);
    result.map_err(|error| SiteError::BadClassification { path: path.to_owned(), error })
}

/// Classifies a node by the program of the setting `external_nodes`, if `node_terminus` is `exec`.
pub(crate) fn by_program(node: &mut Node, settings: &Settings) -> Result<(), SiteError> {
    match settings.text("node_terminus").as_deref() {
        None | Some("" | "plain") => Ok(()),
        Some("exec") => {
            let command = settings.text("external_nodes").unwrap_or_default();
            let name = node.name.clone();
            let failed = |error| SiteError::Classifier { node: name.clone(), error };
            match ask(&command, &name).map_err(failed)? {
                Some(classification) => node.classify(&classification).map_err(failed),
                None => Err(SiteError::UnknownNode(name)),
            }
        }
        Some(other) => Err(SiteError::BadSetting {
            name: "node_terminus",
            expected: "`plain` or `exec`",
            value: other.to_owned(),
        }),
    }
}

/// Runs the classifier; returns nothing if it prints nothing.
fn ask(command: &str, node: &str) -> Result<Option<Arc<Hash>>, ClassifierError> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let (program, arguments) = match words.as_slice() {
        [] | ["none"] => return Err(ClassifierError::NoProgram),
        [program, arguments @ ..] => (Path::new(program), [arguments, &[node]].concat()),
    };
    if !program.is_absolute() {
        return Err(ClassifierError::RelativeProgram);
    }
    let output = execute(program, &arguments)
        .map_err(|error| ClassifierError::Failed { node: node.to_owned(), error })?;
    if output.trim().is_empty() {
        return Ok(None);
    }
    let read = read(&output);
    read.map(Some).map_err(|reason| ClassifierError::Unreadable { node: node.to_owned(), reason })
}

/// Parses the output of a classifier; the error has Puppet's words.
fn read(output: &str) -> Result<Arc<Hash>, String> {
    let options = LoadOptions { permitted_classes: &["Symbol"], aliases: true, filename: None };
    let loaded = yaml::load(output, options).map_err(|error| match error.message {
        // Errors of the parser already have a location.
        message if message.starts_with("(<unknown>)") => message,
        message => format!("(<unknown>): {message}"),
    })?;
    if let Some(message) = wrong_keys(&loaded) {
        return Err(message);
    }
    match data::value(loaded).map_err(|error| error.message)? {
        Value::Hash(hash) => Ok(hash),
        _ => Err("not a hash".to_owned()),
    }
}

/// Returns Puppet's message about data that is not a hash of names.
fn wrong_keys(loaded: &Data) -> Option<String> {
    let wrong_key = |key: &Data| match key {
        Data::Str(_) | Data::Symbol(_) => None,
        key => Some(format!("key is a {}, not a string or symbol", class(key))),
    };
    match loaded {
        Data::Hash(entries) => entries.iter().find_map(|(key, _)| wrong_key(key)),
        Data::Array(items) => {
            Some(items.first().and_then(wrong_key).unwrap_or_else(|| "not a hash".into()))
        }
        other => Some(format!("a {} is not a hash", class(other))),
    }
}

/// Returns the Ruby class of data.
const fn class(data: &Data) -> &'static str {
    match data {
        Data::Nil => "NilClass",
        Data::Bool(true) => "TrueClass",
        Data::Bool(false) => "FalseClass",
        Data::Int(_) | Data::Big(_) => "Integer",
        Data::Float(_) => "Float",
        Data::Array(_) => "Array",
        Data::Hash(_) => "Hash",
        Data::Str(_) | Data::Symbol(_) | Data::Binary(_) | Data::Other(..) => "String",
    }
}

impl Node {
    /// Applies a classification to the node.
    pub fn classify(&mut self, classification: &Hash) -> Result<(), ClassifierError> {
        self.is_classified = true;
        if let Some(named) = classification.get_str("classes") {
            self.classes = classes(named)?;
        }
        match classification.get_str("parameters") {
            None | Some(Value::Undef) => (),
            Some(Value::Hash(parameters)) => self.parameters = Arc::clone(parameters),
            Some(_) => return Err(ClassifierError::BadParameters),
        }
        if let Some(name) = classification.get_str("environment").and_then(Value::as_str) {
            self.environment = Some(name.to_owned());
        }
        Ok(())
    }
}

/// Reads classes as a classifier names them: a list, or a hash with parameters.
fn classes(value: &Value) -> Result<Vec<(String, Hash)>, ClassifierError> {
    let name = |value: &Value| value.as_str().map(str::to_owned);
    match value {
        Value::Undef => Ok(Vec::new()),
        Value::Array(names) => {
            Ok(names.iter().filter_map(|value| Some((name(value)?, Hash::new()))).collect())
        }
        Value::Hash(classes) => Ok(classes
            .iter()
            .filter_map(|(key, value)| {
                let parameters = match value {
                    Value::Hash(parameters) => (**parameters).clone(),
                    _ => Hash::new(),
                };
                Some((name(key)?, parameters))
            })
            .collect()),
        _ => Err(ClassifierError::BadClasses),
    }
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn classifications_are_hashes_with_names() {
        assert!(read("---\nclasses: [a]\n:parameters: {b: 1}\n").is_ok());
        for (text, message) in [
            ("1: 2", "key is a Integer, not a string or symbol"),
            ("[1, 2]", "key is a Integer, not a string or symbol"),
            ("hello", "a String is not a hash"),
            ("parameters: {d: 2020-01-01}", "Tried to load unspecified class: Date"),
        ] {
            let error = read(text).expect_err("it is none");
            assert!(error.contains(message), "{error}");
        }
    }
}
