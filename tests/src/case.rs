//! A source with its parsing options.

use kukla_syntax::{Home, Language, Options, Strict};

use crate::edition;

/// The only entry of the module path on both sides.
const MODULES: &str = "/modules";

/// A source with its parsing options.
#[derive(Clone, Debug)]
pub struct Case {
    /// The source, which need not be valid UTF-8.
    pub bytes: Vec<u8>,
    /// Whether it is an EPP template rather than a manifest.
    pub template: bool,
    /// The option `--tasks`.
    pub tasks: bool,
    /// The option `--strict`.
    pub strict: Strict,
    /// The path of the source below an entry of the module path; `None`: outside of it.
    pub file: Option<String>,
}

impl Case {
    /// Creates a manifest outside of the module path.
    pub fn manifest(text: impl Into<Vec<u8>>) -> Self {
        Self {
            bytes: text.into(),
            template: false,
            tasks: false,
            strict: Strict::Error,
            file: None,
        }
    }

    /// Creates a template outside of the module path.
    pub fn template(text: impl Into<Vec<u8>>) -> Self {
        Self { template: true, ..Self::manifest(text) }
    }

    /// Replaces the source.
    pub fn with_bytes(&self, bytes: Vec<u8>) -> Self {
        Self { bytes, ..self.clone() }
    }

    /// Returns the source for display.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// Returns the value of `--strict`.
    pub fn strict_word(&self) -> &'static str {
        match self.strict {
            Strict::Off => "off",
            Strict::Warning => "warning",
            Strict::Error => "error",
        }
    }

    /// Returns the options for [`kukla_syntax`]; the oracle sets the same for Puppet.
    pub fn options(&self) -> Options {
        Options {
            language: if self.template { Language::Template } else { Language::Manifest },
            tasks: self.tasks,
            strict: self.strict,
            edition: edition(),
            home: match &self.file {
                Some(path) => Home::Module { path: path.clone() },
                None => Home::Anywhere,
            },
            file: self.file_name(),
        }
    }

    /// Returns the path in messages of both sides.
    pub fn file_name(&self) -> String {
        match &self.file {
            Some(path) => format!("{MODULES}/{path}"),
            None if self.template => "/manifests/site.epp".to_owned(),
            None => "/manifests/site.pp".to_owned(),
        }
    }
}
