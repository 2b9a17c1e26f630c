//! Methods that templates define.
//!
//! Ruby adds them to the class of all templates, so that other templates of the compilation have them too: one that renders
//! this one, or a later one.

use std::rc::Rc;
use std::sync::Arc;

use super::Run;
use crate::class::{Class, Method};
use crate::read::tree::Def;
use crate::value::RubyValue;

/// The key of their state at the host; keys of functions are addresses.
const METHODS: usize = 1;

impl Run<'_> {
    /// Shares a method that is defined in this class, if it is the class of templates.
    pub(super) fn share_method(&mut self, class: &Rc<Class>, def: &Arc<Def>) {
        if *class.name.borrow() != "Puppet::Parser::TemplateWrapper" {
            return;
        }
        let mut all = self.shared_methods();
        all.retain(|other| other.name != def.name);
        all.push(Arc::clone(def));
        self.host.keep_state(METHODS, Box::new(all));
    }

    /// Returns a method that another template has defined.
    pub(super) fn shared_method(
        &mut self,
        recv: &RubyValue,
        name: &str,
    ) -> Option<(Method, Rc<Class>)> {
        let RubyValue::Object(object) = recv else { return None };
        if !object.is_template() {
            return None;
        }
        let all = self.shared_methods();
        let method = all.iter().find(|def| def.name == name).cloned();
        self.host.keep_state(METHODS, Box::new(all));
        let class = Rc::clone(&object.class);
        Some((Method::Def(method?, Rc::clone(&class)), class))
    }

    fn shared_methods(&mut self) -> Vec<Arc<Def>> {
        let state = self.host.take_state(METHODS);
        state.and_then(|state| state.downcast().ok()).map_or_else(Vec::new, |all| *all)
    }
}
