//! `Regexp` and `MatchData`

use std::rc::Rc;

use kukla_regex::Regex;

use super::chars;
use super::tools::{from_end, int};
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

impl Run<'_> {
    pub(crate) fn regexp_method(
        &mut self,
        regex: &Rc<Regex>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        Ok(Some(match name {
            "=~" | "match" | "match?" | "===" | "~" => {
                let subject = a.get(0);
                let text = match &subject {
                    RubyValue::Str(text) => text.text.borrow().clone(),
                    RubyValue::Sym(text) => text.clone(),
                    RubyValue::Nil | RubyValue::Bool(_) if name != "match?" || subject.is_nil() => {
                        self.vm.matched = Some(None);
                        let is_word = matches!(name, "===" | "match?");
                        if matches!(subject, RubyValue::Bool(_)) && name != "===" {
                            return self.no_conversion(&subject, "String");
                        }
                        return Ok(Some(if is_word {
                            RubyValue::Bool(false)
                        } else {
                            RubyValue::Nil
                        }));
                    }
                    _ if name == "===" => return Ok(Some(RubyValue::Bool(false))),
                    other => return self.no_conversion(other, "String"),
                };
                if name == "match?" {
                    let found = regex.is_match(&text);
                    return Ok(Some(RubyValue::Bool(self.from_regex(found)?)));
                }
                let start = match a.items.get(1) {
                    Some(start) => {
                        let start = self.int_arg(start)?;
                        from_end(start, chars::len(&text))
                            .and_then(|at| chars::byte_at(&text, at))
                            .unwrap_or(0)
                    }
                    None => 0,
                };
                let found = self.search(regex, &text, start)?;
                match (name, found) {
                    ("===", found) => RubyValue::Bool(found.is_some()),
                    (_, None) => RubyValue::Nil,
                    ("match", Some(found)) => match a.block {
                        Some(block) => self.yield1(block, &RubyValue::Match(found))?,
                        None => RubyValue::Match(found),
                    },
                    (_, Some(found)) => {
                        int(found.spans[0]
                            .map_or(0, |(start, _)| chars::index_of(&found.text, start)))
                    }
                }
            }
            "source" => RubyValue::str(regex.source()),
            "to_s" => RubyValue::str(regex.to_s()),
            "inspect" => RubyValue::str(regex.inspect()),
            "==" | "eql?" => {
                RubyValue::Bool(matches!(a.get(0), RubyValue::Regexp(other) if *other == **regex))
            }
            "names" => {
                RubyValue::array(regex.names().map(|(name, _)| RubyValue::str(name)).collect())
            }
            "casefold?" => RubyValue::Bool(regex.options().ignore_case),
            "options" => {
                let options = regex.options();
                let bits =
                    [(options.ignore_case, 1), (options.extended, 2), (options.multi_line, 4)];
                RubyValue::Int(bits.iter().filter(|(is_on, _)| *is_on).map(|(_, bit)| bit).sum())
            }
            _ => return Ok(None),
        }))
    }

    pub(crate) fn match_method(
        &mut self,
        found: &Rc<Match>,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        let groups = || (1..found.spans.len()).map(|n| found.group(n)).collect::<Vec<_>>();
        Ok(Some(match name {
            "[]" => match (a.get(0), a.len()) {
                (RubyValue::Int(index), 1) => from_end(index, found.spans.len())
                    .map_or(RubyValue::Nil, |index| found.group(index)),
                (key @ (RubyValue::Str(_) | RubyValue::Sym(_)), 1) => {
                    let key = key.as_name().unwrap_or_default();
                    match found.named(&key) {
                        Some(value) => value,
                        None => {
                            return self.raise(
                                "IndexError",
                                format!("undefined group name reference: {key}"),
                            );
                        }
                    }
                }
                _ => {
                    let all =
                        RubyValue::array((0..found.spans.len()).map(|n| found.group(n)).collect());
                    self.call_with(&all, "[]", a)?
                }
            },
            "captures" => RubyValue::array(groups()),
            "to_a" => RubyValue::array((0..found.spans.len()).map(|n| found.group(n)).collect()),
            "named_captures" => {
                let mut entries = Entries::default();
                for (name, _) in found.regex.names() {
                    entries.insert(Key::str(name), found.named(name).unwrap_or_default());
                }
                RubyValue::hash(entries)
            }
            "names" => RubyValue::array(
                found.regex.names().map(|(name, _)| RubyValue::str(name)).collect(),
            ),
            "pre_match" => found.before(),
            "post_match" => found.after(),
            "to_s" => found.group(0),
            "string" => RubyValue::frozen_str(found.text.clone()),
            "regexp" => RubyValue::Regexp(Rc::new(found.regex.clone())),
            "size" | "length" => int(found.spans.len()),
            "begin" | "end" | "offset" => {
                let index = self.int_arg(&a.get(0))?;
                let span = from_end(index, found.spans.len())
                    .and_then(|n| found.spans.get(n).copied().flatten());
                let Some((start, end)) = span else { return Ok(Some(RubyValue::Nil)) };
                let (start, end) = (
                    int(chars::index_of(&found.text, start)),
                    int(chars::index_of(&found.text, end)),
                );
                match name {
                    "begin" => start,
                    "end" => end,
                    _ => RubyValue::array(vec![start, end]),
                }
            }
            "values_at" => {
                let all =
                    RubyValue::array((0..found.spans.len()).map(|n| found.group(n)).collect());
                self.call_with(&all, "values_at", a)?
            }
            "==" | "eql?" => {
                let same = matches!(a.get(0), RubyValue::Match(other) if other.text == found.text && other.spans == found.spans);
                RubyValue::Bool(same)
            }
            _ => return Ok(None),
        }))
    }
}
