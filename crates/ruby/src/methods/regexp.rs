//! `Regexp` and `MatchData`

use std::rc::Rc;

use ecow::EcoString;
use kukla_regex::Regex;

use super::chars;
use super::table::{Builtin, method};
use super::tools::{from_end, int, text, yes};
use crate::run::{Args, Eval, Run};
use crate::value::{Entries, Key, Match, RubyValue};

/// `Regexp.escape`
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '[' | ']' | '{' | '}' | '(' | ')' | '|' | '-' | '*' | '.' | '\\' | '?' | '+' | '^'
            | '$' | '#' | ' ' => {
                out.extend(['\\', c]);
            }
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\x0c' => out.push_str("\\f"),
            '\x0b' => out.push_str("\\v"),
            other => out.push(other),
        }
    }
    out
}

/// The methods of `Regexp`.
pub(super) static METHODS: &[Builtin<Rc<Regex>>] = &[
    method("=~", match_index),
    method("~", match_index),
    method("match", match_data),
    method("match?", is_match),
    method("===", case_equal),
    method("source", |_, regex, _| text(regex.source())),
    method("to_s", |_, regex, _| text(regex.to_s())),
    method("inspect", |_, regex, _| text(regex.inspect())),
    method("==", equal),
    method("eql?", equal),
    method("names", |_, regex, _| Ok(names(regex))),
    method("casefold?", |_, regex, _| yes(regex.options().ignore_case)),
    method("options", options),
];

/// The methods of `MatchData`.
pub(super) static MATCH: &[Builtin<Rc<Match>>] = &[
    method("[]", index),
    method("captures", |_, match_data, _| Ok(groups(match_data, 1))),
    method("to_a", |_, match_data, _| Ok(groups(match_data, 0))),
    method("named_captures", named_captures),
    method("names", |_, match_data, _| Ok(names(&match_data.regex))),
    method("pre_match", |_, match_data, _| Ok(match_data.before())),
    method("post_match", |_, match_data, _| Ok(match_data.after())),
    method("to_s", |_, match_data, _| Ok(match_data.group(0))),
    method("string", |_, match_data, _| Ok(RubyValue::frozen_str(match_data.text.clone()))),
    method("regexp", |_, match_data, _| Ok(RubyValue::Regexp(Rc::new(match_data.regex.clone())))),
    method("size", |_, match_data, _| Ok(int(match_data.spans.len()))),
    method("length", |_, match_data, _| Ok(int(match_data.spans.len()))),
    method("begin", |run, match_data, a| offsets(run, match_data, a, |start, _| int(start))),
    method("end", |run, match_data, a| offsets(run, match_data, a, |_, end| int(end))),
    method("offset", |run, match_data, a| offsets(run, match_data, a, both)),
    method("values_at", |run, match_data, a| run.call_with(&groups(match_data, 0), "values_at", a)),
    method("==", same_match),
    method("eql?", same_match),
];

/// Returns the text to match; `None` for `nil`, which clears the last match.
fn subject(run: &mut Run<'_>, value: &RubyValue) -> Eval<Option<EcoString>> {
    match value {
        RubyValue::Str(text) => Ok(Some(text.to_text())),
        RubyValue::Sym(text) => Ok(Some(text.clone())),
        RubyValue::Nil => {
            run.vm.matched = Some(None);
            Ok(None)
        }
        RubyValue::Bool(_) => {
            run.vm.matched = Some(None);
            run.no_conversion(value, "String")
        }
        other => run.no_conversion(other, "String"),
    }
}

/// Searches the first argument, from the index in the second.
fn find(
    run: &mut Run<'_>,
    regex: &Regex,
    text: &EcoString,
    a: Args<'_>,
) -> Eval<Option<Rc<Match>>> {
    let start = match a.items.get(1) {
        Some(start) => {
            let start = run.int_arg(start)?;
            from_end(start, chars::len(text)).and_then(|at| chars::byte_at(text, at)).unwrap_or(0)
        }
        None => 0,
    };
    run.search(regex, text, start)
}

pub(super) fn match_index(run: &mut Run<'_>, regex: &Rc<Regex>, a: Args<'_>) -> Eval {
    let Some(text) = subject(run, &a.get(0))? else { return Ok(RubyValue::Nil) };
    let Some(match_data) = find(run, regex, &text, a)? else { return Ok(RubyValue::Nil) };
    let start =
        match_data.spans[0].map_or(0, |(start, _)| chars::index_of(&match_data.text, start));
    Ok(int(start))
}

fn match_data(run: &mut Run<'_>, regex: &Rc<Regex>, a: Args<'_>) -> Eval {
    let Some(text) = subject(run, &a.get(0))? else { return Ok(RubyValue::Nil) };
    let Some(match_data) = find(run, regex, &text, a)? else { return Ok(RubyValue::Nil) };
    match a.block {
        Some(block) => run.yield1(block, &RubyValue::Match(match_data)),
        None => Ok(RubyValue::Match(match_data)),
    }
}

fn is_match(run: &mut Run<'_>, regex: &Rc<Regex>, a: Args<'_>) -> Eval {
    let value = a.get(0);
    if let RubyValue::Bool(_) = value {
        return run.no_conversion(&value, "String");
    }
    let Some(text) = subject(run, &value)? else { return yes(false) };
    let is_match = regex.is_match(&text);
    yes(run.from_regex(is_match)?)
}

fn case_equal(run: &mut Run<'_>, regex: &Rc<Regex>, a: Args<'_>) -> Eval {
    let text = match a.get(0) {
        RubyValue::Str(text) => text.to_text(),
        RubyValue::Sym(text) => text,
        RubyValue::Nil | RubyValue::Bool(_) => {
            run.vm.matched = Some(None);
            return yes(false);
        }
        _ => return yes(false),
    };
    yes(find(run, regex, &text, a)?.is_some())
}

fn equal(_run: &mut Run<'_>, regex: &Rc<Regex>, a: Args<'_>) -> Eval {
    yes(matches!(a.get(0), RubyValue::Regexp(other) if other == *regex))
}

fn names(regex: &Regex) -> RubyValue {
    RubyValue::array(regex.names().map(|(name, _)| RubyValue::str(name)).collect())
}

fn options(_run: &mut Run<'_>, regex: &Rc<Regex>, _a: Args<'_>) -> Eval {
    let options = regex.options();
    let bits = [(options.ignore_case, 1), (options.extended, 2), (options.multi_line, 4)];
    Ok(RubyValue::Int(bits.iter().filter(|(is_on, _)| *is_on).map(|(_, bit)| bit).sum()))
}

fn index(run: &mut Run<'_>, match_data: &Rc<Match>, a: Args<'_>) -> Eval {
    match (a.get(0), a.len()) {
        (RubyValue::Int(index), 1) => {
            let index = from_end(index, match_data.spans.len());
            Ok(index.map_or(RubyValue::Nil, |index| match_data.group(index)))
        }
        (key @ (RubyValue::Str(_) | RubyValue::Sym(_)), 1) => {
            let key = key.as_name().unwrap_or_default();
            match match_data.named(&key) {
                Some(value) => Ok(value),
                None => run.raise("IndexError", format!("undefined group name reference: {key}")),
            }
        }
        _ => run.call_with(&groups(match_data, 0), "[]", a),
    }
}

/// Returns the groups from an index on; index 0 is the whole match.
fn groups(match_data: &Match, from: usize) -> RubyValue {
    RubyValue::array((from..match_data.spans.len()).map(|n| match_data.group(n)).collect())
}

fn named_captures(_run: &mut Run<'_>, match_data: &Rc<Match>, _a: Args<'_>) -> Eval {
    let mut entries = Entries::default();
    for (name, _) in match_data.regex.names() {
        entries.insert(Key::str(name), match_data.named(name).unwrap_or_default());
    }
    Ok(RubyValue::hash(entries))
}

/// Where a group begins and ends, in characters; `shown` makes the result of both.
fn offsets(
    run: &mut Run<'_>,
    match_data: &Rc<Match>,
    a: Args<'_>,
    shown: fn(usize, usize) -> RubyValue,
) -> Eval {
    let index = run.int_arg(&a.get(0))?;
    let span = from_end(index, match_data.spans.len())
        .and_then(|n| match_data.spans.get(n).copied().flatten());
    Ok(span.map_or(RubyValue::Nil, |(start, end)| {
        shown(chars::index_of(&match_data.text, start), chars::index_of(&match_data.text, end))
    }))
}

fn both(start: usize, end: usize) -> RubyValue {
    RubyValue::array(vec![int(start), int(end)])
}

fn same_match(_run: &mut Run<'_>, match_data: &Rc<Match>, a: Args<'_>) -> Eval {
    let RubyValue::Match(other) = a.get(0) else { return yes(false) };
    yes(other.text == match_data.text && other.spans == match_data.spans)
}
