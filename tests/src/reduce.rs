//! Reduction of failing programs.

/// Maximum number of tries.
const TRIES: usize = 1500;

/// Returns the smallest text found by deleting pieces for which `fails` still holds.
///
/// Deletes halves, then quarters, down to single characters; repeats while that helps.
pub fn reduce(text: &str, mut fails: impl FnMut(&str) -> bool) -> String {
    let mut best: Vec<char> = text.chars().collect();
    let mut tries = TRIES;
    let mut size = best.len().div_ceil(2).max(1);
    loop {
        let shorter = without_pieces(&best, size, &mut tries, &mut fails);
        let helped = shorter.len() < best.len();
        best = shorter;
        if tries == 0 || size == 1 && !helped {
            return best.into_iter().collect();
        }
        size = size.div_ceil(2);
    }
}

/// Removes the pieces of a size that are not needed.
fn without_pieces(
    letters: &[char],
    size: usize,
    tries: &mut usize,
    fails: &mut impl FnMut(&str) -> bool,
) -> Vec<char> {
    let mut best = letters.to_vec();
    let mut start = 0;
    while start < best.len() && *tries > 0 {
        *tries -= 1;
        let end = (start + size).min(best.len());
        let shorter = [&best[..start], &best[end..]].concat();
        if fails(&shorter.iter().collect::<String>()) {
            best = shorter;
        } else {
            start = end;
        }
    }
    best
}
