//! Compilation in an environment.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use kukla_compiler::compile::{Compiled, Request, compile};
use kukla_compiler::log::{Entry, Level};
use kukla_compiler::source::Refusal;
use kukla_compiler::{Failure, Fault, Limits, Located, Logged, Strictness, issues};

use kukla_world::{Atom, Kind, Record, Recorded};

use super::answers::code_answer;
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
    /// Returns the manifests to start with.
    pub(crate) fn initial_manifests(
        &self,
        main: &Main,
        record: &Record,
    ) -> Result<Manifests, Refusal> {
        record.replay(&self.opening);
        record.note_site_now(|| Atom::new(Kind::Environment, "", self.environment_answer()));
        match main {
            Main::Environment => self.main_manifests(record),
            Main::Code { text, file } => {
                let name = file.as_str();
                record.note_now(|| Atom::new(Kind::Code, name, code_answer(main, name)));
                self.code_manifest(text, file)
            }
        }
    }

    /// Compiles a catalog.
    pub fn compile(
        self: &Arc<Self>,
        main: &Main,
        strictness: Strictness,
        limits: Limits,
        request: &Request,
    ) -> Compiled {
        // All state that a compilation changes belongs to it and is dropped with it: no partial state survives a panic.
        let compiled = catch_unwind(AssertUnwindSafe(|| {
            self.compile_unguarded(main, strictness, limits, request)
        }));
        compiled.unwrap_or_else(|panic| panicked(&*panic, request))
    }

    fn compile_unguarded(
        self: &Arc<Self>,
        main: &Main,
        strictness: Strictness,
        limits: Limits,
        request: &Request,
    ) -> Compiled {
        let record = match (request.is_recorded, request.is_repeatable) {
            (true, _) => Record::on(),
            (false, true) => Record::of_request(),
            (false, false) => Record::off(),
        };
        match self.initial_manifests(main, &record) {
            Ok(manifests) => {
                let library = Arc::<Self>::clone(self);
                compile(library, strictness, limits, &manifests, request, record)
            }
            Err(refusal) => Compiled { inputs: record.finish(), ..refused(&refusal, request) },
        }
    }
}

/// Returns Puppet's error for initial manifests that can't be read.
pub(crate) fn refused(refusal: &Refusal, request: &Request) -> Compiled {
    let failure = Failure::on_node(Fault::from(refusal.clone()), &request.node);
    if refusal.is_clash {
        let message = failure.to_string();
        let entry = Entry::new(Level::Err, message);
        return failed(failure, entry);
    }
    let environment = &request.environment;
    let failure = failure.after(format!("Could not parse for environment {environment}: "));
    let entry = match &refusal.place {
        Some(place) => Entry {
            file: Some(Arc::clone(&place.file)).filter(|file| !file.is_empty()),
            line: Some(place.line).filter(|&line| line > 0),
            ..Entry::new(Level::Err, refusal.issue.message().to_owned())
        },
        // Puppet does not attribute an error without a location to the parser.
        None => Entry::new(Level::Err, failure.to_string()),
    };
    failed(failure, entry)
}

/// Returns the outcome of a compilation that panicked: it fails, and the process continues.
fn panicked(panic: &(dyn Any + Send), request: &Request) -> Compiled {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("no message");
    let fault = Fault::new(issues::internal_error(text), Located::Nowhere(Logged::Inside));
    let failure = Failure::on_node(fault, &request.node);
    let message = failure.to_string();
    failed(failure, Entry::new(Level::Err, message))
}

fn failed(failure: Failure, entry: Entry) -> Compiled {
    let log = vec![entry];
    Compiled {
        catalog: Err(failure),
        log,
        has_collected: false,
        profile: Vec::new(),
        inputs: Recorded::default(),
    }
}
