//! The columns of a section, as they lie in it.

use kukla_base::Span;

use super::{LIMIT, Leaf, Role};

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

/// A leaf: its place, and start and length of its span.
pub(super) type LeafRow<const N: usize> = [[u8; N]; 3];

/// Another node: its tag and details in one number, its place, and start and length of its span.
pub(super) type NodeRow<const N: usize> = [[u8; N]; 4];

/// Start and length of a text, or of a span.
pub(super) type Piece<const N: usize> = [[u8; N]; 2];

/// The columns, with numbers of `N` bytes.
pub(super) struct Columns<'b, const N: usize> {
    /// Of each group.
    pub(super) n_leaves: [usize; Leaf::COUNT],
    /// Of each role, the outermost node among them.
    pub(super) n_children: [usize; Role::COUNT],
    pub(super) leaves: &'b [LeafRow<N>],
    pub(super) others: &'b [NodeRow<N>],
    pub(super) texts: &'b [Piece<N>],
    pub(super) odd_names: &'b [Piece<N>],
    pub(super) counts: &'b [[u8; N]],
    pub(super) built: &'b str,
}

impl<'b, const N: usize> Columns<'b, N>
where
    [u8; N]: Number,
{
    /// `None` if there is not exactly what the sizes promise.
    #[inline]
    pub(super) fn split(bytes: &'b [u8]) -> Option<Self> {
        let (sizes, _) = bytes.as_chunks::<N>().0.split_first_chunk::<N_SIZES>()?;
        let size = |at: usize| sizes[at].value() as usize;
        let n_leaves: [usize; Leaf::COUNT] = std::array::from_fn(size);
        let [n_others, n_texts, n_odd_names, n_counts, n_built] =
            std::array::from_fn(|at| size(Leaf::COUNT + at));
        let n_children: [usize; Role::COUNT] = std::array::from_fn(|at| size(Leaf::COUNT + 5 + at));
        let n_all_leaves = n_leaves.iter().sum::<usize>();
        let n_nodes = n_all_leaves + n_others;
        if n_nodes >= LIMIT || n_children.iter().sum::<usize>() != n_nodes {
            return None;
        }
        let mut rest = bytes.get(N_SIZES * N..)?;
        let mut take = |count: usize, size: usize| {
            let (head, tail) = rest.split_at_checked(count.checked_mul(size * N)?)?;
            rest = tail;
            Some(head.as_chunks::<N>().0)
        };
        let leaves = take(n_all_leaves, 3)?.as_chunks().0;
        let others = take(n_others, 4)?.as_chunks().0;
        let texts = take(n_texts, 2)?.as_chunks().0;
        let odd_names = take(n_odd_names, 2)?.as_chunks().0;
        let counts = take(n_counts, 1)?;
        let built = (rest.len() == n_built).then(|| str::from_utf8(rest).ok())??;
        Some(Self { n_leaves, n_children, leaves, others, texts, odd_names, counts, built })
    }

    pub(super) fn n_nodes(&self) -> usize {
        self.leaves.len() + self.others.len()
    }
}

#[inline]
pub(super) fn span<const N: usize>([start, len]: &Piece<N>) -> Span
where
    [u8; N]: Number,
{
    Span::new(start.value(), len.value())
}

/// Whether pieces lie in a text, asked of many at once.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    limit: u32,
    /// The highest bit is set if one of the numbers, or their sum, has it, or if a sum is above the limit.
    seen: u32,
}

impl Bounds {
    /// Of a text of so many bytes.
    pub(super) fn of(len: usize) -> Self {
        u32::try_from(len)
            .map_or(Self { limit: 0, seen: u32::MAX }, |limit| Self { limit, seen: 0 })
    }

    #[inline]
    pub(super) fn add<const N: usize>(&mut self, Span { start, len }: Span) {
        let end = start.wrapping_add(len);
        let over = self.limit.wrapping_sub(end);
        // Two numbers of two bytes have no such sum.
        self.seen |= if N == 2 { over } else { start | len | end | over };
    }

    pub(super) fn hold(self) -> bool {
        self.seen >> 31 == 0
    }
}
