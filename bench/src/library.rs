//! Parsing and validation in this process, on one core.

use std::hint::black_box;
use std::time::Duration;

use anyhow::{Context, Result};
use kukla_syntax::{Options as Reading, check};
use kukla_tests::Oracle;
use serde_json::json;

use crate::Options;
use crate::clock::{cpu_time, shortest};
use crate::inputs::{Tree, manifest};
use crate::table::{Table, megabytes_per_second, milliseconds};

/// Number of manifests that Puppet reads before its clock starts.
const WARM: usize = 400;

/// Measures manifests of three sizes.
pub(crate) fn sizes(options: &Options, table: &mut Table) {
    for (name, bytes) in [("small", 2_000), ("medium", 100_000), ("large", 2_000_000)] {
        let text = manifest(bytes, 0);
        // The clock is too coarse for one small manifest.
        let n_rounds = (2_000_000 / text.len()).clamp(1, 1000);
        let rounds = || std::iter::repeat_n(text.as_str(), n_rounds);
        let time = shortest(options.seconds / 4.0, || check_all(rounds()));
        let time = time.div_f64(n_rounds as f64);
        let name = format!("{name} manifest ({} kB), parse + validate", text.len() / 1000);
        table.row(
            &name,
            &format!("{}, {}", milliseconds(time), megabytes_per_second(text.len(), time)),
        );
    }
}

/// Measures all manifests of the tree: CPU time of warm Puppet and of Kukla.
pub(crate) fn beside_puppet(options: &Options, tree: &Tree, table: &mut Table) -> Result<()> {
    let texts = || tree.texts.iter().map(String::as_str);
    let ours = shortest(options.seconds, || check_all(texts()));
    let speed = megabytes_per_second(tree.bytes(), ours);
    table.row("tree, CPU of parse + validate: kukla", &format!("{}, {speed}", milliseconds(ours)));
    if options.no_puppet {
        return Ok(());
    }
    let Ok(mut puppet) = Oracle::start() else {
        table.row("tree, CPU of parse + validate: puppet", "there is no Puppet");
        return Ok(());
    };
    let theirs = puppet_time(&mut puppet, tree)?;
    let speed = megabytes_per_second(tree.bytes(), theirs);
    let name = format!("tree, CPU of parse + validate: puppet {}, warm", puppet.version);
    table.row(&name, &format!("{}, {speed}", milliseconds(theirs)));
    table.ratio("  ratio", theirs, ours);
    Ok(())
}

fn check_all<'a>(texts: impl IntoIterator<Item = &'a str>) -> Duration {
    let reading = Reading::default();
    cpu_time(|| {
        for text in texts {
            black_box(check(black_box(text), &reading));
        }
    })
}

fn puppet_time(puppet: &mut Oracle, tree: &Tree) -> Result<Duration> {
    let paths: Vec<String> =
        tree.manifests.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let answer = puppet.ask_json(&json!({ "bench": paths, "warm": WARM }))?;
    let seconds = answer["seconds"].as_f64().context("Puppet did not measure")?;
    Ok(Duration::from_secs_f64(seconds))
}
