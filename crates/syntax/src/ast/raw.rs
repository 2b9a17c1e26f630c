//! The parts of a tree, for serialization.

use std::num::NonZeroU32;
use std::ops::Range;

use kukla_base::Span;

use super::{
    Ast, Expr, ExprId, ExprList, Few, Named, NamedId, Node, TypeDefinition, TypeDefinitionId,
};

/// The parts of a deserialized [`Ast`].
///
/// The caller guarantees that the nodes below the body form a tree, and that all ids and ranges are within their lists.
#[derive(Debug)]
pub struct Raw {
    /// The parsed text.
    pub source: String,
    /// The built strings, whose offsets continue those of the source.
    pub built: String,
    /// With [`Node::NONE`] in front.
    pub nodes: Vec<Node>,
    /// Children of nodes that have many: all lists, concatenated.
    pub lists: Vec<ExprId>,
    /// Named definitions: classes, defined types, functions, nodes …
    pub named: Few<Named>,
    /// `type Name = …` definitions.
    pub type_definitions: Vec<TypeDefinition>,
    /// The root.
    pub body: Option<ExprId>,
    /// All definitions, in the order of the source.
    pub definitions: Few<ExprId>,
    /// Variables whose name has an unusual span.
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

/// Narrows a count. There are fewer nodes than an id can count.
fn count(number: usize) -> u32 {
    u32::try_from(number).expect("fewer nodes than bytes")
}

impl ExprId {
    /// Returns the id of the node with that index.
    #[inline]
    pub fn after(n_before: u32) -> Self {
        Self(NonZeroU32::MIN.saturating_add(n_before))
    }

    /// Returns the id of the next node.
    #[inline]
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// Conversion from and to numbers, counted from 1.
impl ExprId {
    /// Returns `None` for number 0.
    #[inline]
    pub fn if_any(number: u32) -> Option<Self> {
        NonZeroU32::new(number).map(Self)
    }

    /// Returns the first node for number 0.
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

    /// Returns the range of its nodes in [`Raw::lists`].
    pub fn range(self) -> Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}
