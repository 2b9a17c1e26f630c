//! Suggestions for misspelt words ("did you mean").

/// The maximum number of suggestions.
const MAX: usize = 3;

/// The length from which words are not compared: they are no typing mistakes, and the comparison takes quadratic time.
const MAX_LEN: usize = 64;

/// Returns the candidates most similar to `word`, the nearest first.
///
/// Similar candidates differ in few letters, contain the word, or are contained in it.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let limit = (word.chars().count() / 3).max(1);
    let is_part = |candidate: &str| {
        word.len() > 2
            && candidate.len() > 2
            && (candidate.contains(word) || word.contains(candidate))
    };
    ranked(word, candidates, |distance, candidate| distance <= limit || is_part(candidate))
}

/// Returns the most similar candidate, ignoring case.
pub fn likely<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = word.chars().count() / 3 + 1;
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let Some(distance) = distance(&word.to_lowercase(), &candidate.to_lowercase()) else {
            continue;
        };
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

fn ranked<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    is_near: impl Fn(usize, &str) -> bool,
) -> Vec<&'a str> {
    let measured = candidates.into_iter().filter_map(|candidate| {
        let distance = distance(word, candidate)?;
        is_near(distance, candidate).then_some((distance, candidate))
    });
    let mut near: Vec<(usize, &str)> = measured.collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(MAX).map(|(_, candidate)| candidate).collect()
}

/// Returns the edit distance (insertions, deletions, replacements and swaps of neighbours); `None` for long words.
fn distance(one: &str, other: &str) -> Option<usize> {
    if one.len() > MAX_LEN || other.len() > MAX_LEN {
        return None;
    }
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
    row.last().copied()
}

#[cfg(test)]
mod tests {
    use super::{likely, nearest};

    #[test]
    fn the_nearest_come_first() {
        let codes = ["syntax-error", "duplicate-key", "duplicate-parameter", "duplicate-default"];
        assert_eq!(nearest("sintax-eror", codes), ["syntax-error"]);
        assert_eq!(nearest("duplicate-keys", codes), ["duplicate-key"]);
        assert_eq!(nearest("duplicate", codes).len(), 3);
        assert_eq!(nearest("prot", ["port", "host"]), ["port"]);
        assert_eq!(nearest("ab", ["ba", "cd"]), ["ba"]);
        assert!(nearest("zebra", codes).is_empty());
    }

    #[test]
    fn the_case_of_a_likely_word_does_not_matter() {
        assert_eq!(likely("Method", ["methods", "path"]), Some("methods"));
        assert_eq!(likely("x", ["path"]), None);
        assert_eq!(likely(&"a".repeat(65), ["path"]), None);
    }
}
