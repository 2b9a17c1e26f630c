//! Fast path for parameters: most have a plain value in a file that is already parsed, or none.
//!
//! The first search for a parameter of a class caches which files it reads. If nothing else applies (no options of the
//! key, no PDL, no rules of access, no changeable variables), later lookups read only these parsed files. Any other case
//! falls back to the full search.

use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;

use crate::backend::Source;
use crate::data::{DataHash, Format};
use crate::key::{class_and_name, has_parts};
use crate::options::KeyOptions;
use crate::provider::Provider;
use crate::run::{Invocation, Run};
use crate::session::{FoundValue, Session};
use crate::trace::{HierarchyLevel, Origin};
use crate::{Host, Search};

/// The existing files of a layer, in order of precedence.
pub(crate) type PlainFiles = Vec<PlainFile>;

/// A file of a layer.
#[derive(Clone, Debug)]
pub(crate) struct PlainFile {
    pub(crate) path: EcoString,
    /// The format; `None` if a function of a module reads it.
    pub(crate) format: Option<Format>,
    pub(crate) level: Option<Arc<HierarchyLevel>>,
    pub(crate) source: Rc<Source>,
}

/// The data sources of a class's parameters.
#[derive(Debug)]
pub(crate) struct FastPath {
    /// The layers of the environment and of the module.
    layers: [Option<Rc<Provider>>; 2],
    options: Option<Rc<KeyOptions>>,
}

impl Session {
    /// Returns the value of a parameter, or its absence, if the fast path can decide; `None`: a search is needed.
    pub(crate) fn fast_lookup(&self, name: &str) -> Option<Option<FoundValue>> {
        if self.is_under_way() {
            return None;
        }
        let (class, _) = class_and_name(name)?;
        let cache = self.cache.borrow();
        let path = cache.fast_paths.get(class)?.as_ref()?;
        let has_options = path.options.as_ref().is_some_and(|options| options.get(name).is_some());
        if has_parts(name) || has_options {
            return None;
        }
        path.find(name, self)
    }

    /// Determines whether the parameters of a class have a fast path, after one of them was searched for.
    pub(crate) fn learn_fast_path(self: &Rc<Self>, host: &mut dyn Host, name: &str) {
        let Some((class, _)) = class_and_name(name) else { return };
        if self.is_under_way() || self.cache.borrow().fast_paths.contains_key(class) {
            return;
        }
        let path = Run::new(host, self, Invocation::default()).fast_path(class);
        // The search itself reports errors.
        let path = path.unwrap_or_default();
        self.cache.borrow_mut().fast_paths.insert(class.into(), path);
    }
}

impl FastPath {
    /// Returns the value, or its absence; `None` if the parsed files can't decide.
    fn find(&self, name: &str, session: &Session) -> Option<Option<FoundValue>> {
        let hash = DataHash::hash_of(name);
        let mut has_defaults = false;
        for provider in self.layers.iter().flatten() {
            let resolved = provider.resolved();
            let resolved = resolved.as_ref()?;
            for file in resolved.plain_files()? {
                let data = file.source.data();
                let data = data.as_ref()?;
                if let Some(format) = file.format {
                    session.note_key(&file.path, format, data, name);
                }
                let Some(entry) = data.get_hashed(hash, name) else { continue };
                if !entry.is_plain() {
                    return None;
                }
                let origins = vec![Origin {
                    file: file.path.clone(),
                    line: entry.line,
                    level: file.level.clone(),
                }];
                let value = entry.value.clone();
                return Some(Some(FoundValue { value, origins, is_secret: false }));
            }
            has_defaults |= resolved.has_defaults();
        }
        (!has_defaults).then_some(None)
    }
}

impl Run<'_> {
    fn fast_path(&mut self, class: &str) -> Search<Option<FastPath>> {
        let is_plain = self.session.cache.borrow().is_open()
            && self.global_has_no_data()
            && !self.has_pdl(class)?;
        if !is_plain {
            return Ok(None);
        }
        let module = EcoString::from(class.split_once("::").map_or(class, |(module, _)| module));
        let layers = [self.environment_provider()?, self.module_provider(&module)?];
        let options = self.options_of_module(Some(&module))?;
        Ok(Some(FastPath { layers, options }))
    }
}
