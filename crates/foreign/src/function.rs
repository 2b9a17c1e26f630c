//! Functions that are written in another language.

use kukla_pcore::Value;

use crate::{Host, RubyError};

/// Something that runs the functions of a file: the interpreter, or a real Ruby.
pub trait RunFunctions: std::fmt::Debug + Send + Sync {
    /// The functions that the file defines.
    fn functions(&self) -> &[Function];

    /// Calls a function. `signature` is the number of the one that the arguments fit; `None` for one of the old kind.
    /// `has_block`: the caller gave a block, which the host's `call_block` runs.
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
    /// Its full name: `stdlib::merge`.
    pub name: String,
    /// Which API it uses.
    pub kind: FunctionKind,
}

/// The two ways to write a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FunctionKind {
    /// `newfunction`: arguments come as one array.
    Old {
        /// How many there must be; negative: at least `-arity - 1`.
        arity: i64,
        /// Whether it has a value.
        is_rvalue: bool,
    },
    /// `create_function`
    New {
        /// What it accepts, in order; the first that fits is used.
        signatures: Vec<Signature>,
        /// `local_types`: aliases such as `Port = Integer[1, 65535]`.
        local_types: Vec<String>,
    },
}

/// A `dispatch`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signature {
    /// The method that does it.
    pub method: String,
    /// Its parameters.
    pub params: Vec<Param>,
    /// The type of the block, and whether it must be given.
    pub block: Option<(String, bool)>,
    /// The type of the result.
    pub return_type: Option<String>,
    /// `argument_mismatch`: the method says what is wrong with arguments of these types.
    pub is_mismatch: bool,
    /// The scope is passed before all parameters.
    pub takes_scope: bool,
}

/// A parameter of a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Its type as text.
    pub type_text: String,
    /// How often it may be given.
    pub kind: ParamKind,
}

/// How often a parameter may be given.
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
