//! Queries whose answers were recorded from the real PuppetDB, asked of a store with the same commands.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "tests have files of their own, and say how many answers are equal"
)]

mod support;

use std::collections::BTreeMap;

use serde_json::Value;
use support::{Engine, Fleet, Recorded, Verdict};

const RECORDED: &str = include_str!("puppetdb/recorded.jsonl");
/// Requests that are answered otherwise on purpose: a name, or the start of names, and the reason.
const DIFFERENCES: &str = include_str!("puppetdb/differences.txt");

#[test]
fn recorded_queries_are_answered_as_puppetdb_does() {
    compare(&Fleet::new(Engine::Sqlite), "[sqlite] ", "[postgresql] ");
}

#[test]
fn needs_postgresql_recorded_queries_are_answered_as_puppetdb_does() {
    compare(&Fleet::new(Engine::Postgres), "[postgresql] ", "[sqlite] ");
}

#[test]
fn tables_of_version_4_are_brought_up_and_answer_alike() {
    compare(&Fleet::of_version_4(Engine::Sqlite), "[sqlite] ", "[postgresql] ");
}

#[test]
fn needs_postgresql_tables_of_version_4_are_brought_up_and_answer_alike() {
    compare(&Fleet::of_version_4(Engine::Postgres), "[postgresql] ", "[sqlite] ");
}

/// Compares all answers; `own` begins lines of differences that an engine alone has.
fn compare(fleet: &Fleet, own: &str, other: &str) {
    let mut differences: BTreeMap<&str, bool> = DIFFERENCES
        .lines()
        .filter(|line| !line.starts_with(other))
        .map(|line| line.strip_prefix(own).unwrap_or(line))
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
        .filter_map(|line| line.split_once(" # ").map(|(name, _)| (name.trim(), false)))
        .collect();
    let mut problems = Vec::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in RECORDED.lines() {
        let recorded: Recorded = Recorded::read(line);
        let verdict = recorded.compare(fleet);
        let listed = differences.get_mut(recorded.name.as_str());
        let kind = match (&verdict, listed) {
            (Verdict::Equal, None) => "equal",
            (Verdict::Refused, None) => "refused where PuppetDB fails",
            (Verdict::Different(_), Some(is_used)) => {
                *is_used = true;
                "listed"
            }
            (Verdict::Different(words), None) => {
                problems.push(format!("{}: {words}", recorded.name));
                "different"
            }
            (Verdict::Equal | Verdict::Refused, Some(is_used)) => {
                *is_used = true;
                problems.push(format!("{}: listed, but no longer different", recorded.name));
                "different"
            }
        };
        *counts.entry(kind).or_default() += 1;
    }
    let unused = differences.iter().filter(|(_, is_used)| !**is_used);
    problems.extend(unused.map(|(name, _)| format!("{name}: listed, but not recorded")));
    println!("{counts:?}");
    assert!(
        problems.is_empty(),
        "{counts:?}\n{} problems:\n{}",
        problems.len(),
        problems.join("\n")
    );
    let equal = counts.get("equal").copied().unwrap_or_default();
    let listed = counts.get("listed").copied().unwrap_or_default();
    assert!(listed * 50 <= equal + listed, "more than 2 % are listed: {listed} beside {equal}");
}

#[test]
fn a_parsed_query_is_json() {
    let fleet = Fleet::new_empty(Engine::Sqlite);
    let parameters = [("query", "nodes { certname = 'x' }"), ("ast_only", "true")];
    let answer = fleet.get("", &parameters).expect("an answer");
    let expected: Value = serde_json::json!(["from", "nodes", ["=", "certname", "x"]]);
    assert_eq!(serde_json::from_str::<Value>(&answer.body).expect("JSON"), expected);
}
