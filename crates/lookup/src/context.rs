//! The context that a data function receives: `Puppet::LookupContext`.

use std::cell::RefCell;
use std::rc::Rc;

use ecow::EcoString;
use kukla_pcore::{Hash, Value};

use crate::backend::Source;
use crate::data::text_and_stamp;
use crate::run::{Invocation, Run};
use crate::session::Session;
use crate::{Fault, Host, Miss, Search};
use kukla_world::{MAX_FILE, Stamp, World};

/// Values that a function caches per entry and location, for the duration of the compilation.
pub(crate) type FunctionCache = RefCell<Hash>;

/// The last argument of a data function.
///
/// It is a handle: cheap to clone, and valid for the duration of the call.
#[derive(Clone, Debug)]
pub struct Context {
    pub(crate) session: Rc<Session>,
    pub(crate) invocation: Rc<Invocation>,
    pub(crate) module: Option<EcoString>,
    pub(crate) source: Rc<Source>,
}

impl Context {
    /// `environment_name`
    pub fn environment_name(&self) -> EcoString {
        self.session.layers.places.environment.clone()
    }

    /// `module_name`
    pub const fn module_name(&self) -> Option<&EcoString> {
        self.module.as_ref()
    }

    /// `not_found()`: the result of a function that has no value for the key.
    pub fn not_found<T>(&self) -> Search<T> {
        Err(Miss::NotFound)
    }

    /// Whether `explain` has a listener; without one its block is not called.
    pub fn is_explaining(&self) -> bool {
        self.invocation.trace.is_some()
    }

    /// `explain() || { text }`
    pub fn explain(&self, text: String) {
        if let Some(trace) = &self.invocation.trace {
            trace.borrow_mut().text(text);
        }
    }

    /// `interpolate(value)`
    pub fn interpolate(&self, host: &mut dyn Host, value: &Value) -> Search<Value> {
        let mut run = Run {
            host,
            session: Rc::clone(&self.session),
            invocation: Rc::clone(&self.invocation),
        };
        run.interpolate(value, true)
    }

    /// `cache(key, value)`
    pub fn cache(&self, key: Value, value: Value) -> Value {
        self.source.cache().borrow_mut().insert(key, value.clone());
        value
    }

    /// `cache_all(hash)`
    pub fn cache_all(&self, hash: &Hash) {
        let entries = hash.iter().map(|(key, value)| (key.clone(), value.clone()));
        self.source.cache().borrow_mut().extend(entries);
    }

    /// `cache_has_key(key)`
    pub fn cache_has_key(&self, key: &Value) -> bool {
        self.source.cache().borrow().contains_key(key)
    }

    /// `cached_value(key)`
    pub fn cached_value(&self, key: &Value) -> Value {
        self.source.cache().borrow().get(key).cloned().unwrap_or_default()
    }

    /// `cached_entries`: all of them.
    pub fn cached_entries(&self) -> Hash {
        self.source.cache().borrow().clone()
    }

    /// Returns the cached result of a block on the text of an unchanged file that the node may see.
    pub fn cached_file_result(&self, path: &str) -> Option<Value> {
        let stamp = self.session.files().stamp(path)?;
        self.check_access(path, stamp).ok()?;
        let cached = self.session.cache.borrow();
        cached.file_results.get(path).filter(|(of, _)| *of == stamp).map(|(_, value)| value.clone())
    }

    /// Caches the result of a block on the text of a file.
    pub fn cache_file_result(&self, path: &str, value: Value) {
        if let Some(stamp) = self.session.files().stamp(path) {
            self.session.cache.borrow_mut().file_results.insert(path.into(), (stamp, value));
        }
    }

    /// `cached_file_data(path)`: returns the text of a file that the node may see.
    pub fn cached_file_data(&self, path: &str) -> Result<String, Fault> {
        let files = &self.session.files();
        let Some(stamp) = files.stamp(path) else {
            let message = format!("No such file or directory @ rb_file_s_stat - {path}");
            return Err(Fault::other(message));
        };
        // Also checked before, so that a denied file is not even opened.
        self.check_access(path, stamp)?;
        let (text, stamp) = text_and_stamp(files, path, MAX_FILE)?;
        self.check_access(path, stamp)?;
        Ok(text)
    }

    fn check_access(&self, path: &str, stamp: Stamp) -> Result<(), Fault> {
        let access = self.session.cache.borrow().access.clone();
        // Functions are called by searches, which have read the rules.
        let access = access.unwrap_or_else(|| Err(Fault::lookup("the rules are not read yet")))?;
        match access {
            Some(access) => access.check_file(&self.session.files(), path, stamp),
            None => Ok(()),
        }
    }
}
