//! Imported files, and source positions in a program of several files.
//!
//! `import "file:common.p"` runs the statements of a file below the program's folder; its names are members of the
//! value of `import`. The host reads the file ([`Files`]).
//!
//! The checker sees one text, the program followed by its files, so that a [`Span`] identifies the file.

use std::fmt::{self, Debug};

use kukla_base::{Diagnostic, DiagnosticPlace, Source, Span};

/// Maximum number of files that a program imports, directly or indirectly.
pub const MOST_FILES: usize = 64;

/// Reader of imported files.
pub trait Files: Debug + Send + Sync {
    /// Returns the bytes of a file, by its path below the folder of the program.
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError>;
}

/// Reason why a file can't be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// The file does not exist.
    NotFound,
    /// A symbolic link leads out of the program's folder.
    OutsideFolder,
    /// Another error, in the system's words.
    Other(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFound => "there is no such file",
            Self::OutsideFolder => "it lies outside of the folder of the program",
            Self::Other(words) => words,
        })
    }
}

impl std::error::Error for ReadError {}

/// An imported file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Included {
    /// Its path below the program's folder.
    pub path: String,
    /// Offset of its text in the concatenated text.
    pub start: u32,
    /// Its text.
    pub text: String,
}

/// Returns the path of `file:…`, if it stays below the program's folder.
pub fn path_of(uri: &str) -> Option<&str> {
    let path = uri.strip_prefix("file:")?;
    let is_plain =
        |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0', ':']);
    path.split('/').all(is_plain).then_some(path)
}

/// Sources of a program and of its imported files.
#[derive(Debug)]
pub struct Sources {
    main: Source,
    included: Vec<(u32, Source)>,
}

impl Sources {
    /// Creates the sources of a program and its imported files.
    pub fn new(main: Source, included: &[Included]) -> Self {
        let folder = match main.name().rfind('/') {
            Some(at) => &main.name()[..=at],
            None => "",
        };
        let source = |file: &Included| {
            (file.start, Source::new(format!("{folder}{}", file.path), file.text.as_str()))
        };
        let included = included.iter().map(source).collect();
        Self { main, included }
    }

    /// Returns the program's own source.
    pub fn main(&self) -> &Source {
        &self.main
    }

    /// Returns the source that contains a span, and the span relative to it.
    pub fn at(&self, span: Span) -> (&Source, Span) {
        let after = self.included.partition_point(|(start, _)| *start <= span.start);
        match self.included[..after].last() {
            Some((start, source)) => (source, Span::new(span.start - start, span.len)),
            None => (&self.main, span),
        }
    }

    /// Returns the line where a span starts.
    pub fn line(&self, span: Span) -> u32 {
        let (source, span) = self.at(span);
        source.line_column(span.start).line
    }

    /// Returns the text of a span.
    pub fn slice(&self, span: Span) -> &str {
        let (source, span) = self.at(span);
        source.slice(span)
    }

    /// Groups diagnostics by source, the program first; leaves out files without diagnostics, but never the program.
    pub fn sorted(&self, diagnostics: &[Diagnostic]) -> Vec<(&Source, Vec<Diagnostic>)> {
        let mut sorted: Vec<(&Source, Vec<Diagnostic>)> = vec![(&self.main, Vec::new())];
        for diagnostic in diagnostics {
            let (source, span) = self.at(diagnostic.span);
            let moved = moved(diagnostic.clone(), diagnostic.span.start - span.start);
            match sorted.iter_mut().find(|(other, _)| std::ptr::eq(*other, source)) {
                Some((_, list)) => list.push(moved),
                None => sorted.push((source, vec![moved])),
            }
        }
        sorted
    }
}

/// Moves the spans of a diagnostic towards the start.
fn moved(mut diagnostic: Diagnostic, by: u32) -> Diagnostic {
    let back = |span: Span| Span::new(span.start.saturating_sub(by), span.len);
    diagnostic.span = back(diagnostic.span);
    diagnostic.labels.iter_mut().for_each(|label| label.span = back(label.span));
    diagnostic.place = match diagnostic.place {
        DiagnosticPlace::At(at) => DiagnosticPlace::At(at.saturating_sub(by)),
        DiagnosticPlace::Line(at) => DiagnosticPlace::Line(at.saturating_sub(by)),
        place @ (DiagnosticPlace::File | DiagnosticPlace::Nowhere) => place,
    };
    diagnostic
}
