//! Lookups, and checks of data: in this process compared with warm Puppet, and as commands.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use kukla_compiler::compile::Request;
use kukla_compiler::{Strict, Strictness};
use kukla_pcore::{Hash, Value};
use kukla_site::Environment;
use kukla_site::{Options as Given, Snapshot};
use kukla_tests::Oracle;
use serde_json::json;

use crate::Options;
use crate::clock::{cpu_time, median, shortest, wall_time};
use crate::programs::kukla;
use crate::table::{Table, milliseconds};

const N_LEVELS: usize = 7;
const N_KEYS: usize = 10_000;
const N_CLASSES: usize = 1_000;
const LEVELS: [&str; N_LEVELS] = ["host", "role", "site", "rack", "os", "kernel", ""];

/// A temporary directory.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Result<Self> {
        let path = std::env::temp_dir().join(format!("kukla-bench-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).context("cannot make a directory")?;
        Ok(Self(path))
    }

    fn write(&self, path: &str, text: &str) -> Result<()> {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(&self.0))?;
        std::fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Measures all of it.
pub(crate) fn all(options: &Options, table: &mut Table) -> Result<()> {
    parameters(options, table)?;
    explained(options, table)?;
    checked(table)
}

fn key(n: usize) -> String {
    format!("class{}::parameter{}", n / 10, n % 10)
}

/// Returns a hierarchy of seven levels with ten thousand keys, each in one of them, some in two.
fn files() -> Vec<(String, String)> {
    let mut hiera = String::from("version: 5\nhierarchy:\n");
    let mut levels = vec![String::new(); N_LEVELS];
    for n in 0..N_KEYS {
        let _ = writeln!(levels[n % N_LEVELS], "{}: value {n}", key(n));
    }
    let mut files = Vec::new();
    for (level, text) in LEVELS.iter().zip(levels) {
        let (path, file) = match *level {
            "" => ("common.yaml".to_owned(), "common.yaml".to_owned()),
            fact => (format!("{fact}/%{{facts.{fact}}}.yaml"), format!("{fact}/x.yaml")),
        };
        let _ = writeln!(hiera, "  - {{ name: level {level}, path: \"{path}\" }}");
        files.push((format!("data/{file}"), text));
    }
    files.push(("hiera.yaml".to_owned(), hiera));
    files.push(("environment.conf".to_owned(), "modulepath = modules\n".to_owned()));
    files
}

fn parameters(options: &Options, table: &mut Table) -> Result<()> {
    let folder = Folder::new("data")?;
    for (path, text) in files() {
        folder.write(&path, &text)?;
    }
    let ours = our_time(options, &folder.0)?;
    let rate = |time: Duration| N_KEYS as f64 / time.as_secs_f64();
    let per_second = |time: Duration| format!("{:.0} per second", rate(time));
    table.row("parameters, 7 levels, 10 000 keys: kukla", &per_second(ours));
    let puppet = if options.no_puppet { None } else { Oracle::start_script("lookup.rb").ok() };
    let Some(mut puppet) = puppet else { return Ok(()) };
    let below = |path: &str| format!("code/environments/production/{path}");
    let files: serde_json::Map<String, _> =
        files().into_iter().map(|(path, text)| (below(&path), json!(text))).collect();
    let facts: serde_json::Map<String, _> = LEVELS
        .iter()
        .filter(|level| !level.is_empty())
        .map(|l| ((*l).to_owned(), json!("x")))
        .collect();
    let keys: Vec<String> = (0..N_KEYS).map(key).collect();
    let question = json!({ "files": files, "facts": facts, "bench": keys });
    let answer = puppet.ask_json(&question)?;
    let seconds = answer["seconds"].as_f64().with_context(|| format!("Puppet says {answer}"))?;
    let theirs = Duration::from_secs_f64(seconds);
    table.row("parameters, 7 levels, 10 000 keys: puppet, warm", &per_second(theirs));
    table.ratio("  ratio", theirs, ours);
    Ok(())
}

/// Returns the CPU time of looking all keys up, after all were looked up once.
fn our_time(options: &Options, directory: &Path) -> Result<Duration> {
    let environment = Environment::open(directory, &[], &kukla_world::Disk)?;
    let given = Given { name: "production".to_owned(), strict: Strict::Error, ..Given::default() };
    let snapshot = Arc::new(Snapshot::new(environment, given, &mut Vec::new()));
    let facts: Hash = LEVELS.iter().map(|level| (Value::from(*level), Value::from("x"))).collect();
    let request = Request { node: "x".to_owned(), facts: Arc::new(facts), ..Request::default() };
    let lookups = snapshot.lookups(Strictness::default(), &request);
    let mut lookups = lookups.map_err(anyhow::Error::msg)?;
    let keys: Vec<String> = (0..N_KEYS).map(key).collect();
    let mut n_found = 0;
    let time = shortest(options.seconds, || {
        n_found = 0;
        cpu_time(|| {
            for key in &keys {
                n_found += usize::from(matches!(lookups.parameter(key), Ok(Some(_))));
            }
        })
    });
    ensure!(n_found == N_KEYS, "{n_found} of {N_KEYS} keys are found");
    Ok(time)
}

/// Measures `kukla lookup --explain` and `puppet lookup --explain`, from a cold start.
fn explained(options: &Options, table: &mut Table) -> Result<()> {
    let Some(kukla) = kukla() else { return Ok(()) };
    let folder = Folder::new("explain")?;
    for (path, text) in files() {
        folder.write(&format!("env/production/{path}"), &text)?;
    }
    folder.write("facts.json", "{\"host\": \"x\", \"role\": \"x\", \"site\": \"x\", \"rack\": \"x\", \"os\": \"x\", \"kernel\": \"x\"}")?;
    let arguments = |command: &mut Command| {
        command.current_dir(&folder.0);
        command.args(["lookup", &key(6), "--explain", "--node", "x", "--facts", "facts.json"]);
        command.args(["--environmentpath", "env", "--environment", "production"]);
    };
    let mut ours = Command::new(kukla);
    arguments(&mut ours);
    let ours = median(11, || wall_time(&mut ours))?;
    table.row("lookup --explain, cold: kukla", &milliseconds(ours));
    if options.no_puppet {
        return Ok(());
    }
    let mut theirs = Command::new("puppet");
    arguments(&mut theirs);
    theirs.args(["--vardir", "var", "--confdir", "conf"]);
    let theirs = median(3, || wall_time(&mut theirs))?;
    table.row("lookup --explain, cold: puppet", &milliseconds(theirs));
    table.ratio("  ratio", theirs, ours);
    Ok(())
}

/// Measures `kukla data check` of a thousand classes and five thousand keys.
fn checked(table: &mut Table) -> Result<()> {
    let Some(kukla) = kukla() else { return Ok(()) };
    let folder = Folder::new("check")?;
    folder.write("environment.conf", "modulepath = modules\n")?;
    folder.write("hiera.yaml", "version: 5\n")?;
    let mut data = String::new();
    for n in 0..N_CLASSES {
        let class = format!("module{}::class{n}", n / 20);
        let manifest = format!(
            "class {class} (\n  String $a,\n  Integer $b,\n  Array[String] $c = [],\n  Optional[Hash[String, Integer]] $d = undef,\n  Enum['x', 'y'] $e = 'x',\n) {{ }}\n"
        );
        folder.write(&format!("modules/module{}/manifests/class{n}.pp", n / 20), &manifest)?;
        let _ = write!(
            data,
            "{class}::a: text\n{class}::b: 1\n{class}::c: [x, y]\n{class}::d: {{ k: 1 }}\n{class}::e: y\n"
        );
    }
    folder.write("data/common.yaml", &data)?;
    let mut check = Command::new(kukla);
    check.args(["data", "check"]).current_dir(&folder.0);
    ensure!(check.output()?.status.success(), "the data are right");
    let time = median(5, || wall_time(&mut check))?;
    table.row("data check, 1 000 classes, 5 000 keys: kukla", &milliseconds(time));
    Ok(())
}
