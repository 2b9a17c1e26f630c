//! `new` of Ruby's core classes: `String.new`, `Array.new(3) { … }`, `Hash.new { … }`.

use std::rc::Rc;

use super::table::{Builtin, method};
use super::tools::{int, list, text};
use crate::class::{Class, Data, Native};
use crate::run::{Args, Eval, Run};
use crate::value::{Entries, Key, Map, RubyValue};

/// The methods of `BasicObject` itself.
pub(super) static BASIC_OBJECT: &[Builtin<Rc<Class>>] =
    &[method("new", |run, this, _| Ok(RubyValue::Object(run.new_object(this, Data::None))))];

/// The methods of `String` itself.
pub(super) static STRING: &[Builtin<Rc<Class>>] = &[method("new", new_string)];

/// The methods of `Array` itself.
pub(super) static ARRAY: &[Builtin<Rc<Class>>] =
    &[method("new", new_array), method("[]", |_, _, a| list(a.items.to_vec()))];

/// The methods of `Hash` itself.
pub(super) static HASH: &[Builtin<Rc<Class>>] = &[method("new", new_hash), method("[]", hash_of)];

/// The methods of `Range` itself.
pub(super) static RANGE: &[Builtin<Rc<Class>>] =
    &[method("new", |run, _, a| run.make_range(a.get(0), a.get(1), a.get(2).truthy()))];

/// The methods of `Integer` itself.
pub(super) static INTEGER: &[Builtin<Rc<Class>>] = &[method("sqrt", integer_root)];

/// The methods of `Proc` itself.
pub(super) static PROC: &[Builtin<Rc<Class>>] = &[method("new", new_proc)];

/// The methods of `Class` itself.
pub(super) static CLASS: &[Builtin<Rc<Class>>] =
    &[method("new", |run, _, a| new_class(run, false, a))];

/// The methods of `Module` itself.
pub(super) static MODULE: &[Builtin<Rc<Class>>] =
    &[method("new", |run, _, a| new_class(run, true, a))];

fn new_proc(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    match a.block {
        Some(block) => Ok(RubyValue::Proc(Rc::clone(block))),
        None => run.unsupported("Proc.new without a block"),
    }
}

fn new_string(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    match a.items.first() {
        Some(RubyValue::Str(string)) => text(string.to_text()),
        Some(RubyValue::Hash(_)) | None => text(""),
        Some(other) => run.no_conversion(other, "String"),
    }
}

fn new_array(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    match a.get(0) {
        RubyValue::Array(items) => return list(items.items.borrow().clone()),
        RubyValue::Nil if a.is_empty() => return list(Vec::new()),
        _ => (),
    }
    let n = run.usize_arg(&a.get(0), "negative array size")?;
    run.charge(n.saturating_mul(24))?;
    let mut items = Vec::new();
    for index in 0..n {
        items.push(match a.block {
            Some(block) => run.yield1(block, &int(index))?,
            None => a.get(1),
        });
    }
    list(items)
}

fn new_hash(_run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let map = Map::default();
    match a.block {
        Some(block) => drop(map.default_proc.replace(Some(Rc::clone(block)))),
        None => drop(map.default.replace(a.get(0))),
    }
    Ok(RubyValue::Hash(Rc::new(map)))
}

/// `Hash[…]`
fn hash_of(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    match a.items {
        [RubyValue::Hash(map)] => Ok(RubyValue::hash(map.entries.borrow().clone())),
        [RubyValue::Array(pairs)] => hash_of_pairs(run, &pairs.items.borrow().clone()),
        items if items.len() % 2 == 0 => {
            let pairs = items.chunks(2).map(|pair| (Key::new(&pair[0]), pair[1].clone()));
            Ok(RubyValue::hash(pairs.collect::<Entries>()))
        }
        _ => run.argument_error("odd number of arguments for Hash"),
    }
}

fn hash_of_pairs(run: &mut Run<'_>, pairs: &[RubyValue]) -> Eval {
    let mut entries = Entries::default();
    for pair in pairs {
        let RubyValue::Array(pair) = pair else {
            let class = crate::show::class_name(pair);
            return run.argument_error(format!("wrong element type {class} at 0 (expected array)"));
        };
        match &pair.items.borrow()[..] {
            [key] => entries.insert(Key::new(key), RubyValue::Nil),
            [key, value] => entries.insert(Key::new(key), value.clone()),
            other => {
                let n = other.len();
                return run.argument_error(format!("invalid number of elements ({n} for 1..2)"));
            }
        };
    }
    Ok(RubyValue::hash(entries))
}

fn integer_root(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let number = run.int_arg(&a.get(0))?;
    match u64::try_from(number) {
        Ok(number) => Ok(RubyValue::Int(i64::try_from(number.isqrt()).unwrap_or(0))),
        Err(_) => run.raise("Math::DomainError", "Numerical argument is out of domain - \"isqrt\""),
    }
}

/// `Class.new(above) { … }`, `Module.new { … }`
fn new_class(run: &mut Run<'_>, is_module: bool, a: Args<'_>) -> Eval {
    let superclass = match a.get(0) {
        RubyValue::Class(class) => Some(class),
        _ if is_module => None,
        _ => Some(Rc::clone(&run.vm.top)),
    };
    let native = superclass.as_ref().map_or(Native::Object, |class| class.native);
    let class = Rc::new(Class { is_module, native, ..Class::new("", superclass) });
    run.call_class_body(&class, a)
}
