//! Functions written in Rust, and how they are described.

use std::fmt;
use std::sync::{Arc, OnceLock};

use kukla_base::{Edition, EditionChange, Symbol};
use kukla_foreign::{NoTemplates, ReadTemplates};
use kukla_pcore::Value;
use kukla_world::{Memory, Record, SharedWorld, World};
use rustc_hash::FxHashMap;

use crate::call::Call;
use crate::interpreter::Parameters;
use crate::library::{FunctionRef, NameKind, NoLibrary};
use crate::{Eval, Library};

/// Rust code that runs when a function is called.
pub type Run = fn(&mut Call<'_>) -> Eval<Value>;

/// A row in a table of functions.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Its name, with the name of its module if it has one.
    pub name: &'static str,
    /// How it is called.
    pub kind: Kind,
    /// Names for types that its signatures use.
    pub types: &'static [LocalType],
    /// Whether its result has the encoding of its first argument: bytes stay bytes.
    pub keeps_encoding: bool,
}

/// A name for a type that only one function knows.
#[derive(Clone, Copy, Debug)]
pub struct LocalType {
    /// Its name.
    pub name: &'static str,
    /// The type, which may contain itself and those before it.
    pub type_: &'static str,
}

/// The two kinds of functions that Puppet has.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// With signatures, of which the first that accepts the arguments is taken.
    Typed(&'static [Signature]),
    /// Of the old kind: it gets `''` for `undef`, and looks at its arguments itself.
    Untyped {
        /// The number of arguments, or `-n - 1` if there are at least `n`.
        arity: i32,
        /// Whether it has a value.
        has_value: bool,
        /// The code.
        run: Run,
    },
}

/// Parameters that a function accepts, and the code that runs then.
///
/// `accepts` lists the parameters: `Type name`, `Type name?` may be left out, `Type *name` takes the rest,
/// `Type +name` takes the rest and at least one, `Callable[1, 1] &name` and `Callable &name?` are blocks.
#[derive(Clone, Copy)]
pub struct Signature {
    /// The parameters.
    pub accepts: &'static str,
    /// The type of the result, where Puppet checks it.
    pub returns: Option<&'static str>,
    /// Whether it accepts what is wrong: its value is the message then.
    pub is_mismatch: bool,
    /// The change that added it.
    pub since: Option<EditionChange>,
    /// The change that removed it.
    pub until: Option<EditionChange>,
    /// The code.
    pub run: Run,
}

impl Function {
    /// A function with signatures.
    pub const fn typed(name: &'static str, signatures: &'static [Signature]) -> Self {
        Self { name, kind: Kind::Typed(signatures), types: &[], keeps_encoding: false }
    }

    /// A function with signatures that use names for types.
    pub const fn typed_with(
        name: &'static str,
        types: &'static [LocalType],
        signatures: &'static [Signature],
    ) -> Self {
        Self { name, kind: Kind::Typed(signatures), types, keeps_encoding: false }
    }

    /// A function of the old kind that has a value.
    pub const fn untyped(name: &'static str, arity: i32, run: Run) -> Self {
        Self {
            name,
            kind: Kind::Untyped { arity, has_value: true, run },
            types: &[],
            keeps_encoding: false,
        }
    }

    /// A function of the old kind that has no value.
    pub const fn statement(name: &'static str, arity: i32, run: Run) -> Self {
        Self {
            name,
            kind: Kind::Untyped { arity, has_value: false, run },
            types: &[],
            keeps_encoding: false,
        }
    }
}

impl Function {
    /// Like this one, but its result has the encoding of its first argument.
    pub const fn keeping_encoding(self) -> Self {
        Self { keeps_encoding: true, ..self }
    }
}

impl Signature {
    /// Returns a signature.
    pub const fn new(accepts: &'static str, run: Run) -> Self {
        Self { accepts, returns: None, is_mismatch: false, since: None, until: None, run }
    }

    /// Returns a signature with a type that the result must have.
    pub const fn returning(accepts: &'static str, returns: &'static str, run: Run) -> Self {
        Self { accepts, returns: Some(returns), is_mismatch: false, since: None, until: None, run }
    }

    /// Returns this signature for editions that have a change.
    pub const fn since(self, change: EditionChange) -> Self {
        Self { since: Some(change), ..self }
    }

    /// Returns this signature for editions before a change.
    pub const fn until(self, change: EditionChange) -> Self {
        Self { until: Some(change), ..self }
    }

    /// Whether an edition has this signature.
    pub(crate) fn is_in(&self, edition: Edition) -> bool {
        self.since.is_none_or(|change| edition.has(change))
            && !self.until.is_some_and(|change| edition.has(change))
    }

    /// Returns a signature of arguments that are refused; the value of `run` is the message.
    pub const fn mismatch(accepts: &'static str, run: Run) -> Self {
        Self { accepts, returns: None, is_mismatch: true, since: None, until: None, run }
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({})", self.accepts)
    }
}

/// A function written in Rust with its signatures, which are read when they are first needed.
#[derive(Debug)]
pub struct NativeFunction {
    /// Its row in the table.
    pub row: &'static Function,
    pub(crate) name: Symbol,
    pub(crate) parameters: OnceLock<Vec<Parameters>>,
}

impl NativeFunction {
    /// A function of a table.
    pub fn new(row: &'static Function) -> Self {
        Self { row, name: Symbol::new(row.name), parameters: OnceLock::new() }
    }
}

/// All functions written in Rust, by name.
#[derive(Debug)]
pub struct Functions {
    by_name: FxHashMap<Symbol, FunctionRef>,
    world: SharedWorld,
    templates: Box<dyn ReadTemplates>,
}

impl Functions {
    /// The functions of some tables.
    pub fn new(tables: &[&'static [Function]]) -> Self {
        let functions = Self {
            by_name: FxHashMap::default(),
            world: Arc::new(Memory::default()),
            templates: Box::new(NoTemplates),
        };
        functions.with(tables.iter().copied().flatten())
    }

    /// These and more; of a name that was there the new one counts.
    #[must_use]
    pub fn with(mut self, rows: impl IntoIterator<Item = &'static Function>) -> Self {
        for row in rows {
            let function = NativeFunction::new(row);
            self.by_name.insert(function.name, FunctionRef::Native(Arc::new(function)));
        }
        self
    }

    /// Returns these functions in a world.
    #[must_use]
    pub fn in_world(self, world: SharedWorld) -> Self {
        Self { world, ..self }
    }

    /// Returns these functions with a reader of ERB templates.
    #[must_use]
    pub fn with_templates(self, templates: impl ReadTemplates + 'static) -> Self {
        Self { templates: Box::new(templates), ..self }
    }

    /// The names of all functions, in no order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.by_name.keys().map(|name| name.as_str())
    }

    /// The function of a name.
    pub fn get(&self, name: Symbol) -> Option<FunctionRef> {
        self.by_name.get(&name).cloned()
    }
}

impl Library for Functions {
    fn function(&self, name: Symbol, _module: &str, _record: &Record) -> Eval<Option<FunctionRef>> {
        Ok(self.get(name))
    }

    fn type_(&self, _name: &str, _record: &Record) -> Option<kukla_pcore::Type> {
        None
    }

    fn templates(&self) -> &dyn ReadTemplates {
        &*self.templates
    }

    fn names(&self, kind: NameKind) -> Vec<String> {
        match kind {
            NameKind::Function => self.names().map(str::to_owned).collect(),
            NameKind::Manifest | NameKind::ResourceType => NoLibrary.names(kind),
        }
    }

    fn world(&self) -> &dyn World {
        &*self.world
    }
}
