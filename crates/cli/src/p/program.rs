//! Programs as arguments, and the settings of the place where they run.

use kukla_world::files;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail};
use clap::ValueEnum;
use kukla_base::render::{FileReport, Kind, text};
use kukla_base::{Diagnostic, Source};
use kukla_plang::check::{Checked, Options, Point};
use kukla_plang::files::Sources;
use kukla_plang::recorded::Recorded;
use kukla_plang::services::ServiceAnswer;
use kukla_plang::{Program, check_bytes};

use kukla_server::files::Folder;
use kukla_server::services::Overrides;

use crate::inputs::{STANDARD_INPUT, STANDARD_INPUT_NAME, problem};
use crate::shell::{Shell, Stream};

/// Settings of the place where programs run.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct PlaceArgs {
    /// Phase of the exchange in which the program runs
    #[arg(long, value_enum)]
    point: Option<PointName>,
    /// Registry: services, pools and lists of the deployment
    #[arg(long, value_name = "FILE")]
    services: Option<PathBuf>,
    /// Set the answer of a service, overriding the registry: FILE is a message, `unchanged` or `fails`
    #[arg(long = "service", value_name = "URI=FILE")]
    canned: Vec<String>,
    /// Limit of steps per message
    #[arg(long, value_name = "N")]
    max_steps: Option<u64>,
    /// Allow names without a value on some paths; using one there fails
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
    /// Mails.
    Mail,
}

impl PlaceArgs {
    /// Returns the options of the checker.
    pub(super) fn options(&self) -> anyhow::Result<Options> {
        let mut options = Options { is_lenient: self.lenient, ..Options::default() };
        options.point = match self.point {
            None => Point::Any,
            Some(PointName::Reqmod | PointName::Server) => Point::Request,
            Some(PointName::Respmod) => Point::Response,
            Some(PointName::Mail) => Point::Mail,
        };
        if let Some(steps) = self.max_steps {
            options.limits.steps = steps;
        }
        if let Some(path) = &self.services {
            options.registry = Some(super::services::registry(path)?);
        }
        let overrides = self.overrides(None)?;
        if !overrides.canned.is_empty() {
            overrides.apply(options.registry.get_or_insert_default());
        }
        Ok(options)
    }

    /// Returns the parts of the registry that are not in its file.
    pub(super) fn overrides(&self, pools: Option<Vec<String>>) -> anyhow::Result<Overrides> {
        let canned = self.canned.iter().map(|text| canned_service(text));
        let canned: anyhow::Result<Vec<_>> =
            canned.map(|canned| canned.map(|(uri, answer)| (uri.to_owned(), answer))).collect();
        Ok(Overrides { pools, canned: canned? })
    }

    /// Returns the file of the registry.
    pub(super) fn services(&self) -> Option<&Path> {
        self.services.as_deref()
    }
}

/// Parses `URI=FILE`.
fn canned_service(text: &str) -> anyhow::Result<(&str, ServiceAnswer)> {
    // A URI may contain `=`, a file name rarely does.
    let (uri, file) = text.rsplit_once('=').with_context(|| format!("`{text}` is not URI=FILE"))?;
    let answer = match file {
        "unchanged" => ServiceAnswer::Unchanged,
        "fails" => ServiceAnswer::Failed,
        file => super::message::recorded(Path::new(file), None)?.as_answer(),
    };
    Ok((uri, answer))
}

/// A program that was read and checked.
#[derive(Debug)]
pub(super) struct Loaded {
    pub(super) sources: Sources,
    pub(super) checked: Checked,
}

impl Loaded {
    /// Reads and checks a program.
    pub(super) fn new(path: &Path, options: &Options) -> anyhow::Result<Self> {
        let bytes = read(path)?;
        let files = options.files.clone().or_else(|| Some(Folder::of(path)));
        let checked = check_bytes(&bytes, &Options { files, ..options.clone() });
        let name = match path.to_string_lossy() {
            name if name == STANDARD_INPUT => STANDARD_INPUT_NAME.to_owned(),
            name => name.into_owned(),
        };
        let source = Source::new(name, crate::check::lossy(bytes));
        Ok(Self { sources: Sources::new(source, &checked.included), checked })
    }

    /// Returns the program; prints its errors.
    pub(super) fn program(&self, shell: &Shell) -> anyhow::Result<&Program> {
        match &self.checked.program {
            Some(program) => Ok(program),
            None => {
                for report in self.reports(&self.checked.diagnostics) {
                    let report = text::render_file(&report, shell.style(Stream::Error));
                    shell.print(Stream::Error, &report)?;
                }
                Err(anyhow!("`{}` can't be run", self.sources.main().name()))
            }
        }
    }

    /// Returns reports about the program and each imported file.
    pub(super) fn reports(&self, diagnostics: &[Diagnostic]) -> Vec<FileReport> {
        let report = |(source, diagnostics): (&Source, Vec<Diagnostic>)| FileReport {
            source: Source::new(source.name(), source.text()),
            kind: Kind::Rules,
            puppet_file: Some(source.name().to_owned()),
            diagnostics,
        };
        self.sources.sorted(diagnostics).into_iter().map(report).collect()
    }
}

/// Checks that a message is of the protocol that the program processes.
pub(super) fn check_protocol(
    program: &Program,
    sources: &Sources,
    recorded: &Recorded,
) -> anyhow::Result<()> {
    let other = recorded.protocol();
    match program.protocol {
        Some(own) if own != other => {
            let name = sources.main().name();
            bail!("`{name}` processes messages of {own}, but this is one of {other}")
        }
        _ => Ok(()),
    }
}

/// Reads a file, or standard input.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    let result = if path == Path::new(STANDARD_INPUT) {
        files::read_stream(std::io::stdin().lock())
    } else {
        files::read_bytes(path)
    };
    result.map_err(|error| anyhow!(problem(&path.to_string_lossy(), &error)))
}
