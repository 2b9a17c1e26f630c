//! Semantic versions.

use super::syntax;
use crate::{BigInt, RubyError, RubyInteger as _};
use std::cmp::Ordering;
use std::fmt;

/// `major.minor.patch-prerelease+build`
///
/// Equality includes the build, order does not.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Version {
    /// The first number.
    pub major: VersionNumber,
    /// The second number.
    pub minor: VersionNumber,
    /// The third number.
    pub patch: VersionNumber,
    /// The part after `-`; the lowest version has an empty list.
    pub prerelease: Option<Vec<Segment>>,
    /// The part after `+`.
    pub build: Option<Vec<String>>,
}

/// A number of a version. The order of the variants is that of the numbers.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VersionNumber {
    /// The usual case.
    Number(u64),
    /// A number of more than 64 bits.
    Large(BigInt),
    /// The number of the highest version.
    Infinity,
}

/// A segment of a prerelease. Numbers come before texts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// A segment of digits only.
    Number(VersionNumber),
    /// A segment with letters.
    Text(String),
}

impl Version {
    /// Creates a stable version.
    pub fn new(major: VersionNumber, minor: VersionNumber, patch: VersionNumber) -> Self {
        Self { major, minor, patch, prerelease: None, build: None }
    }

    /// Returns the lowest of all versions.
    pub fn lowest() -> Self {
        let zero = VersionNumber::Number(0);
        let prerelease = Some(Vec::new());
        Self { prerelease, ..Self::new(zero.clone(), zero.clone(), zero) }
    }

    /// Returns the highest of all versions.
    pub fn highest() -> Self {
        Self::new(VersionNumber::Infinity, VersionNumber::Number(0), VersionNumber::Number(0))
    }

    /// Parses a version; all three numbers are required.
    pub fn parse(text: &str) -> Result<Self, RubyError> {
        let refused = || {
            let message = format!("Unable to parse '{text}' as a semantic version identifier");
            RubyError::new("SemanticPuppet::Version::ValidationFailure", message)
        };
        // A line break at the end is allowed.
        let partial =
            syntax::partial(text.strip_suffix('\n').unwrap_or(text), false).ok_or_else(refused)?;
        partial.version()
    }

    /// Returns true if [`Version::parse`] accepts the text.
    pub fn is_valid(text: &str) -> bool {
        Self::parse(text).is_ok()
    }

    /// Returns true if there is no prerelease.
    pub fn is_stable(&self) -> bool {
        self.prerelease.as_ref().is_none_or(Vec::is_empty)
    }

    /// Returns the prerelease as written.
    pub fn prerelease_text(&self) -> Option<String> {
        let segments = self.prerelease.as_ref().filter(|list| !list.is_empty())?;
        Some(segments.iter().map(Segment::to_string).collect::<Vec<_>>().join("."))
    }

    /// Returns the build as written.
    pub fn build_text(&self) -> Option<String> {
        self.build.as_ref().filter(|list| !list.is_empty()).map(|list| list.join("."))
    }

    /// Returns the version with the next patch number.
    pub(super) fn next_patch(&self) -> Self {
        Self::new(self.major.clone(), self.minor.clone(), self.patch.next())
    }

    /// Compares by the rules of semantic versions.
    pub fn compare(&self, other: &Self) -> Ordering {
        let numbers = |v: &Self| (v.major.clone(), v.minor.clone(), v.patch.clone());
        numbers(self).cmp(&numbers(other)).then_with(|| {
            match (&self.prerelease, &other.prerelease) {
                (None, None) => Ordering::Equal,
                (None, Some(_)) => Ordering::Greater,
                (Some(_), None) => Ordering::Less,
                (Some(mine), Some(yours)) => mine.cmp(yours),
            }
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if let Some(segments) = &self.prerelease {
            let texts: Vec<String> = segments.iter().map(Segment::to_string).collect();
            write!(f, "-{}", texts.join("."))?;
        }
        match &self.build {
            Some(build) => write!(f, "+{}", build.join(".")),
            None => Ok(()),
        }
    }
}

impl VersionNumber {
    /// Parses digits.
    pub(super) fn parse(digits: &str) -> Self {
        digits
            .parse()
            .map_or_else(|_| Self::Large(BigInt::from_digits(false, digits, 10)), Self::Number)
    }

    /// Returns the number plus one.
    pub(super) fn next(&self) -> Self {
        match self {
            Self::Number(number) if *number < u64::MAX => Self::Number(number + 1),
            Self::Infinity => Self::Infinity,
            other => {
                // Adds one by hand: a carry runs through nines.
                let mut digits: Vec<u8> = format!("0{other}").into_bytes();
                for digit in digits.iter_mut().rev() {
                    if *digit < b'9' {
                        *digit += 1;
                        break;
                    }
                    *digit = b'0';
                }
                Self::parse(String::from_utf8_lossy(&digits).trim_start_matches('0'))
            }
        }
    }
}

impl fmt::Display for VersionNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Large(number) => write!(f, "{number}"),
            Self::Infinity => f.write_str("Infinity"),
        }
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}
