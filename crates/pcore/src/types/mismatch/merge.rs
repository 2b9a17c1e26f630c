//! Mismatches of several alternatives become one if they say the same.

use super::super::{IntegerRange, Type};
use super::path::Step;
use super::{Kind, Mismatch};

/// How a size that does not fit is told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sizes {
    /// `expects size to be …`
    Size,
    /// `expects … arguments`
    Count,
}

impl Sizes {
    pub(super) const fn kind(self, expected: IntegerRange, actual: IntegerRange) -> Kind {
        match self {
            Self::Size => Kind::Size { expected, actual },
            Self::Count => Kind::Count { expected, actual },
        }
    }
}

/// Merges the mismatches of alternatives that differ at one place of their paths.
pub(super) fn merge(varying: usize, sizes: Sizes, alternatives: &[Vec<Mismatch>]) -> Vec<Mismatch> {
    let all: Vec<&Mismatch> = alternatives.iter().flatten().collect();
    let kinds: [&dyn Fn(&Kind) -> bool; 4] = [
        &|kind| match kind {
            Kind::Count { .. } => true,
            Kind::Size { .. } => sizes == Sizes::Size,
            _ => false,
        },
        &|kind| matches!(kind, Kind::MissingBlock),
        &|kind| matches!(kind, Kind::UnexpectedBlock),
        &|kind| matches!(kind, Kind::Type { .. } | Kind::Pattern { .. }),
    ];
    for is_kind in kinds {
        let same: Vec<&Mismatch> =
            all.iter().copied().filter(|mismatch| is_kind(&mismatch.kind)).collect();
        if same.len() == alternatives.len()
            && let Some(generic) = into_one(&same)
        {
            return vec![generic.without(varying)];
        }
    }
    let mut distinct: Vec<Mismatch> = Vec::new();
    for mismatch in all {
        if !distinct.iter().any(|other| other.is_same_block(mismatch)) {
            distinct.push(mismatch.clone());
        }
    }
    match <[Mismatch; 1]>::try_from(distinct) {
        Ok([only]) => vec![only.without(varying)],
        Err(several) => several,
    }
}

fn into_one(mismatches: &[&Mismatch]) -> Option<Mismatch> {
    let (first, rest) = mismatches.split_first()?;
    let mut merged = (*first).clone();
    for other in rest {
        if !merged.canonical().eq(other.canonical()) {
            return None;
        }
        merged.kind = merged.kind.merge(&other.kind);
    }
    Some(merged)
}

impl Mismatch {
    /// The path without steps that tell alternatives apart.
    fn canonical(&self) -> impl Iterator<Item = &Step> {
        self.path.iter().filter(|step| !step.is_alternative())
    }

    /// Puppet compares only mismatches that are about blocks.
    fn is_same_block(&self, other: &Self) -> bool {
        let same = matches!(
            (&self.kind, &other.kind),
            (Kind::MissingBlock, Kind::MissingBlock)
                | (Kind::UnexpectedBlock, Kind::UnexpectedBlock)
        );
        same && self.canonical().eq(other.canonical())
    }

    /// Without one step of the path.
    pub(super) fn without(mut self, place: usize) -> Self {
        if place < self.path.len() {
            self.path.remove(place);
        }
        self
    }
}

impl Kind {
    /// The wider of two mismatches of a kind.
    fn merge(&self, other: &Self) -> Self {
        match (self, other) {
            (
                Self::Size { expected, actual },
                Self::Size { expected: more, .. } | Self::Count { expected: more, .. },
            ) => Self::Size { expected: wider(*expected, *more), actual: *actual },
            (Self::Count { expected, actual }, Self::Count { expected: more, .. }) => {
                Self::Count { expected: wider(*expected, *more), actual: *actual }
            }
            (
                Self::Type { expected, actual },
                Self::Type { expected: more, .. } | Self::Pattern { expected: more, .. },
            ) => Self::Type { expected: either(expected, more), actual: actual.clone() },
            (
                Self::Pattern { expected, actual },
                Self::Type { expected: more, .. } | Self::Pattern { expected: more, .. },
            ) => Self::Pattern { expected: either(expected, more), actual: actual.clone() },
            (kind, _) => kind.clone(),
        }
    }
}

fn wider(a: IntegerRange, b: IntegerRange) -> IntegerRange {
    let max = a.greatest().zip(b.greatest()).map(|(a, b)| a.max(b));
    IntegerRange::new(Some(a.min.max(0).min(b.min.max(0))), max)
}

fn either(a: &Type, b: &Type) -> Type {
    Type::variant([a.clone(), b.clone()]).normalize()
}
