//! Merging of equal mismatches of several alternatives.

use super::super::{IntegerRange, Type};
use super::path::Step;
use super::{Mismatch, MismatchKind};

/// The wording of a size mismatch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SizeWording {
    /// `expects size to be …`
    Size,
    /// `expects … arguments`
    Count,
}

impl SizeWording {
    pub(super) const fn kind(self, expected: IntegerRange, actual: IntegerRange) -> MismatchKind {
        match self {
            Self::Size => MismatchKind::Size { expected, actual },
            Self::Count => MismatchKind::Count { expected, actual },
        }
    }
}

/// Merges the mismatches of alternatives that differ at one place of their paths.
pub(super) fn merge(
    varying: usize,
    sizes: SizeWording,
    alternatives: &[Vec<Mismatch>],
) -> Vec<Mismatch> {
    let all: Vec<&Mismatch> = alternatives.iter().flatten().collect();
    let kinds: [&dyn Fn(&MismatchKind) -> bool; 4] = [
        &|kind| match kind {
            MismatchKind::Count { .. } => true,
            MismatchKind::Size { .. } => sizes == SizeWording::Size,
            _ => false,
        },
        &|kind| matches!(kind, MismatchKind::MissingBlock),
        &|kind| matches!(kind, MismatchKind::UnexpectedBlock),
        &|kind| matches!(kind, MismatchKind::Type { .. } | MismatchKind::Pattern { .. }),
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
    /// Returns the path without steps into alternatives.
    fn canonical(&self) -> impl Iterator<Item = &Step> {
        self.path.iter().filter(|step| !step.is_alternative())
    }

    /// Returns true for equal mismatches of blocks, the only ones that Puppet compares.
    fn is_same_block(&self, other: &Self) -> bool {
        let same = matches!(
            (&self.kind, &other.kind),
            (MismatchKind::MissingBlock, MismatchKind::MissingBlock)
                | (MismatchKind::UnexpectedBlock, MismatchKind::UnexpectedBlock)
        );
        same && self.canonical().eq(other.canonical())
    }

    /// Returns the mismatch without one step of its path.
    pub(super) fn without(mut self, place: usize) -> Self {
        if place < self.path.len() {
            self.path.remove(place);
        }
        self
    }
}

impl MismatchKind {
    /// Returns the wider of two mismatches of a kind.
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
