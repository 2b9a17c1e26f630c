//! The wall inside of the compiler: its interpreter names nothing of the catalog builder.

use std::path::Path;

use walkdir::WalkDir;

use crate::ROOM;

/// The interpreter's folder, from the folder of this room.
const INTERPRETER: &str = "../crates/compiler/src/interpreter";

/// The builder's module and types, and the rooms that only the builder needs.
const BUILDER: [&str; 5] = ["compile", "Compilation", "Compiler", "kukla_catalog", "kukla_lookup"];

/// Returns the words of the builder that code has, each with the number of its line; comments don't count.
fn faults(code: &str) -> Vec<(usize, &str)> {
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    let words = lines.zip(1..).flat_map(|(line, number)| {
        let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.map(move |word| (number, word))
    });
    words.filter(|(_, word)| BUILDER.contains(word)).collect()
}

#[test]
fn the_interpreter_knows_nothing_of_the_catalog_builder() {
    let folder = Path::new(ROOM).join(INTERPRETER);
    let mut n_files = 0;
    for entry in WalkDir::new(&folder).sort_by_file_name() {
        let entry = entry.expect("the interpreter's folder can be read");
        if entry.path().extension().is_some_and(|extension| extension == "rs") {
            let code = std::fs::read_to_string(entry.path()).expect("a source can be read");
            let faults = faults(&code);
            assert!(faults.is_empty(), "{}: {faults:?}", entry.path().display());
            n_files += 1;
        }
    }
    assert!(n_files > 10, "{} has {n_files} sources", folder.display());
}

#[test]
fn faults_are_found() {
    let code = "// crate::compile\nuse crate::{compile, Eval};\nlet compiled = 1;\nx::Compilation::new()\n";
    assert_eq!(faults(code), [(2, "compile"), (4, "Compilation")]);
}
