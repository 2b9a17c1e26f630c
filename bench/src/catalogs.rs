//! Catalogs: whole nodes, warm and cold, and scaling with the number of resources.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use kukla_tests::Oracle;
use kukla_tests::catalog::corpus::{Case, Corpus, NODE, USUAL_NODES};
use kukla_tests::catalog::environment::{self, Environments};
use kukla_tests::catalog::{Kukla, ORACLE, kukla};
use serde_json::{Value, json};

use crate::clock::{median, wall_time};
use crate::table::{Table, milliseconds};
use crate::{Options, cores};

const FACTS: &str = "debian12";
const ROUNDS: u64 = 200;
const PUPPET_ROUNDS: u64 = 5;
/// Those of `NODES` that are compiled both with and without serialized manifests.
const COLD_NODES: [&str; 3] = ["web2", "os-nova", "os-neutron"];
const COLD_ROUNDS: usize = 11;
/// Resources of generated manifests.
const SIZES: [usize; 4] = [100, 1_000, 10_000, 100_000];

/// Measures all of it.
pub(crate) fn nodes(options: &Options, table: &mut Table) -> Result<()> {
    let corpus = Corpus::new()?;
    let mut kukla = Kukla::start()?;
    let mut puppet = if options.no_puppet { None } else { Oracle::start_script(ORACLE).ok() };
    for (name, what) in USUAL_NODES {
        let case = Case { name: format!("{NODE}{name}.example.com"), facts: FACTS.to_owned() };
        let mut question = corpus.question(&case);
        question["rounds"] = json!(ROUNDS);
        let ours = kukla.ask(&question)?;
        question["rounds"] = json!(PUPPET_ROUNDS);
        let theirs = puppet.as_mut().map(|puppet| puppet.ask_json(&question)).transpose()?;
        node(&format!("catalog of {name} ({what})"), &ours, theirs.as_ref(), table);
    }
    if let Some(bytes) = kukla.peak_memory() {
        table.row("memory of the warm process", &format!("{:.0} MB", bytes as f64 / 1e6));
    }
    fleet(&corpus, table)?;
    cold(options, table)?;
    cold_xpp(&corpus, table)?;
    growth(table)
}

/// Compiles all of these nodes many times, on one core and on two.
fn fleet(corpus: &Corpus, table: &mut Table) -> Result<()> {
    let nodes = USUAL_NODES.map(|(name, _)| format!("{name}.example.com"));
    let case = Case { name: format!("{NODE}{}", nodes[0]), facts: FACTS.to_owned() };
    let question = corpus.question(&case);
    let path = |key: &str| question[key].as_str().map(Path::new).context("a question has paths");
    cores::fleet(&nodes, path("environmentpath")?, path("facts")?, table)
}

/// Adds the row of a node, with what Puppet takes for it.
pub(crate) fn node(name: &str, ours: &Value, theirs: Option<&Value>, table: &mut Table) {
    let Some(warm) = ours["warm_cpu_ms"].as_f64() else {
        let error = ours["error"].as_str().unwrap_or_default();
        let error: String = error.chars().take(100).collect();
        return table.row(name, &format!("none: {error}"));
    };
    let n_resources = ours["catalog"]["resources"].as_array().map_or(0, Vec::len);
    let mut figure = format!("{n_resources} resources, {warm:.3} ms warm");
    if let Some(puppet) = theirs.and_then(|theirs| theirs["warm_cpu_ms"].as_f64()) {
        let ratio = puppet / warm;
        figure = format!("{figure}, Puppet {puppet:.0} ms: {ratio:.0} ×");
    }
    table.row(name, &figure);
}

/// Measures cold starts: one process, one catalog.
fn cold(options: &Options, table: &mut Table) -> Result<()> {
    let environments = Environments::write([("manifests/site.pp", &*manifest(500))])?;
    let path = environments.path().to_string_lossy().into_owned();
    let compile = |program: &str| {
        let mut command = Command::new(program);
        match program {
            "puppet" => command.args(["catalog", "compile"]),
            _ => command.args(["compile", "--node"]),
        };
        command.args(["cold.example.com", "--environmentpath", &path]);
        command.args(["--environment", environment::NAME]);
        command
    };
    let program = kukla::program()?;
    let program = program.to_str().context("the path of `kukla` is no text")?;
    let ours = median(5, || wall_time(&mut compile(program)))?;
    table.row("cold, 500 resources", &milliseconds(ours));
    if !options.no_puppet {
        let theirs = wall_time(&mut compile("puppet"))?;
        table.ratio("cold, beside `puppet catalog compile`", theirs, ours);
    }
    Ok(())
}

/// Measures cold starts in a large environment: with parsed, and with serialized manifests.
fn cold_xpp(corpus: &Corpus, table: &mut Table) -> Result<()> {
    let program = kukla::program()?;
    for (name, what) in USUAL_NODES.into_iter().filter(|(name, _)| COLD_NODES.contains(name)) {
        let node = format!("{name}.example.com");
        let case = Case { name: format!("{NODE}{node}"), facts: FACTS.to_owned() };
        let question = corpus.question(&case);
        let text = |key: &str| question[key].as_str().context("a question has paths");
        let path = text("environmentpath")?;
        let mut build = Command::new(&program);
        build.args(["xpp", "build"]).arg(Path::new(path).join(environment::NAME));
        wall_time(&mut build)?;
        let facts = text("facts")?;
        let compile = |xpp: &str| {
            let mut command = Command::new(&program);
            command.args(["compile", xpp, "--node", &node, "--facts", facts]);
            command.args(["--edition", kukla_tests::edition().as_str()]);
            command.args(["--environmentpath", path, "--environment", environment::NAME]);
            command
        };
        let parsed = median(COLD_ROUNDS, || wall_time(&mut compile("--no-xpp")))?;
        let loaded = median(COLD_ROUNDS, || wall_time(&mut compile("--xpp")))?;
        table.row(&format!("cold, {name} ({what}), parsed"), &milliseconds(parsed));
        table.row("  loaded from serialized manifests", &milliseconds(loaded));
        table.ratio("  ratio to parsing", parsed, loaded);
    }
    Ok(())
}

/// Checks that the time per resource stays constant.
fn growth(table: &mut Table) -> Result<()> {
    let mut kukla = Kukla::start()?;
    for n_resources in SIZES {
        let environments = Environments::write([("manifests/site.pp", &*manifest(n_resources))])?;
        let answer = kukla.ask(&json!({
            "id": n_resources,
            "environmentpath": environments.path(),
            "environment": environment::NAME,
            "node": "many.example.com",
            "facts": {},
            "rounds": 3,
        }))?;
        let n_resources = answer["catalog"]["resources"].as_array().map_or(0, Vec::len);
        let warm = answer["warm_cpu_ms"].as_f64().context("the manifest has a catalog")?;
        let each = warm * 1000.0 / n_resources.max(1) as f64;
        table.row(&format!("{n_resources} resources"), &format!("{warm:.1} ms, {each:.2} µs each"));
    }
    Ok(())
}

/// Returns a manifest with about that many resources, a third of them in a define.
fn manifest(n_resources: usize) -> String {
    let n = (n_resources / 3).max(1);
    format!(
        "define item($value) {{\n  file {{ \"/srv/${{title}}\": ensure => file, content => \"${{value}}\\n\" }}\n\
         }}\nInteger[1, {n}].each |$n| {{\n  item {{ \"item${{n}}\": value => $n }}\n  \
         notify {{ \"n${{n}}\": require => Item[\"item${{n}}\"] }}\n}}\n"
    )
}
