//! `class`, `module`, `def` and `alias`.

use std::rc::Rc;
use std::sync::Arc;

use super::{Eval, Frame, Run};
use crate::class::{Class, Method, Native};
use crate::read::tree::{Def, Module, ModuleKind, Name, Node};
use crate::value::RubyValue;

impl Run<'_> {
    pub(super) fn eval_module(&mut self, module: &Module, frame: &Rc<Frame>) -> Eval {
        if let ModuleKind::Singleton(of) = &module.what {
            return self.eval_singleton(of, module, frame);
        }
        let owner = self.owner(module, frame)?;
        let existing = self.existing(&owner, module)?;
        let class = match (existing, &module.what) {
            (Some(RubyValue::Class(class)), _) => class,
            (Some(other), _) => {
                let shown = crate::show::inspect(&other);
                return self.type_error(format!("{} is not a class\n{shown}", module.name));
            }
            (None, what) => {
                let superclass = match what {
                    ModuleKind::Class(Some(node)) => match self.eval(node, frame)? {
                        RubyValue::Class(class) => Some(class),
                        _ => return self.type_error("superclass must be a Class"),
                    },
                    ModuleKind::Class(None) => Some(Rc::clone(&self.vm.top)),
                    _ => None,
                };
                self.make_class(&owner, &module.name, superclass, frame)
            }
        };
        self.eval_body_in(&class, module, frame)
    }

    fn owner(&mut self, module: &Module, frame: &Rc<Frame>) -> Eval<Rc<Class>> {
        if module.top {
            return Ok(Rc::clone(&self.vm.top));
        }
        match &module.parent {
            None => Ok(Rc::clone(&frame.context.module)),
            Some(node) => match self.eval(node, frame)? {
                RubyValue::Class(class) => Ok(class),
                other => {
                    let shown = crate::show::inspect(&other);
                    self.type_error(format!("{shown} is not a class/module"))
                }
            },
        }
    }

    fn existing(&mut self, owner: &Rc<Class>, module: &Module) -> Eval<Option<RubyValue>> {
        if let Some(value) = owner.constants.borrow().get(&module.name) {
            return Ok(Some(value.clone()));
        }
        let outer = owner.name.borrow().clone();
        let path = if outer == "Object" {
            module.name.clone()
        } else {
            ecow::eco_format!("{outer}::{}", module.name)
        };
        Ok(self.builtin_class(&path).map(RubyValue::Class))
    }

    fn make_class(
        &mut self,
        owner: &Rc<Class>,
        name: &Name,
        superclass: Option<Rc<Class>>,
        frame: &Rc<Frame>,
    ) -> Rc<Class> {
        let is_top = Rc::ptr_eq(owner, &self.vm.top);
        let path = if is_top {
            name.clone()
        } else {
            ecow::eco_format!("{}::{name}", owner.name.borrow())
        };
        let native = superclass.as_ref().map_or(Native::Object, |class| class.native);
        let lexical_parent = Some(Rc::clone(&frame.context.module));
        let is_module = superclass.is_none();
        let class =
            Rc::new(Class { lexical_parent, is_module, native, ..Class::new(&path, superclass) });
        owner.constants.borrow_mut().insert(name.clone(), RubyValue::Class(Rc::clone(&class)));
        self.vm.process.forget_constants();
        class
    }

    fn eval_body_in(&mut self, class: &Rc<Class>, module: &Module, _frame: &Rc<Frame>) -> Eval {
        let context = self.context(RubyValue::Class(Rc::clone(class)), Rc::clone(class));
        let inner = self.frame_of(Rc::new(context), module.n_locals);
        self.eval(&module.body, &inner)
    }

    fn eval_singleton(&mut self, of: &Node, module: &Module, frame: &Rc<Frame>) -> Eval {
        let value = self.eval(of, frame)?;
        let inner_module = match &value {
            RubyValue::Class(class) => Rc::clone(class),
            _ => Rc::clone(&frame.context.module),
        };
        let mut context = self.context(value, inner_module);
        context.defines_own = true;
        let inner = self.frame_of(Rc::new(context), module.n_locals);
        self.eval(&module.body, &inner)
    }

    pub(super) fn eval_def(
        &mut self,
        def: &Arc<Def>,
        receiver: Option<&Node>,
        frame: &Rc<Frame>,
    ) -> Eval {
        let module = Rc::clone(&frame.context.module);
        let method = Method::Def(Arc::clone(def), Rc::clone(&module));
        let on = match receiver {
            Some(node) => Some(self.eval(node, frame)?),
            None if frame.context.defines_own => Some(frame.context.self_value.clone()),
            None => None,
        };
        match on {
            Some(value) => self.define_on(&value, &def.name, method)?,
            None => {
                if frame.context.module_function.get() {
                    let method = method.clone();
                    module.own_methods.borrow_mut().insert(def.name.clone(), method);
                }
                self.define(&module, &def.name, method);
            }
        }
        Ok(RubyValue::Sym(def.name.clone()))
    }

    pub(crate) fn define(&mut self, class: &Rc<Class>, name: &Name, method: Method) {
        if self.is_rubys(class) {
            self.vm.process.reopen(name);
        }
        class.methods.borrow_mut().insert(name.clone(), method);
    }

    /// Whether values that are no objects of the code's may have the methods of a class or module.
    pub(crate) fn is_rubys(&self, class: &Rc<Class>) -> bool {
        let name = class.name.borrow();
        class.native == Native::Builtin
            || class.is_above_rubys.get()
            || Rc::ptr_eq(class, &self.vm.top)
            || matches!(name.as_str(), "Kernel" | "Comparable" | "Enumerable")
    }

    /// Notes that one of Ruby's own classes has the methods of a module, which may get more of them later.
    pub(crate) fn put_above_rubys(&self, module: &Rc<Class>) {
        for module in module.ancestors() {
            module.is_above_rubys.set(true);
            module.methods.borrow().keys().for_each(|name| self.vm.process.reopen(name));
        }
    }

    fn define_on(&mut self, value: &RubyValue, name: &Name, method: Method) -> Eval<()> {
        match value {
            RubyValue::Class(class) => {
                class.own_methods.borrow_mut().insert(name.clone(), method);
            }
            RubyValue::Object(object) => {
                object.own_methods.borrow_mut().insert(name.clone(), method);
            }
            _ => return self.type_error("can't define singleton"),
        }
        Ok(())
    }

    pub(super) fn eval_alias(&mut self, new: &Name, old: &Name, frame: &Rc<Frame>) -> Eval {
        let module = Rc::clone(&frame.context.module);
        let own = frame.context.defines_own;
        self.alias(&module, new, old, own);
        Ok(RubyValue::Nil)
    }

    pub(crate) fn alias(&mut self, module: &Rc<Class>, new: &Name, old: &Name, own: bool) {
        let method = if own {
            module.own_methods.borrow().get(old).cloned()
        } else {
            module.find_method(old).map(|(method, _)| method)
        };
        let method = method.unwrap_or_else(|| Method::Alias(old.clone()));
        if own {
            module.own_methods.borrow_mut().insert(new.clone(), method);
        } else {
            self.define(module, new, method);
        }
    }
}
