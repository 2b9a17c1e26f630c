//! Open files. A file is read whole when it is opened, and written whole when its block ends.

use std::rc::Rc;

use crate::class::{Class, Data, Object};
use crate::methods::table::{Builtin, method};
use crate::methods::tools::{list, text, yes};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

/// A file that code has opened.
#[derive(Clone)]
pub(crate) struct OpenFile {
    path: String,
    /// The content: what was read, or what is to be written.
    content: String,
    /// The position of the next read in bytes.
    at: usize,
    is_written: bool,
    is_closed: bool,
}

/// The methods of an open file.
pub(crate) static METHODS: &[Builtin<Rc<Object>>] = &[
    method("read", read).arity(0, 0),
    method("readlines", lines).arity(0, 0),
    method("each_line", each_line).arity(0, 0),
    method("each", each_line).arity(0, 0),
    method("gets", gets).arity(0, 0),
    method("write", write),
    method("print", |run, this, a| write(run, this, a).map(|_| RubyValue::Nil)),
    method("<<", |run, this, a| {
        write(run, this, a)?;
        Ok(RubyValue::Object(Rc::clone(this)))
    })
    .arity(1, 1),
    method("puts", puts),
    method("path", |run, this, _| text(opened(run, this)?.path)),
    method("to_path", |run, this, _| text(opened(run, this)?.path)),
    method("close", close),
    method("closed?", |run, this, _| yes(opened(run, this)?.is_closed)),
    method("eof?", |run, this, _| {
        let file = opened(run, this)?;
        yes(file.at >= file.content.len())
    }),
    method("flush", |_, this, _| Ok(RubyValue::Object(Rc::clone(this)))),
];

/// `File.open(path, mode)`, with or without a block
pub(crate) fn open(run: &mut Run<'_>, this: &Rc<Class>, a: Args<'_>) -> Eval {
    let path = run.text_arg(&a.get(0))?.to_string();
    let mode = match a.items.get(1) {
        None | Some(RubyValue::Hash(_)) => "r".into(),
        Some(mode) => mode.as_text().unwrap_or_default(),
    };
    let is_written = match mode.split(':').next().unwrap_or_default() {
        "r" | "rt" if a.len() < 3 => false,
        "w" | "wt" if a.block.is_some() => true,
        _ => return run.unsupported("File.open with such a mode"),
    };
    let content = match is_written {
        true => String::new(),
        false => {
            let content = run.host.read_file(&path);
            run.from_host(content)?
        }
    };
    run.charge(content.len())?;
    let file = OpenFile { path, content, at: 0, is_written, is_closed: false };
    let object = run.new_object(this, Data::File(Box::new(file)));
    let Some(block) = a.block else { return Ok(RubyValue::Object(object)) };
    let value = run.yield1(block, &RubyValue::Object(Rc::clone(&object)))?;
    close(run, &object, Args::new(&[]))?;
    Ok(value)
}

/// `File.write(path, text)`
pub(crate) fn write_file(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let path = run.text_arg(&a.get(0))?;
    let content = run.bytes_arg(&a.get(1))?;
    run.save(&path, &content)?;
    Ok(RubyValue::Int(i64::try_from(content.len()).unwrap_or_default()))
}

/// `FileUtils.mkdir_p(path)`, `Dir.mkdir(path)`
pub(crate) fn make_directory(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let path = run.text_arg(&a.get(0))?;
    if run.host.is_directory(&path) {
        return Ok(RubyValue::array(vec![RubyValue::str(path)]));
    }
    let Some(made) = run.host.make_directory(&path) else {
        return run.unsupported(format!("a directory outside of vardir: {path}"));
    };
    run.vm.has_acted = true;
    run.from_host(made)?;
    list(vec![RubyValue::str(path)])
}

/// `File.chown(user, nil, path)`
pub(crate) fn give(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let (Ok(user), true) = (u32::try_from(run.int_arg(&a.get(0))?), a.get(1).is_nil()) else {
        return run.unsupported("File.chown with a group");
    };
    for path in &a.items[2.min(a.len())..] {
        let path = run.text_arg(path)?;
        let Some(given) = run.host.set_owner(&path, user) else {
            return run.unsupported(format!("File.chown outside of vardir: {path}"));
        };
        run.vm.has_acted = true;
        run.from_host(given)?;
    }
    Ok(RubyValue::Int(i64::try_from(a.len()).unwrap_or(2) - 2))
}

/// `File.stat(path)`, of which only the owner is known
pub(crate) fn status(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let path = run.text_arg(&a.get(0))?;
    match run.host.owner(&path) {
        Some(owner) => {
            let class = run.class_named("File::Stat");
            Ok(RubyValue::Object(run.new_object(&class, Data::Owner(owner))))
        }
        None => run
            .raise("Errno::ENOENT", format!("No such file or directory @ rb_file_s_stat - {path}")),
    }
}

/// The methods of `File::Stat`.
pub(crate) static STATUS: &[Builtin<u32>] =
    &[method("uid", |_, this, _| Ok(RubyValue::Int(i64::from(*this))))];

fn opened(run: &mut Run<'_>, this: &Object) -> Eval<OpenFile> {
    match &*this.data.borrow() {
        Data::File(file) => Ok((**file).clone()),
        _ => run.unsupported("such a file"),
    }
}

/// Returns the content that was not read yet.
fn rest(run: &mut Run<'_>, this: &Object) -> Eval<String> {
    let text = match &mut *this.data.borrow_mut() {
        Data::File(file) if !file.is_written && !file.is_closed => {
            let start = std::mem::replace(&mut file.at, file.content.len());
            Some(file.content.get(start..).unwrap_or_default().to_owned())
        }
        _ => None,
    };
    match text {
        Some(text) => Ok(text),
        None => run.raise("IOError", "not opened for reading"),
    }
}

fn read(run: &mut Run<'_>, this: &Rc<Object>, _a: Args<'_>) -> Eval {
    text(rest(run, this)?)
}

fn lines(run: &mut Run<'_>, this: &Rc<Object>, _a: Args<'_>) -> Eval {
    let rest = rest(run, this)?;
    run.call(&RubyValue::str(rest), "lines", &[])
}

fn each_line(run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    let Some(block) = a.block else { return run.unsupported("each_line without a block") };
    let lines = lines(run, this, Args::new(&[]))?;
    for line in run.items_of(&lines)? {
        run.yield1(block, &line)?;
    }
    Ok(RubyValue::Object(Rc::clone(this)))
}

fn gets(run: &mut Run<'_>, this: &Rc<Object>, _a: Args<'_>) -> Eval {
    let whole = rest(run, this)?;
    let length = whole.find('\n').map_or(whole.len(), |at| at + 1);
    if let Data::File(file) = &mut *this.data.borrow_mut() {
        file.at -= whole.len() - length;
    }
    match length {
        0 => Ok(RubyValue::Nil),
        _ => text(&whole[..length]),
    }
}

fn write(run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    let mut length = 0;
    for item in a.items {
        let more = run.to_s(item)?;
        length += more.len();
        run.append_to_file(this, &more)?;
    }
    Ok(RubyValue::Int(i64::try_from(length).unwrap_or_default()))
}

fn puts(run: &mut Run<'_>, this: &Rc<Object>, a: Args<'_>) -> Eval {
    if a.is_empty() {
        run.append_to_file(this, "\n")?;
    }
    for item in run.flatten(a.items, -1)?.0 {
        let line = run.to_s(&item)?;
        run.append_to_file(this, &line)?;
        if !line.ends_with('\n') {
            run.append_to_file(this, "\n")?;
        }
    }
    Ok(RubyValue::Nil)
}

/// Writes the content to disk, once.
fn close(run: &mut Run<'_>, this: &Rc<Object>, _a: Args<'_>) -> Eval {
    let file = opened(run, this)?;
    if let Data::File(file) = &mut *this.data.borrow_mut() {
        file.is_closed = true;
    }
    if file.is_written && !file.is_closed {
        run.save(&file.path, file.content.as_bytes())?;
    }
    Ok(RubyValue::Nil)
}

impl Run<'_> {
    fn append_to_file(&mut self, file: &Object, text: &str) -> Eval<()> {
        self.charge(text.len())?;
        match &mut *file.data.borrow_mut() {
            Data::File(file) if file.is_written && !file.is_closed => file.content.push_str(text),
            _ => return self.raise("IOError", "not opened for writing"),
        }
        Ok(())
    }

    fn save(&mut self, path: &str, content: &[u8]) -> Eval<()> {
        let Some(written) = self.host.write_file(path, content) else {
            return self.unsupported(format!("a file outside of vardir: {path}"));
        };
        self.vm.has_acted = true;
        self.from_host(written)
    }

    /// Returns the text of a string or of the rest of an open file.
    pub(crate) fn source_arg(&mut self, value: &RubyValue) -> Eval<ecow::EcoString> {
        match value {
            RubyValue::Object(object) if matches!(*object.data.borrow(), Data::File(_)) => {
                Ok(rest(self, object)?.into())
            }
            other => self.text_arg(other),
        }
    }
}
