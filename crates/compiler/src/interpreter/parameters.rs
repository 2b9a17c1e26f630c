//! The parameters of functions, blocks and signatures.

use std::sync::{Arc, OnceLock};

use kukla_base::Symbol;
use kukla_pcore::types::{CallableType, IntegerRange, TupleType};
use kukla_pcore::{Type, Value};
use kukla_syntax::ast::ExprId;

use super::table::Numbers;
use crate::Program;

/// The parameters of a function, lambda or signature.
#[derive(Debug, Clone)]
pub struct Parameters {
    /// Each of them.
    pub list: Vec<Parameter>,
    /// How many arguments there must be.
    pub min: usize,
    /// How many there may be; `None` is no limit.
    pub max: Option<usize>,
    /// The block, of a signature.
    pub block: Option<BlockParameter>,
    /// The type of the result.
    pub returns: Option<Type>,
    /// Whether no parameter has a type, a default, or takes the rest.
    pub(crate) is_plain: bool,
    /// The type of what can be called with these, once it was asked for.
    pub(crate) as_type: OnceLock<Type>,
    /// Their numbers by name, once they were asked for.
    pub(crate) numbers: OnceLock<Arc<Numbers>>,
    /// Defaults that are always the same value, and whether that is of the parameter's type.
    pub(crate) constants: OnceLock<Vec<Option<(Value, bool)>>>,
}

/// A parameter.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name.
    pub name: Symbol,
    /// The type of one argument.
    pub type_: Option<Type>,
    /// Its default.
    pub default: Option<ExprId>,
    /// Whether it takes the rest.
    pub captures_rest: bool,
    /// Its node, where it has one.
    pub at: Option<ExprId>,
}

impl Parameter {
    /// Whether a value is surely of its type.
    pub(crate) fn accepts(&self, value: &Value) -> bool {
        match &self.type_ {
            Some(type_) => !matches!(value, Value::Rare(_)) && type_.is_instance(value),
            None => true,
        }
    }
}

/// The block that a signature takes.
#[derive(Debug, Clone)]
pub struct BlockParameter {
    /// Its name.
    pub name: Symbol,
    /// A `Callable`.
    pub type_: Type,
    /// Whether it may be left out.
    pub is_optional: bool,
}

impl Parameters {
    /// Their numbers by name.
    pub(crate) fn numbers(&self) -> &Arc<Numbers> {
        self.numbers.get_or_init(|| Arc::new(self.names().zip(0..).collect()))
    }

    /// Defaults that are always the same value, and whether that is of the parameter's type.
    pub(crate) fn constants(&self, program: &Program) -> &[Option<(Value, bool)>] {
        self.constants.get_or_init(|| {
            let constant = |parameter: &Parameter| {
                let value = program.constant(parameter.default?)?;
                Some((value.clone(), parameter.accepts(value)))
            };
            self.list.iter().map(constant).collect()
        })
    }

    /// How many of them have no default.
    pub(crate) fn n_required(&self) -> usize {
        self.list.iter().filter(|parameter| parameter.default.is_none()).count()
    }

    /// The names of all of them.
    #[inline]
    pub(crate) fn names(&self) -> impl Iterator<Item = Symbol> {
        self.list.iter().map(|parameter| parameter.name)
    }

    /// Whether so many arguments are the values of the parameters, with no default and no rest.
    #[inline]
    pub(crate) fn takes_just(&self, n: usize) -> bool {
        n >= self.list.len() && self.list.last().is_none_or(|last| !last.captures_rest)
    }

    /// One argument of any type: `|$argument|`
    pub(crate) fn one() -> Self {
        let argument = Parameter {
            name: Symbol::new("argument"),
            type_: None,
            default: None,
            captures_rest: false,
            at: None,
        };
        Self {
            list: vec![argument],
            min: 1,
            max: Some(1),
            block: None,
            returns: None,
            is_plain: false,
            as_type: OnceLock::new(),
            numbers: OnceLock::new(),
            constants: OnceLock::new(),
        }
    }

    /// The type of what can be called with these.
    pub fn callable(&self) -> CallableType {
        let types = self.list.iter().map(|p| p.type_.clone().unwrap_or(Type::Any)).collect();
        let size = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
        let size = IntegerRange::new(Some(size(self.min)), self.max.map(size));
        let block = self.block.as_ref().map(|block| match block.is_optional {
            true => Type::Optional(Some(block.type_.clone().into())),
            false => block.type_.clone(),
        });
        CallableType {
            parameters: Some(TupleType { types, size: Some(size) }),
            block,
            returns: self.returns.clone(),
        }
    }
}
