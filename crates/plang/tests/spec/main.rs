//! The language specification in Markdown, `tests/spec/p`: one test per heading.
//!
//! A heading has a program in a `p` block (words after it: `point=request`, `point=response`, `point=mail`,
//! `lenient`), and may have a message (`http`, or `smtp` for a mail), its metadata (`json`), a registry (`toml`), answers of services (`answers`)
//! and files that are imported (`file common.p`).
//! The blocks `tree`, `diagnostics` and `outcome` are expected; a program without `diagnostics` has none.
//! A block `values` has one expression per line, `1 + 2 => 3`, `1 / 0 => fails division-by-zero` or
//! `1 + "" => error type`; each line is a case.
//!
//! Every program runs on both back ends, and they must agree. `SPEC_UPDATE=1` rewrites the blocks `tree`,
//! `diagnostics` and `outcome`; review the difference.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write files, run programs and measure time"
)]

mod case;
mod markdown;
mod outcome;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use case::{Case, cases};
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/spec/p");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
        .unwrap_or_default();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    if std::env::var_os("SPEC_UPDATE").is_some() {
        paths.iter().for_each(|path| update(path));
    }
    let mut n_cases = 0;
    let mut trials = Vec::new();
    for path in &paths {
        let topic = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for case in cases(&read(path)) {
            n_cases += case.n_cases();
            let name = format!("{topic}: {}", case.title);
            trials.push(Trial::test(name, move || check(&case)));
        }
    }
    trials.push(Trial::test("there are at least 400 cases", move || match n_cases {
        400.. => Ok(()),
        n_cases => Err(Failed::from(format!("there are only {n_cases}"))),
    }));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn read(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("the spec can be read");
    text.lines().map(str::to_owned).collect()
}

fn check(case: &Case) -> Result<(), Failed> {
    let problems = case.problems();
    if problems.is_empty() { Ok(()) } else { Err(Failed::from(problems.join("\n"))) }
}

/// Replaces the expected results by the actual ones.
fn update(path: &Path) {
    let mut lines = read(path);
    // From the end, so that the line numbers of earlier blocks stay right.
    for case in cases(&lines).iter().rev() {
        for (block, text) in case.actual().into_iter().rev() {
            lines.splice(block.start + 1..block.end - 1, text.lines().map(str::to_owned));
        }
    }
    std::fs::write(path, lines.join("\n") + "\n").expect("the spec can be written");
}
