//! Every code has an explanation, and its examples give the code.

use crate::support::Setup;
use kukla_compiler::explain::{self, Explanation};
use kukla_compiler::issues::Code;
use kukla_compiler::{Limits, Strict};

/// Codes without a failing example, and the reason.
const WITHOUT_EXAMPLE: &[(&str, &str)] = &[
    ("assignment-in-parameters", "validation refuses such defaults first"),
    ("cancelled", "its caller stops it"),
    ("catalog-change-in-data", "it needs data in PDL"),
    ("context-after-lookup", "it needs a function of data"),
    ("data-not-found", "it needs a function of data"),
    ("data-too-deep", "the language nests no value so deeply"),
    ("duplicate-export", "it needs exports of other nodes"),
    ("exports-unreadable", "it needs exports of other nodes"),
    ("internal-error", "there should be none"),
    ("missing-block", "signatures see to it"),
    ("missing-definition", "it needs modules"),
    ("no-catalog", "it needs code without a catalog"),
    ("regexp-limit", "it takes long"),
    ("ruby-error", "it needs modules"),
    ("ruby-unsupported", "it needs modules"),
    ("title-mismatch", "it needs a type of a module"),
    ("too-large-value", "it takes long"),
    ("too-many-resources", "it takes long"),
    ("unsupported-value", "it needs an agent without rich data"),
];

/// A fenced block of an explanation.
struct Example {
    words: Vec<String>,
    text: String,
}

#[test]
fn every_code_is_explained() {
    let unexplained: Vec<&str> = Code::ALL
        .iter()
        .map(|code| code.as_str())
        .filter(|code| explain::find(code).is_none())
        .collect();
    assert_eq!(unexplained, Vec::<&str>::new());
}

#[test]
fn only_codes_are_explained() {
    let own: Vec<&str> = explain::own().iter().map(|explanation| explanation.code).collect();
    assert!(own.is_sorted());
    let is_code = |code: &&str| Code::ALL.iter().any(|other| other.as_str() == *code);
    assert!(own.iter().all(is_code));
}

#[test]
fn codes_are_unique_and_sorted_together_with_those_of_diagnostics() {
    let codes: Vec<&str> = explain::all().iter().map(|explanation| explanation.code).collect();
    assert!(codes.windows(2).all(|pair| pair[0] < pair[1]), "{codes:?}");
}

#[test]
fn every_text_has_a_title_and_examples() {
    for explanation in explain::own() {
        let code = explanation.code;
        assert!(explanation.text.starts_with("# "), "{code}");
        let examples = examples(explanation);
        assert!(!examples.is_empty(), "{code} has no example");
        let fails = examples.iter().any(|example| example.has("invalid"));
        let is_excused = WITHOUT_EXAMPLE.iter().any(|(excused, _)| *excused == code);
        assert_ne!(
            fails, is_excused,
            "{code}: an example that fails, or a reason why there is none"
        );
    }
}

#[test]
fn examples_do_what_they_say() {
    let faults: Vec<String> = explain::own().iter().flat_map(faults).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Returns the examples of an explanation that don't keep their promise.
fn faults(explanation: &Explanation) -> Vec<String> {
    let sources = examples(explanation).into_iter().filter(|example| example.has("pp"));
    let answers = sources.map(|example| (outcome(&example), example));
    let wrong = answers.filter(|(outcome, example)| match (outcome, example.has("valid")) {
        (Ok(()), is_valid) => !is_valid,
        (Err((code, _)), is_valid) => is_valid || *code != explanation.code,
    });
    let describe = |(outcome, example): (Result<(), (&str, String)>, Example)| {
        format!("{}: {outcome:?}:\n{}", explanation.code, example.text)
    };
    wrong.map(describe).collect()
}

fn outcome(example: &Example) -> Result<(), (&'static str, String)> {
    let outline =
        |failure: kukla_compiler::Failure| (failure.fault.code().as_str(), failure.to_string());
    let compiled = example.setup().compile(&example.text).map_err(outline)?;
    compiled.catalog.map(drop).map_err(outline)
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

    fn value<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        let value = self.words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        value.and_then(|value| value.parse().ok())
    }

    fn setup(&self) -> Setup {
        let mut limits = Limits::default();
        limits.depth = self.value("depth").unwrap_or(limits.depth);
        limits.steps = self.value("steps").unwrap_or(limits.steps);
        let setup = Setup { limits, node: self.value("node"), ..Setup::default() };
        match self.value::<String>("strict").as_deref() {
            Some("off") => setup.strict(Strict::Off),
            Some("warning") => setup.strict(Strict::Warning),
            _ => setup,
        }
    }
}
