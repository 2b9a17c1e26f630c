//! The state of the interpreter.

use std::rc::Rc;
use std::sync::Arc;

use kukla_base::Symbol;
use kukla_base::cancel;
use kukla_pcore::{ByteTexts, Hash, Value};
use kukla_syntax::Strict;
use kukla_syntax::ast::ExprId;
use kukla_world::{Reads, Record};

use super::annotations::Annotations;
use super::caches::Caches;
use super::definitions::{DefinedFunctions, Types};
use super::profile::Profile;
use super::scope::{Assigned, ScopeId, Scopes};
use super::templates::Rendered;
use super::{CatalogHost, Limits, Strictness};
use crate::inputs::Inputs;
use crate::issues::{self, Issue};
use crate::log::{Entry, Level};
use crate::{Eval, Fault, Library, Located, Logged, Place, Program, Stop};

/// Runs programs, and owns everything that changes while they run.
///
/// `C` builds the catalog; the interpreter sees no more of it than [`CatalogHost`] says.
#[derive(Debug)]
pub(crate) struct Interpreter<C> {
    /// The way to everything outside.
    pub(crate) inputs: Inputs,
    pub(crate) strictness: Strictness,
    pub(crate) limits: Limits,
    pub(crate) scopes: Scopes,
    /// Functions that the programs themselves define.
    pub(crate) functions: DefinedFunctions,
    /// Types that the programs themselves define.
    pub(crate) types: Types,
    /// The texts of the templates that are being rendered, the innermost last.
    pub(crate) templates: Vec<Rendered>,
    /// The strings that are being built, one behind the other.
    pub(crate) buffer: String,
    pub(crate) caches: Caches,
    pub(crate) log: Vec<Entry>,
    /// Whether debug messages are kept.
    pub(crate) has_debug: bool,
    pub(crate) depth: u32,
    pub(crate) steps: u64,
    /// The number of steps at which limits and cancellation are looked at.
    pub(crate) pause_at: u64,
    /// How deep the expression lies that is being evaluated.
    pub(crate) nesting: u32,
    pub(crate) names: Names,
    /// The builder of the catalog.
    pub(crate) catalog: Box<C>,
    /// Times of the parts of a compilation, if they are measured.
    pub(crate) profile: Option<Box<Profile>>,
    pub(crate) annotations: Annotations,
    /// Texts that Ruby has as bytes without an encoding.
    pub(crate) byte_texts: ByteTexts,
}

/// Names that are needed often.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) new: Symbol,
}

impl<C: CatalogHost> Interpreter<C> {
    /// Returns an interpreter with an empty top scope.
    pub(crate) fn new(
        library: Arc<dyn Library>,
        strictness: Strictness,
        limits: Limits,
        catalog: C,
    ) -> Self {
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
            has_debug: true,
            depth: 0,
            steps: 0,
            pause_at: 0,
            nesting: 0,
            names: Names { new: Symbol::new("new") },
            catalog: Box::new(catalog),
            profile: None,
            annotations: Annotations::default(),
            byte_texts: ByteTexts::default(),
        }
    }

    /// Sets a variable at top scope; the first value counts.
    pub(crate) fn set_top_variable(&mut self, name: &str, value: Value) -> bool {
        self.scopes.set_named(ScopeId::TOP, Symbol::new(name), value) == Assigned::Done
    }

    /// Makes facts known: each as a variable at top scope, and all of them as `$facts`.
    pub(crate) fn set_facts(&mut self, facts: &Hash) {
        for (name, value) in facts.iter() {
            if let Value::String(name) = name {
                let name = self.scopes.strangers.symbol(name);
                self.scopes.set_named(ScopeId::TOP, name, value.clone());
            }
        }
        self.set_top_variable("facts", Value::hash(facts.clone()));
    }

    /// Says which environment it is.
    pub(crate) fn set_environment(&mut self, name: &str) {
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
    pub(crate) fn run(&mut self, program: &Arc<Program>) -> Result<Value, Box<Fault>> {
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

    /// Takes what the programs said so far.
    pub(crate) fn take_log(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.log)
    }

    /// Says something.
    pub(crate) fn say(&mut self, level: Level, message: String, place: Option<&Place>) {
        let file =
            place.filter(|place| !place.file.is_empty()).map(|place| Arc::clone(&place.file));
        let line = place.map(|place| place.line);
        self.keep(Entry { file, line, ..Entry::new(level, message) });
    }

    /// Adds an entry to the log, unless there is no room for it: a message may be only a part of what was too large.
    pub(crate) fn keep(&mut self, entry: Entry) {
        let is_heard = self.has_debug || entry.level != Level::Debug;
        if is_heard && cancel::room(entry.message.len() + size_of::<Entry>()) {
            self.log.push(entry);
        }
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
    place = jump_place(place);
    Box::new(Fault::new(issues::illegal_jump(name), Located::At(place, Logged::Inside)))
}

/// The place of a jump as messages have it: code without a file is `unknown` there.
pub(crate) fn jump_place(place: Place) -> Place {
    let file = if place.file.is_empty() { "unknown".into() } else { place.file };
    Place { file, column: 0, ..place }
}
