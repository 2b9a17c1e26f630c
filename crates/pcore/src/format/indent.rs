//! How deep inside of containers a text stands.

/// The depth of a container, and whether lines are broken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Indent {
    /// How many containers are around it.
    pub level: usize,
    first: bool,
    /// Whether nested containers begin on a line of their own.
    pub active: bool,
}

impl Indent {
    /// Not inside of anything.
    pub(super) const TOP: Self = Self { level: 0, first: true, active: false };

    /// The same place, with lines broken or not.
    pub(super) const fn active(self, active: bool) -> Self {
        Self { active, ..self }
    }

    /// One level deeper, at the first element.
    pub(super) const fn deeper(self, active: bool) -> Self {
        Self { level: self.level + 1, first: true, active }
    }

    /// Any element but the first.
    pub(super) const fn subsequent(self) -> Self {
        Self { first: false, ..self }
    }

    /// Whether a container here begins on a new line.
    pub(super) const fn breaks(self) -> bool {
        self.active && self.level > 0 && !self.first
    }

    /// The spaces before a line.
    pub(super) fn padding(self) -> String {
        " ".repeat(2 * self.level)
    }
}
