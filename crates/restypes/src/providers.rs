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
    text.lines().map(str::trim_start).filter(|line| !line.starts_with('#')).any(|line| {
        line.match_indices("provide").any(|(at, word)| {
            let before = line[..at].chars().next_back();
            let after = line[at + word.len()..].chars().next();
            before.is_none_or(|c| c == '.' || c.is_whitespace())
                && after.is_some_and(|c| c == '(' || c == ' ')
        })
    })
}
