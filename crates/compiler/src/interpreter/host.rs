//! The catalog builder, as far as the interpreter knows of it.

use std::fmt::Debug;

use kukla_base::Symbol;
use kukla_pcore::{Type, Value};
use kukla_syntax::ast::{BinaryOp, ExprId};

use super::{Block, Interpreter};
use crate::call::ForeignBlock;
use crate::library::{FunctionRef, NameKind};
use crate::{Eval, Program};

/// Evaluates what an interpreter can't evaluate without a catalog.
///
/// Functions get the interpreter, which owns the host: code that they evaluate may need the host again.
pub(crate) trait CatalogHost: Sized + Debug {
    /// Evaluates a resource expression, resource defaults, a resource override or a collector.
    fn expression(
        interpreter: &mut Interpreter<Self>,
        program: &Program,
        id: ExprId,
    ) -> Eval<Value>;

    /// Evaluates `left -> right` and the other arrows, of which `id` is the node.
    fn relationship(
        interpreter: &mut Interpreter<Self>,
        program: &Program,
        arrow: (ExprId, BinaryOp),
        left: ExprId,
        right: ExprId,
    ) -> Eval<Value>;

    /// Returns the attributes that `Type['title'][keys]` names; `at` is the node of the type.
    fn attributes(
        interpreter: &mut Interpreter<Self>,
        program: &Program,
        at: ExprId,
        type_: &Type,
        keys: &[Value],
        as_array: bool,
    ) -> Eval<Value>;

    /// Returns the value that a qualified variable has before code has set it, if there is one.
    fn qualified_variable(interpreter: &mut Interpreter<Self>, name: &str) -> Eval<Option<Value>>;

    /// Calls `receiver.name(arguments) |…| { … }` if the receiver is an object of the host that knows the name.
    fn call_method(
        interpreter: &mut Interpreter<Self>,
        program: &Program,
        receiver: &Value,
        name: Symbol,
        arguments: &[Value],
        lambda: Option<ExprId>,
    ) -> Eval<Option<Value>>;

    /// Returns what stands for an object that `new` has made, if the host knows more of it than its attributes.
    fn adopt(_interpreter: &mut Interpreter<Self>, made: Value) -> Value {
        made
    }

    /// Returns the type of a name that only code defines, such as a defined type.
    fn find_type(interpreter: &Interpreter<Self>, name: &str) -> Eval<Option<Type>>;

    /// Completes definitions that the search for a name has loaded.
    fn complete_definitions(interpreter: &mut Interpreter<Self>) -> Eval<()>;

    /// Takes notice of a function that the library has, which may bring others along.
    fn note_function(&self, function: &FunctionRef);

    /// Returns a function that came with other definitions.
    fn function(&self, name: Symbol) -> Option<FunctionRef>;

    /// Returns the names that definitions so far have, for advice on unknown ones.
    fn names(&self, kind: NameKind) -> Vec<String>;

    /// Runs a function that is not written in the Puppet language.
    fn run_function(
        interpreter: &mut Interpreter<Self>,
        function: &FunctionRef,
        call: Invocation<'_>,
    ) -> Eval<Value>;

    /// Runs a block that is not written in the Puppet language.
    fn run_block(
        interpreter: &mut Interpreter<Self>,
        block: &dyn ForeignBlock,
        arguments: &[Value],
    ) -> Eval<Value>;
}

/// A call of a function, with everything but the interpreter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Invocation<'a> {
    pub(crate) name: Symbol,
    pub(crate) arguments: &'a [Value],
    pub(crate) block: Option<Block<'a>>,
    pub(crate) program: &'a Program,
    /// The node of the call.
    pub(crate) id: ExprId,
}
