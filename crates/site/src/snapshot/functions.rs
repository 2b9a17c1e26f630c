//! Functions: those that are built in, those that modules offer natively, and those that modules write.
//!
//! Puppet's order: what is built in, what the environment has, what the calling module has, what the modules that
//! it sees have, and functions of the old kind, which everybody sees.

use std::path::{Path, PathBuf};
use std::sync::Arc;

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

use super::Snapshot;
use super::module::Module;

/// Functions that are written in Rust.
#[derive(Debug)]
pub(crate) struct Natives {
    built_in: Functions,
}

impl Natives {
    pub(crate) fn new() -> Self {
        Self { built_in: Functions::new(kukla_stdlib::BUILT_IN) }
    }

    /// The names of all functions that are built in.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.built_in.names()
    }

    /// Whether a function is built in.
    pub(crate) fn has(&self, name: Symbol) -> bool {
        self.built_in.get(name).is_some()
    }
}

/// The native form of a function that a module offers in a kind of file.
pub(crate) fn native(
    module: Option<&Module>,
    name: Symbol,
    file: File,
    path: &Path,
) -> Option<FunctionRef> {
    let module = module.filter(|module| module.name == "stdlib")?;
    let generation = Generation::of(module.version.as_deref().unwrap_or_default());
    let text = std::fs::read_to_string(path).ok()?;
    let row = module::stand_in(name.as_str(), file, generation, &text)?;
    Some(FunctionRef::Native(Arc::new(NativeFunction::new(row))))
}

impl Snapshot {
    /// The function of a name, as code of a module sees it.
    pub(crate) fn find_function(&self, name: Symbol, module: &str) -> Eval<Option<FunctionRef>> {
        if let Some(function) = self.natives.built_in.get(name) {
            return Ok(Some(function));
        }
        // The key would be copied to be looked for; functions that modules call are few, so the evaluator keeps them.
        let key = (name, Box::<str>::from(module));
        if let Some(known) = self.functions.get(&key) {
            return Ok(known);
        }
        let found = self.search_function(name, module).transpose();
        let found = found.map_err(Stop::refused)?;
        Ok(self.functions.keep(key, found))
    }

    /// The function of the old kind of a name, whatever there is of the new one.
    pub(crate) fn find_old_function(&self, name: Symbol) -> Option<FunctionRef> {
        // No module has such a name.
        let key = (name, Box::<str>::from("::old"));
        if let Some(known) = self.functions.get(&key) {
            return known;
        }
        let found = self.old_function_of_modules(name).and_then(Result::ok);
        self.functions.keep(key, found)
    }

    fn search_function(&self, name: Symbol, module: &str) -> Option<Result<FunctionRef, Refusal>> {
        let text = name.as_str();
        let caller = self.module(module);
        if let Some((first, rest)) = text.split_once("::") {
            if first == "environment" {
                return self.function_of(&self.environment.directory, None, name, text);
            }
            let owner = self.module(first)?;
            return self.function_of(&owner.path, Some(owner), name, rest);
        }
        if let Some(found) = self.function_of(&self.environment.directory, None, name, text) {
            return Some(found);
        }
        let needed = caller.into_iter().flat_map(|caller| &caller.dependencies);
        let needed = needed.filter_map(|name| self.module(name));
        let mut candidates = caller.into_iter().chain(needed).chain(&self.modules);
        candidates
            .find_map(|owner| self.function_of(&owner.path, Some(owner), name, text))
            .or_else(|| self.old_function_of_modules(name))
    }

    /// A function of the new kind that lies below a directory.
    fn function_of(
        &self,
        root: &Path,
        owner: Option<&Module>,
        name: Symbol,
        rest: &str,
    ) -> Option<Result<FunctionRef, Refusal>> {
        let rest = rest.replace("::", "/");
        let ruby = match owner {
            Some(owner) if name.as_str().contains("::") => {
                format!("lib/puppet/functions/{}/{rest}.rb", owner.name)
            }
            _ => format!("lib/puppet/functions/{rest}.rb"),
        };
        let ruby = root.join(ruby);
        if ruby.is_file() {
            return Some(Ok(self.ruby_function(owner, name, File::New, &ruby)));
        }
        // A function of a module has the module's name before its own.
        if owner.is_some() && !name.as_str().contains("::") {
            return None;
        }
        let path = root.join(format!("functions/{rest}.pp"));
        let module = owner.map_or("", |owner| owner.name.as_str());
        if !path.is_file() {
            return None;
        }
        match native(owner, name, File::Puppet, &path) {
            Some(native) => Some(Ok(native)),
            None => Some(self.puppet_function(&path, module, name)),
        }
    }

    /// A function of the old kind, which everybody sees, also from modules that another of their name hides.
    fn old_function_of_modules(&self, name: Symbol) -> Option<Result<FunctionRef, Refusal>> {
        let file = format!("puppet/parser/functions/{name}.rb");
        self.libraries().iter().find_map(|(directory, owner)| {
            let path = directory.join(&file);
            let owner = owner.map(|number| &self.modules[number]);
            path.is_file().then(|| Ok(self.ruby_function(owner, name, File::Old, &path)))
        })
    }

    /// All directories `lib` of the module path, with the number of the module that each belongs to.
    fn libraries(&self) -> &[(PathBuf, Option<usize>)] {
        self.libraries.get_or_init(|| {
            let entries = |directory: &PathBuf| {
                let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
                let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
                paths.sort();
                paths
            };
            let paths = self.environment.modulepath.iter().flat_map(entries);
            let libraries = paths.map(|path| {
                let owner = self.modules.iter().position(|module| module.path == path);
                (path.join("lib"), owner)
            });
            libraries.filter(|(path, _)| path.is_dir()).collect()
        })
    }

    fn puppet_function(
        &self,
        path: &Path,
        module: &str,
        name: Symbol,
    ) -> Result<FunctionRef, Refusal> {
        let program = self.read_program(path, module, &mut Vec::new());
        let program = Arc::new(program?);
        let ast = program.ast();
        let is_it = |&&id: &&_| match ast[id] {
            Expr::Named(named) => {
                let named = ast.named(named);
                named.kind == NamedKind::Function && ast.text(named.name) == name.as_str()
            }
            _ => false,
        };
        let Some(&definition) = ast.definitions().iter().find(is_it) else {
            let issue = issues::missing_definition(&path.to_string_lossy());
            return Err(Refusal::of_file(issue, None));
        };
        let function = PuppetFunction { name, program: Arc::clone(&program), definition };
        Ok(FunctionRef::Puppet(Arc::new(function)))
    }
}

impl Snapshot {
    fn ruby_function(
        &self,
        owner: Option<&Module>,
        name: Symbol,
        file: File,
        path: &Path,
    ) -> FunctionRef {
        if let Some(native) = native(owner, name, file, path).filter(|_| !self.always_by_worker()) {
            return native;
        }
        let function: Arc<dyn ForeignFunction> = match self.read_ruby_function(name, path) {
            Ok((function, _)) => Arc::new(function),
            Err(reason) => Arc::new(Unavailable { name, path: path.to_owned(), reason }),
        };
        FunctionRef::Foreign(function)
    }

    /// A Ruby file that a module has below `lib`, or one of an absolute path without `.rb`.
    pub(crate) fn find_ruby_file(&self, name: &str) -> Option<(String, String)> {
        let read = |path: PathBuf| {
            let text = std::fs::read_to_string(&path).ok()?;
            Some((path.to_string_lossy().into_owned(), text))
        };
        let file = format!("{name}.rb");
        if Path::new(&file).is_absolute() {
            let path = PathBuf::from(&file);
            return read(path).filter(|_| {
                self.modules.iter().any(|m| name.starts_with(&*m.path.to_string_lossy()))
            });
        }
        let mut places = self.modules.iter().map(|module| module.path.join("lib").join(&file));
        places.find_map(read)
    }
}

/// A function that is written in Ruby and can't be run here.
#[derive(Debug)]
struct Unavailable {
    name: Symbol,
    path: PathBuf,
    reason: String,
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
