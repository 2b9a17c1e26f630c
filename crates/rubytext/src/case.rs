//! Upper and lower case of all of Unicode, as Ruby maps it: `ß` becomes `SS`, and digraphs have a title case.

use super::case_table::{SWAPPED, TITLE, YOUNG};

/// Converts to upper case, as `String#upcase` does.
pub fn upcase(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_uppercase();
    }
    map(text, push_upper)
}

/// Converts to lower case, as `String#downcase` does: a sigma at the end of a word gets no special form.
pub fn downcase(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    map(text, push_lower)
}

/// Capitalizes, as `String#capitalize` does: title case for the first character, lower case for the rest.
pub fn capitalize(text: &str) -> String {
    if text.is_ascii() {
        let mut out = text.to_ascii_lowercase();
        if let Some(first) = out.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        return out;
    }
    let mut chars = text.chars();
    let mut out = String::with_capacity(text.len());
    if let Some(first) = chars.next() {
        push_title(&mut out, first);
    }
    out.push_str(&downcase(chars.as_str()));
    out
}

/// Swaps upper and lower case, as `String#swapcase` does.
pub fn swapcase(text: &str) -> String {
    map(text, push_swapped)
}

fn map(text: &str, push: fn(&mut String, char)) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| push(&mut out, c));
    out
}

fn push_upper(out: &mut String, c: char) {
    if is_young(c) { out.push(c) } else { out.extend(c.to_uppercase()) }
}

fn push_lower(out: &mut String, c: char) {
    if is_young(c) { out.push(c) } else { out.extend(c.to_lowercase()) }
}

fn push_title(out: &mut String, c: char) {
    match (c, find(TITLE, c)) {
        (_, Some(title)) => out.push_str(title),
        // Georgian has capital letters, but doesn't start words with them.
        ('\u{10d0}'..='\u{10ff}' | '\u{1c90}'..='\u{1cbf}', None) => push_lower(out, c),
        _ => push_upper(out, c),
    }
}

fn push_swapped(out: &mut String, c: char) {
    match find(SWAPPED, c) {
        Some(swapped) => out.push_str(swapped),
        None if is_young(c) => out.push(c),
        None if c.to_uppercase().eq([c]) => push_lower(out, c),
        None => push_upper(out, c),
    }
}

fn find(table: &[(char, &'static str)], c: char) -> Option<&'static str> {
    table.binary_search_by_key(&c, |&(key, _)| key).ok().map(|at| table[at].1)
}

/// Returns true if the character got its case only after Unicode 13, which is Ruby 3.1's.
fn is_young(c: char) -> bool {
    let after = YOUNG.partition_point(|&(first, _)| first <= c);
    after > 0 && c <= YOUNG[after - 1].1
}
