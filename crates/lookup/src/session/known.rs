//! What is found out once in a compilation.

use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use kukla_pcore::{Hash, Value};
use rustc_hash::FxHashMap;

use crate::access::Rules;
use crate::options::KeyOptions;
use crate::pdl::{ClassFiles, File};
use crate::provider::Provider;
use crate::short::ShortWay;

/// What is found out once.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Modules whose classes no data can say anything of, and others; those whose classes may differ are not here.
    pub(crate) silent_modules: FxHashMap<EcoString, bool>,
    /// The same of the classes of all other modules; one of them may have the name of its module.
    pub(crate) silent_classes: FxHashMap<EcoString, bool>,
    pub(crate) is_global_silent: Option<bool>,
    /// Directories of modules with data, and others.
    pub(crate) has_data: FxHashMap<EcoString, bool>,
    /// Short ways to the parameters of classes, where there is one.
    pub(crate) short_ways: FxHashMap<EcoString, Option<ShortWay>>,
    pub(crate) global: Option<Rc<Provider>>,
    pub(crate) environment: Option<Option<Rc<Provider>>>,
    pub(crate) modules: FxHashMap<EcoString, Option<Rc<Provider>>>,
    pub(crate) options: FxHashMap<Option<EcoString>, Option<Rc<KeyOptions>>>,
    pub(crate) global_options: Option<Option<Arc<Hash>>>,
    pub(crate) environment_options: Option<Option<Arc<Hash>>>,
    /// The PDL of classes.
    pub(crate) pdl: FxHashMap<EcoString, Rc<ClassFiles>>,
    /// The PDL of the site.
    pub(crate) library: Option<Option<Rc<File>>>,
    /// What functions made of files.
    pub(crate) made: FxHashMap<EcoString, (kukla_world::Stamp, Value)>,
    /// The rules who may see what, or why they can't be used.
    pub(crate) access: Option<Rules>,
    pub(crate) default_options: FxHashMap<EcoString, Option<Rc<KeyOptions>>>,
}

impl Known {
    /// Whether it is known that all nodes may see everything.
    pub(crate) const fn is_open(&self) -> bool {
        matches!(self.access, Some(Ok(None)))
    }
}
