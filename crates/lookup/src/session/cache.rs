//! Cache of a session.

use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use kukla_pcore::{Hash, Value};
use rustc_hash::FxHashMap;

use crate::access::Rules;
use crate::fast_path::FastPath;
use crate::options::KeyOptions;
use crate::pdl::{ClassFiles, File};
use crate::provider::Provider;

/// Results that are computed once per session.
#[derive(Debug, Default)]
pub(crate) struct SessionCache {
    /// By module: whether no class of it can have data; modules whose classes differ are missing here.
    pub(crate) modules_without_data: FxHashMap<EcoString, bool>,
    /// By class of all other modules: whether it has no data. A class may have the name of its module.
    pub(crate) classes_without_data: FxHashMap<EcoString, bool>,
    pub(crate) global_has_no_data: Option<bool>,
    /// By directory of a module: whether it has data.
    pub(crate) has_data: FxHashMap<EcoString, bool>,
    /// Fast paths to the parameters of classes; `None` for a class that has no fast path.
    pub(crate) fast_paths: FxHashMap<EcoString, Option<FastPath>>,
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
    /// Results of functions on files.
    pub(crate) file_results: FxHashMap<EcoString, (kukla_world::Stamp, Value)>,
    /// The rules of access, or the reason why they can't be used.
    pub(crate) access: Option<Rules>,
    pub(crate) default_options: FxHashMap<EcoString, Option<Rc<KeyOptions>>>,
}

impl SessionCache {
    /// Whether all nodes may see all data.
    pub(crate) const fn is_open(&self) -> bool {
        matches!(self.access, Some(Ok(None)))
    }
}
