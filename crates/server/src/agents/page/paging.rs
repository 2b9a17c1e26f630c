//! Parts of long lists.

use maud::{Markup, html};
use serde_json::{Value, json};

use crate::agents::query::Query;

/// A part of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The number of the part, from 1.
    number: usize,
    /// The number of all parts, at least 1.
    n_parts: usize,
    /// The number of all entries.
    n_entries: usize,
    size: usize,
}

impl Part {
    /// Returns the part that a request asks for by `page`, or the last one before it.
    pub(super) fn of(query: &Query, n_entries: usize, size: usize) -> Self {
        let n_parts = n_entries.div_ceil(size).max(1);
        let asked = query.get("page").and_then(|text| text.parse().ok()).unwrap_or(1);
        Self { number: usize::clamp(asked, 1, n_parts), n_parts, n_entries, size }
    }

    /// Returns the entries of this part.
    pub(super) fn slice<'a, T>(&self, all: &'a [T]) -> &'a [T] {
        let start = self.start().min(all.len());
        &all[start..(start + self.size).min(all.len())]
    }

    /// Returns the number of entries before this part.
    pub(super) fn start(&self) -> usize {
        (self.number - 1) * self.size
    }

    /// Returns what the part is, as JSON.
    pub(super) fn json(self) -> Value {
        json!({ "page": self.number, "pages": self.n_parts, "total": self.n_entries })
    }

    /// Shows links to the parts before and after; `address` ends where the parameter `page` is to be added.
    pub(super) fn links(self, address: &str) -> Markup {
        let to = |number: usize| format!("{address}page={number}");
        html! {
            @if self.n_parts > 1 {
                nav.pages aria-label="pages" {
                    @if self.number > 1 { a rel="prev" href=(to(self.number - 1)) { "← previous" } }
                    span { "page " (self.number) " of " (self.n_parts) }
                    @if self.number < self.n_parts { a rel="next" href=(to(self.number + 1)) { "next →" } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_in_one_part() {
        let all: Vec<usize> = (0..25).collect();
        let part = |page: &str| {
            Part::of(&Query::parse(&format!("page={page}")).expect("a query"), all.len(), 10)
        };
        assert_eq!(part("1").slice(&all), &all[..10]);
        assert_eq!(part("3").slice(&all), &all[20..]);
        for beyond in ["0", "x", "-1", "99999999999999999999999"] {
            assert_eq!(part(beyond).slice(&all), &all[..10], "{beyond}");
        }
        assert_eq!(part("99").slice(&all), &all[20..]);
        let empty: [usize; 0] = [];
        assert_eq!(Part::of(&Query::default(), 0, 10).slice(&empty), &empty);
    }
}
