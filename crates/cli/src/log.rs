//! Log messages of compilations, as Puppet prints them.

use std::io;

use kukla_base::render::{printable, printable_message};
use kukla_compiler::log::{Entry, Level};

use crate::shell::{Shell, Stream};

/// Selection and presentation of log messages.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LogStyle<'a> {
    /// The node to name in front of each message, if there are several.
    pub(crate) node: Option<&'a str>,
    /// Whether debug messages are printed.
    pub(crate) has_debug: bool,
}

impl LogStyle<'_> {
    /// Returns the messages to print.
    pub(crate) fn visible<'e>(&self, log: &'e [Entry]) -> impl Iterator<Item = &'e Entry> {
        let has_debug = self.has_debug;
        log.iter().filter(move |entry| has_debug || entry.level != Level::Debug)
    }

    /// Prints messages of a log.
    pub(crate) fn print(&self, log: &[Entry], shell: &Shell) -> io::Result<()> {
        // Lines are gathered up to a size: messages may be long.
        let mut lines = String::new();
        for entry in self.visible(log) {
            lines += &self.line(entry);
            if lines.len() > 1 << 20 {
                shell.print(Stream::Error, &lines)?;
                lines.clear();
            }
        }
        shell.print(Stream::Error, &lines)
    }

    /// Returns a message with its level and place: `Notice: Scope(Class[main]): text`.
    fn line(&self, entry: &Entry) -> String {
        let source = entry.source.as_ref().map(|source| format!("{source}: "));
        let place = match (&entry.file, entry.line) {
            (Some(file), Some(line)) => format!(" (file: {file}, line: {line})"),
            (Some(file), None) => format!(" (file: {file})"),
            _ => String::new(),
        };
        let (source, message) = (source.unwrap_or_default(), &entry.message);
        self.text(entry.level, &format!("{source}{message}{place}"))
    }

    /// Returns a message with its level, and with its node if there are several.
    pub(crate) fn text(&self, level: Level, message: &str) -> String {
        let node = self.node.map(|node| format!("{}: ", printable(node))).unwrap_or_default();
        format!("{node}{}: {}\n", name(level), printable_message(message))
    }
}

/// Returns the name of a level as Puppet prints it.
const fn name(level: Level) -> &'static str {
    match level {
        Level::Debug => "Debug",
        Level::Info => "Info",
        Level::Notice => "Notice",
        Level::Warning => "Warning",
        Level::Err => "Error",
        Level::Alert => "Alert",
        Level::Emerg => "Emergency",
        Level::Crit => "Critical",
    }
}
