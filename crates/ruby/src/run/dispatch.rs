//! Method lookup: methods that the code defines first, then Ruby's own.

use std::rc::Rc;

use super::{Args, Eval, Frame, Run};
use crate::class::{Class, Method, Object};
use crate::names;
use crate::read::tree::Call;
use crate::show;
use crate::value::RubyValue;

impl Run<'_> {
    /// Calls a method from outside of any frame.
    pub(crate) fn call(&mut self, recv: &RubyValue, name: &str, args: &[RubyValue]) -> Eval {
        self.call_with(recv, name, Args::new(args))
    }

    pub(crate) fn call_with(&mut self, recv: &RubyValue, name: &str, args: Args<'_>) -> Eval {
        if let Some((method, owner)) = self.find_method(recv, name) {
            return self.invoke(&method, &owner, recv, name, args);
        }
        // Methods of ours may call each other without end, too.
        self.nested(|this| this.builtin_or_missing(recv, name, args))
    }

    /// Calls a method with a receiver.
    pub(crate) fn send(
        &mut self,
        recv: &RubyValue,
        name: &str,
        args: Args<'_>,
        frame: &Rc<Frame>,
    ) -> Eval {
        // The last match belongs to the frame of the caller.
        if name == "last_match" && matches!(recv, RubyValue::Class(_)) {
            return self.last_match(args, frame);
        }
        let result = self.call_with(recv, name, args);
        if let Some(found) = self.vm.matched.take() {
            *frame.context.last_match.borrow_mut() = found;
        }
        result
    }

    /// `Regexp.last_match`, `Regexp.last_match(1)`
    fn last_match(&mut self, args: Args<'_>, frame: &Rc<Frame>) -> Eval {
        let found = frame.context.last_match.borrow().clone();
        match found {
            None => Ok(RubyValue::Nil),
            Some(found) if args.is_empty() => Ok(RubyValue::Match(found)),
            Some(found) => self.call_with(&RubyValue::Match(found), "[]", args),
        }
    }

    /// Calls `name` or `self.name`: functions of `Kernel` are visible too.
    pub(super) fn send_to_self(
        &mut self,
        recv: &RubyValue,
        call: &Call,
        args: Args<'_>,
        frame: &Rc<Frame>,
    ) -> Eval {
        let name = call.name.as_str();
        let result = match self.find_method(recv, name) {
            Some((method, owner)) => self.invoke(&method, &owner, recv, name, args),
            None => match self.kernel(recv, name, args, frame)? {
                Some(value) => Ok(value),
                None => match self.builtin(recv, name, args)? {
                    Some(value) => Ok(value),
                    None => self.missing(recv, name, args, call.bare),
                },
            },
        };
        if let Some(found) = self.vm.matched.take() {
            *frame.context.last_match.borrow_mut() = found;
        }
        result
    }

    /// Calls a method as `send` and `method(:name)` do: functions of `Kernel` are visible too.
    pub(crate) fn call_function_on(
        &mut self,
        recv: &RubyValue,
        name: &str,
        args: Args<'_>,
    ) -> Eval {
        if let Some((method, owner)) = self.find_method(recv, name) {
            return self.invoke(&method, &owner, recv, name, args);
        }
        let top = Rc::clone(&self.vm.top);
        let frame = self.top_frame(recv.clone(), top, 0);
        match self.kernel(recv, name, args, &frame)? {
            Some(value) => Ok(value),
            None => self.builtin_or_missing(recv, name, args),
        }
    }

    /// Finds a method that the code defines.
    pub(crate) fn find_method(
        &mut self,
        recv: &RubyValue,
        name: &str,
    ) -> Option<(Method, Rc<Class>)> {
        match recv {
            RubyValue::Object(object) => self.find_object_method(object, name),
            RubyValue::Class(class) => {
                find_class_method(class, name).or_else(|| self.find_reopened(recv, name))
            }
            _ => self.find_reopened(recv, name),
        }
    }

    fn find_object_method(
        &mut self,
        object: &Rc<Object>,
        name: &str,
    ) -> Option<(Method, Rc<Class>)> {
        if let Some(method) = object.own_methods.borrow().get(name) {
            return Some((method.clone(), Rc::clone(&object.class)));
        }
        let extended =
            object.extends.borrow().iter().rev().find_map(|module| module.find_method(name));
        extended.or_else(|| object.class.find_method(name))
    }

    fn find_reopened(&mut self, recv: &RubyValue, name: &str) -> Option<(Method, Rc<Class>)> {
        if !self.vm.process.is_reopened(name) {
            return None;
        }
        self.class_of(recv).find_method(name)
    }

    pub(crate) fn builtin_or_missing(
        &mut self,
        recv: &RubyValue,
        name: &str,
        args: Args<'_>,
    ) -> Eval {
        match self.builtin(recv, name, args)? {
            Some(value) => Ok(value),
            None => self.missing(recv, name, args, false),
        }
    }

    /// Calls Ruby's own method for `super` in a method that the code defines.
    pub(super) fn builtin_super(&mut self, recv: &RubyValue, name: &str, args: Args<'_>) -> Eval {
        if let RubyValue::Object(object) = recv
            && name == "initialize"
        {
            if object.class.is_a("Exception") {
                object.set_ivar("@message", args.get(0));
            }
            return Ok(RubyValue::Nil);
        }
        match self.builtin(recv, name, args)? {
            Some(value) => Ok(value),
            None if matches!(
                name,
                "inherited" | "included" | "prepended" | "extended" | "method_added"
            ) =>
            {
                Ok(RubyValue::Nil)
            }
            None => {
                let class = show::class_name(recv);
                self.raise(
                    "NoMethodError",
                    format!("super: no superclass method `{name}' for #<{class}>"),
                )
            }
        }
    }

    /// Ends a call without a method: by `method_missing`, or by an error.
    pub(crate) fn missing(
        &mut self,
        recv: &RubyValue,
        name: &str,
        args: Args<'_>,
        bare: bool,
    ) -> Eval {
        if let Some((method, owner)) = self.find_method(recv, "method_missing") {
            let mut items = vec![RubyValue::sym(name)];
            items.extend_from_slice(args.items);
            return self.invoke(
                &method,
                &owner,
                recv,
                "method_missing",
                Args { items: &items, ..args },
            );
        }
        let class = self.class_of(recv);
        let in_ruby =
            class.ancestors().iter().any(|class| names::has_method(&class.name.borrow(), name));
        let own = matches!(recv, RubyValue::Class(class) if names::has_own_method(&class.name.borrow(), name));
        if in_ruby || own {
            return self.unsupported(format!("method {}#{name}", show::class_name(recv)));
        }
        self.no_method(recv, name, bare)
    }

    /// `respond_to?`; with `own`, private methods count too.
    pub(crate) fn responds(&mut self, recv: &RubyValue, name: &str, own: bool) -> bool {
        if let Some((method, _)) = self.find_method(recv, name) {
            return !matches!(method, Method::Undefined);
        }
        let class = self.class_of(recv);
        let is_instance_method =
            class.ancestors().iter().any(|class| names::has_method(&class.name.borrow(), name));
        let class_method = matches!(recv, RubyValue::Class(class) if names::has_own_method(&class.name.borrow(), name));
        is_instance_method || class_method || (own && names::is_kernel_function(name))
    }
}

/// Finds a class method: of the class itself, of modules that extend it, of its superclasses.
pub(crate) fn find_class_method(class: &Rc<Class>, name: &str) -> Option<(Method, Rc<Class>)> {
    let mut class = Some(Rc::clone(class));
    while let Some(this) = class {
        if let Some(method) = this.own_methods.borrow().get(name) {
            return Some((method.clone(), Rc::clone(&this)));
        }
        let extended =
            this.extends.borrow().iter().rev().find_map(|module| module.find_method(name));
        if extended.is_some() {
            return extended;
        }
        class = this.superclass.clone();
    }
    None
}
