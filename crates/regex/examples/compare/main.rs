//! Compares Kukla's regular expressions with Ruby's, live.
//!
//! ```text
//! cargo run -p kukla-regex --example compare -- random SEED COUNT   random patterns
//! cargo run -p kukla-regex --example compare -- file PATH           cases of a file, one JSON object per line
//! cargo run -p kukla-regex --example compare -- puppet DIRECTORY    the literals in manifests
//! cargo run -p kukla-regex --example compare -- record              writes Ruby's answers for the tests
//! ```

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a chore of developers, which reads files and runs programs"
)]
#![expect(clippy::print_stdout, reason = "this is a program")]

#[path = "../../tests/corpus/cases.rs"]
mod cases;
mod generator;
mod manifests;
#[path = "../../tests/corpus/ours.rs"]
mod ours;

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use serde_json::Value;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["random", seed, count] => {
            let seed: u64 = seed.parse().expect("the seed is a number");
            let count: u64 = count.parse().expect("the count is a number");
            let cases = (0..count).map(|index| generator::case(seed.wrapping_add(index)));
            compare(&cases.collect::<Vec<_>>());
        }
        ["file", path] => compare(&read(path)),
        ["puppet", directory] => compare(&manifests::cases(directory)),
        ["record"] => record(),
        _ => println!("usage: compare random SEED COUNT | file PATH | puppet DIRECTORY | record"),
    }
}

fn read(path: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("the file is readable");
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

/// Returns Ruby's answers, one per case.
fn ask(cases: &[Value]) -> Vec<Value> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracle.rb");
    let mut ruby = Command::new("ruby")
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Ruby is installed");
    let mut input = ruby.stdin.take().expect("it was piped");
    let lines: Vec<String> = cases.iter().map(Value::to_string).collect();
    let writer = std::thread::spawn(move || {
        for line in lines {
            if writeln!(input, "{line}").is_err() {
                break;
            }
        }
    });
    let output = BufReader::new(ruby.stdout.take().expect("it was piped"));
    let answers = output.lines().map(|line| {
        serde_json::from_str(&line.expect("Ruby writes UTF-8")).expect("Ruby writes JSON")
    });
    let answers = answers.collect();
    writer.join().expect("the writer does not panic");
    ruby.wait().expect("Ruby ends");
    answers
}

fn compare(cases: &[Value]) {
    let answers = ask(cases);
    assert_eq!(answers.len(), cases.len(), "Ruby answers all cases");
    let (mut n_wrong, mut n_valid, mut n_subjects, mut n_matches) = (0, 0, 0, 0);
    for (case, theirs) in cases.iter().zip(&answers) {
        let ours = ours::answer(case);
        let difference = ours::difference(&ours, theirs);
        if let Some(matches) = theirs["matches"].as_array() {
            n_valid += 1;
            n_subjects += matches.len();
            n_matches += matches.iter().filter_map(Value::as_array).map(Vec::len).sum::<usize>();
        }
        if let Some(difference) = difference {
            n_wrong += 1;
            println!("{case}\n  {difference}");
        }
    }
    println!(
        "{} patterns ({n_valid} valid), {n_subjects} subjects, {n_matches} matches, {n_wrong} differ",
        cases.len()
    );
}

/// Writes Ruby's answers to the cases of the tests.
fn record() {
    let version = Command::new("ruby").arg("-v").output().expect("Ruby is installed").stdout;
    let version = String::from_utf8(version).expect("Ruby writes UTF-8");
    let cases = cases::cases();
    let mut text = format!("{}\n", serde_json::json!({ "version": version.trim() }));
    for answer in ask(&cases) {
        text.extend([&answer.to_string(), "\n"]);
    }
    let n_subjects: usize =
        cases.iter().filter_map(|case| case["subjects"].as_array()).map(Vec::len).sum();
    println!("{} patterns, {n_subjects} patterns with texts", cases.len());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/corpus/ruby.jsonl");
    std::fs::write(path, text).expect("the file is writable");
}
