//! Ranges of integers and sizes.

/// A range of integers, limited or not.
///
/// The ends of 64 bits are ordinary limits: `Integer[0, 9223372036854775807]` is not `Integer[0]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct IntegerRange {
    /// The minimum; `i64::MIN` where there is no limit.
    pub min: i64,
    /// The maximum; `i64::MAX` where there is no limit.
    pub max: i64,
    open: MissingLimits,
}

/// The missing limits. An enum has a niche for an `Option` around a range.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum MissingLimits {
    Neither,
    Below,
    Above,
    Both,
}

impl MissingLimits {
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
    /// The size of an empty collection.
    pub const ZERO: Self = Self::between(0, 0);

    /// Creates a range; `None` is no limit.
    pub const fn new(min: Option<i64>, max: Option<i64>) -> Self {
        let open = MissingLimits::new(min.is_none(), max.is_none());
        let min = if let Some(min) = min { min } else { i64::MIN };
        let max = if let Some(max) = max { max } else { i64::MAX };
        Self { min, max, open }
    }

    /// Creates a range with two limits.
    pub const fn between(min: i64, max: i64) -> Self {
        Self { min, max, open: MissingLimits::Neither }
    }

    /// Creates the range of one size.
    pub fn exactly(size: usize) -> Self {
        Self::sizes(size, size)
    }

    /// Creates a range of sizes.
    pub fn sizes(min: usize, max: usize) -> Self {
        let size = |size| i64::try_from(size).unwrap_or(i64::MAX);
        Self::between(size(min), size(max))
    }

    /// Returns the lower limit.
    pub const fn least(self) -> Option<i64> {
        if self.is_open_below() { None } else { Some(self.min) }
    }

    /// Returns the upper limit.
    pub const fn greatest(self) -> Option<i64> {
        if self.is_open_above() { None } else { Some(self.max) }
    }

    /// Returns true if there is no lower limit.
    pub const fn is_open_below(self) -> bool {
        matches!(self.open, MissingLimits::Below | MissingLimits::Both)
    }

    /// Returns true if there is no upper limit.
    pub const fn is_open_above(self) -> bool {
        matches!(self.open, MissingLimits::Above | MissingLimits::Both)
    }

    /// Returns true if there are both limits.
    pub const fn is_finite(self) -> bool {
        matches!(self.open, MissingLimits::Neither)
    }

    /// Returns true if there is neither limit.
    pub const fn is_unbounded(self) -> bool {
        matches!(self.open, MissingLimits::Both)
    }

    /// Returns true if an integer is in the range.
    pub const fn contains(self, value: i64) -> bool {
        self.min <= value && value <= self.max
    }

    /// Returns true if all of another is in the range.
    pub const fn covers(self, other: Self) -> bool {
        self.min <= other.min
            && other.max <= self.max
            && (self.is_open_below() || !other.is_open_below())
            && (self.is_open_above() || !other.is_open_above())
    }

    /// Returns the smallest range that covers both.
    pub fn join(self, other: Self) -> Self {
        let min = self.least().zip(other.least()).map(|(a, b)| a.min(b));
        let max = self.greatest().zip(other.greatest()).map(|(a, b)| a.max(b));
        Self::new(min, max)
    }

    /// Returns true if the ranges overlap or are adjacent.
    pub const fn touches(self, other: Self) -> bool {
        self.min <= other.max.saturating_add(1) && other.min <= self.max.saturating_add(1)
    }

    /// Returns the range without negative numbers.
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
