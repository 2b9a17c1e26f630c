//! Strings and patterns: `=~`, `gsub`, `scan`, `split`.

use std::rc::Rc;

use ecow::EcoString;
use kukla_regex::Regex;

use super::regexp::{self, escape};
use super::table::{Builtin, method};
use crate::run::{Args, Eval, Run};
use crate::value::{Match, Proc, ProcBody, RubyValue, SIZE_OF_TEXT, Str};

/// The bytes that a match takes, with what the allocator adds.
const SIZE_OF_MATCH: usize = 160;

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<Str>>] = &[
    method("=~", match_index),
    method("match", |run, this, a| match_with(run, this, "match", a)).arity(1, 2),
    method("match?", |run, this, a| match_with(run, this, "match?", a)).arity(1, 2),
    method("gsub", |run, this, a| run.substitute(&this.to_text(), a, true)),
    method("sub", |run, this, a| run.substitute(&this.to_text(), a, false)),
    method("scan", |run, this, a| run.scan(&this.to_text(), a)),
    method("split", |run, this, a| run.split(&this.to_text(), a)),
    method("partition", |run, this, a| run.partition(&this.to_text(), a)),
    method("rpartition", rpartition),
];

fn match_index(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    match a.get(0) {
        RubyValue::Str(_) => run.type_error("type mismatch: String given"),
        RubyValue::Regexp(regex) => regexp::match_index(run, &regex, Args::new(&[text_of(this)])),
        other => run.call(&other, "=~", &[text_of(this)]),
    }
}

/// A copy of the string, which a pattern may keep.
fn text_of(this: &Rc<Str>) -> RubyValue {
    RubyValue::str(this.to_text())
}

/// `match` and `match?`, delegated to the pattern.
fn match_with(run: &mut Run<'_>, this: &Rc<Str>, name: &str, a: Args<'_>) -> Eval {
    let regex = match &a.items[0] {
        RubyValue::Str(pattern) => {
            let pattern = pattern.to_text();
            run.make_regex(&pattern, kukla_regex::Options::default())?
        }
        RubyValue::Regexp(_) => a.items[0].clone(),
        other => {
            let class = crate::run::short_class(other);
            return run.type_error(format!("wrong argument type {class} (expected Regexp)"));
        }
    };
    let mut args = vec![text_of(this)];
    args.extend(a.items.iter().skip(1).cloned());
    let matched = run.builtin(&regex, name, Args::with_block(&args, a.block))?;
    Ok(matched.unwrap_or_default())
}

fn rpartition(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let s = &this.to_text();
    let RubyValue::Str(separator) = a.get(0) else {
        return run.unsupported("rpartition by pattern");
    };
    let separator = separator.text.borrow().clone();
    let (before, middle, after) = match s.rfind(separator.as_str()) {
        Some(at) => (&s[..at], &s[at..at + separator.len()], &s[at + separator.len()..]),
        None => ("", "", s.as_str()),
    };
    Ok(RubyValue::array(vec![
        RubyValue::str(before),
        RubyValue::str(middle),
        RubyValue::str(after),
    ]))
}

impl Run<'_> {
    /// Searches for a pattern, and stores the match for `$~`.
    pub(crate) fn search(
        &mut self,
        regex: &Regex,
        s: &EcoString,
        start: usize,
    ) -> Eval<Option<Rc<Match>>> {
        let found = regex.captures(s, start);
        let found = self.from_regex(found)?;
        let found = found.map(|captures| {
            let spans = (0..captures.len()).map(|group| captures.span(group)).collect();
            Rc::new(Match { regex: regex.clone(), text: s.clone(), spans })
        });
        self.vm.matched = Some(found.clone());
        Ok(found)
    }

    /// Converts an argument to a pattern; a string matches literally.
    pub(super) fn pattern(&mut self, value: &RubyValue) -> Eval<Regex> {
        match value {
            RubyValue::Regexp(regex) => Ok((**regex).clone()),
            RubyValue::Str(text) => {
                let source = escape(&text.text.borrow());
                match self.make_regex(&source, kukla_regex::Options::default())? {
                    RubyValue::Regexp(regex) => Ok((*regex).clone()),
                    _ => self.unsupported("pattern"),
                }
            }
            other => {
                let class = crate::run::short_class(other);
                self.type_error(format!("wrong argument type {class} (expected Regexp)"))
            }
        }
    }

    fn substitute(&mut self, s: &EcoString, a: Args<'_>, all: bool) -> Eval {
        self.arity(a, 1, 2)?;
        // Plain text for plain text needs no engine.
        if let (RubyValue::Str(from), Some(RubyValue::Str(to))) = (&a.items[0], a.items.get(1)) {
            let (from, to) = (from.text.borrow().clone(), to.text.borrow().clone());
            if !from.is_empty() && !to.contains('\\') {
                let n_found = if all { s.matches(from.as_str()).count() } else { 1 };
                self.charge(s.len().saturating_add(n_found.saturating_mul(to.len())))?;
                let result = if all {
                    s.replace(from.as_str(), &to)
                } else {
                    s.replacen(from.as_str(), &to, 1)
                };
                return Ok(RubyValue::str(result));
            }
        }
        let regex = self.pattern(&a.items[0])?;
        match (a.items.get(1), a.block) {
            (Some(RubyValue::Hash(map)), _) => {
                let map = RubyValue::Hash(Rc::clone(map));
                self.replace_each(s, &regex, all, |run, found| {
                    let value = run.call(&map, "[]", &[found.group(0)])?;
                    run.to_s(&value)
                })
            }
            (Some(replacement), _) => {
                let replacement = self.text_arg(replacement)?;
                let found = self.search(&regex, s, 0)?;
                if found.is_none() {
                    return Ok(RubyValue::str(s.clone()));
                }
                let result =
                    if all { regex.gsub(s, &replacement) } else { regex.sub(s, &replacement) };
                match result {
                    Ok(text) => {
                        self.charge(text.len())?;
                        Ok(RubyValue::str(text.into_owned()))
                    }
                    Err(kukla_regex::ReplaceError::Limit(limit)) => self.from_regex(Err(limit)),
                    Err(other) => self.raise("IndexError", other.to_string()),
                }
            }
            (None, Some(block)) => {
                let block = Rc::clone(block);
                self.replace_each(s, &regex, all, |run, found| {
                    remember(&block, found);
                    let value = run.yield1(&block, &found.group(0))?;
                    run.to_s(&value)
                })
            }
            (None, None) => self.unsupported("gsub without a block"),
        }
    }

    fn replace_each(
        &mut self,
        s: &EcoString,
        regex: &Regex,
        all: bool,
        mut replace: impl FnMut(&mut Self, &Rc<Match>) -> Eval<String>,
    ) -> Eval {
        let mut out = String::new();
        let mut end = 0;
        let matches = self.all_matches(s, regex, if all { usize::MAX } else { 1 })?;
        self.vm.matched = Some(matches.last().cloned());
        for found in &matches {
            let Some((start, stop)) = found.spans[0] else { continue };
            out.push_str(&s[end..start]);
            out.push_str(&replace(self, found)?);
            self.check_room(out.len())?;
            end = stop;
        }
        out.push_str(&s[end..]);
        self.charge(out.len())?;
        Ok(RubyValue::str(out))
    }

    fn all_matches(&mut self, s: &EcoString, regex: &Regex, most: usize) -> Eval<Vec<Rc<Match>>> {
        let mut found = Vec::new();
        for captures in regex.find_iter(s).take(most) {
            let captures = self.from_regex(captures)?;
            let spans = (0..captures.len()).map(|group| captures.span(group)).collect();
            self.charge(SIZE_OF_MATCH)?;
            found.push(Rc::new(Match { regex: regex.clone(), text: s.clone(), spans }));
        }
        Ok(found)
    }

    fn scan(&mut self, s: &EcoString, a: Args<'_>) -> Eval {
        self.arity(a, 1, 1)?;
        let regex = self.pattern(&a.items[0])?;
        let matches = self.all_matches(s, &regex, usize::MAX)?;
        self.vm.matched = Some(matches.last().cloned());
        let mut items = Vec::new();
        for found in &matches {
            let item = match found.spans.len() {
                1 => found.group(0),
                n => RubyValue::array((1..n).map(|group| found.group(group)).collect()),
            };
            match a.block {
                Some(block) => {
                    remember(block, found);
                    self.yield1(block, &item)?;
                }
                None => items.push(item),
            }
        }
        Ok(if a.block.is_some() { RubyValue::str(s.clone()) } else { RubyValue::array(items) })
    }

    fn split_blanks(&mut self, s: &EcoString, limit: i64) -> Eval<Vec<RubyValue>> {
        self.charge_parts(s, s.split_ascii_whitespace().count())?;
        Ok(split_blanks(s, limit))
    }

    /// Counts the memory of the parts of a text, before they are made.
    fn charge_parts(&mut self, s: &str, n_parts: usize) -> Eval<()> {
        self.charge(n_parts.saturating_mul(SIZE_OF_TEXT).saturating_add(s.len()))
    }

    fn split(&mut self, s: &EcoString, a: Args<'_>) -> Eval {
        self.arity(a, 0, 2)?;
        let limit = if a.len() > 1 { self.int_arg(&a.items[1])? } else { 0 };
        let parts: Vec<RubyValue> = match a.get(0) {
            RubyValue::Nil => self.split_blanks(s, limit)?,
            RubyValue::Str(text) if *text.text.borrow() == " " => self.split_blanks(s, limit)?,
            RubyValue::Str(text) if !text.text.borrow().is_empty() => {
                let separator = text.text.borrow().clone();
                self.charge_parts(s, s.matches(separator.as_str()).count())?;
                split_text(s, &separator, limit)
            }
            pattern => {
                let regex = self.pattern(&pattern)?;
                let parts = regex.split(s, limit);
                let parts = self.from_regex(parts)?;
                self.charge_parts(s, parts.len())?;
                parts.into_iter().map(RubyValue::str).collect()
            }
        };
        match a.block {
            Some(block) => {
                for part in &parts {
                    self.yield1(block, part)?;
                }
                Ok(RubyValue::str(s.clone()))
            }
            None => Ok(RubyValue::array(parts)),
        }
    }

    fn partition(&mut self, s: &EcoString, a: Args<'_>) -> Eval {
        let span = match a.get(0) {
            RubyValue::Regexp(regex) => self.search(&regex, s, 0)?.and_then(|found| found.spans[0]),
            other => {
                let separator = self.text_arg(&other)?;
                s.find(separator.as_str()).map(|at| (at, at + separator.len()))
            }
        };
        let (before, middle, after) = match span {
            Some((start, end)) => (&s[..start], &s[start..end], &s[end..]),
            None => (s.as_str(), "", ""),
        };
        Ok(RubyValue::array(vec![
            RubyValue::str(before),
            RubyValue::str(middle),
            RubyValue::str(after),
        ]))
    }
}

/// Sets `$~` and `$1` of a block to the match for which it is called.
fn remember(block: &Rc<Proc>, found: &Rc<Match>) {
    if let ProcBody::Block { frame, .. } = &block.body {
        *frame.context.last_match.borrow_mut() = Some(Rc::clone(found));
    }
}

/// Words between blanks.
fn split_blanks(s: &str, limit: i64) -> Vec<RubyValue> {
    let is_blank = |c: char| matches!(c, ' ' | '\t'..='\r' | '\0');
    let mut parts = Vec::new();
    let mut rest = s.trim_start_matches(is_blank);
    let most = usize::try_from(limit).ok().filter(|&most| most > 0);
    while !rest.is_empty() {
        if most == Some(parts.len() + 1) {
            parts.push(RubyValue::str(rest));
            return parts;
        }
        let end = rest.find(is_blank).unwrap_or(rest.len());
        parts.push(RubyValue::str(&rest[..end]));
        let trimmed = rest[end..].trim_start_matches(is_blank);
        if trimmed.is_empty() && end < rest.len() && limit != 0 {
            parts.push(RubyValue::str(""));
        }
        rest = trimmed;
    }
    parts
}

fn split_text(s: &str, separator: &str, limit: i64) -> Vec<RubyValue> {
    if s.is_empty() {
        return Vec::new();
    }
    let mut parts: Vec<&str> = match usize::try_from(limit) {
        Ok(most) if most > 0 => s.splitn(most, separator).collect(),
        _ => s.split(separator).collect(),
    };
    if limit == 0 {
        while parts.last().is_some_and(|part| part.is_empty()) {
            parts.pop();
        }
    }
    parts.into_iter().map(RubyValue::str).collect()
}
