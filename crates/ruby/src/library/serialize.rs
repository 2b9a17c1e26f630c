//! Class methods of `JSON` and `YAML`.

use std::rc::Rc;

use super::data::YamlTrust;
use crate::class::Class;
use crate::methods::table::{Builtin, method};
use crate::methods::tools::text;
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;
use kukla_rubytext::json;

/// The methods of `JSON`, which `PSON` has too.
pub(crate) static JSON: &[Builtin<Rc<Class>>] = &[
    method("parse", parse_json),
    method("parse!", parse_json),
    method("load", load_json),
    method("load_file", load_json_file),
    method("generate", |run, _, a| text(run.to_json(&a.get(0), false)?)),
    method("dump", |run, _, a| text(run.to_json(&a.get(0), false)?)),
    method("pretty_generate", pretty_generate),
];

/// The methods of `YAML`.
pub(crate) static YAML: &[Builtin<Rc<Class>>] = &[
    method("load", |run, _, a| load_yaml(run, a, YamlTrust::Some)),
    method("safe_load", |run, _, a| load_yaml(run, a, YamlTrust::None)),
    method("unsafe_load", |run, _, a| load_yaml(run, a, YamlTrust::All)),
    method("load_file", |run, _, a| load_yaml_file(run, a, YamlTrust::Some)),
    method("safe_load_file", |run, _, a| load_yaml_file(run, a, YamlTrust::None)),
    method("unsafe_load_file", |run, _, a| load_yaml_file(run, a, YamlTrust::All)),
    method("dump", dump_yaml),
];

fn parse_json(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let source = run.source_arg(&a.get(0))?;
    run.parse_json(&source, a)
}

fn load_json(run: &mut Run<'_>, this: &Rc<Class>, a: Args<'_>) -> Eval {
    if a.get(0).is_nil() { Ok(RubyValue::Nil) } else { parse_json(run, this, a) }
}

fn load_json_file(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let source = read(run, a)?;
    run.parse_json(&source, a)
}

/// Reads the file that the first argument names.
fn read(run: &mut Run<'_>, a: Args<'_>) -> Eval<String> {
    let path = run.text_arg(&a.get(0))?;
    let source = run.host.read_file(&path);
    run.from_host(source)
}

fn pretty_generate(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let mut style = json::Style::pretty();
    for (part, name) in [
        (&mut style.indent, "indent"),
        (&mut style.space, "space"),
        (&mut style.space_before, "space_before"),
        (&mut style.object_nl, "object_nl"),
        (&mut style.array_nl, "array_nl"),
    ] {
        if let Some(value) = a.option(name).filter(|_| a.len() > 1) {
            *part = run.text_arg(&value)?.as_str().to_owned();
        }
    }
    text(run.to_json_in(&a.get(0), &style)?)
}

fn load_yaml(run: &mut Run<'_>, a: Args<'_>, trust: YamlTrust) -> Eval {
    let source = run.source_arg(&a.get(0))?;
    run.load_yaml(&source, trust, a)
}

fn load_yaml_file(run: &mut Run<'_>, a: Args<'_>, trust: YamlTrust) -> Eval {
    let source = read(run, a)?;
    run.load_yaml(&source, trust, a)
}

fn dump_yaml(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let options = Args::new(&a.items[1.min(a.len())..]);
    text(run.to_yaml(&a.get(0), options)?)
}
