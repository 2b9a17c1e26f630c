//! Version ranges: alternatives, each with a lower or an upper bound or both.

use super::simple::Simple;
use super::syntax::{Partial, partial};
use super::version::{Version, VersionNumber};
use crate::RubyError;
use crate::float::is_space;
use std::fmt;

/// A range such as `>=1.0.0 <2.0.0 || ^3`, with its source text.
#[derive(Debug, Clone)]
pub struct VersionRange {
    ranges: Vec<Simple>,
    text: String,
}

/// Ignores the source text.
impl PartialEq for VersionRange {
    fn eq(&self, other: &Self) -> bool {
        self.ranges == other.ranges
    }
}

impl Eq for VersionRange {}

impl std::hash::Hash for VersionRange {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.inspect().hash(state);
    }
}

impl VersionRange {
    /// Parses a range in any of the syntaxes.
    pub fn parse(text: &str) -> Result<Self, RubyError> {
        let joined = join_operators(text);
        let alternatives = split_alternatives(&joined);
        if alternatives.is_empty() {
            return Ok(Self { ranges: vec![Simple::All], text: "*".to_owned() });
        }
        let mut ranges: Vec<Simple> = Vec::new();
        for alternative in alternatives {
            match parse_alternative(alternative, text)? {
                Some(range) if !ranges.contains(&range) => ranges.push(range),
                _ => (),
            }
        }
        Self::new(ranges, Some(text.to_owned()))
    }

    /// Creates a range from a lowest to a highest version, which may be excluded.
    pub fn between(min: &Version, max: &Version, exclude_max: bool) -> Result<Self, RubyError> {
        let lower = Simple::GtEq(min.clone());
        // The gem swaps the two cases in the text.
        let (upper, text) = match exclude_max {
            true => (Simple::Lt(max.clone()), format!(">={max} <{min}")),
            false => (Simple::LtEq(max.clone()), format!("{max} - {min}")),
        };
        Self::new(lower.intersection(&upper).into_iter().collect(), Some(text))
    }

    fn new(ranges: Vec<Simple>, text: Option<String>) -> Result<Self, RubyError> {
        let mut ranges = merge_all(ranges)?;
        if ranges.is_empty() {
            ranges.push(Simple::nothing());
        }
        let text = text.unwrap_or_else(|| join(&ranges));
        Ok(Self { ranges, text })
    }

    /// Returns true if the version is in the range. A prerelease is only where a bound is a prerelease of the same version.
    pub fn includes(&self, version: &Version) -> bool {
        let fits = |range: &Simple| {
            range.includes(version) && (version.is_stable() || range.allows_prerelease(version))
        };
        self.ranges.iter().any(fits)
    }

    /// Returns the intersection of both.
    pub fn intersection(&self, other: &Self) -> Result<Self, RubyError> {
        let mut common: Vec<Simple> = Vec::new();
        for mine in &self.ranges {
            for both in other.ranges.iter().filter_map(|yours| mine.intersection(yours)) {
                if !common.contains(&both) {
                    common.push(both);
                }
            }
        }
        Self::new(common, None)
    }

    /// Returns the lower bound, unless there are alternatives.
    pub fn begin(&self) -> Option<Version> {
        self.only().map(Simple::begin)
    }

    /// Returns the upper bound, unless there are alternatives.
    pub fn end(&self) -> Option<Version> {
        self.only().map(Simple::end)
    }

    /// Returns true if the lower bound is excluded; `None` if there are alternatives.
    pub fn excludes_begin(&self) -> Option<bool> {
        self.only().map(Simple::excludes_begin)
    }

    /// Returns true if the upper bound is excluded; `None` if there are alternatives.
    pub fn excludes_end(&self) -> Option<bool> {
        self.only().map(Simple::excludes_end)
    }

    /// Formats the range by its bounds, independent of its source text.
    pub fn inspect(&self) -> String {
        join(&self.ranges)
    }

    fn only(&self) -> Option<&Simple> {
        if let [only] = self.ranges.as_slice() { Some(only) } else { None }
    }
}

impl fmt::Display for VersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn join(ranges: &[Simple]) -> String {
    ranges.iter().map(Simple::to_string).collect::<Vec<_>>().join(" || ")
}

/// Merges alternatives that overlap or touch, in the order of the gem.
fn merge_all(mut ranges: Vec<Simple>) -> Result<Vec<Simple>, RubyError> {
    let mut merged_any = true;
    while ranges.len() > 1 && merged_any {
        merged_any = false;
        let mut result = Vec::new();
        while let Some(mut last) = ranges.pop() {
            let mut apart = Vec::new();
            for range in ranges {
                match last.merge(&range)? {
                    Some(both) => (last, merged_any) = (both, true),
                    None => apart.push(range),
                }
            }
            result.push(last);
            ranges = apart;
        }
        result.reverse();
        ranges = result;
    }
    Ok(ranges)
}

/// Removes the space after an operator, or a `v` that follows it directly.
fn join_operators(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        out.push(c);
        rest = &rest[c.len_utf8()..];
        if "><=~^".contains(c) {
            let trimmed = rest.trim_start_matches(is_space);
            rest = match trimmed.len() < rest.len() {
                true => trimmed,
                false => rest.strip_prefix('v').unwrap_or(rest),
            };
        }
    }
    out
}

/// Splits at `||` and the space around it; empty parts at the end are dropped.
fn split_alternatives(text: &str) -> Vec<&str> {
    let count = text.split("||").count();
    let mut parts: Vec<&str> = text
        .split("||")
        .enumerate()
        .map(|(i, part)| {
            let part = if i > 0 { part.trim_start_matches(is_space) } else { part };
            if i + 1 < count { part.trim_end_matches(is_space) } else { part }
        })
        .collect();
    while parts.last().is_some_and(|part| part.is_empty()) {
        parts.pop();
    }
    parts
}

fn parse_alternative(text: &str, whole: &str) -> Result<Option<Simple>, RubyError> {
    if let [from, "-", to] = words(text).as_slice()
        && let (Some(from), Some(to)) = (partial(from, true), partial(to, true))
    {
        return Ok(Simple::GtEq(from.version()?).intersection(&Simple::LtEq(to.version()?)));
    }
    let simples: Vec<Simple> =
        words(text).into_iter().map(|word| parse_simple(word, whole)).collect::<Result<_, _>>()?;
    let mut rest = simples.into_iter();
    let Some(first) = rest.next() else { return Ok(None) };
    let mut all = Some(first);
    for simple in rest {
        // The gem calls `intersection` even if nothing is left.
        let Some(some) = all else {
            let message = "undefined method `intersection' for nil:NilClass";
            return Err(RubyError::new("NoMethodError", message));
        };
        all = some.intersection(&simple);
    }
    Ok(all)
}

/// Splits at space as Ruby does: leading space makes an empty word, trailing space none.
fn words(text: &str) -> Vec<&str> {
    let trimmed = text.trim_end_matches(is_space);
    if trimmed.is_empty() {
        return Vec::new();
    }
    let leading = if trimmed.starts_with(is_space) { Some("") } else { None };
    leading.into_iter().chain(trimmed.split(is_space).filter(|word| !word.is_empty())).collect()
}

fn parse_simple(text: &str, whole: &str) -> Result<Simple, RubyError> {
    let operators = ["<=", ">=", "~>", "~=", "<", ">", "=", "~", "^", ""];
    let operator = operators.into_iter().find(|operator| text.starts_with(operator)).unwrap_or("");
    let refused = || RubyError::argument(format!("Unparsable version range: \"{whole}\""));
    let operand = partial(&text[operator.len()..], true).ok_or_else(refused)?;
    match operator {
        "~" | "~>" | "~=" => patch_updates(&operand, true),
        "^" if operand.major == Some(VersionNumber::Number(0)) => patch_updates(&operand, true),
        "^" => minor_updates(&operand),
        ">" => greater(&operand),
        ">=" => Ok(Simple::GtEq(operand.version()?)),
        "<" => Ok(Simple::Lt(operand.version()?)),
        "<=" => less_or_equal(&operand),
        _ => patch_updates(&operand, false),
    }
}

/// Parses `~1.2.3`, or `1.2.x` and `1.2.3` themselves.
fn patch_updates(operand: &Partial<'_>, tilde: bool) -> Result<Simple, RubyError> {
    let Partial { major: Some(major), minor, patch, .. } = operand else { return Ok(Simple::All) };
    let Some(minor) = minor else { return Ok(from_to(version(major, 0), next_major(major))) };
    let next = Version::new(major.clone(), minor.next(), VersionNumber::Number(0));
    if patch.is_none() {
        let from = Version::new(major.clone(), minor.clone(), VersionNumber::Number(0));
        return Ok(from_to(from, next));
    }
    let version = operand.version()?;
    Ok(if tilde { from_to(version, next) } else { Simple::Eq(version) })
}

/// Parses `^1.2.3`.
fn minor_updates(operand: &Partial<'_>) -> Result<Simple, RubyError> {
    let Some(major) = &operand.major else { return Err(no_singleton()) };
    let from = match (&operand.minor, &operand.patch) {
        (None, _) => version(major, 0),
        (Some(minor), None) => Version::new(major.clone(), minor.clone(), VersionNumber::Number(0)),
        // The build is used only together with a prerelease.
        (Some(minor), Some(patch)) => match operand.prerelease {
            Some(_) => operand.version()?,
            None => Version::new(major.clone(), minor.clone(), patch.clone()),
        },
    };
    Ok(from_to(from, next_major(major)))
}

fn greater(operand: &Partial<'_>) -> Result<Simple, RubyError> {
    Ok(match (&operand.major, &operand.minor, &operand.patch) {
        (None, _, _) => Simple::nothing(),
        (Some(major), None, _) => Simple::GtEq(next_major(major)),
        (Some(major), Some(minor), None) => {
            Simple::GtEq(Version::new(major.clone(), minor.next(), VersionNumber::Number(0)))
        }
        _ => Simple::Gt(operand.version()?),
    })
}

fn less_or_equal(operand: &Partial<'_>) -> Result<Simple, RubyError> {
    Ok(match (&operand.major, &operand.minor, &operand.patch) {
        (None, _, _) => return Err(no_singleton()),
        (Some(major), None, _) => Simple::Lt(next_major(major)),
        (Some(major), Some(minor), None) => {
            Simple::Lt(Version::new(major.clone(), minor.next(), VersionNumber::Number(0)))
        }
        _ => Simple::LtEq(operand.version()?),
    })
}

/// Creates the error of `^*` and `<=*`, where the gem misspells a constant.
fn no_singleton() -> RubyError {
    let message = "undefined method `SINGLETON' for SemanticPuppet::VersionRange::AllRange:Class";
    RubyError::new("NoMethodError", message)
}

fn version(major: &VersionNumber, minor: u64) -> Version {
    Version::new(major.clone(), VersionNumber::Number(minor), VersionNumber::Number(0))
}

fn next_major(major: &VersionNumber) -> Version {
    version(&major.next(), 0)
}

fn from_to(from: Version, to: Version) -> Simple {
    Simple::min_max(Simple::GtEq(from), Simple::Lt(to))
}
