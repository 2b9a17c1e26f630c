//! What a search asks of those who compile.

use kukla_pcore::convert::ConvertError;
use kukla_pcore::types::{Names, NoNames};
use kukla_pcore::{Type, Value};

use crate::{Context, Fault, Search};

/// What a variable is.
#[derive(Clone, Debug)]
pub enum Variable {
    /// It has this value, maybe `undef`.
    Value(Value),
    /// There is none; with the reason if it is a class's (`class a could not be found`).
    Unknown(Option<String>),
}

/// How bad a message is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Something to be mended.
    Warning,
    /// For those who look for mistakes.
    Debug,
}

/// What a search asks of those who compile: variables, functions, conversions.
///
/// A host without functions and variables answers with the methods that are here.
pub trait Host {
    /// The value of a variable, seen from where the lookup is made: `x`, `::x` or `a::x`.
    fn variable(&mut self, name: &str) -> Variable;

    /// Announces that the next variable is only read at a path below it: `%{facts.os.family}`.
    fn begin_path(&mut self, _root: &str, _segments: &[Value]) {}

    /// Ends what [`begin_path`](Self::begin_path) began.
    fn end_path(&mut self) {}

    /// The name of the class in which the lookup is made, for `%{calling_class}` of version 3.
    fn calling_class(&mut self) -> Option<String> {
        None
    }

    /// A function that gives data and is not built in; `None` if there is none of that name.
    fn function(&mut self, _name: &str) -> Result<Option<Function>, Fault> {
        Ok(None)
    }

    /// Calls such a function. Its last argument, the context, is not among the arguments.
    fn call(&mut self, name: &str, _arguments: Vec<Value>, _context: &Context) -> Search<Value> {
        Err(Fault::other(format!("the function `{name}` cannot be called here")).into())
    }

    /// Calls a function that has no effect on the catalog, for values in PDL.
    fn call_pure(&mut self, name: &str, _arguments: &[Value]) -> Result<Value, Fault> {
        Err(Fault::lookup(format!("the function `{name}` cannot be called in data")))
    }

    /// `new(type, arguments…)`
    fn convert(&mut self, type_: &Type, arguments: &[Value]) -> Result<Value, ConvertError>;

    /// Types by name, for `convert_to`.
    fn names(&self) -> &dyn Names {
        &NoNames
    }

    /// A message for the log.
    fn log(&mut self, _level: Level, _message: &str) {}

    /// A key is about to be looked up.
    fn asked_for(&mut self, _key: &str) {}
}

/// A function that gives data.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// The types that its signatures say they return; `None` for one that does not say.
    pub returns: Vec<Option<Type>>,
}
