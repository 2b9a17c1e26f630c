//! Answers to recorded questions, as a snapshot gives them now.
//!
//! If none of the answers of a record has changed, the catalog has not changed either, and need not be compiled.

use kukla_base::Digest;
use kukla_compiler::Strictness;
use kukla_compiler::compile::Request;
use kukla_world::{Answer, Atom, Kind, answer};

use super::{Main, Snapshot};

impl Snapshot {
    /// Returns the first question of a record whose answer is another one for this request; `None` if all are as they
    /// were. What is volatile may always be another one.
    pub fn first_change<'r>(
        &self,
        main: &Main,
        strictness: Strictness,
        request: &Request,
        record: &'r [Atom],
    ) -> Option<&'r Atom> {
        record.iter().find(|atom| {
            let now = self.answer(main, strictness, request, atom);
            now != atom.answer || now == Answer::Volatile
        })
    }

    /// Returns the present answer to a recorded question.
    pub fn answer(
        &self,
        main: &Main,
        strictness: Strictness,
        request: &Request,
        atom: &Atom,
    ) -> Answer {
        match atom.kind {
            Kind::Environment => self.environment_answer(),
            Kind::Module => self.module_answer(&atom.name),
            Kind::Code => code_answer(main, &atom.name),
            _ => answer(&*self.world, atom)
                .or_else(|| self.data.answer(atom))
                .or_else(|| request.answer(strictness, atom))
                // No other kind is left.
                .unwrap_or(Answer::Volatile),
        }
    }

    /// Returns the digest of everything that says where the environment is and how its files are read.
    pub(super) fn environment_answer(&self) -> Answer {
        let options = &self.options;
        let paths =
            [&options.hiera_config, &options.codedir, &options.datalocation, &options.datalibrary];
        let rules = (&options.name, options.strict, options.xpp, options.ruby_worker);
        digest(&format!("{:?} {paths:?} {rules:?}", self.environment))
    }

    pub(super) fn module_answer(&self, name: &str) -> Answer {
        let module = self.module_named(name);
        module.map_or(Answer::Absent, |module| digest(&module.path.to_string_lossy()))
    }
}

/// Returns the digest of a program that is compiled in place of the environment's own.
pub(super) fn code_answer(main: &Main, name: &str) -> Answer {
    match main {
        Main::Code { text, file } if file == name => digest(text),
        _ => Answer::Absent,
    }
}

fn digest(text: &str) -> Answer {
    Answer::Digest(Digest::of(text.as_bytes()))
}
