//! A tree in its parts, for code that keeps trees in files.

use std::num::NonZeroU32;
use std::ops::Range;

use kukla_base::Span;

use super::{
    Ast, Expr, ExprId, ExprList, Few, Named, NamedId, Node, TypeDefinition, TypeDefinitionId,
};

/// The parts of an [`Ast`] while it is put together again.
///
/// The caller guarantees that what starts at the body is a tree, and that all ids and ranges are inside their lists.
#[derive(Debug)]
pub struct Raw {
    /// The text that was parsed.
    pub source: String,
    /// The strings that had to be built, which are counted as if they followed the source.
    pub built: String,
    /// With [`Node::NONE`] in front.
    pub nodes: Vec<Node>,
    /// Children of nodes that have many, one list after the other.
    pub lists: Vec<ExprId>,
    /// Named definitions: classes, defined types, functions, nodes …
    pub named: Few<Named>,
    /// `type Name = …` definitions.
    pub type_definitions: Vec<TypeDefinition>,
    /// The root.
    pub body: Option<ExprId>,
    /// All definitions, in the order of the source.
    pub definitions: Few<ExprId>,
    /// Variables whose name has another place than usual.
    pub odd_names: Vec<(ExprId, Span)>,
}

impl From<Raw> for Ast {
    fn from(raw: Raw) -> Self {
        let Raw { source, built, nodes, lists, .. } = raw;
        let Raw { named, type_definitions, body, definitions, odd_names, .. } = raw;
        Self {
            source,
            built,
            nodes,
            is_ordered: false,
            lists,
            named,
            type_definitions,
            body,
            definitions,
            odd_names,
        }
    }
}

impl Raw {
    /// Adds to the list of [`Raw::named`].
    pub fn add_named(all: &mut Few<Named>, named: Named) -> Expr {
        all.push(named);
        Expr::Named(NamedId(count(all.len() - 1)))
    }

    /// Adds to the list of [`Raw::type_definitions`].
    pub fn add_type_definition(all: &mut Vec<TypeDefinition>, definition: TypeDefinition) -> Expr {
        all.push(definition);
        Expr::TypeDefinition(TypeDefinitionId(count(all.len() - 1)))
    }
}

/// There are fewer nodes than an id can count.
fn count(number: usize) -> u32 {
    u32::try_from(number).expect("fewer nodes than bytes")
}

impl ExprId {
    /// The node before which there are so many.
    #[inline]
    pub fn after(n_before: u32) -> Self {
        Self(NonZeroU32::MIN.saturating_add(n_before))
    }

    /// The node that follows.
    #[inline]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// By number, counted from 1.
impl ExprId {
    /// None has number 0.
    #[inline]
    pub fn if_any(number: u32) -> Option<Self> {
        NonZeroU32::new(number).map(Self)
    }

    /// The first in place of number 0.
    #[inline]
    pub fn at_least_first(number: u32) -> Self {
        Self(NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN))
    }
}

impl ExprList {
    /// Returns the list at a range of [`Raw::lists`].
    #[inline]
    pub fn new(start: u32, len: u32) -> Self {
        Self { start, len }
    }

    /// Where its nodes are in [`Raw::lists`].
    pub fn range(self) -> Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}
