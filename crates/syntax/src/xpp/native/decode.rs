//! Reading the section.
//!
//! Nothing is believed, but columns are compared as a whole where that is possible:
//! - Spans lie in the source, and texts do from character border to character border ([`Pieces`]).
//! - No node is the child of two others, and all but the last are the child of one ([`Columns::find_places`]).
//! - A child comes before its parent, and is in the column of the role that it fits ([`nodes`]).
//!
//! So whatever the numbers, they make a tree that Puppet's model allows.

use std::borrow::Cow;

use kukla_base::Span;

use super::nodes;
use super::{LIMIT, MAGIC, Role, tag};
use crate::ast::{Ast, Expr, ExprId, Raw, Text};
use crate::xpp::XppError;
use crate::xpp::crc32::crc32_of_both;

/// What a section that does not fit together is called.
const DAMAGED: XppError = XppError::Corrupt("the section for Kukla does not fit together");

/// Whether these bytes are a section that can be read here.
pub(in crate::xpp) fn is_known(section: &[u8]) -> bool {
    section.starts_with(MAGIC)
}

/// The tree of a section, `header` is that of the payload.
///
/// The checksum of both is compared.
pub(in crate::xpp) fn tree(
    section: &[u8],
    header: &[u8],
    source: Cow<'_, str>,
) -> Result<Ast, XppError> {
    let head = section.split_first_chunk::<8>().ok_or(XppError::Truncated)?;
    let (&[_, _, _, _, a, b, c, d], rest) = head;
    if crc32_of_both(header, rest) != u32::from_le_bytes([a, b, c, d]) {
        return Err(XppError::WrongChecksum);
    }
    let (&width, columns) = rest.split_first_chunk().ok_or(DAMAGED)?;
    let tree = match u32::from_le_bytes(width) {
        2 => Columns::<2>::split(columns).and_then(|columns| columns.tree(source)),
        4 => Columns::<4>::split(columns).and_then(|columns| columns.tree(source)),
        _ => None,
    };
    tree.ok_or(DAMAGED)
}

/// The bytes of a number.
pub(super) trait Number: Copy {
    fn value(self) -> u32;
}

impl Number for [u8; 2] {
    #[inline]
    fn value(self) -> u32 {
        u32::from(u16::from_le_bytes(self))
    }
}

impl Number for [u8; 4] {
    #[inline]
    fn value(self) -> u32 {
        u32::from_le_bytes(self)
    }
}

/// How many numbers say how long the columns are.
const N_SIZES: usize = 10 + Role::ALL.len();

/// Trees with so many nodes are common, and need no memory of their own while they are read.
const FEW: usize = 256;

/// The columns, with numbers of `N` bytes.
pub(super) struct Columns<'b, const N: usize> {
    /// Strings, names, references, variables.
    n_leaves: [usize; 4],
    /// Of each role.
    n_children: [usize; Role::ALL.len()],
    spans: Pieces<'b, N>,
    pub(super) texts: Pieces<'b, N>,
    children: &'b [[u8; N]],
    pub(super) counts: &'b [[u8; N]],
    odd_names: &'b [[[u8; N]; 3]],
    definitions: &'b [[u8; N]],
    pub(super) tags: &'b [u8],
    pub(super) details: &'b [u8],
    built: &'b str,
}

impl<'b, const N: usize> Columns<'b, N>
where
    [u8; N]: Number,
{
    fn split(bytes: &'b [u8]) -> Option<Self> {
        let (sizes, mut rest) = bytes.split_first_chunk::<{ N_SIZES * 4 }>()?;
        let (sizes, _) = sizes.as_chunks::<4>();
        let sizes: [usize; N_SIZES] =
            std::array::from_fn(|at| u32::from_le_bytes(sizes[at]) as usize);
        let [n_strings, n_names, n_references, n_variables, n_others, n_texts, n_counts, ..] =
            sizes;
        let [_, _, _, _, _, _, _, n_odd, n_definitions, n_built, n_children @ ..] = sizes;
        let n_leaves = [n_strings, n_names, n_references, n_variables];
        let mut take = |count: usize, size: usize| {
            let (head, tail) = rest.split_at_checked(count.checked_mul(size)?)?;
            rest = tail;
            Some(head)
        };
        let n_nodes = n_leaves.iter().sum::<usize>() + n_others;
        let mut pieces = |count: usize| {
            Some(Pieces {
                starts: take(count, N)?.as_chunks().0,
                lens: take(count, N)?.as_chunks().0,
            })
        };
        let (spans, texts) = (pieces(n_nodes)?, pieces(n_texts)?);
        let children = take(n_children.iter().sum(), N)?.as_chunks().0;
        let counts = take(n_counts, N)?.as_chunks().0;
        let odd_names = take(n_odd, 3 * N)?.as_chunks::<N>().0.as_chunks().0;
        let definitions = take(n_definitions, N)?.as_chunks().0;
        let (tags, details) = (take(n_others, 1)?, take(n_others, 1)?);
        let built = str::from_utf8(take(n_built, 1)?).ok()?;
        rest.is_empty().then_some(Self {
            n_leaves,
            n_children,
            spans,
            texts,
            children,
            counts,
            odd_names,
            definitions,
            tags,
            details,
            built,
        })
    }

    fn tree(&self, source: Cow<'_, str>) -> Option<Ast> {
        let built = self.built;
        source.len().checked_add(built.len()).filter(|&size| size < LIMIT)?;
        let (source, built) = (source.into_owned(), built.to_owned());
        let mut few = [0; FEW];
        let mut many = Vec::new();
        let places = match few.get_mut(..self.spans.len()) {
            Some(places) => places,
            None => {
                many.resize(self.spans.len(), 0);
                &mut many[..]
            }
        };
        self.find_places(places)?;
        let raw = Raw {
            spans: self.spans(&source)?,
            exprs: self.leaves(&source)?,
            lists: self.lists(),
            named: Vec::new(),
            type_definitions: Vec::new(),
            body: self.spans.len().checked_sub(1).map(|last| ExprId::after(last as u32)),
            definitions: self.definitions()?,
            odd_names: self.odd_names(&source)?,
            source,
            built,
        };
        nodes::add(self, places, raw)
    }

    /// How many nodes there are that are nothing but a text.
    pub(super) fn n_leaves(&self) -> usize {
        self.n_leaves.iter().sum()
    }

    /// Where the children of each role start and end.
    pub(super) fn ranges(&self) -> [(usize, usize); Role::ALL.len()] {
        let mut start = 0;
        self.n_children.map(|len| {
            let range = (start, start + len);
            start += len;
            range
        })
    }

    /// For each node its place among the children, counted from 1; that of the last, which is nobody's child, is the end.
    ///
    /// `None` if one has two places, or another has none, or a leaf is where no expression fits.
    #[inline(never)]
    fn find_places(&self, places: &mut [u32]) -> Option<()> {
        let n_nodes = places.len();
        let mut is_twice = 0;
        let mut place = 0_u32;
        for child in self.children {
            place = place.wrapping_add(1);
            let before = places.get_mut(child.value() as usize)?;
            is_twice |= std::mem::replace(before, place);
        }
        if let Some(last) = places.last_mut() {
            is_twice |= std::mem::replace(last, u32::MAX);
        }
        let n_expressions = self.n_children[Role::Expression as usize];
        let leaves = places.get(..self.n_leaves())?;
        let is_placed = match leaves.iter().max() {
            Some(&place) => place as usize <= n_expressions || n_nodes == 1,
            None => true,
        };
        let is_all = self.children.len() == n_nodes.saturating_sub(1);
        (is_twice == 0 && is_placed && is_all).then_some(())
    }

    #[inline(never)]
    fn lists(&self) -> Vec<ExprId> {
        self.children.iter().map(|child| ExprId::after(child.value())).collect()
    }

    /// All definitions, in the order of the tree.
    #[inline(never)]
    fn definitions(&self) -> Option<Vec<ExprId>> {
        let is_definition = |number: &[u8; N]| {
            let at = (number.value() as usize).wrapping_sub(self.n_leaves());
            self.tags.get(at).is_some_and(|&tag| tag >= tag::DEFINITIONS)
        };
        // Not `count`, which would look for an overflow at each step.
        let add = |sum: u32, &tag: &u8| sum.wrapping_add(u32::from(tag >= tag::DEFINITIONS));
        let n_all = self.tags.iter().fold(0, add) as usize;
        let are_all = self.definitions.len() == n_all && !has_twins(self.definitions);
        let definitions = self.definitions.iter().map(|number| ExprId::after(number.value()));
        (are_all && self.definitions.iter().all(is_definition)).then(|| definitions.collect())
    }

    #[inline(never)]
    fn spans(&self, source: &str) -> Option<Vec<Span>> {
        let mut spans = Vec::with_capacity(self.spans.len() + 1);
        // Number 0 is taken.
        spans.push(Span::default());
        spans.extend(self.spans.iter().map(|(start, len)| Span::new(start, len)));
        // Puppet's places need not be on borders of characters: those in heredocs are counted elsewhere.
        self.spans.lie_in(source.len()).then_some(spans)
    }

    /// The leaves, after the one that is no node. There is room for the others.
    #[inline(never)]
    fn leaves(&self, source: &str) -> Option<Vec<Expr>> {
        let mut exprs = Vec::with_capacity(self.spans.len() + 1);
        exprs.push(Expr::Nop);
        let [n_strings, n_names, n_references, n_variables] = self.n_leaves;
        let mut texts = self.texts.iter().map(|(start, len)| Text { start, len });
        exprs.extend(texts.by_ref().take(n_strings).map(Expr::String));
        exprs.extend(texts.by_ref().take(n_names).map(Expr::QualifiedName));
        exprs.extend(texts.by_ref().take(n_references).map(Expr::QualifiedReference));
        exprs.extend(texts.by_ref().take(n_variables).map(Expr::Variable));
        let is_all = exprs.len() == self.n_leaves() + 1;
        (is_all && self.texts.are_texts_of(source, self.built)).then_some(exprs)
    }

    /// In the order of the variables, as the tree looks for them.
    fn odd_names(&self, source: &str) -> Option<Vec<(ExprId, Span)>> {
        let mut odd_names: Vec<(ExprId, Span)> = Vec::with_capacity(self.odd_names.len());
        let first_variable = self.n_leaves() - self.n_leaves[3];
        for [n_before, start, len] in self.odd_names {
            let n_before = n_before.value();
            let is_variable = (first_variable..self.n_leaves()).contains(&(n_before as usize));
            let id = ExprId::after(n_before);
            let is_next = odd_names.last().is_none_or(|&(last, _)| last < id);
            let (start, len) = (start.value(), len.value());
            let is_inside = start.checked_add(len)? as usize <= source.len();
            if !is_variable || !is_next || !is_inside {
                return None;
            }
            odd_names.push((id, Span::new(start, len)));
        }
        Some(odd_names)
    }
}

fn has_twins<const N: usize>(numbers: &[[u8; N]]) -> bool {
    if numbers.len() < 2 {
        return false;
    }
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}

/// Pieces of a text, starts and lengths apart.
#[derive(Clone, Copy)]
pub(super) struct Pieces<'b, const N: usize> {
    starts: &'b [[u8; N]],
    lens: &'b [[u8; N]],
}

impl<'b, const N: usize> Pieces<'b, N>
where
    [u8; N]: Number,
{
    fn len(&self) -> usize {
        self.starts.len()
    }

    /// Without the first ones; there are as many.
    pub(super) fn after(self, count: usize) -> Self {
        Self { starts: &self.starts[count..], lens: &self.lens[count..] }
    }

    #[inline]
    pub(super) fn iter(self) -> impl ExactSizeIterator<Item = (u32, u32)> + 'b {
        self.starts.iter().zip(self.lens).map(|(start, len)| (start.value(), len.value()))
    }

    /// Whether all lie in a text of so many bytes.
    #[inline(never)]
    fn lie_in(self, len: usize) -> bool {
        let Ok(limit) = u32::try_from(len) else { return false };
        // The highest bit is set if one of the numbers, or their sum, has it, or if the sum is above the limit.
        let high = self.iter().fold(0, |high, (start, len)| {
            let end = start.wrapping_add(len);
            let over = limit.wrapping_sub(end);
            if N == 2 { high | over } else { high | start | len | end | over }
        });
        high >> 31 == 0
    }

    /// Whether each lies in the source or in the built text behind it, from character border to character border.
    fn are_texts_of(self, source: &str, built: &str) -> bool {
        let source_len = source.len() as u32;
        let is_one = |(start, len): (u32, u32)| start >= source_len || start + len <= source_len;
        let is_border = |at: u32| match (at as usize).checked_sub(source.len()) {
            None => source.is_char_boundary(at as usize),
            Some(at) => built.is_char_boundary(at),
        };
        let is_on_borders = |(start, len): (u32, u32)| is_border(start) && is_border(start + len);
        self.lie_in(source.len() + built.len())
            && (built.is_empty() || self.iter().all(is_one))
            && (source.is_ascii() && built.is_ascii() || self.iter().all(is_on_borders))
    }
}
