//! Texts of a section.

use super::nodes::Beside;
use kukla_syntax::ast::{Named, Node, Text, TypeDefinition};

/// The source and the built text, in which all texts lie.
#[derive(Clone, Copy)]
pub(super) struct Texts<'s> {
    pub(super) source: &'s str,
    pub(super) built: &'s str,
}

impl Texts<'_> {
    /// Returns whether each text lies in the source or in the built text, on character boundaries.
    pub(super) fn has_all(&self, nodes: &[Node], beside: &Beside) -> bool {
        let of_named = |named: &Named| [Some(named.name), named.parent_class];
        let of_definition =
            |definition: &TypeDefinition| [Some(definition.name), definition.parent];
        nodes.iter().filter_map(|node| node.expr.text()).all(|text| self.has(text))
            && beside.named.iter().flat_map(of_named).flatten().all(|text| self.has(text))
            && beside
                .type_definitions
                .iter()
                .flat_map(of_definition)
                .flatten()
                .all(|text| self.has(text))
    }

    fn has(&self, Text { start, len }: Text) -> bool {
        let (start, len) = (start as usize, len as usize);
        match start.checked_sub(self.source.len()) {
            None => self.source.get(start..start + len).is_some(),
            Some(start) => self.built.get(start..start + len).is_some(),
        }
    }
}
