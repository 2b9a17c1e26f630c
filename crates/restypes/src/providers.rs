//! Whether a type has providers, since only then it has the parameter `provider`.

use crate::Sources;

/// Whether any module declares a provider for the type.
pub(crate) fn has_providers(name: &str, sources: &dyn Sources) -> bool {
    sources
        .list(&format!("puppet/provider/{name}"))
        .iter()
        .any(|file| declares_provider(&file.text))
}

/// Whether a file calls `provide`. Files beside providers may hold what they share.
fn declares_provider(text: &str) -> bool {
    let lines = text.lines().map(str::trim_start).filter(|line| !line.starts_with('#'));
    lines.into_iter().any(|line| {
        line.match_indices("provide")
            .any(|(at, word)| is_call(&line[..at], &line[at + word.len()..]))
    })
}

/// Whether a word between these is a call with a name: texts have that word too.
fn is_call(before: &str, after: &str) -> bool {
    let is_method = before.ends_with(['.', ':']);
    let is_word = is_method || before.is_empty() || before.ends_with(char::is_whitespace);
    let is_name = |text: &str| text.trim_start().starts_with([':', '\'', '"']);
    is_word && (after.starts_with('(') || (after.starts_with(' ') && (is_method || is_name(after))))
}
