//! Reading and checking of one source.

use kukla_world::files;
use std::io;

use kukla_base::render::{FileReport, Kind};
use kukla_base::{Edition, Source};
use kukla_syntax::{Home, Language, Options, Strict, check_bytes};

use crate::inputs::{Input, Location, STANDARD_INPUT_NAME};

/// Options of a check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checker {
    /// Whether the parser knows `plan` and other keywords of tasks.
    pub(crate) tasks: bool,
    /// Severity of doubtful constructs.
    pub(crate) strict: Strict,
    /// Edition of Puppet whose rules hold.
    pub(crate) edition: Edition,
}

impl Checker {
    /// Reads and checks a source.
    ///
    /// Drops the text of a source without errors, so that a run over many files needs little memory.
    pub(crate) fn check(self, input: &Input, home: &Home) -> io::Result<FileReport> {
        let bytes = read(&input.location)?;
        let puppet_file = puppet_file(input);
        let options = self.options(input.kind, home.clone(), puppet_file.clone());
        let diagnostics = match check_bytes(&bytes, &options) {
            Ok(checked) => checked.diagnostics,
            Err(diagnostic) => vec![*diagnostic],
        };
        let text = if diagnostics.is_empty() { String::new() } else { lossy(bytes) };
        let source = Source::new(input.name.as_str(), text);
        Ok(FileReport { source, kind: input.kind, puppet_file, diagnostics })
    }

    fn options(self, kind: Kind, home: Home, puppet_file: Option<String>) -> Options {
        let Self { tasks, strict, edition } = self;
        let file = puppet_file.unwrap_or_default();
        Options { language: language(kind), tasks, strict, edition, home, file }
    }
}

/// Returns the language of a kind of source.
pub(crate) fn language(kind: Kind) -> Language {
    match kind {
        Kind::Manifest => Language::Manifest,
        Kind::Data => Language::Data,
        // Rules are not written in Puppet's language, and no reader of that language sees them.
        Kind::Template | Kind::Rules => Language::Template,
    }
}

/// Reads the bytes of a source.
pub(crate) fn read(location: &Location) -> io::Result<Vec<u8>> {
    match location {
        Location::File { path, .. } => files::read_bytes(path),
        Location::StandardInput => files::read_stream(io::stdin().lock()),
    }
}

/// Returns the name in Puppet's messages: absolute for manifests, none for manifests on standard input, and as given
/// for templates.
pub(crate) fn puppet_file(input: &Input) -> Option<String> {
    match (&input.location, input.kind) {
        (Location::File { absolute, .. }, Kind::Manifest) => {
            Some(absolute.to_string_lossy().into_owned())
        }
        (Location::File { .. }, Kind::Template | Kind::Rules | Kind::Data) => {
            Some(input.name.clone())
        }
        (Location::StandardInput, Kind::Manifest) => None,
        (Location::StandardInput, Kind::Template | Kind::Rules | Kind::Data) => {
            Some(STANDARD_INPUT_NAME.to_owned())
        }
    }
}

/// Converts bytes to text; invalid UTF-8 is replaced.
pub(crate) fn lossy(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
