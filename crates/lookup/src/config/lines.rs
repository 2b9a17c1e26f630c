//! Line numbers in a configuration.

use kukla_pcore::regex::Regex;

/// Returns the first matching line, from a given line on; ignores comments.
pub(crate) fn find(text: &str, pattern: &str, from: usize) -> Option<u32> {
    let regex = Regex::new(pattern).ok()?;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let number = index + 1;
        if number >= from && regex.is_match(&without_comment(line)).unwrap_or(false) {
            return u32::try_from(number).ok();
        }
    }
    None
}

/// Cuts a line at a hash mark, even within quotes.
fn without_comment(line: &str) -> String {
    line.split('#').next().unwrap_or_default().to_owned()
}

/// Returns the lines of the first and the second match; with one match, `None` and its line.
pub(super) fn first_and_second(text: &str, pattern: &str) -> (Option<u32>, Option<u32>) {
    let first = find(text, pattern, 1);
    let second = first.and_then(|first| find(text, pattern, first as usize + 1));
    match second {
        Some(second) => (first, Some(second)),
        None => (None, first),
    }
}
