//! Ruby's own methods of modules: mixing in other modules, constants and methods by name.

use std::rc::Rc;

use super::model::{Method, ModuleId};
use super::value::{Closure, Frame, Value};
use super::{Jump, Reader};

/// Modules of Ruby itself that types include; they declare nothing.
const RUBY_MODULES: [&str; 6] =
    ["Comparable", "Enumerable", "Forwardable", "Singleton", "FileUtils", "Kernel"];

impl Reader<'_> {
    pub(super) fn include(
        &mut self,
        id: ModuleId,
        args: &[Value],
        line: u32,
        frame: &Frame,
    ) -> Result<(), Jump> {
        for module in args {
            match module {
                Value::Module(module) => {
                    self.module(id).includes.push(*module);
                    self.hook("included", *module, id)?;
                }
                other => self.not_found(id, other, line, frame),
            }
        }
        Ok(())
    }

    pub(super) fn extend(
        &mut self,
        id: ModuleId,
        args: &[Value],
        line: u32,
        frame: &Frame,
    ) -> Result<(), Jump> {
        for module in args {
            match module {
                Value::Module(module) => {
                    self.module(id).extends.push(*module);
                    self.hook("extended", *module, id)?;
                }
                other => self.not_found(id, other, line, frame),
            }
        }
        Ok(())
    }

    /// Calls the hook of a module that was mixed in: `included` or `extended`.
    fn hook(&mut self, name: &str, module: ModuleId, base: ModuleId) -> Result<(), Jump> {
        self.call_method(module, &name.into(), 0, vec![Value::Module(base)], None)?;
        Ok(())
    }

    fn not_found(&mut self, id: ModuleId, module: &Value, line: u32, frame: &Frame) {
        let name = match module {
            Value::Const(path)
                if path.starts_with("Puppet::") || RUBY_MODULES.contains(&&**path) =>
            {
                return;
            }
            Value::Const(path) => path,
            _ => "a module",
        };
        if self.draft(id).is_some() {
            self.report(frame, line, format!("it includes `{name}`, which is not found"));
        }
    }

    pub(super) fn const_get(&self, id: ModuleId, args: &[Value]) -> Value {
        let Some(path) = args.first().and_then(Value::text) else { return Value::Unknown };
        let mut at = Value::Module(id);
        for part in path.trim_start_matches("::").split("::") {
            let Value::Module(home) = at else { return Value::Unknown };
            let homes = [home, ModuleId(0)];
            let constant = homes.iter().find_map(|home| self.modules[home.0].constants.get(part));
            at = constant.cloned().unwrap_or(Value::Unknown);
        }
        at
    }

    pub(super) fn const_set(&mut self, id: ModuleId, args: &[Value]) {
        if let [name, value] = args
            && let Some(name) = name.text()
        {
            self.module(id).constants.insert(Rc::clone(name), value.clone());
        }
    }

    pub(super) fn set_variable_of(&mut self, id: ModuleId, args: &[Value]) {
        if let [name, value] = args
            && let Some(name) = name.text()
        {
            self.module(id).variables.insert(Rc::clone(name), value.clone());
        }
    }

    pub(super) fn define_method(
        &mut self,
        id: ModuleId,
        args: &[Value],
        block: Option<Rc<Closure>>,
        is_singleton: bool,
    ) {
        let (Some(name), Some(block)) = (args.first().and_then(Value::text), block) else { return };
        let frame = block.frame.clone();
        let method = Method { block: Rc::clone(&block.block), frame, is_closure: true };
        let module = self.module(id);
        let methods = if is_singleton { &mut module.singleton } else { &mut module.methods };
        methods.insert(Rc::clone(name), method);
    }
}
