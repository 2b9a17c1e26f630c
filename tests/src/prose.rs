//! Plain English in docs: rustdoc and the pages of `kukla explain`.
//!
//! A doc starts with a noun or a verb, so that it can be understood alone, and names the actor (CONTRIBUTING.md).

use std::path::Path;

use walkdir::WalkDir;

use crate::ROOM;

/// Directories with sources, below the root of the repository.
const SOURCES: &[&str] = &["crates", "fuzz", "bench", "tests", "xtask"];

/// Beginnings of docs that need their neighbours to be understood.
const OPENINGS: &[&str] = &["What ", "The same "];

/// Words that hide the actor.
const ACTORS: &[&str] = &["nobody", "somebody", "whoever"];

/// Returns the numbers and texts of the lines of a Rust source whose docs break a rule.
fn doc_faults(source: &str) -> Vec<(usize, &str)> {
    let mut is_inside = false;
    let mut faults = Vec::new();
    for (number, line) in (1..).zip(source.lines().map(str::trim_start)) {
        let doc = line.strip_prefix("//!").or_else(|| line.strip_prefix("///"));
        if let Some(text) = doc {
            let opens_badly = OPENINGS.iter().any(|opening| text.trim_start().starts_with(opening));
            if !is_inside && opens_badly || hides_actor(text) {
                faults.push((number, text.trim()));
            }
        }
        is_inside = doc.is_some();
    }
    faults
}

/// Returns whether a text has one of [`ACTORS`].
fn hides_actor(text: &str) -> bool {
    let mut words = text.split(|letter: char| !letter.is_alphanumeric());
    words.any(|word| ACTORS.iter().any(|actor| word.eq_ignore_ascii_case(actor)))
}

/// Returns the files below a directory with an extension, with their texts.
fn files(directory: &Path, extension: &str) -> Vec<(String, String)> {
    let is_source = |entry: &walkdir::DirEntry| entry.file_name() != "target";
    let entries = WalkDir::new(directory).sort_by_file_name().into_iter().filter_entry(is_source);
    let paths = entries.map(|entry| entry.expect("sources can be listed").into_path());
    let chosen = paths.filter(|path| path.extension().is_some_and(|found| found == extension));
    let read = |path: &Path| std::fs::read_to_string(path).expect("a source can be read");
    chosen.map(|path| (path.display().to_string(), read(&path))).collect()
}

#[test]
fn docs_are_in_plain_english() {
    let root = Path::new(ROOM).join("..");
    let mut faults = Vec::new();
    for (path, source) in SOURCES.iter().flat_map(|name| files(&root.join(name), "rs")) {
        let found = doc_faults(&source).into_iter();
        faults.extend(found.map(|(number, text)| format!("{path}:{number}: {text}")));
    }
    for (path, page) in files(&root.join("crates/syntax/src/explain"), "md") {
        let found = page.lines().filter(|line| hides_actor(line));
        faults.extend(found.map(|line| format!("{path}: {line}")));
    }
    let rule = "start docs with a noun or a verb, and name the actor";
    assert!(faults.is_empty(), "{rule}: {faults:#?}");
}

#[test]
fn dialect_is_found() {
    let lines = [
        "//! What it holds.",
        "//! What follows is fine.",
        "/// Adds a part.",
        "/// Nobody sees it.",
        "fn add() {}",
        "    /// The same of a float.",
        "    /// Returns what is there.",
        "// What a comment says is not a doc.",
    ];
    let source = lines.join("\n");
    let numbers = doc_faults(&source).into_iter().map(|(number, _)| number);
    assert_eq!(numbers.collect::<Vec<_>>(), [1, 4, 6]);
}
