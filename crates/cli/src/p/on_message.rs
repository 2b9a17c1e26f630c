//! A program and the recorded message that it decides on.

use std::path::PathBuf;

use bumpalo::Bump;
use kukla_plang::Program;
use kukla_plang::files::Sources;
use kukla_plang::reference::{self, Run};
use kukla_plang::services::NoServices;
use kukla_plang::transaction::Transaction;

use super::message::MessageArgs;
use super::program::{Loaded, Place};
use crate::Exit;
use crate::shell::{Shell, Stream};

/// What `run` and `explain` are told.
#[derive(Debug, clap::Args)]
pub(super) struct OnMessage {
    /// The program
    program: PathBuf,
    #[command(flatten)]
    message: MessageArgs,
    #[command(flatten)]
    place: Place,
}

impl OnMessage {
    /// Runs the program and prints what `tell` has to say of it.
    pub(super) fn run(
        &self,
        shell: &Shell,
        tell: impl FnOnce(&Run<'_>, &Program, &Sources) -> String,
    ) -> anyhow::Result<Exit> {
        let loaded = Loaded::new(&self.program, &self.place.options()?)?;
        let program = loaded.program(shell)?;
        let recorded = self.message.recorded()?;
        let arena = Bump::new();
        let message = recorded.message(&arena);
        let transaction = Transaction::new(&message, &arena, &program.limits);
        let run = reference::run(program, transaction, &mut NoServices);
        shell.print(Stream::Output, &tell(&run, program, &loaded.sources))?;
        let is_allowed = run.outcome.verdict(program).is_allowed();
        Ok(if is_allowed { Exit::Success } else { Exit::Findings })
    }
}
