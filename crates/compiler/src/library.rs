//! What an evaluation can ask for by name.

use std::fmt::Debug;
use std::sync::Arc;

use kukla_base::Symbol;
use kukla_pcore::Type;
use kukla_syntax::ast::ExprId;

use crate::Program;
use crate::function::NativeFunction;
use crate::world::{NoWorld, World};

/// What others define: functions and types of an environment.
pub trait Library: Debug + Send + Sync {
    /// The function of a name.
    fn function(&self, name: Symbol) -> Option<FunctionRef>;

    /// The type of a name, written with capital letters.
    fn type_(&self, name: &str) -> Option<Type>;

    /// What is outside.
    fn world(&self) -> &dyn World {
        &NoWorld
    }
}

/// A function, wherever it comes from.
#[derive(Clone, Debug)]
pub enum FunctionRef {
    /// Written in Rust.
    Native(Arc<NativeFunction>),
    /// Written in the Puppet language.
    Puppet(Arc<PuppetFunction>),
}

/// `function name(parameters) >> type { body }`
#[derive(Debug)]
pub struct PuppetFunction {
    /// Its name.
    pub name: Symbol,
    /// Where it is written.
    pub program: Arc<Program>,
    /// Its node there.
    pub definition: ExprId,
}

/// A library without anything in it.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLibrary;

impl Library for NoLibrary {
    fn function(&self, _name: Symbol) -> Option<FunctionRef> {
        None
    }

    fn type_(&self, _name: &str) -> Option<Type> {
        None
    }
}
