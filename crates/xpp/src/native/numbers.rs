//! Numbers of a section.

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

/// A check whether spans lie in a text, for many spans at once.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    limit: u32,
    /// The highest bit is set if one of the numbers, or their sum, has it, or if a sum is above the limit.
    seen: u32,
}

impl Bounds {
    /// Creates the check for a text of this many bytes.
    pub(super) fn of(len: usize) -> Self {
        u32::try_from(len)
            .map_or(Self { limit: 0, seen: u32::MAX }, |limit| Self { limit, seen: 0 })
    }

    /// Adds a span, whose numbers have `N` bytes.
    #[inline]
    pub(super) fn add<const N: usize>(&mut self, start: u32, len: u32) {
        let end = start.wrapping_add(len);
        let over = self.limit.wrapping_sub(end);
        // Numbers of two bytes and their sums never reach the highest bit.
        self.seen |= if N == 2 { over } else { start | len | end | over };
    }

    pub(super) fn hold(self) -> bool {
        self.seen >> 31 == 0
    }
}
