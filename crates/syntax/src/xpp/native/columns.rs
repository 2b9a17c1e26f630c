//! The columns of a section, as they lie in it.

use kukla_base::Span;

use super::{LIMIT, Leaf, Role};
use crate::ast::Text;

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
const N_SIZES: usize = Leaf::COUNT + 5 + Role::COUNT;

/// The columns, with numbers of `N` bytes.
pub(super) struct Columns<'b, const N: usize> {
    /// Of each group.
    pub(super) n_leaves: [usize; Leaf::COUNT],
    /// Of each role.
    pub(super) n_children: [usize; Role::COUNT],
    pub(super) spans: Pieces<'b, N>,
    pub(super) places: &'b [[u8; N]],
    pub(super) texts: Pieces<'b, N>,
    pub(super) counts: &'b [[u8; N]],
    pub(super) odd_names: Pieces<'b, N>,
    pub(super) runs: Runs<'b, N>,
    pub(super) built: &'b str,
}

/// How many nodes are in each run, and their shapes.
#[derive(Clone, Copy)]
pub(super) struct Runs<'b, const N: usize> {
    pub(super) lens: &'b [[u8; N]],
    pub(super) tags: &'b [u8],
    pub(super) details: &'b [u8],
}

impl<'b, const N: usize> Columns<'b, N>
where
    [u8; N]: Number,
{
    /// `None` if there is not exactly what the sizes promise.
    pub(super) fn split(bytes: &'b [u8]) -> Option<Self> {
        let (sizes, mut rest) = bytes.split_at_checked(N_SIZES * N)?;
        let sizes: &[[u8; N]; N_SIZES] = sizes.as_chunks().0.try_into().ok()?;
        let size = |at: usize| sizes[at].value() as usize;
        let n_leaves: [usize; Leaf::COUNT] = std::array::from_fn(size);
        let [n_others, n_runs, n_texts, n_counts, n_built] =
            std::array::from_fn(|at| size(Leaf::COUNT + at));
        let n_children: [usize; Role::COUNT] = std::array::from_fn(|at| size(Leaf::COUNT + 5 + at));
        let n_nodes = n_leaves.iter().sum::<usize>() + n_others;
        if n_nodes >= LIMIT || n_children.iter().sum::<usize>() != n_nodes.saturating_sub(1) {
            return None;
        }
        let mut take = |count: usize, size: usize| {
            let (head, tail) = rest.split_at_checked(count.checked_mul(size)?)?;
            rest = tail;
            Some(head)
        };
        let mut numbers = |count: usize| Some(take(count, N)?.as_chunks::<N>().0);
        let spans = Pieces { starts: numbers(n_nodes)?, lens: numbers(n_nodes)? };
        let places = numbers(n_nodes.saturating_sub(1))?;
        let texts = Pieces { starts: numbers(n_texts)?, lens: numbers(n_texts)? };
        let counts = numbers(n_counts)?;
        let n_names = n_leaves[Leaf::OddVariable as usize];
        let odd_names = Pieces { starts: numbers(n_names)?, lens: numbers(n_names)? };
        let lens = numbers(n_runs)?;
        let runs = Runs { lens, tags: take(n_runs, 1)?, details: take(n_runs, 1)? };
        let built = str::from_utf8(take(n_built, 1)?).ok()?;
        rest.is_empty().then_some(Self {
            n_leaves,
            n_children,
            spans,
            places,
            texts,
            counts,
            odd_names,
            runs,
            built,
        })
    }

    pub(super) fn n_nodes(&self) -> usize {
        self.spans.len()
    }

    /// How many nodes there are that are nothing but a text.
    pub(super) fn n_all_leaves(&self) -> usize {
        self.n_leaves.iter().sum()
    }
}

/// Takes the first of a column.
#[inline]
pub(super) fn take<'b, T>(column: &mut &'b [T], count: usize) -> Option<&'b [T]> {
    let (head, tail) = column.split_at_checked(count)?;
    *column = tail;
    Some(head)
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
    pub(super) fn len(self) -> usize {
        self.starts.len()
    }

    /// Takes the first ones.
    #[inline]
    pub(super) fn take(&mut self, count: usize) -> Option<Self> {
        Some(Self { starts: take(&mut self.starts, count)?, lens: take(&mut self.lens, count)? })
    }

    #[inline]
    pub(super) fn spans(self) -> impl Iterator<Item = Span> + use<'b, N> {
        let pairs = self.starts.iter().zip(self.lens);
        pairs.map(|(start, len)| Span::new(start.value(), len.value()))
    }

    #[inline]
    pub(super) fn texts(self) -> impl Iterator<Item = Text> + use<'b, N> {
        let pairs = self.starts.iter().zip(self.lens);
        pairs.map(|(start, len)| Text { start: start.value(), len: len.value() })
    }

    /// Whether all have at least so many bytes.
    pub(super) fn are_of(self, least: u32) -> bool {
        self.lens.iter().fold(u32::MAX, |min, len| min.min(len.value())) >= least
    }

    /// Whether all lie in a text of so many bytes.
    pub(super) fn lie_in(self, len: usize) -> bool {
        let Ok(limit) = u32::try_from(len) else { return false };
        // The highest bit is set if one of the numbers, or their sum, has it, or if the sum is above the limit.
        let high = self.spans().fold(0, |high, Span { start, len }| {
            let end = start.wrapping_add(len);
            let over = limit.wrapping_sub(end);
            if N == 2 { high | over } else { high | start | len | end | over }
        });
        high >> 31 == 0
    }
}
