//! Files that programs import, and places in a program that has several.
//!
//! `import "file:common.p"` runs the statements of a file below the folder of the program; its names are members
//! of what `import` gives. Who reads the file is the host's business ([`Files`]).
//!
//! The texts of a program and of its files are one text to the checker, the program's first, so that a [`Span`]
//! says which file it is in.

use std::fmt::{self, Debug};

use kukla_base::{Diagnostic, Place, Source, Span};

/// How many files a program may import, also by way of others.
pub const MOST_FILES: usize = 64;

/// Reads files that programs import.
pub trait Files: Debug + Send + Sync {
    /// Returns the bytes of a file, by its path below the folder of the program.
    fn read(&self, path: &str) -> Result<Vec<u8>, ReadError>;
}

/// Why a file can't be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// There is none.
    NotFound,
    /// A link leads to it that leaves the folder of the program.
    OutsideFolder,
    /// The system's own words.
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

/// A file that was imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Included {
    /// Its path below the folder of the program.
    pub path: String,
    /// Where its text starts in the text of all.
    pub start: u32,
    /// Its text.
    pub text: String,
}

/// The path that `file:…` says, if it stays below the folder of the program.
pub fn path_of(uri: &str) -> Option<&str> {
    let path = uri.strip_prefix("file:")?;
    let is_plain =
        |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0', ':']);
    path.split('/').all(is_plain).then_some(path)
}

/// The sources of a program: its own, and those of the files that it imports.
#[derive(Debug)]
pub struct Sources {
    main: Source,
    included: Vec<(u32, Source)>,
}

impl Sources {
    /// The sources of a program in a file, and of what it imports.
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

    /// The program itself.
    pub fn main(&self) -> &Source {
        &self.main
    }

    /// The source that a span is in, and the span in it.
    pub fn at(&self, span: Span) -> (&Source, Span) {
        let after = self.included.partition_point(|(start, _)| *start <= span.start);
        match self.included[..after].last() {
            Some((start, source)) => (source, Span::new(span.start - start, span.len)),
            None => (&self.main, span),
        }
    }

    /// The line that a span starts at.
    pub fn line(&self, span: Span) -> u32 {
        let (source, span) = self.at(span);
        source.line_column(span.start).line
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &str {
        let (source, span) = self.at(span);
        source.slice(span)
    }

    /// What is said of each source, the program first; sources of which nothing is said are left out, but not
    /// the program.
    pub fn sorted(&self, diagnostics: &[Diagnostic]) -> Vec<(&Source, Vec<Diagnostic>)> {
        let mut sorted: Vec<(&Source, Vec<Diagnostic>)> = vec![(&self.main, Vec::new())];
        for diagnostic in diagnostics {
            let (source, span) = self.at(diagnostic.span);
            let moved = moved(diagnostic.clone(), diagnostic.span.start - span.start);
            match sorted.iter_mut().find(|(known, _)| std::ptr::eq(*known, source)) {
                Some((_, known)) => known.push(moved),
                None => sorted.push((source, vec![moved])),
            }
        }
        sorted
    }
}

/// A complaint with its places so much nearer to the start.
fn moved(mut diagnostic: Diagnostic, by: u32) -> Diagnostic {
    let back = |span: Span| Span::new(span.start.saturating_sub(by), span.len);
    diagnostic.span = back(diagnostic.span);
    diagnostic.labels.iter_mut().for_each(|label| label.span = back(label.span));
    diagnostic.place = match diagnostic.place {
        Place::At(at) => Place::At(at.saturating_sub(by)),
        Place::Line(at) => Place::Line(at.saturating_sub(by)),
        place @ (Place::File | Place::Nowhere) => place,
    };
    diagnostic
}
