//! `String`: methods that change it.

use std::rc::Rc;

use ecow::EcoString;

use super::chars;
use super::string::own;
use super::table::{Builtin, method};
use super::tools::yes;
use crate::run::{Args, Eval, Run};
use crate::value::{RubyValue, Str};

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<Str>>] = &[
    method("<<", append),
    method("concat", append),
    method("replace", replace),
    method("clear", clear),
    method("prepend", prepend),
    method("insert", insert),
    method("slice!", slice),
    method("freeze", freeze),
    method("frozen?", |_, this, _| yes(this.frozen.get())),
    method("upcase!", |run, this, a| in_place_or_nil(run, this, "upcase", a)),
    method("downcase!", |run, this, a| in_place_or_nil(run, this, "downcase", a)),
    method("capitalize!", |run, this, a| in_place_or_nil(run, this, "capitalize", a)),
    method("swapcase!", |run, this, a| in_place_or_nil(run, this, "swapcase", a)),
    method("strip!", |run, this, a| in_place_or_nil(run, this, "strip", a)),
    method("lstrip!", |run, this, a| in_place_or_nil(run, this, "lstrip", a)),
    method("rstrip!", |run, this, a| in_place_or_nil(run, this, "rstrip", a)),
    method("chomp!", |run, this, a| in_place_or_nil(run, this, "chomp", a)),
    method("chop!", |run, this, a| in_place_or_nil(run, this, "chop", a)),
    method("reverse!", |run, this, a| in_place(run, this, "reverse", a)),
    method("succ!", |run, this, a| in_place(run, this, "succ", a)),
    method("next!", |run, this, a| in_place(run, this, "next", a)),
    method("gsub!", |run, this, a| in_place_or_nil(run, this, "gsub", a)),
    method("sub!", |run, this, a| in_place_or_nil(run, this, "sub", a)),
    method("tr!", |run, this, a| in_place_or_nil(run, this, "tr", a)),
    method("tr_s!", |run, this, a| in_place_or_nil(run, this, "tr_s", a)),
    method("delete!", |run, this, a| in_place_or_nil(run, this, "delete", a)),
    method("squeeze!", |run, this, a| in_place_or_nil(run, this, "squeeze", a)),
    method("delete_prefix!", |run, this, a| in_place_or_nil(run, this, "delete_prefix", a)),
    method("delete_suffix!", |run, this, a| in_place_or_nil(run, this, "delete_suffix", a)),
    method("scrub!", |run, this, a| in_place_or_nil(run, this, "scrub", a)),
    method("encode!", |run, this, a| in_place(run, this, "encode", a)),
    method("unicode_normalize!", |run, this, a| in_place_or_nil(run, this, "unicode_normalize", a)),
];

fn append(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    run.change_check(this)?;
    for arg in a.items {
        let more = match arg {
            RubyValue::Int(code) => match u32::try_from(*code).ok().and_then(char::from_u32) {
                Some(c) => EcoString::from(c),
                None => return run.raise("RangeError", format!("{code} out of char range")),
            },
            other => run.text_arg(other)?,
        };
        run.charge(more.len())?;
        this.text.borrow_mut().push_str(&more);
    }
    Ok(own(this))
}

fn replace(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    run.change_check(this)?;
    this.text.replace(run.text_arg(&a.get(0))?);
    Ok(own(this))
}

fn clear(run: &mut Run<'_>, this: &Rc<Str>, _a: Args<'_>) -> Eval {
    run.change_check(this)?;
    this.text.replace(EcoString::new());
    Ok(own(this))
}

fn prepend(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    run.change_check(this)?;
    let mut new = EcoString::new();
    for arg in a.items {
        let more = run.text_arg(arg)?;
        run.charge(more.len())?;
        new.push_str(&more);
    }
    run.charge(this.text.borrow().len())?;
    new.push_str(&this.text.borrow());
    this.text.replace(new);
    Ok(own(this))
}

fn insert(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    run.change_check(this)?;
    let new = inserted(run, &this.to_text(), a)?;
    this.text.replace(new);
    Ok(own(this))
}

fn inserted(run: &mut Run<'_>, s: &str, a: Args<'_>) -> Eval<EcoString> {
    let index = run.int_arg(&a.get(0))?;
    let more = run.text_arg(&a.get(1))?;
    run.charge(s.len() + more.len())?;
    let len = i64::try_from(chars::len(s)).unwrap_or(i64::MAX);
    let at = if index < 0 { index + len + 1 } else { index };
    let byte = usize::try_from(at).ok().and_then(|at| chars::byte_at(s, at));
    match byte {
        Some(byte) => Ok(ecow::eco_format!("{}{more}{}", &s[..byte], &s[byte..])),
        None => run.raise("IndexError", format!("index {index} out of string")),
    }
}

fn slice(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    run.change_check(this)?;
    let taken = run.builtin(&own(this), "[]", a)?.unwrap_or_default();
    if !taken.is_nil() {
        let mut args = a.items.to_vec();
        args.push(RubyValue::str(""));
        run.builtin(&own(this), "[]=", Args::new(&args))?;
    }
    Ok(taken)
}

fn freeze(_run: &mut Run<'_>, this: &Rc<Str>, _a: Args<'_>) -> Eval {
    this.frozen.set(true);
    Ok(own(this))
}

/// Replaces the text by the result of the method without `!`.
fn in_place(run: &mut Run<'_>, this: &Rc<Str>, plain: &str, a: Args<'_>) -> Eval {
    run.change_check(this)?;
    let copy = RubyValue::str(this.to_text());
    let Some(new) = run.builtin(&copy, plain, a)? else {
        return run.unsupported(format!("method String#{plain}!"));
    };
    this.text.replace(new.as_text().unwrap_or_default());
    Ok(own(this))
}

/// Like [`in_place`], but returns `nil` if the text did not change.
fn in_place_or_nil(run: &mut Run<'_>, this: &Rc<Str>, plain: &str, a: Args<'_>) -> Eval {
    let before = this.to_text();
    let result = in_place(run, this, plain, a)?;
    Ok(if *this.text.borrow() == before { RubyValue::Nil } else { result })
}

impl Run<'_> {
    pub(super) fn change_check(&mut self, this: &Rc<Str>) -> Eval<()> {
        if this.frozen.get() {
            return self.frozen(&RubyValue::Str(Rc::clone(this)));
        }
        Ok(())
    }
}
