//! `Pathname`: operations on the text of a path, and questions to the host.

use std::rc::Rc;

use ecow::EcoString;

use super::files;
use crate::class::{Class, Data, Object};
use crate::methods::table::{Builtin, method};
use crate::methods::tools::{text, yes};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

/// The methods of `Pathname` itself.
pub(crate) static CLASS: &[Builtin<Rc<Class>>] = &[method("new", new).arity(1, 1)];

/// The methods of a path.
pub(crate) static METHODS: &[Builtin<EcoString>] = &[
    method("to_s", |_, this, _| text(this.clone())),
    method("to_path", |_, this, _| text(this.clone())),
    method("inspect", |_, this, _| text(format!("#<Pathname:{this}>"))),
    method("cleanpath", |run, this: &EcoString, _| path(run, &clean(this))).arity(0, 0),
    method("basename", |run, this: &EcoString, _| path(run, files::basename(this))).arity(0, 0),
    method("dirname", |run, this: &EcoString, _| path(run, files::dirname(this))).arity(0, 0),
    method("parent", |run, this: &EcoString, _| path(run, &clean(&format!("{this}/.."))))
        .arity(0, 0),
    method("absolute?", |_, this, _| yes(this.starts_with('/'))),
    method("relative?", |_, this, _| yes(!this.starts_with('/'))),
    method("exist?", |run, this, _| yes(run.host.file_exists(this))),
    method("readable?", |run, this, _| yes(run.host.file_exists(this))),
    method("directory?", |run, this, _| yes(run.host.is_directory(this))),
    method("file?", |run, this, _| yes(run.host.file_exists(this) && !run.host.is_directory(this))),
    method("read", read).arity(0, 0),
];

fn new(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let name = run.text_arg(&a.get(0))?;
    path(run, &name)
}

fn read(run: &mut Run<'_>, this: &EcoString, _a: Args<'_>) -> Eval {
    let contents = run.host.read_file(this);
    let contents = run.from_host(contents)?;
    run.charge(contents.len())?;
    text(contents)
}

fn path(run: &mut Run<'_>, name: &str) -> Eval {
    let class = run.class_named("Pathname");
    Ok(RubyValue::Object(Rc::new(Object::new(class, Data::Path(name.into())))))
}

/// Returns a path without `.`, `..` and repeated slashes, as far as its text tells.
fn clean(path: &str) -> String {
    let is_absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => (),
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if is_absolute => (),
            part => parts.push(part),
        }
    }
    match (is_absolute, parts.is_empty()) {
        (true, _) => format!("/{}", parts.join("/")),
        (false, true) => ".".to_owned(),
        (false, false) => parts.join("/"),
    }
}
