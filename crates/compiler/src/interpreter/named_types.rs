//! Types from their definitions: `type Name = type`.

use std::cell::RefCell;
use std::sync::Arc;

use kukla_pcore::types::parse::{interpret, interpret_literal};
use kukla_pcore::types::{Names, ObjectType, TypeAlias, TypeSet, define};
use kukla_pcore::{Hash, Type, Value};
use kukla_syntax::Ast;
use kukla_syntax::ast::{Expr, ExprId, ExprList};

use crate::Program;
use crate::issues::{self, Issue};

/// A function that registers types by name before they are complete, since they may contain themselves.
pub(crate) type Register<'a> = &'a dyn Fn(&str, Type);

/// Returns the type that `type Name = type` defines.
pub fn make_type(
    program: &Program,
    definition: ExprId,
    names: &dyn Names,
    register: Register<'_>,
) -> Result<Type, Issue> {
    let ast = program.ast();
    let Expr::TypeAlias { name, type_ } = ast[definition] else { return Ok(Type::Any) };
    let named = Named::new(ast, ast.text(name), type_);
    register(ast.text(name), named.type_());
    named.resolve(ast, names, register)?;
    Ok(named.type_())
}

/// A type that has a name; what it stands for is yet to be worked out.
enum Named {
    Object(Arc<ObjectType>, Init),
    Set(Arc<TypeSet>, Option<ExprId>),
    Alias(Arc<TypeAlias>, ExprId),
}

/// Where the hash of an Object type is written.
#[derive(Clone, Copy)]
enum Init {
    /// `{ … }`, or what stands in its place.
    Expr(ExprId),
    /// `Parent { … }`
    Defaults { parent: ExprId, operations: ExprList },
}

impl Named {
    /// An Object type and a set have the name themselves; all else is an alias.
    fn new(ast: &Ast, name: &str, expr: ExprId) -> Self {
        let object = |init| Self::Object(Arc::new(ObjectType::new(Some(name.into()))), init);
        match ast[expr] {
            Expr::Hash(_) => object(Init::Expr(expr)),
            Expr::ResourceDefaults { type_ref, operations, .. } => {
                object(Init::Defaults { parent: type_ref, operations })
            }
            Expr::Access { left, keys } => match (meta_name(ast, left), ast.list(keys)) {
                (Some("Object"), &[init, ..]) => object(Init::Expr(init)),
                (Some("TypeSet"), &[init, ..]) => {
                    let set = TypeSet::new(Some(name.into()), Some(define::RUNTIME.into()));
                    Self::Set(Arc::new(set), Some(init))
                }
                _ => Self::Alias(Arc::new(TypeAlias::new(name)), expr),
            },
            _ => Self::Alias(Arc::new(TypeAlias::new(name)), expr),
        }
    }

    fn type_(&self) -> Type {
        match self {
            Self::Object(object, _) => Type::Object(Arc::clone(object)),
            Self::Set(set, _) => Type::TypeSet(Arc::clone(set)),
            Self::Alias(alias, _) => Type::Alias(Arc::clone(alias)),
        }
    }
}

impl Named {
    fn resolve(&self, ast: &Ast, names: &dyn Names, register: Register<'_>) -> Result<(), Issue> {
        let reader = Reader { ast, names };
        match self {
            Self::Object(object, init) => Ok(define::resolve(object, &reader.object_hash(*init)?)?),
            Self::Set(set, init) => reader.set(set, *init, register),
            Self::Alias(alias, expr) => {
                let type_ = interpret(ast, Some(*expr), names)?;
                Ok(alias.resolve(&type_)?)
            }
        }
    }
}

/// Reads the hashes of definitions, which are not evaluated.
struct Reader<'a> {
    ast: &'a Ast,
    names: &'a dyn Names,
}

impl Reader<'_> {
    fn literal(&self, expr: ExprId) -> Result<Value, Issue> {
        Ok(interpret_literal(self.ast, expr, self.names)?)
    }

    fn object_hash(&self, init: Init) -> Result<Hash, Issue> {
        match init {
            Init::Expr(expr) => match self.ast[expr] {
                Expr::Hash(_) => match self.literal(expr)? {
                    Value::Hash(hash) => Ok((*hash).clone()),
                    _ => Ok(Hash::new()),
                },
                _ => Err(issues::object_without_hash(self.ast.class_name(expr))),
            },
            Init::Defaults { parent, operations } => self.defaults_hash(parent, operations),
        }
    }

    /// `Parent { … }`
    fn defaults_hash(&self, parent: ExprId, operations: ExprList) -> Result<Hash, Issue> {
        let mut hash = Hash::new();
        if !matches!(meta_name(self.ast, parent), Some("Object" | "TypeSet")) {
            hash.insert("parent".into(), self.literal(parent)?);
        }
        for &operation in self.ast.list(operations) {
            let Expr::AttributeOperation { name, value, .. } = self.ast[operation] else {
                continue;
            };
            let name = self.ast.text(name);
            if name == "parent" && hash.get_str(name).is_some() {
                return Err(issues::duplicate_parent());
            }
            hash.insert(name.into(), self.literal(value)?);
        }
        Ok(hash)
    }

    /// Its types are made known before any of them is worked out.
    fn set(
        &self,
        set: &Arc<TypeSet>,
        init: Option<ExprId>,
        register: Register<'_>,
    ) -> Result<(), Issue> {
        let entries = match init.map(|init| self.ast[init]) {
            Some(Expr::Hash(entries)) => self.ast.list(entries),
            _ => &[],
        };
        let mut hash = Hash::new();
        let mut contained = Vec::new();
        for &entry in entries {
            let Expr::KeyedEntry { key, value } = self.ast[entry] else { continue };
            let key = self.literal(key)?;
            let value = match (key.as_str(), self.ast[value]) {
                (Some("types"), Expr::Hash(entries)) => {
                    self.types_of(set, self.ast.list(entries), &mut contained)?
                }
                (Some("references"), Expr::Hash(entries)) => {
                    self.references(self.ast.list(entries))?
                }
                _ => self.literal(value)?,
            };
            hash.insert(key, value);
        }
        for named in &contained {
            register(&named.type_().name(), named.type_());
        }
        define::resolve_set(set, &hash)?;
        define::resolve_references(set, self.names)?;
        let names = NamesInSet {
            reader: self,
            set,
            contained: &contained,
            begun: RefCell::new(vec![false; contained.len()]),
            failed: RefCell::default(),
        };
        for place in 0..contained.len() {
            names.work_out(place);
            if let Some(issue) = names.failed.take() {
                return Err(issue);
            }
        }
        Ok(())
    }

    fn types_of(
        &self,
        set: &TypeSet,
        entries: &[ExprId],
        contained: &mut Vec<Named>,
    ) -> Result<Value, Issue> {
        let set = set.name.as_deref().unwrap_or_default();
        let mut hash = Hash::new();
        for (key, value) in self.entries(entries) {
            let name = self.name(key)?;
            let full = format!("{set}::{}", kukla_pcore::interpolate::text(&name));
            let named = Named::new(self.ast, &full, value);
            hash.insert(name, named.type_().into());
            contained.push(named);
        }
        Ok(hash.into())
    }

    fn references(&self, entries: &[ExprId]) -> Result<Value, Issue> {
        let mut hash = Hash::new();
        for (key, value) in self.entries(entries) {
            hash.insert(self.name(key)?, self.literal(value)?);
        }
        Ok(hash.into())
    }

    fn entries(&self, entries: &[ExprId]) -> impl Iterator<Item = (ExprId, ExprId)> {
        entries.iter().filter_map(|&entry| match self.ast[entry] {
            Expr::KeyedEntry { key, value } => Some((key, value)),
            _ => None,
        })
    }

    /// Keys are names, though nothing may be known by them.
    fn name(&self, key: ExprId) -> Result<Value, Issue> {
        match self.ast[key] {
            Expr::QualifiedReference(name) => Ok(self.ast.text(name).into()),
            _ => self.literal(key),
        }
    }
}

fn meta_name(ast: &Ast, expr: ExprId) -> Option<&str> {
    match ast[expr] {
        Expr::QualifiedReference(name) => Some(ast.text(name)),
        _ => None,
    }
}

/// Names as the types of a set see them: what is known outside goes first.
///
/// A type of the set is worked out when it is asked for.
struct NamesInSet<'a> {
    reader: &'a Reader<'a>,
    set: &'a TypeSet,
    contained: &'a [Named],
    begun: RefCell<Vec<bool>>,
    /// Why one of them is no type.
    failed: RefCell<Option<Issue>>,
}

impl NamesInSet<'_> {
    fn work_out(&self, place: usize) {
        if std::mem::replace(&mut self.begun.borrow_mut()[place], true) {
            return;
        }
        // Types of a set in a set are known by that set alone.
        let register = |_: &str, _: Type| ();
        if let Err(issue) = self.contained[place].resolve(self.reader.ast, self, &register) {
            // What asks for it fails for its own reason, if it does.
            self.failed.replace(Some(issue));
        }
    }
}

impl Names for NamesInSet<'_> {
    fn find(&self, name: &str) -> Option<Type> {
        let found = self.reader.names.find(name).or_else(|| self.set.find(name))?;
        if let Some(place) = self.contained.iter().position(|named| named.type_() == found) {
            self.work_out(place);
        }
        Some(found)
    }
}
