//! `Gem::Version`, with which modules compare versions.

use std::cmp::Ordering;
use std::rc::Rc;

use ecow::EcoString;

use crate::class::{Class, Data, Object};
use crate::methods::table::{Builtin, method};
use crate::methods::tools::{list, text, yes};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

/// A part of a version; letters sort before all numbers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Segment {
    Letters(String),
    /// Digits without leading zeros, after their count: more digits mean a greater number.
    Number(usize, String),
}

/// The methods of this file; those of `Comparable` come after them.
pub(crate) static METHODS: &[Builtin<EcoString>] = &[
    method("to_s", |_, this, _| text(this.clone())),
    method("version", |_, this, _| text(this.clone())),
    method("inspect", inspect),
    method("prerelease?", |_, this, _| yes(this.contains(|c: char| c.is_ascii_alphabetic()))),
    method("segments", all_segments),
    method("<=>", compare),
    method("==", equal),
    method("eql?", is_eql),
];

/// The methods of `Gem::Version` itself.
pub(crate) static CLASS: &[Builtin<Rc<Class>>] = &[method("new", new)];

fn inspect(_run: &mut Run<'_>, this: &EcoString, _a: Args<'_>) -> Eval {
    text(format!("Gem::Version.new({})", kukla_rubytext::inspect::inspect(this)))
}

fn all_segments(run: &mut Run<'_>, this: &EcoString, _a: Args<'_>) -> Eval {
    let mut parts = Vec::new();
    for segment in segments(this) {
        parts.push(match segment {
            Segment::Letters(letters) => RubyValue::str(letters),
            Segment::Number(_, digits) => run.call(&RubyValue::str(digits), "to_i", &[])?,
        });
    }
    list(parts)
}

fn compare(_run: &mut Run<'_>, this: &EcoString, a: Args<'_>) -> Eval {
    let other = other_version(&a.get(0));
    Ok(other.map_or(RubyValue::Nil, |other| RubyValue::Int(order(this, &other) as i64)))
}

fn equal(_run: &mut Run<'_>, this: &EcoString, a: Args<'_>) -> Eval {
    yes(other_version(&a.get(0)).is_some_and(|other| order(this, &other).is_eq()))
}

fn is_eql(_run: &mut Run<'_>, this: &EcoString, a: Args<'_>) -> Eval {
    yes(other_version(&a.get(0)).is_some_and(|other| other == *this))
}

/// Returns the text of another version, or of a string that is one.
fn other_version(other: &RubyValue) -> Option<EcoString> {
    match other {
        RubyValue::Object(object) => match &*object.data.borrow() {
            Data::Version(text) => Some(text.clone()),
            _ => None,
        },
        RubyValue::Str(text) => {
            let text = text.to_text();
            is_version(&text).then(|| text.trim().replace('-', ".pre.").into())
        }
        _ => None,
    }
}

/// `Gem::Version.new('1.2.3')`
fn new(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let source = match a.get(0) {
        RubyValue::Nil => String::new(),
        other => run.to_s(&other)?,
    };
    if !is_version(&source) {
        return run.argument_error(format!("Malformed version number string {source}"));
    }
    let text = source.trim().replace('-', ".pre.");
    let text = if text.is_empty() { "0".to_owned() } else { text };
    let class = run.class_named("Gem::Version");
    Ok(RubyValue::Object(Rc::new(Object::new(class, Data::Version(text.into())))))
}

/// Returns true for `1`, `1.2.b3`, `1.2-rc.1`; the empty string is a version too.
fn is_version(text: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric());
    let text = text.trim_matches(|c: char| c.is_ascii_whitespace());
    if text.is_empty() {
        return true;
    }
    let (plain, pre) = text.split_once('-').map_or((text, None), |(plain, pre)| (plain, Some(pre)));
    let is_pre = |pre: &str| {
        pre.split('.').all(|part| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        })
    };
    let first = plain.split('.').next().unwrap_or_default();
    !first.is_empty()
        && first.bytes().all(|b| b.is_ascii_digit())
        && plain.split('.').all(is_part)
        && pre.is_none_or(is_pre)
}

fn segments(text: &str) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let same = |c: char| match first.is_ascii_digit() {
            true => c.is_ascii_digit(),
            false => c.is_ascii_alphabetic(),
        };
        let end = rest.find(|c: char| !same(c)).unwrap_or(rest.len());
        let part = &rest[..end];
        if first.is_ascii_digit() {
            let digits = part.trim_start_matches('0');
            let digits = if digits.is_empty() { "0" } else { digits };
            segments.push(Segment::Number(digits.len(), digits.to_owned()));
        } else if !part.is_empty() {
            segments.push(Segment::Letters(part.to_owned()));
        }
        rest = &rest[end.max(first.len_utf8())..];
    }
    segments
}

/// Compares versions. Trailing zeros don't count, nor do those before the letters of a prerelease.
fn order(left: &str, right: &str) -> Ordering {
    let (left, right) = (canonical(left), canonical(right));
    let zero = Segment::Number(1, "0".to_owned());
    let n = left.len().max(right.len());
    let part = |segments: &[Segment], at: usize| segments.get(at).unwrap_or(&zero).clone();
    (0..n)
        .map(|at| part(&left, at).cmp(&part(&right, at)))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

fn canonical(text: &str) -> Vec<Segment> {
    let zero = Segment::Number(1, "0".to_owned());
    let all = segments(text);
    let letters = all.iter().position(|part| matches!(part, Segment::Letters(_)));
    let (plain, pre) = all.split_at(letters.unwrap_or(all.len()));
    let trimmed = |parts: &[Segment]| {
        let end = parts.iter().rposition(|part| *part != zero).map_or(0, |at| at + 1);
        parts[..end].to_vec()
    };
    let mut segments = trimmed(plain);
    segments.extend(trimmed(pre));
    segments
}
