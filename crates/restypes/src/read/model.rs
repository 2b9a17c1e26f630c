//! Modules, methods and types, while files are read.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::value::{Frame, Value};
use crate::ruby::Block;
use kukla_catalog::types::AppliesTo;

/// The index of a [`Module`]; the first is `Object`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ModuleId(pub(super) usize);

/// A module, a class, or a resource type, which is a class.
#[derive(Debug, Default)]
pub(super) struct Module {
    /// The full name.
    pub(super) path: Rc<str>,
    pub(super) constants: FxHashMap<Rc<str>, Value>,
    pub(super) variables: FxHashMap<Rc<str>, Value>,
    pub(super) methods: FxHashMap<Rc<str>, Method>,
    pub(super) singleton: FxHashMap<Rc<str>, Method>,
    pub(super) includes: Vec<ModuleId>,
    pub(super) extends: Vec<ModuleId>,
    pub(super) parent: Option<Value>,
    /// The declarations so far, if it is a resource type.
    pub(super) draft: Option<Draft>,
}

/// A method, with the frame of its definition.
#[derive(Clone, Debug)]
pub(super) struct Method {
    pub(super) block: Rc<Block>,
    pub(super) frame: Frame,
    /// True if `define_method` made it, so that it sees the local variables around it.
    pub(super) is_closure: bool,
}

/// A resource type whose declaration is being read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Draft {
    pub(super) name: Rc<str>,
    pub(super) properties: Vec<Rc<str>>,
    /// Parameters, each with a flag that says whether it is a namevar.
    pub(super) parameters: Vec<(Rc<str>, bool)>,
    pub(super) applies_to: AppliesTo,
    pub(super) is_not_isomorphic: bool,
    /// True if the file of the type declares a provider too.
    pub(super) has_provider: bool,
    /// The title patterns in the definition of a type of the Resource API.
    pub(super) patterns: Option<Patterns>,
    pub(super) line: u32,
}

/// Title patterns of a type of the Resource API.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Patterns(pub(super) kukla_catalog::types::TitlePatterns);

impl Draft {
    pub(super) fn key_attributes(&self) -> impl Iterator<Item = &Rc<str>> {
        let keys =
            self.parameters.iter().filter(|(name, is_namevar)| *is_namevar || &**name == "name");
        keys.map(|(name, _)| name)
    }
}
