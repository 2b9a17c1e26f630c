//! The state that all Ruby code of a compilation shares, as the code in one Ruby process does.
//!
//! A method that one function adds to a class of Ruby's is there for all functions and templates that run later, and so is
//! a global variable. A library that several functions require is run once.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use foldhash::fast::FixedState;
use kukla_foreign::Host;
use kukla_pcore::Value;

use super::Roots;
use crate::class::{Class, Names};
use crate::convert::to_ruby;
use crate::read::tree::Name;
use crate::value::RubyValue;

/// The least number of entries of a hash that is converted once.
const SHARED_SIZE: usize = 8;

/// The most hashes that are kept in their converted form.
const MAX_SHARED: usize = 256;

/// The key of this state at the host; keys of functions are addresses.
const PROCESS: usize = 2;

/// The values of constants of one name, by the module in which the lookup began.
type Found = Vec<(Rc<Class>, RubyValue)>;

/// Classes, constants, globals and loaded files.
pub(crate) struct Process {
    /// `Object`, which holds all constants.
    pub(super) top: Rc<Class>,
    /// Cache of constants, by name and by the module in which the lookup began; cleared when a lookup may change.
    pub(super) constant_cache: RefCell<Names<Found>>,
    pub(super) globals: RefCell<Names<RubyValue>>,
    /// The names of the methods that the code added to Ruby's own classes.
    reopened: RefCell<HashSet<Name, FixedState>>,
    /// Files that were required.
    pub(crate) required: RefCell<Vec<Name>>,
    /// The last number of a frame: a block may outlive the run in which it was made.
    pub(super) next_id: Cell<u64>,
    /// Large values of the host as Ruby objects, by the address of the host's value, which is kept so that the address is.
    converted: RefCell<HashMap<usize, (Value, RubyValue), FixedState>>,
    /// Classes and frames that may be part of a reference cycle.
    pub(super) roots: Rc<Roots>,
}

impl Process {
    /// Returns a process in which no code has run.
    pub(crate) fn new() -> Rc<Self> {
        let top = Rc::new(Class::new("Object", None));
        Rc::new(Self {
            roots: Roots::new(&top),
            top,
            constant_cache: RefCell::default(),
            globals: RefCell::default(),
            reopened: RefCell::default(),
            required: RefCell::default(),
            next_id: Cell::new(1),
            converted: RefCell::default(),
        })
    }

    /// Returns the process of the host's compilation.
    pub(crate) fn of(host: &mut dyn Host) -> Rc<Self> {
        let state = host.take_state(PROCESS);
        let process = state.and_then(|state| state.downcast::<Rc<Self>>().ok());
        let process = process.map_or_else(Self::new, |process| *process);
        host.keep_state(PROCESS, Box::new(Rc::clone(&process)));
        process
    }

    /// Converts a value that the host keeps and gives again and again, such as the data of a file. As in Ruby, it is one
    /// object, so that a change in place stays.
    pub(crate) fn convert(&self, value: &Value) -> RubyValue {
        let address = match value {
            Value::Hash(hash) if hash.len() >= SHARED_SIZE => Arc::as_ptr(hash).addr(),
            _ => return to_ruby(value),
        };
        if let Some((_, converted)) = self.converted.borrow().get(&address) {
            return converted.clone();
        }
        let converted = to_ruby(value);
        let mut all = self.converted.borrow_mut();
        if all.len() >= MAX_SHARED {
            all.clear();
        }
        all.insert(address, (value.clone(), converted.clone()));
        converted
    }

    /// Forgets where constants were found: a class, constant or ancestor is new.
    pub(crate) fn forget_constants(&self) {
        self.constant_cache.borrow_mut().clear();
    }

    /// Notes that a class of Ruby's has a method of the code's.
    pub(crate) fn reopen(&self, method: &Name) {
        self.reopened.borrow_mut().insert(method.clone());
    }

    /// Returns whether a class of Ruby's may have a method of that name that the code defines.
    #[inline]
    pub(crate) fn is_reopened(&self, method: &str) -> bool {
        let reopened = self.reopened.borrow();
        !reopened.is_empty() && reopened.contains(method)
    }
}
