//! Where data is: the global layer, the environment, the modules.

use std::sync::OnceLock;

use ecow::EcoString;
use indexmap::IndexMap;
use kukla_pcore::Type;
use kukla_syntax::Strict;

use crate::data::{FileCache, PdlCache};
use kukla_world::{SharedWorld, World};

/// What an environment's data is made of. Immutable, and shared by all compilations of the environment.
///
/// Configuration is read when it is needed; data files are parsed once and kept as long as they don't change.
#[derive(Debug)]
pub struct Layers {
    pub(crate) world: SharedWorld,
    pub(crate) places: Places,
    pub(crate) cache: FileCache,
    pub(crate) pdl: PdlCache,
    pub(crate) types: ConfigTypes,
}

/// The places where data may be, and the settings that matter.
#[derive(Clone, Debug)]
pub struct Places {
    /// The setting `hiera_config`: an absolute path, whether or not there is such a file.
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
    /// The setting `datalocation`: where the site keeps its PDL.
    pub datalocation: Option<EcoString>,
    /// The setting `datalibrary`; `site.pdl` of `datalocation` if it is not set.
    pub datalibrary: Option<EcoString>,
    /// The setting `strict`.
    pub strict: Strict,
    /// Whether the global layer is asked: false if `data_binding_terminus` is `none`.
    pub is_global_used: bool,
}

/// Where a module is.
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
            is_global_used: true,
        }
    }
}

/// The types of configuration files, made when they are needed.
#[derive(Debug, Default)]
pub(crate) struct ConfigTypes {
    pub(crate) v4: OnceLock<Type>,
    pub(crate) v5: OnceLock<Type>,
}

impl Layers {
    /// The data of an environment.
    pub fn new(world: SharedWorld, places: Places) -> Self {
        Self {
            world,
            places,
            cache: FileCache::default(),
            pdl: PdlCache::default(),
            types: ConfigTypes::default(),
        }
    }

    /// The places.
    pub const fn places(&self) -> &Places {
        &self.places
    }

    /// Returns the world that files come from.
    pub fn world(&self) -> &dyn World {
        &*self.world
    }
}
