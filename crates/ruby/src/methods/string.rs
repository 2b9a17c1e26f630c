//! `String`

use std::rc::Rc;

use ecow::EcoString;
use kukla_rubytext::case;

use super::string_convert::{bytes, chars};
use super::table::{Builtin, iterator, method};
use super::tools::{list, text, yes};
use crate::run::{Args, Eval, Run};
use crate::value::{Proc, RubyValue, SIZE_OF_TEXT, Str, eql};

/// Returns the string itself as the result of a method.
pub(super) fn own(this: &Rc<Str>) -> RubyValue {
    RubyValue::Str(Rc::clone(this))
}

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<Str>>] = &[
    method("+", add).arity(1, 1),
    method("*", repeat).arity(1, 1),
    method("%", format).arity(1, 1),
    method("==", equal).arity(1, 1),
    method("===", equal).arity(1, 1),
    method("eql?", equal).arity(1, 1),
    method("casecmp", casecmp),
    method("casecmp?", is_casecmp),
    method("start_with?", start_with),
    method("end_with?", end_with),
    method("include?", includes).arity(1, 1),
    method("delete_prefix", delete_prefix),
    method("delete_suffix", delete_suffix),
    method("ljust", |run, this, a| justify(run, this, a, |n| (0, n))).arity(1, 2),
    method("rjust", |run, this, a| justify(run, this, a, |n| (n, 0))).arity(1, 2),
    method("center", |run, this, a| justify(run, this, a, |n| (n / 2, n - n / 2))).arity(1, 2),
    iterator("each_char", each_char),
    iterator("each_byte", each_byte),
    iterator("each_line", each_line),
    method("lines", |run, this, a| list(lines(run, &this.to_text(), a)?)),
    iterator("upto", upto),
];

fn add(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let s = &this.to_text();
    let other = run.text_arg(&a.items[0])?;
    run.charge(s.len() + other.len())?;
    let mut sum = s.clone();
    sum.push_str(&other);
    text(sum)
}

fn repeat(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let s = &this.to_text();
    let times = run.usize_arg(&a.items[0], "negative argument")?;
    run.charge(s.len().saturating_mul(times))?;
    text(s.repeat(times))
}

fn format(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let s = &this.to_text();
    let args = match &a.items[0] {
        RubyValue::Array(list) => list.items.borrow().clone(),
        other => vec![other.clone()],
    };
    match run.sprintf(s, &args) {
        Ok(formatted) => text(formatted),
        // Puppet loads gettext, which makes `%` return its receiver where a name is missing.
        Err(stop) if run.is_raised(&stop, "KeyError") => Ok(own(this)),
        Err(stop) => Err(stop),
    }
}

fn equal(_run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    yes(eql(&own(this), &a.items[0]))
}

fn casecmp(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let other = string_arg(run, a)?.to_ascii_lowercase();
    let order = this.text.borrow().to_ascii_lowercase().cmp(&other);
    Ok(RubyValue::Int(order as i64))
}

fn is_casecmp(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let other = string_arg(run, a)?;
    yes(case::downcase(&this.text.borrow()) == case::downcase(&other))
}

/// Returns the first argument, which must be a string; no conversion is tried.
fn string_arg(run: &mut Run<'_>, a: Args<'_>) -> Eval<EcoString> {
    match a.get(0) {
        RubyValue::Str(other) => Ok(other.to_text()),
        other => run.no_conversion(&other, "String"),
    }
}

fn start_with(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let s = &this.to_text();
    for prefix in a.items {
        let starts = match prefix {
            RubyValue::Regexp(regex) => {
                let found = regex.captures(s, 0);
                run.from_regex(found)?.is_some_and(|found| found.start() == 0)
            }
            other => s.starts_with(run.text_arg(other)?.as_str()),
        };
        if starts {
            return yes(true);
        }
    }
    yes(false)
}

fn end_with(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let s = &this.to_text();
    for suffix in a.items {
        if s.ends_with(run.text_arg(suffix)?.as_str()) {
            return yes(true);
        }
    }
    yes(false)
}

fn includes(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let s = &this.to_text();
    let part = run.text_arg(&a.items[0])?;
    yes(s.contains(part.as_str()))
}

fn delete_prefix(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let s = &this.to_text();
    let prefix = run.text_arg(&a.get(0))?;
    text(s.strip_prefix(prefix.as_str()).unwrap_or(s))
}

fn delete_suffix(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let s = &this.to_text();
    let suffix = run.text_arg(&a.get(0))?;
    text(s.strip_suffix(suffix.as_str()).unwrap_or(s))
}

/// Yields these items, and returns the string itself.
fn each(run: &mut Run<'_>, this: &Rc<Str>, block: &Rc<Proc>, items: &[RubyValue]) -> Eval {
    for item in items {
        run.yield1(block, item)?;
    }
    Ok(own(this))
}

fn each_line(run: &mut Run<'_>, this: &Rc<Str>, block: &Rc<Proc>, a: Args<'_>) -> Eval {
    let items = lines(run, &this.to_text(), a)?;
    each(run, this, block, &items)
}

fn upto(run: &mut Run<'_>, this: &Rc<Str>, block: &Rc<Proc>, a: Args<'_>) -> Eval {
    let s = &this.to_text();
    let to = run.text_arg(&a.get(0))?;
    for item in run.string_range(s, &to, a.get(1).truthy())? {
        run.yield1(block, &item)?;
    }
    Ok(own(this))
}

fn each_char(run: &mut Run<'_>, this: &Rc<Str>, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    let chars = chars(run, &this.to_text())?;
    each(run, this, block, &chars)
}

fn each_byte(run: &mut Run<'_>, this: &Rc<Str>, block: &Rc<Proc>, _a: Args<'_>) -> Eval {
    let bytes = bytes(run, &this.to_text())?;
    each(run, this, block, &bytes)
}

fn lines(run: &mut Run<'_>, s: &str, a: Args<'_>) -> Eval<Vec<RubyValue>> {
    let chomps = a.option("chomp").is_some_and(|value| value.truthy());
    let separator = match a.items.first() {
        Some(RubyValue::Str(text)) => text.text.borrow().clone(),
        _ => "\n".into(),
    };
    if separator.is_empty() {
        return run.unsupported("lines by paragraphs");
    }
    run.charge(s.matches(separator.as_str()).count().saturating_mul(SIZE_OF_TEXT))?;
    let line = |line: &str| {
        let shown = match (chomps, separator.as_str()) {
            (true, "\n") => {
                line.strip_suffix("\r\n").or_else(|| line.strip_suffix('\n')).unwrap_or(line)
            }
            (true, separator) => line.strip_suffix(separator).unwrap_or(line),
            (false, _) => line,
        };
        RubyValue::str(shown)
    };
    Ok(s.split_inclusive(separator.as_str()).map(line).collect())
}

/// Pads to a width; `sides` splits the padding between left and right.
fn justify(
    run: &mut Run<'_>,
    this: &Rc<Str>,
    a: Args<'_>,
    sides: fn(usize) -> (usize, usize),
) -> Eval {
    let s = this.to_text();
    let width = run.int_arg(&a.items[0])?;
    let pad = match a.items.get(1) {
        Some(pad) => run.text_arg(pad)?,
        None => " ".into(),
    };
    if pad.is_empty() {
        return run.argument_error("zero width padding");
    }
    let missing = usize::try_from(width).unwrap_or(0).saturating_sub(super::chars::len(&s));
    run.charge(missing.saturating_mul(4))?;
    let fill = |n: usize| pad.chars().cycle().take(n).collect::<String>();
    let (left, right) = sides(missing);
    text(format!("{}{s}{}", fill(left), fill(right)))
}
