//! Ruby's regular expressions, without Ruby.
//!
//! A [`Regex`] matches what Ruby 3.1's engine (Onigmo) matches in UTF-8, with the same captures, and refuses what Ruby
//! refuses, in its words. Text becomes a tree (`parse`), the tree a program (`compile`), and a backtracking machine runs it
//! (`exec`). Around it are the methods of Ruby's `String` that take an expression: [`Regex::sub`], [`Regex::gsub`],
//! [`Regex::scan`], [`Regex::split`].
//!
//! Invariant: matching ends. A pattern that would take too much time or memory is a [`LimitError`].

mod captures;
mod compile;
mod exec;
mod parse;
mod program;
mod raw;
mod resolve;
mod search;
mod set;
mod show;
mod strings;
mod unicode;

#[cfg(test)]
mod tests;

pub use captures::{Captures, Matches, Spans, UnknownName};
pub use show::{inspect, to_s, with_options};
pub use strings::{ReplaceError, Scanned};

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use parse::{Flags, Problem};
use program::Program;

/// A regular expression of Ruby.
///
/// It is cheap to clone. Its program is compiled on first use.
///
/// ```
/// use kukla_regex::Regex;
///
/// let regex = Regex::new(r"(\w+)\.example\.com").expect("it is valid");
/// let captures = regex.captures("www.example.com", 0).expect("it is simple").expect("it matches");
/// assert_eq!(captures.get(1), Some("www"));
/// ```
#[derive(Clone)]
pub struct Regex(Arc<Inner>);

struct Inner {
    source: Box<str>,
    options: Options,
    /// The names of groups, each with the numbers of its groups.
    names: Box<[(Box<str>, Vec<usize>)]>,
    n_groups: usize,
    /// `None` if it would be too big.
    program: OnceLock<Option<Program>>,
    /// The text of `to_s`, once it was needed.
    shown: OnceLock<Box<str>>,
}

/// The options of an expression: Ruby's `Regexp::IGNORECASE`, `EXTENDED` and `MULTILINE`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// `i`: letters match in either case.
    pub ignore_case: bool,
    /// `x`: blanks and comments in the pattern are skipped.
    pub extended: bool,
    /// `m`: a dot matches a line feed too.
    pub multi_line: bool,
}

/// The reason why Ruby refuses a regular expression, in its words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RegexError(String);

/// The reason why a match was abandoned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// The text is longer than four gigabytes.
    #[error("the text is too long for a regular expression")]
    Text,
    /// The machine took too many steps.
    #[error("the regular expression took too many steps on this text")]
    Steps,
    /// The stack of backtracking points grew too large.
    #[error("the regular expression needs too much memory on this text")]
    Stack,
    /// The pattern repeats so much that its program would be too big.
    #[error("the regular expression is too big")]
    Program,
    /// The compilation that the match is part of was cancelled.
    #[error("{0}")]
    Cancelled(kukla_base::cancel::Reason),
}

/// Checks whether Ruby's `Regexp.new` takes `source`.
///
/// ```
/// # use kukla_regex::check;
/// assert!(check("(a|b)*").is_ok());
/// let message = check("*a").unwrap_err().to_string();
/// assert_eq!(message, "target of repeat operator is not specified: /*a/");
/// ```
pub fn check(source: &str) -> Result<(), InvalidRegexp> {
    let refused = |problem| InvalidRegexp(format!("{problem}: {}", inspect(source)));
    judge(source, Options::default()).map_err(refused)
}

/// Ruby's message for an invalid regular expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidRegexp(String);

fn judge(source: &str, options: Options) -> Result<(), Problem> {
    let pattern = parse::prepare(source)?;
    parse::parse(&pattern, options.flags()).map(drop)
}

impl Options {
    fn flags(self) -> Flags {
        Flags {
            ignores_case: self.ignore_case,
            is_extended: self.extended,
            dot_takes_newline: self.multi_line,
            ..Flags::default()
        }
    }

    /// Returns the letters that follow the slash.
    fn letters(self) -> String {
        let all = [(self.multi_line, 'm'), (self.ignore_case, 'i'), (self.extended, 'x')];
        all.into_iter().filter(|&(is_on, _)| is_on).map(|(_, letter)| letter).collect()
    }
}

/// The most bytes of an expression; its tree takes about a hundred times as much.
const MAX_SOURCE: usize = 1 << 20;

impl Regex {
    /// Compiles an expression, as Ruby's `Regexp.new(source)` does.
    pub fn new(source: &str) -> Result<Self, RegexError> {
        Self::with_options(source, Options::default())
    }

    /// Compiles an expression with options, as Ruby's `Regexp.new(source, options)` does.
    pub fn with_options(source: &str, options: Options) -> Result<Self, RegexError> {
        if source.len() > MAX_SOURCE {
            let message = format!(
                "the regular expression is too big: it has more than {} MB",
                MAX_SOURCE >> 20
            );
            return Err(RegexError(message));
        }
        Self::parsed(source, options).map_err(|problem| {
            RegexError(format!("{problem}: {}{}", inspect(source), options.letters()))
        })
    }

    fn parsed(source: &str, options: Options) -> Result<Self, Problem> {
        let pattern = parse::prepare(source)?;
        let tree = parse::parse(&pattern, options.flags())?;
        let mut names: Vec<(Box<str>, Vec<usize>)> =
            vec![(Box::default(), Vec::new()); tree.names.len()];
        #[expect(clippy::iter_over_hash_type, reason = "each entry goes to its own place")]
        for (&name, &index) in &tree.name_indices {
            names[index] = (name.into(), tree.names[index].groups.clone());
        }
        let n_groups = tree.n_groups();
        let program = OnceLock::new();
        let (source, names) = (source.into(), names.into());
        let shown = OnceLock::new();
        Ok(Self(Arc::new(Inner { source, options, names, n_groups, program, shown })))
    }

    /// Returns the text of the pattern, unchanged.
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// Returns the options that were passed to the constructor.
    pub fn options(&self) -> Options {
        self.0.options
    }

    /// Formats the expression as Ruby's `Regexp#inspect`: `/a\/b/i`.
    pub fn inspect(&self) -> String {
        inspect(self.source()) + &self.0.options.letters()
    }

    /// Formats the expression as Ruby's `Regexp#to_s`: `(?i-mx:a\/b)`.
    pub fn to_s(&self) -> String {
        let show = || show::with_all_options(self.source(), self.0.options).into();
        self.0.shown.get_or_init(show).as_ref().to_owned()
    }

    /// Returns the number of capture groups.
    pub fn n_groups(&self) -> usize {
        self.0.n_groups
    }

    /// Returns the names of groups, each with the numbers of its groups, in order.
    pub fn names(&self) -> impl Iterator<Item = (&str, &[usize])> {
        self.0.names.iter().map(|(name, numbers)| (&**name, &numbers[..]))
    }

    /// Returns true if the expression matches anywhere in `text`.
    pub fn is_match(&self, text: &str) -> Result<bool, LimitError> {
        Ok(search::search(self.program()?, text, 0)?.is_some())
    }

    /// Returns the first match that begins at the byte `start` or behind it; `start` must be a character border.
    pub fn captures<'t>(
        &self,
        text: &'t str,
        start: usize,
    ) -> Result<Option<Captures<'t>>, LimitError> {
        let slots = search::search(self.program()?, text, start)?;
        Ok(slots.map(|slots| Captures::new(self.clone(), text, slots)))
    }

    /// Like [`Self::captures`], but returns only the spans of the match and of its groups.
    pub fn spans(&self, text: &str, start: usize) -> Result<Option<Spans>, LimitError> {
        Ok(search::search(self.program()?, text, start)?.map(Spans))
    }

    /// Returns all matches that don't overlap, as `String#scan` and `String#gsub` find them.
    pub fn find_iter<'t>(&self, text: &'t str) -> Matches<'t> {
        Matches::new(self.clone(), text)
    }

    fn program(&self) -> Result<&Program, LimitError> {
        let program = self.0.program.get_or_init(|| {
            let pattern = parse::prepare(self.source()).ok()?;
            let tree = parse::parse(&pattern, self.0.options.flags()).ok()?;
            compile::compile(&tree)
        });
        program.as_ref().ok_or(LimitError::Program)
    }
}

impl fmt::Debug for Regex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Regex({})", self.inspect())
    }
}

impl fmt::Display for Regex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_s())
    }
}

impl PartialEq for Regex {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.source() == other.source() && self.options() == other.options())
    }
}

impl Eq for Regex {}

impl Hash for Regex {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.source().hash(state);
        self.options().hash(state);
    }
}
