//! Character sets of Ruby's `tr`, `count` and `squeeze`: `a-z`, `^0-9`.

use kukla_rubytext::RubyError;

/// A set of characters.
pub(super) struct Characters {
    ranges: Vec<(char, char)>,
    is_negated: bool,
}

impl Characters {
    /// Parses `a-z`, `^a`, `\-`.
    pub(super) fn parse(text: &str) -> Result<Self, RubyError> {
        let (body, is_negated) = match text.strip_prefix('^') {
            Some(rest) if !rest.is_empty() => (rest, true),
            _ => (text, false),
        };
        let letters = letters(body);
        let (mut ranges, mut at) = (Vec::new(), 0);
        while let Some(&(first, _)) = letters.get(at) {
            let last = match (letters.get(at + 1), letters.get(at + 2)) {
                (Some(('-', false)), Some(&(last, _))) => Some(last),
                _ => None,
            };
            if let Some(last) = last.filter(|last| first > *last) {
                return Err(RubyError::argument(format!(
                    "invalid range \"{first}-{last}\" in string transliteration"
                )));
            }
            ranges.push((first, last.unwrap_or(first)));
            at += if last.is_some() { 3 } else { 1 };
        }
        Ok(Self { ranges, is_negated })
    }

    /// Returns true if a character is in the set.
    pub(super) fn contains(&self, character: char) -> bool {
        self.ranges.iter().any(|(first, last)| (*first..=*last).contains(&character))
            != self.is_negated
    }
}

/// Returns characters, each with whether a backslash precedes it.
fn letters(text: &str) -> Vec<(char, bool)> {
    let (mut out, mut characters) = (Vec::new(), text.chars());
    while let Some(character) = characters.next() {
        match (character, characters.clone().next()) {
            ('\\', Some(escaped)) => {
                characters.next();
                out.push((escaped, true));
            }
            (plain, _) => out.push((plain, false)),
        }
    }
    out
}
