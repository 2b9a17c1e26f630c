//! Failures as people read them: the source with the place underlined, what led there, and advice.

use kukla_base::render::{FileReport, Kind};
use kukla_base::{Diagnostic, Source, Span};

use crate::fault::{Failure, Fault, Frame, FrameKind};

impl Failure {
    /// Returns the failure as a diagnostic about the source that it is in.
    pub fn report(&self) -> FileReport {
        let at = self.fault.at.as_ref();
        let (name, text) = match (at, self.fault.place()) {
            (Some(at), _) => (at.source.name(), at.source.text()),
            (None, Some(place)) => (&*place.file, ""),
            (None, None) => ("", ""),
        };
        let source = match (name, text.is_empty()) {
            ("", false) => Source::new("<code>", text),
            _ => Source::new(name, text),
        };
        FileReport {
            source,
            kind: Kind::Manifest,
            puppet_file: None,
            diagnostics: vec![self.fault.diagnostic()],
        }
    }
}

impl Fault {
    fn diagnostic(&self) -> Diagnostic {
        let span = self.at.as_ref().map_or_else(Span::default, |at| at.span);
        let message = on_one_line(self.issue.message());
        let mut diagnostic = Diagnostic::evaluation_error(self.code().as_str(), span, message);
        if let Some(at) = &self.at {
            diagnostic.label.clone_from(&at.label);
            diagnostic.labels.clone_from(&at.labels);
        }
        diagnostic.help = self.issue.help().map(str::to_owned);
        diagnostic.stack = self.frames();
        diagnostic
    }

    /// Returns the frames that led here, one per line. Main manifests are left out: everything starts there.
    fn frames(&self) -> Vec<String> {
        let shown = self.stack.iter().filter(|frame| frame.kind != FrameKind::Main);
        let mut lines: Vec<String> = shown.map(Frame::line).collect();
        if self.n_more_frames > 0 {
            lines.push(format!("and {} more", self.n_more_frames));
        }
        lines
    }
}

impl Frame {
    /// `in class ntp, declared at /site.pp:3`
    fn line(&self) -> String {
        let verb = match self.kind {
            FrameKind::Class | FrameKind::Define => "declared",
            FrameKind::Node => "defined",
            FrameKind::Function | FrameKind::Block | FrameKind::Template => "called",
            FrameKind::Main => "evaluated",
        };
        match &self.place {
            Some(place) => format!("in {self}, {verb} at {}", place.short()),
            None => format!("in {self}"),
        }
    }
}

/// A message with its lines joined: what follows a colon is a list.
fn on_one_line(message: &str) -> String {
    let mut joined = String::with_capacity(message.len());
    for line in message.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match joined.ends_with(':') {
            _ if joined.is_empty() => (),
            true => joined.push(' '),
            false => joined.push_str("; "),
        }
        joined.push_str(line);
    }
    joined
}
