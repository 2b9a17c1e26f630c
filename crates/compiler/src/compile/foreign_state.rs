//! The state of code in other languages during a compilation.

use std::any::Any;
use std::rc::Rc;

use kukla_pcore::Value;
use rustc_hash::FxHashMap;

use crate::interpreter::scope::ScopeId;

/// Values that templates and functions in Ruby leave for those that run after them.
#[derive(Default, Debug)]
pub(crate) struct ForeignState {
    /// States of Ruby code, by the keys that the room `ruby` gives them.
    pub(crate) states: FxHashMap<usize, Box<dyn Any>>,
    /// Values that templates gave to variables of a scope, as Ruby has them: see [`ruby`](crate::ruby).
    pub(crate) values: FxHashMap<ScopeId, FxHashMap<String, Rc<dyn Any>>>,
    /// Arguments that the function that just ran has changed in place, with the values that they have now.
    pub(crate) changed: Vec<(Value, Value)>,
}
