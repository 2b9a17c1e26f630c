//! Classes, defined types and nodes that are known, and the search for those that are not yet.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

use ecow::EcoString;
use kukla_base::Symbol;
use kukla_syntax::ast::{Expr, NamedKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::definition::{Definition, DefinitionKind};
use crate::definitions::Types;
use crate::library::{FunctionRef, Manifest, PuppetFunction};
use crate::log::Entry;
use crate::{Eval, Library, Program, Stop};

/// What the manifests that were loaded so far define.
///
/// Loading happens wherever a name is met, also where nothing else may change: hence the cells.
#[derive(Debug, Default)]
pub(crate) struct Known {
    classes: RefCell<FxHashMap<EcoString, Arc<Definition>>>,
    defines: RefCell<FxHashMap<EcoString, Arc<Definition>>>,
    nodes: RefCell<Vec<Arc<Definition>>>,
    functions: RefCell<FxHashMap<Symbol, FunctionRef>>,
    /// Manifests that were loaded, by module and path.
    loaded: RefCell<FxHashSet<EcoString>>,
    /// Names that no manifest defines.
    missing: RefCell<FxHashSet<(bool, EcoString)>>,
    log: RefCell<Vec<Entry>>,
}

impl Known {
    /// Makes the definitions of a manifest known; says which of them are there already.
    pub(crate) fn add(&self, manifest: &Manifest, types: &Types) -> Eval<()> {
        self.log.borrow_mut().extend(manifest.log.iter().cloned());
        for definition in &manifest.definitions {
            self.add_definition(definition)?;
        }
        self.add_functions(&manifest.program, types);
        Ok(())
    }

    fn add_definition(&self, new: &Arc<Definition>) -> Eval<()> {
        let name = &new.name;
        let class = self.classes.borrow().get(name).cloned();
        let define = self.defines.borrow().get(name).cloned();
        let node = self.nodes.borrow().iter().find(|node| node.name == *name).cloned();
        let at = |known: &Definition| known.at().text_with_space();
        let clash = match new.kind {
            DefinitionKind::Class => class
                .map(|c| format!("Class '{name}' is already defined{}; cannot redefine", at(&c)))
                .or_else(|| node.map(|n| {
                    format!("Node '{name}' is already defined{}; cannot be redefined as a class", at(&n))
                }))
                .or_else(|| define.map(|d| {
                    format!("Definition '{name}' is already defined{}; cannot be redefined as a class", at(&d))
                })),
            DefinitionKind::Define => class
                .map(|c| {
                    format!("'{name}' is already defined{} as a class; cannot redefine as a definition", at(&c))
                })
                .or_else(|| define.map(|d| {
                    format!("Definition '{name}' is already defined{}; cannot be redefined", at(&d))
                })),
            DefinitionKind::Node => node
                .map(|n| format!("Node '{name}' is already defined{}; cannot redefine", at(&n)))
                .or_else(|| class.map(|c| {
                    format!("Class '{name}' is already defined{}; cannot be redefined as a node", at(&c))
                })),
        };
        if let Some(message) = clash {
            return Err(Stop::fault_at_line(message, &new.at()));
        }
        let new = Arc::clone(new);
        match new.kind {
            DefinitionKind::Class => {
                drop(self.classes.borrow_mut().insert(name.clone(), new.clone()))
            }
            DefinitionKind::Define => {
                drop(self.defines.borrow_mut().insert(name.clone(), new.clone()))
            }
            DefinitionKind::Node => self.nodes.borrow_mut().push(new.clone()),
        }
        Ok(())
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

    /// A function that a manifest defines.
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
        library: &dyn Library,
        types: &Types,
    ) -> Eval<Option<Arc<Definition>>> {
        let name = normal(name);
        if let Some(known) = self.loaded_class(&name) {
            return Ok(Some(known));
        }
        self.load(&name, true, library, types)?;
        Ok(self.loaded_class(&name))
    }

    /// The defined type of a name.
    pub(crate) fn define(
        &self,
        name: &str,
        library: &dyn Library,
        types: &Types,
    ) -> Eval<Option<Arc<Definition>>> {
        let name = normal(name);
        if let Some(known) = self.loaded_define(&name) {
            return Ok(Some(known));
        }
        self.load(&name, false, library, types)?;
        Ok(self.loaded_define(&name))
    }

    /// Loads the manifests that may define a name, the most likely one first, until one does.
    fn load(&self, name: &str, is_class: bool, library: &dyn Library, types: &Types) -> Eval<()> {
        let key = (is_class, EcoString::from(name));
        if name.is_empty() || !is_name(name) || !self.missing.borrow_mut().insert(key) {
            return Ok(());
        }
        let (module, rest) = name.split_once("::").unwrap_or((name, ""));
        let mut rest = rest.replace("::", "/");
        loop {
            let path = EcoString::from(format!("{module}/{rest}"));
            if self.loaded.borrow_mut().insert(path)
                && let Some(manifest) = library.manifest(module, &rest)
            {
                self.add(&*manifest?, types)?;
                let found = match is_class {
                    true => self.loaded_class(name).is_some(),
                    false => self.loaded_define(name).is_some(),
                };
                if found {
                    return Ok(());
                }
            }
            match rest.rfind('/') {
                Some(at) => rest.truncate(at),
                None if rest.is_empty() => return Ok(()),
                None => rest.clear(),
            }
        }
    }

    /// Whether there are nodes at all.
    pub(crate) fn has_nodes(&self) -> bool {
        !self.nodes.borrow().is_empty()
    }

    /// The node of a name: by the name itself, or else by the first pattern that matches.
    pub(crate) fn node(&self, name: &str) -> Option<Arc<Definition>> {
        let name = name.to_lowercase();
        let nodes = self.nodes.borrow();
        let exact = nodes.iter().find(|node| node.pattern.is_none() && node.name == name);
        let matching = || {
            nodes.iter().find(|node| {
                node.pattern.as_ref().is_some_and(|p| p.is_match(&name).unwrap_or(false))
            })
        };
        exact.or_else(matching).cloned()
    }

    /// What the loaded manifests were warned of.
    pub(crate) fn take_log(&self) -> Vec<Entry> {
        self.log.take()
    }
}

/// A name in small letters without colons before it.
fn normal(name: &str) -> Cow<'_, str> {
    let name = name.strip_prefix("::").unwrap_or(name);
    match name.bytes().any(|byte| byte.is_ascii_uppercase() || !byte.is_ascii()) {
        true => name.to_lowercase().into(),
        false => name.into(),
    }
}

/// Whether a name can be that of a file in a module.
fn is_name(name: &str) -> bool {
    name.split("::").all(|segment| {
        !segment.is_empty()
            && segment
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    })
}
