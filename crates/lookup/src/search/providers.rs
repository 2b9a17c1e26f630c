//! Providers of the layers: found once, by their `hiera.yaml` or by legacy settings.

use kukla_world::World;
use std::rc::Rc;

use ecow::EcoString;

use crate::config::Config;
use crate::provider::{LayerKind, Provider};
use crate::run::Run;
use crate::{Fault, Search};

/// Treatment of a legacy setting.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SettingUse {
    Alone,
    BesideFile,
    Ignored,
}

impl Run<'_> {
    pub(crate) fn global_provider(&mut self) -> Rc<Provider> {
        let mut cached = self.session.cache.borrow_mut();
        let provider = cached.global.get_or_insert_with(|| {
            let path = self.session.layers.places.hiera_config.to_string();
            Rc::new(Provider::new(LayerKind::Global, path))
        });
        Rc::clone(provider)
    }

    pub(crate) fn environment_provider(&mut self) -> Search<Option<Rc<Provider>>> {
        let cached = self.session.cache.borrow().environment.clone();
        if let Some(provider) = cached {
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
        self.session.cache.borrow_mut().environment = Some(provider.clone());
        Ok(provider)
    }

    pub(crate) fn module_provider(&mut self, name: &EcoString) -> Search<Option<Rc<Provider>>> {
        let cached = self.session.cache.borrow().modules.get(name).cloned();
        if let Some(provider) = cached {
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
        self.session.cache.borrow_mut().modules.insert(name.clone(), provider.clone());
        Ok(provider)
    }

    /// Creates the provider of a `hiera.yaml`, or of a legacy setting.
    fn make_provider(
        &mut self,
        kind: LayerKind,
        directory: &str,
        named: Option<&EcoString>,
    ) -> Search<Option<Rc<Provider>>> {
        let path = format!("{directory}/hiera.yaml");
        let mut provider = None;
        let mut named = named;
        if self.session.files().stamp(&path).is_some() {
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

    /// Warns of a deprecated setting: it is used, alone or beside a `hiera.yaml`, or it is ignored.
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
}
