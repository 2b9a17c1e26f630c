//! Requests and catalogs, one a line.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use kukla_catalog::json;
use kukla_compiler::compile::Compiled;
use kukla_compiler::{Limits, Settings as Rules, answer};
use kukla_environment::{Main, Options, RubyWorker, Snapshot};
use kukla_loader::paths::Anchor;
use kukla_loader::puppet_conf::PuppetConf;
use kukla_loader::settings::Settings;
use kukla_pcore::{Hash, Value};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value as Json, json};

use super::node::{self, Node};
use super::{settings, uuid};
use crate::Outcome;
use crate::eval::facts_of;

/// Environments that were asked for, by what says which one it is.
type Known = HashMap<String, (Arc<Snapshot>, Hash)>;

/// Answers requests on standard input until it ends.
pub(super) fn run() -> anyhow::Result<Outcome> {
    let mut known = Known::new();
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line.context("cannot read standard input")?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = match serde_json::from_str(&line) {
            Ok(request) => answer_to(&request, &mut known),
            Err(error) => {
                json!({ "error": format!("the request is not JSON: {error}") }).to_string()
            }
        };
        writeln!(out, "{answer}").and_then(|()| out.flush()).context("cannot answer")?;
    }
    Ok(Outcome::Fine)
}

fn answer_to(asked: &Json, known: &mut Known) -> String {
    let start = cpu_time();
    let first = attempt(asked, known);
    let cold = cpu_time().saturating_sub(start);
    let (catalog, logs) = match first {
        Ok(compiled) => {
            let logs: Vec<Json> = compiled
                .log
                .iter()
                .filter(|entry| entry.level != kukla_compiler::log::Level::Debug)
                .map(answer::log)
                .collect();
            (compiled.catalog, logs)
        }
        Err(error) => (Err(format!("{error:#}")), Vec::new()),
    };
    let mut members = format!("{{\"id\":{}", asked["id"]);
    match &catalog {
        Ok(catalog) => {
            members.push_str(",\"catalog\":");
            members.push_str(&json::write(catalog, &uuid::random()));
        }
        Err(message) => {
            members.push_str(",\"error\":");
            members.push_str(&Json::from(message.as_str()).to_string());
        }
    }
    let _ = write!(members, ",\"logs\":{}", Json::from(logs));
    let _ = write!(members, ",\"cold_cpu_ms\":{}", milliseconds(cold));
    let rounds = asked["rounds"].as_u64().unwrap_or(0);
    let warm = (0..rounds).filter_map(|_| {
        let start = cpu_time();
        let compiled = attempt(asked, known).ok()?;
        let text = compiled.catalog.ok().map(|catalog| json::write(&catalog, ""));
        let spent = cpu_time().saturating_sub(start);
        text.map(|_| spent)
    });
    if let Some(warm) = warm.min() {
        let _ = write!(members, ",\"warm_cpu_ms\":{}", milliseconds(warm));
    }
    members.push('}');
    members
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}

fn attempt(asked: &Json, known: &mut Known) -> anyhow::Result<Compiled> {
    let text = |key: &str| asked[key].as_str();
    let name = text("environment").unwrap_or("production");
    let (snapshot, settings) = environment(asked, name, known)?;
    let facts = match &asked["facts"] {
        Json::String(path) => {
            let text =
                std::fs::read_to_string(path).with_context(|| format!("cannot read `{path}`"))?;
            facts_of(
                &serde_json::from_str(&text).with_context(|| format!("`{path}` is not JSON"))?,
            )?
        }
        Json::Null => Hash::new(),
        facts => facts_of(facts)?,
    };
    let hash = |key: &str| match answer::from_json(&asked[key]) {
        Value::Hash(hash) => (*hash).clone(),
        _ => Hash::new(),
    };
    let node = Node {
        name: text("node").unwrap_or("localhost").to_owned(),
        environment: name.to_owned(),
        facts,
        extensions: hash("trusted"),
        parameters: hash("parameters"),
        classes: node::classes(&answer::from_json(&asked["classes"]))?,
    };
    let mut request = node.request();
    request.settings = settings;
    let main = match text("code").filter(|code| !code.is_empty()) {
        Some(code) => Main::Code { text: code.to_owned(), file: String::new() },
        None => Main::Environment,
    };
    Ok(snapshot.compile(&main, Rules::default(), Limits::default(), &request))
}

/// The environment of a request, and its settings.
fn environment(
    asked: &Json,
    name: &str,
    known: &mut Known,
) -> anyhow::Result<(Arc<Snapshot>, Hash)> {
    let key = format!(
        "{} {name} {} {} {} {}",
        asked["environmentpath"],
        asked["manifest"],
        asked["modulepath"],
        asked["hiera_config"],
        asked["ruby_worker"],
    );
    if let Some(known) = known.get(&key) {
        return Ok(known.clone());
    }
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        bail!("`{name}` is no name of an environment");
    }
    let anchor = Anchor::new().context("can't find the current directory")?;
    let path = asked["environmentpath"].as_str().ok_or_else(|| anyhow!("no environmentpath"))?;
    let directory = anchor.absolute(&Path::new(path).join(name));
    let mut environment = kukla_loader::Environment::open(&directory, &[])
        .with_context(|| format!("cannot read `{}`", directory.display()))?;
    if let Some(manifest) = asked["manifest"].as_str() {
        environment.manifest = anchor.absolute(Path::new(manifest));
    }
    if let Some(modulepath) = asked["modulepath"].as_array() {
        let entries = modulepath.iter().filter_map(Json::as_str);
        environment.modulepath =
            entries.map(|entry| anchor.absolute(Path::new(entry))).collect::<Vec<PathBuf>>();
    }
    let hiera_config = asked["hiera_config"].as_str();
    let options = Options {
        name: name.to_owned(),
        ruby_worker: asked["ruby_worker"].as_str().and_then(RubyWorker::named).unwrap_or_default(),
        hiera_config: hiera_config.map(|path| anchor.absolute(Path::new(path))),
        ..Options::default()
    };
    let snapshot = Arc::new(Snapshot::new(environment, options, &mut Vec::new()));
    let given = vec![("environmentpath".to_owned(), path.to_owned())];
    let settings = Settings::new(PuppetConf::default(), given);
    let found = (Arc::clone(&snapshot), settings::hash(&settings, &snapshot, name));
    known.insert(key, found.clone());
    Ok(found)
}
