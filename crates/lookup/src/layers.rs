//! Layers of data: global, environment, modules.

use std::sync::OnceLock;

use ecow::EcoString;
use indexmap::IndexMap;
use kukla_base::Edition;
use kukla_pcore::Type;
use kukla_syntax::Strict;

use crate::data::{FileCache, PdlCache};
use kukla_world::{SharedWorld, World};

/// All data of an environment. Immutable, and shared by all compilations of the environment.
///
/// Configuration is read on demand; data files are parsed once and cached until they change.
#[derive(Debug)]
pub struct Layers {
    pub(crate) world: SharedWorld,
    pub(crate) places: Places,
    pub(crate) cache: FileCache,
    pub(crate) pdl: PdlCache,
    pub(crate) types: ConfigTypes,
}

/// Paths of the data, and relevant settings.
#[derive(Clone, Debug)]
pub struct Places {
    /// The setting `hiera_config`: an absolute path, whether or not the file exists.
    pub hiera_config: EcoString,
    /// The setting `codedir`, where version 3 looks for data by default.
    pub codedir: EcoString,
    /// The environment's name.
    pub environment: EcoString,
    /// The environment's directory.
    pub directory: Option<EcoString>,
    /// `environment_data_provider` of `environment.conf`.
    pub data_provider: Option<EcoString>,
    /// All modules by name.
    pub modules: IndexMap<EcoString, ModulePlace>,
    /// The setting `datalocation`: the directory of the site's PDL.
    pub datalocation: Option<EcoString>,
    /// The setting `datalibrary`; by default `site.pdl` in `datalocation`.
    pub datalibrary: Option<EcoString>,
    /// The setting `strict`.
    pub strict: Strict,
    /// The edition of Puppet whose rules hold.
    pub edition: Edition,
    /// Whether the global layer is used: false if `data_binding_terminus` is `none`.
    pub is_global_used: bool,
}

/// Location of a module.
#[derive(Clone, Debug, Default)]
pub struct ModulePlace {
    /// Its directory.
    pub directory: EcoString,
    /// `data_provider` of its `metadata.json`.
    pub data_provider: Option<EcoString>,
}

impl Default for Places {
    fn default() -> Self {
        Self {
            hiera_config: "/etc/puppetlabs/puppet/hiera.yaml".into(),
            codedir: "/etc/puppetlabs/code".into(),
            environment: "production".into(),
            directory: None,
            data_provider: None,
            modules: IndexMap::new(),
            datalocation: None,
            datalibrary: None,
            strict: Strict::Error,
            edition: Edition::default(),
            is_global_used: true,
        }
    }
}

/// Types of configuration files, built on demand.
#[derive(Debug, Default)]
pub(crate) struct ConfigTypes {
    pub(crate) v4: OnceLock<Type>,
    pub(crate) v5: OnceLock<Type>,
}

impl Layers {
    /// Creates the data of an environment.
    pub fn new(world: SharedWorld, places: Places) -> Self {
        Self {
            world,
            places,
            cache: FileCache::default(),
            pdl: PdlCache::default(),
            types: ConfigTypes::default(),
        }
    }

    /// Returns the paths.
    pub const fn places(&self) -> &Places {
        &self.places
    }

    /// Returns the world that files come from.
    pub fn world(&self) -> &dyn World {
        &*self.world
    }
}
