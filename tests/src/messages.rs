//! Wording of messages: one phrase per problem.

use std::path::Path;

use walkdir::WalkDir;

use crate::ROOM;

/// Phrases that no message may have, each with the one to use.
const REPLACED: [(&str, &str); 6] = [
    ("can't read `", "cannot read `"),
    ("could not read `", "cannot read `"),
    ("can't use `", "cannot use `"),
    ("can't import `", "cannot import `"),
    ("MBs", "MB"),
    ("says which of", "choose one with"),
];

/// Returns the phrases of a line of code that are to be replaced; comments don't count.
fn faults(line: &str) -> Vec<&'static str> {
    let code = line.split("//").next().unwrap_or_default();
    let is_message = code.contains('"');
    let found = REPLACED.iter().filter(|(phrase, _)| is_message && code.contains(phrase));
    found.map(|&(_, right)| right).collect()
}

#[test]
fn faults_are_found() {
    assert_eq!(faults(r#"format!("can't read `{name}`")"#), ["cannot read `"]);
    assert_eq!(faults(r#"format!("cannot read `{name}`") // can't read `x`"#), [""; 0]);
}

#[test]
fn messages_have_one_wording() {
    let folder = Path::new(ROOM).join("../crates");
    let mut n_files = 0;
    for entry in WalkDir::new(&folder).sort_by_file_name() {
        let entry = entry.expect("the rooms can be read");
        let path = entry.path();
        let is_source = path.components().any(|part| part.as_os_str() == "src")
            && path.extension().is_some_and(|extension| extension == "rs");
        if !is_source {
            continue;
        }
        let code = std::fs::read_to_string(path).expect("a source can be read");
        for (line, number) in code.lines().zip(1..) {
            let faults = faults(line);
            assert!(faults.is_empty(), "{}:{number}: use {faults:?}", path.display());
        }
        n_files += 1;
    }
    assert!(n_files > 100, "{} has {n_files} sources", folder.display());
}
