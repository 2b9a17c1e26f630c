//! Real agents and `kukla serve`, alone and beside Puppet Server with the same directories.
//!
//! A scenario (`scenarios`) is a function that writes code, runs agents on a [`stage::Stage`] and checks what they did.
//! The stage notes what each run changed: exit status, events of the report, files on disk. `cargo test` plays the
//! quick scenarios; `cargo xtask test --peers` plays all of them, and on Debian's Puppet Server too, whose notes must be
//! the same. `KUKLA_AGENT=DIR` names the source tree of another agent, such as OpenVox 8; `ONLY=TEXT,TEXT`
//! leaves out scenarios whose names have none of the texts.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests read and write files, run programs and measure time"
)]

mod authority;
mod processes;
mod run;
mod scenarios;
mod stage;

use std::panic::{AssertUnwindSafe, catch_unwind};

use scenarios::{SCENARIOS, Scenario, Where};
use stage::{Program, Stage};

/// Plays scenarios on a stage; returns the notes of each, or the reason why it failed.
fn play(stage: &Stage, scenarios: &[&Scenario]) -> Vec<(&'static str, Result<String, String>)> {
    let play_one = |scenario: &Scenario| {
        let start = std::time::Instant::now();
        let played = catch_unwind(AssertUnwindSafe(|| (scenario.play)(stage)));
        let notes = stage.take_notes();
        say(&format!("{}: {} ({:.1?})", stage.name(), scenario.name, start.elapsed()));
        played.map(|()| notes.clone()).map_err(|panic| {
            let words = panic.downcast_ref::<String>().map_or("", String::as_str);
            format!("{words}\n{notes}")
        })
    };
    scenarios.iter().map(|scenario| (scenario.name, play_one(scenario))).collect()
}

/// Shows how far a long test is.
#[expect(clippy::print_stderr, reason = "the test harness shows it with a failure only")]
pub(crate) fn say(text: &str) {
    eprintln!("{text}");
}

/// Returns whether the variable `ONLY`, if it is set, has a part of the scenario's name, among others after commas.
fn is_named(scenario: &Scenario) -> bool {
    let only = std::env::var("ONLY").unwrap_or_default();
    only.split(',').any(|part| scenario.name.contains(part))
}

fn assert_played(stage: &Stage, chosen: impl Fn(&Scenario) -> bool) {
    let scenarios: Vec<&Scenario> = SCENARIOS.iter().filter(|scenario| chosen(scenario)).collect();
    assert!(!scenarios.is_empty());
    let failures: Vec<String> = play(stage, &scenarios)
        .into_iter()
        .filter_map(|(name, played)| Some(format!("== {name}\n{}", played.err()?)))
        .collect();
    assert!(failures.is_empty(), "{}\nlog of the server:\n{}", failures.join("\n"), stage.log());
}

/// The scenarios that agents must pass in every test run.
#[test]
fn needs_agent_quick_scenarios() {
    let stage = Stage::kukla(Program::debian(), "quick");
    assert_played(&stage, |scenario| scenario.is_quick);
}

#[test]
#[ignore = "takes minutes; `cargo xtask test --peers` runs it"]
fn peers_all_scenarios_needs_agent() {
    let stage = Stage::kukla(Program::chosen(), "all");
    let version = stage.agent_version();
    assert_played(&stage, |scenario| scenario.place.takes(version) && is_named(scenario));
}

/// Every scenario on Kukla and on Puppet Server: the same events, and the same files on disk.
#[test]
#[ignore = "takes minutes; `cargo xtask test --peers` runs it"]
fn peers_same_events_and_files_needs_puppetserver() {
    let puppet = Stage::puppet_server(Program::chosen());
    let kukla = Stage::kukla(Program::chosen(), "beside");
    let is_chosen = |scenario: &&Scenario| scenario.place == Where::Beside && is_named(scenario);
    let beside = SCENARIOS.iter().filter(is_chosen);
    let beside: Vec<&Scenario> = beside.collect();
    let (theirs, own) = (play(&puppet, &beside), play(&kukla, &beside));
    let mut problems = Vec::new();
    for ((name, theirs), (_, own)) in theirs.into_iter().zip(own) {
        match (theirs, own) {
            (Ok(theirs), Ok(own)) if theirs == own => (),
            (Ok(theirs), Ok(own)) => {
                problems.push(format!("== {name}\nPuppet Server:\n{theirs}\nKukla:\n{own}"));
            }
            (Err(error), _) => problems.push(format!("== {name}, Puppet Server\n{error}")),
            (_, Err(error)) => problems.push(format!("== {name}, Kukla\n{error}")),
        }
    }
    let n_scenarios = beside.len();
    assert!(problems.is_empty(), "{} of {n_scenarios}:\n{}", problems.len(), problems.join("\n"));
}
