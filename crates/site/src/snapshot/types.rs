//! Type aliases that modules and the environment define, each in a file of its own.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

use kukla_compiler::issues::{self, Issue};
use kukla_compiler::{Library, Program, make_type};
use kukla_pcore::Type;
use kukla_pcore::types::{Names, capitalize_segments, named};
use kukla_syntax::ast::Expr;
use rustc_hash::FxHashMap;

use super::Snapshot;

impl Snapshot {
    /// The type of a name.
    pub(crate) fn find_type(&self, name: &str) -> Option<Type> {
        let key = name.to_lowercase();
        if let Some(known) = self.types.get(&key) {
            return known?.ok();
        }
        // Types may contain each other, so all that come up are worked out before anybody sees one.
        let resolving = Resolving { snapshot: self, made: RefCell::default() };
        let found = resolving.find_type(&key);
        #[expect(clippy::iter_over_hash_type, reason = "they are put into another table")]
        for (name, made) in resolving.made.into_inner() {
            self.types.keep(name, Some(made));
        }
        match found {
            Some(type_) => self.types.get(&key).flatten().map_or(Some(type_), Result::ok),
            None => self.types.keep(key, None)?.ok(),
        }
    }

    fn type_file(&self, key: &str) -> Option<(PathBuf, &str)> {
        let mut segments = key.split("::");
        let first = segments.next()?;
        let rest: Vec<&str> = segments.collect();
        let (root, module, rest) = match self.module(first) {
            Some(module) if !rest.is_empty() => {
                (&module.path, module.name.as_str(), rest.join("/"))
            }
            _ => {
                let own = if first == "environment" { rest } else { key.split("::").collect() };
                (&self.environment.directory, "", own.join("/"))
            }
        };
        let path = root.join("types").join(format!("{rest}.pp"));
        if path.is_file() {
            return Some((path, module));
        }
        // The set of types that has the name of its module.
        let module = self.module(key)?;
        let path = module.path.join("types/init_typeset.pp");
        path.is_file().then_some((path, module.name.as_str()))
    }
}

/// Types that are being worked out by one thread.
struct Resolving<'a> {
    snapshot: &'a Snapshot,
    made: RefCell<FxHashMap<String, Result<Type, Issue>>>,
}

impl Resolving<'_> {
    fn find_type(&self, key: &str) -> Option<Type> {
        if let Some(made) = self.made.borrow().get(key) {
            return made.clone().ok();
        }
        let Some((path, module)) = self.snapshot.type_file(key) else { return self.in_set(key) };
        let program = self.snapshot.read_program(&path, module, &mut Vec::new());
        let program = program.map_err(|refusal| refusal.issue);
        let made = program.and_then(|program| self.make(key, &Arc::new(program)));
        self.made.borrow_mut().insert(key.to_owned(), made.clone());
        made.ok()
    }

    /// A type of a set that has the name before it.
    fn in_set(&self, key: &str) -> Option<Type> {
        let mut name = key;
        while let Some((set, _)) = name.rsplit_once("::") {
            if let Some(Type::TypeSet(_)) = self.find_type(set) {
                return self.made.borrow().get(key)?.clone().ok();
            }
            name = set;
        }
        None
    }

    fn make(&self, key: &str, program: &Arc<Program>) -> Result<Type, Issue> {
        let ast = program.ast();
        let is_it = |&&id: &&_| matches!(ast[id], Expr::TypeAlias { name, .. } if ast.text(name).eq_ignore_ascii_case(key));
        let Some(&definition) = ast.definitions().iter().find(is_it) else {
            return Err(issues::missing_definition(program.file()));
        };
        let register = |name: &str, type_: Type| {
            self.made.borrow_mut().insert(name.to_lowercase(), Ok(type_));
        };
        make_type(program, definition, self, &register)
    }
}

impl Names for Resolving<'_> {
    fn find(&self, name: &str) -> Option<Type> {
        if let Some(type_) = named(name) {
            return Some(type_);
        }
        let key = name.to_lowercase();
        if let Some(known) = self.snapshot.types.get(&key) {
            return known?.ok();
        }
        self.find_type(&key).or_else(|| {
            let found = self.snapshot.resource_type(&key)?;
            let name = Some(capitalize_segments(found.name()).into());
            Some(Type::resource(name, None))
        })
    }
}
