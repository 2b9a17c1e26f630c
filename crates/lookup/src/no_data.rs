//! Classes without any data: most modules have none, and most classes have many parameters.

use kukla_world::World;
use std::rc::Rc;

use ecow::EcoString;
use kukla_base::name::first_segment;

use crate::run::{Invocation, Run};
use crate::session::Session;
use crate::{Host, Search};

impl Session {
    /// Whether no data can have a value for a parameter of a class: there is neither a Hiera layer nor PDL.
    ///
    /// Logs and traces nothing, and calls no function of the host: a search would not do so either.
    pub fn has_no_data(self: &Rc<Self>, host: &mut dyn Host, class: &str) -> bool {
        let module = first_segment(class);
        if let Some(&cached) = self.cache.borrow().modules_without_data.get(module) {
            return cached;
        }
        if let Some(&cached) = self.cache.borrow().classes_without_data.get(class) {
            return cached;
        }
        let mut run = Run::new(host, self, Invocation::default());
        let module = EcoString::from(module);
        // The search itself reports the error.
        if run.access().is_err() {
            return false;
        }
        let has_hiera = run.has_hiera(&module).unwrap_or(true);
        if has_hiera || !run.may_have_pdl(&module).unwrap_or(true) {
            let has_no_data = !has_hiera;
            self.cache.borrow_mut().modules_without_data.insert(module, has_no_data);
            return has_no_data;
        }
        let has_no_data = !run.has_pdl(class).unwrap_or(true);
        self.cache.borrow_mut().classes_without_data.insert(class.into(), has_no_data);
        has_no_data
    }
}

impl Run<'_> {
    /// Whether a layer of Hiera may have data for the classes of a module.
    fn has_hiera(&mut self, module: &EcoString) -> Search<bool> {
        Ok(!self.global_has_no_data()
            || self.environment_provider()?.is_some()
            || self.module_provider(module)?.is_some())
    }

    /// Whether the global layer has no data: neither a `hiera.yaml` nor its default file exists.
    pub(crate) fn global_has_no_data(&mut self) -> bool {
        if let Some(cached) = self.session.cache.borrow().global_has_no_data {
            return cached;
        }
        let layers = &self.session.layers;
        let places = &layers.places;
        let data = format!("{}/data/common.yaml", crate::paths::parent(&places.hiera_config));
        let exists = |path: &str| self.session.files().exists(path);
        let has_no_data = !places.is_global_used || !exists(&places.hiera_config) && !exists(&data);
        self.session.cache.borrow_mut().global_has_no_data = Some(has_no_data);
        has_no_data
    }
}
