//! Reports of agents and their processors.
//!
//! [`Reports::answer`] reads a report (`report`) and hands it to each processor of the setting `reports`: `store` writes
//! it as YAML (`store`), `log` writes its log lines (`log`), `http` posts it ([`http`]). Others are Ruby code of modules, which
//! the caller runs.
//!
//! Invariant: a report that is answered with 200 is on the disk if `store` is a processor.

pub mod http;
mod log;
mod report;
mod store;

use std::path::{Path, PathBuf};

use hyper::HeaderMap;
use kukla_site::ProcessorError;

use super::exchange::{Answer, RouteError};
use super::negotiation::require_json;
use crate::Log;
use http::ReportUrl;
pub(super) use report::Report;

/// The settings of report processors.
#[derive(Clone, Debug, Default)]
pub struct ReportOptions {
    /// The setting `reports`: names of processors, or `none`.
    pub processors: String,
    /// The setting `reportdir`.
    pub directory: PathBuf,
    /// Where the processor `http` posts to.
    pub url: Option<ReportUrl>,
    /// The setting `exclude_unchanged_resources`.
    pub excludes_unchanged: bool,
}

/// The receiver of reports. All threads share one.
pub struct Reports {
    options: ReportOptions,
    numbers: store::ReportNumbers,
    log: Log,
}

/// Runs a processor that is Ruby code: its name, and the report as the agent sent it.
pub type RubyProcessor<'a> = &'a dyn Fn(&str, &str) -> Result<(), ProcessorError>;

impl std::fmt::Debug for Reports {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reports").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Reports {
    /// Makes a receiver.
    pub fn new(options: ReportOptions, log: Log) -> Self {
        Self { options, numbers: store::ReportNumbers::default(), log }
    }

    /// Returns the setting `reportdir`.
    pub fn directory(&self) -> &Path {
        &self.options.directory
    }

    /// Answers `PUT report/NODE`. Processors that are not native run in `ruby`, which gets a name and the report.
    pub fn answer(
        &self,
        node: &str,
        headers: &HeaderMap,
        body: &[u8],
        ruby: RubyProcessor<'_>,
    ) -> Result<Answer, RouteError> {
        self.process(&read(node, headers, body)?, body, ruby)
    }

    /// Hands a report to all processors; `body` is its text.
    pub(super) fn process(
        &self,
        report: &Report,
        body: &[u8],
        ruby: RubyProcessor<'_>,
    ) -> Result<Answer, RouteError> {
        let names = self.names();
        let text = std::str::from_utf8(body).unwrap_or_default();
        for name in &names {
            self.run(name, report, &|name| ruby(name, text))?;
        }
        let names: Vec<_> = names.iter().map(|name| serde_json::Value::from(*name)).collect();
        Ok(Answer::json(serde_json::Value::from(names).to_string()))
    }

    /// Returns the names of the processors; `none` alone is none.
    fn names(&self) -> Vec<&str> {
        let setting = self.options.processors.trim();
        if setting == "none" {
            return Vec::new();
        }
        setting.split(',').map(str::trim).filter(|name| !name.is_empty()).collect()
    }

    fn run(
        &self,
        name: &str,
        report: &Report,
        ruby: &dyn Fn(&str) -> Result<(), ProcessorError>,
    ) -> Result<(), RouteError> {
        match name {
            "store" => {
                let yaml = self.yaml(report)?;
                let stored =
                    store::store(&self.numbers, &self.options.directory, report.host(), &yaml);
                stored.map_err(|error| {
                    let directory = self.options.directory.display();
                    let host = report.host();
                    let words =
                        format!("Could not write report for {host} below {directory}: {error}");
                    (self.log)(&words);
                    RouteError::Failed(words)
                })
            }
            "log" => {
                log::write(report, &self.log);
                Ok(())
            }
            "http" => {
                let yaml = self.yaml(report)?;
                self.post(yaml);
                Ok(())
            }
            // As with Puppet, a failure is logged, and the agent does not hear of it.
            other => {
                if let Err(error) = ruby(other) {
                    let words = format!("{other}, for {}: {error}", report.host());
                    (self.log)(&format!("Report processor failed: {}", log::printable(&words)));
                }
                Ok(())
            }
        }
    }

    fn yaml(&self, report: &Report) -> Result<String, RouteError> {
        let yaml = report.yaml(self.options.excludes_unchanged);
        yaml.map_err(|error| RouteError::Failed(error.to_string()))
    }

    /// Posts a report. As with Puppet, a failure is logged, and the agent does not hear of it.
    fn post(&self, yaml: String) {
        let posted = match &self.options.url {
            Some(url) => http::post(url, yaml),
            None => Err(http::PostError::NoUrl),
        };
        if let Err(error) = posted {
            let url = self.options.url.as_ref().map(ToString::to_string).unwrap_or_default();
            (self.log)(&format!("Unable to submit report to {url}: {error}"));
        }
    }
}

/// Reads a report, which must be that of a node.
pub(super) fn read(node: &str, headers: &HeaderMap, body: &[u8]) -> Result<Report, RouteError> {
    require_json(headers)?;
    let invalid = |reason: String| {
        let words = format!("The request body is invalid: Could not intern from json: {reason}");
        RouteError::BadRequest(words)
    };
    let text = std::str::from_utf8(body).map_err(|_| invalid("it is not UTF-8".to_owned()))?;
    let report = Report::parse(text).map_err(|error| invalid(error.to_string()))?;
    if report.host() != node {
        let host = report.host();
        let words = format!("Instance name {host:?} does not match requested key {node:?}");
        return Err(RouteError::Failed(words));
    }
    match is_harmless(node) {
        true => Ok(report),
        false => Err(RouteError::BadRequest(format!("Invalid node name {node:?}"))),
    }
}

/// Returns whether a name can be that of a directory.
fn is_harmless(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && name.len() <= 255 && !name.contains(['/', '\0'])
}
