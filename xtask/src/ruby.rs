//! `cargo xtask compare erb` and `functions`: the Ruby of modules in the interpreter, compared with a real Ruby.

use anyhow::Result;
use kukla_tests::ruby::{MODULES, Score, functions, sandboxed, templates};

use crate::shell::{progress, say};

/// Renders all templates of Debian's modules and of tests/spec/erb on both sides.
pub(crate) fn erb(filter: &[String], show: usize) -> Result<bool> {
    let modules = modules();
    let files = chosen(templates::files(&modules), filter);
    let n = files.len();
    let pool = sandboxed(&modules)?;
    let score = templates::compare(&pool, &files, &mut |done| progress("templates", done, n))?;
    Ok(tell(&score, show))
}

/// Calls all functions of Debian's modules on both sides.
pub(crate) fn functions(filter: &[String], show: usize) -> Result<bool> {
    let modules = modules();
    let files = chosen(functions::files(&modules), filter);
    let n = files.len();
    let pool = sandboxed(&modules)?;
    let done = &mut |done| progress("functions", done, n);
    let score = functions::compare(&pool, &modules, &files, done)?;
    Ok(tell(&score, show))
}

/// Returns the directory of Debian's modules, or the one that `MODULEPATH` names.
fn modules() -> String {
    std::env::var("MODULEPATH").unwrap_or_else(|_| MODULES.to_owned())
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
    for line in score.unreached.iter().take(show) {
        say(&format!("not reached: {line}"));
    }
    for line in &score.refused {
        say(&format!("with the worker: {line}"));
    }
    for line in &score.changing {
        say(&format!("never the same twice: {line}"));
    }
    for line in &score.skipped {
        say(&format!("not compared: {line}"));
    }
    say(&score.to_string());
    score.different.is_empty()
}
