//! The terminal: what is printed, in which colours, and how far along we are.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Effects, Style};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kukla_base::render::text;
use kukla_compiler::Failure;

/// Runs shorter than this show no progress.
const BLINK: Duration = Duration::from_millis(300);

const ERROR: Style = AnsiColor::BrightRed.on_default().effects(Effects::BOLD);
const WARNING: Style = AnsiColor::Yellow.on_default().effects(Effects::BOLD);

/// For whom something is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextOrJson {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// When the output is a terminal.
    #[default]
    Auto,
    /// Also into files and pipes.
    Always,
    /// Not even in a terminal.
    Never,
}

/// How to print why something can't be evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Errors {
    /// `pretty` in a terminal, else `line`.
    #[default]
    Auto,
    /// With the source, what led there, and advice.
    Pretty,
    /// Puppet's own line.
    Line,
}

impl Errors {
    fn is_pretty(self) -> bool {
        match self {
            Self::Auto => io::stderr().is_terminal(),
            Self::Pretty => true,
            Self::Line => false,
        }
    }
}

/// Where a text is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    /// Results.
    Output,
    /// What is said about the run.
    Error,
}

/// The only way to print.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shell {
    output_has_colour: bool,
    error_has_colour: bool,
}

impl Shell {
    /// A shell that uses colours as told.
    pub(crate) fn new(colour: Colour) -> Self {
        let decide = |auto: ColorChoice| match colour {
            Colour::Auto => auto != ColorChoice::Never,
            Colour::Always => true,
            Colour::Never => false,
        };
        Self {
            output_has_colour: decide(AutoStream::choice(&io::stdout())),
            error_has_colour: decide(AutoStream::choice(&io::stderr())),
        }
    }

    /// Whether to colour what goes to this stream.
    pub(crate) fn has_colour(&self, stream: Stream) -> bool {
        match stream {
            Stream::Output => self.output_has_colour,
            Stream::Error => self.error_has_colour,
        }
    }

    /// How to draw diagnostics for this stream.
    pub(crate) fn style(&self, stream: Stream) -> text::Style {
        let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let width = columns.unwrap_or(text::Style::PLAIN.width);
        text::Style { colour: self.has_colour(stream), width }
    }

    /// Prints a text. That nobody reads on is no error.
    pub(crate) fn print(&self, stream: Stream, text: &str) -> io::Result<()> {
        let result = match stream {
            Stream::Output => write_all(io::stdout().lock(), text),
            Stream::Error => write_all(io::stderr().lock(), text),
        };
        match result {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }

    /// Says that something could not be done.
    pub(crate) fn problem(&self, message: &str) {
        let style = if self.error_has_colour { ERROR } else { Style::new() };
        self.say(&format!("{style}error{style:#}: {message}"));
    }

    /// Says why something can't be evaluated or compiled.
    pub(crate) fn failure(&self, failure: &Failure, errors: Errors) {
        if !errors.is_pretty() {
            return self.problem(&failure.to_string());
        }
        let text = text::render_file(&failure.report(), self.style(Stream::Error));
        // When even this can't be written there is nobody left to tell.
        let _ = self.print(Stream::Error, &text);
    }

    /// Says what went wrong, but does not matter in the end.
    pub(crate) fn warning(&self, message: &str) {
        let style = if self.error_has_colour { WARNING } else { Style::new() };
        self.say(&format!("{style}warning{style:#}: {message}"));
    }

    /// Says something about the run.
    pub(crate) fn say(&self, message: &str) {
        // When even this can't be written there is nobody left to tell.
        let _ = self.print(Stream::Error, &format!("{message}\n"));
    }

    /// Shows how many of `n_steps` are done, if somebody watches and it takes long.
    pub(crate) fn progress(&self, n_steps: usize) -> Progress {
        let is_watched = io::stderr().is_terminal();
        self.progress_if(is_watched, n_steps)
    }

    /// The same while results are printed: in a terminal they would run into each other.
    pub(crate) fn progress_beside_output(&self, n_steps: usize) -> Progress {
        self.progress_if(io::stderr().is_terminal() && !io::stdout().is_terminal(), n_steps)
    }

    fn progress_if(&self, is_watched: bool, n_steps: usize) -> Progress {
        let start = Instant::now();
        Progress { is_watched, n_steps, start, n_done: AtomicUsize::new(0), bar: OnceLock::new() }
    }
}

/// Written in one go, not line by line as `Stdout` would.
fn write_all(mut stream: impl Write, text: &str) -> io::Result<()> {
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

/// A progress bar that appears only when a run takes longer than a blink.
#[derive(Debug)]
pub(crate) struct Progress {
    is_watched: bool,
    n_steps: usize,
    start: Instant,
    n_done: AtomicUsize,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    /// One more step is done.
    pub(crate) fn step(&self) {
        let n_done = self.n_done.fetch_add(1, Ordering::Relaxed) + 1;
        if self.is_watched && self.start.elapsed() >= BLINK {
            self.bar.get_or_init(|| bar(self.n_steps)).set_position(n_done as u64);
        }
    }

    /// Prints something while the bar is not there.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match self.bar.get() {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(self) {
        if let Some(bar) = self.bar.into_inner() {
            bar.finish_and_clear();
        }
    }
}

fn bar(n_steps: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(n_steps as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("checking {wide_bar} {pos}/{len} files");
    bar.with_style(style.expect("the template is well-formed"))
}
