//! From a key to a value: options, layers, default hierarchy, conversion.

use std::cell::Cell;
use std::rc::Rc;

use ecow::EcoString;
use kukla_pcore::{Type, Value, format, types};

use crate::access::Verdict;
use crate::config::Config;
use crate::merge::Merge;
use crate::provider::{LayerKind, Provider};
use crate::run::{Invocation, Run};
use crate::session::{Use, UseKind};
use crate::trace::{Event, StepKind};
use crate::{Fault, FaultKind, Key, LOOKUP_OPTIONS, Miss, Search};

/// The layers in their order.
#[derive(Clone, Copy)]
enum Layer {
    Global,
    Environment,
    Module,
}

/// What becomes of a setting of old.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SettingUse {
    Alone,
    BesideFile,
    Ignored,
}

impl Run<'_> {
    /// Looks a key up; without a merge the data say how.
    pub(crate) fn search(&mut self, name: &EcoString, merge: Option<&Value>) -> Search<Value> {
        let is_options = name.strip_prefix(LOOKUP_OPTIONS);
        if is_options.is_some_and(|rest| rest.is_empty() || rest.starts_with('.')) {
            self.tell(|trace| {
                let kind = StepKind::InvalidKey;
                trace.push(kind);
                trace.name_invalid(LOOKUP_OPTIONS);
                trace.pop();
            });
            return Err(Miss::NotFound);
        }
        self.host.asked_for(name);
        let key = Key::new(name)?;
        let verdict = self.key_verdict(key.root())?;
        if let Verdict::Denied(_) = verdict {
            return Err(Miss::NotFound);
        }
        let is_secret = Rc::<Cell<bool>>::default();
        let invocation = Invocation {
            top_key: name.clone(),
            module: key.module().cloned(),
            is_secret: Rc::clone(&is_secret),
            ..(*self.invocation).clone()
        };
        let value = self.as_invocation(invocation, |run| run.search_key(&key, merge))?;
        let is_restricted = verdict != Verdict::Free;
        if is_secret.get() || is_restricted {
            self.invocation.is_secret.set(self.invocation.is_secret.get() || is_secret.get());
            let kind = if is_secret.get() { UseKind::Secret } else { UseKind::Restricted };
            let origins = self.invocation.origins.borrow().clone();
            self.session.note(Use { key: name.clone(), kind, origins });
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
                    self.tell(|trace| {
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

    /// The site's PDL, Hiera's outer layers, the module's PDL, the module's Hiera data.
    fn search_all(&mut self, key: &Key, merge: Option<&Value>) -> Search<Value> {
        if self.invocation.is_hiera_call {
            return self.search_hiera(key, merge);
        }
        if let Some(value) = self.site_value(key)? {
            self.pass_over(|run| {
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
        // Whether the module has a value is found out in silence; it is told when its turn has come.
        let silent = Invocation {
            trace: None,
            all: None,
            origins: Rc::default(),
            ..(*self.invocation).clone()
        };
        let own = self.as_invocation(silent, |run| run.module_value(key))?;
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
                self.pass_over(|run| drop(run.module_value(key)));
                other
            }
        };
        let module_key = self.invocation.module.clone();
        self.pass_over(|run| {
            if module_key.is_some() {
                drop(run.lookup_in_module(key, &Merge::FIRST));
            }
        });
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
        let provider = self.global_provider();
        self.layer_lookup(&provider, key, merge).map_err(|miss| match miss {
            Miss::Fault(fault) if fault.kind == FaultKind::Lookup && fault.code.is_none() => {
                let key = &self.invocation.top_key;
                Fault::puppet(format!("Lookup of key '{key}' failed: {fault}")).into()
            }
            other => other,
        })
    }

    pub(crate) fn global_provider(&mut self) -> Rc<Provider> {
        let mut known = self.session.known.borrow_mut();
        let provider = known.global.get_or_insert_with(|| {
            let path = self.session.layers.places.hiera_config.to_string();
            Rc::new(Provider::new(LayerKind::Global, path))
        });
        Rc::clone(provider)
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

    pub(crate) fn environment_provider(&mut self) -> Search<Option<Rc<Provider>>> {
        let known = self.session.known.borrow().environment.clone();
        if let Some(provider) = known {
            return Ok(provider);
        }
        let places = self.session.layers.places.clone();
        let provider = match &places.directory {
            Some(directory) => {
                let name = places.data_provider.as_ref();
                self.make_provider(LayerKind::Environment, directory, name)?
            }
            None => None,
        };
        self.session.known.borrow_mut().environment = Some(provider.clone());
        Ok(provider)
    }

    pub(crate) fn module_provider(&mut self, name: &EcoString) -> Search<Option<Rc<Provider>>> {
        let known = self.session.known.borrow().modules.get(name).cloned();
        if let Some(provider) = known {
            return Ok(provider);
        }
        let place = self.session.layers.places.modules.get(name).cloned();
        let provider = match place {
            Some(place) => {
                let kind = LayerKind::Module(name.clone());
                self.make_provider(kind, &place.directory, place.data_provider.as_ref())?
            }
            None => None,
        };
        self.session.known.borrow_mut().modules.insert(name.clone(), provider.clone());
        Ok(provider)
    }

    /// `hiera.yaml`, or what a setting of old names.
    fn make_provider(
        &mut self,
        kind: LayerKind,
        directory: &str,
        named: Option<&EcoString>,
    ) -> Search<Option<Rc<Provider>>> {
        let path = format!("{directory}/hiera.yaml");
        let mut provider = None;
        let mut named = named;
        if self.session.layers.files.stamp(&path).is_some() {
            let own = Rc::new(Provider::new(kind.clone(), path.clone()));
            if let Some(config) = own.config(self)? {
                if config.version() >= 5 {
                    if let Some(name) = named {
                        self.warn_of_setting(&kind, directory, name, SettingUse::Ignored);
                    }
                    named = None;
                }
                provider = Some(own);
            }
        }
        let Some(name) = named else { return Ok(provider) };
        let use_ = match &provider {
            Some(_) => SettingUse::BesideFile,
            None => SettingUse::Alone,
        };
        self.warn_of_setting(&kind, directory, name, use_);
        Ok(match name.as_str() {
            "none" => None,
            "hiera" => Some(provider.unwrap_or_else(|| Rc::new(Provider::new(kind, path)))),
            "function" => {
                let function = match &kind {
                    LayerKind::Module(module) => format!("{module}::data"),
                    _ => "environment::data".to_owned(),
                };
                let config = Config::of_function(self, directory, &function);
                Some(Rc::new(Provider::with_config(kind, config)))
            }
            other => {
                let environment = &self.session.layers.places.environment;
                let setting = match &kind {
                    LayerKind::Module(_) => "module_data_provider",
                    _ => "environment_data_provider",
                };
                return Err(Fault::puppet(format!(
                    "Environment '{environment}', cannot find {setting} '{other}'"
                ))
                .into());
            }
        })
    }

    /// Says that a setting is old: it is used, alone or beside a `hiera.yaml`, or it is ignored.
    fn warn_of_setting(&mut self, kind: &LayerKind, directory: &str, name: &str, use_: SettingUse) {
        let (key, setting, file) = match kind {
            LayerKind::Module(module) => (
                format!("metadata.json#data_provider-{module}"),
                format!("\"data_provider\": \"{name}\" in metadata.json"),
                format!("{directory}/metadata.json"),
            ),
            _ => (
                "environment.conf#data_provider".to_owned(),
                format!("environment_data_provider='{name}' in environment.conf"),
                format!("{directory}/environment.conf"),
            ),
        };
        let is_module = matches!(kind, LayerKind::Module(_));
        let end = match use_ {
            SettingUse::Alone => ". A 'hiera.yaml' file should be used instead",
            SettingUse::BesideFile => ".",
            SettingUse::Ignored if is_module => {
                ". It is ignored since a 'hiera.yaml' with version >= 5 is present"
            }
            SettingUse::Ignored => "",
        };
        let place = format!("\n   (file: {file})");
        self.warn_once(&key, &format!("Defining {setting} is deprecated{end}{place}"));
        if use_ == SettingUse::Ignored && !is_module && name != "hiera" {
            self.warn_once("environment.conf#data_provider_overridden", &format!(
                "The environment_data_provider='{name}' setting is ignored since '{directory}/hiera.yaml' version >= 5{place}"
            ));
        }
    }

    pub(crate) fn lookup_in_module(&mut self, key: &Key, merge: &Merge) -> Search<Value> {
        let module = self.invocation.module.clone().ok_or(Miss::NotFound)?;
        let Some(provider) = self.module_provider(&module)? else {
            let is_there = self.session.layers.places.modules.contains_key(&module);
            let event =
                if is_there { Event::ModuleProviderNotFound } else { Event::ModuleNotFound };
            self.tell(|trace| trace.module(&module, event));
            return Err(Miss::NotFound);
        };
        self.layer_lookup(&provider, key, merge)
    }

    /// The default hierarchy of the module, after everything else.
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

    /// `convert_to`: the type, and arguments of `new` behind the value.
    fn convert(&mut self, key: &Key, value: Value, convert_to: &Value) -> Search<Value> {
        let mut parts: Vec<Value> = match convert_to {
            Value::Array(parts) => parts.iter().cloned().collect(),
            other => vec![other.clone()],
        };
        if let Some(Value::String(source)) = parts.first() {
            let type_ = types::parse(source, self.host.names()).map_err(|error| {
                Fault::lookup(format!(
                    "Invalid data type in lookup_options for key '{key}' could not parse '{source}', error: '{error}"
                ))
            })?;
            parts[0] = Value::from(type_);
        }
        let shown = format::convert(&Value::array(parts.clone()), &Value::from("%p"));
        let failed = |message: &str| {
            Fault::lookup(format!(
                "The convert_to lookup_option for key '{key}' raised error: {message}"
            ))
        };
        let Some(Value::Type(type_)) = parts.first() else {
            let got = types::infer(parts.first().unwrap_or(&Value::Undef));
            let got = got.text();
            let got = got.split('[').next().unwrap_or_default();
            return Err(
                failed(&format!("'new' parameter 'type' expects a Type value, got {got}")).into()
            );
        };
        let arguments: Vec<Value> =
            std::iter::once(value).chain(parts.iter().skip(1).cloned()).collect();
        let is_secret = self.invocation.is_secret.get();
        let value = self.host.convert(type_, &arguments).map_err(|message| match is_secret {
            // What is said of a value may show it.
            true => failed("the value is a secret that does not fit"),
            false => failed(&message),
        })?;
        let shown = shown.unwrap_or_default();
        self.tell(|trace| {
            trace.text(format!("Applying convert_to lookup_option with arguments {shown}"));
        });
        Ok(value)
    }
}

/// Whether `convert_to` makes a secret of a value.
fn hides(convert_to: &Value) -> bool {
    let first = match convert_to {
        Value::Array(parts) => parts.first().unwrap_or(&Value::Undef),
        other => other,
    };
    match first {
        Value::String(source) => source.trim_start().starts_with("Sensitive"),
        Value::Type(type_) => matches!(**type_, Type::Sensitive(_)),
        _ => false,
    }
}
