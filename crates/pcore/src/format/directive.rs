//! One format: `%<flags><width>.<precision><letter>`.

use std::sync::Arc;

use ecow::EcoString;

use super::error::FormatError;
use super::map::FormatMap;

/// A format, with the formats of the elements of a container.
#[derive(Clone, Debug)]
pub struct Directive {
    /// The source text, which is passed to Ruby's `format`.
    pub original: EcoString,
    /// The conversion: `d`, `s`, `p`, ….
    pub letter: char,
    /// `#`
    pub alternate: bool,
    /// `-`
    pub left: bool,
    /// The minimum number of characters.
    pub width: Option<usize>,
    /// The number of fractional digits, or the maximum number of characters.
    pub precision: Option<usize>,
    /// The delimiters of a container, if the format sets them.
    pub(super) delimiters: Option<(&'static str, &'static str)>,
    /// The separator of the elements of a container.
    pub separator: Option<EcoString>,
    /// The separator of a key and its value.
    pub separator2: Option<EcoString>,
    /// The formats of a container's elements.
    pub elements: Option<Arc<FormatMap>>,
}

/// Flags that choose delimiters, with their delimiters.
const DELIMITERS: [(char, (&str, &str)); 5] =
    [('[', ("[", "]")), ('{', ("{", "}")), ('(', ("(", ")")), ('<', ("<", ">")), ('|', ("|", "|"))];

impl Directive {
    /// Parses a format.
    pub fn parse(text: &str) -> Result<Self, FormatError> {
        let Some(parts) = DirectiveParts::find(text) else {
            return Err(FormatError::new(format!(
                "The format '{text}' is not a valid format on the form '%<flags><width>.<prec><format>'"
            )));
        };
        let flags = parts.flags;
        if flags.char_indices().any(|(at, flag)| flags[..at].contains(flag)) {
            let message = format!("The same flag can only be used once, got '{text}'");
            return Err(FormatError::new(message));
        }
        Ok(Self {
            original: text.into(),
            letter: parts.letter,
            alternate: flags.contains('#'),
            left: flags.contains('-'),
            width: parts.width.map(number),
            precision: parts.precision.map(number),
            delimiters: delimiters(text, flags)?,
            separator: None,
            separator2: None,
            elements: None,
        })
    }

    /// Merges a format with higher precedence over this one.
    pub fn merge(&self, higher: &Self) -> Result<Self, FormatError> {
        let elements = match (&self.elements, &higher.elements) {
            (Some(low), Some(high)) => Some(Arc::new(low.merge(high)?)),
            (low, high) => high.as_ref().or(low.as_ref()).cloned(),
        };
        let separator = higher.separator.as_ref().or(self.separator.as_ref()).cloned();
        let separator2 = higher.separator2.as_ref().or(self.separator2.as_ref()).cloned();
        Ok(Self { separator, separator2, elements, ..higher.clone() })
    }

    /// Returns the delimiters of a container.
    pub fn delimiters(
        &self,
        default: (&'static str, &'static str),
    ) -> (&'static str, &'static str) {
        self.delimiters.unwrap_or(default)
    }

    /// Returns true if width, precision or `-` change the text of a word.
    pub(super) const fn has_size(&self) -> bool {
        self.left || self.width.is_some() || self.precision.is_some()
    }

    /// Returns the format with another letter; all occurrences of the letter are replaced, as by Ruby's `tr`.
    pub(super) fn with_letter(&self, letter: char) -> String {
        self.original.chars().map(|char| if char == self.letter { letter } else { char }).collect()
    }
}

/// Returns the delimiters that flags choose; a space means none.
fn delimiters(
    text: &str,
    flags: &str,
) -> Result<Option<(&'static str, &'static str)>, FormatError> {
    let mut chosen = DELIMITERS.iter().filter(|(flag, _)| flags.contains(*flag));
    let first = chosen.next().map(|(_, pair)| *pair);
    if chosen.next().is_some() {
        return Err(FormatError::new(format!(
            "Only one of the delimiters [ {{ ( < | can be given in the format flags, got '{text}'"
        )));
    }
    Ok(first.or_else(|| flags.contains(' ').then_some(("", ""))))
}

/// Parses a number; one that is too large saturates.
fn number(digits: &str) -> usize {
    digits.parse().unwrap_or(usize::MAX)
}

/// The pieces of a format.
struct DirectiveParts<'a> {
    flags: &'a str,
    width: Option<&'a str>,
    precision: Option<&'a str>,
    letter: char,
}

impl<'a> DirectiveParts<'a> {
    /// Finds the first line of a text that is a format: Ruby's `^` and `$` match at borders of lines.
    fn find(text: &'a str) -> Option<Self> {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        starts.into_iter().find_map(|start| Self::parse(&text[start..]))
    }

    fn parse(text: &'a str) -> Option<Self> {
        let rest = text.strip_prefix('%')?;
        let (flags, rest) = split(rest, |c| " \t\n\x0b\x0c\r[+#0{<(|-".contains(c));
        let (width, rest) = split(rest, |c| c.is_ascii_digit());
        let (precision, rest) = match rest.strip_prefix('.') {
            Some(rest) => {
                let (digits, rest) = split(rest, |c| c.is_ascii_digit());
                (Some(digits).filter(|digits| !digits.is_empty())?.into(), rest)
            }
            None => (None, rest),
        };
        let letter = rest.chars().next().filter(char::is_ascii_alphabetic)?;
        let end = &rest[1..];
        let is_end = end.is_empty() || end.starts_with('\n');
        let width = Some(width).filter(|digits| !digits.is_empty());
        is_end.then_some(Self { flags, width, precision, letter })
    }
}

fn split(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !belongs(c)).unwrap_or(text.len()))
}
