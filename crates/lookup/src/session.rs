//! The lookups of a compilation.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use kukla_pcore::types::mismatch;
use kukla_pcore::{Hash, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::access::Access;
use crate::options::KeyOptions;
use crate::pdl::{ClassFiles, File};
use crate::provider::Provider;
use crate::run::{Invocation, Run};
use crate::trace::Origin;
use crate::{Fault, Host, Layers, Miss, Search, Trace};

/// The lookups of a compilation: what was found out so far, and what is being looked up.
///
/// A function that gives data may look something up itself: a session can be entered again.
#[derive(Debug)]
pub struct Session {
    pub(crate) layers: Arc<Layers>,
    pub(crate) known: RefCell<Known>,
    names: RefCell<Vec<EcoString>>,
    current: RefCell<Option<Rc<Invocation>>>,
    warned: RefCell<FxHashSet<String>>,
    uses: RefCell<Vec<Use>>,
    /// Everything that was found, if somebody wants to know.
    reads: RefCell<Option<Vec<Read>>>,
}

/// What is found out once.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Classes that no data can say anything of, and others.
    pub(crate) silent: FxHashMap<EcoString, bool>,
    pub(crate) is_global_silent: Option<bool>,
    pub(crate) global: Option<Rc<Provider>>,
    pub(crate) environment: Option<Option<Rc<Provider>>>,
    pub(crate) modules: FxHashMap<EcoString, Option<Rc<Provider>>>,
    pub(crate) options: FxHashMap<Option<EcoString>, Option<Rc<KeyOptions>>>,
    pub(crate) global_options: Option<Option<Arc<Hash>>>,
    pub(crate) environment_options: Option<Option<Arc<Hash>>>,
    /// The PDL of classes.
    pub(crate) pdl: FxHashMap<EcoString, Rc<ClassFiles>>,
    /// The PDL of the site.
    pub(crate) library: Option<Option<Rc<File>>>,
    /// What functions made of files.
    pub(crate) made: FxHashMap<EcoString, (crate::Stamp, Value)>,
    pub(crate) access: Option<Option<Rc<Access>>>,
    pub(crate) default_options: FxHashMap<EcoString, Option<Rc<KeyOptions>>>,
}

/// What is looked up, and how.
#[derive(Clone, Debug)]
pub struct Query<'a> {
    /// The names, of which the first that is found counts.
    pub names: &'a [EcoString],
    /// The type that the value must have.
    pub type_: Option<&'a Type>,
    /// How values are merged; without it `lookup_options` of the data say.
    pub merge: Option<&'a Value>,
    /// What is the value if there is none.
    pub default: Option<Value>,
    /// Values that are taken before anything else.
    pub overrides: Option<Rc<Hash>>,
    /// Values that are taken before the default.
    pub default_values: Option<Rc<Hash>>,
    /// Set for `hiera` and its kin: paths that come first in hierarchies of version 3.
    pub hiera: Option<Rc<[EcoString]>>,
}

impl<'a> Query<'a> {
    /// The first of some names.
    pub const fn new(names: &'a [EcoString]) -> Self {
        Self {
            names,
            type_: None,
            merge: None,
            default: None,
            overrides: None,
            default_values: None,
            hiera: None,
        }
    }

    /// A message about a secret does not show it.
    fn check_found(&self, found: &Found) -> Result<(), Fault> {
        match (self.check("Found value", &found.value), self.type_) {
            (Err(fault), Some(type_)) if found.is_secret => Err(Fault {
                message: format!("Found value has wrong type, expects {}", type_.text()),
                ..fault
            }),
            (checked, _) => checked,
        }
    }

    fn check(&self, subject: &str, value: &Value) -> Result<(), Fault> {
        match self.type_ {
            Some(type_) => mismatch::assert_instance(subject, type_, value).map_err(Fault::puppet),
            None => Ok(()),
        }
    }
}

/// A value, and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// The value.
    pub value: Value,
    /// The places it comes from, the one of highest priority first; none for a default.
    pub origins: Vec<Origin>,
    /// Whether it is a secret, or has one in it: something that was encrypted, or that is to be `Sensitive`.
    pub is_secret: bool,
}

impl Found {
    /// A value that stands in no file.
    const fn given(value: Value) -> Self {
        Self { value, origins: Vec::new(), is_secret: false }
    }
}

/// A value of a key, whether or not it counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// Where it stands.
    pub origin: Origin,
    /// The value.
    pub value: Value,
    /// Whether it is a secret.
    pub is_secret: bool,
}

/// A use of data that somebody may want to know of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Use {
    /// What was looked up.
    pub key: EcoString,
    /// Why it is worth noting.
    pub kind: UseKind,
    /// Where the values stand; if it was denied, the rule that says so.
    pub origins: Vec<Origin>,
}

/// A lookup that found something.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Read {
    /// What was looked up.
    pub key: EcoString,
    /// Where the values stand.
    pub origins: Vec<Origin>,
}

/// Why a use of data is worth noting.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum UseKind {
    /// A secret was used.
    Secret,
    /// Something was used that is for some nodes only.
    Restricted,
    /// Something was asked for that is for other nodes.
    Denied,
}

impl Session {
    /// The lookups of a compilation.
    pub fn new(layers: Arc<Layers>) -> Rc<Self> {
        Rc::new(Self {
            layers,
            known: RefCell::default(),
            names: RefCell::default(),
            current: RefCell::default(),
            warned: RefCell::default(),
            uses: RefCell::default(),
            reads: RefCell::default(),
        })
    }

    /// The data that is searched.
    pub const fn layers(&self) -> &Arc<Layers> {
        &self.layers
    }

    /// Looks something up; `None` if there is no value. With a trace every step is told to it.
    pub fn lookup(
        self: &Rc<Self>,
        host: &mut dyn Host,
        query: &Query<'_>,
        trace: Option<&Rc<RefCell<Trace>>>,
    ) -> Result<Option<Found>, Fault> {
        self.start(host, query, trace, |run| run.query(query))
    }

    /// The value of a class's parameter, if the data have one: `class::name`.
    pub fn parameter(
        self: &Rc<Self>,
        host: &mut dyn Host,
        name: &str,
    ) -> Result<Option<Found>, Fault> {
        let names = [EcoString::from(name)];
        self.start(host, &Query::new(&names), None, |run| run.searched(&names[0], None).map(Some))
    }

    /// All values of a key in the order in which they count, also those that are passed over.
    pub fn occurrences(self: &Rc<Self>, host: &mut dyn Host, name: &str) -> Vec<Occurrence> {
        let names = [EcoString::from(name)];
        let all = Rc::new(RefCell::new(Vec::new()));
        // What goes wrong was told when the value was looked up.
        let _ = self.start(host, &Query::new(&names), None, |run| {
            let all = Some(Rc::clone(&all));
            let invocation = Invocation { all, ..(*run.invocation).clone() };
            run.as_invocation(invocation, |run| run.searched(&names[0], None).map(Some))
        });
        all.take()
    }

    /// Whether PDL may have a say in the parameters of a class.
    pub fn has_pdl(self: &Rc<Self>, host: &mut dyn Host, class: &str) -> Result<bool, Fault> {
        let invocation = Rc::default();
        Run { host, session: Rc::clone(self), invocation }.has_pdl(class)
    }

    /// The uses of secrets and restricted data so far.
    pub fn uses(&self) -> Vec<Use> {
        self.uses.borrow().clone()
    }

    /// Whether everything that is found is remembered from now on.
    pub fn record_reads(&self, is_wanted: bool) {
        *self.reads.borrow_mut() = is_wanted.then(Vec::new);
    }

    /// What was found since somebody wanted to know.
    pub fn reads(&self) -> Vec<Read> {
        self.reads.borrow().clone().unwrap_or_default()
    }

    fn note_read(&self, query: &Query<'_>, found: Option<&Found>) {
        if let (Some(reads), Some(found)) = (&mut *self.reads.borrow_mut(), found)
            && !found.origins.is_empty()
        {
            let key = query.names.join(", ").into();
            reads.push(Read { key, origins: found.origins.clone() });
        }
    }

    pub(crate) fn note(&self, used: Use) {
        let mut uses = self.uses.borrow_mut();
        if !uses.contains(&used) {
            uses.push(used);
        }
    }

    fn start(
        self: &Rc<Self>,
        host: &mut dyn Host,
        query: &Query<'_>,
        trace: Option<&Rc<RefCell<Trace>>>,
        work: impl FnOnce(&mut Run<'_>) -> Search<Option<Found>>,
    ) -> Result<Option<Found>, Fault> {
        // A lookup within another goes on from it.
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
        invocation.locals = Rc::from([]);
        let mut run =
            Run { host, session: Rc::clone(self), invocation: Rc::new(invocation.clone()) };
        if let Some(extra_paths) = &query.hiera {
            invocation.is_hiera_call = true;
            invocation.is_global_only |= !has_environment_data(&mut run)?;
            invocation.extra_paths = Rc::clone(extra_paths);
        }
        match run.as_invocation(invocation, work) {
            Ok(found) => {
                self.note_read(query, found.as_ref());
                Ok(found)
            }
            Err(Miss::NotFound) => Ok(None),
            Err(Miss::Fault(fault)) => Err(*fault),
        }
    }

    pub(crate) fn enter(&self, invocation: Rc<Invocation>) -> Option<Rc<Invocation>> {
        self.current.replace(Some(invocation))
    }

    pub(crate) fn leave(&self, previous: Option<Rc<Invocation>>) {
        self.current.replace(previous);
    }

    pub(crate) fn begin_name(&self, name: &str) -> Result<(), Fault> {
        let mut names = self.names.borrow_mut();
        if names.iter().any(|known| known == name) {
            let stack = names.join(", ");
            return Err(Fault::lookup(format!("Recursive lookup detected in [{stack}]")));
        }
        names.push(name.into());
        Ok(())
    }

    pub(crate) fn end_name(&self) {
        self.names.borrow_mut().pop();
    }

    /// The names that are being looked up, which are forgotten for a while.
    pub(crate) fn take_names(&self) -> Vec<EcoString> {
        self.names.take()
    }

    pub(crate) fn put_names(&self, names: Vec<EcoString>) {
        self.names.replace(names);
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

impl Run<'_> {
    fn searched(&mut self, name: &EcoString, merge: Option<&Value>) -> Search<Found> {
        let value = self.search(name, merge)?;
        let origins = self.invocation.origins.take();
        Ok(Found { value, origins, is_secret: self.invocation.is_secret.get() })
    }

    /// Looks names up one after the other, then in the default values; then there is the default.
    pub(crate) fn query(&mut self, query: &Query<'_>) -> Search<Option<Found>> {
        let overrides = self.invocation.overrides.clone();
        for name in query.names {
            if let Some(value) = overrides.as_ref().and_then(|hash| hash.get_str(name)) {
                let subject = format!("Value found for key '{name}' in override hash");
                query.check(&subject, value)?;
                query.check("Found value", value)?;
                return Ok(Some(Found::given(value.clone())));
            }
            match self.searched(name, query.merge) {
                Err(Miss::NotFound) => (),
                other => {
                    let found = other?;
                    query.check_found(&found)?;
                    return Ok(Some(found));
                }
            }
        }
        let defaults = self.invocation.defaults.clone();
        for name in query.names {
            if let Some(value) = defaults.as_ref().and_then(|hash| hash.get_str(name)) {
                let subject = format!("Value found for key '{name}' in default values hash");
                query.check(&subject, value)?;
                return Ok(Some(Found::given(value.clone())));
            }
        }
        match &query.default {
            Some(value) => {
                query.check("Default value", value)?;
                Ok(Some(Found::given(value.clone())))
            }
            None => Ok(None),
        }
    }
}

/// What `lookup()` says when there is no value and no default.
pub fn not_found(names: &[EcoString]) -> Fault {
    match names {
        [name] => {
            Fault::lookup(format!("Function lookup() did not find a value for the name '{name}'"))
        }
        names => {
            let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
            Fault::lookup(format!(
                "Function lookup() did not find a value for any of the names [{}]",
                quoted.join(", ")
            ))
        }
    }
}
