//! The least and the greatest of integers and sizes.

/// The least and the greatest integer, if there is one.
///
/// The ends of 64 bits are limits like any other: `Integer[0, 9223372036854775807]` is not `Integer[0]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IntegerRange {
    /// The least; `i64::MIN` where there is no limit.
    pub min: i64,
    /// The greatest; `i64::MAX` where there is no limit.
    pub max: i64,
    open: Open,
}

/// Which limits are missing. An enum leaves room for an `Option` around a range.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Open {
    Neither,
    Below,
    Above,
    Both,
}

impl Open {
    const fn new(below: bool, above: bool) -> Self {
        match (below, above) {
            (false, false) => Self::Neither,
            (true, false) => Self::Below,
            (false, true) => Self::Above,
            (true, true) => Self::Both,
        }
    }
}

impl IntegerRange {
    /// All integers.
    pub const ALL: Self = Self::new(None, None);
    /// All sizes.
    pub const SIZES: Self = Self::new(Some(0), None);
    /// The size of nothing.
    pub const ZERO: Self = Self::between(0, 0);

    /// From a least to a greatest; `None` is no limit.
    pub const fn new(min: Option<i64>, max: Option<i64>) -> Self {
        let open = Open::new(min.is_none(), max.is_none());
        let min = if let Some(min) = min { min } else { i64::MIN };
        let max = if let Some(max) = max { max } else { i64::MAX };
        Self { min, max, open }
    }

    /// From a least to a greatest.
    pub const fn between(min: i64, max: i64) -> Self {
        Self { min, max, open: Open::Neither }
    }

    /// One size.
    pub fn exactly(size: usize) -> Self {
        Self::sizes(size, size)
    }

    /// From a least to a greatest size.
    pub fn sizes(min: usize, max: usize) -> Self {
        let size = |size| i64::try_from(size).unwrap_or(i64::MAX);
        Self::between(size(min), size(max))
    }

    /// The least, if there is one.
    pub const fn least(self) -> Option<i64> {
        if self.is_open_below() { None } else { Some(self.min) }
    }

    /// The greatest, if there is one.
    pub const fn greatest(self) -> Option<i64> {
        if self.is_open_above() { None } else { Some(self.max) }
    }

    /// Whether there is no least.
    pub const fn is_open_below(self) -> bool {
        matches!(self.open, Open::Below | Open::Both)
    }

    /// Whether there is no greatest.
    pub const fn is_open_above(self) -> bool {
        matches!(self.open, Open::Above | Open::Both)
    }

    /// Whether it has a least and a greatest.
    pub const fn is_finite(self) -> bool {
        matches!(self.open, Open::Neither)
    }

    /// Whether it has neither.
    pub const fn is_unbounded(self) -> bool {
        matches!(self.open, Open::Both)
    }

    /// Whether an integer is in it.
    pub const fn contains(self, value: i64) -> bool {
        self.min <= value && value <= self.max
    }

    /// Whether all of another is in it.
    pub const fn covers(self, other: Self) -> bool {
        self.min <= other.min
            && other.max <= self.max
            && (self.is_open_below() || !other.is_open_below())
            && (self.is_open_above() || !other.is_open_above())
    }

    /// The least range that covers both.
    pub fn join(self, other: Self) -> Self {
        let min = self.least().zip(other.least()).map(|(a, b)| a.min(b));
        let max = self.greatest().zip(other.greatest()).map(|(a, b)| a.max(b));
        Self::new(min, max)
    }

    /// Whether nothing is between the two.
    pub const fn touches(self, other: Self) -> bool {
        self.min <= other.max.saturating_add(1) && other.min <= self.max.saturating_add(1)
    }

    /// Without what is below zero.
    pub const fn to_size(self) -> Self {
        if self.min >= 0 {
            return self;
        }
        match self.greatest() {
            Some(max) if max < 0 => Self::ZERO,
            max => Self::new(Some(0), max),
        }
    }
}
