//! The lookups of a compilation.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use kukla_pcore::types::mismatch;
use kukla_pcore::{Hash, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::options::KeyOptions;
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
}

/// What is found out once.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) global: Option<Rc<Provider>>,
    pub(crate) environment: Option<Option<Rc<Provider>>>,
    pub(crate) modules: FxHashMap<EcoString, Option<Rc<Provider>>>,
    pub(crate) options: FxHashMap<Option<EcoString>, Option<Rc<KeyOptions>>>,
    pub(crate) global_options: Option<Option<Arc<Hash>>>,
    pub(crate) environment_options: Option<Option<Arc<Hash>>>,
    pub(crate) pdl: FxHashMap<EcoString, Option<Arc<crate::pdl::Pdl>>>,
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
        self.start(host, &Query::new(&names), None, |run| run.parameter(&names[0]))
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
            Some(parent) => Invocation { origins: Rc::default(), uses: None, ..(*parent).clone() },
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
            Ok(found) => Ok(found),
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
    /// The site's PDL, Hiera's outer layers, the module's PDL, the module's Hiera data.
    fn parameter(&mut self, name: &EcoString) -> Search<Option<Found>> {
        let Some((class, parameter)) = name.rsplit_once("::") else {
            return self.searched(name).map(Some);
        };
        if let Some(found) = self.site_value(class, parameter)? {
            return Ok(Some(found));
        }
        let Some(own) = self.module_value(class, parameter)? else {
            return self.searched(name).map(Some);
        };
        let invocation = Invocation { is_outer_only: true, ..(*self.invocation).clone() };
        match self.as_invocation(invocation, |run| run.searched(name)) {
            Err(Miss::NotFound) => Ok(Some(own)),
            other => other.map(Some),
        }
    }

    fn searched(&mut self, name: &EcoString) -> Search<Found> {
        let value = self.search(name, None)?;
        Ok(Found { value, origins: self.invocation.origins.take() })
    }

    /// Looks names up one after the other, then in the default values; then there is the default.
    pub(crate) fn query(&mut self, query: &Query<'_>) -> Search<Option<Found>> {
        let overrides = self.invocation.overrides.clone();
        for name in query.names {
            if let Some(value) = overrides.as_ref().and_then(|hash| hash.get_str(name)) {
                let subject = format!("Value found for key '{name}' in override hash");
                query.check(&subject, value)?;
                query.check("Found value", value)?;
                return Ok(Some(Found { value: value.clone(), origins: Vec::new() }));
            }
            match self.search(name, query.merge) {
                Err(Miss::NotFound) => (),
                other => {
                    let value = other?;
                    query.check("Found value", &value)?;
                    return Ok(Some(Found { value, origins: self.invocation.origins.take() }));
                }
            }
        }
        let defaults = self.invocation.defaults.clone();
        for name in query.names {
            if let Some(value) = defaults.as_ref().and_then(|hash| hash.get_str(name)) {
                let subject = format!("Value found for key '{name}' in default values hash");
                query.check(&subject, value)?;
                return Ok(Some(Found { value: value.clone(), origins: Vec::new() }));
            }
        }
        match &query.default {
            Some(value) => {
                query.check("Default value", value)?;
                Ok(Some(Found { value: value.clone(), origins: Vec::new() }))
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
