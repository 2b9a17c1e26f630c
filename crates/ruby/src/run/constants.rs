//! Constants: those that the code defines, and Ruby's own, which are created when they are first used.

use std::rc::Rc;

use super::{Eval, Frame, Run};
use crate::class::{Class, Native};
use crate::library;
use crate::read::tree::{Name, Program};
use crate::value::RubyValue;

impl Run<'_> {
    pub(crate) fn constant(&mut self, name: &Name, frame: &Rc<Frame>) -> Eval {
        let module = &frame.context.module;
        let cache = self.vm.process.constant_cache.borrow();
        let mut cached = cache.get(name.as_str()).into_iter().flatten();
        if let Some((_, value)) = cached.find(|(place, _)| Rc::ptr_eq(place, module)) {
            return Ok(value.clone());
        }
        drop(cache);
        match self.find_constant(name, module)? {
            Some(value) => {
                let mut cache = self.vm.process.constant_cache.borrow_mut();
                let cached = cache.entry(name.clone()).or_default();
                cached.push((Rc::clone(module), value.clone()));
                Ok(value)
            }
            None => {
                let module = module.name.borrow().clone();
                let path = if module == "Object" || module.is_empty() {
                    name.clone()
                } else {
                    ecow::eco_format!("{module}::{name}")
                };
                self.unknown_constant(&path)
            }
        }
    }

    fn unknown_constant(&mut self, path: &str) -> Eval {
        if library::exists_in_ruby(path) {
            return self.unsupported(format!("constant {path}"));
        }
        self.raise("NameError", format!("uninitialized constant {path}"))
    }

    /// Finds a constant in Ruby's order: first in the modules around the code, then in the ancestors of its class, then at the
    /// top.
    pub(crate) fn find_constant(
        &mut self,
        name: &str,
        module: &Rc<Class>,
    ) -> Eval<Option<RubyValue>> {
        let mut lexical = Some(Rc::clone(module));
        while let Some(this) = lexical {
            if let Some(value) = self.constant_of(&this, name)? {
                return Ok(Some(value));
            }
            lexical = this.lexical_parent.clone();
        }
        for class in module.ancestors() {
            if let Some(value) = self.constant_of(&class, name)? {
                return Ok(Some(value));
            }
        }
        let top = Rc::clone(&self.vm.top);
        self.constant_of(&top, name)
    }

    fn constant_of(&mut self, class: &Rc<Class>, name: &str) -> Eval<Option<RubyValue>> {
        if let Some(value) = class.constants.borrow().get(name) {
            return Ok(Some(value.clone()));
        }
        let owner = class.name.borrow().clone();
        let path: Name = match owner.as_str() {
            "Object" => name.into(),
            // Both names are of one module.
            "YAML" => ecow::eco_format!("Psych::{name}"),
            _ => ecow::eco_format!("{owner}::{name}"),
        };
        if let Some(value) = library::constant_value(&path) {
            return Ok(Some(value));
        }
        Ok(self.builtin_class(&path).map(RubyValue::Class))
    }

    pub(crate) fn constant_in(&mut self, parent: &RubyValue, name: &Name) -> Eval {
        let RubyValue::Class(class) = parent else {
            let shown = crate::show::inspect(parent);
            return self.type_error(format!("{shown} is not a class/module"));
        };
        for ancestor in class.ancestors() {
            if let Some(value) = self.constant_of(&ancestor, name)? {
                return Ok(value);
            }
        }
        let owner = class.name.borrow().clone();
        let path =
            if owner == "Object" { name.clone() } else { ecow::eco_format!("{owner}::{name}") };
        self.unknown_constant(&path)
    }

    pub(crate) fn set_constant(&mut self, owner: &Rc<Class>, name: &Name, value: RubyValue) {
        self.vm.process.forget_constants();
        if let RubyValue::Class(class) = &value
            && class.name.borrow().is_empty()
        {
            let outer = owner.name.borrow().clone();
            let path =
                if outer == "Object" { name.clone() } else { ecow::eco_format!("{outer}::{name}") };
            class.name.replace(path);
        }
        owner.constants.borrow_mut().insert(name.clone(), value);
    }

    /// Returns one of Ruby's or Puppet's own classes by its full name.
    pub(crate) fn builtin_class(&mut self, path: &str) -> Option<Rc<Class>> {
        match path {
            "Object" => return Some(Rc::clone(&self.vm.top)),
            "Fixnum" | "Bignum" => return self.builtin_class("Integer"),
            _ => (),
        }
        if let Some(RubyValue::Class(class)) = self.vm.top.constants.borrow().get(path) {
            return Some(Rc::clone(class));
        }
        if let Some(file) = library::prelude::file_of(path) {
            return self.load_class(path, file);
        }
        let info = library::class_info(path)?;
        let superclass = match info.superclass {
            "" => None,
            above => self.builtin_class(above),
        };
        let mut class = Class::new(path, superclass);
        class.is_module = info.is_module;
        if info.native != Native::Object {
            class.native = info.native;
        }
        let class = Rc::new(class);
        for module in info.includes {
            if let Some(module) = self.builtin_class(module) {
                class.includes.borrow_mut().push(module);
            }
        }
        self.vm.top.constants.borrow_mut().insert(path.into(), RubyValue::Class(Rc::clone(&class)));
        Some(class)
    }

    /// Runs the file that defines a class of Ruby's library, when the code first names it.
    fn load_class(&mut self, name: &str, file: &Program) -> Option<Rc<Class>> {
        let feature = file.file.clone();
        if self.vm.process.required.borrow().contains(&feature) {
            return None;
        }
        self.vm.process.required.borrow_mut().push(feature);
        self.run_file(file).ok()?;
        match self.vm.top.constants.borrow().get(name) {
            Some(RubyValue::Class(class)) => Some(Rc::clone(class)),
            _ => None,
        }
    }

    /// Returns a class by its full name, and creates a plain exception class if there is none: errors of the host may name classes
    /// that the interpreter lacks.
    pub(crate) fn class_named(&mut self, path: &str) -> Rc<Class> {
        if let Some(class) = self.builtin_class(path) {
            return class;
        }
        let above = self.builtin_class("StandardError");
        let class = Rc::new(Class { native: Native::Exception, ..Class::new(path, above) });
        self.vm.top.constants.borrow_mut().insert(path.into(), RubyValue::Class(Rc::clone(&class)));
        class
    }

    /// Returns the class of a value.
    pub(crate) fn class_of(&mut self, value: &RubyValue) -> Rc<Class> {
        match value {
            RubyValue::Object(object) => Rc::clone(&object.class),
            other => {
                let name = crate::show::class_name(other);
                match self.builtin_class(&name) {
                    Some(class) => class,
                    None => {
                        let class = Rc::new(Class::new(&name, Some(Rc::clone(&self.vm.top))));
                        let value = RubyValue::Class(Rc::clone(&class));
                        self.vm.top.constants.borrow_mut().insert(name.into(), value);
                        class
                    }
                }
            }
        }
    }
}
