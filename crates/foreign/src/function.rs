//! Functions that are written in another language.

use kukla_pcore::Value;

use crate::{Host, RubyError};

/// The functions of one file, run by the interpreter or by a real Ruby.
pub trait RunFunctions: std::fmt::Debug + Send + Sync {
    /// Returns the functions that the file defines.
    fn functions(&self) -> &[Function];

    /// Calls a function.
    ///
    /// `signature` is the index of the signature that the arguments match, `None` for a function of the 3.x API. With
    /// `has_block`, the caller passed a block, which [`Host::call_block`] runs.
    fn call(
        &self,
        host: &mut dyn Host,
        name: &str,
        signature: Option<usize>,
        args: &[Value],
        has_block: bool,
    ) -> Result<Value, RubyError>;
}

/// A function as its callers see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// The full name: `stdlib::merge`.
    pub name: String,
    /// The API that it is written for.
    pub kind: FunctionKind,
}

/// The two Ruby APIs for functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FunctionKind {
    /// `newfunction`, the 3.x API: arguments come as one array.
    Old {
        /// The number of arguments; if negative, at least `-arity - 1`.
        arity: i64,
        /// True if calls have a value.
        is_rvalue: bool,
    },
    /// `create_function`, the 4.x API.
    New {
        /// The accepted arguments; the first signature that matches is used.
        signatures: Vec<Signature>,
        /// `local_types`: aliases such as `Port = Integer[1, 65535]`.
        local_types: Vec<String>,
    },
}

/// A `dispatch`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signature {
    /// The method that implements it.
    pub method: String,
    /// The parameters, in order.
    pub params: Vec<Param>,
    /// The type of the block, and whether it is required.
    pub block: Option<(String, bool)>,
    /// The type of the result.
    pub return_type: Option<String>,
    /// `argument_mismatch`: the method returns an error message for arguments of these types.
    pub is_mismatch: bool,
    /// True if the method gets the scope as its first argument.
    pub takes_scope: bool,
}

/// A parameter of a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    /// The name.
    pub name: String,
    /// The type, as text.
    pub type_text: String,
    /// The number of arguments that it takes.
    pub kind: ParamKind,
}

/// The number of arguments that a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    /// `param`
    Required,
    /// `optional_param`
    Optional,
    /// `repeated_param`
    Repeated,
    /// `required_repeated_param`
    RequiredRepeated,
}
