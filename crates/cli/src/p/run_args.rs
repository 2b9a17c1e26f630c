//! A program and the recorded message that it decides on.

use std::path::PathBuf;

use anyhow::bail;
use bumpalo::Bump;
use kukla_plang::Program;
use kukla_plang::files::Sources;
use kukla_plang::recorded::RecordedServices;
use kukla_plang::reference::{self, Run};
use kukla_plang::services::Services;
use kukla_plang::transaction::Transaction;
use kukla_server::body::Keep;
use kukla_server::services::{BlockingServices, Directory};

use super::message::MessageArgs;
use super::program::{Loaded, PlaceArgs, check_protocol};
use crate::Exit;
use crate::shell::{Shell, Stream};

/// Arguments of `run` and `explain`.
#[derive(Debug, clap::Args)]
pub(super) struct RunArgs {
    /// Program
    program: PathBuf,
    #[command(flatten)]
    message: MessageArgs,
    /// Call network services; without it they give the recorded answers, or fail
    #[arg(long)]
    call: bool,
    #[command(flatten)]
    place: PlaceArgs,
}

impl RunArgs {
    /// Runs the program and prints the text that `describe` returns.
    pub(super) fn run(
        &self,
        shell: &Shell,
        describe: impl FnOnce(&Run<'_>, &Program, &Sources) -> String,
    ) -> anyhow::Result<Exit> {
        let loaded = Loaded::new(&self.program, &self.place.options()?)?;
        let program = loaded.program(shell)?;
        let recorded = self.message.recorded()?;
        check_protocol(program, &loaded.sources, &recorded)?;
        if self.call && recorded.mail.is_some() {
            bail!("network services adapt messages of HTTP: leave out `--call` for a mail");
        }
        let arena = Bump::new();
        let message = recorded.message(&arena);
        let transaction = Transaction::new(&message, &arena, &program.limits);
        let mut services: Box<dyn Services> = match (self.call, &program.registry) {
            (true, Some(registry)) => {
                let directory = Directory::new(registry, &Keep::default())?;
                Box::new(BlockingServices::new(program, directory, &recorded)?)
            }
            _ => Box::new(RecordedServices::new(recorded.metadata.answers.clone())),
        };
        let run = reference::run(program, transaction, &mut *services);
        shell.print(Stream::Output, &describe(&run, program, &loaded.sources))?;
        let is_allowed = run.outcome.verdict(program).is_allowed();
        Ok(if is_allowed { Exit::Success } else { Exit::Findings })
    }
}
