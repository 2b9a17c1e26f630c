//! `Module`: methods for the body of a class, such as `include` and `attr_reader`.

use std::rc::Rc;

use super::table::{Builtin, method};
use crate::class::{Class, Method};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<Class>>] = &[
    method("include", |run, this, a| include(run, this, a, "included")),
    method("prepend", |run, this, a| include(run, this, a, "prepended")),
    method("attr_reader", |run, this, a| attributes(run, this, a, true, false)),
    method("attr_accessor", |run, this, a| attributes(run, this, a, true, true)),
    method("attr_writer", |run, this, a| attributes(run, this, a, false, true)),
    method("define_method", define_method),
    method("alias_method", alias_method),
    method("remove_method", remove_method),
    method("undef_method", remove_method),
    method("private_class_method", |_, _, _| Ok(RubyValue::Nil)),
    method("private_constant", |_, _, _| Ok(RubyValue::Nil)),
    method("public_class_method", |_, _, _| Ok(RubyValue::Nil)),
    method("private", |_, _, _| Ok(RubyValue::Nil)),
    method("public", |_, _, _| Ok(RubyValue::Nil)),
    method("protected", |_, _, _| Ok(RubyValue::Nil)),
];

/// Adds modules to the ancestors of a class, before or behind it, and calls the `hook` that they may have.
fn include(run: &mut Run<'_>, this: &Rc<Class>, a: Args<'_>, hook: &str) -> Eval {
    for module in a.items {
        let RubyValue::Class(module) = module else {
            return run.type_error("wrong argument type (expected module)");
        };
        let list = if hook == "prepended" { &this.prepends } else { &this.includes };
        list.borrow_mut().push(Rc::clone(module));
        run.vm.process.forget_constants();
        if run.is_rubys(this) {
            run.put_above_rubys(module);
        }
        let method = module.own_methods.borrow().get(hook).cloned();
        if let Some(method) = method {
            let args = [RubyValue::Class(Rc::clone(this))];
            let value = RubyValue::Class(Rc::clone(module));
            run.invoke(&method, module, &value, hook, Args::new(&args))?;
        }
    }
    Ok(RubyValue::Class(Rc::clone(this)))
}

fn attributes(
    run: &mut Run<'_>,
    this: &Rc<Class>,
    a: Args<'_>,
    is_read: bool,
    is_written: bool,
) -> Eval {
    for attribute in a.items {
        let attribute = run.name_arg(attribute)?;
        let ivar = ecow::eco_format!("@{attribute}");
        if is_read {
            run.define(this, &attribute, Method::Reader(ivar.clone()));
        }
        if is_written {
            run.define(this, &ecow::eco_format!("{attribute}="), Method::Writer(ivar));
        }
    }
    Ok(RubyValue::Nil)
}

fn define_method(run: &mut Run<'_>, this: &Rc<Class>, a: Args<'_>) -> Eval {
    let method = run.name_arg(&a.get(0))?;
    let block = match (a.block, a.get(1)) {
        (Some(block), _) => Rc::clone(block),
        (None, RubyValue::Proc(proc)) => proc,
        _ => return run.argument_error("tried to create Proc object without a block"),
    };
    run.define(this, &method, Method::Proc(block));
    Ok(RubyValue::Sym(method))
}

fn alias_method(run: &mut Run<'_>, this: &Rc<Class>, a: Args<'_>) -> Eval {
    let (new, old) = (run.name_arg(&a.get(0))?, run.name_arg(&a.get(1))?);
    run.alias(this, &new, &old, false);
    Ok(RubyValue::Sym(new))
}

fn remove_method(run: &mut Run<'_>, this: &Rc<Class>, a: Args<'_>) -> Eval {
    for method in a.items {
        let method = run.name_arg(method)?;
        run.define(this, &method, Method::Undefined);
    }
    Ok(RubyValue::Class(Rc::clone(this)))
}
