//! Errors in regular expressions, with Ruby's messages.

use std::fmt;

/// An error in a regular expression.
///
/// `Display` gives Ruby's message, since people search for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// A fixed message.
    Plain(&'static str),
    /// A message that quotes a name: the words before it, the name, the words after it.
    Quoting(&'static str, String, &'static str),
}

use Problem::Plain;

// Errors in escapes, found before the expression is parsed.
pub(super) const TOO_SHORT_ESCAPE: Problem = Plain("too short escape sequence");
pub(super) const TOO_SHORT_MULTIBYTE: Problem = Plain("too short escaped multibyte character");
pub(super) const TOO_SHORT_META: Problem = Plain("too short meta escape");
pub(super) const TOO_SHORT_CONTROL: Problem = Plain("too short control escape");
pub(super) const DUPLICATE_META: Problem = Plain("duplicate meta escape");
pub(super) const DUPLICATE_CONTROL: Problem = Plain("duplicate control escape");
pub(super) const UNEXPECTED_ESCAPE: Problem = Plain("unexpected escape sequence");
pub(super) const INVALID_ESCAPE_CODE: Problem = Plain("invalid escape code");
pub(super) const INVALID_HEX: Problem = Plain("invalid hex escape");
pub(super) const INVALID_MULTIBYTE: Problem = Plain("invalid multibyte escape");
pub(super) const INVALID_UNICODE_ESCAPE: Problem = Plain("invalid Unicode escape");
pub(super) const INVALID_UNICODE_LIST: Problem = Plain("invalid Unicode list");
pub(super) const INVALID_UNICODE_RANGE: Problem = Plain("invalid Unicode range");

// Errors of the parser.
pub(super) const DEPTH: Problem = Plain("parse depth limit over");
pub(super) const TOO_MANY_GROUPS: Problem = Plain("too many capture groups are specified");
pub(super) const UNCLOSED_GROUP: Problem = Plain("end pattern with unmatched parenthesis");
pub(super) const END_IN_GROUP: Problem = Plain("end pattern in group");
pub(super) const UNOPENED_GROUP: Problem = Plain("unmatched close parenthesis");
pub(super) const GROUP_OPTION: Problem = Plain("undefined group option");
pub(super) const CONDITION: Problem = Plain("invalid conditional pattern");
pub(super) const NOTHING_TO_REPEAT: Problem = Plain("target of repeat operator is not specified");
pub(super) const REPEAT_TOO_BIG: Problem = Plain("too big number for repeat range");
pub(super) const REPEAT_ORDER: Problem = Plain("upper is smaller than lower in repeat range");
pub(super) const TOO_BIG_NUMBER: Problem = Plain("too big number");
pub(super) const EMPTY_GROUP_NAME: Problem = Plain("group name is empty");
pub(super) const EMPTY_CLASS: Problem = Plain("empty char-class");
pub(super) const UNCLOSED_CLASS: Problem = Plain("premature end of char-class");
pub(super) const EMPTY_RANGE: Problem = Plain("empty range in char class");
pub(super) const CLASS_ENDS_RANGE: Problem = Plain("char-class value at end of range");
pub(super) const CLASS_STARTS_RANGE: Problem = Plain("unmatched range specifier in char-class");
pub(super) const POSIX_BRACKET: Problem = Plain("invalid POSIX bracket type");

// Errors in the whole tree.
pub(super) const BACKREF: Problem = Plain("invalid backref number/name");
pub(super) const NUMBER_BESIDE_NAMES: Problem =
    Plain("numbered backref/call is not allowed. (use name)");
pub(super) const NEVER_ENDING: Problem = Plain("never ending recursion");
pub(super) const LOOK_BEHIND: Problem = Plain("invalid pattern in look-behind");

impl Problem {
    pub(super) fn group_name(name: &str) -> Self {
        Self::Quoting("invalid group name <", shortened(name), ">")
    }

    pub(super) fn group_name_character(name: &str) -> Self {
        Self::Quoting("invalid char in group name <", shortened(name), ">")
    }

    pub(super) fn undefined_name(name: &str) -> Self {
        Self::Quoting("undefined name <", shortened(name), "> reference")
    }

    pub(super) fn undefined_group(name: &str) -> Self {
        Self::Quoting("undefined group <", shortened(name), "> reference")
    }

    pub(super) fn ambiguous_call(name: &str) -> Self {
        Self::Quoting("multiplex definition name <", shortened(name), "> call")
    }

    pub(super) fn property(name: &str) -> Self {
        Self::Quoting("invalid character property name {", shortened(name), "}")
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Plain(words) => f.write_str(words),
            Self::Quoting(before, name, after) => write!(f, "{before}{name}{after}"),
        }
    }
}

/// Returns as many bytes of a name as Ruby quotes, even if that cuts a character.
fn shortened(name: &str) -> String {
    const MAX_BYTES: usize = 47;
    let bytes = name.as_bytes();
    if bytes.len() <= MAX_BYTES {
        return name.to_owned();
    }
    format!("{}...", String::from_utf8_lossy(&bytes[..MAX_BYTES]))
}
