//! Sets of characters.

/// A set of code points: inclusive ranges, sorted and disjoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Set {
    ranges: Vec<(u32, u32)>,
}

const LAST: u32 = 0x10_FFFF;

impl Set {
    /// Creates a set of ranges that are sorted and disjoint.
    pub(crate) fn from_sorted(ranges: Vec<(u32, u32)>) -> Self {
        Self { ranges }
    }

    pub(crate) fn from_ranges(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (first, last) in ranges {
            match merged.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => {
                    before.1 = before.1.max(last);
                }
                _ => merged.push((first, last)),
            }
        }
        Self { ranges: merged }
    }

    pub(crate) fn ascii() -> Self {
        Self { ranges: vec![(0, 0x7F)] }
    }

    pub(crate) fn ranges(&self) -> &[(u32, u32)] {
        &self.ranges
    }

    pub(crate) fn contains(&self, code: u32) -> bool {
        let index = self.ranges.partition_point(|&(_, last)| last < code);
        self.ranges.get(index).is_some_and(|&(first, _)| first <= code)
    }

    pub(crate) fn add(&mut self, other: &Self) {
        if other.ranges.is_empty() {
            return;
        }
        let mut ranges = std::mem::take(&mut self.ranges);
        ranges.extend_from_slice(&other.ranges);
        *self = Self::from_ranges(ranges);
    }

    pub(crate) fn negated(&self) -> Self {
        self.negated_up_to(LAST)
    }

    /// Returns the complement up to `end`.
    pub(crate) fn negated_up_to(&self, end: u32) -> Self {
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        let mut next = Some(0);
        for &(first, last) in &self.ranges {
            let Some(start) = next else { break };
            if first > start {
                ranges.push((start, first - 1));
            }
            next = last.checked_add(1);
        }
        if let Some(start) = next.filter(|&start| start <= end) {
            ranges.push((start, end));
        }
        Self { ranges }
    }

    pub(crate) fn and(&self, other: &Self) -> Self {
        let mut ranges = Vec::new();
        for &(first, last) in &self.ranges {
            let from = other.ranges.partition_point(|&(_, end)| end < first);
            let common = other.ranges[from..].iter().take_while(|&&(start, _)| start <= last);
            ranges.extend(common.map(|&(start, end)| (start.max(first), end.min(last))));
        }
        Self { ranges }
    }
}
