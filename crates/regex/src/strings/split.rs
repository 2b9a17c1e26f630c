//! `String#split`.

use kukla_base::cancel;

use crate::search::plain_matches;
use crate::{LimitError, Options, Regex};

impl Regex {
    /// Splits a text, as Ruby's `String#split` does.
    ///
    /// The limit 0 drops empty parts at the end, a negative one keeps them, a positive one is the maximum number of parts. Groups
    /// of the separator are parts too.
    ///
    /// ```
    /// # use kukla_regex::Regex;
    /// let comma = Regex::new(",").expect("it is valid");
    /// assert_eq!(comma.split("a,b,,", 0), Ok(vec!["a", "b"]));
    /// assert_eq!(comma.split("a,b,,", -1), Ok(vec!["a", "b", "", ""]));
    /// assert_eq!(comma.split("a,b,c", 2), Ok(vec!["a", "b,c"]));
    /// ```
    pub fn split<'t>(&self, text: &'t str, limit: i64) -> Result<Vec<&'t str>, LimitError> {
        if text.is_empty() {
            return Ok(Vec::new());
        }
        if limit == 1 {
            return Ok(vec![text]);
        }
        // Ruby treats this as a space even in extended mode.
        if self.source() == " " && self.options().extended {
            return Self::parsed(" ", Options::default())
                .map_or_else(|_| Ok(Vec::new()), |space| space.split(text, limit));
        }
        let mut parts = Vec::new();
        let begun = self.split_parts(text, limit, &mut parts)?;
        if limit != 0 || text.len() > begun {
            parts.push(&text[begun..]);
        }
        if limit == 0 {
            let n_parts = parts.iter().rposition(|part| !part.is_empty());
            parts.truncate(n_parts.map_or(0, |last| last + 1));
        }
        Ok(parts)
    }

    /// Collects all parts but the last, and returns the start of the last.
    fn split_parts<'t>(
        &self,
        text: &'t str,
        limit: i64,
        parts: &mut Vec<&'t str>,
    ) -> Result<usize, LimitError> {
        let (mut begun, mut search, mut n_parts) = (0, 0, 1);
        if let Some(matches) = plain_matches(self.program()?, text) {
            // A positive limit allows one separator less than parts.
            let most = usize::try_from(limit).ok().filter(|&limit| limit > 0);
            for (start, end) in matches.take(most.map_or(usize::MAX, |limit| limit - 1)) {
                check(parts)?;
                parts.push(&text[begun..start]);
                begun = end;
            }
            return Ok(begun);
        }
        let mut has_stepped = false;
        while search <= text.len()
            && let Some(spans) = self.spans(text, search)?
        {
            check(parts)?;
            let (start, end) = spans.whole();
            if start == search && start == end {
                // An empty separator is found behind the next character.
                if !has_stepped {
                    search += text[search..].chars().next().map_or(1, char::len_utf8);
                    has_stepped = true;
                    continue;
                }
                parts.push(&text[begun..search]);
                begun = search;
            } else {
                parts.push(text.get(begun..start).unwrap_or_default());
                begun = end;
                search = end;
            }
            has_stepped = false;
            parts.extend(spans.groups(text));
            n_parts += 1;
            if limit > 0 && limit <= n_parts {
                break;
            }
        }
        Ok(begun)
    }
}

/// Fails if there is no room for another part.
fn check(parts: &Vec<&str>) -> Result<(), LimitError> {
    match cancel::room_in(parts) {
        true => Ok(()),
        false => Err(cancel::requested().map_or(LimitError::Text, LimitError::Cancelled)),
    }
}
