//! Patterns with the answers of real Ruby.
//!
//! `patterns.txt` is written by hand, `ruby.jsonl` by `cargo run --example compare -- record`. Its first line names the version
//! of Ruby, and each line after it answers the pattern at the same position.

mod cases;
mod ours;

use serde_json::Value;

#[test]
fn answers_as_ruby_does() {
    let cases = cases::cases();
    let mut lines = include_str!("ruby.jsonl").lines();
    assert!(lines.next().is_some_and(|line| line.contains("3.1")), "the version is 3.1");
    let answers: Vec<Value> =
        lines.map(|line| serde_json::from_str(line).expect("answers are JSON")).collect();
    assert_eq!(answers.len(), cases.len(), "all patterns are recorded");
    let mut wrong = Vec::new();
    for (case, theirs) in cases.iter().zip(&answers) {
        if let Some(difference) = ours::difference(&ours::answer(case), theirs) {
            wrong.push(format!("{case}\n  {difference}"));
        }
    }
    assert!(wrong.is_empty(), "{} patterns differ:\n{}", wrong.len(), wrong.join("\n"));
}
