//! Constants, and bodies of modules and classes.

use std::rc::Rc;

use super::model::{Module, ModuleId};
use super::value::{Frame, Locals, Value};
use super::{Eval, Jump, Reader};
use crate::ruby::{Node, What};

/// Constants of Puppet that code inside of `module Puppet` names without `Puppet::`.
const PUPPET_CONSTANTS: [&str; 8] =
    ["Type", "ResourceApi", "Util", "Parameter", "Property", "Provider", "Error", "Resource"];

impl Reader<'_> {
    pub(super) fn constant(&mut self, scope: Option<&Node>, name: &Rc<str>, frame: &Frame) -> Eval {
        let scope = match scope {
            None => return Ok(self.lexical(name, frame)),
            Some(Node { what: What::Nil, .. }) => Value::Module(ModuleId(0)),
            Some(scope) => self.eval(scope, frame)?,
        };
        Ok(match scope {
            Value::Module(id) => {
                let constant = self.modules[id.0].constants.get(name).cloned();
                constant.unwrap_or_else(|| Value::Const(self.full_name(id, name)))
            }
            Value::Const(path) => Value::Const(format!("{path}::{name}").into()),
            _ => Value::Unknown,
        })
    }

    fn full_name(&self, id: ModuleId, name: &str) -> Rc<str> {
        match &*self.modules[id.0].path {
            "" => name.into(),
            path => format!("{path}::{name}").into(),
        }
    }

    fn lexical(&self, name: &str, frame: &Frame) -> Value {
        let around = frame.nesting.iter().rev().copied().chain([ModuleId(0)]);
        let mut mine = Vec::new();
        if let Value::Module(id) = frame.this {
            mine.push(id);
            mine.extend(&self.modules[id.0].includes);
        }
        let constant = around.chain(mine).find_map(|id| self.modules[id.0].constants.get(name));
        let in_puppet = || frame.nesting.iter().any(|id| &*self.modules[id.0].path == "Puppet");
        match constant {
            Some(value) => value.clone(),
            None if PUPPET_CONSTANTS.contains(&name) && in_puppet() => {
                Value::Const(format!("Puppet::{name}").into())
            }
            None => Value::Const(name.into()),
        }
    }

    /// Evaluates the body of `module path` or `class path < parent`.
    pub(super) fn reopen(
        &mut self,
        path: &Node,
        parent: Option<Value>,
        body: &Node,
        frame: &Frame,
    ) -> Eval {
        let Some(id) = self.open_module(path, frame)? else { return Ok(Value::Nil) };
        if parent.is_some() {
            self.module(id).parent = parent;
        }
        let mut nesting = frame.nesting.to_vec();
        nesting.push(id);
        let inside = Frame {
            locals: Rc::new(Locals::default()),
            this: Value::Module(id),
            nesting: nesting.into(),
            path: Rc::clone(&frame.path),
            method: None,
            is_singleton: false,
        };
        self.eval(body, &inside)
    }

    /// Returns the module of this path, and creates it if there is none yet.
    fn open_module(&mut self, path: &Node, frame: &Frame) -> Result<Option<ModuleId>, Jump> {
        let What::Const(scope, name) = &path.what else { return Ok(None) };
        let home = match scope {
            None => frame.nesting.last().copied(),
            Some(scope) if matches!(scope.what, What::Nil) => Some(ModuleId(0)),
            Some(scope) => match self.eval(scope, frame)? {
                Value::Module(id) => Some(id),
                // A class of Puppet's own, reopened only to hold this one.
                Value::Const(_) => self.open_module(scope, frame)?,
                _ => None,
            },
        };
        let Some(home) = home else { return Ok(None) };
        if let Some(Value::Module(id)) = self.modules[home.0].constants.get(name) {
            return Ok(Some(*id));
        }
        let module = Module { path: self.full_name(home, name), ..Module::default() };
        let id = self.add_module(module);
        self.module(home).constants.insert(Rc::clone(name), Value::Module(id));
        Ok(Some(id))
    }

    pub(super) fn add_module(&mut self, module: Module) -> ModuleId {
        self.modules.push(module);
        ModuleId(self.modules.len() - 1)
    }
}
