//! `kukla compile --jsonl`: requests and catalogs, one per line.

mod request;
mod sites;

use std::fmt::Write as _;
use std::io::{self, BufRead, Read as _, Write};
use std::time::Duration;

use anyhow::Context;
use kukla_catalog::json;
use kukla_compiler::answer;
use kukla_compiler::compile::Compiled;
use kukla_pcore::Value;
use kukla_rubytext::json as ruby_json;
use kukla_site::uuid;
use kukla_world::{Disk, coprocess_time, files};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value as Json, json};

use crate::Exit;
use crate::log::LogStyle;
use crate::settings::SettingArgs;
use crate::shell::Shell;
use request::{Fields, Question};
use sites::Sites;

/// Answers requests on standard input until it ends.
pub(super) fn run(args: &SettingArgs, shell: &Shell) -> anyhow::Result<Exit> {
    let mut sites = Sites::new(args, shell)?;
    let mut out = io::stdout().lock();
    let mut input = io::stdin().lock();
    while let Some(line) = next_line(&mut input).context("cannot read standard input")? {
        if line.trim().is_empty() {
            continue;
        }
        let answer = match Fields::parse(&line) {
            Ok(fields) => answer_to(&fields, &mut sites),
            Err(error) => json!({ "error": format!("{error:#}") }).to_string(),
        };
        writeln!(out, "{answer}").and_then(|()| out.flush()).context("cannot answer")?;
    }
    Ok(Exit::Success)
}

/// Reads a line of at most [`files::MAX_STREAM`] bytes.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    input.by_ref().take(files::MAX_STREAM + 1).read_line(&mut line)?;
    match line.len() as u64 > files::MAX_STREAM {
        true => {
            let message = format!("a request has more than {} MB", files::MAX_STREAM >> 20);
            Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
        }
        false => Ok((!line.is_empty()).then_some(line)),
    }
}

fn answer_to(fields: &Fields, sites: &mut Sites) -> String {
    let start = cpu_time();
    let question = Question::new(fields, sites);
    let compiled = question.as_ref().map(Question::compile);
    let cold = cpu_time().saturating_sub(start);
    let stored = match (&question, &compiled) {
        (Ok(question), Ok(compiled)) => question.store_exports(compiled),
        _ => Ok(()),
    };
    let (catalog, mut logs) = match compiled {
        Ok(compiled) => {
            let logs = logs(&compiled, fields.has_debug());
            let catalog = compiled.catalog.map_err(|failure| failure.to_string());
            (stored.map_err(|error| error.to_string()).and(catalog), logs)
        }
        Err(error) => (Err(format!("{error:#}")), Vec::new()),
    };
    let warnings = sites.take_warnings();
    logs.extend(warnings.iter().map(|text| json!({ "level": "warning", "message": text })));
    let mut members = format!("{{\"id\":{}", json_text(fields.get("id")));
    let uuid = uuid::random(&Disk).map_err(|error| error.to_string());
    match catalog.and_then(|catalog| Ok((catalog, uuid?))) {
        Ok((catalog, uuid)) => {
            members.push_str(",\"catalog\":");
            members.push_str(&json::write(&catalog, &uuid));
            if question.as_ref().is_ok_and(Question::has_exports) {
                members.push_str(",\"exported\":");
                members.push_str(&json::exported(&catalog));
            }
        }
        Err(message) => {
            members.push_str(",\"error\":");
            members.push_str(&Json::from(message.as_str()).to_string());
        }
    }
    let _ = write!(members, ",\"logs\":{}", Json::from(logs));
    let _ = write!(members, ",\"cold_cpu_ms\":{}", milliseconds(cold));
    if let Some(warm) = question.ok().and_then(|question| warm(&question)) {
        let _ = write!(members, ",\"warm_cpu_ms\":{}", milliseconds(warm));
    }
    members.push('}');
    members
}

fn logs(compiled: &Compiled, has_debug: bool) -> Vec<Json> {
    let style = LogStyle { has_debug, node: None };
    style.visible(&compiled.log).map(answer::log).collect()
}

/// Returns the shortest time of a request's rounds, measured like the oracle: until the catalog is data, not yet text.
fn warm(question: &Question) -> Option<Duration> {
    let times = (0..question.rounds).filter_map(|_| {
        let start = cpu_time();
        let compiled = question.compile();
        let time = cpu_time().saturating_sub(start);
        compiled.catalog.is_ok().then_some(time)
    });
    times.min()
}

fn json_text(value: &Value) -> String {
    ruby_json::generate(value, &ruby_json::Style::compact()).unwrap_or_else(|_| "null".to_owned())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Returns the processor time of this process and of the real Ruby that it has started.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0)) + coprocess_time()
}
