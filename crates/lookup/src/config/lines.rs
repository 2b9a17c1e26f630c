//! Where in a configuration something stands.

use kukla_pcore::regex::Regex;

/// The first line from a given one on that matches; comments are not looked at.
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

/// A hash mark ends a line, even within quotes.
fn without_comment(line: &str) -> String {
    line.split('#').next().unwrap_or_default().to_owned()
}

/// The lines of the first and the second match, if there are two; else the first alone as the second.
pub(super) fn first_and_second(text: &str, pattern: &str) -> (Option<u32>, Option<u32>) {
    let first = find(text, pattern, 1);
    let second = first.and_then(|first| find(text, pattern, first as usize + 1));
    match second {
        Some(second) => (first, Some(second)),
        None => (None, first),
    }
}
