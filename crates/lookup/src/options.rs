//! `lookup_options`: merge and conversion options in the data.

use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use kukla_pcore::regex::Regex;
use kukla_pcore::{Hash, Value};

use crate::merge::Merge;
use crate::run::{Invocation, Run};
use crate::trace::StepKind;
use crate::{Fault, Key, LOOKUP_OPTIONS, Miss, Search};

/// Options by key and by pattern.
#[derive(Debug, Default)]
pub(crate) struct KeyOptions {
    keys: Hash,
    patterns: Vec<(Regex, Value)>,
}

impl KeyOptions {
    fn new(options: &Hash) -> Result<Self, Fault> {
        let mut compiled = Self::default();
        for (key, value) in options.iter() {
            match key.as_str() {
                Some(pattern) if pattern.starts_with('^') => {
                    let regex =
                        Regex::new(pattern).map_err(|error| Fault::other(error.to_string()))?;
                    compiled.patterns.push((regex, value.clone()));
                }
                Some(_) => drop(compiled.keys.insert(key.clone(), value.clone())),
                None => {
                    return Err(Fault::other(kukla_pcore::ruby::no_method("start_with?", key)));
                }
            }
        }
        Ok(compiled)
    }

    /// Returns the options of a key: by its name, otherwise by the first matching pattern.
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        let named = self.keys.get_str(key).filter(|value| !value.is_undef());
        named.or_else(|| {
            let fits = |regex: &Regex| regex.is_match(key).unwrap_or(false);
            self.patterns.iter().find(|(regex, _)| fits(regex)).map(|(_, value)| value)
        })
    }
}

/// Checks that options are a hash, and that those of a module only name its own keys.
fn validate(options: Value, module: Option<&str>) -> Result<Option<Arc<Hash>>, Fault> {
    let hash = match options {
        Value::Undef => return Ok(None),
        Value::Hash(hash) => hash,
        _ => return Err(Fault::lookup("value of lookup_options must be a hash")),
    };
    let Some(module) = module else { return Ok(Some(hash)) };
    let prefix = format!("{module}::");
    for key in hash.keys() {
        let Some(key) = key.as_str() else {
            return Err(Fault::other(kukla_pcore::ruby::no_method("start_with?", key)));
        };
        match key.strip_prefix('^') {
            Some(pattern) if !pattern.starts_with(&prefix) => {
                return Err(Fault::lookup(format!(
                    "all lookup_options patterns must match a key starting with module name '{module}'"
                )));
            }
            None if !key.starts_with(&prefix) => {
                return Err(Fault::lookup(format!(
                    "all lookup_options keys must start with module name '{module}'"
                )));
            }
            _ => (),
        }
    }
    Ok(Some(hash))
}

fn compiled(options: Option<&Hash>) -> Result<Option<Rc<KeyOptions>>, Fault> {
    options.map(|options| KeyOptions::new(options).map(Rc::new)).transpose()
}

/// Converts "not found" to `None`.
fn optional<T>(search: Search<T>) -> Search<Option<T>> {
    match search {
        Ok(value) => Ok(Some(value)),
        Err(Miss::NotFound) => Ok(None),
        Err(fault) => Err(fault),
    }
}

impl Run<'_> {
    /// Returns the options for keys of a module, or of none.
    pub(crate) fn options_of_module(
        &mut self,
        module: Option<&EcoString>,
    ) -> Search<Option<Rc<KeyOptions>>> {
        let key = module.cloned();
        let cached = self.session.cache.borrow().options.get(&key).cloned();
        if let Some(options) = cached {
            return Ok(options);
        }
        let options = self.retrieve_options(module)?;
        self.session.cache.borrow_mut().options.insert(key, options.clone());
        Ok(options)
    }

    fn retrieve_options(&mut self, module: Option<&EcoString>) -> Search<Option<Rc<KeyOptions>>> {
        let invocation = Invocation { top_key: LOOKUP_OPTIONS.into(), ..self.child() };
        self.as_invocation(invocation, |run| {
            run.with(
                || StepKind::Search(LOOKUP_OPTIONS.into()),
                |run| {
                    if run.invocation.is_global_only {
                        let options = run.global_options()?;
                        return Ok(compiled(options.as_deref())?);
                    }
                    let options = run.environment_options()?;
                    let Some(module) = module else { return Ok(compiled(options.as_deref())?) };
                    let of_none = compiled(options.as_deref())?;
                    run.session.cache.borrow_mut().options.entry(None).or_insert(of_none);
                    let own = optional(run.lookup_in_module(&Key::lookup_options(), &Merge::HASH))?;
                    let own = match own {
                        Some(own) => validate(own, Some(module))?,
                        None => return Ok(compiled(options.as_deref())?),
                    };
                    let all = match (options, own) {
                        (None, own) => own,
                        (Some(options), None) => Some(options),
                        (Some(options), Some(own)) => {
                            Some(run.merge_options(module, options, own)?)
                        }
                    };
                    Ok(compiled(all.as_deref())?)
                },
            )
        })
    }

    fn merge_options(
        &mut self,
        module: &str,
        outer: Arc<Hash>,
        own: Arc<Hash>,
    ) -> Search<Arc<Hash>> {
        let places =
            [("Global and Environment".to_owned(), outer), (format!("Module {module}"), own)];
        let merged = self.merged(&Merge::HASH, &places, |run, (name, options)| {
            run.with(
                || StepKind::Scope(name.clone()),
                |run| {
                    let value = Value::Hash(Arc::clone(options));
                    run.found(LOOKUP_OPTIONS, &value);
                    Ok(value)
                },
            )
        })?;
        match merged {
            Value::Hash(hash) => Ok(hash),
            _ => Err(Miss::NotFound),
        }
    }

    fn global_options(&mut self) -> Search<Option<Arc<Hash>>> {
        let cached = self.session.cache.borrow().global_options.clone();
        if let Some(options) = cached {
            return Ok(options);
        }
        // A failed lookup is not tried again.
        self.session.cache.borrow_mut().global_options = Some(None);
        let found = optional(self.lookup_global(&Key::lookup_options(), &Merge::HASH))?;
        let options = found.map(|found| validate(found, None)).transpose()?.flatten();
        self.session.cache.borrow_mut().global_options = Some(options.clone());
        Ok(options)
    }

    fn environment_options(&mut self) -> Search<Option<Arc<Hash>>> {
        let cached = self.session.cache.borrow().environment_options.clone();
        if let Some(options) = cached {
            return Ok(options);
        }
        let global = self.global_options()?;
        let found = optional(self.lookup_in_environment(&Key::lookup_options(), &Merge::HASH))?;
        let own = found.map(|found| validate(found, None)).transpose()?.flatten();
        let options = match (global, own) {
            (None, own) => own,
            (Some(global), None) => Some(global),
            (Some(global), Some(own)) => {
                let both =
                    Merge::HASH.merge(Value::Hash(global), Value::Hash(own), &mut Vec::new());
                match both? {
                    Value::Hash(hash) => Some(hash),
                    _ => None,
                }
            }
        };
        self.session.cache.borrow_mut().environment_options = Some(options.clone());
        Ok(options)
    }

    /// Returns the options in the default hierarchy of a module.
    pub(crate) fn default_options(
        &mut self,
        module: &EcoString,
        provider: &Rc<crate::provider::Provider>,
    ) -> Search<Option<Rc<KeyOptions>>> {
        let cached = self.session.cache.borrow().default_options.get(module).cloned();
        if let Some(options) = cached {
            return Ok(options);
        }
        let key = Key::lookup_options();
        let invocation = Invocation { top_key: LOOKUP_OPTIONS.into(), ..self.child() };
        let found = self.as_invocation(invocation, |run| {
            run.with(
                || StepKind::Scope(format!("Searching for \"{LOOKUP_OPTIONS}\"")),
                |run| optional(run.default_lookup(provider, &key, &Merge::HASH)),
            )
        })?;
        let options = found.map(|found| validate(found, Some(module))).transpose()?.flatten();
        let options = compiled(options.as_deref())?;
        self.session.cache.borrow_mut().default_options.insert(module.clone(), options.clone());
        Ok(options)
    }
}
