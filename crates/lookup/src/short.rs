//! The short way to parameters: most stand as they are in a file that was read already, or nowhere.
//!
//! A search by all rules leaves behind, per class, which files it asked. As long as nothing else has a say (no options
//! of the key, no PDL, no rule of access, no variable that may change), the next one only asks the same files. Whatever
//! is not plain goes the long way, which knows all rules.

use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;

use crate::backend::Source;
use crate::data::DataHash;
use crate::key::{class_and_name, has_parts};
use crate::options::KeyOptions;
use crate::provider::Provider;
use crate::run::{Invocation, Run};
use crate::session::{Found, Session};
use crate::trace::{HierarchyLevel, Origin};
use crate::{Host, Search};

/// The files of a layer that are there, in the order in which they are asked.
pub(crate) type PlainFiles = Vec<PlainFile>;

/// A file of a layer.
#[derive(Clone, Debug)]
pub(crate) struct PlainFile {
    pub(crate) path: EcoString,
    pub(crate) level: Option<Arc<HierarchyLevel>>,
    pub(crate) source: Rc<Source>,
}

/// All that has a say in the parameters of a class.
#[derive(Debug)]
pub(crate) struct ShortWay {
    /// The environment's and the module's.
    layers: [Option<Rc<Provider>>; 2],
    options: Option<Rc<KeyOptions>>,
}

impl Session {
    /// The value of a parameter, if it is known without a search that there is one, or none.
    pub(crate) fn short_lookup(&self, host: &mut dyn Host, name: &str) -> Option<Option<Found>> {
        if self.is_under_way() {
            return None;
        }
        let (class, _) = class_and_name(name)?;
        let known = self.known.borrow();
        let way = known.short_ways.get(class)?.as_ref()?;
        if has_parts(name) || way.options.as_ref().is_some_and(|known| known.get(name).is_some()) {
            return None;
        }
        let found = way.find(name, self)?;
        // Whoever is told may ask for something else.
        drop(known);
        host.asked_for(name);
        Some(found)
    }

    /// Finds out whether there is a short way to the parameters of a class, after one of them was searched for.
    pub(crate) fn learn_short_way(self: &Rc<Self>, host: &mut dyn Host, name: &str) {
        let Some((class, _)) = class_and_name(name) else { return };
        if self.is_under_way() || self.known.borrow().short_ways.contains_key(class) {
            return;
        }
        let way = Run::new(host, self, Invocation::default()).short_way(class);
        // What is wrong is told by the search itself.
        let way = way.unwrap_or_default();
        self.known.borrow_mut().short_ways.insert(class.into(), way);
    }
}

impl ShortWay {
    /// `None` if it takes more than a look into the files.
    fn find(&self, name: &str, session: &Session) -> Option<Option<Found>> {
        let hash = DataHash::hash_of(name);
        let mut has_defaults = false;
        for provider in self.layers.iter().flatten() {
            let resolved = provider.resolved();
            let resolved = resolved.as_ref()?;
            for file in resolved.plain_files()? {
                let data = file.source.data();
                let entry = data.as_ref()?.get_hashed(hash, name);
                session.note_key(&file.path, name, entry.map(|entry| &entry.value));
                let Some(entry) = entry else { continue };
                if !entry.is_plain() {
                    return None;
                }
                let origins = vec![Origin {
                    file: file.path.clone(),
                    line: entry.line,
                    level: file.level.clone(),
                }];
                let value = entry.value.clone();
                return Some(Some(Found { value, origins, is_secret: false }));
            }
            has_defaults |= resolved.has_defaults();
        }
        (!has_defaults).then_some(None)
    }
}

impl Run<'_> {
    fn short_way(&mut self, class: &str) -> Search<Option<ShortWay>> {
        let is_plain = self.session.known.borrow().is_open()
            && self.is_global_silent()
            && !self.has_pdl(class)?;
        if !is_plain {
            return Ok(None);
        }
        let module = EcoString::from(class.split_once("::").map_or(class, |(module, _)| module));
        let layers = [self.environment_provider()?, self.module_provider(&module)?];
        let options = self.options_of_module(Some(&module))?;
        Ok(Some(ShortWay { layers, options }))
    }
}
