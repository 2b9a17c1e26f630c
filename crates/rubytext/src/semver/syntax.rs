//! The syntax of versions and of partial versions.

use super::version::{Segment, Version, VersionNumber};
use crate::RubyError;

/// `1`, `1.2`, `1.2.3-a+b`; also `x`, `X` or `*` for a number, in ranges.
#[derive(Default)]
pub(super) struct Partial<'a> {
    /// Up to three numbers; `None` is a wildcard or not written.
    pub(super) major: Option<VersionNumber>,
    pub(super) minor: Option<VersionNumber>,
    pub(super) patch: Option<VersionNumber>,
    pub(super) prerelease: Option<&'a str>,
    pub(super) build: Option<&'a str>,
}

/// Parses a version as a whole. Without `wildcards` all three numbers are required.
pub(super) fn partial(text: &str, wildcards: bool) -> Option<Partial<'_>> {
    let mut numbers = [None, None, None];
    let mut rest = text;
    let mut count = 0;
    loop {
        let length =
            rest.find(|c: char| !c.is_ascii_digit() && !"xX*".contains(c)).unwrap_or(rest.len());
        numbers[count] = number(&rest[..length], wildcards)?;
        count += 1;
        rest = &rest[length..];
        match rest.strip_prefix('.') {
            Some(behind) if count < 3 => rest = behind,
            _ => break,
        }
    }
    if count < 3 && (!wildcards || !rest.is_empty()) {
        return None;
    }
    let [major, minor, patch] = numbers;
    let (prerelease, rest) = qualifier(rest, '-')?;
    let (build, rest) = qualifier(rest, '+')?;
    rest.is_empty().then_some(Partial { major, minor, patch, prerelease, build })
}

/// Parses a number without leading zeros, or a wildcard, which is `Some(None)`.
fn number(text: &str, wildcards: bool) -> Option<Option<VersionNumber>> {
    match text {
        "x" | "X" | "*" => wildcards.then_some(None),
        "" => None,
        _ if text.len() > 1 && text.starts_with('0') => None,
        _ if text.bytes().all(|b| b.is_ascii_digit()) => Some(Some(VersionNumber::parse(text))),
        _ => None,
    }
}

/// Parses an optional part behind `-` or `+`; returns the rest too. `None` if it is malformed.
fn qualifier(text: &str, mark: char) -> Option<(Option<&str>, &str)> {
    let Some(body) = text.strip_prefix(mark) else { return Some((None, text)) };
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    let length = body.find(|c| !is_letter(c)).unwrap_or(body.len());
    let (body, rest) = body.split_at(length);
    body.split('.').all(|part| !part.is_empty()).then_some((Some(body), rest))
}

impl Partial<'_> {
    /// Returns the version, with zeros for missing numbers.
    pub(super) fn version(&self) -> Result<Version, RubyError> {
        let part = |part: &Option<VersionNumber>| part.clone().unwrap_or(VersionNumber::Number(0));
        Ok(Version {
            major: part(&self.major),
            minor: part(&self.minor),
            patch: part(&self.patch),
            prerelease: self.prerelease.map(segments).transpose()?,
            build: self.build.map(|build| build.split('.').map(str::to_owned).collect()),
        })
    }
}

fn segments(prerelease: &str) -> Result<Vec<Segment>, RubyError> {
    let segment = |text: &str| {
        if !text.bytes().all(|b| b.is_ascii_digit()) {
            return Ok(Segment::Text(text.to_owned()));
        }
        if text.len() > 1 && text.starts_with('0') {
            let message = "Numeric pre-release identifiers MUST NOT contain leading zeroes";
            return Err(RubyError::new("SemanticPuppet::Version::ValidationFailure", message));
        }
        Ok(Segment::Number(VersionNumber::parse(text)))
    };
    prerelease.split('.').map(segment).collect()
}
