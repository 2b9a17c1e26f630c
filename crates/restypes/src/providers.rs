//! Searches for providers of a type: only a type that has some has the parameter `provider`.

use crate::TypeSources;

/// Returns true if any module declares a provider for the type.
pub(crate) fn has_providers(name: &str, sources: &dyn TypeSources) -> bool {
    sources
        .list(&format!("puppet/provider/{name}"))
        .iter()
        .any(|file| declares_provider(&file.text))
}

/// Returns true if a file calls `provide`. Other files in the directory hold code that providers share.
fn declares_provider(text: &str) -> bool {
    let lines = text.lines().map(str::trim_start).filter(|line| !line.starts_with('#'));
    lines.into_iter().any(|line| {
        line.match_indices("provide")
            .any(|(at, word)| is_call(&line[..at], &line[at + word.len()..]))
    })
}

/// Returns true if the word between these texts is a call with a name as argument, not a word of prose.
fn is_call(before: &str, after: &str) -> bool {
    let is_method = before.ends_with(['.', ':']);
    let is_word = is_method || before.is_empty() || before.ends_with(char::is_whitespace);
    let is_name = |text: &str| text.trim_start().starts_with([':', '\'', '"']);
    is_word && (after.starts_with('(') || (after.starts_with(' ') && (is_method || is_name(after))))
}
