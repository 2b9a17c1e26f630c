//! `Object` and `Kernel`: methods that every value has.

use std::rc::Rc;

use kukla_base::Symbol;

use super::table::{Builtin, method, refused, with_block};
use super::tools::{int, list, text, yes};
use crate::class::{Class, Data, Object};
use crate::run::{Args, Eval, Run};
use crate::show;
use crate::value::{List, Map, Proc, ProcBody, RubyValue};

/// The methods of this file.
pub(super) static METHODS: &[Builtin<RubyValue>] = &[
    method("nil?", |_, _, _| yes(false)),
    method("!", |_, this, _| yes(!this.truthy())),
    method("!=", differs),
    method("==", |run, this, a| yes(run.equal(this, &a.get(0))?)),
    method("===", |run, this, a| yes(run.equal(this, &a.get(0))?)),
    method("equal?", |_, this, a| yes(this.is_same(&a.get(0)))),
    method("eql?", |_, this, a| yes(crate::value::eql(this, &a.get(0)))),
    method("=~", |_, _, _| Ok(RubyValue::Nil)),
    method("!~", matches_not),
    method("<=>", compare),
    method("is_a?", is_a),
    method("kind_of?", is_a),
    method("instance_of?", is_instance_of),
    method("class", |run, this, _| Ok(RubyValue::Class(run.class_of(this)))),
    refused("singleton_class", "singleton classes"),
    method("to_s", to_s),
    method("inspect", inspect),
    method("respond_to?", responds),
    method("send", send).arity(1, usize::MAX),
    method("public_send", send).arity(1, usize::MAX),
    method("__send__", send).arity(1, usize::MAX),
    method("method", method_object),
    with_block("tap", tap),
    with_block("then", then),
    with_block("yield_self", then),
    method("itself", |_, this, _| Ok(this.clone())),
    method("dup", |run, this, a| copy(run, this, false, a)),
    method("clone", |run, this, a| copy(run, this, true, a)),
    method("freeze", |_, this, _| Ok(this.clone())),
    method("frozen?", is_frozen),
    method("hash", object_id),
    method("object_id", object_id),
    method("__id__", object_id),
    method("instance_variable_get", instance_variable_get),
    method("instance_variable_set", instance_variable_set),
    method("instance_variable_defined?", has_instance_variable).when(|this, _| is_object(this)),
    method("instance_variables", instance_variables).when(|this, _| is_object(this)),
    with_block("instance_eval", instance_eval),
    with_block("instance_exec", |run, this, block, a| {
        run.call_with_self(block, this, Args::new(a.items))
    }),
    method("extend", extend),
    method("to_json", |run, this, _| text(run.to_json(this, false)?)),
    method("to_yaml", |run, this, a| text(run.to_yaml(this, a)?)),
    refused("display", "method Object#display"),
    refused("instance_variable_names", "method Object#instance_variable_names"),
    refused("methods", "method Object#methods"),
    refused("public_methods", "method Object#public_methods"),
    refused("singleton_methods", "method Object#singleton_methods"),
    refused("define_singleton_method", "method Object#define_singleton_method"),
    refused("enum_for", "method Object#enum_for"),
    refused("to_enum", "method Object#to_enum"),
    refused("to_pson", "method Object#to_pson"),
];

fn differs(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    yes(!run.call(this, "==", a.items)?.truthy())
}

fn matches_not(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    yes(!run.call(this, "=~", a.items)?.truthy())
}

fn compare(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    Ok(if run.equal(this, &a.get(0))? { RubyValue::Int(0) } else { RubyValue::Nil })
}

fn is_a(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let class = class_arg(run, a)?;
    yes(run.is_kind_of(this, &class))
}

fn is_instance_of(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let class = class_arg(run, a)?;
    yes(Rc::ptr_eq(&run.class_of(this), &class))
}

fn class_arg(run: &mut Run<'_>, a: Args<'_>) -> Eval<Rc<Class>> {
    match a.get(0) {
        RubyValue::Class(class) => Ok(class),
        _ => run.type_error("class or module required"),
    }
}

fn to_s(_run: &mut Run<'_>, this: &RubyValue, _a: Args<'_>) -> Eval {
    text(match this {
        RubyValue::Object(object) => format!("#<{}>", object.class.name.borrow()),
        other => show::to_s(other),
    })
}

fn inspect(run: &mut Run<'_>, this: &RubyValue, _a: Args<'_>) -> Eval {
    text(match this {
        RubyValue::Object(object) => inspect_object(run, object)?,
        other => show::inspect(other),
    })
}

fn responds(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let name = run.name_arg(&a.get(0))?;
    yes(run.responds(this, &name, a.get(1).truthy()))
}

fn send(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let name = run.name_arg(&a.items[0])?;
    let args = Args { items: &a.items[1..], ..a };
    run.call_function_on(this, &name, args)
}

fn method_object(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let name = run.name_arg(&a.get(0))?;
    if !run.responds(this, &name, true) {
        let class = show::class_name(this);
        return run
            .raise("NameError", format!("undefined method `{name}' for class `#<Class:{class}>'"));
    }
    let body = ProcBody::Method(this.clone(), name);
    Ok(RubyValue::Proc(Rc::new(Proc { body, is_lambda: true })))
}

fn tap(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    run.yield1(block, this)?;
    Ok(this.clone())
}

fn then(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    run.yield1(block, this)
}

fn is_frozen(_run: &mut Run<'_>, this: &RubyValue, _a: Args<'_>) -> Eval {
    yes(!matches!(this, RubyValue::Object(_) | RubyValue::Class(_) | RubyValue::Proc(_)))
}

fn object_id(_run: &mut Run<'_>, this: &RubyValue, _a: Args<'_>) -> Eval {
    Ok(int(this.address().unwrap_or(8) & 0xffff_ffff))
}

fn is_object(this: &RubyValue) -> bool {
    matches!(this, RubyValue::Object(_))
}

fn instance_variable_get(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let name = run.name_arg(&a.get(0))?;
    let object = match this {
        RubyValue::Object(object) => object,
        RubyValue::Class(class) => {
            return Ok(class.ivars.borrow().get(&name).cloned().unwrap_or_default());
        }
        _ => return Ok(RubyValue::Nil),
    };
    let variable = name.trim_start_matches('@');
    let own = object.ivars.borrow().get(&name).cloned();
    let fetched = || object.fetched(Symbol::known(variable)?);
    Ok(match own.or_else(fetched) {
        Some(value) => value,
        None if object.is_template() => {
            let value = run.host.instance_variable(variable);
            value.map_or(RubyValue::Nil, |value| crate::convert::to_ruby(&value))
        }
        None => RubyValue::Nil,
    })
}

fn instance_variable_set(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let name = run.name_arg(&a.get(0))?;
    match this {
        RubyValue::Object(object) => object.set_ivar(&name, a.get(1)),
        RubyValue::Class(class) => {
            class.ivars.borrow_mut().insert(name, a.get(1));
        }
        other => return run.frozen(other),
    }
    Ok(a.get(1))
}

fn has_instance_variable(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    let RubyValue::Object(object) = this else { return yes(false) };
    let name = a.get(0).as_name();
    if object.is_template() {
        let name = name.unwrap_or_default();
        return yes(run.host.instance_variable(name.trim_start_matches('@')).is_some());
    }
    yes(name.is_some_and(|name| object.ivars.borrow().contains_key(&name)))
}

fn instance_variables(run: &mut Run<'_>, this: &RubyValue, _a: Args<'_>) -> Eval {
    match this {
        RubyValue::Object(object) if object.is_template() => Ok(run.template_variables(object)),
        RubyValue::Object(object) => {
            list(object.ivars.borrow().keys().cloned().map(RubyValue::Sym).collect())
        }
        _ => list(Vec::new()),
    }
}

fn instance_eval(run: &mut Run<'_>, this: &RubyValue, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    run.call_with_self(block, this, Args::new(std::slice::from_ref(this)))
}

fn extend(run: &mut Run<'_>, this: &RubyValue, a: Args<'_>) -> Eval {
    for module in a.items {
        let RubyValue::Class(module) = module else {
            return run.type_error("wrong argument type (expected module)");
        };
        match this {
            RubyValue::Object(object) => object.extends.borrow_mut().push(Rc::clone(module)),
            RubyValue::Class(class) => class.extends.borrow_mut().push(Rc::clone(module)),
            _ => return run.unsupported("extend"),
        }
    }
    Ok(this.clone())
}

impl Run<'_> {
    pub(crate) fn is_kind_of(&mut self, value: &RubyValue, class: &Rc<Class>) -> bool {
        if let RubyValue::Object(object) = value
            && object.extends.borrow().iter().any(|module| Rc::ptr_eq(module, class))
        {
            return true;
        }
        self.class_of(value).descends_from(class)
    }
}

fn inspect_object(run: &mut Run<'_>, object: &Rc<Object>) -> Eval<String> {
    let class = object.class.name.borrow().clone();
    let mut shown = Vec::new();
    let ivars: Vec<_> =
        object.ivars.borrow().iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    for (name, value) in ivars {
        shown.push(format!("{name}={}", run.inspect(&value)?));
    }
    if shown.is_empty() {
        Ok(format!("#<{class}>"))
    } else {
        Ok(format!("#<{class} {}>", shown.join(", ")))
    }
}

fn copy(run: &mut Run<'_>, this: &RubyValue, keeps_frozen: bool, a: Args<'_>) -> Eval {
    let keeps_frozen = keeps_frozen && a.option("freeze").is_none_or(|value| value.truthy());
    Ok(match this {
        RubyValue::Str(text) => {
            let copy = text.text.borrow().clone();
            if keeps_frozen && text.frozen.get() {
                RubyValue::frozen_str(copy)
            } else {
                RubyValue::str(copy)
            }
        }
        RubyValue::Array(list) => {
            let items = list.items.borrow().clone();
            run.charge(items.len() * 24)?;
            let copy = List::new(items);
            copy.frozen.set(keeps_frozen && list.frozen.get());
            RubyValue::Array(Rc::new(copy))
        }
        RubyValue::Hash(map) => {
            run.charge(map.entries.borrow().len() * 64)?;
            RubyValue::Hash(Rc::new(Map {
                entries: map.entries.clone(),
                default: map.default.clone(),
                default_proc: map.default_proc.clone(),
                frozen: (keeps_frozen && map.frozen.get()).into(),
                is_changed: false.into(),
            }))
        }
        RubyValue::Object(object) => {
            let data = object.data.borrow().copied();
            let Some(data) = data else { return run.unsupported("copy of an object") };
            let copy = run.new_object(&object.class, data);
            let ivars = object.ivars.borrow().clone();
            copy.ivars.replace(ivars);
            RubyValue::Object(copy)
        }
        other => other.clone(),
    })
}

impl Data {
    fn copied(&self) -> Option<Self> {
        Some(match self {
            Self::None => Self::None,
            Self::Raised { file, line } => Self::Raised { file: file.clone(), line: *line },
            Self::Set(members) => {
                let entries = members.entries.borrow().clone();
                Self::Set(Rc::new(Map::new(entries)))
            }
            Self::Time(time) => Self::Time(*time),
            Self::Ip(ip) => Self::Ip(ip.clone()),
            Self::Uri(uri) => Self::Uri(uri.clone()),
            Self::Enumerator(recv, name, args) => {
                Self::Enumerator(recv.clone(), name.clone(), args.clone())
            }
            _ => return None,
        })
    }
}
