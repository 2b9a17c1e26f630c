//! Programs as arguments: where they are, and what is known about the place where they run.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow};
use clap::ValueEnum;
use kukla_base::Source;
use kukla_base::render::{FileReport, Kind, text};
use kukla_plang::check::{Checked, Options, Point};
use kukla_plang::{Program, Registry, check_bytes};

use crate::inputs::{STANDARD_INPUT, STANDARD_INPUT_NAME, problem};
use crate::shell::{Shell, Stream};

/// What is known about the place where programs run.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Place {
    /// Where in the exchange the program runs
    #[arg(long, value_enum)]
    point: Option<PointName>,
    /// The registry: services, pools and lists of the deployment
    #[arg(long, value_name = "FILE")]
    services: Option<PathBuf>,
    /// Another limit of steps for a message
    #[arg(long, value_name = "N")]
    max_steps: Option<u64>,
    /// Let a name have no value on some paths; using it there fails
    #[arg(long)]
    lenient: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PointName {
    /// Requests, at a proxy.
    Reqmod,
    /// Responses, at a proxy.
    Respmod,
    /// Requests, in front of a server.
    Server,
}

impl Place {
    /// The options of the checker.
    pub(super) fn options(&self) -> anyhow::Result<Options> {
        let mut options = Options { is_lenient: self.lenient, ..Options::default() };
        options.point = match self.point {
            None => Point::Any,
            Some(PointName::Reqmod | PointName::Server) => Point::Request,
            Some(PointName::Respmod) => Point::Response,
        };
        if let Some(steps) = self.max_steps {
            options.limits.steps = steps;
        }
        if let Some(path) = &self.services {
            let text = String::from_utf8(read(path)?);
            let text = text.with_context(|| format!("`{}` is not in UTF-8", path.display()))?;
            let registry = Registry::parse(&text);
            let context = || format!("can't use `{}`", path.display());
            options.registry = Some(registry.with_context(context)?);
        }
        Ok(options)
    }
}

/// A program that was read and checked.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) source: Source,
    pub(super) checked: Checked,
}

impl Loaded {
    /// Reads and checks a program.
    pub(super) fn new(path: &Path, options: &Options) -> anyhow::Result<Self> {
        let bytes = read(path)?;
        let checked = check_bytes(&bytes, options);
        let name = match path.to_string_lossy() {
            name if name == STANDARD_INPUT => STANDARD_INPUT_NAME.to_owned(),
            name => name.into_owned(),
        };
        let source = Source::new(name, crate::check::lossy(bytes));
        Ok(Self { source, checked })
    }

    /// The program; what is wrong with it is printed.
    pub(super) fn program(&self, shell: &Shell) -> anyhow::Result<&Program> {
        match &self.checked.program {
            Some(program) => Ok(program),
            None => {
                let report = text::render_file(&self.report(), shell.style(Stream::Error));
                shell.print(Stream::Error, &report)?;
                Err(anyhow!("`{}` can't be run", self.source.name()))
            }
        }
    }

    /// What is wrong with it.
    pub(super) fn report(&self) -> FileReport {
        FileReport {
            source: Source::new(self.source.name(), self.source.text()),
            kind: Kind::Rules,
            puppet_file: Some(self.source.name().to_owned()),
            diagnostics: self.checked.diagnostics.clone(),
        }
    }
}

/// The bytes of a file, or of standard input.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let result = if path == Path::new(STANDARD_INPUT) {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        std::fs::read(path)
    };
    result.map_err(|error| anyhow!(problem(&path.to_string_lossy(), &error)))
}
