//! A source and how it is to be read.

use kukla_syntax::{Home, Language, Options, Strict};

/// The only entry of the module path that both sides are told of.
const MODULES: &str = "/modules";

/// A source and how it is to be read.
#[derive(Clone, Debug)]
pub struct Case {
    /// The source, which need not be UTF-8.
    pub bytes: Vec<u8>,
    /// An EPP template rather than a manifest.
    pub template: bool,
    /// As with `--tasks`.
    pub tasks: bool,
    /// As with `--strict`.
    pub strict: Strict,
    /// Where the source stands below an entry of the module path; `None`: outside of it.
    pub file: Option<String>,
}

impl Case {
    /// A manifest outside of the module path.
    pub fn manifest(text: impl Into<Vec<u8>>) -> Self {
        Self {
            bytes: text.into(),
            template: false,
            tasks: false,
            strict: Strict::Error,
            file: None,
        }
    }

    /// A template outside of the module path.
    pub fn template(text: impl Into<Vec<u8>>) -> Self {
        Self { template: true, ..Self::manifest(text) }
    }

    /// The same with another source.
    pub fn with_bytes(&self, bytes: Vec<u8>) -> Self {
        Self { bytes, ..self.clone() }
    }

    /// The source for people's eyes.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// The value of `--strict`.
    pub fn strict_word(&self) -> &'static str {
        match self.strict {
            Strict::Off => "off",
            Strict::Warning => "warning",
            Strict::Error => "error",
        }
    }

    /// What [`kukla_syntax`] is told; the oracle tells Puppet the same.
    pub fn options(&self) -> Options {
        Options {
            language: if self.template { Language::Template } else { Language::Manifest },
            tasks: self.tasks,
            strict: self.strict,
            home: match &self.file {
                Some(path) => Home::Module { path: path.clone() },
                None => Home::Anywhere,
            },
            file: self.file_name(),
        }
    }

    /// The path as both sides name it in messages.
    pub fn file_name(&self) -> String {
        match &self.file {
            Some(path) => format!("{MODULES}/{path}"),
            None if self.template => "/manifests/site.epp".to_owned(),
            None => "/manifests/site.pp".to_owned(),
        }
    }
}
