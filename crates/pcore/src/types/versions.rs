//! Version ranges in types.

use std::cmp::Ordering;

use kukla_rubytext::semver::{Version, VersionRange};

/// Joins ranges that overlap or touch.
pub(super) fn merge(mut ranges: Vec<VersionRange>) -> Vec<VersionRange> {
    if ranges.len() < 2 {
        return ranges;
    }
    let mut merged = Vec::new();
    while let Some(mut range) = ranges.pop() {
        ranges.retain(|other| match join(&range, other) {
            Some(joined) => {
                range = joined;
                false
            }
            None => true,
        });
        merged.push(range);
    }
    merged.reverse();
    merged
}

fn join(a: &VersionRange, b: &VersionRange) -> Option<VersionRange> {
    let (a_begin, a_end, b_begin, b_end) = (a.begin()?, a.end()?, b.begin()?, b.end()?);
    let (a_open, b_open) = (a.excludes_end()?, b.excludes_end()?);
    if a.includes(&b_begin) || b.includes(&a_begin) {
        let (max, open) = match a_end.compare(&b_end) {
            Ordering::Greater => (&a_end, a_open),
            Ordering::Less => (&b_end, b_open),
            Ordering::Equal => (&a_end, a_open && b_open),
        };
        return VersionRange::between(least(&a_begin, &b_begin), max, open).ok();
    }
    if a_open && a_end == b_begin {
        return VersionRange::between(&a_begin, &b_end, b_open).ok();
    }
    if b_open && b_end == a_begin {
        return VersionRange::between(&b_begin, &a_end, a_open).ok();
    }
    None
}

fn least<'a>(a: &'a Version, b: &'a Version) -> &'a Version {
    if b.compare(a) == Ordering::Less { b } else { a }
}

/// Returns true if all of `inner` is in `outer`.
pub(super) fn covers(outer: &VersionRange, inner: &VersionRange) -> bool {
    let bounds = |range: &VersionRange| Some((range.begin()?, range.end()?, range.excludes_end()?));
    let (Some((begin, end, open)), Some((inner_begin, inner_end, inner_open))) =
        (bounds(outer), bounds(inner))
    else {
        return outer == inner;
    };
    begin.compare(&inner_begin) != Ordering::Greater
        && match end.compare(&inner_end) {
            Ordering::Greater => true,
            Ordering::Equal => !open || inner_open,
            Ordering::Less => false,
        }
}
