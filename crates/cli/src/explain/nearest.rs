//! The words that somebody may have meant.

/// At most this many suggestions.
const MAX: usize = 3;

/// The candidates that are most like `word`, the nearest first; none when none is like it.
pub(crate) fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    let mut near: Vec<(usize, &str)> = candidates
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= limit || is_part(word, candidate))
        .collect();
    near.sort_unstable();
    near.into_iter().take(MAX).map(|(_, candidate)| candidate).collect()
}

fn is_part(word: &str, candidate: &str) -> bool {
    word.len() > 2 && (candidate.contains(word) || word.contains(candidate))
}

/// How many letters must be added, removed or replaced.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (index, letter) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, other_letter) in other.chars().enumerate() {
            let replaced = diagonal + usize::from(letter != other_letter);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}
