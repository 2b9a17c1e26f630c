//! Titles: their mapping to attributes, and the uniqueness of resources.

use kukla_base::Symbol;
use kukla_regex::{LimitError, Options, Regex, ReplaceError};

use super::ResourceType;

/// The mapping of titles to attributes: Puppet's `title_patterns`.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum TitlePatterns {
    /// Not declared: the title is the value of the only key. Without a key no title matches, and several keys are an error
    /// in the type.
    #[default]
    Default,
    /// The first pattern that matches counts.
    List(Vec<TitlePattern>),
    /// The title is the `name`, though that is no key: a generated type without keys.
    Name,
}

/// An expression, and the attributes of its groups.
#[derive(Clone, Debug, PartialEq)]
pub struct TitlePattern {
    /// The pattern of a title.
    pub regex: Regex,
    /// One part per group, in order.
    pub parts: Vec<TitlePart>,
}

/// The attribute of a group of a title.
#[derive(Clone, Debug, PartialEq)]
pub struct TitlePart {
    /// Its name.
    pub attribute: Box<str>,
    /// Transformations of the text, in order; usually none.
    pub steps: Vec<TitleStep>,
    /// The text if the group did not take part in the match.
    pub if_missing: Option<Box<str>>,
}

impl TitlePart {
    /// Creates a part with the text of a group unchanged.
    pub fn plain(attribute: &str) -> Self {
        Self { attribute: attribute.into(), steps: Vec::new(), if_missing: None }
    }
}

/// A Ruby method that a title pattern calls on a part of the title.
#[derive(Clone, Debug, PartialEq)]
pub enum TitleStep {
    /// `downcase`
    Downcase,
    /// `upcase`
    Upcase,
    /// `capitalize`
    Capitalize,
    /// `strip`
    Strip,
    /// `chomp(text)`
    Chomp(Box<str>),
    /// `sub(regex, text)`
    Sub(Regex, Box<str>),
    /// `gsub(regex, text)`
    Gsub(Regex, Box<str>),
}

/// Puppet's message for a title that its type refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TitleError {
    /// No pattern matches it.
    #[error("No set of title patterns matched the title \"{0}\".")]
    NoPattern(String),
    /// The type has several keys and does not declare patterns.
    #[error("you must specify title patterns when there are two or more key attributes")]
    NotSpecified,
    /// The match was abandoned.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A transformation of a part of the title failed.
    #[error(transparent)]
    Replace(#[from] ReplaceError),
}

/// Attributes, with their texts in a title.
type TitleValues<'t> = Vec<(&'t str, Option<String>)>;

impl ResourceType {
    /// Returns the values of attributes in a title, in the order of the pattern. A group that did not take part in the match
    /// has none.
    ///
    /// ```
    /// let types = kukla_catalog::types::Builtins::new(kukla_base::Edition::default());
    /// let file = types.find("file").expect("there are files");
    /// assert_eq!(file.parse_title("/etc/").unwrap(), [("path", Some("/etc".to_owned()))]);
    /// ```
    pub fn parse_title(&self, title: &str) -> Result<Vec<(&str, Option<String>)>, TitleError> {
        match self.title_patterns() {
            TitlePatterns::Name => Ok(vec![("name", Some(title.to_owned()))]),
            TitlePatterns::Default => match self.key_attributes().len() {
                0 => Err(TitleError::NoPattern(title.to_owned())),
                1 => Ok(vec![(self.namevar(), Some(title.to_owned()))]),
                _ => Err(TitleError::NotSpecified),
            },
            TitlePatterns::List(patterns) => {
                for pattern in patterns {
                    if let Some(parts) = pattern.parts_of(title)? {
                        return Ok(parts);
                    }
                }
                Err(TitleError::NoPattern(title.to_owned()))
            }
        }
    }

    /// Returns Puppet's `uniqueness_key`: no two resources of the type may have the same one, if the type is isomorphic.
    ///
    /// `value_of` returns the attributes that are set, `None` for `undef`; `text` converts a text to a value; `name` is
    /// Puppet's name of the resource, for types without keys in the title.
    pub fn uniqueness_key<V: Clone>(
        &self,
        title: &str,
        name: &V,
        value_of: &dyn Fn(&str) -> Option<V>,
        text: &dyn Fn(&str) -> V,
    ) -> Result<Vec<Option<V>>, TitleError> {
        if self.is_plain() || self.is_title_unique(title) {
            let key = self.namevar();
            return Ok(vec![Some(value_of(key).unwrap_or_else(|| text(title)))]);
        }
        let parts = self.parse_title(title)?;
        let of_title = |name: &str| {
            // The last of two parts for one attribute wins, as in a hash.
            let part = parts.iter().rev().find(|(attribute, _)| *attribute == name);
            part.and_then(|(_, value)| value.as_deref()).map(text)
        };
        let value_or_part = |name: &str| value_of(name).or_else(|| of_title(name));
        let namevar = self.namevar();
        let stand_in = value_or_part(namevar)
            .or_else(|| value_or_part("name"))
            .unwrap_or_else(|| name.clone());
        let value = |key: &str| {
            let is_name = key == namevar || key == "name";
            value_or_part(key).or_else(|| is_name.then(|| stand_in.clone()))
        };
        Ok(self.sorted_keys().iter().map(|key| value(key)).collect())
    }

    /// Returns true if the title is simply the value of the only key.
    pub fn is_plain(&self) -> bool {
        matches!(self.title_patterns(), TitlePatterns::Default) && self.key_attributes().len() == 1
    }
}

/// A type whose title is usually the value of one attribute: that holds for most types, and needs no regular expression.
#[derive(Clone, Debug)]
pub(crate) struct WholeTitle {
    pub(crate) attribute: Symbol,
    /// Set if titles with slashes at the end, or with several lines, need the pattern.
    is_path: bool,
}

impl WholeTitle {
    /// Patterns, all with Ruby's `m`, whose only group matches the whole title; that of paths drops slashes at the end.
    const ANYTHING: &str = "(.*)";
    const PATH: &str = r"^(/|.+:/|.*[^/])/*\Z";

    pub(crate) fn new(patterns: &TitlePatterns, keys: &[Box<str>]) -> Option<Self> {
        let whole = |name: &str| Self { attribute: Symbol::new(name), is_path: false };
        match (patterns, keys) {
            (TitlePatterns::Name, _) => Some(whole("name")),
            (TitlePatterns::Default, [key]) => Some(whole(key)),
            (TitlePatterns::Default, _) => None,
            (TitlePatterns::List(patterns), _) => {
                let first = patterns.first()?;
                let options = Options { multi_line: true, ..Options::default() };
                let [part] = &first.parts[..] else { return None };
                if first.regex.options() != options || !part.steps.is_empty() {
                    return None;
                }
                match first.regex.source() {
                    Self::ANYTHING => Some(whole(&part.attribute)),
                    Self::PATH => Some(Self { is_path: true, ..whole(&part.attribute) }),
                    _ => None,
                }
            }
        }
    }

    pub(crate) fn is_whole(&self, title: &str) -> bool {
        !self.is_path || !(title.is_empty() || title.ends_with('/') || title.contains('\n'))
    }
}

impl TitlePattern {
    fn parts_of(&self, title: &str) -> Result<Option<TitleValues<'_>>, TitleError> {
        let Some(captures) = self.regex.captures(title, 0)? else {
            return Ok(None);
        };
        let mut parts = Vec::with_capacity(self.parts.len());
        for (index, part) in self.parts.iter().enumerate() {
            let capture = captures.get(index + 1);
            let text = match capture {
                Some(text) => Some(part.value(text)?),
                None => part.if_missing.as_deref().map(str::to_owned),
            };
            parts.push((&*part.attribute, text));
        }
        Ok(Some(parts))
    }
}

impl TitlePart {
    fn value(&self, text: &str) -> Result<String, TitleError> {
        self.steps.iter().try_fold(text.to_owned(), |text, step| step.apply(&text))
    }
}

impl TitleStep {
    fn apply(&self, text: &str) -> Result<String, TitleError> {
        Ok(match self {
            Self::Downcase => text.to_lowercase(),
            Self::Upcase => text.to_uppercase(),
            Self::Capitalize => capitalize(text),
            Self::Strip => {
                text.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\0').to_owned()
            }
            Self::Chomp(end) => text.strip_suffix(&**end).unwrap_or(text).to_owned(),
            Self::Sub(regex, by) => regex.sub(text, by)?.into_owned(),
            Self::Gsub(regex, by) => regex.gsub(text, by)?.into_owned(),
        })
    }
}

pub(crate) fn capitalize(text: &str) -> String {
    let mut chars = text.chars();
    let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    first + &chars.as_str().to_lowercase()
}
