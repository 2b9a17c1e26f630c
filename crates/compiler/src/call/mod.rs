//! Calls, as functions in Rust and Ruby see them.
//!
//! This file has arguments and blocks, [`services`] what every interpreter offers, [`catalog`] what the catalog builder
//! adds, and [`native`] chooses the signature of a function in Rust.

mod catalog;
mod native;
mod services;

use kukla_base::Symbol;
use kukla_pcore::{Hash, Type, Value};
use kukla_syntax::ast::ExprId;

pub(crate) use native::call_native;

use crate::compile::Compiler;
use crate::interpreter::{Block, Invocation};
use crate::{Eval, Place, Program, Stop};

/// One call of a function: its arguments, its block, and what it may ask for.
#[derive(Debug)]
pub struct Call<'a> {
    pub(crate) compiler: &'a mut Compiler,
    pub(crate) name: Symbol,
    pub(crate) arguments: &'a [Value],
    pub(crate) block: Option<Block<'a>>,
    pub(crate) program: &'a Program,
    pub(crate) id: ExprId,
}

/// Puppet's stack of calls has a name for code that is in no file.
pub(crate) fn on_stack(place: Place) -> Place {
    match place.file.is_empty() {
        true => Place { file: "unknown".into(), ..place },
        false => place,
    }
}

/// A block that is no code of the Puppet language.
pub(crate) trait ForeignBlock: std::fmt::Debug {
    fn call(&self, compiler: &mut Compiler, arguments: &[Value]) -> Eval<Value>;
}

impl<'a> Call<'a> {
    /// Returns the call of a function by code.
    pub(crate) const fn new(compiler: &'a mut Compiler, site: Invocation<'a>) -> Self {
        let Invocation { name, arguments, block, program, id } = site;
        Self { compiler, name, arguments, block, program, id }
    }

    /// The name that was called.
    pub fn name(&self) -> &'static str {
        self.name.as_str()
    }

    /// All arguments.
    pub fn arguments(&self) -> &'a [Value] {
        self.arguments
    }

    /// An argument; `undef` if there are not that many.
    #[inline]
    pub fn value(&self, n: usize) -> &'a Value {
        self.arguments.get(n).unwrap_or(&Value::Undef)
    }

    /// An argument that the signature says is a string.
    pub fn string(&self, n: usize) -> &'a str {
        match self.value(n) {
            Value::String(text) => text,
            _ => "",
        }
    }

    /// An argument that the signature says is an integer.
    pub fn integer(&self, n: usize) -> i64 {
        match self.value(n) {
            Value::Integer(value) => *value,
            _ => 0,
        }
    }

    /// An argument that the signature says is an array.
    pub fn array(&self, n: usize) -> &'a [Value] {
        match self.value(n) {
            Value::Array(values) => values,
            _ => &[],
        }
    }

    /// An argument that the signature says is a hash.
    pub fn hash(&self, n: usize) -> Option<&'a Hash> {
        match self.value(n) {
            Value::Hash(hash) => Some(hash),
            _ => None,
        }
    }

    /// Whether there is a block.
    pub fn has_block(&self) -> bool {
        self.block.is_some()
    }

    /// The number of parameters of the block: least and most, if there is an end.
    pub fn block_arity(&self) -> (usize, Option<usize>) {
        self.block.map_or((0, Some(0)), |block| (block.parameters.min, block.parameters.max))
    }

    /// The type of the block.
    pub(crate) fn block_type(&self) -> Option<&'a Type> {
        let parameters = self.block?.parameters;
        Some(parameters.as_type.get_or_init(|| Type::Callable(parameters.callable().into())))
    }

    /// Calls the block.
    pub fn call_block(&mut self, arguments: &[Value]) -> Eval<Value> {
        let mut value = Value::Undef;
        self.call_block_into(arguments, &mut value)?;
        Ok(value)
    }

    /// Calls the block and puts its value into an empty place, so that it need not be moved.
    #[inline]
    pub fn call_block_into(&mut self, arguments: &[Value], out: &mut Value) -> Eval<()> {
        match self.block {
            Some(block) => self.compiler.call_block(block, arguments, out),
            None => crate::fault(crate::issues::no_block()),
        }
    }

    /// Like [`call_block_into`](Self::call_block_into), but takes the arguments: the block can add to them in place.
    #[inline]
    pub fn give_to_block(&mut self, arguments: &mut [Value], out: &mut Value) -> Eval<()> {
        match self.block {
            Some(block) => self.compiler.call_block_taking(block, arguments, out),
            None => crate::fault(crate::issues::no_block()),
        }
    }

    /// Calls the block of a function that iterates; `None` is the end that `break()` wants.
    pub fn iterate(&mut self, arguments: &[Value]) -> Eval<Option<Value>> {
        match self.call_block(arguments) {
            Ok(value) => Ok(Some(value)),
            Err(stop) if stop.is_break() => Ok(None),
            Err(stop) => Err(stop),
        }
    }

    /// Whether the block surely does not call `break()`.
    pub fn block_never_breaks(&self) -> bool {
        self.block.is_some_and(|block| {
            block.foreign.is_none()
                && block.program.callee(block.closure.lambda).is_some_and(|callee| callee.is_simple)
        })
    }

    /// Calls the block of a function that iterates, and takes the arguments.
    ///
    /// The value comes into an empty place; `false` is the end that `break()` wants.
    pub fn iterate_taking(&mut self, arguments: &mut [Value], out: &mut Value) -> Eval<bool> {
        match self.give_to_block(arguments, out) {
            Ok(()) => Ok(true),
            Err(stop) if stop.is_break() => Ok(false),
            Err(stop) => Err(stop),
        }
    }

    /// The place of the call.
    pub fn place(&self) -> Place {
        self.program.place(self.id)
    }

    /// The place of the call as Puppet's stack of calls has it.
    pub fn frame(&self) -> Place {
        on_stack(self.place())
    }

    /// `break()`
    pub fn break_(&self) -> Box<Stop> {
        Box::new(Stop::Break(self.place()))
    }

    /// `next(value)`
    pub fn next(&self, value: Value) -> Box<Stop> {
        Box::new(Stop::Next(value, self.place()))
    }

    /// `return(value)`
    pub fn return_(&self, value: Value) -> Box<Stop> {
        Box::new(Stop::Return(value, self.place()))
    }
}
