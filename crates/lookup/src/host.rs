//! The interface by which a search uses the compiler.

use kukla_pcore::convert::ConvertError;
use kukla_pcore::types::{Names, NoNames};
use kukla_pcore::{Type, Value};

use crate::{Context, Fault, Search};

/// State of a variable.
#[derive(Clone, Debug)]
pub enum Variable {
    /// A value, maybe `undef`.
    Value(Value),
    /// Undefined; with the reason if it belongs to a class (`class a could not be found`).
    Unknown(Option<String>),
}

/// Severity of a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogLevel {
    /// A problem that the user should fix.
    Warning,
    /// Details for debugging.
    Debug,
}

/// The compiler as a search sees it: variables, functions, conversions.
///
/// A host without functions and variables can keep the default methods.
pub trait Host {
    /// Returns the value of a variable in the scope of the lookup: `x`, `::x` or `a::x`.
    fn variable(&mut self, name: &str) -> Variable;

    /// Announces that the next variable is only read at a path below it: `%{facts.os.family}`.
    fn begin_path(&mut self, _root: &str, _segments: &[Value]) {}

    /// Ends the announcement of [`begin_path`](Self::begin_path).
    fn end_path(&mut self) {}

    /// Returns the name of the class that makes the lookup, for `%{calling_class}` of version 3.
    fn calling_class(&mut self) -> Option<String> {
        None
    }

    /// Returns a data function that is not built in; `None` if there is none of that name.
    fn function(&mut self, _name: &str) -> Result<Option<Function>, Fault> {
        Ok(None)
    }

    /// Calls such a function. Its last argument, the context, is passed separately.
    fn call(&mut self, name: &str, _arguments: Vec<Value>, _context: &Context) -> Search<Value> {
        Err(Fault::other(format!("the function `{name}` cannot be called here")).into())
    }

    /// Calls a function of a legacy data provider, which takes no arguments.
    fn call_legacy(&mut self, name: &str, context: &Context) -> Search<Value> {
        self.call(name, Vec::new(), context)
    }

    /// Calls a function that has no effect on the catalog, for values in PDL.
    fn call_pure(&mut self, name: &str, _arguments: &[Value]) -> Result<Value, Fault> {
        Err(Fault::lookup(format!("the function `{name}` cannot be called in data")))
    }

    /// Converts a value, like `new(type, arguments…)`.
    fn convert(&mut self, type_: &Type, arguments: &[Value]) -> Result<Value, ConvertError>;

    /// Returns types by name, for `convert_to`.
    fn names(&self) -> &dyn Names {
        &NoNames
    }

    /// Logs a message.
    fn log(&mut self, _level: LogLevel, _message: &str) {}
}

/// A data function.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// The return types of its signatures; `None` for a signature without one.
    pub returns: Vec<Option<Type>>,
}
