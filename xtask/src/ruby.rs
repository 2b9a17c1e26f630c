//! `cargo xtask compare erb` and `functions`: the Ruby of modules in the interpreter, beside a real Ruby.

use anyhow::Result;
use kukla_tests::ruby::{MODULES, Score, functions, sandboxed, templates};

use crate::shell::{progress, say};

/// Renders all templates of Debian's modules and of tests/spec/erb on both sides.
pub(crate) fn erb(filter: &[String], show: usize) -> Result<bool> {
    let files = chosen(templates::files(MODULES), filter);
    let n = files.len();
    let score =
        templates::compare(&sandboxed()?, &files, &mut |done| progress("templates", done, n))?;
    Ok(tell(&score, show))
}

/// Calls all functions of Debian's modules on both sides.
pub(crate) fn functions(filter: &[String], show: usize) -> Result<bool> {
    let files = chosen(functions::files(MODULES), filter);
    let n = files.len();
    let score =
        functions::compare(&sandboxed()?, &files, &mut |done| progress("functions", done, n))?;
    Ok(tell(&score, show))
}

fn chosen(files: Vec<std::path::PathBuf>, filter: &[String]) -> Vec<std::path::PathBuf> {
    let is_wanted = |path: &std::path::PathBuf| {
        filter.is_empty() || filter.iter().any(|part| path.to_string_lossy().contains(part))
    };
    files.into_iter().filter(is_wanted).collect()
}

fn tell(score: &Score, show: usize) -> bool {
    for line in score.different.iter().take(show) {
        say(&format!("different: {line}"));
    }
    for line in &score.refused {
        say(&format!("left to a real Ruby: {line}"));
    }
    say(&score.to_string());
    score.different.is_empty()
}
