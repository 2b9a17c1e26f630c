//! `Class` and `Module`: methods of all classes. Class methods of a single class take precedence.

use std::rc::Rc;

use super::table::{Builtin, method, refused, with_block};
use super::tools::{int, yes};
use crate::class::{Class, Data, Native};
use crate::run::{Args, Eval, Run};
use crate::value::{Proc, RubyValue};

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<Class>>] = &[
    method("new", instantiate).when(|this, _| !this.is_module),
    method("exception", instantiate).when(|this, _| this.native == Native::Exception),
    method("allocate", allocate),
    method("name", name),
    method("to_s", name),
    method("inspect", name),
    method("===", |run, this, a| yes(run.is_kind_of(&a.get(0), this))),
    method("==", equal),
    method("eql?", equal),
    method("equal?", equal),
    method("<", |run, this, a| is_below(this, &class_arg(run, a)?, false)),
    method("<=", |run, this, a| is_below(this, &class_arg(run, a)?, true)),
    method(">", |run, this, a| is_below(&class_arg(run, a)?, this, false)),
    method(">=", |run, this, a| is_below(&class_arg(run, a)?, this, true)),
    method("superclass", superclass),
    method("ancestors", ancestors),
    refused("instance_methods", "method Module#instance_methods"),
    refused("public_instance_methods", "method Module#public_instance_methods"),
    refused("instance_method", "method Module#instance_method"),
    refused("class_variable_get", "method Module#class_variable_get"),
    refused("class_variable_set", "method Module#class_variable_set"),
    refused("const_missing", "method Module#const_missing"),
    refused("autoload", "method Module#autoload"),
    refused("singleton_methods", "method Module#singleton_methods"),
    method("const_get", const_get),
    method("const_defined?", has_constant),
    method("const_set", const_set),
    method("method_defined?", has_method),
    method("instance_methods?", has_method),
    method("public_method_defined?", has_method),
    with_block("class_eval", class_eval),
    with_block("module_eval", class_eval),
    with_block("class_exec", class_eval),
    method("hash", |_, this, _| Ok(int(Rc::as_ptr(this).addr()))),
    method("freeze", |_, this, _| Ok(RubyValue::Class(Rc::clone(this)))),
];

fn allocate(run: &mut Run<'_>, this: &Rc<Class>, _a: Args<'_>) -> Eval {
    Ok(RubyValue::Object(run.new_object(this, Data::None)))
}

fn name(_run: &mut Run<'_>, this: &Rc<Class>, _a: Args<'_>) -> Eval {
    let shown = this.name.borrow().clone();
    Ok(if shown.is_empty() { RubyValue::Nil } else { RubyValue::str(shown) })
}

fn equal(_run: &mut Run<'_>, this: &Rc<Class>, a: Args<'_>) -> Eval {
    yes(matches!(a.get(0), RubyValue::Class(other) if Rc::ptr_eq(&other, this)))
}

fn class_arg(run: &mut Run<'_>, a: Args<'_>) -> Eval<Rc<Class>> {
    match a.get(0) {
        RubyValue::Class(class) => Ok(class),
        _ => run.type_error("compared with non class/module"),
    }
}

/// Returns whether a class descends from another; `nil` if neither is above the other.
fn is_below(below: &Rc<Class>, above: &Rc<Class>, or_same: bool) -> Eval {
    if Rc::ptr_eq(below, above) {
        return yes(or_same);
    }
    match below.descends_from(above) {
        true => yes(true),
        false if above.descends_from(below) => yes(false),
        false => Ok(RubyValue::Nil),
    }
}

fn superclass(_run: &mut Run<'_>, this: &Rc<Class>, _a: Args<'_>) -> Eval {
    Ok(this.superclass.clone().map_or(RubyValue::Nil, RubyValue::Class))
}

fn ancestors(_run: &mut Run<'_>, this: &Rc<Class>, _a: Args<'_>) -> Eval {
    Ok(RubyValue::array(this.ancestors().into_iter().map(RubyValue::Class).collect()))
}

fn const_get(run: &mut Run<'_>, this: &Rc<Class>, a: Args<'_>) -> Eval {
    let path = run.name_arg(&a.get(0))?;
    let mut value = RubyValue::Class(Rc::clone(this));
    for part in path.split("::").filter(|part| !part.is_empty()) {
        value = match &value {
            RubyValue::Class(class) => match run.find_constant(part, &Rc::clone(class))? {
                Some(value) => value,
                // A module finds the constants of `Object` too.
                None if class.is_module => {
                    let top = Rc::clone(&run.vm.top);
                    match run.find_constant(part, &top)? {
                        Some(value) => value,
                        None => run.constant_in(&value, &part.into())?,
                    }
                }
                None => run.constant_in(&value, &part.into())?,
            },
            _ => run.constant_in(&value, &part.into())?,
        };
    }
    Ok(value)
}

fn has_constant(run: &mut Run<'_>, this: &Rc<Class>, a: Args<'_>) -> Eval {
    let path = run.name_arg(&a.get(0))?;
    let mut class = Rc::clone(this);
    for part in path.split("::").filter(|part| !part.is_empty()) {
        match run.find_constant(part, &class)? {
            Some(RubyValue::Class(next)) => class = next,
            Some(_) => (),
            None => return yes(false),
        }
    }
    yes(true)
}

fn const_set(run: &mut Run<'_>, this: &Rc<Class>, a: Args<'_>) -> Eval {
    let constant = run.name_arg(&a.get(0))?;
    run.set_constant(this, &constant, a.get(1));
    Ok(a.get(1))
}

fn has_method(run: &mut Run<'_>, this: &Rc<Class>, a: Args<'_>) -> Eval {
    let name = run.name_arg(&a.get(0))?;
    let found = this.find_method(&name).is_some()
        || this
            .ancestors()
            .iter()
            .any(|class| crate::names::has_method(&class.name.borrow(), &name));
    yes(found)
}

fn class_eval(run: &mut Run<'_>, this: &Rc<Class>, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    let value = RubyValue::Class(Rc::clone(this));
    let args = Args::new(std::slice::from_ref(&value));
    run.call_in(block, &value, Some(Rc::clone(this)), args, false)
}

fn instantiate(run: &mut Run<'_>, class: &Rc<Class>, a: Args<'_>) -> Eval {
    if class.native == Native::Builtin {
        return run.unsupported(format!("{}.new", class.name.borrow()));
    }
    let data = if class.native == Native::Exception {
        Data::Raised { file: run.vm.file.clone(), line: 0 }
    } else {
        Data::None
    };
    let object = run.new_object(class, data);
    let value = RubyValue::Object(Rc::clone(&object));
    match class.find_method("initialize") {
        Some((method, owner)) => {
            run.invoke(&method, &owner, &value, "initialize", a)?;
        }
        None if class.native == Native::Exception => {
            if let Some(message) = a.items.first() {
                object.set_ivar("@message", message.clone());
            }
        }
        None if class.native == Native::Struct => run.fill_struct(&object, a)?,
        None if !a.is_empty() => return run.wrong_arity(a.len(), "0"),
        None => (),
    }
    Ok(value)
}

impl Run<'_> {
    /// Runs the block of `Class.new` or `Struct.new` as the body of the class that it has made.
    pub(super) fn call_class_body(&mut self, class: &Rc<Class>, a: Args<'_>) -> Eval {
        self.charge(size_of::<Class>())?;
        self.vm.roots.add_class(class);
        let value = RubyValue::Class(Rc::clone(class));
        if let Some(block) = a.block {
            let args = Args::new(std::slice::from_ref(&value));
            self.call_in(block, &value, Some(Rc::clone(class)), args, false)?;
        }
        Ok(value)
    }
}
