//! Regular expressions that people have written in their manifests.

use std::path::Path;

use serde_json::{Value, json};

/// Returns a case for every literal in the manifests below a directory.
///
/// Literals are recognized by a pattern, so some are none; Ruby and Kukla must agree on these as well.
pub(crate) fn cases(directory: &str) -> Vec<Value> {
    let mut patterns = Vec::new();
    let mut words = Vec::new();
    collect(Path::new(directory), &mut patterns, &mut words);
    patterns.sort_unstable();
    patterns.dedup();
    words.sort_unstable();
    words.dedup();
    let case = |(index, pattern): (usize, String)| {
        let mut subjects: Vec<&str> = SUBJECTS.to_vec();
        subjects.extend(words.iter().skip(index * 7).step_by(97).take(8).map(String::as_str));
        json!({ "pattern": pattern, "subjects": subjects })
    };
    patterns.into_iter().enumerate().map(case).collect()
}

/// The texts that each literal is matched against.
const SUBJECTS: [&str; 14] = [
    "",
    "debian",
    "Ubuntu 22.04",
    "/etc/foo.conf",
    "www.example.com",
    "10.0.0.1/24",
    "root@host",
    "key = value\nother=x\n",
    "fe80::1",
    "1.2.3-rc4",
    "a b  c\td",
    "https://x.org:80/p?q#f",
    "0755",
    "é_Ünicode",
];

fn collect(path: &Path, patterns: &mut Vec<String>, words: &mut Vec<String>) {
    if path.is_dir() {
        let Ok(entries) = std::fs::read_dir(path) else { return };
        entries.flatten().for_each(|entry| collect(&entry.path(), patterns, words));
        return;
    }
    let is_wanted = path.extension().is_some_and(|ext| ext == "pp" || ext == "rb");
    let Ok(text) = std::fs::read_to_string(path) else { return };
    if !is_wanted {
        return;
    }
    for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
        let mut pieces = line.split('/');
        pieces.next();
        patterns.extend(pieces.clone().next().map(str::to_owned));
        if let Some(end) = line.rfind('/')
            && let Some(start) = line.find('/')
            && start < end
        {
            patterns.push(line[start + 1..end].to_owned());
        }
        words.extend(line.split(['\'', '"']).skip(1).step_by(2).map(str::to_owned));
    }
}
