//! Functions and types that programs define.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use kukla_base::Symbol;
use kukla_pcore::Type;
use kukla_pcore::types::{Names, TypeAlias, capitalize_segments};
use kukla_syntax::ast::{Expr, ExprId, NamedKind};
use rustc_hash::FxHashMap;

use super::named_types::make_type;
use super::{CatalogHost, Interpreter};
use crate::Program;
use crate::inputs::Inputs;
use crate::issues::Issue;
use crate::library::{FunctionRef, PuppetFunction};

/// Types that programs define, by their names in lower case.
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
    module: Arc<str>,
    function: Rc<FunctionRef>,
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

    /// The names of all functions that programs define.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        self.own.keys().map(ToString::to_string)
    }

    /// A function that was found before for callers in this module.
    #[inline]
    pub(crate) fn found(&self, name: Symbol, module: &Arc<str>) -> Option<Rc<FunctionRef>> {
        let found = self.found.get(name.index() % N_FOUND)?.as_ref()?;
        let is_same = || Arc::ptr_eq(&found.module, module) || found.module == *module;
        (found.name == name && is_same()).then(|| Rc::clone(&found.function))
    }

    /// Keeps a function that was found for callers in this module.
    pub(crate) fn keep(
        &mut self,
        name: Symbol,
        module: &Arc<str>,
        function: FunctionRef,
    ) -> Rc<FunctionRef> {
        self.found.resize_with(N_FOUND, || None);
        let function = Rc::new(function);
        let found = Found { name, module: Arc::clone(module), function: Rc::clone(&function) };
        self.found[name.index() % N_FOUND] = Some(found);
        function
    }
}

#[derive(Debug, Clone)]
enum Definition {
    /// A definition that was not evaluated yet.
    Written { program: Arc<Program>, definition: ExprId },
    /// The type, or the error in its definition.
    Made(Result<Type, Issue>),
}

impl<C: CatalogHost> Interpreter<C> {
    /// Makes the functions and types of a program known.
    pub(crate) fn define(&mut self, program: &Arc<Program>) {
        self.define_functions(program);
        let ast = program.ast();
        for &definition in ast.definitions() {
            if let Expr::TypeAlias { name, .. } = ast[definition] {
                self.types.add(ast.text(name), program, definition);
            }
        }
    }

    /// Makes the functions of a program known, which shadow those of the library.
    pub(crate) fn define_functions(&mut self, program: &Arc<Program>) {
        let ast = program.ast();
        for &definition in ast.definitions() {
            if let Expr::Named(named) = ast[definition]
                && ast.named(named).kind == NamedKind::Function
            {
                let name = Symbol::new(ast.text(ast.named(named).name));
                let function = PuppetFunction { name, program: Arc::clone(program), definition };
                self.functions.insert(name, FunctionRef::Puppet(Arc::new(function)));
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
    pub(crate) fn find(&self, name: &str, inputs: &Inputs) -> Option<Result<Type, Issue>> {
        let key = name.to_lowercase();
        let known = self.0.borrow().get(&key).cloned();
        match known? {
            Definition::Made(made) => Some(made),
            Definition::Written { program, definition } => {
                let made = self.make(&program, definition, inputs);
                self.0.borrow_mut().insert(key, Definition::Made(made.clone()));
                Some(made)
            }
        }
    }

    fn make(&self, program: &Program, definition: ExprId, inputs: &Inputs) -> Result<Type, Issue> {
        let known = KnownNames { types: self, inputs };
        let names = NamesOfDefinition { known, failed: RefCell::default() };
        let register = |name: &str, type_: Type| {
            self.0.borrow_mut().insert(name.to_lowercase(), Definition::Made(Ok(type_)));
        };
        let made = make_type(program, definition, &names, &register)?;
        names.failed.take().map_or(Ok(made), Err)
    }
}

/// Names that a definition uses: it is no better than what it uses.
struct NamesOfDefinition<'a> {
    known: KnownNames<'a>,
    /// Why one of them is no type.
    failed: RefCell<Option<Issue>>,
}

impl Names for NamesOfDefinition<'_> {
    fn find(&self, name: &str) -> Option<Type> {
        let Some(Err(issue)) = self.known.types.find(name, self.known.inputs) else {
            return self.known.find(name);
        };
        self.failed.replace(Some(issue));
        Some(Type::Alias(Arc::new(TypeAlias::new(name))))
    }
}

/// Names that the programs and the library know.
pub(crate) struct KnownNames<'a> {
    pub(crate) types: &'a Types,
    pub(crate) inputs: &'a Inputs,
}

/// A type of resources, if there is one of that name.
pub(crate) fn resource_type(name: &str, inputs: &Inputs) -> Option<Type> {
    if name.contains("::") {
        return None;
    }
    let found = inputs.resource_type(&name.to_lowercase())?;
    let name = capitalize_segments(found.name());
    Some(Type::resource(Some(name.into()), None))
}

impl Names for KnownNames<'_> {
    fn find(&self, name: &str) -> Option<Type> {
        match self.types.find(name, self.inputs) {
            Some(made) => made.ok(),
            None => self.inputs.type_(name).or_else(|| resource_type(name, self.inputs)),
        }
    }
}
