//! Parts of a string by place: `[]`, `slice`, `[]=`, `index`.

use std::rc::Rc;

use ecow::EcoString;

use super::chars;
use super::table::{Builtin, method};
use super::tools::{from_end, int};
use crate::run::{Args, Eval, Run};
use crate::value::{RubyValue, Str};

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<Str>>] = &[
    method("[]", index).arity(1, 2),
    method("slice", index).arity(1, 2),
    method("[]=", store),
    method("index", |run, this, a| run.string_find(&this.to_text(), a, false)),
    method("rindex", |run, this, a| run.string_find(&this.to_text(), a, true)),
    method("byteslice", byteslice),
    method("getbyte", getbyte),
];

fn index(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let s = &this.to_text();
    let span = run.span_of(s, a)?;
    Ok(span.map_or(RubyValue::Nil, |(start, end)| RubyValue::str(&s[start..end])))
}

fn store(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let s = &this.to_text();
    run.change_check(this)?;
    let (value, place) = match a.items.split_last() {
        Some((value, place)) if !place.is_empty() => (value, place),
        _ => return run.wrong_arity(a.len(), "2..3"),
    };
    // Whatever is given, a number is not looked for before it.
    if matches!(place[0], RubyValue::Int(_)) {
        run.text_arg(value)?;
    }
    match run.span_of(s, Args::new(place))? {
        Some((start, end)) => {
            let new = run.text_arg(value)?;
            this.text.replace(ecow::eco_format!("{}{new}{}", &s[..start], &s[end..]));
            Ok(value.clone())
        }
        None => {
            if let RubyValue::Range(_) = &place[0] {
                let shown = crate::show::inspect(&place[0]);
                return run.raise("RangeError", format!("{shown} out of range"));
            }
            let message = match &place[0] {
                RubyValue::Str(_) => "string not matched".to_owned(),
                RubyValue::Regexp(_) => "regexp not matched".to_owned(),
                other => format!("index {} out of string", crate::show::inspect(other)),
            };
            run.raise("IndexError", message)
        }
    }
}

fn byteslice(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let s = &this.to_text();
    let start = run.int_arg(&a.get(0))?;
    let count = if a.len() > 1 { run.int_arg(&a.get(1))? } else { 1 };
    let start = from_end(start, s.len());
    let part = start.and_then(|start| {
        let end = start.checked_add(usize::try_from(count).ok()?)?.min(s.len());
        s.get(start..end)
    });
    Ok(part.map_or(RubyValue::Nil, RubyValue::str))
}

fn getbyte(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let s = &this.to_text();
    let index = run.int_arg(&a.get(0))?;
    let byte = from_end(index, s.len()).and_then(|index| s.as_bytes().get(index).copied());
    Ok(byte.map_or(RubyValue::Nil, |byte| RubyValue::Int(i64::from(byte))))
}

impl Run<'_> {
    /// Returns the bytes that `[…]` selects; `None` if it selects nothing.
    fn span_of(&mut self, s: &EcoString, a: Args<'_>) -> Eval<Option<(usize, usize)>> {
        let len = chars::len(s);
        let by_chars = |start: usize, count: usize| {
            let part = chars::part(s, start, count)?;
            let from = chars::byte_at(s, start)?;
            Some((from, from + part.len()))
        };
        match (&a.items[0], a.items.get(1)) {
            (RubyValue::Regexp(regex), group) => {
                let found = self.search(regex, s, 0)?;
                let Some(found) = found else { return Ok(None) };
                match group {
                    None => Ok(found.spans[0]),
                    Some(group @ (RubyValue::Str(_) | RubyValue::Sym(_))) => {
                        let name = group.as_name().unwrap_or_default();
                        let numbers = regex
                            .names()
                            .find(|(known, _)| *known == name)
                            .map(|(_, n)| n.to_vec());
                        match numbers {
                            Some(numbers) => Ok(numbers.last().and_then(|&n| found.spans[n])),
                            None => self.raise(
                                "IndexError",
                                format!("undefined group name reference: {name}"),
                            ),
                        }
                    }
                    Some(group) => {
                        let group = self.int_arg(group)?;
                        let index = from_end(group, found.spans.len());
                        Ok(index.and_then(|index| found.spans.get(index).copied().flatten()))
                    }
                }
            }
            (RubyValue::Str(part), _) => {
                let part = part.text.borrow();
                Ok(s.find(part.as_str()).map(|start| (start, start + part.len())))
            }
            (RubyValue::Range(range), _) => {
                let Some((start, count)) = self.range_span(range, len)? else { return Ok(None) };
                Ok(by_chars(start, count))
            }
            (start, Some(count)) => {
                let (start, count) = (self.int_arg(start)?, self.int_arg(count)?);
                let Some(start) = from_end(start, len).filter(|&start| start <= len) else {
                    return Ok(None);
                };
                Ok(usize::try_from(count).ok().and_then(|count| by_chars(start, count)))
            }
            (index, None) => {
                let index = self.int_arg(index)?;
                let index = from_end(index, len).filter(|&index| index < len);
                Ok(index.and_then(|index| by_chars(index, 1)))
            }
        }
    }

    fn string_find(&mut self, s: &EcoString, a: Args<'_>, last: bool) -> Eval {
        let len = chars::len(s);
        let from = match a.items.get(1) {
            Some(start) => {
                let start = self.int_arg(start)?;
                match from_end(start, len) {
                    Some(start) if start <= len => Some(start),
                    Some(_) if last => Some(len),
                    _ => return Ok(RubyValue::Nil),
                }
            }
            None => None,
        };
        let byte = from.and_then(|from| chars::byte_at(s, from));
        let found = match a.get(0) {
            RubyValue::Regexp(regex) if last => {
                let end = byte.unwrap_or(s.len());
                let mut starts =
                    s.char_indices().map(|(at, _)| at).chain([s.len()]).collect::<Vec<_>>();
                starts.retain(|&at| at <= end);
                let mut hit = None;
                for &at in starts.iter().rev() {
                    if let Some(found) = self.search(&regex, s, at)?
                        && found.spans[0].is_some_and(|span| span.0 == at)
                    {
                        hit = Some(at);
                        break;
                    }
                }
                hit
            }
            RubyValue::Regexp(regex) => {
                let found = self.search(&regex, s, byte.unwrap_or(0))?;
                found.and_then(|found| found.spans[0]).map(|span| span.0)
            }
            part => {
                let part = self.text_arg(&part)?;
                if last {
                    let end = byte.map_or(s.len(), |byte| (byte + part.len()).min(s.len()));
                    let end =
                        (end..=s.len()).find(|&end| s.is_char_boundary(end)).unwrap_or(s.len());
                    s[..end].rfind(part.as_str())
                } else {
                    let start = byte.unwrap_or(0);
                    s[start..].find(part.as_str()).map(|at| at + start)
                }
            }
        };
        Ok(found.map_or(RubyValue::Nil, |byte| int(chars::index_of(s, byte))))
    }
}
