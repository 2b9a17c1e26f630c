//! Compiling in an environment.

use std::sync::Arc;

use kukla_compiler::compile::{Compiled, Request, compile};
use kukla_compiler::log::{Entry, Level};
use kukla_compiler::source::Refusal;
use kukla_compiler::{Limits, Settings};

use kukla_base::Digest;
use kukla_world::{Answer, Atom, Kind, Record};

use super::{Manifests, Snapshot};

/// The program to start with.
#[derive(Clone, Debug, Default)]
pub enum Main {
    /// The environment's own manifests.
    #[default]
    Environment,
    /// A text.
    Code {
        /// The program.
        text: String,
        /// The name of its file; empty if it has none.
        file: String,
    },
}

impl Snapshot {
    /// What the program to start with says.
    pub(crate) fn initial_manifests(
        &self,
        main: &Main,
        record: &Record,
    ) -> Result<Manifests, Refusal> {
        record.replay(&self.opening);
        match main {
            Main::Environment => self.main_manifests(record),
            Main::Code { text, file } => {
                record.note_now(|| {
                    Atom::new(
                        Kind::Code,
                        file.as_str(),
                        Answer::Digest(Digest::of(text.as_bytes())),
                    )
                });
                self.code_manifest(text, file)
            }
        }
    }

    /// Compiles a catalog.
    pub fn compile(
        self: &Arc<Self>,
        main: &Main,
        settings: Settings,
        limits: Limits,
        request: &Request,
    ) -> Compiled {
        let record = if request.is_recorded { Record::on() } else { Record::off() };
        match self.initial_manifests(main, &record) {
            Ok(manifests) => {
                let library = Arc::<Self>::clone(self);
                compile(library, settings, limits, &manifests, request, record)
            }
            Err(refusal) => Compiled { inputs: record.finish(), ..refused(&refusal, request) },
        }
    }
}

/// What Puppet says when the initial manifests can't be read.
pub(crate) fn refused(refusal: &Refusal, request: &Request) -> Compiled {
    let (environment, node) = (&request.environment, &request.node);
    if refusal.is_clash {
        let message = format!("{refusal} on node {node}");
        let entry = Entry { level: Level::Err, message: message.clone(), file: None, line: None };
        return failed(message, entry);
    }
    let text = format!("Could not parse for environment {environment}: {refusal}");
    let place = refusal.place.as_ref();
    let entry = Entry {
        level: Level::Err,
        message: refusal.message.clone(),
        file: place.map(|place| Arc::clone(&place.file)).filter(|file| !file.is_empty()),
        line: place.map(|place| place.line).filter(|&line| line > 0),
    };
    failed(format!("{text} on node {node}"), entry)
}

fn failed(message: String, entry: Entry) -> Compiled {
    let log = vec![entry];
    Compiled {
        catalog: Err(message),
        log,
        has_collected: false,
        profile: Vec::new(),
        inputs: Vec::new(),
    }
}
