//! A search under way: who asks, for what, and the story so far.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use ecow::EcoString;
use kukla_pcore::{Hash, Value};
use kukla_syntax::Strict;

use crate::merge::Merge;
use crate::session::{Occurrence, Session};
use crate::trace::{Event, Origin, StepKind};
use crate::{Fault, Host, Key, Level, Miss, Search, Trace, Variable};

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
    pub(crate) extra_paths: Rc<[EcoString]>,
    /// Variables are seen as version 3 sees them.
    pub(crate) has_hiera_scope: bool,
    /// Variables that are only known here.
    pub(crate) locals: Rc<[(EcoString, Value)]>,
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

/// A search and those it asks.
pub(crate) struct Run<'h> {
    pub(crate) host: &'h mut dyn Host,
    pub(crate) session: Rc<Session>,
    pub(crate) invocation: Rc<Invocation>,
}

impl Run<'_> {
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
        name: &str,
        work: impl FnOnce(&mut Self) -> Search<T>,
    ) -> Search<T> {
        self.session.begin_name(name)?;
        let result = stacker::maybe_grow(128 << 10, 2 << 20, || work(self));
        self.session.end_name();
        result.map_err(|miss| match miss {
            Miss::Fault(fault) if fault.kind == crate::FaultKind::Puppet => {
                Fault::lookup(fault.to_string()).into()
            }
            other => other,
        })
    }

    /// The value of a variable; `None` if there is none and that is allowed.
    pub(crate) fn variable(&mut self, name: &str) -> Result<Option<Value>, Fault> {
        let local = self.invocation.locals.iter().rev().find(|(known, _)| known == name);
        if let Some((_, value)) = local {
            return Ok(Some(value.clone()));
        }
        if self.invocation.has_hiera_scope {
            return self.hiera_variable(name);
        }
        self.plain_variable(name)
    }

    /// As version 3 sees it: some names are special, and an empty text is nothing.
    fn hiera_variable(&mut self, name: &str) -> Result<Option<Value>, Fault> {
        let class = |class: Option<String>| Some(class.map_or(Value::Undef, Value::from));
        let value = match name {
            "calling_class" => class(self.host.calling_class()),
            "calling_class_path" => {
                class(self.host.calling_class().map(|name| name.replace("::", "/")))
            }
            "calling_module" => Some(self.plain_variable("module_name")?.unwrap_or_default()),
            name => self.plain_variable(name)?,
        };
        Ok(value.map(|value| if value.as_str() == Some("") { Value::Undef } else { value }))
    }

    fn plain_variable(&mut self, name: &str) -> Result<Option<Value>, Fault> {
        let reason = match self.host.variable(name) {
            Variable::Value(value) => return Ok(Some(value)),
            Variable::Unknown(reason) => reason,
        };
        let is_numeric = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        if is_numeric || matches!(name, "module_name" | "caller_module_name") {
            return Ok(None);
        }
        let shown = match (name.strip_prefix("::"), &reason) {
            (Some(rest), Some(_)) => rest.to_owned(),
            (None, None) if name.contains("::") => format!("::{name}"),
            _ => name.to_owned(),
        };
        let reason = reason.unwrap_or_default();
        let message = format!("Undefined variable '{shown}'; {reason}");
        match self.session.layers.places.strict {
            Strict::Off => Ok(None),
            Strict::Warning => {
                let message = format!("{message}\n   (file & line not available)");
                self.warn_once(&format!("Variable: {shown}"), &message);
                Ok(None)
            }
            Strict::Error => Err(Fault::other(message)),
        }
    }

    /// Logs a warning that is given once in a compilation, unless nothing is strict.
    pub(crate) fn warn_once(&mut self, key: &str, message: &str) {
        if self.session.layers.places.strict != Strict::Off && self.session.is_first_warning(key) {
            self.host.log(Level::Warning, message);
        }
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

    /// The way into a value.
    pub(crate) fn dig(&mut self, key: &Key, value: Value) -> Search<Value> {
        match key.segments() {
            [] => Ok(value),
            segments => self.sub_lookup(key.text(), segments, value),
        }
    }

    pub(crate) fn sub_lookup(
        &mut self,
        key: &str,
        segments: &[Value],
        value: Value,
    ) -> Search<Value> {
        self.with(
            || StepKind::SubKey(segments.to_vec()),
            |run| {
                let mut value = value;
                for segment in segments {
                    value =
                        run.with(|| StepKind::Segment, |run| run.step_into(key, segment, &value))?;
                }
                Ok(value)
            },
        )
    }

    fn step_into(&mut self, key: &str, segment: &Value, value: &Value) -> Search<Value> {
        let shown = kukla_pcore::ruby::to_s(segment);
        let found = match (value, segment) {
            (Value::Undef, _) => None,
            (Value::Array(items), Value::Integer(index)) => {
                usize::try_from(*index).ok().and_then(|index| items.get(index)).cloned()
            }
            (Value::Hash(hash), segment) => hash.get(segment).cloned(),
            (Value::Integer(_), _) => {
                let message = kukla_pcore::ruby::no_method("include?", value);
                return Err(Fault::other(message).into());
            }
            (other, _) => {
                let class = kukla_pcore::ruby::class_name(other);
                return Err(Fault::lookup(format!(
                    "Data Provider type mismatch: Got {class} when a hash-like object was expected to access value using '{shown}' from key '{key}'"
                ))
                .into());
            }
        };
        match found {
            Some(value) => {
                self.found(&shown, &value);
                Ok(value)
            }
            None => {
                self.not_found(&shown);
                Err(Miss::NotFound)
            }
        }
    }
}
