//! Exceptions with Ruby's messages.

use std::rc::Rc;

use kukla_base::{Editions, RubyChange, RubyEdition};

use super::{Eval, Run, Stop};
use crate::class::{Data, Object};
use crate::read::tree::Name;
use crate::show;
use crate::value::RubyValue;
use kukla_foreign::HostError;

impl Run<'_> {
    pub(crate) fn exception(&mut self, class: &str, message: impl Into<String>) -> Rc<Object> {
        let class = self.class_named(class);
        let data = Data::Raised { file: self.vm.file.clone(), line: self.vm.line };
        let object = self.new_object(&class, data);
        object.set_ivar("@message", RubyValue::str(message.into()));
        object
    }

    pub(crate) fn stop(&mut self, class: &str, message: impl Into<String>) -> Box<Stop> {
        Box::new(Stop::Raise(self.exception(class, message)))
    }

    pub(crate) fn raise<T>(&mut self, class: &str, message: impl Into<String>) -> Eval<T> {
        Err(self.stop(class, message))
    }

    /// Returns whether an exception of just this class was raised.
    pub(crate) fn is_raised(&self, stop: &Stop, class: &str) -> bool {
        matches!(stop, Stop::Raise(exception) if *exception.class.name.borrow() == class)
    }

    pub(crate) fn argument_error<T>(&mut self, message: impl Into<String>) -> Eval<T> {
        self.raise("ArgumentError", message)
    }

    pub(crate) fn type_error<T>(&mut self, message: impl Into<String>) -> Eval<T> {
        self.raise("TypeError", message)
    }

    pub(crate) fn unsupported<T>(&self, what: impl Into<String>) -> Eval<T> {
        Err(Box::new(Stop::Unsupported(what.into())))
    }

    pub(crate) fn wrong_arity<T>(&mut self, n_args: usize, expected: &str) -> Eval<T> {
        self.argument_error(format!(
            "wrong number of arguments (given {n_args}, expected {expected})"
        ))
    }

    pub(crate) fn no_conversion<T>(&mut self, value: &RubyValue, into: &str) -> Eval<T> {
        let what = short_class(value);
        self.type_error(format!("no implicit conversion of {what} into {into}"))
    }

    pub(crate) fn frozen<T>(&mut self, value: &RubyValue) -> Eval<T> {
        let message =
            format!("can't modify frozen {}: {}", show::class_name(value), show::inspect(value));
        self.raise("FrozenError", message)
    }

    pub(crate) fn no_method<T>(&mut self, recv: &RubyValue, name: &str, bare: bool) -> Eval<T> {
        let ruby = Editions::current().ruby;
        let (quoted, shown) = (ruby.quoted(name), shown_receiver(recv, ruby));
        let (class, message) = match bare {
            true => {
                ("NameError", format!("undefined local variable or method {quoted} for {shown}"))
            }
            false => ("NoMethodError", format!("undefined method {quoted} for {shown}")),
        };
        let exception = self.exception(class, message);
        exception.set_ivar("@name", RubyValue::sym(name));
        Err(Box::new(Stop::Raise(exception)))
    }

    /// Converts an error of `rubytext` to an exception.
    pub(crate) fn from_text<T>(&mut self, result: Result<T, kukla_rubytext::RubyError>) -> Eval<T> {
        result.map_err(|error| self.stop(error.class, error.message))
    }

    pub(crate) fn from_regex<T>(&mut self, result: Result<T, kukla_regex::LimitError>) -> Eval<T> {
        result.map_err(|error| Box::new(Stop::Limit(error.to_string())))
    }

    /// Converts an error of the host to an exception that code can rescue.
    pub(crate) fn from_host<T>(&mut self, result: Result<T, HostError>) -> Eval<T> {
        result.map_err(|error| {
            let exception = self.exception(&error.class, error.message);
            if let Some(id) = error.id {
                let id = i64::try_from(id).unwrap_or(i64::MAX);
                exception.set_ivar("@__host__", RubyValue::Int(id));
            }
            Box::new(Stop::Raise(exception))
        })
    }

    /// Returns the message of an exception.
    pub(crate) fn message_of(&mut self, exception: &Rc<Object>) -> Eval<String> {
        let value = RubyValue::Object(Rc::clone(exception));
        if exception.class.find_method("message").is_some() {
            let message = self.call(&value, "message", &[])?;
            return self.to_s(&message);
        }
        if exception.class.find_method("to_s").is_some() {
            let message = self.call(&value, "to_s", &[])?;
            return self.to_s(&message);
        }
        Ok(match exception.ivar("@message") {
            RubyValue::Nil => exception.class.name.borrow().as_str().to_owned(),
            message => self.to_s(&message)?,
        })
    }

    pub(crate) fn place(&self) -> (Name, u32) {
        (self.vm.file.clone(), self.vm.line)
    }
}

/// Returns the class of a value as messages name it: `nil`, `true` and `false` by their own names.
pub(crate) fn short_class(value: &RubyValue) -> String {
    match value {
        RubyValue::Nil => "nil".to_owned(),
        RubyValue::Bool(value) => value.to_string(),
        other => show::class_name(other),
    }
}

/// Returns the receiver as messages about missing methods show it.
fn shown_receiver(recv: &RubyValue, ruby: RubyEdition) -> String {
    let class = show::class_name(recv);
    if ruby.has(RubyChange::ReceiverIsClass) {
        return match recv {
            RubyValue::Nil => "nil".to_owned(),
            RubyValue::Bool(value) => value.to_string(),
            RubyValue::Class(_) => {
                format!("{} {}", class.to_lowercase(), show::inspect(recv))
            }
            RubyValue::Object(object) if object.is_main() => "main".to_owned(),
            _ => format!("an instance of {class}"),
        };
    }
    match recv {
        RubyValue::Nil => "nil:NilClass".to_owned(),
        RubyValue::Bool(value) => format!("{value}:{class}"),
        RubyValue::Class(_) => format!("{}:{class}", show::inspect(recv)),
        RubyValue::Object(object) if object.is_main() => "main:Object".to_owned(),
        RubyValue::Object(_) => format!("#<{class}:0x0000000000000000>"),
        _ => format!("{}:{class}", show::inspect(recv)),
    }
}
