//! A world that notes every question.

use std::io;
use std::sync::Arc;

use kukla_base::Digest;

use crate::program::{Program, RunError};
use crate::record::{Answer, Atom, Kind, Record};
use crate::{FileKind, Opened, Stamp, World};

/// Another world, whose questions and answers are noted in a record.
#[derive(Clone, Copy, Debug)]
pub struct Recording<'a> {
    world: &'a dyn World,
    record: &'a Record,
}

impl<'a> Recording<'a> {
    /// Notes the questions to a world in a record.
    pub fn new(world: &'a dyn World, record: &'a Record) -> Self {
        Self { world, record }
    }

    /// Returns the world whose questions are noted.
    pub const fn world(&self) -> &'a dyn World {
        self.world
    }

    /// Returns the record.
    pub const fn record(&self) -> &'a Record {
        self.record
    }
}

/// Returns the answer that an error is.
fn failed(error: &io::Error) -> Answer {
    match error.kind() {
        io::ErrorKind::NotFound => Answer::Absent,
        _ => Answer::Digest(Digest::of(error.to_string().as_bytes())),
    }
}

impl World for Recording<'_> {
    fn stamp(&self, path: &str) -> Option<Stamp> {
        let stamp = self.world.stamp(path);
        self.record.note_now(|| {
            let answer = match stamp.map(|stamp| stamp.kind) {
                None => Answer::Absent,
                Some(FileKind::File) => Answer::Digest(Digest::of(b"file")),
                Some(FileKind::Directory) => Answer::Digest(Digest::of(b"directory")),
                Some(FileKind::Other) => Answer::Digest(Digest::of(b"other")),
            };
            Atom::new(Kind::Path, path, answer)
        });
        stamp
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Opened> {
        let opened = self.world.read(path, limit);
        match &opened {
            Ok(opened) => {
                let (path, bytes) = (Arc::<str>::from(path), Arc::clone(&opened.bytes));
                self.record
                    .note(move || Atom::new(Kind::File, path, Answer::Digest(Digest::of(&bytes))));
            }
            Err(error) => {
                self.record.note_now(|| Atom::new(Kind::File, path, failed(error)));
            }
        }
        opened
    }

    fn names(&self, path: &str) -> io::Result<Vec<String>> {
        let names = self.world.names(path);
        self.record.note_now(|| {
            let answer = match &names {
                Ok(names) => Answer::Digest(Digest::of(names.join("\0").as_bytes())),
                Err(error) => failed(error),
            };
            Atom::new(Kind::Directory, path, answer)
        });
        names
    }

    fn list(&self, path: &str) -> Vec<String> {
        let names = self.world.list(path);
        self.record.note_now(|| {
            let answer = Answer::Digest(Digest::of(names.join("\0").as_bytes()));
            Atom::new(Kind::Directory, path, answer)
        });
        names
    }

    fn resolve(&self, path: &str) -> io::Result<String> {
        let resolved = self.world.resolve(path);
        self.record.note_now(|| {
            let answer = match &resolved {
                Ok(target) => Answer::Digest(Digest::of(target.as_bytes())),
                Err(error) => failed(error),
            };
            Atom::new(Kind::Link, path, answer)
        });
        resolved
    }

    fn has_entry(&self, path: &str) -> io::Result<bool> {
        let has_entry = self.world.has_entry(path);
        self.record.note_now(|| {
            let answer = match &has_entry {
                Ok(true) => Answer::Digest(Digest::of(b"entry")),
                Ok(false) => Answer::Absent,
                Err(error) => failed(error),
            };
            Atom::new(Kind::Link, path, answer)
        });
        has_entry
    }

    fn now(&self) -> i128 {
        self.record.note_now(|| Atom::new(Kind::Clock, "", Answer::Volatile));
        self.world.now()
    }

    fn random(&self, n: usize) -> io::Result<Vec<u8>> {
        self.record.note_now(|| Atom::new(Kind::Random, "", Answer::Volatile));
        self.world.random(n)
    }

    fn run(&self, program: &Program) -> Result<Vec<u8>, RunError> {
        self.record.note_now(|| {
            let words = [program.path.to_string_lossy().into_owned()];
            let line = words.iter().chain(&program.arguments).cloned().collect::<Vec<_>>();
            Atom::new(Kind::Program, line.join(" "), Answer::Volatile)
        });
        self.world.run(program)
    }
}
