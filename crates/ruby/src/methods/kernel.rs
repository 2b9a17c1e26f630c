//! Functions that are called without a receiver.

use std::rc::Rc;

use kukla_rubytext::{float, integer};

use crate::class::Data;
use crate::run::{Args, Eval, Frame, Run, Stop};
use crate::show;
use crate::value::{Proc, ProcBody, RubyValue};

impl Run<'_> {
    #[expect(clippy::too_many_lines, reason = "a table of names")]
    pub(crate) fn kernel(
        &mut self,
        this: &RubyValue,
        name: &str,
        a: Args<'_>,
        frame: &Rc<Frame>,
    ) -> Eval<Option<RubyValue>> {
        if let Some(value) = self.puppet_function(this, name, a)? {
            return Ok(Some(value));
        }
        Ok(Some(match name {
            "raise" | "fail" => return self.kernel_raise(a),
            "require" | "require_relative" | "load" => {
                let file = self.text_arg(&a.get(0))?;
                RubyValue::Bool(self.require(&file, name)?)
            }
            "Array" => self.to_array(&a.get(0))?,
            "Integer" => self.kernel_integer(a)?,
            "Float" => self.kernel_float(a)?,
            "String" => RubyValue::str(self.to_s(&a.get(0))?),
            "Hash" => match a.get(0) {
                RubyValue::Nil => RubyValue::hash(crate::value::Entries::default()),
                RubyValue::Array(list) if list.items.borrow().is_empty() => {
                    RubyValue::hash(crate::value::Entries::default())
                }
                hash @ RubyValue::Hash(_) => hash,
                other => {
                    let class = show::class_name(&other);
                    return self.type_error(format!("can't convert {class} into Hash"));
                }
            },
            "format" | "sprintf" => {
                self.arity(a, 1, usize::MAX)?;
                let format = self.text_arg(&a.items[0])?;
                RubyValue::str(self.sprintf(&format, &a.items[1..])?)
            }
            "lambda" | "proc" => {
                let block = self.need_block(&a, name)?;
                match &block.body {
                    ProcBody::Block { block, frame, self_value, tag } if name == "lambda" => {
                        let (block, frame, self_value) =
                            (block.clone(), Rc::clone(frame), self_value.clone());
                        let body = ProcBody::Block { block, frame, self_value, tag: *tag };
                        RubyValue::Proc(Rc::new(Proc { body, is_lambda: true }))
                    }
                    _ => RubyValue::Proc(Rc::clone(block)),
                }
            }
            "loop" => {
                let block = self.need_block(&a, name)?;
                loop {
                    match self.call_block(block, Args::new(&[])) {
                        Ok(_) => self.step()?,
                        Err(stop) => match &*stop {
                            Stop::Raise(exception) if exception.class.is_a("StopIteration") => {
                                return Ok(Some(exception.ivar("@result")));
                            }
                            _ => return Err(stop),
                        },
                    }
                }
            }
            "URI" => match a.get(0) {
                uri @ RubyValue::Object(_) => uri,
                other => {
                    let source = self.text_arg(&other)?;
                    self.parse_uri(&source)?
                }
            },
            "block_given?" => RubyValue::Bool(frame.context.block.is_some()),
            "catch" => return self.kernel_catch(a).map(Some),
            "throw" => return Err(Box::new(Stop::Throw(a.get(0), a.get(1)))),
            "rand"
                if !matches!(this, RubyValue::Object(_))
                    || self.find_method(this, name).is_none() =>
            {
                self.random_number(a)?
            }
            "binding" | "eval" | "exec" | "system" | "`" | "spawn" | "fork" | "exit" | "abort"
            | "gets" | "srand" | "sleep" | "open" | "autoload" | "at_exit" | "trap" | "caller"
            | "set_trace_func" | "select" | "test" | "syscall" | "readline" | "readlines"
                if !matches!(this, RubyValue::Array(_) | RubyValue::Hash(_)) =>
            {
                return self.unsupported(format!("function {name}"));
            }
            "puts" | "print" | "p" | "pp" | "warn" => {
                let mut text = Vec::new();
                for arg in a.items {
                    text.push(if name == "p" { self.inspect(arg)? } else { self.to_s(arg)? });
                }
                self.acting().log("debug", &text.join("\n"));
                RubyValue::Nil
            }
            "__method__" => frame
                .context
                .method
                .as_ref()
                .map_or(RubyValue::Nil, |(name, _)| RubyValue::Sym(name.clone())),
            "_" | "n_" => a.get(0),
            "private"
            | "public"
            | "protected"
            | "module_function"
            | "private_class_method"
            | "private_constant"
            | "public_class_method" => self.visibility(this, name, a, frame)?,
            "attr_reader" | "attr_accessor" | "attr_writer" | "include" | "prepend"
            | "define_method" | "alias_method" | "remove_method" | "undef_method" | "using"
            | "refine" => {
                let RubyValue::Class(class) = this else {
                    if name == "include" {
                        return Ok(Some(this.clone()));
                    }
                    return Ok(None);
                };
                return self.module_method(class, name, a);
            }
            "local_variables" | "global_variables" | "instance_variable_names" => {
                return self.unsupported(format!("function {name}"));
            }
            _ => return Ok(None),
        }))
    }

    fn visibility(&mut self, this: &RubyValue, name: &str, a: Args<'_>, frame: &Rc<Frame>) -> Eval {
        if name == "module_function" {
            let RubyValue::Class(class) = this else { return Ok(RubyValue::Nil) };
            if a.is_empty() {
                frame.context.module_function.set(true);
            }
            for method in a.items {
                let method = self.name_arg(method)?;
                let found = class.methods.borrow().get(&method).cloned();
                if let Some(found) = found {
                    class.own_methods.borrow_mut().insert(method, found);
                }
            }
        }
        Ok(a.items.first().cloned().unwrap_or_default())
    }

    fn kernel_catch(&mut self, a: Args<'_>) -> Eval {
        let block = self.need_block(&a, "catch")?;
        let tag = if a.is_empty() { RubyValue::str("tag") } else { a.get(0) };
        match self.yield1(block, &tag) {
            Err(stop) => match *stop {
                Stop::Throw(aim, value) if aim.is_same(&tag) => Ok(value),
                other => Err(Box::new(other)),
            },
            ok => ok,
        }
    }

    /// `raise`: an exception, a class with a message, or a message alone.
    fn kernel_raise(&mut self, a: Args<'_>) -> Eval<Option<RubyValue>> {
        let exception = match a.items.first() {
            None => match self.vm.handling.clone() {
                Some(exception) => exception,
                None => self.exception("RuntimeError", "unhandled exception"),
            },
            Some(RubyValue::Str(text)) => {
                let text = text.text.borrow().as_str().to_owned();
                self.exception("RuntimeError", text)
            }
            Some(class @ RubyValue::Class(_)) => {
                let line = self.vm.line;
                let args = a.items.get(1..2).unwrap_or_default();
                let made = self.call(class, "new", args)?;
                self.vm.line = line;
                match made {
                    RubyValue::Object(object) => object,
                    _ => return self.type_error("exception class/object expected"),
                }
            }
            Some(RubyValue::Object(object)) if object.class.is_a("Exception") => {
                if let Some(message) = a.items.get(1) {
                    object.set_ivar("@message", message.clone());
                }
                Rc::clone(object)
            }
            Some(_) => return self.type_error("exception class/object expected"),
        };
        let fresh = match &*exception.data.borrow() {
            Data::Raised { line, .. } => *line == 0,
            _ => true,
        };
        if fresh {
            let (file, line) = self.place();
            exception.data.replace(Data::Raised { file, line });
        }
        if let Some(cause) = &self.vm.handling
            && !Rc::ptr_eq(cause, &exception)
            && !exception.ivars.borrow().contains_key("@cause")
        {
            exception.set_ivar("@cause", RubyValue::Object(Rc::clone(cause)));
        }
        Err(Box::new(Stop::Raise(exception)))
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

    fn kernel_integer(&mut self, a: Args<'_>) -> Eval {
        let quiet = a.option("exception").is_some_and(|value| !value.truthy());
        let result = self.strict_integer(a);
        match result {
            Err(stop) if quiet && matches!(*stop, Stop::Raise(_)) => Ok(RubyValue::Nil),
            other => other,
        }
    }

    fn strict_integer(&mut self, a: Args<'_>) -> Eval {
        match a.get(0) {
            RubyValue::Str(text) => {
                let text = text.text.borrow().clone();
                let radix = match a.items.get(1) {
                    Some(RubyValue::Int(radix)) => *radix,
                    _ => 0,
                };
                self.check_digits(&text)?;
                let number = self.from_text(integer::parse(&text, radix))?;
                self.big(&number)
            }
            number @ (RubyValue::Int(_) | RubyValue::Big(_)) => Ok(number),
            RubyValue::Float(number) => self.call(&RubyValue::Float(number), "to_i", &[]),
            RubyValue::Nil => self.type_error("can't convert nil into Integer"),
            other
                if matches!(other, RubyValue::Object(_))
                    && self.responds(&other, "to_i", false) =>
            {
                self.call(&other, "to_i", &[])
            }
            other => {
                let class = crate::run::short_class(&other);
                self.type_error(format!("can't convert {class} into Integer"))
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "as Ruby does")]
    fn kernel_float(&mut self, a: Args<'_>) -> Eval {
        let quiet = a.option("exception").is_some_and(|value| !value.truthy());
        let result = match a.get(0) {
            RubyValue::Str(text) => {
                let text = text.text.borrow().clone();
                self.from_text(float::parse(&text)).map(RubyValue::Float)
            }
            RubyValue::Int(number) => Ok(RubyValue::Float(number as f64)),
            RubyValue::Big(number) => Ok(RubyValue::Float(number.to_f64())),
            number @ RubyValue::Float(_) => Ok(number),
            RubyValue::Nil => self.type_error("can't convert nil into Float"),
            other => {
                let class = crate::run::short_class(&other);
                self.type_error(format!("can't convert {class} into Float"))
            }
        };
        match result {
            Err(stop) if quiet && matches!(*stop, Stop::Raise(_)) => Ok(RubyValue::Nil),
            other => other,
        }
    }
}
