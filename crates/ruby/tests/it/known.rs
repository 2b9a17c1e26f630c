//! The list of known methods is that of the sources: `KUKLA_UPDATE=1 cargo test -p kukla-ruby known` writes it.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Names that the evaluator itself knows.
const OWN: &[&str] = &["new", "lambda", "proc", "call", "puts", "initialize", "super", "[]", "[]="];

#[test]
fn the_list_is_complete() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut names: BTreeSet<String> = OWN.iter().map(|&name| name.to_owned()).collect();
    for entry in walkdir::WalkDir::new(&source) {
        let entry = entry.expect("the directory can be read");
        let path = entry.path();
        let is_table = path.to_string_lossy().contains("/methods/")
            || path.to_string_lossy().contains("/library/")
            || path.ends_with("function.rs");
        if is_table && path.extension().is_some_and(|ext| ext == "rs") {
            let text = fs::read_to_string(path).expect("it is text");
            collect(&text, &mut names);
            names.extend(twins(&text));
        }
    }
    let listed = names.into_iter().collect::<Vec<_>>().join("\n") + "\n";
    let path = source.join("names/known.txt");
    if std::env::var_os("KUKLA_UPDATE").is_some() {
        fs::write(&path, &listed).expect("it can be written");
    }
    assert_eq!(fs::read_to_string(&path).expect("it is text"), listed, "run with KUKLA_UPDATE=1");
}

/// Literals that could be names of methods and stand where a pattern does.
fn collect(text: &str, names: &mut BTreeSet<String>) {
    for line in text.lines() {
        let code = line.trim_start();
        let in_pattern = code.contains("=>")
            || code.starts_with('"')
            || code.starts_with('|')
            || code.contains("matches!");
        if !in_pattern || code.starts_with("//") {
            continue;
        }
        let pattern = code.split("=> ").next().unwrap_or_default();
        for (index, part) in pattern.split('"').enumerate() {
            if index % 2 == 1 && is_name(part) {
                names.insert(part.to_owned());
            }
        }
    }
}

/// The twins with `!` of the methods that a table `BANG` lists.
fn twins(text: &str) -> Vec<String> {
    let table = text.split("const BANG: &[&str] = &[").nth(1).unwrap_or_default();
    let table = table.split("];").next().unwrap_or_default();
    table.split('"').skip(1).step_by(2).map(|name| format!("{name}!")).collect()
}

fn is_name(text: &str) -> bool {
    let word = text.trim_end_matches(['?', '!', '=']);
    let operator =
        !text.is_empty() && text.len() <= 3 && text.chars().all(|c| "+-*/%<>=!~^&|[]@".contains(c));
    operator
        || (word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}
