//! What is kept because it will be asked for again.

use std::collections::HashSet;
use std::sync::Arc;

use ecow::EcoString;
use kukla_pcore::regex::{Options, Regex};
use rustc_hash::FxHashMap;

use crate::{Eval, Program, Stop};

/// So many expressions and templates are kept; whoever needs more makes them again.
const MAX_KEPT: usize = 1_000;

/// Puppet does not count further.
const MAX_WARNINGS: usize = 100;

/// What is kept because it will be asked for again.
#[derive(Debug, Default)]
pub(crate) struct Caches {
    /// By their sources.
    regexes: FxHashMap<EcoString, Vec<(Options, Regex)>>,
    /// By their texts, each with the name of its file.
    templates: FxHashMap<EcoString, Vec<(EcoString, Arc<Program>)>>,
    warnings: HashSet<String>,
}

impl Caches {
    /// The regular expression of a text.
    pub(crate) fn regex(&mut self, source: &str, options: Options) -> Eval<Regex> {
        let known = self.regexes.get(source).map_or(&[][..], Vec::as_slice);
        if let Some((_, regex)) = known.iter().find(|(known, _)| *known == options) {
            return Ok(regex.clone());
        }
        let regex =
            Regex::with_options(source, options).map_err(|error| Stop::fault(error.to_string()))?;
        if self.regexes.len() >= MAX_KEPT {
            self.regexes.clear();
        }
        self.regexes.entry(source.into()).or_default().push((options, regex.clone()));
        Ok(regex)
    }

    /// The template of a file's name and text, made by `make` if it is new.
    pub(crate) fn template(
        &mut self,
        file: &str,
        text: &str,
        make: impl FnOnce() -> Eval<Arc<Program>>,
    ) -> Eval<Arc<Program>> {
        let known = self.templates.get(text).map_or(&[][..], Vec::as_slice);
        if let Some((_, program)) = known.iter().find(|(known, _)| known == file) {
            return Ok(Arc::clone(program));
        }
        let program = make()?;
        if self.templates.len() >= MAX_KEPT {
            self.templates.clear();
        }
        // One text in many files is rare, but must not fill the memory.
        let kept = self.templates.entry(text.into()).or_default();
        kept.truncate(MAX_KEPT);
        kept.push((file.into(), Arc::clone(&program)));
        Ok(program)
    }

    /// Whether a warning was not given before.
    pub(crate) fn is_new_warning(&mut self, key: &str) -> bool {
        self.warnings.len() < MAX_WARNINGS && self.warnings.insert(key.to_owned())
    }
}
