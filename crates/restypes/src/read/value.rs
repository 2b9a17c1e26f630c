//! Values, as far as declarations need them.

use std::cell::RefCell;
use std::rc::Rc;

use kukla_regex::Options;

use super::model::ModuleId;
use crate::ruby::Block;

/// A value of Ruby, or `Unknown`.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Unknown,
    Nil,
    Bool(bool),
    Int(i64),
    Str(Rc<str>),
    Sym(Rc<str>),
    /// A `Pathname`.
    Path(Rc<str>),
    Regex(Rc<str>, Options),
    Array(Rc<[Value]>),
    Hash(Rc<[(Value, Value)]>),
    Proc(Rc<Closure>),
    /// A module, class or resource type that was read.
    Module(ModuleId),
    /// The class of an attribute that is being declared.
    Attribute(ModuleId, Rc<str>),
    /// A constant that no file defined, such as `Puppet::Parameter::Boolean`.
    Const(Rc<str>),
}

/// A block with the frame that it closes over.
#[derive(Debug)]
pub(super) struct Closure {
    pub(super) block: Rc<Block>,
    pub(super) frame: Frame,
}

/// The surroundings of code: local variables, `self`, modules, file, method.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) locals: Rc<Locals>,
    pub(super) this: Value,
    /// The modules around the code, outermost first.
    pub(super) nesting: Rc<[ModuleId]>,
    pub(super) path: Rc<str>,
    /// The method that runs, for `super` and `yield`.
    pub(super) method: Option<Rc<Running>>,
    /// True in `class << self`, where `def` defines singleton methods.
    pub(super) is_singleton: bool,
}

/// A call of a method, while it runs.
#[derive(Debug)]
pub(super) struct Running {
    pub(super) name: Rc<str>,
    pub(super) args: Vec<Value>,
    pub(super) block: Option<Rc<Closure>>,
    /// The index of the method in the lookup order of its name.
    pub(super) rank: usize,
}

/// Local variables of a body, with those of the bodies around it.
#[derive(Debug, Default)]
pub(super) struct Locals {
    own: RefCell<Vec<(Rc<str>, Value)>>,
    outer: Option<Rc<Locals>>,
}

impl Locals {
    pub(super) fn inside(outer: &Rc<Self>) -> Rc<Self> {
        Rc::new(Self { own: RefCell::default(), outer: Some(Rc::clone(outer)) })
    }

    pub(super) fn get(&self, name: &str) -> Option<Value> {
        let own = self.own.borrow();
        let variable = own.iter().find(|(variable, _)| &**variable == name);
        let value = variable.map(|(_, value)| value.clone());
        value.or_else(|| self.outer.as_ref()?.get(name))
    }

    /// Changes a variable of this body or one around it; returns false if there is none of this name.
    fn change(&self, name: &str, value: &Value) -> bool {
        let mut own = self.own.borrow_mut();
        match own.iter_mut().find(|(variable, _)| &**variable == name) {
            Some((_, old)) => {
                *old = value.clone();
                true
            }
            None => self.outer.as_ref().is_some_and(|outer| outer.change(name, value)),
        }
    }

    pub(super) fn set(&self, name: &Rc<str>, value: Value) {
        if !self.change(name, &value) {
            self.declare(name, value);
        }
    }

    /// Adds a variable to this body, as binding a parameter does; it shadows those around.
    pub(super) fn declare(&self, name: &Rc<str>, value: Value) {
        let mut own = self.own.borrow_mut();
        own.retain(|(variable, _)| variable != name);
        own.push((Rc::clone(name), value));
    }
}

impl Value {
    pub(super) fn array(items: Vec<Self>) -> Self {
        Self::Array(items.into())
    }

    pub(super) fn hash(pairs: Vec<(Self, Self)>) -> Self {
        Self::Hash(pairs.into())
    }

    pub(super) fn str(text: &str) -> Self {
        Self::Str(text.into())
    }

    /// Returns the truth of the value as a condition; `None` if it is unknown.
    pub(super) fn truth(&self) -> Option<bool> {
        match self {
            Self::Unknown => None,
            Self::Nil | Self::Bool(false) => Some(false),
            _ => Some(true),
        }
    }

    /// Returns the text of a string, symbol or path.
    pub(super) fn text(&self) -> Option<&Rc<str>> {
        match self {
            Self::Str(text) | Self::Sym(text) | Self::Path(text) => Some(text),
            _ => None,
        }
    }

    /// Converts the value like Ruby's `to_s`; `None` if the result is unknown.
    pub(super) fn to_s(&self) -> Option<String> {
        Some(match self {
            Self::Nil => String::new(),
            Self::Bool(yes) => yes.to_string(),
            Self::Int(number) => number.to_string(),
            Self::Regex(source, options) => {
                kukla_regex::Regex::with_options(source, *options).ok()?.to_s()
            }
            Self::Const(path) => path.to_string(),
            _ => self.text()?.to_string(),
        })
    }

    /// Compares like Ruby's `==`; `None` if the result is unknown.
    pub(super) fn equals(&self, other: &Self) -> Option<bool> {
        Some(match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) => return None,
            (Self::Nil, Self::Nil) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Str(a), Self::Str(b)) | (Self::Sym(a), Self::Sym(b)) => a == b,
            (Self::Path(a), Self::Path(b)) | (Self::Const(a), Self::Const(b)) => a == b,
            (Self::Module(a), Self::Module(b)) => a == b,
            (Self::Array(a), Self::Array(b)) => {
                if a.len() != b.len() {
                    return Some(false);
                }
                for (a, b) in a.iter().zip(b.iter()) {
                    if !a.equals(b)? {
                        return Some(false);
                    }
                }
                true
            }
            (Self::Hash(_), Self::Hash(_)) | (Self::Regex(..), Self::Regex(..)) => return None,
            _ => false,
        })
    }

    /// Returns the value of a key, if this is a hash that has it.
    pub(super) fn at(&self, key: &str) -> Option<&Self> {
        let Self::Hash(pairs) = self else { return None };
        let is_key = |other: &Self| other.text().is_some_and(|text| &**text == key);
        pairs.iter().rev().find(|(other, _)| is_key(other)).map(|(_, value)| value)
    }
}
