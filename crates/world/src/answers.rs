//! Answers to questions about files, as records keep them.

use std::io;

use kukla_base::Digest;

use crate::record::{Answer, Atom, Kind};
use crate::{FileKind, MAX_FILE, Opened, Stamp, World};

/// Returns the answer that a world gives to a recorded question; `None` if the question is not about the machine.
///
/// A file that was refused because it is larger than its reader accepts has another answer here: its content.
pub fn answer(world: &dyn World, atom: &Atom) -> Option<Answer> {
    let path = &*atom.name;
    Some(match atom.kind {
        Kind::File => of_file(&world.read(path, MAX_FILE)),
        Kind::Path => of_stamp(world.stamp(path)),
        Kind::Link => of_link(&world.resolve(path)),
        Kind::Entry => of_entry(&world.has_entry(path)),
        Kind::Directory => of_directory(&world.names(path), || world.list(path)),
        Kind::Clock | Kind::Random | Kind::Program | Kind::Name | Kind::Ruby => Answer::Volatile,
        _ => return None,
    })
}

fn digest(bytes: &[u8]) -> Answer {
    Answer::Digest(Digest::of(bytes))
}

/// Returns the answer that an error is.
fn of_error(error: &io::Error) -> Answer {
    match error.kind() {
        io::ErrorKind::NotFound => Answer::Absent,
        _ => digest(format!("error {error}").as_bytes()),
    }
}

pub(crate) fn of_file(opened: &io::Result<Opened>) -> Answer {
    match opened {
        Ok(opened) => digest(&opened.bytes),
        Err(error) => of_error(error),
    }
}

pub(crate) fn of_stamp(stamp: Option<Stamp>) -> Answer {
    match stamp.map(|stamp| stamp.kind) {
        None => Answer::Absent,
        Some(FileKind::File) => digest(b"file"),
        Some(FileKind::Directory) => digest(b"directory"),
        Some(FileKind::Other) => digest(b"other"),
    }
}

pub(crate) fn of_link(target: &io::Result<String>) -> Answer {
    match target {
        Ok(target) => digest(target.as_bytes()),
        Err(error) => of_error(error),
    }
}

pub(crate) fn of_entry(has_entry: &io::Result<bool>) -> Answer {
    match has_entry {
        Ok(true) => digest(b"entry"),
        Ok(false) => Answer::Absent,
        Err(error) => of_error(error),
    }
}

/// Returns one answer for both ways to list a directory: `list` gives the names that are UTF-8 where `names` fails.
pub(crate) fn of_directory(
    names: &io::Result<Vec<String>>,
    list: impl FnOnce() -> Vec<String>,
) -> Answer {
    match names {
        Ok(names) => digest(names.join("\0").as_bytes()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Answer::Absent,
        Err(error) => digest(format!("error {error}\0{}", list().join("\0")).as_bytes()),
    }
}
