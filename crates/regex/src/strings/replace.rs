//! `String#sub`, `String#gsub` and `String#scan`.

use std::borrow::Cow;

use kukla_base::cancel;

use crate::captures::behind;
use crate::search::plain_matches;
use crate::{Captures, LimitError, Regex};

/// The reason why a replacement failed, in Ruby's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplaceError {
    /// `\k<name>` in the replacement names no group.
    #[error("undefined group name reference: {0}")]
    UnknownName(String),
    /// `\k<` without an end.
    #[error("invalid group name reference format")]
    UnclosedName,
    /// The match was abandoned.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

impl Regex {
    /// Replaces the first match, as Ruby's `String#sub` does.
    ///
    /// In the replacement, `\0` and `\&` are the match, `\1` and `\k<name>` groups, `` \` `` and `\'` the text before and
    /// behind the match, `\\` a backslash.
    pub fn sub<'t>(&self, text: &'t str, replacement: &str) -> Result<Cow<'t, str>, ReplaceError> {
        let Some(captures) = self.captures(text, 0)? else { return Ok(Cow::Borrowed(text)) };
        let mut replaced = String::with_capacity(text.len() + replacement.len());
        replaced.push_str(captures.before());
        expand(replacement, &captures, &mut replaced)?;
        replaced.push_str(captures.after());
        Ok(Cow::Owned(replaced))
    }

    /// Replaces all matches, as Ruby's `String#gsub` does.
    ///
    /// ```
    /// # use kukla_regex::Regex;
    /// let regex = Regex::new("(l+)").expect("it is valid");
    /// assert_eq!(regex.gsub("hello world", r"<\1>").as_deref(), Ok("he<ll>o wor<l>d"));
    /// ```
    pub fn gsub<'t>(&self, text: &'t str, replacement: &str) -> Result<Cow<'t, str>, ReplaceError> {
        match memchr::memchr(b'\\', replacement.as_bytes()) {
            None => Ok(self.gsub_plain(text, replacement)?),
            Some(_) => {
                self.gsub_with(text, |captures, replaced| expand(replacement, captures, replaced))
            }
        }
    }

    /// Like [`Self::gsub`], but for a replacement without references.
    fn gsub_plain<'t>(&self, text: &'t str, replacement: &str) -> Result<Cow<'t, str>, LimitError> {
        let mut replaced = String::new();
        if let Some(matches) = plain_matches(self.program()?, text) {
            let mut copied = 0;
            for (start, end) in matches {
                if copied == 0 {
                    replaced.reserve(text.len() + replacement.len());
                }
                put(&mut replaced, &text[copied..start])?;
                put(&mut replaced, replacement)?;
                copied = end;
            }
            if copied == 0 {
                return Ok(Cow::Borrowed(text));
            }
            put(&mut replaced, &text[copied..])?;
            return Ok(Cow::Owned(replaced));
        }
        let (mut copied, mut next, mut is_changed) = (0, Some(0), false);
        while let Some(from) = next
            && let Some(spans) = self.spans(text, from)?
        {
            if !is_changed {
                replaced.reserve(text.len() + replacement.len());
            }
            is_changed = true;
            let (start, end) = spans.whole();
            put(&mut replaced, &text[copied.min(start)..start])?;
            put(&mut replaced, replacement)?;
            (copied, next) = (end, behind(text, start, end));
        }
        if !is_changed {
            return Ok(Cow::Borrowed(text));
        }
        put(&mut replaced, &text[copied..])?;
        Ok(Cow::Owned(replaced))
    }

    /// Replaces all matches, as Ruby's `String#gsub` with a block does; `replace` appends the replacement of each match.
    pub fn gsub_with<'t, E: From<LimitError>>(
        &self,
        text: &'t str,
        mut replace: impl FnMut(&Captures<'t>, &mut String) -> Result<(), E>,
    ) -> Result<Cow<'t, str>, E> {
        let mut replaced = String::new();
        let mut copied = 0;
        let mut is_changed = false;
        for captures in self.find_iter(text) {
            let captures = captures?;
            is_changed = true;
            // `\K` may put the start of a match before the end of the last.
            put(&mut replaced, &text[copied.min(captures.start())..captures.start()])?;
            replace(&captures, &mut replaced)?;
            copied = captures.end();
        }
        if !is_changed {
            return Ok(Cow::Borrowed(text));
        }
        put(&mut replaced, &text[copied..])?;
        Ok(Cow::Owned(replaced))
    }

    /// Returns for each match its groups, or the match itself if there are none, as Ruby's `String#scan` does.
    pub fn scan<'t>(&self, text: &'t str) -> Result<Vec<Scanned<'t>>, LimitError> {
        let scanned = self.find_iter(text).map(|captures| {
            let captures = captures?;
            Ok(match captures.len() {
                1 => Scanned::Match(captures.get(0).unwrap_or_default()),
                _ => Scanned::Groups(captures.groups().collect()),
            })
        });
        scanned.collect()
    }
}

/// A result of [`Regex::scan`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scanned<'t> {
    /// The whole match.
    Match(&'t str),
    /// The groups.
    Groups(Vec<Option<&'t str>>),
}

/// Appends a replacement with its references resolved.
pub(super) fn expand(
    replacement: &str,
    captures: &Captures<'_>,
    out: &mut String,
) -> Result<(), ReplaceError> {
    let mut rest = replacement;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        put(out, &rest[..at])?;
        rest = &rest[at + 1..];
        let Some(letter) = rest.chars().next() else {
            out.push('\\');
            return Ok(());
        };
        rest = &rest[letter.len_utf8()..];
        match letter {
            // If groups have names, Ruby ignores numbers.
            '1'..='9' if captures.regex().names().next().is_some() => {}
            '0'..='9' => {
                let group = usize::from(letter as u8 - b'0');
                put(out, captures.get(group).unwrap_or_default())?;
            }
            '&' => put(out, captures.get(0).unwrap_or_default())?,
            '`' => put(out, captures.before())?,
            '\'' => put(out, captures.after())?,
            '\\' => out.push('\\'),
            'k' if rest.starts_with('<') => {
                let (name, after) = rest[1..].split_once('>').ok_or(ReplaceError::UnclosedName)?;
                let unknown = |_| ReplaceError::UnknownName(name.to_owned());
                put(out, captures.name(name).map_err(unknown)?.unwrap_or_default())?;
                rest = after;
            }
            other => out.extend(['\\', other]),
        }
    }
    Ok(put(out, rest)?)
}

/// Appends, unless the text would be too long or the compilation is cancelled.
fn put(out: &mut String, text: &str) -> Result<(), LimitError> {
    match cancel::append(out, text) {
        true if out.len() > cancel::MAX_TEXT => Err(LimitError::Text),
        true => Ok(()),
        false => Err(cancel::requested().map_or(LimitError::Text, LimitError::Cancelled)),
    }
}
