//! Classes of which no data can say anything: most modules have none, and most classes many parameters.

use kukla_world::World;
use std::rc::Rc;

use ecow::EcoString;
use kukla_base::name::first_segment;

use crate::run::{Invocation, Run};
use crate::session::Session;
use crate::{Host, Search};

impl Session {
    /// Whether no data can have a value for a parameter of a class: neither a layer of Hiera nor PDL is there.
    ///
    /// Nothing is told, and nobody is asked: a search would not have either.
    pub fn is_silent(self: &Rc<Self>, host: &mut dyn Host, class: &str) -> bool {
        let module = first_segment(class);
        if let Some(&known) = self.known.borrow().silent_modules.get(module) {
            return known;
        }
        if let Some(&known) = self.known.borrow().silent_classes.get(class) {
            return known;
        }
        let mut run = Run::new(host, self, Invocation::default());
        let module = EcoString::from(module);
        // If something is wrong, the search itself says what.
        if run.access().is_err() {
            return false;
        }
        let has_hiera = run.has_hiera(&module).unwrap_or(true);
        if has_hiera || !run.may_have_pdl(&module).unwrap_or(true) {
            let is_silent = !has_hiera;
            self.known.borrow_mut().silent_modules.insert(module, is_silent);
            return is_silent;
        }
        let is_silent = !run.has_pdl(class).unwrap_or(true);
        self.known.borrow_mut().silent_classes.insert(class.into(), is_silent);
        is_silent
    }
}

impl Run<'_> {
    /// Whether a layer of Hiera may have data for the classes of a module.
    fn has_hiera(&mut self, module: &EcoString) -> Search<bool> {
        Ok(!self.is_global_silent()
            || self.environment_provider()?.is_some()
            || self.module_provider(module)?.is_some())
    }

    /// Without a `hiera.yaml` the global layer has one file, if that is there.
    pub(crate) fn is_global_silent(&mut self) -> bool {
        if let Some(known) = self.session.known.borrow().is_global_silent {
            return known;
        }
        let layers = &self.session.layers;
        let places = &layers.places;
        let data = format!("{}/data/common.yaml", crate::paths::parent(&places.hiera_config));
        let is_there = |path: &str| self.session.files().exists(path);
        let is_silent =
            !places.is_global_used || !is_there(&places.hiera_config) && !is_there(&data);
        self.session.known.borrow_mut().is_global_silent = Some(is_silent);
        is_silent
    }
}
