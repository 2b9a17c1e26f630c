//! Reading the section.
//!
//! Nothing is believed, but columns are compared as a whole where that is possible:
//! - Spans lie in the source, and texts do from character border to character border ([`Columns::has_texts`]).
//! - Every node but the last is the child of one other ([`Columns::children`]).
//! - A child comes before its parent, and is in the column of the role that it fits ([`runs`](super::runs)).
//!
//! So whatever the numbers, they make a tree that Puppet's model allows.

use std::borrow::Cow;

use kukla_base::Span;

use super::columns::{Columns, Number};
use super::digest::Digest;
use super::encode::children_first;
use super::runs::Reader;
use super::{LIMIT, Leaf, MAGIC, all_of, behind_dollar, between_quotes, shape};
use crate::ast::{Ast, Expr, ExprId, Few, Node, Raw, Text};
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
    if Digest::of(rest).sum != u64::from_le_bytes(*sum) {
        return Err(XppError::WrongChecksum);
    }
    let (head, columns) = rest.split_first_chunk::<20>().ok_or(DAMAGED)?;
    let (head, _) = head.as_chunks::<4>();
    let &[size, crc32, low, high, width] = head else { return Err(DAMAGED) };
    if [size, crc32] != [check.size, check.crc32].map(u32::to_le_bytes) {
        return Err(DAMAGED);
    }
    let is_ascii = match trust {
        Trust::Size => source.is_ascii(),
        Trust::Checksum => {
            let digest = Digest::of(source.as_bytes());
            if digest.sum.to_le_bytes() != *[low, high].as_flattened() {
                return Err(XppError::Stale);
            }
            digest.is_ascii
        }
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
        let size = source.len().checked_add(self.built.len());
        size.filter(|&size| size < LIMIT)?;
        if !self.spans.lie_in(source.len()) || !self.odd_names.lie_in(source.len()) {
            return None;
        }
        let lists = self.children()?;
        let mut nodes = Vec::with_capacity(self.n_nodes() + 1);
        nodes.push(Node::NONE);
        self.add_leaves(&mut nodes)?;
        if !self.has_texts(&nodes, &source, is_ascii) {
            return None;
        }
        let mut reader = Reader::new(self, &lists)?;
        reader.read(&mut nodes)?;
        let (named, type_definitions) = (reader.named, reader.type_definitions);
        let mut definitions = reader.definitions;
        let is_unordered = definitions.len() > 1;
        let ast = Ast::from(Raw {
            odd_names: self.odd_names(),
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

    /// All children of all nodes, role by role; `None` if a node is not exactly once among them, the last aside.
    fn children(&self) -> Option<Vec<ExprId>> {
        // Above the number of any node.
        const NOBODY: ExprId = ExprId::LAST;
        let mut children = vec![NOBODY; self.places.len()];
        for (n_before, place) in (0..).zip(self.places) {
            *children.get_mut(place.value() as usize)? = ExprId::after(n_before);
        }
        // There are as many places as nodes: if none was left out, none was taken twice.
        let is_all = children.iter().fold(true, |is_all, &child| is_all & (child != NOBODY));
        is_all.then_some(children)
    }

    /// Adds all leaves, as many as there should be.
    fn add_leaves(&self, nodes: &mut Vec<Node>) -> Option<()> {
        let (mut spans, mut texts) = (self.spans, self.texts);
        let [n_strings, n_names, n_references, n_variables, n_bare, odd @ ..] = self.n_leaves;
        let strings = spans.take(n_strings)?;
        add(nodes, strings.spans(), |span| Expr::String(between_quotes(span)));
        add(nodes, spans.take(n_names)?.spans(), |span| Expr::QualifiedName(all_of(span)));
        let references = spans.take(n_references)?.spans();
        add(nodes, references, |span| Expr::QualifiedReference(all_of(span)));
        let variables = spans.take(n_variables)?;
        add(nodes, variables.spans(), |span| Expr::Variable(behind_dollar(span)));
        add(nodes, spans.take(n_bare)?.spans(), |span| Expr::Variable(all_of(span)));
        let kinds = [Expr::String, Expr::QualifiedName, Expr::QualifiedReference, Expr::Variable];
        for (kind, count) in kinds.into_iter().zip(odd) {
            let pairs = spans.take(count)?.spans().zip(texts.take(count)?.texts());
            nodes.extend(pairs.map(|(span, text)| Node { expr: kind(text), span }));
        }
        (strings.are_of(2) && variables.are_of(1)).then_some(())
    }

    /// Whether each text lies in the source or in the built text behind it, from character border to character border.
    ///
    /// Spans are known to lie in the source, and so the texts of all leaves that are not odd.
    fn has_texts(&self, nodes: &[Node], source: &str, is_ascii: bool) -> bool {
        let built = self.built;
        let len = source.len() as u32;
        let is_border = |at: u32| match (at as usize).checked_sub(source.len()) {
            None => source.is_char_boundary(at as usize),
            Some(at) => built.is_char_boundary(at),
        };
        let is_one = |text: Text| text.start >= len || text.start + text.len <= len;
        let is_whole = |text: Text| is_border(text.start) && is_border(text.start + text.len);
        let of_leaf = |node: &Node| match node.expr {
            Expr::String(text)
            | Expr::QualifiedName(text)
            | Expr::QualifiedReference(text)
            | Expr::Variable(text) => Some(text),
            _ => None,
        };
        self.texts.lie_in(source.len() + built.len())
            && (built.is_empty() || self.texts.texts().all(is_one))
            && (is_ascii && built.is_ascii()
                || self.texts.texts().chain(nodes.iter().filter_map(of_leaf)).all(is_whole))
    }

    /// In the order of the variables, as the tree looks for them.
    fn odd_names(&self) -> Vec<(ExprId, Span)> {
        let n_before = |leaf: Leaf| self.n_leaves[..leaf as usize].iter().sum::<usize>();
        let n_bare = self.n_leaves[Leaf::BareVariable as usize];
        let mut names = Vec::with_capacity(n_bare + self.odd_names.len());
        let bare = self.spans.spans().skip(n_before(Leaf::BareVariable)).take(n_bare);
        let id = |at: usize| ExprId::after(at as u32);
        names.extend((n_before(Leaf::BareVariable)..).map(id).zip(bare));
        names.extend((n_before(Leaf::OddVariable)..).map(id).zip(self.odd_names.spans()));
        names
    }
}

#[inline]
fn add(nodes: &mut Vec<Node>, spans: impl Iterator<Item = Span>, expr: impl Fn(Span) -> Expr) {
    nodes.extend(spans.map(|span| Node { expr: expr(span), span }));
}

/// The tree with its definitions, in the order of the tree.
fn with_definitions(mut ast: Ast) -> Ast {
    let mut all = children_first(&ast);
    all.retain(|&id| shape::is_definition(&ast, id));
    all.into_iter().for_each(|id| ast.add_definition(id));
    ast
}
