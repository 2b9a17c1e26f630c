//! Modules, classes and methods.

use std::rc::Rc;

use ruby_prism::Node as Prism;

use super::{Lower, name, text};
use crate::ruby::{Block, What};

impl Lower {
    pub(super) fn definition(&mut self, node: &Prism<'_>) -> Option<What> {
        Some(match node {
            Prism::DefNode { .. } => {
                let def = node.as_def_node()?;
                let params =
                    def.parameters().map(|params| self.params(&params)).unwrap_or_default();
                let method = Rc::new(Block { params, body: self.body(def.body()) });
                What::Def {
                    name: name(&def.name()),
                    is_singleton: def.receiver().is_some(),
                    method,
                }
            }
            Prism::ModuleNode { .. } => {
                let module = node.as_module_node()?;
                What::Module(self.boxed(&module.constant_path()), Rc::new(self.body(module.body())))
            }
            Prism::ClassNode { .. } => {
                let class = node.as_class_node()?;
                let parent = class.superclass().map(|parent| self.boxed(&parent));
                let path = self.boxed(&class.constant_path());
                What::Class(path, parent, Rc::new(self.body(class.body())))
            }
            Prism::SingletonClassNode { .. } => {
                let class = node.as_singleton_class_node()?;
                let of = self.boxed(&class.expression());
                What::Singleton(of, Rc::new(self.body(class.body())))
            }
            Prism::AliasMethodNode { .. } => {
                let alias = node.as_alias_method_node()?;
                let symbol = |node: &Prism<'_>| Some(text(node.as_symbol_node()?.unescaped()));
                What::Alias(symbol(&alias.new_name())?, symbol(&alias.old_name())?)
            }
            _ => return None,
        })
    }
}
