//! What is kept because it will be asked for again.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ecow::EcoString;
use kukla_pcore::regex::{Options, Regex};

use crate::{Eval, Program, Stop};

/// So many expressions and templates are kept; whoever needs more makes them again.
const MAX_KEPT: usize = 1_000;

/// Puppet does not count further.
const MAX_WARNINGS: usize = 100;

/// What is kept because it will be asked for again.
#[derive(Debug, Default)]
pub(crate) struct Caches {
    regexes: HashMap<(EcoString, Options), Regex>,
    templates: HashMap<(EcoString, EcoString), Arc<Program>>,
    warnings: HashSet<String>,
}

impl Caches {
    /// The regular expression of a text.
    pub(crate) fn regex(&mut self, source: &str, options: Options) -> Eval<Regex> {
        let key = (EcoString::from(source), options);
        if let Some(regex) = self.regexes.get(&key) {
            return Ok(regex.clone());
        }
        let regex =
            Regex::with_options(source, options).map_err(|error| Stop::fault(error.to_string()))?;
        if self.regexes.len() >= MAX_KEPT {
            self.regexes.clear();
        }
        self.regexes.insert(key, regex.clone());
        Ok(regex)
    }

    /// The template of a file's name and text, made by `make` if it is new.
    pub(crate) fn template(
        &mut self,
        file: &str,
        text: &str,
        make: impl FnOnce() -> Eval<Arc<Program>>,
    ) -> Eval<Arc<Program>> {
        let key = (EcoString::from(file), EcoString::from(text));
        if let Some(program) = self.templates.get(&key) {
            return Ok(Arc::clone(program));
        }
        let program = make()?;
        if self.templates.len() >= MAX_KEPT {
            self.templates.clear();
        }
        self.templates.insert(key, Arc::clone(&program));
        Ok(program)
    }

    /// Whether a warning was not given before.
    pub(crate) fn is_new_warning(&mut self, key: &str) -> bool {
        self.warnings.len() < MAX_WARNINGS && self.warnings.insert(key.to_owned())
    }
}
