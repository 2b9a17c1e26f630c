//! A site on disk, and nodes that look up its data.

use std::cell::RefCell;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ecow::EcoString;
use kukla_lookup::{
    Context, Fault, Function, Host, Layers, ModulePlace, Places, Query, Search, Session, Trace,
    Variable,
};
use kukla_pcore::convert::ConvertError;
use kukla_pcore::{Hash, Type, Value};
use kukla_world::Disk;

static N_SITES: AtomicU32 = AtomicU32::new(0);

/// The restricted value.
pub(crate) const SECRET: &str = "LEAK";

/// A directory that is removed at the end of the test; `@` in texts stands for it.
pub(crate) struct Site {
    root: PathBuf,
    pub(crate) places: Places,
}

impl Site {
    pub(crate) fn new() -> Self {
        let n = N_SITES.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("kukla-access-{}-{n}", std::process::id()));
        fs::create_dir_all(&root).expect("temporary files can be made");
        let root = fs::canonicalize(&root).expect("it exists");
        let mut site = Self { places: Places::default(), root };
        site.places = Places {
            hiera_config: site.text("@/hiera.yaml").into(),
            codedir: site.text("@/code").into(),
            directory: Some(site.text("@/env").into()),
            ..Places::default()
        };
        fs::create_dir_all(site.path("env")).expect("it can be made");
        site
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub(crate) fn text(&self, text: &str) -> String {
        text.replace('@', &self.root.to_string_lossy())
    }

    fn parent(&self, path: &str) -> PathBuf {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("it is below the root")).expect("it can be made");
        path
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        fs::write(self.parent(path), self.text(text)).expect("it can be written");
    }

    pub(crate) fn link(&self, path: &str, target: &str) {
        symlink(self.text(target), self.parent(path)).expect("it can be linked");
    }

    pub(crate) fn hard_link(&self, path: &str, target: &str) {
        fs::hard_link(self.path(target), self.parent(path)).expect("it can be linked");
    }

    pub(crate) fn module(&mut self, name: &str) {
        let directory = self.text(&format!("@/env/modules/{name}")).into();
        let place = ModulePlace { directory, data_provider: None };
        self.places.modules.insert(name.into(), place);
    }

    pub(crate) fn layers(&self) -> Arc<Layers> {
        self.layers_of(Arc::new(Disk))
    }

    pub(crate) fn layers_of(&self, files: kukla_world::SharedWorld) -> Arc<Layers> {
        Arc::new(Layers::new(files, self.places.clone()))
    }

    pub(crate) fn ask(&self, node: &Node, key: &str) -> Answer {
        ask(&Session::new(self.layers()), node, key, None)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(Path::new(&self.root));
    }
}

/// A node: its facts, and the data of its certificate.
#[derive(Clone)]
pub(crate) struct Node {
    pub(crate) facts: Value,
    pub(crate) trusted: Value,
}

impl Node {
    pub(crate) fn new(role: Option<&str>, facts: Value) -> Self {
        let extensions = role.map(|role| ("pp_role", Value::from(role)));
        let extensions = hash(extensions.into_iter().collect());
        let trusted = hash(vec![("certname", "web1".into()), ("extensions", extensions)]);
        Self { facts, trusted }
    }
}

pub(crate) fn hash(entries: Vec<(&str, Value)>) -> Value {
    let entries = entries.into_iter().map(|(key, value)| (Value::from(key), value));
    Value::from(entries.collect::<Hash>())
}

impl Host for Node {
    fn variable(&mut self, name: &str) -> Variable {
        let name = name.strip_prefix("::").unwrap_or(name);
        let fact = match &self.facts {
            Value::Hash(facts) => facts.get_str(name).cloned(),
            _ => None,
        };
        match (name, fact) {
            ("facts", _) => Variable::Value(self.facts.clone()),
            ("trusted", _) => Variable::Value(self.trusted.clone()),
            ("environment", _) => Variable::Value("production".into()),
            (_, Some(value)) => Variable::Value(value),
            (_, None) => Variable::Unknown(None),
        }
    }

    fn function(&mut self, name: &str) -> Result<Option<Function>, Fault> {
        let returns = vec![None];
        Ok(name.starts_with("probe::").then_some(Function { returns }))
    }

    /// Functions that read the file at their location, or at the path that an option names.
    fn call(&mut self, _: &str, arguments: Vec<Value>, context: &Context) -> Search<Value> {
        let Some(Value::Hash(options)) = arguments.last() else { return context.not_found() };
        let path = options.get_str("file").or_else(|| options.get_str("path"));
        let path = path.and_then(Value::as_str).expect("a path");
        if let Some(value) = context.cached_file_result(path) {
            return Ok(value);
        }
        let text = Value::from(context.cached_file_data(path)?);
        let value = match arguments.len() {
            1 => hash(vec![("pw", text)]),
            _ => text,
        };
        context.cache_file_result(path, value.clone());
        Ok(value)
    }

    fn convert(&mut self, _: &Type, _: &[Value]) -> Result<Value, ConvertError> {
        Err(ConvertError::new("nothing is converted here"))
    }
}

/// Answer of a lookup.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) found: Result<Option<Value>, String>,
    story: String,
}

impl Answer {
    pub(crate) fn is_leak(&self) -> bool {
        format!("{:?}", self.found).contains(SECRET) || self.story.contains(SECRET)
    }

    pub(crate) fn error(&self) -> &str {
        self.found.as_ref().err().map_or("", String::as_str)
    }

    /// Fails unless the rules can't be used, for a reason that has these words.
    #[track_caller]
    pub(crate) fn is_closed(&self, words: &[&str]) {
        assert!(!self.is_leak(), "{self:?}");
        for word in words.iter().chain(&["data_access"]) {
            assert!(self.error().contains(word), "{word:?} in {self:?}");
        }
    }
}

/// Looks a key up; with paths, like `hiera()`.
pub(crate) fn ask(
    session: &Rc<Session>,
    node: &Node,
    key: &str,
    hiera: Option<&[EcoString]>,
) -> Answer {
    let names = [EcoString::from(key)];
    let trace = Rc::new(RefCell::new(Trace::new().revealing()));
    let query = Query { hiera: hiera.map(Into::into), ..Query::new(&names) };
    let found = session.lookup(&mut node.clone(), &query, Some(&trace));
    let found = found
        .map(|found| found.map(|found| found.value))
        .map_err(|fault| fault.message_with_place());
    let story = trace.borrow().explain();
    Answer { found, story }
}
