//! The results of a match: groups and their spans.

use crate::exec::{NOWHERE, Slots};
use crate::{LimitError, Regex};

/// A match with its groups: Ruby's `MatchData`.
#[derive(Clone, Debug)]
pub struct Captures<'t> {
    regex: Regex,
    text: &'t str,
    slots: Slots,
}

impl<'t> Captures<'t> {
    pub(crate) fn new(regex: Regex, text: &'t str, slots: Slots) -> Self {
        Self { regex, text, slots }
    }

    /// Returns the text of a group, 0 being the whole match; `None` if it is not part of the match.
    pub fn get(&self, group: usize) -> Option<&'t str> {
        let (start, end) = self.span(group)?;
        Some(&self.text[start..end])
    }

    /// Start and end of a group in bytes.
    pub fn span(&self, group: usize) -> Option<(usize, usize)> {
        let &(start, end) = self.slots.get(group)?;
        (start != NOWHERE).then_some((start as usize, end as usize))
    }

    /// Returns the offset of the start of the match.
    pub fn start(&self) -> usize {
        self.slots[0].0 as usize
    }

    /// Returns the offset of the end of the match.
    pub fn end(&self) -> usize {
        self.slots[0].1 as usize
    }

    /// Returns the text of the last group with this name that has matched; `Err` if no group has it.
    pub fn name(&self, name: &str) -> Result<Option<&'t str>, UnknownName> {
        let (_, numbers) =
            self.regex.names().find(|&(candidate, _)| candidate == name).ok_or(UnknownName)?;
        Ok(numbers.iter().rev().find_map(|&number| self.get(number)))
    }

    /// Returns the groups without the whole match: Ruby's `MatchData#captures`.
    pub fn groups(&self) -> impl Iterator<Item = Option<&'t str>> + '_ {
        (1..self.slots.len()).map(|group| self.get(group))
    }

    /// Returns the number of groups, with the whole match.
    #[expect(clippy::len_without_is_empty, reason = "the whole match is always there")]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns the text before the match.
    pub fn before(&self) -> &'t str {
        &self.text[..self.start()]
    }

    /// Returns the text after the match.
    pub fn after(&self) -> &'t str {
        &self.text[self.end()..]
    }

    /// Returns the expression that has matched.
    pub fn regex(&self) -> &Regex {
        &self.regex
    }
}

/// Start and end of a match and of its groups, in bytes.
#[derive(Clone, Debug)]
pub struct Spans(pub(crate) Slots);

impl Spans {
    /// Start and end of a group, 0 being the whole match; `None` if it is not part of the match.
    pub fn get(&self, group: usize) -> Option<(usize, usize)> {
        let &(start, end) = self.0.get(group)?;
        (start != NOWHERE).then_some((start as usize, end as usize))
    }

    pub(crate) fn whole(&self) -> (usize, usize) {
        (self.0[0].0 as usize, self.0[0].1 as usize)
    }

    /// Returns the texts of the groups that have matched, without the whole match.
    pub(crate) fn groups<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        (1..self.0.len())
            .filter_map(move |group| self.get(group).map(|(start, end)| &text[start..end]))
    }
}

/// Returns the offset from which to search for the next match; behind an empty match that is one character further.
pub(crate) fn behind(text: &str, start: usize, end: usize) -> Option<usize> {
    match (start == end, text[end..].chars().next()) {
        (false, _) => Some(end),
        (true, Some(character)) => Some(end + character.len_utf8()),
        (true, None) => None,
    }
}

/// The error for a name that no group has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownName;

/// An iterator over all matches of an expression that don't overlap.
#[derive(Debug)]
pub struct Matches<'t> {
    regex: Regex,
    text: &'t str,
    /// The offset of the next search; `None` after the last.
    next: Option<usize>,
}

impl<'t> Matches<'t> {
    pub(crate) fn new(regex: Regex, text: &'t str) -> Self {
        Self { regex, text, next: Some(0) }
    }
}

impl<'t> Iterator for Matches<'t> {
    type Item = Result<Captures<'t>, LimitError>;

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.next.take()?;
        let captures = match self.regex.captures(self.text, start).transpose()? {
            Ok(captures) => captures,
            Err(error) => return Some(Err(error)),
        };
        self.next = behind(self.text, captures.start(), captures.end());
        Some(Ok(captures))
    }
}
