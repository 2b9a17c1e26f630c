//! The evaluator: walks the tree.
//!
//! [`Vm`] is everything that changes while a program runs; [`Run`] is that together with the host it runs for.
//!
//! Invariant: it ends. Steps, depth and memory are counted, and what is beyond is a [`Stop::Limit`].

mod assign;
mod constants;
mod defined;
mod dispatch;
mod eval;
mod flow;
mod invoke;
mod modules;
mod operators;
mod quick;
mod raise;
mod roots;
mod shared;

pub(crate) use raise::short_class;
pub(crate) use roots::{Kept, Roots};

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use kukla_base::Symbol;
use kukla_base::cancel;
use smallvec::SmallVec;

use crate::class::{Class, Data, Names, Object};
use crate::read::tree::Name;
use crate::value::{Match, Proc, RubyValue};
use kukla_foreign::Host;

/// A result, or the reason why evaluation goes on elsewhere.
pub(crate) type Eval<T = RubyValue> = Result<T, Box<Stop>>;

/// Why an expression has no value.
pub(crate) enum Stop {
    Raise(Rc<Object>),
    /// `break` out of the block with this tag.
    Break(u64, RubyValue),
    Next(RubyValue),
    /// `return` from the method with this id.
    Return(u64, RubyValue),
    Throw(RubyValue, RubyValue),
    Retry,
    /// Something that only a real Ruby can do.
    Unsupported(String),
    Limit(String),
}

/// How much a program may do.
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

/// The state of a program that runs.
pub(crate) struct Vm {
    pub(crate) limits: Limits,
    pub(crate) steps: u64,
    /// The number of steps at which limits and cancellation are looked at.
    pub(crate) pause_at: u64,
    pub(crate) depth: u32,
    pub(crate) bytes: usize,
    /// The place of the call that is being made.
    pub(crate) line: u32,
    pub(crate) file: Name,
    pub(crate) next_id: u64,
    /// `Object`, which holds all constants.
    pub(crate) top: Rc<Class>,
    /// Constants that were found, each with the module where it was looked for; forgotten when that may change.
    pub(crate) found_constants: Names<Vec<(Rc<Class>, RubyValue)>>,
    pub(crate) globals: Names<RubyValue>,
    /// Whether a method was added to one of Ruby's own classes.
    pub(crate) reopened: Cell<bool>,
    /// Whether the code has defined anything that would outlive it.
    pub(crate) has_own: Cell<bool>,
    /// The exception that is being handled: `$!`.
    pub(crate) handling: Option<Rc<Object>>,
    pub(crate) required: Vec<Name>,
    /// Functions that the sources have defined so far.
    pub(crate) functions: Vec<crate::function::Defined>,
    pub(crate) scope: Option<RubyValue>,
    /// The class of `self` in templates, once there was one.
    pub(crate) template_class: Option<Rc<Class>>,
    /// Files that may be required.
    pub(crate) helpers: Vec<(Name, std::sync::Arc<crate::read::tree::Program>)>,
    /// Arrays and hashes that are being shown, by their addresses: one may be in itself.
    pub(crate) showing: Vec<usize>,
    /// Whether something was done outside that must not be done twice.
    pub(crate) has_acted: bool,
    /// The match of the last method that looks for a pattern, until its caller takes it.
    pub(crate) matched: Option<Option<Rc<Match>>>,
    /// Arrays and hashes that a template took from variables: the host is told of those that were changed in place.
    pub(crate) watched: Vec<(Symbol, RubyValue)>,
    /// Whether any array or hash was changed in place.
    pub(crate) has_changed: bool,
    /// Classes and frames that may know themselves.
    pub(crate) roots: Rc<Roots>,
}

/// A program that runs.
pub(crate) struct Run<'a> {
    pub(crate) vm: &'a mut Vm,
    pub(crate) host: &'a mut dyn Host,
}

/// Blocks have few.
pub(crate) type Locals = SmallVec<[RubyValue; 3]>;

/// Variables of a method or block.
pub(crate) struct Frame {
    pub(crate) vars: RefCell<Locals>,
    pub(crate) parent: Option<Rc<Frame>>,
    pub(crate) context: Rc<Context>,
    /// The target of `break`.
    pub(crate) tag: u64,
}

/// The state that a method and its blocks share.
pub(crate) struct Context {
    pub(crate) self_value: RubyValue,
    pub(crate) block: Option<Rc<Proc>>,
    pub(crate) method: Option<(Name, Rc<Class>)>,
    pub(crate) args: Vec<RubyValue>,
    /// Where constants are looked for and methods are defined.
    pub(crate) module: Rc<Class>,
    pub(crate) last_match: RefCell<Option<Rc<Match>>>,
    pub(crate) id: u64,
    /// `class << self`, or `def` within `instance_eval`.
    pub(crate) defines_own: bool,
    /// Between `private` and the end, or `module_function`.
    pub(crate) module_function: Cell<bool>,
}

/// Arguments of a call.
#[derive(Clone, Copy)]
pub(crate) struct Args<'a> {
    pub(crate) items: &'a [RubyValue],
    /// Whether the last one was written as keywords.
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

    /// The value of an option like `half: :even`.
    pub(crate) fn option(&self, name: &str) -> Option<RubyValue> {
        let Some(RubyValue::Hash(map)) = self.items.last() else { return None };
        map.entries.borrow().get(&crate::value::Key(RubyValue::sym(name))).cloned()
    }
}

impl Vm {
    pub(crate) fn new(file: &str) -> Self {
        let top = Rc::new(Class::new("Object", None));
        Self {
            limits: Limits::default(),
            steps: 0,
            pause_at: 0,
            depth: 0,
            bytes: 0,
            line: 0,
            file: file.into(),
            next_id: 1,
            top: Rc::clone(&top),
            found_constants: Names::default(),
            globals: Names::default(),
            reopened: Cell::new(false),
            has_own: Cell::new(false),
            handling: None,
            required: Vec::new(),
            functions: Vec::new(),
            scope: None,
            template_class: None,
            helpers: Vec::new(),
            showing: Vec::new(),
            has_acted: false,
            matched: None,
            watched: Vec::new(),
            has_changed: false,
            roots: Roots::new(&top),
        }
    }

    /// Prepares the machine for another source: classes stay, limits start again.
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
        self.next_id += 1;
        self.next_id
    }
}

#[cold]
fn too_many_steps() -> Box<Stop> {
    Box::new(Stop::Limit("the code takes too many steps".to_owned()))
}

impl Run<'_> {
    /// Counts memory that a value takes; what is freed again is not seen, so the limit is generous.
    pub(crate) fn charge(&mut self, bytes: usize) -> Eval<()> {
        self.vm.bytes = self.vm.bytes.saturating_add(bytes);
        if self.vm.bytes > self.vm.limits.bytes {
            return Err(Box::new(Stop::Limit("the code needs too much memory".to_owned())));
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn step(&mut self) -> Eval<()> {
        self.vm.steps += 1;
        match self.vm.steps > self.vm.pause_at {
            true => self.pause(),
            false => Ok(()),
        }
    }

    /// Looks at the limit of steps and whether the compilation is to stop, once in a thousand steps.
    #[cold]
    fn pause(&mut self) -> Eval<()> {
        if self.vm.steps > self.vm.limits.steps {
            return Err(too_many_steps());
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

    /// The host, to do something that must not be done twice.
    pub(crate) fn acting(&mut self) -> &mut dyn Host {
        self.vm.has_acted = true;
        self.host
    }

    /// Ends a frame: one that a block still knows is remembered, since the block may be among its variables.
    #[inline]
    pub(crate) fn leave(&mut self, frame: &Rc<Frame>) -> Eval<()> {
        if Rc::strong_count(frame) == 1 {
            return Ok(());
        }
        self.vm.roots.add_frame(frame);
        self.charge(size_of::<Frame>())
    }

    /// A frame for code that stands in no method.
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
