//! Findings of a check, and their output.

use std::fmt::Write as _;
use std::net::SocketAddr;

use serde_json::json;

use crate::shell::{Shell, Stream, TextOrJson};

/// The weight of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Severity {
    /// The server would not start.
    Error,
    /// The server would start, and some requests would fail.
    Warning,
    /// The start would do something that is worth knowing.
    Note,
}

impl Severity {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A finding: a file or setting, and a message about it.
#[derive(Debug)]
pub(super) struct Finding {
    pub(super) severity: Severity,
    subject: String,
    message: String,
}

#[derive(Debug, Default)]
pub(super) struct Findings(pub(super) Vec<Finding>);

impl Findings {
    pub(super) fn add(
        &mut self,
        severity: Severity,
        subject: impl Into<String>,
        message: impl Into<String>,
    ) {
        let (subject, message) = (subject.into(), message.into());
        self.0.push(Finding { severity, subject, message });
    }

    /// Adds the error of a result; returns its value.
    pub(super) fn take<T, E: ToString>(
        &mut self,
        subject: &str,
        result: Result<T, E>,
    ) -> Option<T> {
        result.map_err(|error| self.add(Severity::Error, subject, error.to_string())).ok()
    }

    pub(super) fn has_errors(&self) -> bool {
        self.0.iter().any(|finding| finding.severity == Severity::Error)
    }
}

/// Prints findings for people or programs.
pub(super) fn print(
    format: TextOrJson,
    address: SocketAddr,
    findings: &Findings,
    shell: &Shell,
) -> anyhow::Result<()> {
    let mut text = String::new();
    if format == TextOrJson::Json {
        let finding = |finding: &Finding| {
            let Finding { severity, subject, message } = finding;
            json!({ "severity": severity.as_str(), "subject": subject, "message": message })
        };
        let all: Vec<_> = findings.0.iter().map(finding).collect();
        let all = json!({ "ready": !findings.has_errors(), "address": address.to_string(), "findings": all });
        text = format!("{all:#}\n");
    } else {
        for Finding { severity, subject, message } in &findings.0 {
            let _ = writeln!(text, "{}: {subject}: {message}", severity.as_str());
        }
        let _ = match findings.has_errors() {
            true => writeln!(text, "not ready"),
            false => writeln!(text, "ready to listen at {address}"),
        };
    }
    shell.print(Stream::Output, &text)?;
    Ok(())
}
