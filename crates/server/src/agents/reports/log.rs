//! The processor `log`: log lines of agents in the log of the server.

use kukla_rubytext::Data;

use super::report::Report;
use crate::Log;

/// Lines of one report that are logged.
const MOST_LINES: usize = 1000;

/// Logs each entry with its level and with its source below the name of the node.
pub(super) fn write(report: &Report, log: &Log) {
    let logs = report.logs();
    for entry in logs.iter().take(MOST_LINES) {
        let of = |name| match entry.get(name) {
            Some(Data::Str(text)) => printable(text),
            _ => String::new(),
        };
        log(&format!("{} //{}/{}: {}", of("level"), report.host(), of("source"), of("message")));
    }
    if logs.len() > MOST_LINES {
        log(&format!("//{}: {} more log lines", report.host(), logs.len() - MOST_LINES));
    }
}

/// Escapes control characters, so that an agent can't write lines of its own.
pub(super) fn printable(text: &str) -> String {
    let escape = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(escape).collect()
}
