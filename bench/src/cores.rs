//! Parallel catalogs: on one thread, on two, and in two processes, which share nothing.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use kukla_tests::catalog::{environment, kukla};
use serde_json::{Value, json};

use crate::clock::quiet;
use crate::table::{Table, milliseconds};

/// Number of compilations per node.
const COPIES: usize = 20;
const ROUNDS: usize = 5;

/// Measures nodes of one environment, all with the same facts.
pub(crate) fn fleet(
    nodes: &[String],
    environments: &Path,
    facts: &Path,
    table: &mut Table,
) -> Result<()> {
    let facts = Facts::write(nodes, facts)?;
    let program = kukla::program()?;
    let compile = |n_threads: &str| {
        let mut command = Command::new(&program);
        command.arg("compile").arg("--environmentpath").arg(environments);
        command.args(["--edition", kukla_tests::edition().as_str()]);
        command.args(["--environment", environment::NAME, "--format", "json", "--facts"]);
        command.arg(&facts.0).env("RAYON_NUM_THREADS", n_threads);
        command
    };
    let mut best = [Duration::MAX; 3];
    for _ in 0..ROUNDS {
        let all = [vec![compile("1")], vec![compile("2")], vec![compile("1"), compile("1")]];
        for (best, commands) in best.iter_mut().zip(all) {
            *best = (*best).min(together(commands)?);
        }
    }
    let [one, two, apart] = best.map(|time| time.as_secs_f64());
    let name = format!("{} catalogs, one thread", COPIES * nodes.len());
    table.row(&name, &milliseconds(best[0]));
    table.row("  two threads", &format!("{:.2} × as many per second", one / two));
    table.row("  two processes at once", &format!("{:.2} × as many per second", 2.0 * one / apart));
    Ok(())
}

/// Returns the wall-clock time of concurrent programs.
fn together(commands: Vec<Command>) -> Result<Duration> {
    let start = Instant::now();
    let running: Vec<_> =
        commands.into_iter().map(|mut command| quiet(&mut command)).collect::<Result<_>>()?;
    for mut child in running {
        ensure!(child.wait()?.success(), "not every node has a catalog");
    }
    Ok(start.elapsed())
}

/// A temporary directory of facts.
struct Facts(PathBuf);

impl Facts {
    fn write(nodes: &[String], facts: &Path) -> Result<Self> {
        let directory =
            Self(std::env::temp_dir().join(format!("kukla-facts-{}", std::process::id())));
        std::fs::create_dir_all(&directory.0)?;
        let text = std::fs::read_to_string(facts).context("the facts can be read")?;
        let all: Value = serde_json::from_str(&text)?;
        let values = all.get("values").unwrap_or(&all);
        for node in nodes {
            let text = json!({ "name": node, "values": values }).to_string();
            for copy in 0..COPIES {
                std::fs::write(directory.0.join(format!("{copy}-{node}.json")), &text)?;
            }
        }
        Ok(directory)
    }
}

impl Drop for Facts {
    fn drop(&mut self) {
        // A directory that can't be removed stays among temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
