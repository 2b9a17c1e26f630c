//! Functions: built-in ones, native replacements of module functions, and those that modules define.
//!
//! Puppet's order: built-in functions, the environment, the calling module, the modules that
//! it depends on, and last functions of the old API, which all modules see.

use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use kukla_base::Symbol;
use kukla_compiler::issues;
use kukla_compiler::source::Refusal;
use kukla_compiler::{
    Call, Eval, ForeignFunction, FunctionRef, Functions, NativeFunction, PuppetFunction, Stop,
    fault,
};
use kukla_pcore::Value;
use kukla_stdlib::module::{self, File, Generation};
use kukla_syntax::ast::{Expr, NamedKind};

use kukla_world::{Record, World};

use super::module::Module;
use super::ruby_need::CannotRun;
use super::{Libraries, Snapshot};

/// Built-in functions. Their signatures name only built-in types, so all environments share them.
static BUILT_IN: LazyLock<Functions> = LazyLock::new(|| Functions::new(kukla_stdlib::BUILT_IN));

/// Functions that are written in Rust.
#[derive(Debug)]
pub(crate) struct Natives {
    built_in: &'static Functions,
}

impl Natives {
    pub(crate) fn new() -> Self {
        Self { built_in: &BUILT_IN }
    }

    /// Returns the names of all built-in functions.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.built_in.names()
    }

    /// Returns whether a function is built in.
    pub(crate) fn has(&self, name: Symbol) -> bool {
        self.built_in.get(name).is_some()
    }
}

/// Returns the native implementation of a function that a module defines in a kind of file.
pub(crate) fn native(
    module: Option<&Module>,
    name: &str,
    file: File,
    path: &Path,
    world: &dyn World,
) -> Option<FunctionRef> {
    let module = module.filter(|module| module.name == "stdlib")?;
    let generation = Generation::of(module.version.as_deref().unwrap_or_default());
    let text = world.read_text(&path.to_string_lossy()).ok()?;
    let row = module::stand_in(name, file, generation, &text)?;
    Some(FunctionRef::Native(Arc::new(NativeFunction::new(row))))
}

impl Snapshot {
    /// Returns the function of a name, as code of a module sees it.
    pub(crate) fn find_function(
        &self,
        name: Symbol,
        module: &str,
        record: &Record,
    ) -> Eval<Option<FunctionRef>> {
        if let Some(function) = self.natives.built_in.get(name) {
            return Ok(Some(function));
        }
        // Avoids a lookup that would copy the key; modules call few functions, so the evaluator caches them.
        let key = (name, Box::<str>::from(module));
        let found = self.functions.get_or(&key, record, |record| {
            self.search_function(name.as_str(), module, record).transpose()
        });
        found.map_err(Stop::refused)
    }

    /// Returns the function of the old API with this name, whether or not the new API has one.
    pub(crate) fn find_old_function(&self, name: &str, record: &Record) -> Option<FunctionRef> {
        let Some(symbol) = Symbol::known(name) else {
            // Misses are not cached: names come from data.
            return self.old_function_of_modules(name, record)?.ok();
        };
        // No module can have such a name.
        let key = (symbol, Box::<str>::from("::old"));
        let found = self
            .functions
            .get_or(&key, record, |record| self.old_function_of_modules(name, record).transpose());
        found.ok().flatten()
    }

    pub(crate) fn search_function(
        &self,
        name: &str,
        module: &str,
        record: &Record,
    ) -> Option<Result<FunctionRef, Refusal>> {
        let caller = self.module(module, record);
        if let Some((first, rest)) = name.split_once("::") {
            if first == "environment" {
                return self.function_of(&self.environment.directory, None, name, name, record);
            }
            let owner = self.module(first, record)?;
            return self.function_of(&owner.path, Some(owner), name, rest, record);
        }
        let own = self.function_of(&self.environment.directory, None, name, name, record);
        if own.is_some() {
            return own;
        }
        let needed = caller.into_iter().flat_map(|caller| &caller.dependencies);
        let needed = needed.filter_map(|name| self.module(name, record));
        let mut candidates = caller.into_iter().chain(needed).chain(self.all_modules(record));
        candidates
            .find_map(|owner| self.function_of(&owner.path, Some(owner), name, name, record))
            .or_else(|| self.old_function_of_modules(name, record))
    }

    /// Returns a function of the new API below a directory.
    fn function_of(
        &self,
        root: &Path,
        owner: Option<&Module>,
        name: &str,
        rest: &str,
        record: &Record,
    ) -> Option<Result<FunctionRef, Refusal>> {
        let world = self.recording(record);
        let rest = rest.replace("::", "/");
        let ruby = match owner {
            Some(owner) if name.contains("::") => {
                format!("lib/puppet/functions/{}/{rest}.rb", owner.name)
            }
            _ => format!("lib/puppet/functions/{rest}.rb"),
        };
        let ruby = root.join(ruby);
        if world.is_file(&ruby.to_string_lossy()) {
            return Some(Ok(self.ruby_function(owner, name, File::New, &ruby, record)));
        }
        // The name of a module's function starts with the module's name.
        if owner.is_some() && !name.contains("::") {
            return None;
        }
        let path = root.join(format!("functions/{rest}.pp"));
        let module = owner.map_or("", |owner| owner.name.as_str());
        if !world.is_file(&path.to_string_lossy()) {
            return None;
        }
        match native(owner, name, File::Puppet, &path, &world) {
            Some(native) => Some(Ok(native)),
            None => Some(self.puppet_function(&path, module, name, record)),
        }
    }

    /// Returns a function of the old API, which all modules see, even from modules that are shadowed by another of
    /// their name.
    fn old_function_of_modules(
        &self,
        name: &str,
        record: &Record,
    ) -> Option<Result<FunctionRef, Refusal>> {
        let world = self.recording(record);
        let file = format!("puppet/parser/functions/{name}.rb");
        self.libraries(record).iter().find_map(|(directory, owner)| {
            let path = directory.join(&file);
            let owner = owner.map(|number| &self.modules[number]);
            let exists = world.is_file(&path.to_string_lossy());
            exists.then(|| Ok(self.ruby_function(owner, name, File::Old, &path, record)))
        })
    }

    /// Returns all directories `lib` of the module path, with the index of the module that each belongs to.
    fn libraries(&self, record: &Record) -> Libraries {
        self.libraries.get_or(&(), record, |record| {
            let world = self.recording(record);
            let entries = |directory: &PathBuf| {
                let names = world.list(&directory.to_string_lossy());
                names.into_iter().map(|name| directory.join(name)).collect::<Vec<PathBuf>>()
            };
            let paths = self.environment.modulepath.iter().flat_map(entries);
            let libraries = paths.map(|path| {
                let owner = self.modules.iter().position(|module| module.path == path);
                (path.join("lib"), owner)
            });
            libraries.filter(|(path, _)| world.is_directory(&path.to_string_lossy())).collect()
        })
    }

    fn puppet_function(
        &self,
        path: &Path,
        module: &str,
        name: &str,
        record: &Record,
    ) -> Result<FunctionRef, Refusal> {
        let program = self.read_program(path, module, &mut Vec::new(), record)?;
        let ast = program.ast();
        let has_name = |&&id: &&_| match ast[id] {
            Expr::Named(named) => {
                let named = ast.named(named);
                named.kind == NamedKind::Function && ast.text(named.name) == name
            }
            _ => false,
        };
        let Some(&definition) = ast.definitions().iter().find(has_name) else {
            let issue = issues::missing_definition(&path.to_string_lossy());
            return Err(Refusal::of_file(issue, None));
        };
        let name = Symbol::new(name);
        let function = PuppetFunction { name, program: Arc::clone(&program), definition };
        Ok(FunctionRef::Puppet(Arc::new(function)))
    }
}

impl Snapshot {
    fn ruby_function(
        &self,
        owner: Option<&Module>,
        name: &str,
        file: File,
        path: &Path,
        record: &Record,
    ) -> FunctionRef {
        let native = native(owner, name, file, path, &self.recording(record));
        if let Some(native) = native.filter(|_| !self.always_by_worker()) {
            return native;
        }
        let name = Symbol::new(name);
        let function: Arc<dyn ForeignFunction> = match self.read_ruby_function(name, path, record) {
            Ok((function, need)) => {
                self.workers.notice(Some(&path.to_string_lossy()), need.as_ref());
                Arc::new(function)
            }
            Err(reason) => Arc::new(Unavailable { name, path: path.to_owned(), reason }),
        };
        FunctionRef::Foreign(function)
    }

    /// Returns a Ruby file below the `lib` of a module, or the one at an absolute path without `.rb`.
    pub(crate) fn find_ruby_file(&self, name: &str, record: &Record) -> Option<(String, String)> {
        let world = self.recording(record);
        let read = |path: PathBuf| {
            let path = path.to_string_lossy().into_owned();
            let text = world.read_text(&path).ok()?;
            Some((path, text))
        };
        let file = format!("{name}.rb");
        if Path::new(&file).is_absolute() {
            let path = PathBuf::from(&file);
            return read(path).filter(|_| {
                self.all_modules(record)
                    .iter()
                    .any(|m| name.starts_with(&*m.path.to_string_lossy()))
            });
        }
        let modules = self.all_modules(record).iter();
        let mut places = modules.map(|module| module.path.join("lib").join(&file));
        places.find_map(read)
    }
}

/// Returns a function that is written in Ruby and can't be run: every call fails.
#[derive(Debug)]
struct Unavailable {
    name: Symbol,
    path: PathBuf,
    reason: CannotRun,
}

impl ForeignFunction for Unavailable {
    fn call(&self, _call: &mut Call<'_>) -> Eval<Value> {
        fault(issues::ruby_unsupported(format!(
            "the function '{}' needs a real Ruby: {} ({})",
            self.name,
            self.reason,
            self.path.display()
        )))
    }
}
