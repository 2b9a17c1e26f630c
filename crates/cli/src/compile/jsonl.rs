//! Requests and catalogs, one a line.

use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use indexmap::IndexMap;
use kukla_catalog::exports::{Exported, Exports, InMemory, Stored};
use kukla_catalog::json;
use kukla_compiler::compile::{Compiled, Request};
use kukla_compiler::{Limits, Settings as Rules, answer};
use kukla_pcore::{Hash, Value};
use kukla_site::puppet_conf::PuppetConf;
use kukla_site::settings::Settings;
use kukla_site::{Live, Main, Options, RubyWorker, Snapshot, Timeout};
use kukla_world::paths::Anchor;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value as Json, json};

use super::node::{self, Node};
use super::{settings, uuid};
use crate::Outcome;
use crate::eval::facts_of;

/// How many environments are kept.
const MAX_KNOWN: usize = 64;

/// Environments that were asked for, by what says which one it is; the one that was used last is the last.
type Known = IndexMap<String, Environment>;

/// An environment, and its settings as of some snapshot.
struct Environment {
    live: Live<anyhow::Error>,
    settings: Option<(Weak<Snapshot>, Arc<Hash>)>,
}

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
    let question = Question::read(asked, known);
    let first = question.as_ref().map(Question::compile);
    let cold = cpu_time().saturating_sub(start);
    let (catalog, logs) = match first {
        Ok(compiled) => {
            let logs: Vec<Json> = compiled
                .log
                .iter()
                .filter(|entry| entry.level != kukla_compiler::log::Level::Debug)
                .map(answer::log)
                .collect();
            (compiled.catalog.map_err(|failure| failure.to_string()), logs)
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
    if let Ok(catalog) = &catalog
        && !asked["exports"].is_null()
    {
        members.push_str(",\"exported\":");
        members.push_str(&json::exported(catalog));
    }
    let _ = write!(members, ",\"logs\":{}", Json::from(logs));
    let _ = write!(members, ",\"cold_cpu_ms\":{}", milliseconds(cold));
    let rounds = asked["rounds"].as_u64().unwrap_or(0);
    // As the oracle measures it: until the catalog is data, not yet text.
    let warm = (0..rounds).filter_map(|_| {
        let start = cpu_time();
        let compiled = question.as_ref().ok()?.compile();
        let time = cpu_time().saturating_sub(start);
        compiled.catalog.is_ok().then_some(time)
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

/// What is asked for: like the oracle, times of warm rounds are those of the compilation, not of reading facts.
struct Question {
    snapshot: Arc<Snapshot>,
    request: Request,
    main: Main,
}

impl Question {
    fn read(asked: &Json, known: &mut Known) -> anyhow::Result<Self> {
        let text = |key: &str| asked[key].as_str();
        let name = text("environment").unwrap_or("production");
        let (snapshot, settings) = environment(asked, name, known)?;
        let facts = match &asked["facts"] {
            Json::String(path) => {
                let text = std::fs::read_to_string(path)
                    .with_context(|| format!("cannot read `{path}`"))?;
                facts_of(
                    &serde_json::from_str(&text)
                        .with_context(|| format!("`{path}` is not JSON"))?,
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
            external: Value::hash(Hash::new()),
            parameters: hash("parameters"),
            is_classified: false,
            classes: node::classes(&answer::from_json(&asked["classes"]))?,
        };
        let mut request = node.request();
        request.settings = settings;
        request.exports = exports(&asked["exports"])?;
        request.is_plain = asked["rich_data"] == false;
        let main = match text("code").filter(|code| !code.is_empty()) {
            Some(code) => Main::Code { text: code.to_owned(), file: String::new() },
            None => Main::Environment,
        };
        Ok(Self { snapshot, request, main })
    }

    fn compile(&self) -> Compiled {
        self.snapshot.compile(&self.main, Rules::default(), Limits::default(), &self.request)
    }
}

/// What a request says that nodes have exported: lists of resources, by the names of nodes.
fn exports(asked: &Json) -> anyhow::Result<Option<Arc<dyn Exports>>> {
    let nodes = match asked {
        Json::Null => return Ok(None),
        Json::Object(nodes) => nodes,
        _ => bail!("exports are no object"),
    };
    let mut stored = Vec::new();
    for (node, resources) in nodes {
        let resources = resources.as_array().ok_or_else(|| anyhow!("exports are no lists"))?;
        for resource in resources {
            let resource = exported(resource).ok_or_else(|| anyhow!("an export has no title"))?;
            stored.push(Stored { node: node.as_str().into(), resource });
        }
    }
    Ok(Some(Arc::new(InMemory(stored))))
}

fn exported(resource: &Json) -> Option<Exported> {
    let tags = resource["tags"].as_array().into_iter().flatten();
    let parameters = resource["parameters"].as_object().into_iter().flatten();
    Some(Exported {
        type_: resource["type"].as_str()?.into(),
        title: resource["title"].as_str()?.into(),
        tags: tags.filter_map(Json::as_str).map(Into::into).collect(),
        parameters: parameters
            .map(|(name, value)| (name.as_str().into(), answer::from_json(value)))
            .collect(),
    })
}

/// The environment of a request, and its settings.
fn environment(
    asked: &Json,
    name: &str,
    known: &mut Known,
) -> anyhow::Result<(Arc<Snapshot>, Arc<Hash>)> {
    let keys = [
        "environmentpath",
        "manifest",
        "modulepath",
        "hiera_config",
        "environment_timeout",
        "ruby_worker",
    ];
    let key = keys.iter().fold(name.to_owned(), |key, part| format!("{key} {}", asked[part]));
    let environment = match known.shift_remove(&key) {
        Some(environment) => environment,
        None => Environment { live: live(asked, name)?, settings: None },
    };
    if known.len() >= MAX_KNOWN {
        known.shift_remove_index(0);
    }
    let environment = known.entry(key).or_insert(environment);
    let snapshot = environment.live.snapshot()?;
    let settings = match &environment.settings {
        Some((of, settings)) if of.as_ptr() == Arc::as_ptr(&snapshot) => Arc::clone(settings),
        _ => {
            let path = asked["environmentpath"].as_str().unwrap_or_default();
            let given = vec![("environmentpath".to_owned(), path.to_owned())];
            let settings = Settings::new(PuppetConf::default(), given);
            let settings = Arc::new(settings::hash(&settings, &snapshot, name));
            environment.settings = Some((Arc::downgrade(&snapshot), Arc::clone(&settings)));
            settings
        }
    };
    Ok((snapshot, settings))
}

fn live(asked: &Json, name: &str) -> anyhow::Result<Live<anyhow::Error>> {
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        bail!("`{name}` is no name of an environment");
    }
    let timeout = match &asked["environment_timeout"] {
        Json::Null => Timeout::default(),
        Json::String(text) if text == "unlimited" => Timeout::Unlimited,
        other => match other.as_u64() {
            Some(seconds) => Timeout::Unused(Duration::from_secs(seconds)),
            None => bail!("environment_timeout is a number of seconds or `unlimited`"),
        },
    };
    let anchor = Anchor::new().context("can't find the current directory")?;
    let path = asked["environmentpath"].as_str().ok_or_else(|| anyhow!("no environmentpath"))?;
    let directory = anchor.absolute(&Path::new(path).join(name));
    let absolute = |json: &Json| json.as_str().map(|path| anchor.absolute(Path::new(path)));
    let manifest = absolute(&asked["manifest"]);
    let modulepath = asked["modulepath"]
        .as_array()
        .map(|entries| entries.iter().filter_map(absolute).collect::<Vec<PathBuf>>());
    let options = Options {
        name: name.to_owned(),
        ruby_worker: asked["ruby_worker"].as_str().and_then(RubyWorker::named).unwrap_or_default(),
        hiera_config: absolute(&asked["hiera_config"]),
        ..Options::default()
    };
    Ok(Live::new(timeout, move || {
        let mut environment = kukla_site::Environment::open(&directory, &[], &kukla_world::Disk)
            .with_context(|| format!("cannot read `{}`", directory.display()))?;
        if let Some(manifest) = &manifest {
            environment.manifest.clone_from(manifest);
        }
        if let Some(modulepath) = &modulepath {
            environment.modulepath.clone_from(modulepath);
        }
        Ok(Snapshot::new(environment, options.clone(), &mut Vec::new()))
    }))
}
