//! Patterns of rules, in which `*` matches any text, including slashes and the empty text.

use super::Subject;

/// Maximum length of a pattern in bytes.
const MAX_LENGTH: usize = 4096;

/// Special characters of other pattern languages, which would be literals here and protect nothing.
const FOREIGN: &[char] = &['?', '[', ']', '{', '}', '\\'];

/// Characters of keys besides letters and digits.
const KEY_SIGNS: &[char] = &['_', ':', '-', '/', '+', '@', ' ', '*'];

/// Whether a name matches a pattern, in which `*` matches any text.
pub fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Whether some name matches both patterns.
pub(super) fn have_common_name(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    // `row[j]`: the rest of `one` from here on, and that of `other` from `j` on, match a common name.
    let mut row = vec![false; other.len() + 1];
    for i in (0..=one.len()).rev() {
        let below = row.clone();
        for j in (0..=other.len()).rev() {
            let right = j < other.len() && row[j + 1];
            row[j] = match (one.get(i), other.get(j)) {
                (None, None) => true,
                (Some('*'), None) => below[j],
                (None, Some('*')) => right,
                (Some('*'), Some(_)) | (Some(_), Some('*')) => below[j] || right,
                (Some(a), Some(b)) => a == b && below[j + 1],
                (Some(_), None) | (None, Some(_)) => false,
            };
        }
    }
    row[0]
}

/// Returns the directory of all names that match a pattern: the part before the last slash before a star.
pub(super) fn literal_directory(pattern: &str) -> &str {
    let literal = pattern.split('*').next().unwrap_or_default();
    literal.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// Returns the reason why a pattern can't match anything, whatever keys and files exist.
pub(super) fn problem(subject: Subject, pattern: &str) -> Option<String> {
    if pattern.trim().is_empty() {
        return Some("the pattern is empty".to_owned());
    }
    if pattern.len() > MAX_LENGTH {
        return Some(format!("the pattern has more than {MAX_LENGTH} bytes"));
    }
    if let Some(sign) = pattern.chars().find(|c| FOREIGN.contains(c) || c.is_control()) {
        let sign = match sign.is_control() {
            true => sign.escape_default().to_string(),
            false => sign.to_string(),
        };
        return Some(format!(
            "`{sign}` means nothing in a pattern: only `*` does, and stands for anything; write one line for each alternative"
        ));
    }
    if pattern.contains("**") {
        return Some("`**` means no more than `*`, which stands for slashes too".to_owned());
    }
    if pattern.trim() != pattern {
        return Some(format!("`{pattern}` begins or ends with a space"));
    }
    match subject {
        Subject::Key => key_problem(pattern),
        Subject::File => file_problem(pattern),
    }
}

fn key_problem(pattern: &str) -> Option<String> {
    if let Some((root, _)) = pattern.split_once('.') {
        return Some(format!(
            "`{pattern}` fits no key: rules are about top-level keys; write `{root}`"
        ));
    }
    let is_known = |c: &char| c.is_alphanumeric() || KEY_SIGNS.contains(c);
    if let Some(sign) = pattern.chars().find(|c| !is_known(c)) {
        return Some(format!("`{pattern}` fits no key: there is no `{sign}` in keys"));
    }
    if let Some(name) = pattern.strip_prefix("::") {
        return Some(format!("`{pattern}` fits no key: write `{name}`"));
    }
    pattern.ends_with(':').then(|| format!("`{pattern}` fits no key: write `{pattern}*`"))
}

fn file_problem(pattern: &str) -> Option<String> {
    if let Some(directory) = pattern.strip_suffix('/') {
        return Some(format!(
            "`{pattern}` fits no file: write `{directory}/*` for all that is below the directory"
        ));
    }
    let path = pattern.strip_prefix('/').unwrap_or(pattern);
    let odd = path.split('/').find(|part| matches!(*part, "" | "." | ".."))?;
    let odd = if odd.is_empty() { "//" } else { odd };
    Some(format!(
        "`{pattern}` fits no file, since paths have no `{odd}` when they are compared: write the path below the environment's directory, as `data/secret/*`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, name, is_fit) in [
            ("a*", "a", true),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("*b*c", "abbc", true),
            ("*b*c", "abcb", false),
            ("data/secret/*.yaml", "data/secret/a/b.yaml", true),
            ("data/secret/*.yaml", "data/secret/a.yml", false),
        ] {
            assert_eq!(fits(pattern, name), is_fit, "{pattern} {name}");
        }
    }

    #[test]
    fn patterns_meet_where_a_name_fits_both() {
        for (one, other, is_common) in [
            ("a*", "*b", true),
            ("a*", "b*", false),
            ("*", "", true),
            ("a*c", "ab", false),
            ("a*c", "a*b*c", true),
            ("/e/data/secret/*.yml", "/e/data/secret/*.yaml", false),
            ("/e/data/secret/*.yaml", "/e/data/*/x.yaml", true),
            ("/e/data/nodes/*.yaml", "/e/data/secret/*.yaml", false),
        ] {
            assert_eq!(have_common_name(one, other), is_common, "{one} {other}");
            assert_eq!(have_common_name(other, one), is_common, "{other} {one}");
        }
    }

    #[test]
    fn the_directory_ends_before_the_first_star() {
        for (pattern, directory) in [
            ("data/secret/*.yaml", "data/secret"),
            ("data/s*/x.yaml", "data"),
            ("*.yaml", ""),
            ("data/all.yaml", "data"),
            ("/srv/data/*", "/srv/data"),
        ] {
            assert_eq!(literal_directory(pattern), directory);
        }
    }
}
