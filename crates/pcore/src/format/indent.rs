//! Indentation inside of containers.

/// The depth of a container, and whether lines are broken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Indent {
    /// The number of enclosing containers.
    pub level: usize,
    first: bool,
    /// Set if nested containers begin on a line of their own.
    pub active: bool,
}

impl Indent {
    /// Outside of containers.
    pub(super) const TOP: Self = Self { level: 0, first: true, active: false };

    /// Returns the same position, with lines broken or not.
    pub(super) const fn active(self, active: bool) -> Self {
        Self { active, ..self }
    }

    /// Returns the first element one level deeper.
    pub(super) const fn deeper(self, active: bool) -> Self {
        Self { level: self.level + 1, first: true, active }
    }

    /// Returns the position of any element but the first.
    pub(super) const fn subsequent(self) -> Self {
        Self { first: false, ..self }
    }

    /// Returns true if a container here begins on a new line.
    pub(super) const fn breaks(self) -> bool {
        self.active && self.level > 0 && !self.first
    }

    /// Returns the spaces before a line.
    pub(super) fn padding(self) -> String {
        " ".repeat(2 * self.level)
    }
}
