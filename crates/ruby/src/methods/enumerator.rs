//! `Enumerator`: a method that waits for its block.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::table::{Builtin, method, refused};
use super::tools::{int, text};
use crate::class::{Data, Object};
use crate::read::tree::Name;
use crate::run::{Args, Eval, Run};
use crate::value::{Proc, ProcBody, RubyValue};

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<Object>>] = &[
    method("with_index", |run, this, a| with_index(run, this, "with_index", a)),
    method("each_with_index", |run, this, a| with_index(run, this, "each_with_index", a)),
    method("with_object", with_object),
    method("each", each),
    method("size", size),
    method("rewind", |_, this, _| Ok(RubyValue::Object(Rc::clone(this)))),
    refused("next", "method Enumerator#next"),
    refused("peek", "method Enumerator#peek"),
    refused("lazy", "method Enumerator#lazy"),
    method("inspect", inspect),
    method("to_s", inspect),
];

/// The call that an enumerator makes once it has a block.
#[derive(Clone, Default)]
struct Pending {
    recv: RubyValue,
    method: Name,
    args: Vec<RubyValue>,
}

impl Pending {
    fn of(object: &Object) -> Option<Self> {
        match &*object.data.borrow() {
            Data::Enumerator(recv, method, args) => {
                Some(Self { recv: recv.clone(), method: method.clone(), args: args.clone() })
            }
            _ => None,
        }
    }

    fn call(&self, run: &mut Run<'_>, block: &Rc<Proc>) -> Eval {
        run.call_with(&self.recv, &self.method, Args::with_block(&self.args, Some(block)))
    }
}

fn pending(this: &Object) -> Pending {
    Pending::of(this).unwrap_or_default()
}

fn with_index(run: &mut Run<'_>, this: &Rc<Object>, name: &str, a: Args<'_>) -> Eval {
    let start = if a.get(0).is_nil() { 0 } else { run.int_arg(&a.items[0])? };
    let Some(block) = a.block.cloned() else {
        return Ok(run.enumerator(&RubyValue::Object(Rc::clone(this)), name, a));
    };
    let count = Cell::new(start);
    let counting = run.native(move |run, a| {
        let index = count.replace(count.get() + 1);
        run.yield2(&block, &packed(a), &RubyValue::Int(index))
    });
    pending(this).call(run, &counting)
}

fn with_object(run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    let Some(block) = a.block.cloned() else {
        return run.unsupported("with_object without a block");
    };
    let memo = a.get(0);
    let object = memo.clone();
    let passing = run.native(move |run, a| run.yield2(&block, &packed(a), &object));
    pending(this).call(run, &passing)?;
    Ok(memo)
}

fn each(run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    match a.block {
        Some(block) => pending(this).call(run, block),
        None => Ok(RubyValue::Object(Rc::clone(this))),
    }
}

fn size(run: &mut Run<'_>, this: &Rc<Object>, _a: Args<'_>) -> Eval {
    let items = run.collect_each(&RubyValue::Object(Rc::clone(this)))?;
    Ok(int(items.len()))
}

fn inspect(run: &mut Run<'_>, this: &Rc<Object>, _a: Args<'_>) -> Eval {
    let Pending { recv, method, .. } = pending(this);
    let shown = run.inspect(&recv)?;
    text(format!("#<Enumerator: {shown}:{method}>"))
}

impl Run<'_> {
    pub(crate) fn enumerator(&mut self, recv: &RubyValue, name: &str, a: Args<'_>) -> RubyValue {
        let class = self.class_named("Enumerator");
        let data = Data::Enumerator(recv.clone(), name.into(), a.items.to_vec());
        RubyValue::Object(Rc::new(Object::new(class, data)))
    }

    /// Makes a block of a function.
    pub(crate) fn native(
        &self,
        function: impl for<'a, 'b> Fn(&mut Run<'a>, Args<'b>) -> Eval + 'static,
    ) -> Rc<Proc> {
        Rc::new(Proc { body: ProcBody::Native(Rc::new(function)), is_lambda: false })
    }

    /// Lists the elements that `each` of an object yields.
    pub(crate) fn collect_each(&mut self, value: &RubyValue) -> Eval<Vec<RubyValue>> {
        let RubyValue::Object(object) = value else { return self.unsupported("each") };
        if let Data::Set(members) = &*object.data.borrow() {
            return Ok(members.entries.borrow().keys().map(|key| key.0.clone()).collect());
        }
        let call = Pending::of(object).unwrap_or_else(|| Pending {
            recv: value.clone(),
            method: "each".into(),
            args: Vec::new(),
        });
        let items = Rc::new(RefCell::new(Vec::new()));
        let sink = Rc::clone(&items);
        let block = self.native(move |_, a| {
            sink.borrow_mut().push(packed(a));
            Ok(RubyValue::Nil)
        });
        call.call(self, &block)?;
        Ok(items.take())
    }
}

/// Several values that are yielded at once count as an array.
fn packed(a: Args<'_>) -> RubyValue {
    match a.items {
        [one] => one.clone(),
        many => RubyValue::array(many.to_vec()),
    }
}
