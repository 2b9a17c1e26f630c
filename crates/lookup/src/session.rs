//! The lookups of a compilation.

mod cache;
mod query;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use kukla_base::EditionChange;
use kukla_pcore::value::shared;
use rustc_hash::FxHashSet;

use kukla_world::{Atom, Record, Recording};

use crate::data::{Content, DataHash, Format};
use crate::run::{Invocation, Run};
use crate::{Context, Fault, Host, Layers, Miss, Search, Trace};
use cache::SessionCache;
pub use query::{DataRead, DataUse, FoundValue, Occurrence, Query, UseKind, not_found};

/// The most names that may be looked up within each other.
const MAX_NAMES: usize = 500;

/// The most names that a compilation may look up for the interpolation of others.
const MAX_INNER: u64 = 1_000_000;

/// The lookups of a compilation: cached results, and lookups in progress.
///
/// A data function may itself look something up: a session can be re-entered.
#[derive(Debug)]
pub struct Session {
    pub(crate) layers: Arc<Layers>,
    record: Rc<Record>,
    pub(crate) cache: RefCell<SessionCache>,
    names: RefCell<Vec<EcoString>>,
    /// The number of names that were looked up within the lookups of others.
    n_inner: Cell<u64>,
    current: RefCell<Option<Rc<Invocation>>>,
    warned: RefCell<FxHashSet<String>>,
    uses: RefCell<Vec<DataUse>>,
    /// All found values, if they are recorded.
    reads: RefCell<Option<Vec<DataRead>>>,
}

impl Session {
    /// Creates a session.
    pub fn new(layers: Arc<Layers>) -> Rc<Self> {
        Self::recorded(layers, Rc::new(Record::off()))
    }

    /// Creates a session that records what its lookups read.
    pub fn recorded(layers: Arc<Layers>, record: Rc<Record>) -> Rc<Self> {
        Rc::new(Self {
            layers,
            record,
            cache: RefCell::default(),
            names: RefCell::default(),
            n_inner: Cell::default(),
            current: RefCell::default(),
            warned: RefCell::default(),
            uses: RefCell::default(),
            reads: RefCell::default(),
        })
    }

    /// Returns the world that files come from; it records reads.
    pub(crate) fn files(&self) -> Recording<'_> {
        Recording::new(self.layers.world(), &self.record)
    }

    /// Records that a key was looked for in the data of a file.
    pub(crate) fn note_key(&self, path: &str, format: Format, data: &Arc<DataHash>, key: &str) {
        if self.record.has_site() {
            let (path, key, data) =
                (Arc::<str>::from(path), Arc::<str>::from(key), Arc::clone(data));
            self.record.note_site(move || {
                let answer = data.answer(&key);
                Atom::of_part(format.kind(), path, key, answer)
            });
        }
    }

    /// Records the form of a data file.
    pub(crate) fn note_form(&self, path: &str, format: Format, content: &Content) {
        self.record.note_site_now(|| Atom::new(format.kind(), path, content.form()));
    }

    /// Whether reads of files are recorded.
    pub(crate) fn is_recorded(&self) -> bool {
        self.record.has_site()
    }

    /// Returns the data that is searched.
    pub const fn layers(&self) -> &Arc<Layers> {
        &self.layers
    }

    /// Looks something up; `None` if there is no value. Records every step in `trace`, if given.
    pub fn lookup(
        self: &Rc<Self>,
        host: &mut dyn Host,
        query: &Query<'_>,
        trace: Option<&Rc<RefCell<Trace>>>,
    ) -> Result<Option<FoundValue>, Fault> {
        self.start(host, query, trace, |run| run.query(query))
    }

    /// Returns the value of a class's parameter `class::name`, if the data has one.
    pub fn parameter(
        self: &Rc<Self>,
        host: &mut dyn Host,
        name: &str,
    ) -> Result<Option<FoundValue>, Fault> {
        if let Some(found) = self.fast_lookup(name) {
            self.note_read(|| name.into(), found.as_ref());
            return Ok(found);
        }
        let names = [shared(name)];
        let query = Query::new(&names);
        let found = self.start(host, &query, None, |run| run.searched(&names[0], None).map(Some));
        self.learn_fast_path(host, name);
        found
    }

    /// Returns all values of a key in order of precedence, including shadowed ones.
    pub fn occurrences(self: &Rc<Self>, host: &mut dyn Host, name: &str) -> Vec<Occurrence> {
        let names = [EcoString::from(name)];
        let all = Rc::new(RefCell::new(Vec::new()));
        // An error was reported when the value was looked up.
        let _ = self.start(host, &Query::new(&names), None, |run| {
            let all = Some(Rc::clone(&all));
            let invocation = Invocation { all, ..(*run.invocation).clone() };
            run.as_invocation(invocation, |run| run.searched(&names[0], None).map(Some))
        });
        all.take()
    }

    /// Returns a context that code makes: with an empty cache, in the current lookup if there is one.
    pub fn context(self: &Rc<Self>, host: &mut dyn Host, module: Option<EcoString>) -> Context {
        let invocation = self.current.borrow().clone().unwrap_or_default();
        // The rules have to be known before it reads files.
        let _rules = Run::new(host, self, Invocation::default()).access();
        Context { session: Rc::clone(self), invocation, module, source: Rc::default() }
    }

    /// Whether a class may have parameters in PDL.
    pub fn has_pdl(self: &Rc<Self>, host: &mut dyn Host, class: &str) -> Result<bool, Fault> {
        Run::new(host, self, Invocation::default()).has_pdl(class)
    }

    /// Returns the uses of secrets and restricted data so far.
    pub fn uses(&self) -> Vec<DataUse> {
        self.uses.borrow().clone()
    }

    /// Starts or stops recording all found values.
    pub fn record_reads(&self, is_wanted: bool) {
        *self.reads.borrow_mut() = is_wanted.then(Vec::new);
    }

    /// Returns the values found since recording started.
    pub fn reads(&self) -> Vec<DataRead> {
        self.reads.borrow().clone().unwrap_or_default()
    }

    fn note_read(&self, key: impl FnOnce() -> EcoString, found: Option<&FoundValue>) {
        if let (Some(reads), Some(found)) = (&mut *self.reads.borrow_mut(), found)
            && !found.origins.is_empty()
        {
            reads.push(DataRead { key: key(), origins: found.origins.clone() });
        }
    }

    /// Records a use; returns whether it is the first of its kind.
    pub(crate) fn note(&self, used: DataUse) -> bool {
        let mut uses = self.uses.borrow_mut();
        let is_new = !uses.contains(&used);
        if is_new {
            uses.push(used);
        }
        is_new
    }

    fn start(
        self: &Rc<Self>,
        host: &mut dyn Host,
        query: &Query<'_>,
        trace: Option<&Rc<RefCell<Trace>>>,
        work: impl FnOnce(&mut Run<'_>) -> Search<Option<FoundValue>>,
    ) -> Result<Option<FoundValue>, Fault> {
        // A nested lookup continues the outer one.
        let parent = self.current.borrow().clone();
        let mut invocation = match parent {
            Some(parent) => {
                Invocation { origins: Rc::default(), all: None, uses: None, ..(*parent).clone() }
            }
            None => Invocation { trace: trace.cloned(), ..Invocation::default() },
        };
        invocation.overrides = query.overrides.clone();
        invocation.defaults = query.default_values.clone();
        invocation.is_outer_only = false;
        invocation.has_hiera_scope = false;
        invocation.locals = None;
        // Most lookups are for one name, and need no further step in the trace.
        if let ([name], None) = (query.names, &query.hiera) {
            invocation.top_key = name.clone();
            invocation.module = crate::key::module(name);
        }
        if let Some(extra_paths) = &query.hiera {
            let run = &mut Run::new(host, self, invocation.clone());
            invocation.is_global_only |= !has_environment_data(run)?;
            invocation.is_hiera_call = true;
            invocation.extra_paths = Some(Rc::clone(extra_paths));
        }
        let mut run = Run::new(host, self, invocation);
        let previous = self.enter(Rc::clone(&run.invocation));
        let found = work(&mut run);
        self.leave(previous);
        match found {
            Ok(found) => {
                self.note_read(|| query.names.join(", ").into(), found.as_ref());
                Ok(found)
            }
            Err(Miss::NotFound) => Ok(None),
            Err(Miss::Fault(fault)) => Err(*fault),
        }
    }

    /// Whether a lookup is in progress.
    pub(crate) fn is_under_way(&self) -> bool {
        self.current.borrow().is_some()
    }

    pub(crate) fn enter(&self, invocation: Rc<Invocation>) -> Option<Rc<Invocation>> {
        self.current.replace(Some(invocation))
    }

    pub(crate) fn leave(&self, previous: Option<Rc<Invocation>>) {
        self.current.replace(previous);
    }

    pub(crate) fn begin_name(&self, name: &EcoString) -> Result<(), Fault> {
        let mut names = self.names.borrow_mut();
        if names.contains(name) {
            let stack = names.join(", ");
            return Err(Fault::lookup(format!("Recursive lookup detected in [{stack}]")));
        }
        if names.len() >= MAX_NAMES {
            let message = format!("more than {MAX_NAMES} lookups within lookups");
            return Err(Fault::lookup(message));
        }
        if !names.is_empty() {
            self.n_inner.set(self.n_inner.get() + 1);
            if self.n_inner.get() > MAX_INNER {
                let message = format!("the data interpolate more than {MAX_INNER} values");
                return Err(Fault::lookup(message));
            }
        }
        names.push(name.clone());
        Ok(())
    }

    /// Whether a name is being looked up.
    pub(crate) fn has_names(&self) -> bool {
        !self.names.borrow().is_empty()
    }

    pub(crate) fn end_name(&self) {
        self.names.borrow_mut().pop();
    }

    /// Removes and returns the names that are being looked up.
    pub(crate) fn take_names(&self) -> Vec<EcoString> {
        self.names.take()
    }

    pub(crate) fn put_names(&self, names: Vec<EcoString>) {
        self.names.replace(names);
    }

    /// Whether the edition has a change.
    pub(crate) fn has(&self, change: EditionChange) -> bool {
        self.layers.places.edition.has(change)
    }

    pub(crate) fn is_first_warning(&self, key: &str) -> bool {
        self.warned.borrow_mut().insert(key.to_owned())
    }
}

fn has_environment_data(run: &mut Run<'_>) -> Result<bool, Fault> {
    match run.has_environment_data() {
        Ok(answer) => Ok(answer),
        Err(Miss::NotFound) => Ok(false),
        Err(Miss::Fault(fault)) => Err(*fault),
    }
}
