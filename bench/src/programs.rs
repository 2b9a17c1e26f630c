//! The two commands as users start them.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::Options;
use crate::clock::{median, peak_memory, shortest, wall_time};
use crate::inputs::{Tree, manifest};
use crate::table::{Table, megabytes_per_second, milliseconds};

/// Measures time and memory of `kukla validate` and `puppet parser validate` on all manifests of the tree.
pub(crate) fn tree(options: &Options, tree: &Tree, table: &mut Table) -> Result<()> {
    let Some(kukla) = kukla() else {
        table.row("kukla validate", "the program `kukla` is not built");
        return Ok(());
    };
    let mut ours = Command::new(&kukla);
    ours.arg("validate").arg(&tree.folder);
    let time = median(15, || wall_time(&mut ours))?;
    table.row("tree, wall clock: kukla validate (all cores)", &milliseconds(time));
    let has_puppet = Command::new("puppet").arg("--version").output().is_ok();
    if has_puppet && !options.no_puppet {
        let mut theirs = Command::new("puppet");
        theirs.args(["parser", "validate"]).args(&tree.manifests);
        let theirs = wall_time(&mut theirs)?;
        table.row("tree, wall clock: puppet parser validate", &milliseconds(theirs));
        table.ratio("  ratio", theirs, time);
    }
    let peak = peak_memory(&mut ours)? as f64 / 1e6;
    table.row("tree, peak memory: kukla validate", &format!("{peak:.1} MB"));
    Ok(())
}

/// Measures `kukla validate` on one small manifest.
pub(crate) fn small_file(options: &Options, table: &mut Table) -> Result<()> {
    let Some(kukla) = kukla() else { return Ok(()) };
    let path = std::env::temp_dir().join("kukla-bench-small.pp");
    std::fs::write(&path, manifest(1000, 0))
        .with_context(|| format!("cannot write `{}`", path.display()))?;
    let n_runs = if options.seconds < 1.0 { 21 } else { 101 };
    let time = median(n_runs, || wall_time(Command::new(&kukla).arg("validate").arg(&path)))?;
    table.row("one small file, wall clock: kukla validate", &milliseconds(time));
    Ok(())
}

/// Measures `kukla validate` on one manifest and on one ten times as large.
///
/// Not in this process: there the smaller one would reuse memory of the run before.
pub(crate) fn growth(options: &Options, table: &mut Table) -> Result<()> {
    let Some(kukla) = kukla() else { return Ok(()) };
    let mut times = Vec::new();
    for bytes in [options.large * 100_000, options.large * 1_000_000] {
        let path = std::env::temp_dir().join("kukla-bench-large.pp");
        std::fs::write(&path, manifest(bytes, 0))
            .with_context(|| format!("cannot write `{}`", path.display()))?;
        let mut command = Command::new(&kukla);
        command.arg("validate").arg(&path);
        let time = shortest(options.seconds, || wall_time(&mut command).unwrap_or(Duration::MAX));
        let peak = peak_memory(&mut command)? as f64 / 1e6;
        let name = format!("one manifest of {} MB, wall clock: kukla validate", bytes / 1_000_000);
        let speed = megabytes_per_second(bytes, time);
        table.row(&name, &format!("{}, {speed}, {peak:.0} MB of memory", milliseconds(time)));
        times.push(time);
    }
    table.ratio("  growth for ten times the size", times[1], times[0]);
    Ok(())
}

/// Returns the path of the program, built beside this one.
pub(crate) fn kukla() -> Option<PathBuf> {
    let path = std::env::current_exe().ok()?.with_file_name("kukla");
    path.exists().then_some(path)
}
