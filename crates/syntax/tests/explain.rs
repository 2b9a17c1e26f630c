//! The examples in the explanations do what they say.

use kukla_syntax::explain::{self, Explanation};

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
        assert_eq!(explain::find(code).map(|found| found.code), Some(code));
    }
    assert_eq!(explain::find("no-such-code"), None);
}

#[test]
fn every_text_has_a_title_and_a_way_out() {
    for explanation in explain::all() {
        assert!(explanation.text.starts_with("# "), "{}", explanation.code);
        assert!(!explanation.title().is_empty(), "{}", explanation.code);
        let examples = examples(explanation);
        assert!(examples.iter().all(|example| !example.text.is_empty()), "{}", explanation.code);
        let is_mended = examples.iter().any(|example| example.has("valid"));
        assert!(is_mended, "{} has no valid example", explanation.code);
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
}
