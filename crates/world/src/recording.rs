//! A world that notes every question.

use std::io;
use std::sync::Arc;

use crate::program::{Program, RunError};
use crate::record::{Answer, Atom, Kind, Record};
use crate::{NameQuery, NameReply, Opened, Stamp, World, answers};

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

impl Recording<'_> {
    fn note_directory(&self, path: &str, names: &io::Result<Vec<String>>) {
        self.record.note_site_now(|| {
            let answer = answers::of_directory(names, || self.world.list(path));
            Atom::new(Kind::Directory, path, answer)
        });
    }
}

impl World for Recording<'_> {
    fn stamp(&self, path: &str) -> Option<Stamp> {
        let stamp = self.world.stamp(path);
        self.record.note_site_now(|| Atom::new(Kind::Path, path, answers::of_stamp(stamp)));
        stamp
    }

    fn read(&self, path: &str, limit: u64) -> io::Result<Opened> {
        let opened = self.world.read(path, limit);
        match &opened {
            // A digest of the whole file is worked out only if the record is read.
            Ok(opened) => {
                let (path, opened) = (Arc::<str>::from(path), Ok(opened.clone()));
                self.record
                    .note_site(move || Atom::new(Kind::File, path, answers::of_file(&opened)));
            }
            Err(_) => {
                self.record
                    .note_site_now(|| Atom::new(Kind::File, path, answers::of_file(&opened)));
            }
        }
        opened
    }

    fn names(&self, path: &str) -> io::Result<Vec<String>> {
        let names = self.world.names(path);
        self.note_directory(path, &names);
        names
    }

    fn list(&self, path: &str) -> Vec<String> {
        if !self.record.has_site() {
            return self.world.list(path);
        }
        let names = self.world.names(path);
        self.note_directory(path, &names);
        names.unwrap_or_else(|_| self.world.list(path))
    }

    fn resolve(&self, path: &str) -> io::Result<String> {
        let target = self.world.resolve(path);
        self.record.note_site_now(|| Atom::new(Kind::Link, path, answers::of_link(&target)));
        target
    }

    fn has_entry(&self, path: &str) -> io::Result<bool> {
        let has_entry = self.world.has_entry(path);
        self.record.note_site_now(|| Atom::new(Kind::Entry, path, answers::of_entry(&has_entry)));
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

    fn ask_name_server(&self, query: &NameQuery) -> io::Result<NameReply> {
        self.record.note_now(|| {
            let question = format!("{} {}", query.name, query.kind);
            Atom::new(Kind::Name, question, Answer::Volatile)
        });
        self.world.ask_name_server(query)
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
