//! Wording that several commands share.

/// Formats a number with its noun, digits in groups of three.
pub(crate) fn count(n: usize, noun: &str) -> String {
    let digits = n.to_string();
    let grouped = digits.char_indices().fold(String::new(), |mut grouped, (index, digit)| {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(' ');
        }
        grouped.push(digit);
        grouped
    });
    format!("{grouped} {noun}{}", if n == 1 { "" } else { "s" })
}
