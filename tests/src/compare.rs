//! Comparison of the views of Kukla and Puppet.

use std::fmt;

use crate::{Issue, View};

/// The first difference between Kukla and Puppet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The differing part.
    pub what: ViewPart,
    /// Cause that many cases with one fault have in common.
    pub cause: String,
    /// Puppet's text around the difference.
    pub expected: String,
    /// Kukla's text there.
    pub got: String,
}

/// Part of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ViewPart {
    /// No answer.
    Failure,
    /// Valid or not.
    Verdict,
    /// The diagnostics.
    Issues,
    /// The tree.
    Pn,
    /// The tree as JSON.
    Json,
    /// The kinds and places of the nodes.
    Nodes,
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{}", self.cause)?;
        for (side, text) in [("puppet", &self.expected), ("kukla ", &self.got)] {
            for line in text.lines() {
                writeln!(out, "  {side}: {line}")?;
            }
        }
        Ok(())
    }
}

/// Returns the first difference between Puppet's and Kukla's view.
///
/// Where Puppet crashed, only its verdict counts.
pub fn compare(puppet: &View, kukla: &View) -> Option<Difference> {
    let difference = failure(puppet, kukla).or_else(|| verdict(puppet, kukla));
    if difference.is_some() || puppet.is_crash() || puppet.failure.is_some() {
        return difference;
    }
    issues(puppet, kukla)
        .or_else(|| tree(ViewPart::Pn, "pn", puppet.pn.as_deref(), kukla.pn.as_deref()))
        .or_else(|| nodes(puppet.nodes.as_deref(), kukla.nodes.as_deref()))
        .or_else(|| tree(ViewPart::Json, "json", puppet.json.as_deref(), kukla.json.as_deref()))
}

fn failure(puppet: &View, kukla: &View) -> Option<Difference> {
    let cause = kukla.failure.clone()?;
    let expected = if puppet.is_valid() { "valid" } else { "invalid" };
    Some(Difference {
        what: ViewPart::Failure,
        got: cause.clone(),
        cause,
        expected: expected.to_owned(),
    })
}

fn verdict(puppet: &View, kukla: &View) -> Option<Difference> {
    if puppet.failure.is_some() || puppet.is_valid() == kukla.is_valid() {
        return None;
    }
    let (side, culprit) =
        if puppet.is_valid() { ("refused", kukla) } else { ("accepted in spite of", puppet) };
    let error = culprit.issues.iter().find(|issue| issue.is_error())?;
    let code = code_of(Some(error));
    Some(Difference {
        what: ViewPart::Verdict,
        cause: format!("{side}: {code}"),
        expected: lines_or_valid(&puppet.issues),
        got: lines_or_valid(&kukla.issues),
    })
}

fn issues(puppet: &View, kukla: &View) -> Option<Difference> {
    let pairs = puppet.issues.len().max(kukla.issues.len());
    let (expected, got) = (0..pairs)
        .map(|index| (puppet.issues.get(index), kukla.issues.get(index)))
        .find(|pair| !matches!(pair, (Some(expected), Some(got)) if expected.is_met_by(got)))?;
    Some(Difference {
        what: ViewPart::Issues,
        cause: format!("issue: {}", issue_cause(expected, got)),
        expected: lines_or_valid(&puppet.issues),
        got: lines_or_valid(&kukla.issues),
    })
}

fn issue_cause(expected: Option<&Issue>, got: Option<&Issue>) -> String {
    let code = code_of(expected);
    match (expected, got) {
        (Some(puppet), Some(kukla)) if puppet.message != kukla.message => {
            format!("{code} expected, {} found", code_of(got))
        }
        (Some(puppet), Some(kukla)) if puppet.place != kukla.place => {
            format!("{code} at another place")
        }
        (Some(puppet), Some(kukla)) if puppet.severity != kukla.severity => {
            format!("{code} with another severity")
        }
        (Some(_), Some(_)) => format!("{code} has the code {}", code_of(got)),
        (Some(_), None) => format!("{code} missing"),
        (None, _) => format!("{} too much", code_of(got)),
    }
}

fn code_of(issue: Option<&Issue>) -> String {
    match issue.map(|issue| &issue.code) {
        None => "nothing".to_owned(),
        Some(crate::Code::Named(code) | crate::Code::Crash(code)) => code.clone(),
        Some(crate::Code::Unnamed) => {
            // Without a code the message is used, without its quoted parts.
            let message = issue.map(|issue| issue.message.as_str()).unwrap_or_default();
            message.split(['\'', '/', ':']).next().unwrap_or_default().trim().to_owned()
        }
    }
}

fn lines_or_valid(issues: &[Issue]) -> String {
    match issues {
        [] => "(no complaints)".to_owned(),
        some => some.iter().map(|issue| format!("{issue}\n")).collect(),
    }
}

fn tree(
    what: ViewPart,
    name: &str,
    puppet: Option<&str>,
    kukla: Option<&str>,
) -> Option<Difference> {
    let (expected, got) = (puppet?, kukla.unwrap_or("(no tree)"));
    let at = first_difference(expected, got)?;
    let cause = match (token_kind(expected, at), token_kind(got, at)) {
        (expected, got) if expected == got => format!("{name}: another {expected}"),
        (expected, got) => format!("{name}: {expected} expected, {got} found"),
    };
    Some(Difference { what, cause, expected: around(expected, at), got: around(got, at) })
}

fn nodes(puppet: Option<&str>, kukla: Option<&str>) -> Option<Difference> {
    let (expected, got) = (puppet?, kukla.unwrap_or("(no tree)"));
    if expected == got {
        return None;
    }
    let pairs = expected.lines().count().max(got.lines().count());
    let (mut puppet, mut kukla) = (expected.lines(), got.lines());
    let mut pair = (0..pairs)
        .map(|_| (puppet.next().unwrap_or("(end)"), kukla.next().unwrap_or("(end)")))
        .skip_while(|(expected, got)| expected == got);
    let (expected, got) = pair.next().unwrap_or_default();
    let kind = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    let cause = match (kind(expected), kind(got)) {
        (expected, got) if expected == got => format!("nodes: place of {expected}"),
        (expected, got) => format!("nodes: {expected} expected, {got} found"),
    };
    Some(Difference {
        what: ViewPart::Nodes,
        cause,
        expected: expected.to_owned(),
        got: got.to_owned(),
    })
}

/// Returns the offset of the first differing byte.
fn first_difference(left: &str, right: &str) -> Option<usize> {
    let common = left.bytes().zip(right.bytes()).take_while(|(left, right)| left == right).count();
    (common < left.len().max(right.len())).then_some(common)
}

/// Returns some text before and after an offset.
fn around(text: &str, at: usize) -> String {
    let mut start = at.saturating_sub(50).min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let mut end = (at + 70).min(text.len());
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let dots = if start > 0 { "…" } else { "" };
    format!("{dots}{}", &text[start..end])
}

/// Returns the kind of token of PN or JSON at an offset; names of calls and keys are kinds of their own.
fn token_kind(text: &str, at: usize) -> String {
    let token = token_at(text, at);
    match token.chars().next() {
        None => "end".to_owned(),
        Some('"') => "string".to_owned(),
        Some(first) if first.is_ascii_digit() || first == '-' && token.len() > 1 => {
            "number".to_owned()
        }
        Some(_) => token.to_owned(),
    }
}

fn token_at(text: &str, at: usize) -> &str {
    let bytes = text.as_bytes();
    let mut start = 0;
    while start < bytes.len() {
        let end = token_end(bytes, start);
        if end > at {
            return text.get(start..end).unwrap_or_default();
        }
        start = end;
    }
    ""
}

/// Returns the end of the token that starts at an offset.
fn token_end(bytes: &[u8], start: usize) -> usize {
    let rest = &bytes[start..];
    let length = match rest[0] {
        b'"' => {
            let mut escaped = false;
            let inside = rest[1..].iter().take_while(|&&byte| {
                let ends = byte == b'"' && !escaped;
                escaped = byte == b'\\' && !escaped;
                !ends
            });
            inside.count() + 2
        }
        b'[' | b']' | b'{' | b'}' | b')' | b' ' | b',' => 1,
        // An opening parenthesis belongs to the name of its call.
        _ => 1 + rest[1..].iter().take_while(|byte| !b"()[]{} ,\"".contains(byte)).count(),
    };
    (start + length).min(bytes.len())
}
