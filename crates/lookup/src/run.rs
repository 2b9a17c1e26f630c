//! A search under way: who asks, for what, and the story so far.

mod dig;
mod variables;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use ecow::EcoString;
use kukla_pcore::{Hash, Value};

use crate::merge::Merge;
use crate::session::{Occurrence, Session};
use crate::trace::{Event, Origin, StepKind};
use crate::{Fault, Host, Miss, Search, Trace};

/// One search: what Puppet calls an invocation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Invocation {
    pub(crate) overrides: Option<Rc<Hash>>,
    pub(crate) defaults: Option<Rc<Hash>>,
    pub(crate) trace: Option<Rc<RefCell<Trace>>>,
    pub(crate) top_key: EcoString,
    pub(crate) module: Option<EcoString>,
    /// Only the global layer is asked.
    pub(crate) is_global_only: bool,
    /// The data of modules are not asked, but for their options.
    pub(crate) is_outer_only: bool,
    /// It stems from `hiera` or its kin.
    pub(crate) is_hiera_call: bool,
    /// Paths that come first in the hierarchies of version 3.
    pub(crate) extra_paths: Option<Rc<[EcoString]>>,
    /// Variables are seen as version 3 sees them.
    pub(crate) has_hiera_scope: bool,
    /// Variables that are only known here.
    pub(crate) locals: Option<Rc<[(EcoString, Value)]>>,
    /// Where values were found.
    pub(crate) origins: Rc<RefCell<Vec<Origin>>>,
    /// Whether something of the value is a secret; those that wait for it share the answer.
    pub(crate) is_secret: Rc<Cell<bool>>,
    /// All values that there are, if somebody wants to know of those that don't count, too.
    pub(crate) all: Option<Rc<RefCell<Vec<Occurrence>>>>,
    /// Paths are wanted for all nodes: variables are anything.
    pub(crate) is_survey: bool,
    /// The variables that were used, if somebody wants to know.
    pub(crate) uses: Option<Rc<RefCell<Vec<VariableUse>>>>,
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
    /// Whether it can't become another: no code can give another meaning to these names, whatever the scope.
    pub(crate) fn is_fixed(&self) -> bool {
        matches!(self.root.as_str(), "facts" | "trusted") && !self.value.is_undef()
    }
}

/// A search and those it asks.
pub(crate) struct Run<'h> {
    pub(crate) host: &'h mut dyn Host,
    pub(crate) session: Rc<Session>,
    pub(crate) invocation: Rc<Invocation>,
}

impl Run<'_> {
    /// A search that is about to begin.
    pub(crate) fn new<'h>(
        host: &'h mut dyn Host,
        session: &Rc<Session>,
        invocation: Invocation,
    ) -> Run<'h> {
        Run { host, session: Rc::clone(session), invocation: Rc::new(invocation) }
    }

    /// Does something as another invocation.
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

    /// A new invocation that goes on from this one.
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

    /// Does something that is a step of the story.
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

    /// Tells something, if somebody listens.
    pub(crate) fn tell(&self, tell: impl FnOnce(&mut Trace)) {
        if let Some(trace) = &self.invocation.trace {
            tell(&mut trace.borrow_mut());
        }
    }

    pub(crate) fn found(&self, key: &str, value: &Value) {
        let is_secret = self.invocation.is_secret.get();
        self.tell(|trace| {
            trace.found(Event::Found, key.to_owned(), value.clone());
            trace.secret(is_secret);
        });
    }

    /// Remembers where a value stands that was just found.
    pub(crate) fn stands_at(&self, origin: Origin, value: &Value) {
        self.tell(|trace| trace.origin(origin.clone()));
        if let Some(all) = &self.invocation.all {
            let is_secret = self.invocation.is_secret.get();
            let value = value.clone();
            all.borrow_mut().push(Occurrence { origin: origin.clone(), value, is_secret });
        }
        self.invocation.origins.borrow_mut().push(origin);
    }

    pub(crate) fn not_found(&self, key: &str) {
        self.tell(|trace| trace.not_found(key.to_owned()));
    }

    /// Fails if a name is being looked up already.
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

    /// Asks several places by a strategy.
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
                        self.pass_over(|run| places.for_each(|place| drop(ask(run, place))));
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
            run.tell(|trace| {
                trace.result(found.clone());
                trace.secret(is_secret);
            });
            Ok(found)
        })
    }

    /// Asks places that don't count any more, if somebody wants to know of all values.
    pub(crate) fn pass_over(&mut self, work: impl FnOnce(&mut Self)) {
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
            self.tell(|trace| trace.mutate(&changes));
        }
        merged
    }
}
