//! A tree in its parts, for those who keep trees in files.

use std::num::NonZeroU32;
use std::ops::Range;

use kukla_base::Span;

use super::{
    Ast, Expr, ExprId, ExprList, Few, Named, NamedId, Node, TypeDefinition, TypeDefinitionId,
};

/// The parts of an [`Ast`] while it is put together again.
///
/// Whoever fills it sees to it that what starts at the body is a tree, and that everything lies where it says.
#[derive(Debug)]
pub(crate) struct Raw {
    pub(crate) source: String,
    /// The strings that had to be built, which are counted as if they followed the source.
    pub(crate) built: String,
    /// With [`Node::NONE`] in front.
    pub(crate) nodes: Vec<Node>,
    pub(crate) lists: Vec<ExprId>,
    pub(crate) named: Few<Named>,
    pub(crate) type_definitions: Vec<TypeDefinition>,
    pub(crate) body: Option<ExprId>,
    pub(crate) definitions: Few<ExprId>,
    pub(crate) odd_names: Vec<(ExprId, Span)>,
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
    pub(crate) fn add_named(all: &mut Few<Named>, named: Named) -> Expr {
        all.push(named);
        Expr::Named(NamedId(count(all.len() - 1)))
    }

    /// Adds to the list of [`Raw::type_definitions`].
    pub(crate) fn add_type_definition(
        all: &mut Vec<TypeDefinition>,
        definition: TypeDefinition,
    ) -> Expr {
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
    pub(crate) fn after(n_before: u32) -> Self {
        Self(NonZeroU32::MIN.saturating_add(n_before))
    }

    /// The node that follows.
    #[inline]
    pub(crate) fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

/// By number, counted from 1.
impl ExprId {
    /// None has number 0.
    #[inline]
    pub(crate) fn if_any(number: u32) -> Option<Self> {
        NonZeroU32::new(number).map(Self)
    }

    /// The first in place of number 0.
    #[inline]
    pub(crate) fn at_least_first(number: u32) -> Self {
        Self(NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN))
    }
}

impl ExprList {
    #[inline]
    pub(crate) fn new(start: u32, len: u32) -> Self {
        Self { start, len }
    }

    /// Where its nodes are in [`Raw::lists`].
    pub(crate) fn range(self) -> Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }
}
