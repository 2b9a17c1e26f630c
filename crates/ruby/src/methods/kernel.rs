//! `Kernel`: functions that are called without a receiver.

use std::rc::Rc;

use kukla_rubytext::{RubyInteger as _, float, integer};

use super::registry::registry;
use super::table::{Builtin, method, refused, with_block};
use super::tools::{text, yes};
use crate::class::Data;
use crate::run::{Args, Eval, Frame, Run, Stop};
use crate::show;
use crate::value::{Entries, Proc, ProcBody, RubyValue};

/// The code that calls a function: its `self` and its frame.
pub(crate) struct Caller {
    this: RubyValue,
    frame: Rc<Frame>,
}

/// The functions of this file.
pub(super) static FUNCTIONS: &[Builtin<Caller>] = &[
    method("raise", raise),
    method("fail", raise),
    with_block("catch", catch),
    method("throw", |_, _, a| Err(Box::new(Stop::Throw(a.get(0), a.get(1))))),
    with_block("loop", repeat),
    with_block("lambda", lambda),
    with_block("proc", |_, _, block, _| Ok(RubyValue::Proc(Rc::clone(block)))),
    method("block_given?", |_, caller, _| yes(caller.frame.context.block.is_some())),
    method("__method__", current_method),
    method("require", |run, _, a| require(run, "require", a)),
    method("require_relative", |run, _, a| require(run, "require_relative", a)),
    method("load", |run, _, a| require(run, "load", a)),
    method("Array", |run, _, a| run.to_array(&a.get(0))),
    method("Integer", |run, _, a| quiet(a, strict_integer(run, a))),
    method("Float", |run, _, a| quiet(a, strict_float(run, a))),
    method("String", |run, _, a| text(run.to_s(&a.get(0))?)),
    method("Hash", to_hash),
    method("URI", to_uri),
    method("format", format).arity(1, usize::MAX),
    method("sprintf", format).arity(1, usize::MAX),
    method("rand", |run, _, a| run.random_number(a)),
    method("puts", |run, _, a| log(run, a, |run, value| run.to_s(value))),
    method("print", |run, _, a| log(run, a, |run, value| run.to_s(value))),
    method("pp", |run, _, a| log(run, a, |run, value| run.to_s(value))),
    method("warn", |run, _, a| log(run, a, |run, value| run.to_s(value))),
    method("p", |run, _, a| log(run, a, |run, value| run.inspect(value))),
    method("_", |_, _, a| Ok(a.get(0))),
    method("n_", |_, _, a| Ok(a.get(0))),
    method("module_function", module_function),
    method("private", |_, _, a| Ok(a.get(0))),
    method("public", |_, _, a| Ok(a.get(0))),
    method("protected", |_, _, a| Ok(a.get(0))),
    method("private_class_method", |_, _, a| Ok(a.get(0))),
    method("private_constant", |_, _, a| Ok(a.get(0))),
    method("public_class_method", |_, _, a| Ok(a.get(0))),
    method("include", include).when(|caller, _| !caller.is_class()),
    refused("local_variables", "function local_variables"),
    refused("global_variables", "function global_variables"),
    refused("instance_variable_names", "function instance_variable_names"),
    refused("binding", "function binding").when(not_in_collection),
    refused("eval", "function eval").when(not_in_collection),
    refused("exec", "function exec").when(not_in_collection),
    refused("system", "function system").when(not_in_collection),
    refused("`", "function `").when(not_in_collection),
    refused("spawn", "function spawn").when(not_in_collection),
    refused("fork", "function fork").when(not_in_collection),
    refused("exit", "function exit").when(not_in_collection),
    refused("abort", "function abort").when(not_in_collection),
    refused("gets", "function gets").when(not_in_collection),
    refused("srand", "function srand").when(not_in_collection),
    refused("sleep", "function sleep").when(not_in_collection),
    refused("open", "function open").when(not_in_collection),
    refused("autoload", "function autoload").when(not_in_collection),
    refused("at_exit", "function at_exit").when(not_in_collection),
    refused("trap", "function trap").when(not_in_collection),
    refused("caller", "function caller").when(not_in_collection),
    refused("set_trace_func", "function set_trace_func").when(not_in_collection),
    refused("select", "function select").when(not_in_collection),
    refused("test", "function test").when(not_in_collection),
    refused("syscall", "function syscall").when(not_in_collection),
    refused("readline", "function readline").when(not_in_collection),
    refused("readlines", "function readlines").when(not_in_collection),
];

impl Caller {
    pub(crate) fn this(&self) -> &RubyValue {
        &self.this
    }

    fn is_class(&self) -> bool {
        matches!(self.this, RubyValue::Class(_))
    }
}

/// Returns whether the code is none of a collection, which has methods such as `select` itself.
fn not_in_collection(caller: &Caller, _a: Args<'_>) -> bool {
    !matches!(caller.this, RubyValue::Array(_) | RubyValue::Hash(_))
}

fn catch(run: &mut Run<'_>, _caller: &Caller, block: &Rc<Proc>, a: Args<'_>) -> Eval {
    let tag = if a.is_empty() { RubyValue::str("tag") } else { a.get(0) };
    match run.yield1(block, &tag) {
        Err(stop) => match *stop {
            Stop::Throw(aim, value) if aim.is_same(&tag) => Ok(value),
            other => Err(Box::new(other)),
        },
        ok => ok,
    }
}

fn repeat(run: &mut Run<'_>, _caller: &Caller, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    loop {
        match run.call_block(block, Args::new(&[])) {
            Ok(_) => run.step()?,
            Err(stop) => match &*stop {
                Stop::Raise(exception) if exception.class.is_a("StopIteration") => {
                    return Ok(exception.ivar("@result"));
                }
                _ => return Err(stop),
            },
        }
    }
}

fn lambda(_run: &mut Run<'_>, _caller: &Caller, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    let ProcBody::Block { block, frame, self_value, tag } = &block.body else {
        return Ok(RubyValue::Proc(Rc::clone(block)));
    };
    let (block, frame, self_value) = (block.clone(), Rc::clone(frame), self_value.clone());
    let body = ProcBody::Block { block, frame, self_value, tag: *tag };
    Ok(RubyValue::Proc(Rc::new(Proc { body, is_lambda: true })))
}

fn current_method(_run: &mut Run<'_>, caller: &Caller, _a: Args<'_>) -> Eval {
    let method = caller.frame.context.method.as_ref();
    Ok(method.map_or(RubyValue::Nil, |(name, _)| RubyValue::Sym(name.clone())))
}

fn require(run: &mut Run<'_>, how: &str, a: Args<'_>) -> Eval {
    let file = run.text_arg(&a.get(0))?;
    yes(run.require(&file, how)?)
}

/// Returns `nil` in place of a failed conversion, with `exception: false`.
fn quiet(a: Args<'_>, result: Eval) -> Eval {
    let is_quiet = a.option("exception").is_some_and(|value| !value.truthy());
    match result {
        Err(stop) if is_quiet && matches!(*stop, Stop::Raise(_)) => Ok(RubyValue::Nil),
        other => other,
    }
}

fn strict_integer(run: &mut Run<'_>, a: Args<'_>) -> Eval {
    match a.get(0) {
        RubyValue::Str(text) => {
            let text = text.text.borrow().clone();
            let radix = match a.items.get(1) {
                Some(RubyValue::Int(radix)) => *radix,
                _ => 0,
            };
            run.check_digits(&text)?;
            let number = run.from_text(integer::parse(&text, radix))?;
            run.big(&number)
        }
        number @ (RubyValue::Int(_) | RubyValue::Big(_)) => Ok(number),
        RubyValue::Float(number) => run.call(&RubyValue::Float(number), "to_i", &[]),
        RubyValue::Nil => run.type_error("can't convert nil into Integer"),
        other if matches!(other, RubyValue::Object(_)) && run.responds(&other, "to_i", false) => {
            run.call(&other, "to_i", &[])
        }
        other => {
            let class = crate::run::short_class(&other);
            run.type_error(format!("can't convert {class} into Integer"))
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "as Ruby does")]
fn strict_float(run: &mut Run<'_>, a: Args<'_>) -> Eval {
    match a.get(0) {
        RubyValue::Str(text) => {
            let text = text.text.borrow().clone();
            run.from_text(float::parse(&text)).map(RubyValue::Float)
        }
        RubyValue::Int(number) => Ok(RubyValue::Float(number as f64)),
        RubyValue::Big(number) => Ok(RubyValue::Float(number.to_f64())),
        number @ RubyValue::Float(_) => Ok(number),
        RubyValue::Nil => run.type_error("can't convert nil into Float"),
        other => {
            let class = crate::run::short_class(&other);
            run.type_error(format!("can't convert {class} into Float"))
        }
    }
}

fn to_hash(run: &mut Run<'_>, _caller: &Caller, a: Args<'_>) -> Eval {
    match a.get(0) {
        RubyValue::Nil => Ok(RubyValue::hash(Entries::default())),
        RubyValue::Array(list) if list.items.borrow().is_empty() => {
            Ok(RubyValue::hash(Entries::default()))
        }
        hash @ RubyValue::Hash(_) => Ok(hash),
        other => {
            let class = show::class_name(&other);
            run.type_error(format!("can't convert {class} into Hash"))
        }
    }
}

fn to_uri(run: &mut Run<'_>, _caller: &Caller, a: Args<'_>) -> Eval {
    match a.get(0) {
        uri @ RubyValue::Object(_) => Ok(uri),
        other => {
            let source = run.text_arg(&other)?;
            run.parse_uri(&source)
        }
    }
}

fn format(run: &mut Run<'_>, _caller: &Caller, a: Args<'_>) -> Eval {
    let format = run.text_arg(&a.items[0])?;
    text(run.sprintf(&format, &a.items[1..])?)
}

/// `puts` and its kind, which write to the log.
fn log(run: &mut Run<'_>, a: Args<'_>, show: fn(&mut Run<'_>, &RubyValue) -> Eval<String>) -> Eval {
    let mut lines = Vec::new();
    for arg in a.items {
        lines.push(show(run, arg)?);
    }
    run.acting().log("debug", &lines.join("\n"));
    Ok(RubyValue::Nil)
}

/// `include` at the top of a file, where it has no effect here.
fn include(_run: &mut Run<'_>, caller: &Caller, _a: Args<'_>) -> Eval {
    Ok(caller.this.clone())
}

fn module_function(run: &mut Run<'_>, caller: &Caller, a: Args<'_>) -> Eval {
    let RubyValue::Class(class) = &caller.this else { return Ok(RubyValue::Nil) };
    if a.is_empty() {
        caller.frame.context.module_function.set(true);
    }
    for method in a.items {
        let name = run.name_arg(method)?;
        let method = class.methods.borrow().get(&name).cloned();
        if let Some(method) = method {
            class.own_methods.borrow_mut().insert(name, method);
        }
    }
    Ok(a.get(0))
}

/// `raise`: an exception, a class with a message, or a message alone.
fn raise(run: &mut Run<'_>, _caller: &Caller, a: Args<'_>) -> Eval {
    let exception = match a.items.first() {
        None => match run.vm.handling.clone() {
            Some(exception) => exception,
            None => run.exception("RuntimeError", "unhandled exception"),
        },
        Some(RubyValue::Str(text)) => {
            let text = text.text.borrow().as_str().to_owned();
            run.exception("RuntimeError", text)
        }
        Some(class @ RubyValue::Class(_)) => {
            let line = run.vm.line;
            let args = a.items.get(1..2).unwrap_or_default();
            let made = run.call(class, "new", args)?;
            run.vm.line = line;
            match made {
                RubyValue::Object(object) => object,
                _ => return run.type_error("exception class/object expected"),
            }
        }
        Some(RubyValue::Object(object)) if object.class.is_a("Exception") => {
            if let Some(message) = a.items.get(1) {
                object.set_ivar("@message", message.clone());
            }
            Rc::clone(object)
        }
        Some(_) => return run.type_error("exception class/object expected"),
    };
    let is_new = match &*exception.data.borrow() {
        Data::Raised { line, .. } => *line == 0,
        _ => true,
    };
    if is_new {
        let (file, line) = run.place();
        exception.data.replace(Data::Raised { file, line });
    }
    if let Some(cause) = &run.vm.handling
        && !Rc::ptr_eq(cause, &exception)
        && !exception.ivars.borrow().contains_key("@cause")
    {
        exception.set_ivar("@cause", RubyValue::Object(Rc::clone(cause)));
    }
    Err(Box::new(Stop::Raise(exception)))
}

impl Run<'_> {
    /// Calls a function of `Kernel` or of Puppet's; `None` if there is none of that name.
    pub(crate) fn kernel(
        &mut self,
        this: &RubyValue,
        name: &str,
        a: Args<'_>,
        frame: &Rc<Frame>,
    ) -> Eval<Option<RubyValue>> {
        let functions = &registry().kernel;
        if !functions.has(name) {
            return Ok(None);
        }
        let caller = Caller { this: this.clone(), frame: Rc::clone(frame) };
        functions.call(self, this, &caller, name, a)
    }

    /// `Array(value)`
    pub(crate) fn to_array(&mut self, value: &RubyValue) -> Eval {
        Ok(match value {
            RubyValue::Nil => RubyValue::array(Vec::new()),
            RubyValue::Array(_) => value.clone(),
            RubyValue::Hash(_) | RubyValue::Range(_) => RubyValue::array(self.items_of(value)?),
            RubyValue::Object(_) if self.responds(value, "to_a", false) => {
                self.call(value, "to_a", &[])?
            }
            RubyValue::Match(_) => self.call(value, "to_a", &[])?,
            other => RubyValue::array(vec![other.clone()]),
        })
    }
}
