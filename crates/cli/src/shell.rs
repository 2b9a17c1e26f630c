//! The terminal: output, colours and progress.

use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Effects, Style};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kukla_base::render::{printable_message, text};
use kukla_compiler::Failure;

/// Minimum duration of a run that shows progress.
const BLINK: Duration = Duration::from_millis(300);

const ERROR: Style = AnsiColor::BrightRed.on_default().effects(Effects::BOLD);
const WARNING: Style = AnsiColor::Yellow.on_default().effects(Effects::BOLD);

/// Audience of the output.
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
    /// If the output is a terminal.
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
    /// `pretty` in a terminal, otherwise `line`.
    #[default]
    Auto,
    /// With the source, the chain of calls, and help.
    Pretty,
    /// Puppet's one line.
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

/// Target of output.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    /// Results.
    Output,
    /// Messages about the run.
    Error,
}

/// The only means of printing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shell {
    output_has_colour: bool,
    error_has_colour: bool,
}

impl Shell {
    /// Creates a shell with a choice of colours.
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

    /// Whether output to this stream is coloured.
    pub(crate) fn has_colour(&self, stream: Stream) -> bool {
        match stream {
            Stream::Output => self.output_has_colour,
            Stream::Error => self.error_has_colour,
        }
    }

    /// Returns the width of the terminal, if the environment says it.
    pub(crate) fn columns() -> Option<usize> {
        std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok())
    }

    /// Returns the style of diagnostics for this stream.
    pub(crate) fn style(&self, stream: Stream) -> text::Style {
        let width = Self::columns().unwrap_or(text::Style::PLAIN.width);
        text::Style { colour: self.has_colour(stream), width }
    }

    /// Prints a text. A closed pipe is not an error.
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

    /// Prints an error message.
    pub(crate) fn problem(&self, message: &str) {
        let style = if self.error_has_colour { ERROR } else { Style::new() };
        self.say(&format!("{style}error{style:#}: {}", printable_message(message)));
    }

    /// Prints why something can't be evaluated or compiled.
    pub(crate) fn failure(&self, failure: &Failure, errors: Errors) {
        if !errors.is_pretty() {
            let style = if self.error_has_colour { ERROR } else { Style::new() };
            let text = failure.to_string();
            return self.say(&format!("{style}Error{style:#}: {}", printable_message(&text)));
        }
        let text = text::render_file(&failure.report(), self.style(Stream::Error));
        // If standard error is closed, there is nowhere left to report.
        let _ = self.print(Stream::Error, &text);
    }

    /// Prints a warning.
    pub(crate) fn warning(&self, message: &str) {
        let style = if self.error_has_colour { WARNING } else { Style::new() };
        self.say(&format!("{style}warning{style:#}: {}", printable_message(message)));
    }

    /// Prints a message about the run.
    pub(crate) fn say(&self, message: &str) {
        // If standard error is closed, there is nowhere left to report.
        let _ = self.print(Stream::Error, &format!("{message}\n"));
    }

    /// Returns a bar of `n_steps`, shown in a terminal if the run takes long.
    pub(crate) fn progress(&self, n_steps: usize) -> Progress {
        let is_watched = io::stderr().is_terminal();
        self.progress_if(is_watched, n_steps)
    }

    /// Like [`progress`](Self::progress), but hidden if results go to a terminal, where the two would mix.
    pub(crate) fn progress_beside_output(&self, n_steps: usize) -> Progress {
        self.progress_if(io::stderr().is_terminal() && !io::stdout().is_terminal(), n_steps)
    }

    fn progress_if(&self, is_watched: bool, n_steps: usize) -> Progress {
        let start = Instant::now();
        Progress { is_watched, n_steps, start, n_done: AtomicUsize::new(0), bar: OnceLock::new() }
    }
}

/// Writes all text at once, not line by line as `Stdout` would.
fn write_all(mut stream: impl Write, text: &str) -> io::Result<()> {
    stream.write_all(text.as_bytes())?;
    stream.flush()
}

/// A progress bar that appears only in longer runs.
#[derive(Debug)]
pub(crate) struct Progress {
    is_watched: bool,
    n_steps: usize,
    start: Instant,
    n_done: AtomicUsize,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    /// Advances by one step.
    pub(crate) fn step(&self) {
        let n_done = self.n_done.fetch_add(1, Ordering::Relaxed) + 1;
        if self.is_watched && self.start.elapsed() >= BLINK {
            self.bar.get_or_init(|| bar(self.n_steps)).set_position(n_done as u64);
        }
    }

    /// Prints something while the bar is hidden.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match self.bar.get() {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Removes the bar.
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
