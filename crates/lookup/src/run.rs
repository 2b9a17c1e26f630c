//! A search in progress: its context, and the trace so far.

mod dig;
mod variables;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use ecow::EcoString;
use kukla_base::EditionChange;
use kukla_pcore::{Hash, Value};

use crate::merge::Merge;
use crate::session::{Occurrence, Session};
use crate::trace::{Event, Origin, StepKind};
use crate::{Fault, Host, Miss, Search, Trace};

/// Context of one search; Puppet calls it an invocation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Invocation {
    pub(crate) overrides: Option<Rc<Hash>>,
    pub(crate) defaults: Option<Rc<Hash>>,
    pub(crate) trace: Option<Rc<RefCell<Trace>>>,
    pub(crate) top_key: EcoString,
    pub(crate) module: Option<EcoString>,
    /// Whether only the global layer is searched.
    pub(crate) is_global_only: bool,
    /// Whether the data of modules is skipped, except for their options.
    pub(crate) is_outer_only: bool,
    /// Whether it comes from `hiera`, `hiera_array`, `hiera_hash` or `hiera_include`.
    pub(crate) is_hiera_call: bool,
    /// Paths that come first in the hierarchies of version 3.
    pub(crate) extra_paths: Option<Rc<[EcoString]>>,
    /// Whether variables are seen as in version 3.
    pub(crate) has_hiera_scope: bool,
    /// Local variables.
    pub(crate) locals: Option<Rc<[(EcoString, Value)]>>,
    /// Origins of the values.
    pub(crate) origins: Rc<RefCell<Vec<Origin>>>,
    /// Whether a part of the value is secret; shared with the searches that wait for it.
    pub(crate) is_secret: Rc<Cell<bool>>,
    /// All values of the key, including shadowed ones, if they are collected.
    pub(crate) all: Option<Rc<RefCell<Vec<Occurrence>>>>,
    /// Whether paths are wanted for all nodes: variables match anything.
    pub(crate) is_survey: bool,
    /// Variables that were used, if they are collected.
    pub(crate) uses: Option<Rc<RefCell<Vec<VariableUse>>>>,
    /// The treatment of unknown variables.
    pub(crate) unknown: UnknownVariables,
}

/// The treatment of unknown variables where `strict` is `error`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum UnknownVariables {
    /// An error.
    #[default]
    Refused,
    /// A warning, and no value.
    Warned,
    /// No value.
    Undefined,
}

/// A variable that a configuration depends on.
#[derive(Clone, Debug)]
pub(crate) struct VariableUse {
    pub(crate) key: EcoString,
    pub(crate) root: EcoString,
    pub(crate) segments: Vec<Value>,
    pub(crate) value: Value,
}

impl VariableUse {
    /// Whether it can't change: no code can redefine these names in any scope.
    pub(crate) fn is_fixed(&self) -> bool {
        matches!(self.root.as_str(), "facts" | "trusted") && !self.value.is_undef()
    }
}

/// A search with its host and session.
pub(crate) struct Run<'h> {
    pub(crate) host: &'h mut dyn Host,
    pub(crate) session: Rc<Session>,
    pub(crate) invocation: Rc<Invocation>,
}

impl Run<'_> {
    /// Creates a search.
    pub(crate) fn new<'h>(
        host: &'h mut dyn Host,
        session: &Rc<Session>,
        invocation: Invocation,
    ) -> Run<'h> {
        Run { host, session: Rc::clone(session), invocation: Rc::new(invocation) }
    }

    /// Runs `work` in another invocation.
    pub(crate) fn as_invocation<T>(
        &mut self,
        invocation: Invocation,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let saved = std::mem::replace(&mut self.invocation, Rc::new(invocation));
        let current = self.session.enter(Rc::clone(&self.invocation));
        let result = work(self);
        self.session.leave(current);
        self.invocation = saved;
        result
    }

    /// Runs `work` with another treatment of unknown variables.
    pub(crate) fn allowing<T>(
        &mut self,
        unknown: UnknownVariables,
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let invocation = Invocation { unknown, ..(*self.invocation).clone() };
        let saved = std::mem::replace(&mut self.invocation, Rc::new(invocation));
        let result = work(self);
        self.invocation = saved;
        result
    }

    /// Runs `work` on paths of a configuration, in which some editions allow unknown variables.
    pub(crate) fn in_paths<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        match self.session.has(EditionChange::LenientHieraPaths) {
            true => self.allowing(UnknownVariables::Warned, work),
            false => work(self),
        }
    }

    /// Returns an invocation derived from this one.
    pub(crate) fn child(&self) -> Invocation {
        Invocation {
            overrides: None,
            defaults: None,
            is_outer_only: false,
            origins: Rc::default(),
            all: None,
            uses: None,
            ..(*self.invocation).clone()
        }
    }

    pub(crate) fn with_hiera_scope<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let invocation = Invocation { has_hiera_scope: true, ..(*self.invocation).clone() };
        self.as_invocation(invocation, work)
    }

    /// Runs `work` as a step of the trace.
    pub(crate) fn with<T>(
        &mut self,
        kind: impl FnOnce() -> StepKind,
        work: impl FnOnce(&mut Self) -> Search<T>,
    ) -> Search<T> {
        let Some(trace) = self.invocation.trace.clone() else { return work(self) };
        trace.borrow_mut().push(kind());
        let result = work(self);
        trace.borrow_mut().pop();
        result
    }

    /// Adds to the trace, if there is one.
    pub(crate) fn update_trace(&self, update: impl FnOnce(&mut Trace)) {
        if let Some(trace) = &self.invocation.trace {
            update(&mut trace.borrow_mut());
        }
    }

    pub(crate) fn found(&self, key: &str, value: &Value) {
        let is_secret = self.invocation.is_secret.get();
        self.update_trace(|trace| {
            trace.found(Event::Found, key.to_owned(), value.clone());
            trace.secret(is_secret);
        });
    }

    /// Records the origin of a value that was just found.
    pub(crate) fn record_origin(&self, origin: Origin, value: &Value) {
        self.update_trace(|trace| trace.origin(origin.clone()));
        if let Some(all) = &self.invocation.all {
            let is_secret = self.invocation.is_secret.get();
            let value = value.clone();
            all.borrow_mut().push(Occurrence { origin: origin.clone(), value, is_secret });
        }
        self.invocation.origins.borrow_mut().push(origin);
    }

    pub(crate) fn not_found(&self, key: &str) {
        self.update_trace(|trace| trace.not_found(key.to_owned()));
    }

    /// Runs `work` for a name; fails if the name is already being looked up.
    pub(crate) fn check<T>(
        &mut self,
        name: &EcoString,
        work: impl FnOnce(&mut Self) -> Search<T>,
    ) -> Search<T> {
        self.session.begin_name(name)?;
        let result = stacker::maybe_grow(128 << 10, 2 << 20, || work(self));
        self.session.end_name();
        result.map_err(|miss| match miss {
            Miss::Fault(fault) if fault.kind == crate::FaultKind::Puppet => {
                Fault { place: fault.place.clone(), ..Fault::lookup(fault.to_string()) }.into()
            }
            other => other,
        })
    }

    /// Queries several places and merges their values.
    pub(crate) fn merged<P>(
        &mut self,
        merge: &Merge,
        places: &[P],
        mut ask: impl FnMut(&mut Self, &P) -> Search<Value>,
    ) -> Search<Value> {
        if merge.is_first_found() {
            let mut places = places.iter();
            for place in places.by_ref() {
                match ask(self, place) {
                    Err(Miss::NotFound) => (),
                    found_or_fault => {
                        self.visit_shadowed(|run| places.for_each(|place| drop(ask(run, place))));
                        return found_or_fault;
                    }
                }
            }
            return Err(Miss::NotFound);
        }
        if let [only] = places {
            return Ok(merge.single(ask(self, only)?));
        }
        if places.is_empty() {
            return Err(Miss::NotFound);
        }
        let kind = || StepKind::Merge { strategy: merge.name(), options: merge.options().cloned() };
        self.with(kind, |run| {
            let mut found: Option<Value> = None;
            for place in places {
                let value = match ask(run, place) {
                    Err(Miss::NotFound) => continue,
                    other => other?,
                };
                found = Some(match found.take() {
                    None => merge.first(value),
                    Some(found) => run.merge_two(merge, found, value)?,
                });
            }
            let found = found.ok_or(Miss::NotFound)?;
            let is_secret = run.invocation.is_secret.get();
            run.update_trace(|trace| {
                trace.result(found.clone());
                trace.secret(is_secret);
            });
            Ok(found)
        })
    }

    /// Visits places that are shadowed, if all values are collected.
    pub(crate) fn visit_shadowed(&mut self, work: impl FnOnce(&mut Self)) {
        if self.invocation.all.is_some() {
            let invocation = Invocation {
                trace: None,
                origins: Rc::default(),
                is_secret: Rc::default(),
                ..(*self.invocation).clone()
            };
            self.as_invocation(invocation, work);
        }
    }

    fn merge_two(&self, merge: &Merge, found: Value, lower: Value) -> Result<Value, Fault> {
        let mut changes = Vec::new();
        let merged = merge.merge(found, lower, &mut changes);
        if !changes.is_empty() {
            self.update_trace(|trace| trace.mutate(&changes));
        }
        merged
    }
}
