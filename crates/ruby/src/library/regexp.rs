//! Class methods of `Regexp`, which make patterns from strings.

use std::rc::Rc;

use crate::class::Class;
use crate::methods::table::{Builtin, method, refused};
use crate::methods::tools::text;
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;
use ecow::EcoString;
use kukla_regex::Options;

/// The methods of `Regexp` itself.
pub(crate) static REGEXP: &[Builtin<Rc<Class>>] = &[
    method("new", new),
    method("compile", new),
    method("escape", escape),
    method("quote", escape),
    method("union", union),
    refused("last_match", "Regexp.last_match"),
];

fn new(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let source = match a.get(0) {
        regex @ RubyValue::Regexp(_) => return Ok(regex),
        source => run.text_arg(&source)?,
    };
    let bits = match a.get(1) {
        RubyValue::Int(bits) => bits,
        RubyValue::Nil | RubyValue::Bool(false) => 0,
        _ => 1,
    };
    let options =
        Options { ignore_case: bits & 1 != 0, extended: bits & 2 != 0, multi_line: bits & 4 != 0 };
    run.make_regex(&source, options)
}

fn escape(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let source = pattern_text(run, &a.get(0))?;
    text(crate::methods::escape(&source))
}

fn union(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let items = match a.items {
        [RubyValue::Array(list)] => list.items.borrow().clone(),
        items => items.to_vec(),
    };
    if let [regex @ RubyValue::Regexp(_)] = &items[..] {
        return Ok(regex.clone());
    }
    let mut parts = Vec::new();
    for item in &items {
        parts.push(match item {
            RubyValue::Regexp(regex) => regex.to_s(),
            other => crate::methods::escape(&pattern_text(run, other)?),
        });
    }
    let source = if parts.is_empty() { "(?!)".to_owned() } else { parts.join("|") };
    run.make_regex(&source, Options::default())
}

fn pattern_text(run: &mut Run<'_>, value: &RubyValue) -> Eval<EcoString> {
    match value {
        RubyValue::Sym(name) => Ok(name.clone()),
        other => run.text_arg(other),
    }
}
