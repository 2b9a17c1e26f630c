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

/// How many letters must be added, removed, replaced or swapped with their neighbour.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut above: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    let mut before = None;
    for (index, letter) in one.chars().enumerate() {
        let mut next = vec![index + 1];
        for (column, other_letter) in other.iter().enumerate() {
            let replaced = row[column] + usize::from(letter != *other_letter);
            let mut least = replaced.min(row[column + 1] + 1).min(next[column] + 1);
            if column > 0 && before == Some(*other_letter) && other[column - 1] == letter {
                least = least.min(above[column - 1] + 1);
            }
            next.push(least);
        }
        before = Some(letter);
        above = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or(0)
}
