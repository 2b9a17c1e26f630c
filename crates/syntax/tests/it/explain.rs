//! The examples in the explanations give their diagnostics.

use kukla_base::Diagnostic;
use kukla_syntax::explain::{self, Explanation};
use kukla_syntax::{Home, Language, Options, check_bytes};

/// A fenced block of an explanation.
struct Example {
    words: Vec<String>,
    text: String,
}

#[test]
fn codes_are_sorted_and_found() {
    let codes: Vec<_> = explain::all().iter().map(|explanation| explanation.code).collect();
    assert!(codes.is_sorted());
    for code in codes {
        assert_eq!(explain::find(code).map(|explanation| explanation.code), Some(code));
    }
    assert_eq!(explain::find("no-such-code"), None);
}

#[test]
fn every_text_has_a_title_and_a_way_out() {
    for explanation in explain::all() {
        assert!(explanation.text.starts_with("# "), "{}", explanation.code);
        assert!(!explanation.title().is_empty(), "{}", explanation.code);
        let is_mended = examples(explanation).iter().any(|example| example.has("valid"));
        assert!(is_mended, "{} has no valid example", explanation.code);
    }
}

#[test]
fn every_diagnostic_is_explained() {
    let sources = [
        include_str!("../../src/issues/data.rs"),
        include_str!("../../src/issues/lexical.rs"),
        include_str!("../../src/issues/loading.rs"),
        include_str!("../../src/issues/semantic.rs"),
        include_str!("../../src/issues/syntactic.rs"),
    ];
    let literals = sources.iter().flat_map(|source| source.split("error(").skip(1));
    let codes = literals.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next());
    let unexplained: Vec<&str> = codes.filter(|code| explain::find(code).is_none()).collect();
    assert_eq!(unexplained, Vec::<&str>::new());
}

#[test]
fn examples_do_what_they_say() {
    let faults: Vec<String> = explain::all().iter().flat_map(faults).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns the examples of an explanation that don't keep their promise.
fn faults(explanation: &Explanation) -> Vec<String> {
    let sources = examples(explanation).into_iter().filter(|it| it.language().is_some());
    let answers = sources.map(|example| (codes(&example), example));
    let wrong = answers.filter(|(codes, example)| match example.has("valid") {
        true => !codes.is_empty(),
        false => codes.first() != Some(&explanation.code),
    });
    wrong.map(|(codes, example)| fault_message(explanation.code, &codes, &example)).collect()
}

fn fault_message(code: &str, codes: &[&str], example: &Example) -> String {
    format!("{code}: `{}` gives {codes:?}:\n{}", example.words.join(","), example.text)
}

/// Returns the codes of all diagnostics of an example.
fn codes(example: &Example) -> Vec<&'static str> {
    let code = |diagnostic: &Diagnostic| diagnostic.code;
    match check_bytes(&example.bytes(), &example.options()) {
        Ok(checked) => checked.diagnostics.iter().map(code).collect(),
        Err(diagnostic) => vec![diagnostic.code],
    }
}

fn examples(explanation: &Explanation) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut lines = explanation.text.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let words = info.split(',').map(String::from).collect();
        let body = lines.by_ref().take_while(|line| *line != "```");
        examples.push(Example { words, text: body.map(|line| format!("{line}\n")).collect() });
    }
    examples
}

impl Example {
    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|has| has == word)
    }

    /// Returns the language of the text; `None` if it is no source.
    fn language(&self) -> Option<Language> {
        let languages = [
            ("pp", Language::Manifest),
            ("epp", Language::Template),
            ("pdl", Language::Data),
            ("data_access", Language::DataAccess),
        ];
        languages.into_iter().find(|(word, _)| self.has(word)).map(|(_, language)| language)
    }

    fn options(&self) -> Options {
        let language = self.language().unwrap_or_default();
        let path = self.words.iter().find_map(|word| word.strip_prefix("file="));
        let home = path.map_or(Home::Anywhere, |path| Home::Module { path: path.to_owned() });
        let file = path.unwrap_or_default().to_owned();
        Options { language, tasks: self.has("tasks"), home, file, ..Options::default() }
    }

    fn bytes(&self) -> Vec<u8> {
        let text = if self.has("noeol") { self.text.trim_end_matches('\n') } else { &self.text };
        if self.has("escaped") { unescaped(text) } else { text.as_bytes().to_vec() }
    }
}

/// Returns the bytes of a text in which `\xHH` is a byte.
fn unescaped(text: &str) -> Vec<u8> {
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).expect("two hexadecimal digits"));
        bytes.extend(part[2..].bytes());
    }
    bytes
}
