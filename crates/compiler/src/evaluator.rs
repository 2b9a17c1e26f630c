//! Runs programs.

use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use crate::annotations::Annotations;
use crate::caches::Caches;
use crate::compile::Compilation;
use crate::compile::data::Contexts;
use crate::definitions::{DefinedFunctions, Types};
use crate::eval::Rendered;
use crate::inputs::Inputs;
use crate::issues::{self, Issue};
use crate::log::{Entry, Level};
use crate::profile::Profile;
use crate::scope::{Assigned, ScopeId, Scopes};
use crate::{Eval, Fault, Library, Located, Logged, Place, Program, Stop};
use kukla_base::Symbol;
use kukla_lookup::Session;
use kukla_pcore::{ByteTexts, Hash, Value};
use kukla_syntax::Strict;
use kukla_syntax::ast::ExprId;
use kukla_world::{Reads, Record};
use rustc_hash::FxHashMap;

/// The settings `strict` and `strict_variables`: how tolerant an evaluation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strictness {
    /// What becomes of things that are wrong but work.
    pub strict: Strict,
    /// Whether an unknown variable is an error.
    pub strict_variables: bool,
}

impl Default for Strictness {
    fn default() -> Self {
        Self { strict: Strict::Error, strict_variables: true }
    }
}

/// What an evaluation may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Calls within calls.
    pub depth: u32,
    /// Expressions evaluated.
    pub steps: u64,
    /// The time at which it is stopped.
    pub deadline: Option<Instant>,
    /// The memory in bytes that the process may use meanwhile.
    pub memory: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 1_000, steps: 500_000_000, deadline: None, memory: None }
    }
}

/// Runs programs, and owns everything that changes while they run.
#[derive(Debug)]
pub struct Evaluator {
    /// The way to everything outside.
    pub(crate) inputs: Inputs,
    pub(crate) strictness: Strictness,
    pub(crate) limits: Limits,
    pub(crate) scopes: Scopes,
    /// Functions that the programs themselves define.
    pub(crate) functions: DefinedFunctions,
    /// Types that the programs themselves define.
    pub(crate) types: Types,
    /// What the templates that are being rendered have given so far, the innermost last.
    pub(crate) templates: Vec<Rendered>,
    /// The strings that are being built, one behind the other.
    pub(crate) buffer: String,
    pub(crate) caches: Caches,
    pub(crate) log: Vec<Entry>,
    pub(crate) depth: u32,
    pub(crate) steps: u64,
    /// The number of steps at which limits and cancellation are looked at.
    pub(crate) pause_at: u64,
    /// How deep the expression lies that is being evaluated.
    pub(crate) nesting: u32,
    pub(crate) names: Names,
    /// Resources and what else becomes a catalog.
    pub(crate) compilation: Box<Compilation>,
    /// The name of the environment.
    pub(crate) environment: Arc<str>,
    /// The data of the environment, once it was asked for.
    pub(crate) data: Option<Rc<Session>>,
    /// Where the time goes, if anybody wants to know.
    pub(crate) profile: Option<Box<Profile>>,
    /// Whether everything that lookups find is remembered.
    pub(crate) records_reads: bool,
    /// The contexts of functions that give data.
    pub(crate) contexts: Contexts,
    /// Calls under way that may not change the catalog.
    pub(crate) n_pure: u32,
    /// The calls that include the classes that are being evaluated.
    pub(crate) frames: Vec<Place>,
    /// What the room `ruby` keeps from one template or function to the next.
    pub(crate) ruby_states: FxHashMap<usize, Box<dyn Any>>,
    /// Values that templates gave to variables of a scope, as Ruby has them: see `ruby`.
    pub(crate) ruby_values: FxHashMap<ScopeId, FxHashMap<String, Rc<dyn Any>>>,
    pub(crate) annotations: Annotations,
    /// Texts that Ruby has as bytes without an encoding.
    pub(crate) byte_texts: ByteTexts,
}

/// Names that are needed often.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) new: Symbol,
}

impl Evaluator {
    /// An evaluator with an empty top scope.
    pub fn new(library: Arc<dyn Library>, strictness: Strictness, limits: Limits) -> Self {
        let caches = Caches::new(library.shared());
        Self {
            inputs: Inputs::new(library, Rc::new(Record::off())),
            strictness,
            limits,
            scopes: Scopes::new(),
            functions: DefinedFunctions::default(),
            types: Types::default(),
            templates: Vec::new(),
            buffer: String::new(),
            caches,
            log: Vec::new(),
            depth: 0,
            steps: 0,
            pause_at: 0,
            nesting: 0,
            names: Names { new: Symbol::new("new") },
            compilation: Box::new(Compilation::new()),
            environment: "".into(),
            data: None,
            profile: None,
            records_reads: false,
            contexts: Contexts::default(),
            n_pure: 0,
            frames: Vec::new(),
            ruby_states: FxHashMap::default(),
            ruby_values: FxHashMap::default(),
            annotations: Annotations::default(),
            byte_texts: ByteTexts::default(),
        }
    }

    /// Sets a variable at top scope; the first value counts.
    pub fn set_top_variable(&mut self, name: &str, value: Value) -> bool {
        self.scopes.set_named(ScopeId::TOP, Symbol::new(name), value) == Assigned::Done
    }

    /// Makes facts known: each as a variable at top scope, and all of them as `$facts`.
    pub fn set_facts(&mut self, facts: &Hash) {
        for (name, value) in facts.iter() {
            if let Value::String(name) = name {
                let name = self.scopes.strangers.symbol(name);
                self.scopes.set_named(ScopeId::TOP, name, value.clone());
            }
        }
        self.set_top_variable("facts", Value::hash(facts.clone()));
    }

    /// Says which environment it is.
    pub fn set_environment(&mut self, name: &str) {
        self.set_top_variable("environment", Value::from(name));
        let facts: Hash = [(Value::from("environment"), Value::from(name))].into_iter().collect();
        self.set_top_variable("server_facts", Value::hash(facts));
        let settings = self.scopes.class(Symbol::new("settings"));
        let strict = match self.strictness.strict {
            Strict::Off => "off",
            Strict::Warning => "warning",
            Strict::Error => "error",
        };
        let entries = [
            ("strict", Value::from(strict)),
            ("strict_variables", Value::Boolean(self.strictness.strict_variables)),
        ];
        for (name, value) in entries {
            self.scopes.set_named(settings, Symbol::new(name), value);
        }
    }

    /// Makes the definitions of a program known and evaluates it.
    pub fn run(&mut self, program: &Arc<Program>) -> Result<Value, Box<Fault>> {
        self.define(program);
        let result = match program.ast().body() {
            Some(body) => self.eval(program, body),
            None => Ok(Value::Undef),
        };
        result.map_err(|stop| illegal_jump(*stop))
    }

    /// Runs something whose value is to be cached, and returns the value with the questions behind it.
    pub(crate) fn gather<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (T, Arc<Reads>) {
        let outer = Rc::clone(self.inputs.record());
        let inner = Rc::new(Record::on());
        self.inputs.set_record(Rc::clone(&inner));
        let value = work(self);
        self.inputs.set_record(outer);
        let ((), reads) = self.inputs.record().gather(|record| {
            if let Some(inner) = Rc::into_inner(inner) {
                inner.move_to(record);
            }
        });
        (value, reads)
    }

    /// What the programs said so far.
    pub fn log(&self) -> &[Entry] {
        &self.log
    }

    /// Takes what the programs said so far.
    pub fn take_log(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.log)
    }

    /// Says something.
    pub(crate) fn say(&mut self, level: Level, message: String, place: Option<&Place>) {
        let file =
            place.filter(|place| !place.file.is_empty()).map(|place| Arc::clone(&place.file));
        let line = place.map(|place| place.line);
        self.log.push(Entry { level, message, file, line });
    }

    /// Complains about something that works, as the setting `strict` says.
    pub(crate) fn complain(&mut self, issue: Issue, program: &Program, at: ExprId) -> Eval<()> {
        match self.strictness.strict {
            Strict::Off => Ok(()),
            Strict::Warning => {
                let place = program.place(at);
                self.say(Level::Warning, format!("{issue}{place}"), Some(&place));
                Ok(())
            }
            Strict::Error => issues::at(program, at, issue),
        }
    }
}

/// `break`, `next` and `return` where nothing waits for them.
pub(crate) fn illegal_jump(stop: Stop) -> Box<Fault> {
    let (name, mut place) = match stop {
        Stop::Fault(fault) => return fault,
        Stop::UnsetParameter(name) => {
            let issue = issues::missing_required_parameter(name);
            return Box::new(Fault::new(issue, Located::Nowhere(Logged::Inside)));
        }
        Stop::NotFound => {
            let issue = issues::uncaught_not_found();
            return Box::new(Fault::new(issue, Located::Nowhere(Logged::Inside)));
        }
        Stop::Break(place) => ("break", place),
        Stop::Next(_, place) => ("next", place),
        Stop::Return(_, place) => ("return", place),
    };
    place.column = 0;
    Box::new(Fault::new(issues::illegal_jump(name), Located::At(place, Logged::Inside)))
}
