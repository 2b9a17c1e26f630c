//! Chores of the project, run as `cargo xtask NAME`.
//!
//! `test` runs everything; the others are for work in between.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "chores run programs and write files"
)]

mod bench;
mod browsers;
mod catalog_checks;
mod catalog_record;
mod catalog_specs;
mod catalogs;
mod compare;
mod compare_eval;
mod dist;
mod docs;
mod gain;
mod needs;
mod packages;
mod peers;
mod picture;
mod record;
mod reference;
mod restypes;
mod ruby;
mod score;
#[cfg(test)]
mod shared_build;
mod shell;
mod soundness;
mod survey;
mod test;
mod tidy;
mod types;
mod xpp;

use std::process::ExitCode;

use clap::Parser;

/// Chores of the project.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Chore {
    Test(test::Test),
    Record(record::Record),
    Compare(compare::Compare),
    Docs(reference::Docs),
    Bench(bench::Bench),
    Browsers(browsers::Browsers),
    Dist(dist::Dist),
    Soundness(soundness::Soundness),
    Tidy(tidy::Tidy),
}

fn main() -> ExitCode {
    let outcome = match Chore::parse() {
        Chore::Test(chore) => chore.run(),
        Chore::Record(chore) => chore.run(),
        Chore::Compare(chore) => chore.run(),
        Chore::Docs(chore) => chore.run(),
        Chore::Bench(chore) => chore.run(),
        Chore::Browsers(chore) => chore.run(),
        Chore::Dist(chore) => chore.run(),
        Chore::Soundness(chore) => chore.run(),
        Chore::Tidy(chore) => chore.run(),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            shell::say(&format!("error: {error:#}"));
            ExitCode::from(2)
        }
    }
}
