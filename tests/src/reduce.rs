//! Making a failing program small.

/// How often a program may be tried.
const TRIES: usize = 1500;

/// The smallest text found by deleting pieces for which `fails` still holds.
///
/// First halves, then quarters, down to single characters; again as long as that helps.
pub fn reduce(text: &str, mut fails: impl FnMut(&str) -> bool) -> String {
    let mut best: Vec<char> = text.chars().collect();
    let mut tries = 0;
    let mut size = best.len().div_ceil(2).max(1);
    loop {
        let before = best.len();
        let mut start = 0;
        while start < best.len() && tries < TRIES {
            let end = (start + size).min(best.len());
            let shorter: Vec<char> = best[..start].iter().chain(&best[end..]).copied().collect();
            tries += 1;
            if fails(&shorter.iter().collect::<String>()) {
                best = shorter;
            } else {
                start = end;
            }
        }
        let helped = best.len() < before;
        if tries >= TRIES || (size == 1 && !helped) {
            return best.into_iter().collect();
        }
        size = if helped && size == 1 { 1 } else { size.div_ceil(2).max(1) };
        if size == before {
            size = 1;
        }
    }
}
