//! Simple ranges: one comparison, or a lower and an upper one.

use super::version::Version;
use crate::RubyError;
use std::cmp::Ordering;
use std::fmt;

/// An alternative of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Simple {
    All,
    Gt(Version),
    GtEq(Version),
    Lt(Version),
    LtEq(Version),
    Eq(Version),
    /// A lower and an upper bound; neither is a `MinMax`.
    MinMax(Box<Simple>, Box<Simple>),
}

impl Simple {
    /// Returns the empty range: nothing is below the lowest version.
    pub(super) fn nothing() -> Self {
        Self::Lt(Version::lowest())
    }

    /// Combines the lower bound of the first with the upper bound of the second.
    pub(super) fn min_max(min: Self, max: Self) -> Self {
        let min = if let Self::MinMax(min, _) = min { min } else { Box::new(min) };
        let max = if let Self::MinMax(_, max) = max { max } else { Box::new(max) };
        Self::MinMax(min, max)
    }

    pub(super) fn begin(&self) -> Version {
        match self {
            Self::Gt(version) | Self::GtEq(version) | Self::Eq(version) => version.clone(),
            Self::MinMax(min, _) => min.begin(),
            Self::All | Self::Lt(_) | Self::LtEq(_) => Version::lowest(),
        }
    }

    pub(super) fn end(&self) -> Version {
        match self {
            Self::Lt(version) | Self::LtEq(version) | Self::Eq(version) => version.clone(),
            Self::MinMax(_, max) => max.end(),
            Self::All | Self::Gt(_) | Self::GtEq(_) => Version::highest(),
        }
    }

    pub(super) fn excludes_begin(&self) -> bool {
        match self {
            Self::MinMax(min, _) => min.excludes_begin(),
            other => matches!(other, Self::Gt(_)),
        }
    }

    pub(super) fn excludes_end(&self) -> bool {
        match self {
            Self::MinMax(_, max) => max.excludes_end(),
            other => matches!(other, Self::Lt(_)),
        }
    }

    fn has_lower_bound(&self) -> bool {
        match self {
            Self::Gt(_) => true,
            Self::GtEq(version) | Self::Eq(version) => *version != Version::lowest(),
            Self::MinMax(min, _) => min.has_lower_bound(),
            Self::All | Self::Lt(_) | Self::LtEq(_) => false,
        }
    }

    fn has_upper_bound(&self) -> bool {
        match self {
            Self::Lt(_) => true,
            Self::LtEq(version) | Self::Eq(version) => *version != Version::highest(),
            Self::MinMax(_, max) => max.has_upper_bound(),
            Self::All | Self::Gt(_) | Self::GtEq(_) => false,
        }
    }

    pub(super) fn includes(&self, version: &Version) -> bool {
        match self {
            Self::All => true,
            Self::Gt(bound) => version.compare(bound).is_gt(),
            Self::GtEq(bound) => version.compare(bound).is_ge(),
            Self::Lt(bound) => version.compare(bound).is_lt(),
            Self::LtEq(bound) => version.compare(bound).is_le(),
            Self::Eq(bound) => version == bound,
            Self::MinMax(min, max) => min.includes(version) && max.includes(version),
        }
    }

    /// Returns true if a bound is a prerelease of the same version, without which a prerelease is not included.
    pub(super) fn allows_prerelease(&self, version: &Version) -> bool {
        match self {
            Self::All => true,
            Self::Gt(bound)
            | Self::GtEq(bound)
            | Self::Lt(bound)
            | Self::LtEq(bound)
            | Self::Eq(bound) => {
                !bound.is_stable()
                    && bound.major == version.major
                    && bound.minor == version.minor
                    && bound.patch == version.patch
            }
            Self::MinMax(min, max) => {
                min.allows_prerelease(version) || max.allows_prerelease(version)
            }
        }
    }

    /// Returns the intersection, unless it is empty.
    pub(super) fn intersection(&self, other: &Self) -> Option<Self> {
        if *self == Self::All {
            return Some(other.clone());
        }
        match self.begin().compare(&other.end()) {
            Ordering::Greater => return None,
            Ordering::Equal if self.excludes_begin() || other.excludes_end() => return None,
            Ordering::Equal => return Some(Self::Eq(self.begin())),
            Ordering::Less => (),
        }
        match other.begin().compare(&self.end()) {
            Ordering::Greater => return None,
            Ordering::Equal if other.excludes_begin() || self.excludes_end() => return None,
            Ordering::Equal => return Some(Self::Eq(other.begin())),
            Ordering::Less => (),
        }
        let min = match self.begin().compare(&other.begin()) {
            Ordering::Less => other,
            Ordering::Greater => self,
            Ordering::Equal => {
                if self.excludes_begin() {
                    self
                } else {
                    other
                }
            }
        };
        let max = match self.end().compare(&other.end()) {
            Ordering::Greater => other,
            Ordering::Less => self,
            Ordering::Equal => {
                if self.excludes_end() {
                    self
                } else {
                    other
                }
            }
        };
        Some(match (min.has_lower_bound(), max.has_upper_bound()) {
            (_, false) => min.clone(),
            (false, true) => max.clone(),
            (true, true) => Self::min_max(min.clone(), max.clone()),
        })
    }

    /// Returns the union, if both overlap or touch.
    pub(super) fn merge(&self, other: &Self) -> Result<Option<Self>, RubyError> {
        if *self == Self::All {
            return Ok(Some(Self::All));
        }
        if self.includes(&other.begin()) || other.includes(&self.begin()) {
            return self.merge_overlapping(other).map(Some);
        }
        let touch = |a: &Self, b: &Self| {
            (a.excludes_end() && !b.excludes_begin() && a.end() == b.begin())
                || (!a.excludes_end() && !b.excludes_begin() && a.end().next_patch() == b.begin())
        };
        Ok(match () {
            () if touch(self, other) => Self::between(&self.lower(), &other.upper()),
            () if touch(other, self) => Self::between(&other.lower(), &self.upper()),
            () => None,
        })
    }

    fn merge_overlapping(&self, other: &Self) -> Result<Self, RubyError> {
        let min = match self.begin().compare(&other.begin()) {
            Ordering::Less => self.lower(),
            Ordering::Greater => other.lower(),
            Ordering::Equal if self.excludes_begin() => other.lower_from(self.begin()),
            Ordering::Equal => Self::GtEq(self.begin()),
        };
        let max = match self.end().compare(&other.end()) {
            Ordering::Greater => self.upper(),
            Ordering::Less => other.upper(),
            // The gem fails with a `NameError` here; so must we, or a catalog would compile that does not under Puppet.
            Ordering::Equal => return Err(self.unknown_name()),
        };
        Ok(Self::between(&min, &max).unwrap_or_else(Self::nothing))
    }

    fn unknown_name(&self) -> RubyError {
        let class = "SemanticPuppet::VersionRange::";
        let inspected = match self {
            Self::All => format!("#<{class}AllRange>"),
            Self::Gt(version) => format!("#<{class}GtRange @version={version}>"),
            Self::GtEq(version) => format!("#<{class}GtEqRange @version={version}>"),
            Self::Lt(version) => format!("#<{class}LtRange @version={version}>"),
            Self::LtEq(version) => format!("#<{class}LtEqRange @version={version}>"),
            Self::Eq(version) => format!("#<{class}EqRange @version={version}>"),
            Self::MinMax(..) => format!("{self}:{class}MinMaxRange"),
        };
        let message = format!("undefined local variable or method `exclude_end' for {inspected}");
        RubyError::new("NameError", message)
    }

    fn between(min: &Self, max: &Self) -> Option<Self> {
        min.intersection(max)
    }

    fn lower(&self) -> Self {
        self.lower_from(self.begin())
    }

    fn lower_from(&self, begin: Version) -> Self {
        if self.excludes_begin() { Self::Gt(begin) } else { Self::GtEq(begin) }
    }

    fn upper(&self) -> Self {
        if self.excludes_end() { Self::Lt(self.end()) } else { Self::LtEq(self.end()) }
    }
}

impl fmt::Display for Simple {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("*"),
            Self::Gt(version) => write!(f, ">{version}"),
            Self::GtEq(version) => write!(f, ">={version}"),
            Self::Lt(version) if *version == Version::lowest() => f.write_str("<0.0.0"),
            Self::Lt(version) => write!(f, "<{version}"),
            Self::LtEq(version) => write!(f, "<={version}"),
            Self::Eq(version) => write!(f, "{version}"),
            Self::MinMax(min, max) => write!(f, "{min} {max}"),
        }
    }
}
