//! `File`: operations on paths; the content of files comes from the host.

use std::rc::Rc;

use super::io;
use crate::class::Class;
use crate::methods::table::{Builtin, method};
use crate::methods::tools::{list, text, yes};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

/// The methods of `File` itself.
pub(crate) static METHODS: &[Builtin<Rc<Class>>] = &[
    method("basename", base_name),
    method("dirname", directory),
    method("extname", extname),
    method("join", join),
    method("split", split),
    method("expand_path", expand_path),
    method("absolute_path", expand_path),
    method("exist?", exists),
    method("exists?", exists),
    method("file?", is_file),
    method("directory?", is_directory),
    method("readable?", exists),
    method("read", |run, _, a| text(read(run, a)?)),
    method("binread", read_bytes).arity(1, 1),
    method("readlines", read_lines),
    method("open", io::open),
    method("write", io::write_file).arity(2, 2),
    method("chown", io::give),
    method("stat", io::status).arity(1, 1),
];

/// The methods of `FileUtils`.
pub(crate) static UTILS: &[Builtin<Rc<Class>>] = &[
    method("mkdir_p", io::make_directory).arity(1, 1),
    method("makedirs", io::make_directory).arity(1, 1),
];

/// The methods of `Puppet::FileSystem`.
pub(crate) static FILE_SYSTEM: &[Builtin<Rc<Class>>] = &[
    method("exist?", exists).arity(1, 1),
    method("file?", is_file).arity(1, 1),
    method("directory?", is_directory).arity(1, 1),
    method("dir_exist?", parent_exists).arity(1, 1),
    method("readable?", exists).arity(1, 1),
    method("read", |run, _, a| text(read(run, a)?)),
    method("read_preserve_line_endings", |run, _, a| text(read(run, a)?)).arity(1, 1),
    method("binread", read_bytes).arity(1, 1),
    method("basename_string", base_name).arity(1, 1),
];

fn base_name(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let path = run.text_arg(&a.get(0))?;
    let base = basename(&path);
    let suffix = if a.len() > 1 { run.text_arg(&a.items[1])? } else { "".into() };
    text(match suffix.as_str() {
        ".*" => base.rfind('.').filter(|&at| at > 0).map_or(base, |at| &base[..at]),
        suffix if base != suffix => base.strip_suffix(suffix).unwrap_or(base),
        _ => base,
    })
}

fn directory(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let path = run.text_arg(&a.get(0))?;
    text(dirname(&path))
}

fn extname(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let path = run.text_arg(&a.get(0))?;
    let base = basename(&path).trim_start_matches('.');
    text(match base.rfind('.') {
        Some(at) if at > 0 && at + 1 < base.len() => &base[at..],
        Some(at) if at > 0 => &base[at..],
        _ => "",
    })
}

fn join(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let (parts, _) = run.flatten(a.items, -1)?;
    let mut joined = String::new();
    for (index, part) in parts.iter().enumerate() {
        let part = run.text_arg(part)?;
        if index > 0 {
            match (joined.ends_with('/'), part.starts_with('/')) {
                (true, true) => joined.truncate(joined.trim_end_matches('/').len()),
                (false, false) => joined.push('/'),
                _ => (),
            }
        }
        joined.push_str(&part);
    }
    text(joined)
}

fn split(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let path = run.text_arg(&a.get(0))?;
    let parts = vec![RubyValue::str(dirname(&path)), RubyValue::str(basename(&path))];
    list(parts)
}

fn expand_path(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let path = run.text_arg(&a.get(0))?;
    let base = if a.len() > 1 { run.text_arg(&a.items[1])? } else { "".into() };
    if path.starts_with('~') || !(path.starts_with('/') || base.starts_with('/')) {
        return run.unsupported("relative paths");
    }
    let whole = if path.starts_with('/') { path } else { ecow::eco_format!("{base}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => (),
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    text(format!("/{}", parts.join("/")))
}

fn exists(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let path = run.text_arg(&a.get(0))?;
    yes(run.host.file_exists(&path))
}

fn is_file(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let path = run.text_arg(&a.get(0))?;
    yes(run.host.file_exists(&path) && !run.host.is_directory(&path))
}

fn is_directory(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let path = run.text_arg(&a.get(0))?;
    yes(run.host.is_directory(&path))
}

/// `Puppet::FileSystem.dir_exist?`, which asks for the directory that contains the path
fn parent_exists(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let path = run.text_arg(&a.get(0))?;
    yes(run.host.file_exists(dirname(&path)))
}

fn read_bytes(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let path = run.text_arg(&a.get(0))?;
    let contents = run.host.read_bytes(&path);
    let contents = run.from_host(contents)?;
    run.charge(contents.len())?;
    Ok(run.bytes(contents))
}

/// Returns the content of a file; an encoding argument is ignored, since all text is UTF-8.
fn read(run: &mut Run<'_>, a: Args<'_>) -> Eval<String> {
    let is_encoding = |value: &RubyValue| match value {
        RubyValue::Hash(map) => {
            let names = map.entries.borrow();
            names.keys().all(|key| matches!(key.0.as_name().as_deref(), Some("encoding" | "mode")))
        }
        _ => false,
    };
    if a.len() > 2 || a.items.get(1).is_some_and(|options| !is_encoding(options)) {
        return run.unsupported("options of File.read");
    }
    let path = run.text_arg(&a.get(0))?;
    let contents = run.host.read_file(&path);
    let contents = run.from_host(contents)?;
    run.charge(contents.len())?;
    Ok(contents)
}

fn read_lines(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let contents = read(run, a)?;
    run.call(&RubyValue::str(contents), "lines", &[])
}

fn basename(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() && !path.is_empty() {
        return "/";
    }
    trimmed.rsplit('/').next().unwrap_or(trimmed)
}

fn dirname(path: &str) -> &str {
    let trimmed = path.trim_end_matches('/');
    if trimmed.is_empty() {
        return if path.is_empty() { "." } else { "/" };
    }
    match trimmed.rfind('/') {
        None => ".",
        Some(at) => {
            let above = trimmed[..at].trim_end_matches('/');
            if above.is_empty() { "/" } else { above }
        }
    }
}
