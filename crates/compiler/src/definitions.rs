//! What a program defines: functions and types.

use std::cell::RefCell;
use std::sync::Arc;

use kukla_base::Symbol;
use kukla_pcore::types::parse::{interpret, interpret_literal};
use kukla_pcore::types::{Names, ObjectType, ResourceType, TypeAlias, capitalize_segments, define};
use kukla_pcore::{Type, Value};
use kukla_syntax::ast::{Expr, ExprId, NamedKind};
use rustc_hash::FxHashMap;

use crate::library::{FunctionRef, PuppetFunction};
use crate::{Evaluator, Library, Program};

/// Types that programs define, by their names in small letters.
///
/// They may use each other in any order, so what one stands for is worked out when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct Types(RefCell<FxHashMap<String, Definition>>);

/// Functions that programs define, and those that were asked for lately.
#[derive(Debug, Default)]
pub(crate) struct DefinedFunctions {
    own: FxHashMap<Symbol, FunctionRef>,
    /// By the last bits of a name's number.
    found: Vec<Option<Found>>,
}

/// A function that was found, for callers in a module: what they see may differ.
#[derive(Debug)]
struct Found {
    name: Symbol,
    module: Box<str>,
    function: FunctionRef,
}

/// How many functions are found without a search, a power of two.
const N_FOUND: usize = 256;

impl DefinedFunctions {
    /// Makes a function known.
    pub(crate) fn insert(&mut self, name: Symbol, function: FunctionRef) {
        self.own.insert(name, function);
        self.found.clear();
    }

    /// The function of a name, if a program defines it.
    pub(crate) fn get(&self, name: &Symbol) -> Option<&FunctionRef> {
        self.own.get(name)
    }

    /// A function that was found before for callers in this module.
    pub(crate) fn found(&self, name: Symbol, module: &str) -> Option<FunctionRef> {
        let found = self.found.get(name.index() % N_FOUND)?.as_ref()?;
        (found.name == name && *found.module == *module).then(|| found.function.clone())
    }

    /// Keeps a function that was found for callers in this module.
    pub(crate) fn keep(&mut self, name: Symbol, module: &str, function: &FunctionRef) {
        self.found.resize_with(N_FOUND, || None);
        let function = function.clone();
        self.found[name.index() % N_FOUND] = Some(Found { name, module: module.into(), function });
    }
}

#[derive(Debug, Clone)]
enum Definition {
    /// Nobody has asked for it yet.
    Written { program: Arc<Program>, definition: ExprId },
    /// What it is, or why it is nothing.
    Made(Result<Type, String>),
}

impl Evaluator {
    /// Makes the functions and types of a program known.
    pub(crate) fn define(&mut self, program: &Arc<Program>) {
        let ast = program.ast();
        for &definition in ast.definitions() {
            match ast[definition] {
                Expr::Named(named) if ast.named(named).kind == NamedKind::Function => {
                    let name = Symbol::new(ast.text(ast.named(named).name));
                    let function =
                        PuppetFunction { name, program: Arc::clone(program), definition };
                    self.functions.insert(name, FunctionRef::Puppet(Arc::new(function)));
                }
                Expr::TypeAlias { name, .. } => self.types.add(ast.text(name), program, definition),
                _ => (),
            }
        }
    }
}

impl Types {
    pub(crate) fn add(&self, name: &str, program: &Arc<Program>, definition: ExprId) {
        let written = Definition::Written { program: Arc::clone(program), definition };
        self.0.borrow_mut().insert(name.to_lowercase(), written);
    }

    /// The type of a name, or why it is none.
    pub(crate) fn find(&self, name: &str, library: &dyn Library) -> Option<Result<Type, String>> {
        let key = name.to_lowercase();
        let known = self.0.borrow().get(&key).cloned();
        match known? {
            Definition::Made(made) => Some(made),
            Definition::Written { program, definition } => {
                let made = self.make(&key, &program, definition, library);
                self.0.borrow_mut().insert(key, Definition::Made(made.clone()));
                Some(made)
            }
        }
    }

    fn make(
        &self,
        key: &str,
        program: &Program,
        definition: ExprId,
        library: &dyn Library,
    ) -> Result<Type, String> {
        let names = KnownNames { types: self, library };
        let set = |type_: Type| {
            self.0.borrow_mut().insert(key.to_owned(), Definition::Made(Ok(type_)));
        };
        make_type(program, definition, &names, &set)
    }
}

/// What `type Name = type` defines. `set` is told of it before it is complete, since it may contain itself.
pub fn make_type(
    program: &Program,
    definition: ExprId,
    names: &dyn Names,
    set: &dyn Fn(Type),
) -> Result<Type, String> {
    let ast = program.ast();
    let Expr::TypeAlias { name, type_ } = ast[definition] else { return Ok(Type::Any) };
    let name = ast.text(name);
    if let Some(hash) = object_hash(program, type_) {
        let object = Arc::new(ObjectType::new(Some(name.into())));
        set(Type::Object(Arc::clone(&object)));
        let hash = interpret_literal(ast, hash, names).map_err(|error| error.0)?;
        if let Value::Hash(hash) = hash {
            define::resolve(&object, &hash)?;
        }
        return Ok(Type::Object(object));
    }
    let alias = Arc::new(TypeAlias::new(name));
    set(Type::Alias(Arc::clone(&alias)));
    let type_ = interpret(ast, Some(type_), names).map_err(|error| error.0)?;
    alias.resolve(&type_).map_err(|error| error.to_string())?;
    Ok(Type::Alias(alias))
}

/// The hash of `type Name = Object[{ … }]`.
fn object_hash(program: &Program, type_: ExprId) -> Option<ExprId> {
    let ast = program.ast();
    match ast[type_] {
        Expr::Hash(_) => Some(type_),
        Expr::Access { left, keys } => match (ast[left], ast.list(keys)) {
            (Expr::QualifiedReference(name), &[hash])
                if ast.text(name) == "Object" && matches!(ast[hash], Expr::Hash(_)) =>
            {
                Some(hash)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Names that the programs and the library know.
pub(crate) struct KnownNames<'a> {
    pub(crate) types: &'a Types,
    pub(crate) library: &'a dyn Library,
}

/// A type of resources, if there is one of that name.
pub(crate) fn resource_type(name: &str, library: &dyn Library) -> Option<Type> {
    if name.contains("::") {
        return None;
    }
    let found = library.resource_type(&name.to_lowercase())?;
    let name = capitalize_segments(found.name());
    Some(Type::Resource(Arc::new(ResourceType { name: Some(name.into()), title: None })))
}

impl Names for KnownNames<'_> {
    fn find(&self, name: &str) -> Option<Type> {
        match self.types.find(name, self.library) {
            Some(made) => made.ok(),
            None => self.library.type_(name).or_else(|| resource_type(name, self.library)),
        }
    }
}
