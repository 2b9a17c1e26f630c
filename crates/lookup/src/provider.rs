//! A layer: its configuration, and the entries of its hierarchy for the current variables.

use std::cell::{Ref, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use kukla_pcore::types::mismatch;
use kukla_pcore::{Type, Value};
use kukla_syntax::Strict;

use crate::backend::Entry;
use crate::config::{self, Config};
use crate::fast_path::PlainFiles;
use crate::merge::{Kind, Merge, built_in};
use crate::run::{Invocation, Run, VariableUse};
use crate::trace::{HierarchyLevel, StepKind};
use crate::{Fault, Key, Miss, Search};

/// Kind of layer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum LayerKind {
    Global,
    Environment,
    Module(EcoString),
}

/// A layer of a compilation.
#[derive(Debug)]
pub(crate) struct Provider {
    pub(crate) kind: LayerKind,
    path: String,
    config: RefCell<Option<Rc<Config>>>,
    resolved: RefCell<Option<Rc<Resolved>>>,
}

/// Resolved entries, and the variables they depend on.
#[derive(Debug)]
pub(crate) struct Resolved {
    entries: Rc<[Entry]>,
    defaults: Rc<[Entry]>,
    uses: Vec<VariableUse>,
    plain_files: Option<PlainFiles>,
}

impl Resolved {
    /// Returns the files to read, if the layer has nothing else and they stay the same.
    pub(crate) const fn plain_files(&self) -> Option<&PlainFiles> {
        self.plain_files.as_ref()
    }

    /// Whether there is a default hierarchy.
    pub(crate) fn has_defaults(&self) -> bool {
        !self.defaults.is_empty()
    }
}

impl Provider {
    /// Creates a layer with the configuration at a path.
    pub(crate) const fn new(kind: LayerKind, path: String) -> Self {
        Self { kind, path, config: RefCell::new(None), resolved: RefCell::new(None) }
    }

    /// Creates a layer with a loaded configuration.
    pub(crate) fn with_config(kind: LayerKind, config: Config) -> Self {
        let provider = Self::new(kind, String::new());
        *provider.config.borrow_mut() = Some(Rc::new(config));
        provider
    }

    /// Returns the configuration; `None` if its version is ignored.
    pub(crate) fn config(&self, run: &mut Run<'_>) -> Result<Option<Rc<Config>>, Fault> {
        if let Some(config) = &*self.config.borrow() {
            return Ok(Some(Rc::clone(config)));
        }
        let config = Config::load(run, &self.path, &self.kind)?;
        let place = match &self.kind {
            LayerKind::Global if config.version() == 4 => {
                return Err(config::version_4_global(&config));
            }
            LayerKind::Environment => ("an environment", "the environment root"),
            LayerKind::Module(_) => ("a module", "module root"),
            LayerKind::Global => ("", ""),
        };
        if config.version() == 3 && self.kind != LayerKind::Global {
            if run.session.layers.places.strict == Strict::Error {
                return Err(config::version_3_not_global(&config, place.0));
            }
            let message = format!("hiera.yaml version 3 found at {} was ignored", place.1);
            if run.session.is_first_warning(&self.path) {
                let message = format!("{message}\n   (file: {})", self.path);
                run.host.log(crate::LogLevel::Warning, &message);
            }
            return Ok(None);
        }
        let config = Rc::new(config);
        *self.config.borrow_mut() = Some(Rc::clone(&config));
        Ok(Some(config))
    }

    fn name(&self) -> String {
        let mut name = match &self.kind {
            LayerKind::Global => "Global Data Provider".to_owned(),
            LayerKind::Environment => "Environment Data Provider".to_owned(),
            LayerKind::Module(module) => format!("Module \"{module}\" Data Provider"),
        };
        if let Some(config) = &*self.config.borrow() {
            name = format!("{name} (hiera configuration version {})", config.version());
        }
        name
    }

    fn config_path(&self) -> Option<String> {
        self.config.borrow().as_ref().and_then(|config| config.path().map(str::to_owned))
    }

    /// Returns the entries as last resolved.
    pub(crate) fn resolved(&self) -> Ref<'_, Option<Rc<Resolved>>> {
        self.resolved.borrow()
    }

    pub(crate) const fn module(&self) -> Option<&EcoString> {
        match &self.kind {
            LayerKind::Module(name) => Some(name),
            LayerKind::Global | LayerKind::Environment => None,
        }
    }
}

impl Run<'_> {
    /// Looks a key up in a layer; fails if that lookup is already in progress.
    pub(crate) fn layer_lookup(
        &mut self,
        provider: &Rc<Provider>,
        key: &Key,
        merge: &Merge,
    ) -> Search<Value> {
        self.check(key.text(), |run| match provider.kind {
            LayerKind::Global => run.global_lookup_in(provider, key, merge),
            _ => run.hierarchy_lookup(provider, key, merge),
        })
    }

    /// Looks a key up in the global layer; version 3 sees other variables, and has its own merges.
    fn global_lookup_in(
        &mut self,
        provider: &Rc<Provider>,
        key: &Key,
        merge: &Merge,
    ) -> Search<Value> {
        let config = provider.config(self)?;
        let Some(config) = config.filter(|config| config.version() == 3) else {
            return self.hierarchy_lookup(provider, key, merge);
        };
        if !self.invocation.has_hiera_scope {
            let is_global_only = self.invocation.is_global_only || !self.has_environment_data()?;
            let invocation =
                Invocation { has_hiera_scope: true, is_global_only, ..(*self.invocation).clone() };
            return self
                .as_invocation(invocation, |run| run.global_lookup_in(provider, key, merge));
        }
        let is_hiera_call = self.invocation.is_hiera_call;
        let is_hash = |merge: &Merge| merge.kind() == Kind::Hash;
        let merge = match is_hiera_call && is_hash(merge) && !config.merge().is_first_found() {
            true => config.merge().clone(),
            false => merge.clone(),
        };
        let value = self.hierarchy_lookup(provider, key, &merge)?;
        if is_hiera_call {
            let is_deep =
                matches!(merge.kind(), Kind::Deep | Kind::UnconstrainedDeep | Kind::ReverseDeep);
            if is_hash(&merge) || is_deep {
                let hash: Type = built_in("Hash");
                mismatch::assert_instance("value", &hash, &value).map_err(Fault::puppet)?;
            }
            if !key.segments().is_empty() && (is_hash(&merge) || merge.kind() == Kind::Unique) {
                let strategy = if is_hash(&merge) { "hash" } else { "array" };
                return Err(Fault::lookup(format!(
                    "Resolution type :{strategy} is illegal when accessing values using dotted keys. Offending key was '{key}'"
                ))
                .into());
            }
        }
        Ok(value)
    }

    fn hierarchy_lookup(
        &mut self,
        provider: &Rc<Provider>,
        key: &Key,
        merge: &Merge,
    ) -> Search<Value> {
        self.with_provider(provider, |run| {
            let entries = run.entries(provider, false)?;
            if entries.is_empty() {
                run.not_found(key.text());
                return Err(Miss::NotFound);
            }
            run.merged(merge, &entries, |run, entry| run.entry_lookup(provider, entry, key, merge))
        })
    }

    /// Looks a key up in the default hierarchy of a module.
    pub(crate) fn default_lookup(
        &mut self,
        provider: &Rc<Provider>,
        key: &Key,
        merge: &Merge,
    ) -> Search<Value> {
        let entries = self.entries(provider, true)?;
        if entries.is_empty() {
            self.not_found(key.text());
            return Err(Miss::NotFound);
        }
        self.check(key.text(), |run| {
            run.with_provider(provider, |run| {
                run.merged(merge, &entries, |run, entry| {
                    run.entry_lookup(provider, entry, key, merge)
                })
            })
        })
    }

    fn with_provider(
        &mut self,
        provider: &Rc<Provider>,
        work: impl FnOnce(&mut Self) -> Search<Value>,
    ) -> Search<Value> {
        let kind = || StepKind::Provider {
            name: String::new(),
            config: None,
            module: provider.module().cloned(),
        };
        self.with(kind, |run| {
            let result = work(run);
            run.update_trace(|trace| trace.name_provider(provider.name(), provider.config_path()));
            result
        })
    }

    /// Returns the entries of a layer for the current variables.
    fn entries(&mut self, provider: &Rc<Provider>, use_default: bool) -> Search<Rc<[Entry]>> {
        let cached = provider.resolved.borrow().clone();
        let resolved = match cached {
            Some(resolved) if self.is_stable(&resolved)? => resolved,
            cached => {
                if cached.is_some() {
                    self.update_trace(|trace| {
                        trace.text("Hiera configuration recreated due to change of scope variables used in interpolation expressions".to_owned());
                    });
                }
                let resolved = Rc::new(self.resolve(provider)?);
                *provider.resolved.borrow_mut() = Some(Rc::clone(&resolved));
                resolved
            }
        };
        Ok(Rc::clone(if use_default { &resolved.defaults } else { &resolved.entries }))
    }

    fn resolve(&mut self, provider: &Rc<Provider>) -> Search<Resolved> {
        let Some(config) = provider.config(self)? else { return Err(Miss::NotFound) };
        let uses = Rc::new(RefCell::new(Vec::new()));
        // Puppet resolves a configuration independently of the lookup that needs it, and does not explain it.
        let invocation = Invocation {
            uses: Some(Rc::clone(&uses)),
            has_hiera_scope: self.invocation.has_hiera_scope,
            ..Invocation::default()
        };
        let names = self.session.take_names();
        let resolved = self.as_invocation(invocation, |run| {
            let mut entries = config.entries(run, &provider.kind, false)?;
            let mut defaults = match config.has_default_hierarchy() {
                true => config.entries(run, &provider.kind, true)?,
                false => Vec::new(),
            };
            for hierarchy in [&mut entries, &mut defaults] {
                for (number, entry) in (1..).zip(hierarchy) {
                    let name = entry.name.clone();
                    entry.level = Some(Arc::new(HierarchyLevel { name, number }));
                }
            }
            Ok((entries, defaults))
        });
        self.session.put_names(names);
        let (entries, defaults) = resolved.map_err(|miss| name_variable(miss, &config))?;
        let mut uses: Vec<VariableUse> = uses.take();
        let mut seen: Vec<EcoString> = Vec::new();
        uses.retain(|used| {
            let is_new = !seen.contains(&used.key);
            seen.push(used.key.clone());
            is_new && !used.is_fixed()
        });
        let plain_files = match uses.as_slice() {
            [] => entries.iter().map(Entry::plain_files).collect::<Option<Vec<_>>>(),
            _ => None,
        };
        let plain_files = plain_files.map(|files| files.concat());
        Ok(Resolved { entries: entries.into(), defaults: defaults.into(), uses, plain_files })
    }

    /// Whether the variables that the entries depend on are unchanged.
    fn is_stable(&mut self, resolved: &Resolved) -> Search<bool> {
        if resolved.uses.is_empty() {
            return Ok(true);
        }
        if self.invocation.trace.is_none() {
            return self.in_paths(|run| run.has_same_values(&resolved.uses));
        }
        let invocation = Invocation { trace: None, ..(*self.invocation).clone() };
        let saved = std::mem::replace(&mut self.invocation, Rc::new(invocation));
        let is_stable = self.in_paths(|run| run.has_same_values(&resolved.uses));
        self.invocation = saved;
        is_stable
    }

    fn has_same_values(&mut self, uses: &[VariableUse]) -> Search<bool> {
        for used in uses {
            if self.used_value(used)? != used.value {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn used_value(&mut self, used: &VariableUse) -> Search<Value> {
        self.host.begin_path(&used.root, &used.segments);
        let value = self.variable(&used.root);
        self.host.end_path();
        let value = value?.unwrap_or_default();
        if value.is_undef() || used.segments.is_empty() {
            return Ok(value);
        }
        match self.sub_lookup(&used.key, &used.segments, value) {
            Err(Miss::NotFound) => Ok(Value::Undef),
            other => other,
        }
    }
}

/// Turns an unknown variable into a fault of the configuration, with its line.
fn name_variable(miss: Miss, config: &Config) -> Miss {
    let Miss::Fault(mut fault) = miss else { return miss };
    if fault.code.is_some() && fault.file.is_none() {
        fault.file = config.path().map(str::to_owned);
    }
    match fault.variable.as_deref() {
        Some(name) if !name.is_empty() => config::undefined_variable(config, name).into(),
        _ => Miss::Fault(fault),
    }
}
