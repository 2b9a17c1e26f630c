//! The evaluator, which walks the tree.
//!
//! [`Vm`] is the state of a running program; [`Run`] is that state together with the host.
//!
//! Invariant: every run ends. Steps, depth and memory are counted, and exceeding a limit is a [`Stop::Limit`].

mod assign;
mod constants;
mod defined;
mod dispatch;
mod eval;
mod flow;
mod invoke;
mod modules;
mod operators;
mod process;
mod quick;
mod raise;
mod roots;

pub(crate) use process::Process;
pub(crate) use raise::short_class;
pub(crate) use roots::{Roots, SharedValue};

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use kukla_base::Symbol;
use kukla_base::cancel;
use smallvec::SmallVec;

use crate::class::{Class, Data, Object};
use crate::read::tree::Name;
use crate::value::{Match, Proc, RubyValue};
use kukla_foreign::Host;

/// A result, or the reason why evaluation leaves the expression.
pub(crate) type Eval<T = RubyValue> = Result<T, Box<Stop>>;

/// The reason why an expression has no value.
pub(crate) enum Stop {
    Raise(Rc<Object>),
    /// `break` out of the block with this tag.
    Break(u64, RubyValue),
    Next(RubyValue),
    /// `return` from the method with this id.
    Return(u64, RubyValue),
    Throw(RubyValue, RubyValue),
    Retry,
    /// The code needs a real Ruby.
    Unsupported(String),
    Limit(String),
}

/// The limits of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) steps: u64,
    pub(crate) depth: u32,
    pub(crate) bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 50_000_000, depth: 5_000, bytes: 1 << 27 }
    }
}

/// The state of a running program.
pub(crate) struct Vm {
    pub(crate) limits: Limits,
    pub(crate) steps: u64,
    /// The elements and bytes that methods went through since the last check.
    work: usize,
    /// The number of steps at which limits and cancellation are checked next.
    pub(crate) pause_at: u64,
    pub(crate) depth: u32,
    pub(crate) bytes: usize,
    /// The line of the current call.
    pub(crate) line: u32,
    pub(crate) file: Name,
    /// The classes, constants and globals that all Ruby code of the compilation shares.
    pub(crate) process: Rc<Process>,
    /// `Object`, which holds all constants.
    pub(crate) top: Rc<Class>,
    /// The exception that is being handled: `$!`.
    pub(crate) handling: Option<Rc<Object>>,
    /// Functions that the file has defined so far.
    pub(crate) functions: Rc<RefCell<Vec<crate::function::Defined>>>,
    pub(crate) scope: Option<RubyValue>,
    /// The class of `self` in templates, created by the first.
    pub(crate) template_class: Option<Rc<Class>>,
    /// Files that may be required.
    pub(crate) helpers: crate::function::Helpers,
    /// Addresses of the arrays and hashes that `inspect` is in: one may contain itself.
    pub(crate) showing: Vec<usize>,
    /// True if the code had an effect on the host, so that it must not run again elsewhere.
    pub(crate) has_acted: bool,
    /// The result of the last method that matched a pattern, until its caller takes it.
    pub(crate) matched: Option<Option<Rc<Match>>>,
    /// Arrays and hashes that a template read from variables: those that it changed in place are reported to the host.
    pub(crate) watched: Vec<(Symbol, RubyValue)>,
    /// True if any array or hash was changed in place.
    pub(crate) has_changed: bool,
    /// Classes and frames that may be part of a reference cycle.
    pub(crate) roots: Rc<Roots>,
}

/// A running program and its host.
pub(crate) struct Run<'a> {
    pub(crate) vm: &'a mut Vm,
    pub(crate) host: &'a mut dyn Host,
}

/// Local variables of a frame; blocks have few.
pub(crate) type Locals = SmallVec<[RubyValue; 3]>;

/// Variables of a method or block.
pub(crate) struct Frame {
    pub(crate) vars: RefCell<Locals>,
    pub(crate) parent: Option<Rc<Frame>>,
    pub(crate) context: Rc<Context>,
    /// Identifies the target of `break`.
    pub(crate) tag: u64,
}

/// The state that a method and its blocks share.
pub(crate) struct Context {
    pub(crate) self_value: RubyValue,
    pub(crate) block: Option<Rc<Proc>>,
    pub(crate) method: Option<(Name, Rc<Class>)>,
    pub(crate) args: Vec<RubyValue>,
    /// The module in which constants are looked up and methods are defined.
    pub(crate) module: Rc<Class>,
    pub(crate) last_match: RefCell<Option<Rc<Match>>>,
    pub(crate) id: u64,
    /// True in `class << self` and `instance_eval`, where `def` defines singleton methods.
    pub(crate) defines_own: bool,
    /// True after `module_function` without arguments.
    pub(crate) module_function: Cell<bool>,
}

/// The arguments of a call.
#[derive(Clone, Copy)]
pub(crate) struct Args<'a> {
    pub(crate) items: &'a [RubyValue],
    /// True if the last one was written as keywords.
    pub(crate) keywords: bool,
    pub(crate) block: Option<&'a Rc<Proc>>,
}

impl<'a> Args<'a> {
    pub(crate) fn new(items: &'a [RubyValue]) -> Self {
        Self { items, keywords: false, block: None }
    }

    pub(crate) fn with_block(items: &'a [RubyValue], block: Option<&'a Rc<Proc>>) -> Self {
        Self { items, keywords: false, block }
    }

    pub(crate) fn get(&self, index: usize) -> RubyValue {
        self.items.get(index).cloned().unwrap_or_default()
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the value of an option like `half: :even`.
    pub(crate) fn option(&self, name: &str) -> Option<RubyValue> {
        let Some(RubyValue::Hash(map)) = self.items.last() else { return None };
        map.entries.borrow().get(&crate::value::Key(RubyValue::sym(name))).cloned()
    }
}

impl Vm {
    /// Returns a machine for a file, with the classes and globals that other files of the compilation have left.
    pub(crate) fn new(file: &str, process: &Rc<Process>) -> Self {
        Self {
            limits: Limits::default(),
            steps: 0,
            work: 0,
            pause_at: 0,
            depth: 0,
            bytes: 0,
            line: 0,
            file: file.into(),
            process: Rc::clone(process),
            top: Rc::clone(&process.top),
            handling: None,
            functions: Rc::default(),
            scope: None,
            template_class: None,
            helpers: crate::function::Helpers::default(),
            showing: Vec::new(),
            has_acted: false,
            matched: None,
            watched: Vec::new(),
            has_changed: false,
            roots: Rc::clone(&process.roots),
        }
    }

    /// Prepares the machine for another file: classes stay, limits are reset.
    pub(crate) fn renewed(mut self, file: &str) -> Self {
        (self.steps, self.depth, self.bytes, self.line) = (0, 0, 0, 0);
        self.pause_at = 0;
        if self.file != file {
            self.file = file.into();
        }
        self.handling = None;
        self.showing.clear();
        self.has_acted = false;
        self.matched = None;
        self.watched.clear();
        self.has_changed = false;
        self.roots.prune();
        self
    }

    pub(crate) fn fresh_id(&mut self) -> u64 {
        let id = self.process.next_id.get() + 1;
        self.process.next_id.set(id);
        id
    }
}

/// The elements and bytes that methods go through between two checks.
const MAX_WORK: usize = 1 << 20;

/// The bytes from which on the memory of the process is measured before they are taken.
const LARGE: usize = 1 << 20;

#[cold]
fn too_many_steps(limit: u64) -> Box<Stop> {
    Box::new(Stop::Limit(format!("the code takes more than {limit} steps")))
}

#[cold]
fn too_much_memory(limit: usize) -> Box<Stop> {
    Box::new(Stop::Limit(format!("the code needs more than {} MB of memory", limit >> 20)))
}

impl Run<'_> {
    /// Counts the memory that a value takes. Freed memory is not subtracted, so the limit is generous.
    pub(crate) fn charge(&mut self, bytes: usize) -> Eval<()> {
        self.vm.bytes = self.vm.bytes.saturating_add(bytes);
        if self.vm.bytes > self.vm.limits.bytes {
            return Err(too_much_memory(self.vm.limits.bytes));
        }
        // Before a large value is built, the memory of the process is measured.
        match bytes > LARGE && !cancel::room(bytes) {
            true => self.rest(),
            false => Ok(()),
        }
    }

    /// Fails if a value that is being built already takes too much memory; [`Run::charge`] counts it when it is done.
    #[inline]
    pub(crate) fn check_room(&mut self, bytes: usize) -> Eval<()> {
        self.step()?;
        match self.vm.bytes.saturating_add(bytes) > self.vm.limits.bytes {
            true => Err(too_much_memory(self.vm.limits.bytes)),
            false => Ok(()),
        }
    }

    #[inline]
    pub(crate) fn step(&mut self) -> Eval<()> {
        self.vm.steps += 1;
        match self.vm.steps > self.vm.pause_at {
            true => self.pause(),
            false => Ok(()),
        }
    }

    /// Counts what a method of ours may go through, and checks now and then whether the compilation is cancelled.
    #[inline]
    pub(crate) fn weigh(&mut self, recv: &RubyValue, args: Args<'_>) -> Eval<()> {
        let size = |value: &RubyValue| match value {
            RubyValue::Str(text) => text.text.borrow().len(),
            RubyValue::Array(list) => list.items.borrow().len(),
            RubyValue::Hash(map) => map.entries.borrow().len(),
            _ => 0,
        };
        self.vm.work += size(recv) + args.items.first().map_or(0, size);
        match self.vm.work > MAX_WORK {
            true => self.rest(),
            false => Ok(()),
        }
    }

    /// Ends the code if the compilation is cancelled.
    #[cold]
    fn rest(&mut self) -> Eval<()> {
        self.vm.work = 0;
        match cancel::requested() {
            Some(reason) => Err(Box::new(Stop::Limit(reason.to_string()))),
            None => Ok(()),
        }
    }

    /// Checks the limit of steps and whether the compilation is cancelled, about once per thousand steps.
    #[cold]
    fn pause(&mut self) -> Eval<()> {
        if self.vm.steps > self.vm.limits.steps {
            return Err(too_many_steps(self.vm.limits.steps));
        }
        if let Some(reason) = cancel::requested() {
            return Err(Box::new(Stop::Limit(reason.to_string())));
        }
        self.vm.pause_at = self.vm.limits.steps.min(self.vm.steps + cancel::STEPS_BETWEEN);
        Ok(())
    }

    /// Makes an object that Ruby's code can change, and which may come to know itself.
    pub(crate) fn new_object(&self, class: &Rc<Class>, data: Data) -> Rc<Object> {
        let object = Rc::new(Object::new(Rc::clone(class), data));
        self.vm.roots.add_object(&object);
        object
    }

    /// Returns the host for a call with an effect, and records that there was one.
    pub(crate) fn acting(&mut self) -> &mut dyn Host {
        self.vm.has_acted = true;
        self.host
    }

    /// Ends a frame. One that a block has captured is added to the roots, since the block may be among its variables.
    #[inline]
    pub(crate) fn leave(&mut self, frame: &Rc<Frame>) -> Eval<()> {
        if Rc::strong_count(frame) == 1 {
            return Ok(());
        }
        self.vm.roots.add_frame(frame);
        self.charge(size_of::<Frame>())
    }

    /// Returns a frame for code outside of methods.
    pub(crate) fn top_frame(
        &mut self,
        self_value: RubyValue,
        module: Rc<Class>,
        n_locals: usize,
    ) -> Rc<Frame> {
        let context = self.context(self_value, module);
        self.frame_of(Rc::new(context), n_locals)
    }

    pub(crate) fn context(&mut self, self_value: RubyValue, module: Rc<Class>) -> Context {
        Context {
            self_value,
            block: None,
            method: None,
            args: Vec::new(),
            module,
            last_match: RefCell::default(),
            id: self.vm.fresh_id(),
            defines_own: false,
            module_function: Cell::new(false),
        }
    }

    pub(crate) fn frame_of(&mut self, context: Rc<Context>, n_locals: usize) -> Rc<Frame> {
        let vars = RefCell::new(Locals::from_elem(RubyValue::Nil, n_locals));
        Rc::new(Frame { vars, parent: None, context, tag: 0 })
    }
}
