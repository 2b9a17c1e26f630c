//! Definitions of classes, defined types and nodes, and the search for those that are not loaded yet.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

use ecow::EcoString;
use indexmap::IndexMap;
use kukla_base::Symbol;
use kukla_base::name::segments;
use kukla_syntax::ast::{Expr, NamedKind};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::definition::{Definition, DefinitionKind};
use crate::inputs::Inputs;
use crate::interpreter::Types;
use crate::issues::{self, Clash, Issue};
use crate::library::{ForeignFunction, FunctionRef, Manifest, PuppetFunction};
use crate::log::Entry;
use crate::{Eval, Program, Stop};

/// The definitions of the manifests that were loaded so far.
///
/// Loading happens wherever a name is met, also where nothing else may change: hence the cells.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    classes: RefCell<FxHashMap<EcoString, Arc<Definition>>>,
    defines: RefCell<FxHashMap<EcoString, Arc<Definition>>>,
    /// By name, in the order of their definitions.
    nodes: RefCell<IndexMap<EcoString, Arc<Definition>, FxBuildHasher>>,
    functions: RefCell<FxHashMap<Symbol, FunctionRef>>,
    /// Manifests that were loaded, by module and path.
    loaded: RefCell<FxHashSet<EcoString>>,
    /// Names that no manifest defines: of defined types, and of classes.
    missing: RefCell<[FxHashSet<EcoString>; 2]>,
    /// Definitions whose parameters were not read yet.
    fresh: RefCell<Vec<Arc<Definition>>>,
    log: RefCell<Vec<Entry>>,
}

impl Definitions {
    /// Makes the definitions of a manifest known; says which of them are there already.
    pub(crate) fn add(&self, manifest: &Manifest, types: &Types, inputs: &Inputs) -> Eval<()> {
        self.log.borrow_mut().extend(manifest.log.iter().cloned());
        let is_node = |definition: &&Arc<Definition>| definition.kind == DefinitionKind::Node;
        self.nodes.borrow_mut().reserve(manifest.definitions.iter().filter(is_node).count());
        for definition in &manifest.definitions {
            self.add_definition(definition)?;
            let parameters = definition.program.parameters(definition.id);
            match parameters.map(|cache| cache.get()) {
                Some(Some(cached)) => inputs.replay(&cached.reads),
                Some(None) => self.fresh.borrow_mut().push(Arc::clone(definition)),
                None => (),
            }
        }
        self.add_functions(&manifest.program, types);
        Ok(())
    }

    fn add_definition(&self, new: &Arc<Definition>) -> Eval<()> {
        let name = &new.name;
        if let Some(issue) = self.clash(new) {
            return Err(Stop::fault_at_line(issue, &new.at()));
        }
        let new = Arc::clone(new);
        match new.kind {
            DefinitionKind::Class => {
                drop(self.classes.borrow_mut().insert(name.clone(), new.clone()))
            }
            DefinitionKind::Define => {
                drop(self.defines.borrow_mut().insert(name.clone(), new.clone()))
            }
            DefinitionKind::Node => {
                drop(self.nodes.borrow_mut().insert(name.clone(), new.clone()));
            }
        }
        Ok(())
    }

    /// Returns the error of a definition whose name is taken.
    fn clash(&self, new: &Definition) -> Option<Issue> {
        let name = &new.name;
        let (classes, defines) = (self.classes.borrow(), self.defines.borrow());
        let nodes = self.nodes.borrow();
        let issue = |known: Option<&Arc<Definition>>, clash: Clash| {
            let at = known?.at().text_with_space();
            Some(issues::redefinition(clash, name, &at))
        };
        let class = |clash| issue(classes.get(name), clash);
        let define = |clash| issue(defines.get(name), clash);
        let node = |clash| issue(nodes.get(name), clash);
        match new.kind {
            DefinitionKind::Class => class(Clash::ClassAndClass)
                .or_else(|| node(Clash::ClassAndNode))
                .or_else(|| define(Clash::ClassAndDefine)),
            DefinitionKind::Define => {
                class(Clash::DefineAndClass).or_else(|| define(Clash::DefineAndDefine))
            }
            DefinitionKind::Node => node(Clash::NodeAndNode).or_else(|| class(Clash::NodeAndClass)),
        }
    }

    /// The names of all classes that were loaded.
    pub(crate) fn class_names(&self) -> Vec<String> {
        self.classes.borrow().keys().map(ToString::to_string).collect()
    }

    /// The names of all defined types that were loaded.
    pub(crate) fn define_names(&self) -> Vec<String> {
        self.defines.borrow().keys().map(ToString::to_string).collect()
    }

    /// The names of all functions that were loaded with classes.
    pub(crate) fn function_names(&self) -> Vec<String> {
        self.functions.borrow().keys().map(ToString::to_string).collect()
    }

    /// The program of a file that something was loaded from.
    pub(crate) fn program_of(&self, file: &str) -> Option<Arc<Program>> {
        let (classes, defines) = (self.classes.borrow(), self.defines.borrow());
        let nodes = self.nodes.borrow();
        let mut all = classes.values().chain(defines.values()).chain(nodes.values());
        let found = all.find(|definition| &**definition.program.file() == file)?;
        Some(Arc::clone(&found.program))
    }

    fn add_functions(&self, program: &Arc<Program>, types: &Types) {
        let ast = program.ast();
        for &definition in ast.definitions() {
            match ast[definition] {
                Expr::Named(named) if ast.named(named).kind == NamedKind::Function => {
                    let name = Symbol::new(ast.text(ast.named(named).name));
                    let program = Arc::clone(program);
                    let function = Arc::new(PuppetFunction { name, program, definition });
                    self.functions.borrow_mut().insert(name, FunctionRef::Puppet(function));
                }
                Expr::TypeAlias { name, .. } => types.add(ast.text(name), program, definition),
                _ => (),
            }
        }
    }

    /// Makes the functions known that stand beside one that was found.
    pub(crate) fn add_companions(&self, function: &dyn ForeignFunction) {
        for (name, companion) in function.companions() {
            let mut functions = self.functions.borrow_mut();
            functions.entry(name).or_insert(FunctionRef::Foreign(companion));
        }
    }

    /// A function that a manifest defines, or that came with another one.
    pub(crate) fn function(&self, name: Symbol) -> Option<FunctionRef> {
        self.functions.borrow().get(&name).cloned()
    }

    /// A class that is known already.
    pub(crate) fn loaded_class(&self, name: &str) -> Option<Arc<Definition>> {
        self.classes.borrow().get(name).cloned()
    }

    /// A defined type that is known already.
    pub(crate) fn loaded_define(&self, name: &str) -> Option<Arc<Definition>> {
        self.defines.borrow().get(name).cloned()
    }

    /// The class of a name.
    pub(crate) fn class(
        &self,
        name: &str,
        inputs: &Inputs,
        types: &Types,
    ) -> Eval<Option<Arc<Definition>>> {
        let name = normal(name);
        if let Some(known) = self.loaded_class(&name) {
            return Ok(Some(known));
        }
        self.load(&name, true, inputs, types)?;
        Ok(self.loaded_class(&name))
    }

    /// The defined type of a name.
    pub(crate) fn define(
        &self,
        name: &str,
        inputs: &Inputs,
        types: &Types,
    ) -> Eval<Option<Arc<Definition>>> {
        let name = normal(name);
        if let Some(known) = self.loaded_define(&name) {
            return Ok(Some(known));
        }
        self.load(&name, false, inputs, types)?;
        Ok(self.loaded_define(&name))
    }

    /// Loads the manifests that may define a name, the most likely one first, until one does.
    ///
    /// The module's `init.pp` comes before all of them, whether it is likely or not, as in Puppet.
    fn load(&self, name: &str, is_class: bool, inputs: &Inputs, types: &Types) -> Eval<()> {
        if !is_name(name) || self.is_missing(name, is_class) {
            return Ok(());
        }
        let mut path = String::with_capacity(name.len() + 1);
        let mut segments = segments(name);
        path.push_str(segments.next().unwrap_or_default());
        path.push('/');
        let module_length = path.len() - 1;
        let mut is_more = self.load_file(&path, inputs, types)?;
        for (n, segment) in segments.enumerate() {
            if n > 0 {
                path.push('/');
            }
            path.push_str(segment);
        }
        loop {
            is_more |= self.load_file(&path, inputs, types)?;
            let found = is_more
                && match is_class {
                    true => self.loaded_class(name).is_some(),
                    false => self.loaded_define(name).is_some(),
                };
            if found {
                return Ok(());
            }
            is_more = false;
            match path[module_length + 1..].rfind('/') {
                Some(at) => path.truncate(module_length + 1 + at),
                None if path.len() == module_length + 1 => break,
                None => path.truncate(module_length + 1),
            }
        }
        self.missing.borrow_mut()[usize::from(is_class)].insert(name.into());
        Ok(())
    }

    /// Loads `module/path`, where no path means `init.pp`, unless it is loaded; says whether something was.
    fn load_file(&self, path: &str, inputs: &Inputs, types: &Types) -> Eval<bool> {
        if !self.is_new(path) {
            return Ok(false);
        }
        let Some(manifest) = inputs.manifest(path) else { return Ok(false) };
        self.add(&*manifest?, types, inputs)?;
        Ok(true)
    }

    fn is_missing(&self, name: &str, is_class: bool) -> bool {
        self.missing.borrow()[usize::from(is_class)].contains(name)
    }

    /// Whether a manifest was not loaded yet; from now on it counts as loaded.
    fn is_new(&self, path: &str) -> bool {
        let mut loaded = self.loaded.borrow_mut();
        let is_new = !loaded.contains(path);
        if is_new {
            loaded.insert(path.into());
        }
        is_new
    }

    /// Whether there are nodes at all.
    pub(crate) fn has_nodes(&self) -> bool {
        !self.nodes.borrow().is_empty()
    }

    /// The node of a name: by the name itself, or else by the first pattern that matches.
    pub(crate) fn node(&self, name: &str) -> Option<Arc<Definition>> {
        let name = name.to_lowercase();
        let nodes = self.nodes.borrow();
        let exact = nodes.get(name.as_str()).filter(|node| node.pattern.is_none());
        let matching = || {
            nodes.values().find(|node| {
                node.pattern.as_ref().is_some_and(|p| p.is_match(&name).unwrap_or(false))
            })
        };
        exact.or_else(matching).cloned()
    }

    /// Takes the definitions whose parameters were not read yet.
    pub(crate) fn take_fresh(&self) -> Vec<Arc<Definition>> {
        self.fresh.take()
    }

    /// Takes the warnings of the loaded manifests.
    pub(crate) fn take_log(&self) -> Vec<Entry> {
        self.log.take()
    }
}

/// Returns a name in lower case without leading colons.
fn normal(name: &str) -> Cow<'_, str> {
    let name = name.strip_prefix("::").unwrap_or(name);
    match name.bytes().any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii()) {
        true => name.to_lowercase().into(),
        false => name.into(),
    }
}

/// Whether a name can be that of a file in a module.
fn is_name(name: &str) -> bool {
    // How many colons stand before a byte: two or none; at the beginning no more may follow.
    let mut n_colons = 2;
    for byte in name.bytes() {
        let is_valid = match byte {
            b':' => n_colons < 2,
            b'_' | b'-' => n_colons != 1,
            _ => n_colons != 1 && byte.is_ascii_alphanumeric(),
        };
        if !is_valid {
            return false;
        }
        n_colons = if byte == b':' { n_colons + 1 } else { 0 };
    }
    n_colons == 0
}
