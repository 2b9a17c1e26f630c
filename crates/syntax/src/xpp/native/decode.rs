//! Reading the section.
//!
//! Nothing is believed, but much is asked once for many:
//! - Spans lie in the source ([`Bounds`]), and texts do from character border to character border
//!   ([`Columns::has_whole_texts`]).
//! - Every node but the last is the child of one other, which comes after it, and is where its role fits
//!   ([`Children`]).
//! - Tags and details are known, and all columns are used up ([`nodes`]).
//!
//! So whatever the numbers, they make a tree that Puppet's model allows.

use std::borrow::Cow;

use kukla_base::Span;

use super::children::Children;
use super::columns::{Bounds, Columns, LeafRow, Number, span};
use super::digest::{self, Digest};
use super::encode::children_first;
use super::nodes::{self, Beside};
use super::{LIMIT, Leaf, MAGIC, all_of, behind_dollar, between_quotes, shape};
use crate::ast::{Ast, Expr, ExprId, Few, Node, Raw};
use crate::xpp::{SourceCheck, Trust, XppError};

/// What a section that does not fit together is called.
const DAMAGED: XppError = XppError::Corrupt("the section for Kukla does not fit together");

/// Whether these bytes are a section that can be read here.
pub(in crate::xpp) fn is_known(section: &[u8]) -> bool {
    section.starts_with(MAGIC)
}

/// The tree of a section, which must have been made of a source of which `check` is true, and whose size was compared.
pub(in crate::xpp) fn tree(
    section: &[u8],
    check: SourceCheck,
    source: Cow<'_, str>,
    trust: Trust,
) -> Result<Ast, XppError> {
    let (sum, rest) = section[MAGIC.len()..].split_first_chunk::<8>().ok_or(XppError::Truncated)?;
    let (of_source, of_section) = match trust {
        Trust::Size => (None, digest::of_section(rest)),
        Trust::Checksum => {
            let (of_source, of_section) = Digest::with_section(&source, rest);
            (Some(of_source), of_section)
        }
    };
    if of_section != u64::from_le_bytes(*sum) {
        return Err(XppError::WrongChecksum);
    }
    let (head, columns) = rest.split_first_chunk::<20>().ok_or(DAMAGED)?;
    let (head, _) = head.as_chunks::<4>();
    let &[size, crc32, low, high, width] = head else { return Err(DAMAGED) };
    if [size, crc32] != [check.size, check.crc32].map(u32::to_le_bytes) {
        return Err(DAMAGED);
    }
    let is_ascii = match of_source {
        None => source.is_ascii(),
        Some(digest) if digest.sum.to_le_bytes() == *[low, high].as_flattened() => digest.is_ascii,
        Some(_) => return Err(XppError::Stale),
    };
    let tree = match u32::from_le_bytes(width) {
        2 => Columns::<2>::split(columns).and_then(|columns| columns.tree(source, is_ascii)),
        4 => Columns::<4>::split(columns).and_then(|columns| columns.tree(source, is_ascii)),
        _ => None,
    };
    tree.ok_or(DAMAGED)
}

impl<const N: usize> Columns<'_, N>
where
    [u8; N]: Number,
{
    fn tree(&self, source: Cow<'_, str>, is_ascii: bool) -> Option<Ast> {
        let size = source.len().checked_add(self.built.len()).filter(|&size| size < LIMIT)?;
        let mut children = Children::of(self.n_children);
        let mut bounds = Bounds::of(source.len());
        let mut nodes = Vec::with_capacity(self.n_nodes() + 1);
        nodes.push(Node::NONE);
        let mut beside = Beside::default();
        self.add_leaves(&mut nodes, children.expressions(), &mut bounds)?;
        nodes::add(self, &mut nodes, &mut children, &mut beside, &mut bounds)?;
        let lists = children.if_complete()?;
        beside.odd_names.iter().for_each(|&(_, name)| bounds.add::<4>(name));
        let mut of_texts = Bounds::of(size);
        self.texts.iter().for_each(|text| of_texts.add::<N>(span(text)));
        if !bounds.hold() || !of_texts.hold() || !self.has_whole_texts(&nodes, &source, is_ascii) {
            return None;
        }
        let Beside { named, type_definitions, mut definitions, odd_names } = beside;
        let is_unordered = definitions.len() > 1;
        let ast = Ast::from(Raw {
            odd_names,
            source: source.into_owned(),
            built: self.built.to_owned(),
            nodes,
            lists,
            named,
            type_definitions,
            body: self.n_nodes().checked_sub(1).map(|last| ExprId::after(last as u32)),
            definitions: if is_unordered { Few::new() } else { std::mem::take(&mut definitions) },
        });
        Some(if is_unordered { with_definitions(ast) } else { ast })
    }

    /// Adds all leaves; `None` if one is too short for its quotes, or for what stands before its name.
    fn add_leaves(
        &self,
        nodes: &mut Vec<Node>,
        places: &mut [ExprId],
        bounds: &mut Bounds,
    ) -> Option<()> {
        let mut leaves = Leaves { nodes, places, bounds };
        let mut rows = self.leaves;
        let mut take = |group: Leaf| {
            let (head, rest) = rows.split_at_checked(self.n_leaves[group as usize])?;
            rows = rest;
            Some(head)
        };
        let strings = take(Leaf::String)?;
        let shortest_string = leaves.add(strings, |span| Expr::String(between_quotes(span)));
        leaves.add(take(Leaf::Name)?, |span| Expr::QualifiedName(all_of(span)));
        leaves.add(take(Leaf::Reference)?, |span| Expr::QualifiedReference(all_of(span)));
        let (variables, bare) = (take(Leaf::Variable)?, take(Leaf::BareVariable)?);
        let shortest_variable = leaves.add(variables, |span| Expr::Variable(behind_dollar(span)));
        let shortest_bare = leaves.add(bare, |span| Expr::Variable(all_of(span)));
        (shortest_string >= 2 && shortest_variable.min(shortest_bare) >= 1).then_some(())
    }

    /// Whether each text is of the source or of the built text behind it, from character border to character border.
    ///
    /// That they lie there is known. The texts of leaves, and of nothing else, follow from their spans.
    fn has_whole_texts(&self, nodes: &[Node], source: &str, is_ascii: bool) -> bool {
        let built = self.built;
        let len = source.len() as u32;
        let is_border = |at: u32| match (at as usize).checked_sub(source.len()) {
            None => source.is_char_boundary(at as usize),
            Some(at) => built.is_char_boundary(at),
        };
        let is_one = |text: Span| text.start >= len || text.end() <= len;
        let is_whole = |text: Span| is_border(text.start) && is_border(text.end());
        let of_leaf = |node: &Node| match node.expr {
            Expr::String(text)
            | Expr::QualifiedName(text)
            | Expr::QualifiedReference(text)
            | Expr::Variable(text) => Some(Span::new(text.start, text.len)),
            _ => None,
        };
        let mut texts = self.texts.iter().map(span);
        (built.is_empty() || texts.clone().all(is_one))
            && (is_ascii && built.is_ascii()
                || texts.all(is_whole) && nodes.iter().filter_map(of_leaf).all(is_whole))
    }
}

/// Where leaves are put.
struct Leaves<'n> {
    nodes: &'n mut Vec<Node>,
    places: &'n mut [ExprId],
    bounds: &'n mut Bounds,
}

impl Leaves<'_> {
    /// Adds leaves of one group; the result is the length of the shortest.
    #[inline]
    fn add<const N: usize>(&mut self, rows: &[LeafRow<N>], expr: impl Fn(Span) -> Expr) -> u32
    where
        [u8; N]: Number,
    {
        let mut id = ExprId::after(self.nodes.len() as u32 - 1);
        let mut bounds = *self.bounds;
        let mut shortest = u32::MAX;
        self.nodes.extend(rows.iter().map(|[place, start, len]| {
            if let Some(child) = self.places.get_mut(place.value() as usize) {
                *child = id;
            }
            id = id.next();
            let span = Span::new(start.value(), len.value());
            bounds.add::<N>(span);
            shortest = shortest.min(span.len);
            Node { expr: expr(span), span }
        }));
        *self.bounds = bounds;
        shortest
    }
}

/// The tree with its definitions, in the order of the tree.
fn with_definitions(mut ast: Ast) -> Ast {
    let mut all = children_first(&ast);
    all.retain(|&id| shape::is_definition(&ast, id));
    all.into_iter().for_each(|id| ast.add_definition(id));
    ast
}
