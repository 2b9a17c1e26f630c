//! Compiling in an environment.

use std::sync::Arc;

use kukla_compiler::compile::{Compiled, Request, compile};
use kukla_compiler::log::{Entry, Level};
use kukla_compiler::source::Refusal;
use kukla_compiler::{Failure, Limits, Settings};

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
    pub(crate) fn initial_manifests(&self, main: &Main) -> Result<Manifests, Refusal> {
        match main {
            Main::Environment => self.main_manifests(),
            Main::Code { text, file } => self.code_manifest(text, file),
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
        match self.initial_manifests(main) {
            Ok(manifests) => {
                let library = Arc::<Self>::clone(self);
                compile(library, settings, limits, &manifests, request)
            }
            Err(refusal) => refused(&refusal, request),
        }
    }
}

/// What Puppet says when the initial manifests can't be read.
pub(crate) fn refused(refusal: &Refusal, request: &Request) -> Compiled {
    let failure = Failure::on_node(refusal.clone().into(), &request.node);
    if refusal.is_clash {
        let message = failure.to_string();
        let entry = Entry { level: Level::Err, message, file: None, line: None };
        return failed(failure, entry);
    }
    let place = refusal.place.as_ref();
    let entry = Entry {
        level: Level::Err,
        message: refusal.issue.message().to_owned(),
        file: place.map(|place| Arc::clone(&place.file)).filter(|file| !file.is_empty()),
        line: place.map(|place| place.line).filter(|&line| line > 0),
    };
    let environment = &request.environment;
    failed(failure.after(format!("Could not parse for environment {environment}: ")), entry)
}

fn failed(failure: Failure, entry: Entry) -> Compiled {
    let log = vec![entry];
    Compiled { catalog: Err(failure), log, has_collected: false, profile: Vec::new() }
}
