//! Evaluation in this process, on one core, compared with warm Puppet.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use kukla_compiler::{Functions, Limits, Session, Strictness};
use kukla_pcore::Hash;
use kukla_tests::Oracle;
use serde_json::json;

use crate::Options;
use crate::clock::{cpu_time, shortest};
use crate::table::{Table, milliseconds};
use crate::tasks::{TASKS, Task};

/// Measures the CPU time of each task: both sides are repeated equally long, and the shortest time counts.
pub(crate) fn tasks(options: &Options, table: &mut Table) -> Result<()> {
    let mut puppet = if options.no_puppet { None } else { Oracle::start_eval().ok() };
    let mut ratios = Vec::new();
    for task in TASKS.iter().filter(|task| task.name.contains(&options.only)) {
        let ours = our_time(options, task)?;
        table.row(&format!("eval, {}: kukla", task.name), &milliseconds(ours));
        let Some(puppet) = &mut puppet else { continue };
        let theirs = puppet_time(puppet, task, options.seconds)?;
        table.row(&format!("eval, {}: puppet, warm", task.name), &milliseconds(theirs));
        table.ratio("  ratio", theirs, ours);
        ratios.push(theirs.as_secs_f64() / ours.as_secs_f64());
    }
    if !ratios.is_empty() {
        let logs: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        let mean = (logs / ratios.len() as f64).exp();
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        table.row("eval, ratios", &format!("geometric mean {mean:.0} ×, least {least:.0} ×"));
    }
    Ok(())
}

fn our_time(options: &Options, task: &Task) -> Result<Duration> {
    let library = Arc::new(Functions::new(kukla_stdlib::BUILT_IN));
    let mut session = Session::new(library, Strictness::default(), Limits::default(), &Hash::new());
    let defined = session.evaluate(task.definitions, "/bench.pp");
    ensure!(defined.value.is_ok(), "{}: {:?}", task.name, defined.value);
    let program = session.program(task.code, "/bench.pp").map_err(anyhow::Error::msg)?;
    let mut result = Ok(());
    let time = shortest(options.seconds, || {
        cpu_time(|| {
            if let Err(failure) = session.run(&program) {
                result = Err(anyhow::anyhow!("{}: {failure}", task.name));
            }
        })
    });
    result.map(|()| time)
}

fn puppet_time(puppet: &mut Oracle, task: &Task, seconds: f64) -> Result<Duration> {
    let question =
        json!({ "bench": task.code, "definitions": task.definitions, "seconds": seconds });
    let answer = puppet.ask_json(&question)?;
    let seconds = answer["seconds"].as_f64();
    let seconds = seconds.with_context(|| format!("{}: Puppet says {answer}", task.name))?;
    Ok(Duration::from_secs_f64(seconds))
}
