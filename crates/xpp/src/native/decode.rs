//! Decoder of the section.
//!
//! Nothing is trusted, but most checks cover many nodes at once:
//! - Spans and texts lie in the source ([`Bounds`](super::numbers::Bounds)). Only if it is not ASCII, or if there are
//!   texts elsewhere, is each text checked for character boundaries ([`Texts`]); a section that falsely claims ASCII
//!   gets empty texts ([`Ast::text`]).
//! - Every expression but the outermost has one parent, and so has every part ([`Links`]). There may be cycles of
//!   nodes, but the nodes that can be reached from the outermost form a tree.
//! - Numbers are in range, and there are as many as there should be ([`nodes`](super::nodes)).
//!
//! So whatever the numbers, they make a tree that Puppet's model allows.

use std::borrow::Cow;
use std::ops::Range;

use super::digest;
use super::links::{Cursors, Links, Sums};
use super::nodes::{Beside, Reader};
use super::numbers::Number;
use super::texts::Texts;
use super::{Group, LIMIT, MAGIC};
use crate::{SourceCheck, Trust, XppError};
use kukla_syntax::ast::{Ast, Expr, ExprId, Node, Raw};

/// The error for an inconsistent section.
const DAMAGED: XppError = XppError::Corrupt("the section for Kukla does not fit together");

/// The number of expressions whose marks are kept on the stack, without an allocation; most trees have fewer.
const FEW: usize = 512;

/// Returns whether these bytes are a section of a known version.
pub(crate) fn is_known(section: &[u8]) -> bool {
    section.starts_with(MAGIC)
}

/// Decodes the tree of a section, which must have been made from a source with this `check`; the caller has compared
/// the size.
pub(crate) fn tree(
    section: &[u8],
    check: SourceCheck,
    source: Cow<'_, str>,
    trust: Trust,
) -> Result<Ast, XppError> {
    let (sum, rest) = section[MAGIC.len()..].split_first_chunk::<8>().ok_or(XppError::Truncated)?;
    let (of_source, of_section) = match trust {
        Trust::Size => (None, digest::of(rest)),
        Trust::Checksum => {
            let [of_source, of_section] = digest::of_both(source.as_bytes(), rest);
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
    if of_source.is_some_and(|sum| sum.to_le_bytes() != *[low, high].as_flattened()) {
        return Err(XppError::Stale);
    }
    match u32::from_le_bytes(width) {
        2 => Columns::<2>::split(columns).ok_or(DAMAGED)?.tree(source),
        4 => Columns::<4>::split(columns).ok_or(DAMAGED)?.tree(source),
        _ => Err(DAMAGED),
    }
}

/// The columns, with numbers of `N` bytes.
struct Columns<'b, const N: usize> {
    /// The number of nodes of each group.
    counts: &'b [[u8; N]; Group::COUNT],
    n_expressions: usize,
    n_nodes: usize,
    /// The outermost node, or 0.
    body: u32,
    lists: &'b [[u8; N]],
    rows: &'b [[u8; N]],
    built: &'b str,
    is_ascii: bool,
}

impl<'b, const N: usize> Columns<'b, N>
where
    [u8; N]: Number,
{
    /// Splits a section into columns; `None` if it is shorter than its counts say.
    #[inline]
    fn split(bytes: &'b [u8]) -> Option<Self> {
        const N_SIZES: usize = 6;
        let numbers = bytes.as_chunks::<N>().0;
        let (counts, numbers) = numbers.split_first_chunk::<{ Group::COUNT }>()?;
        let (sizes, _) = numbers.split_first_chunk::<N_SIZES>()?;
        let sizes = sizes.map(Number::value);
        let [n_expressions, n_nodes, body, n_in_lists, n_built, is_odd] = sizes;
        let bytes = bytes.get((Group::COUNT + N_SIZES) * N..)?;
        let (bytes, built) = bytes.split_at_checked(bytes.len().checked_sub(n_built as usize)?)?;
        let (numbers, []) = bytes.as_chunks::<N>() else { return None };
        let (lists, rows) = numbers.split_at_checked(n_in_lists as usize)?;
        Some(Self {
            counts,
            n_expressions: n_expressions as usize,
            n_nodes: n_nodes as usize,
            body,
            lists,
            rows,
            built: str::from_utf8(built).ok()?,
            is_ascii: is_odd == 0,
        })
    }

    fn tree(self, source: Cow<'_, str>) -> Result<Ast, XppError> {
        let (mut few, mut many);
        let marks = match self.n_expressions {
            n if n < FEW => {
                few = [0; FEW];
                &mut few[..=n]
            }
            // Each expression has a row, so this allocates at most one byte per byte of input.
            n if n < self.rows.len() => {
                many = vec![0; n + 1];
                &mut many[..]
            }
            _ => return Err(DAMAGED),
        };
        let parts = self.parts(&source, marks).ok_or(DAMAGED)?;
        let Parts { nodes, lists, beside, definitions } = parts;
        let Beside { named, type_definitions, odd_names } = beside;
        let body = ExprId::if_any(self.body);
        let first = ExprId::at_least_first(definitions.start as u32);
        let is_outermost = definitions.len() == 1
            && body.is_some_and(|body| match nodes[body.index()].expr {
                Expr::Block(statements) => lists[statements.range()].contains(&first),
                _ => body == first,
            });
        let simple = is_outermost.then_some(first);
        let raw = Raw {
            odd_names,
            source: source.into_owned(),
            built: self.built.to_owned(),
            nodes,
            lists,
            named,
            type_definitions,
            body,
            definitions: simple.into_iter().collect(),
        };
        Ok(match definitions.len() {
            0 => raw.into(),
            1 if is_outermost => raw.into(),
            _ => with_definitions(raw.into(), definitions),
        })
    }

    /// Decodes all nodes; `None` if something is inconsistent.
    #[inline]
    fn parts(&self, source: &str, marks: &mut [u8]) -> Option<Parts> {
        let &Self { counts, n_expressions, n_nodes, body, lists, rows, built, is_ascii } = self;
        let n_queries = counts[Group::Query as usize].value() as usize;
        let n_listed = n_nodes.checked_sub(n_expressions)?.checked_sub(n_queries)?;
        // Each row has at least two numbers, so this allocates at most ten times the input.
        if n_nodes > rows.len() / 2 || source.len() + built.len() >= LIMIT {
            return None;
        }
        let mut nodes = Vec::with_capacity(n_nodes + 1);
        nodes.push(Node::NONE);
        let mut starts = [lists.len() as u64; Group::N_LISTED + 1];
        for at in 0..Group::N_LISTED {
            let count = counts[Group::FIRST_PART + at].value();
            starts[at + 1] = starts[at].wrapping_add(count.into());
        }
        let first_query = ExprId::after((n_expressions + n_listed) as u32);
        let texts = Texts { source, built };
        let mut cursors = Cursors::new(starts, first_query, texts);
        let mut links = Links { marks, cursors: &mut cursors, sums: Sums::new(texts) };
        let mut ids = Vec::with_capacity(lists.len() + n_listed);
        ids.extend(lists.iter().map(|number| links.child(number.value())));
        let parts = (n_expressions..n_expressions + n_listed).map(|at| ExprId::after(at as u32));
        ids.extend(parts);
        let (first_definition, first_part) = (0, 0);
        let mut reader = Reader { counts, rows, nodes, links, first_definition, first_part };
        let mut beside = Beside::default();
        reader.all(&mut beside)?;
        let Reader { rows: [], nodes, mut links, first_definition, first_part, .. } = reader else {
            return None;
        };
        if [first_part, nodes.len()] != [n_expressions + 1, n_nodes + 1]
            || !links.are_whole(body)
            || !links.sums.spans.hold()
            || !links.cursors.are_at_the_end(&starts, ExprId::after(n_nodes as u32))
        {
            return None;
        }
        let is_plain = is_ascii && built.is_ascii() && links.sums.have_plain_texts();
        if !is_plain && !texts.has_all(&nodes, &beside) {
            return None;
        }
        Some(Parts { nodes, lists: ids, beside, definitions: first_definition..first_part })
    }
}

/// The decoded nodes and lists.
struct Parts {
    nodes: Vec<Node>,
    lists: Vec<ExprId>,
    beside: Beside,
    /// The numbers of the nodes that are definitions.
    definitions: Range<usize>,
}

/// Adds the definitions to the tree, in the order of the tree.
fn with_definitions(mut ast: Ast, numbers: Range<usize>) -> Ast {
    let mut all = ast.post_order();
    all.retain(|id| numbers.contains(&id.index()));
    all.into_iter().for_each(|id| ast.add_definition(id));
    ast
}
