//! Methods of `Kernel`, among them `require`, and methods of constants that no file defines.

use std::rc::Rc;

use super::value::{Closure, Frame, Value};
use super::{Jump, Reader};

impl Reader<'_> {
    /// Calls a method of `Kernel` without a receiver; `None` if `name` is not one.
    pub(super) fn kernel(
        &mut self,
        name: &str,
        args: &[Value],
        block: Option<&Rc<Closure>>,
        line: u32,
        frame: &Frame,
    ) -> Result<Option<Value>, Jump> {
        Ok(Some(match (name, args) {
            ("require" | "load", [path]) => {
                self.require(path);
                Value::Bool(true)
            }
            ("require_relative", [path]) => {
                if let Some(path) = path.text() {
                    let here = parent(&frame.path);
                    self.require(&Value::str(&expand(path, here)));
                }
                Value::Bool(true)
            }
            ("raise" | "fail" | "abort", _) => return Err(Jump::Raise),
            ("lambda" | "proc", []) => {
                block.map_or(Value::Unknown, |block| Value::Proc(Rc::clone(block)))
            }
            ("__dir__", []) => Value::str(parent(&frame.path)),
            ("loop", []) => match block {
                Some(block) => {
                    self.perhaps(line, frame, |this| this.call_block(block, Vec::new(), None))?
                }
                None => Value::Unknown,
            },
            ("block_given?", []) => {
                Value::Bool(frame.method.as_ref().is_some_and(|running| running.block.is_some()))
            }
            ("Array", [value]) => match value {
                Value::Nil => Value::array(Vec::new()),
                Value::Array(_) | Value::Unknown => value.clone(),
                _ => Value::array(vec![value.clone()]),
            },
            _ => return Ok(None),
        }))
    }

    /// Reads another file, if a module has it. Files of Ruby and Puppet are skipped: they declare nothing here.
    fn require(&mut self, path: &Value) {
        let Some(path) = path.text() else { return };
        let file = match path.ends_with(".rb") {
            true => path.to_string(),
            false => format!("{path}.rb"),
        };
        let source = match file.starts_with('/') {
            true => self.sources.open(&expand(&file, "/")),
            false => self.sources.find(&file),
        };
        if let Some(source) = source {
            self.run(&source.path, &source.text);
        }
    }

    /// Calls a method of a constant that no file defines; `None` if it is not implemented.
    pub(super) fn send_const(
        &mut self,
        path: &str,
        name: &str,
        args: &[Value],
        block: Option<&Rc<Closure>>,
        line: u32,
        frame: &Frame,
    ) -> Result<Option<Value>, Jump> {
        let texts = || args.iter().map(Value::text).collect::<Option<Vec<_>>>();
        Ok(match (path, name) {
            ("Puppet::Type" | "Puppet", "newtype") => {
                Some(self.new_type(args, block, line, frame)?)
            }
            ("Puppet::Type", "type") => args.first().and_then(Value::text).and_then(|name| {
                let declares_it = |module: &super::Module| {
                    module.draft.as_ref().is_some_and(|draft| draft.name == *name)
                };
                let index = self.modules.iter().rposition(declares_it)?;
                Some(Value::Module(super::ModuleId(index)))
            }),
            ("Puppet::ResourceApi", "register_type") => Some(self.register_type(args, line, frame)),
            ("File", "join") => texts().map(|parts| {
                let parts: Vec<&str> = parts.iter().map(|part| &***part).collect();
                Value::str(&parts.join("/").replace("//", "/"))
            }),
            ("File", "dirname") => {
                texts().and_then(|parts| Some(Value::str(parent(parts.first()?))))
            }
            ("File", "basename") => texts().and_then(|parts| {
                let file = parts.first()?.rsplit('/').next()?;
                let end = parts.get(1).map_or("", |end| &***end);
                let end = if end == ".*" { ".rb" } else { end };
                Some(Value::str(file.strip_suffix(end).unwrap_or(file)))
            }),
            ("File", "expand_path" | "absolute_path" | "realpath") => texts().and_then(|parts| {
                let base = parts.get(1).map_or("/", |base| &***base);
                Some(Value::str(&expand(parts.first()?, base)))
            }),
            ("Proc", "new") => block.map(|block| Value::Proc(Rc::clone(block))),
            ("Pathname", "new") => {
                texts().and_then(|parts| Some(Value::Path(Rc::clone(parts.first()?))))
            }
            ("Regexp", "new") => match args.first() {
                Some(regex @ Value::Regex(..)) => Some(regex.clone()),
                Some(Value::Str(source)) if args.len() == 1 => {
                    Some(Value::Regex(Rc::clone(source), kukla_regex::Options::default()))
                }
                _ => None,
            },
            _ => None,
        })
    }
}

/// Returns the directory of a path.
pub(super) fn parent(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((parent, _)) => parent,
        None => ".",
    }
}

/// Resolves a path like Ruby's `File.expand_path`.
pub(super) fn expand(path: &str, base: &str) -> String {
    let whole = if path.starts_with('/') { path.to_owned() } else { format!("{base}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}
