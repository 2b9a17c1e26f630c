//! Fuzz targets: no input may cause a panic.
//!
//! A [`Target`] takes any bytes and asserts properties that hold for all of them. libFuzzer drives the
//! targets from `fuzz_targets/`; the binary `blind` drives them without it, by mutating ([`mutate`])
//! the cases of the specs ([`seeds`]).

#![forbid(unsafe_code)]

mod auth_conf;
mod compile;
mod dictionary;
mod eval;
mod http;
pub mod mutate;
mod query;
pub mod random;
mod request;
mod ruby;
pub mod seeds;
mod source;
mod wire;
mod xpp;

use kukla_regex as regexp;
use kukla_rubytext::json;

/// A function under test that takes any bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// A manifest; the first byte has the options of parsing.
    Manifest,
    /// A template; the first byte has the options of parsing.
    Template,
    /// A regular expression.
    Regexp,
    /// JSON.
    Json,
    /// A source and a serialized manifest: two bytes with the length of the source, the source, the file.
    Xpp,
    /// Code that is evaluated.
    Eval,
    /// A program that is compiled to a catalog.
    Compile,
    /// Ruby code.
    Ruby,
    /// A certificate request in DER.
    Request,
    /// Requests to the server for agents.
    Http,
    /// Rules of Puppet Server.
    AuthConf,
    /// Messages of HTTP/1 on a connection of the proxy.
    H1,
    /// Messages of ICAP.
    Icap,
    /// A query of the store, in PQL or as JSON.
    Query,
}

impl Target {
    /// All targets.
    pub const ALL: [Self; 14] = [
        Self::Manifest,
        Self::Template,
        Self::Regexp,
        Self::Json,
        Self::Xpp,
        Self::Eval,
        Self::Compile,
        Self::Ruby,
        Self::Request,
        Self::Http,
        Self::AuthConf,
        Self::H1,
        Self::Icap,
        Self::Query,
    ];

    /// Returns the name of its libFuzzer target.
    pub fn name(self) -> &'static str {
        match self {
            Self::Manifest => "manifest",
            Self::Template => "template",
            Self::Regexp => "regexp",
            Self::Json => "json",
            Self::Xpp => "xpp",
            Self::Eval => "eval",
            Self::Compile => "compile",
            Self::Ruby => "ruby",
            Self::Request => "request",
            Self::Http => "http",
            Self::AuthConf => "auth_conf",
            Self::H1 => "h1",
            Self::Icap => "icap",
            Self::Query => "query",
        }
    }

    /// Runs the target; panics if a property does not hold for these bytes.
    pub fn run(self, bytes: &[u8]) {
        match self {
            Self::Manifest | Self::Template => source::run(self == Self::Template, bytes),
            Self::Regexp => with_text(bytes, |text| {
                // Only panics matter here; other tests compare the result.
                let _ = regexp::check(text);
                let shown = regexp::inspect(text);
                assert!(shown.starts_with('/') && shown.ends_with('/'), "not between slashes");
                regexp::to_s(text);
                regexp::with_options(text);
            }),
            Self::Json => with_text(bytes, |text| drop(json::check(text))),
            Self::Xpp => xpp::run(bytes),
            Self::Eval => eval::run(bytes),
            Self::Compile => compile::run(bytes),
            Self::Ruby => ruby::run(bytes),
            Self::Request => request::run(bytes),
            Self::Http => http::run(bytes),
            Self::AuthConf => with_text(bytes, auth_conf::run),
            Self::H1 => wire::http(bytes),
            Self::Icap => wire::icap(bytes),
            Self::Query => with_text(bytes, query::run),
        }
    }
}

fn with_text(bytes: &[u8], run: impl FnOnce(&str)) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        run(text);
    }
}
