//! Current answers of a snapshot to recorded questions.
//!
//! If no answer in a record has changed, the catalog has not changed either, and the compilation is skipped.

use kukla_base::Digest;
use kukla_compiler::Strictness;
use kukla_compiler::compile::Request;
use kukla_world::{Answer, Atom, Kind, answer};

use super::{Main, Snapshot};

impl Snapshot {
    /// Returns the first question of a record whose answer has changed for this request; `None` if all answers are the
    /// same. Volatile answers always count as changed.
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

    /// Returns the current answer to a recorded question.
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
                // All other kinds are handled above.
                .unwrap_or(Answer::Volatile),
        }
    }

    /// Returns the digest of the paths of the environment and of the options for reading its files.
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
