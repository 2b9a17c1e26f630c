//! From a key to a value: options, layers, default hierarchy, conversion.

mod convert;
mod providers;

use std::rc::Rc;

use ecow::EcoString;
use kukla_pcore::Value;

use crate::access::Verdict;
use crate::fault::may_go_on;
use crate::merge::Merge;
use crate::run::{Invocation, Run};
use crate::session::{DataUse, UseKind};
use crate::trace::{Event, StepKind};
use crate::{Fault, FaultKind, Key, LOOKUP_OPTIONS, Miss, Search};
use convert::hides;

/// Layers in the order of precedence.
#[derive(Clone, Copy)]
enum Layer {
    Global,
    Environment,
    Module,
}

impl Run<'_> {
    /// Looks a key up; without `merge` the strategy comes from `lookup_options`.
    pub(crate) fn search(&mut self, name: &EcoString, merge: Option<&Value>) -> Search<Value> {
        may_go_on()?;
        let is_options = name.strip_prefix(LOOKUP_OPTIONS);
        if is_options.is_some_and(|rest| rest.is_empty() || rest.starts_with('.')) {
            self.update_trace(|trace| {
                let kind = StepKind::InvalidKey;
                trace.push(kind);
                trace.name_invalid(LOOKUP_OPTIONS);
                trace.pop();
            });
            return Err(Miss::NotFound);
        }
        let key = Key::new(name)?;
        let verdict = self.key_verdict(key.root())?;
        if let Verdict::Denied(_) = verdict {
            return Err(Miss::NotFound);
        }
        // Secrets found so far do not concern this key.
        let was_secret = self.invocation.is_secret.replace(false);
        let current = &self.invocation;
        let is_own = current.top_key == *name && current.module.as_ref() == key.module();
        let found = if is_own {
            self.search_key(&key, merge)
        } else {
            let invocation = Invocation {
                top_key: name.clone(),
                module: key.module().cloned(),
                ..(**current).clone()
            };
            self.as_invocation(invocation, |run| run.search_key(&key, merge))
        };
        let is_secret = self.invocation.is_secret.replace(was_secret);
        let value = found?;
        if is_secret || verdict != Verdict::Free {
            self.invocation.is_secret.set(was_secret || is_secret);
            let kind = if is_secret { UseKind::Secret } else { UseKind::Restricted };
            let origins = self.invocation.origins.borrow().clone();
            self.session.note(DataUse { key: name.clone(), kind, origins });
        }
        Ok(value)
    }

    fn search_key(&mut self, key: &Key, merge: Option<&Value>) -> Search<Value> {
        let trace = self.invocation.trace.as_ref();
        if trace.is_some_and(|trace| trace.borrow().is_only_options()) {
            let options = Key::lookup_options();
            return match self.search_layers(&options, &Merge::HASH) {
                Ok(_) | Err(Miss::NotFound) => Ok(Value::Undef),
                fault => fault,
            };
        }
        let options = self.options_of_module(key.module())?;
        let options = options.and_then(|options| options.get(key.root()).cloned());
        if let Some(Value::Array(_)) = &options {
            return Err(Fault::other("no implicit conversion of String into Integer").into());
        }
        let option = |name: &str| match &options {
            Some(Value::Hash(hash)) => hash.get_str(name).filter(|v| !v.is_undef()).cloned(),
            _ => None,
        };
        let merge = match merge.filter(|merge| !merge.is_undef()) {
            Some(merge) => Some(merge.clone()),
            None => {
                let merge = option("merge");
                if merge.is_some() {
                    self.update_trace(|trace| {
                        trace.add(StepKind::MergeSource(LOOKUP_OPTIONS));
                    });
                }
                merge
            }
        };
        let convert_to = option("convert_to");
        if convert_to.as_ref().is_some_and(hides) {
            self.invocation.is_secret.set(true);
        }
        let value = self.with(
            || StepKind::Search(key.text().clone()),
            |run| run.search_all(key, merge.as_ref()),
        )?;
        match convert_to {
            Some(convert_to) => self.convert(key, value, &convert_to),
            None => Ok(value),
        }
    }

    /// Searches the site's PDL, Hiera's outer layers, the module's PDL, the module's Hiera data.
    fn search_all(&mut self, key: &Key, merge: Option<&Value>) -> Search<Value> {
        if self.invocation.is_hiera_call {
            return self.search_hiera(key, merge);
        }
        if let Some(value) = self.site_value(key)? {
            self.visit_shadowed(|run| {
                drop(run.search_below(key, merge));
            });
            return self.dig(key, value);
        }
        self.search_below(key, merge)
    }

    fn search_below(&mut self, key: &Key, merge: Option<&Value>) -> Search<Value> {
        if !self.has_module_pdl(key)? {
            return self.search_hiera(key, merge);
        }
        // The module's value is probed without a trace; the trace records it in its order.
        let untraced = Invocation {
            trace: None,
            all: None,
            origins: Rc::default(),
            ..(*self.invocation).clone()
        };
        let own = self.as_invocation(untraced, |run| run.module_value(key))?;
        if own.is_none() {
            return self.search_hiera(key, merge);
        }
        let outer = Invocation { is_outer_only: true, ..(*self.invocation).clone() };
        let found = match self.as_invocation(outer, |run| run.search_hiera(key, merge)) {
            Err(Miss::NotFound) => match self.module_value(key)? {
                Some(value) => self.dig(key, value),
                None => Err(Miss::NotFound),
            },
            other => {
                self.visit_shadowed(|run| drop(run.module_value(key)));
                other
            }
        };
        if self.invocation.module.is_some() {
            self.visit_shadowed(|run| drop(run.lookup_in_module(key, &Merge::FIRST)));
        }
        found
    }

    fn search_hiera(&mut self, key: &Key, merge: Option<&Value>) -> Search<Value> {
        let merge = Merge::new(merge)?;
        let found = match self.invocation.is_global_only {
            true => self.lookup_global(key, &merge).and_then(|value| self.dig(key, value)),
            false => self.search_layers(key, &merge),
        };
        let has_default = !self.invocation.is_global_only && !self.invocation.is_outer_only;
        match found {
            Err(Miss::NotFound) if has_default => {
                let value = self.search_default(key)?;
                self.dig(key, value)
            }
            other => other,
        }
    }

    fn search_layers(&mut self, key: &Key, merge: &Merge) -> Search<Value> {
        if self.invocation.is_global_only {
            let value = self.lookup_global(key, merge)?;
            return self.dig(key, value);
        }
        let layers = [Layer::Global, Layer::Environment, Layer::Module];
        let layers = if self.invocation.is_outer_only { &layers[..2] } else { &layers[..] };
        let value = self.merged(merge, layers, |run, layer| match layer {
            Layer::Global => run.lookup_global(key, merge),
            Layer::Environment => run.lookup_in_environment(key, merge),
            Layer::Module => run.lookup_in_module(key, merge),
        })?;
        self.dig(key, value)
    }

    pub(crate) fn lookup_global(&mut self, key: &Key, merge: &Merge) -> Search<Value> {
        let is_used = self.session.layers.places.is_global_used || self.invocation.is_hiera_call;
        if !is_used {
            self.not_found(key.text());
            return Err(Miss::NotFound);
        }
        // In a nested lookup this layer detects a key that refers to itself.
        let is_traced = self.invocation.trace.is_some();
        if !is_traced && !self.session.has_names() && self.global_has_no_data() {
            return Err(Miss::NotFound);
        }
        let provider = self.global_provider();
        self.layer_lookup(&provider, key, merge).map_err(|miss| match miss {
            Miss::Fault(fault) if fault.kind == FaultKind::Lookup && fault.code.is_none() => {
                let key = &self.invocation.top_key;
                let message = format!("Lookup of key '{key}' failed: {fault}");
                Fault { place: fault.place, ..Fault::puppet(message) }.into()
            }
            other => other,
        })
    }

    pub(crate) fn lookup_in_environment(&mut self, key: &Key, merge: &Merge) -> Search<Value> {
        let provider = self.environment_provider()?.ok_or(Miss::NotFound)?;
        self.layer_lookup(&provider, key, merge)
    }

    /// Whether the environment has data of version 5 or later.
    pub(crate) fn has_environment_data(&mut self) -> Search<bool> {
        let Some(provider) = self.environment_provider()? else { return Ok(false) };
        Ok(provider.config(self)?.is_some_and(|config| config.version() >= 5))
    }

    pub(crate) fn lookup_in_module(&mut self, key: &Key, merge: &Merge) -> Search<Value> {
        let module = self.invocation.module.clone().ok_or(Miss::NotFound)?;
        let Some(provider) = self.module_provider(&module)? else {
            let is_known = self.session.layers.places.modules.contains_key(&module);
            let event =
                if is_known { Event::ModuleProviderNotFound } else { Event::ModuleNotFound };
            self.update_trace(|trace| trace.module(&module, event));
            return Err(Miss::NotFound);
        };
        self.layer_lookup(&provider, key, merge)
    }

    /// Searches the default hierarchy of the module, after everything else.
    fn search_default(&mut self, key: &Key) -> Search<Value> {
        let module = self.invocation.module.clone().ok_or(Miss::NotFound)?;
        let provider = self.module_provider(&module)?.ok_or(Miss::NotFound)?;
        let config = provider.config(self)?;
        if !config.is_some_and(|config| config.has_default_hierarchy()) {
            return Err(Miss::NotFound);
        }
        self.with(
            || StepKind::Scope(format!("Searching default_hierarchy of module \"{module}\"")),
            |run| {
                let options = run.default_options(&module, &provider)?;
                let options = options.and_then(|options| options.get(key.root()).cloned());
                let merge = match &options {
                    Some(Value::Hash(hash)) => hash.get_str("merge").cloned(),
                    _ => None,
                };
                run.with(
                    || StepKind::Scope(format!("Searching for \"{key}\"")),
                    |run| run.default_lookup(&provider, key, &Merge::new(merge.as_ref())?),
                )
            },
        )
    }
}
