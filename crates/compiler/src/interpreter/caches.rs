//! Caches of regular expressions and templates, and the warnings that are given once.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock};

use ecow::EcoString;
use kukla_foreign::{NeedsRuby, Render};
use kukla_pcore::regex::{Options, Regex, RegexError};
use rustc_hash::FxHashMap;

use crate::{Eval, Program};

/// The number of expressions and templates that a cache holds; a full one is emptied.
const MAX_KEPT: usize = 1_000;

/// So many expressions are kept by each compilation.
const N_RECENT: usize = 16;

/// Puppet does not count further.
const MAX_WARNINGS: usize = 100;

/// Caches that all compilations of an environment share: their entries depend on nothing but texts.
#[derive(Debug, Default)]
pub struct Shared {
    regexes: Kept<Options, Regex>,
    /// Each with the name of its file.
    templates: Kept<EcoString, Arc<Program>>,
    erb: Kept<(), Result<Arc<dyn Render>, NeedsRuby>>,
}

/// Things by their texts, and by what else makes them differ.
#[derive(Debug)]
struct Kept<K, V>(RwLock<FxHashMap<EcoString, Vec<(K, V)>>>);

impl<K, V> Default for Kept<K, V> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<K, V: Clone> Kept<K, V> {
    fn get(&self, text: &str, is_match: impl Fn(&K) -> bool) -> Option<V> {
        let kept = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let found = kept.get(text)?.iter().find(|(key, _)| is_match(key));
        found.map(|(_, value)| value.clone())
    }

    fn keep(&self, text: &str, key: K, value: V) {
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MAX_KEPT {
            kept.clear();
        }
        // One text in many files is rare, but must not fill the memory.
        let same = kept.entry(text.into()).or_default();
        same.truncate(MAX_KEPT);
        same.push((key, value));
    }
}

/// Caches of regular expressions and templates, and the warnings that are given once.
#[derive(Debug, Default)]
pub(crate) struct Caches {
    shared: Arc<Shared>,
    /// Expressions that this compilation has used: reading them takes no lock.
    recent: RefCell<[Option<(EcoString, Options, Regex)>; N_RECENT]>,
    warnings: HashSet<String>,
}

impl Caches {
    /// Caches of a compilation that shares some with others.
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, ..Self::default() }
    }

    /// The regular expression of a text.
    pub(crate) fn regex(&self, source: &str, options: Options) -> Result<Regex, RegexError> {
        let ends = source.bytes().next().zip(source.bytes().last()).unwrap_or_default();
        let place = source.len() + usize::from(ends.0) + usize::from(ends.1);
        let recent = &mut self.recent.borrow_mut()[place % N_RECENT];
        if let Some((known, known_options, regex)) = recent
            && *known == source
            && *known_options == options
        {
            return Ok(regex.clone());
        }
        let regex = match self.shared.regexes.get(source, |known| *known == options) {
            Some(known) => known,
            None => {
                let regex = Regex::with_options(source, options)?;
                self.shared.regexes.keep(source, options, regex.clone());
                regex
            }
        };
        *recent = Some((source.into(), options, regex.clone()));
        Ok(regex)
    }

    /// The template of a file's name and text, made by `make` if it is new.
    pub(crate) fn template(
        &self,
        file: &str,
        text: &str,
        make: impl FnOnce() -> Eval<Arc<Program>>,
    ) -> Eval<Arc<Program>> {
        if let Some(known) = self.shared.templates.get(text, |known| known == file) {
            return Ok(known);
        }
        let program = make()?;
        self.shared.templates.keep(text, file.into(), Arc::clone(&program));
        Ok(program)
    }

    /// The ERB template of a text, made by `make` if it is new, or why it can't be rendered.
    pub(crate) fn erb(
        &self,
        text: &str,
        make: impl FnOnce() -> Result<Arc<dyn Render>, NeedsRuby>,
    ) -> Result<Arc<dyn Render>, NeedsRuby> {
        if let Some(known) = self.shared.erb.get(text, |()| true) {
            return known;
        }
        let template = make();
        self.shared.erb.keep(text, (), template.clone());
        template
    }

    /// Whether a warning was not given before.
    pub(crate) fn is_new_warning(&mut self, key: &str) -> bool {
        self.warnings.len() < MAX_WARNINGS && self.warnings.insert(key.to_owned())
    }
}
