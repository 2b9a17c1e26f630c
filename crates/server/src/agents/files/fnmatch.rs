//! `File.fnmatch?` of Ruby without flags, which decides about the parameter `ignore`.
//!
//! Written here because patterns of agents must match as Ruby's do: `*` and `?` don't match a leading dot, `/` is an
//! ordinary character, braces have no meaning, and `\` escapes.

/// Returns whether a pattern matches a whole name.
///
/// Only the last `*` is retried, so the time is at most the product of both lengths.
pub(super) fn is_match(pattern: &str, name: &str) -> bool {
    let (mut pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    // A backslash that escapes nothing has no meaning.
    if pattern.iter().rev().take_while(|c| **c == '\\').count() % 2 == 1 {
        pattern.pop();
    }
    let (mut at, mut from) = (0, 0);
    let mut retry = None;
    loop {
        match pattern.get(at) {
            Some('*') => {
                if is_leading_dot(&name, from) {
                    return false;
                }
                at += 1;
                retry = Some((at, from));
                continue;
            }
            None if from == name.len() => return true,
            _ => {}
        }
        if let (Some(&c), Some(step)) = (name.get(from), element(&pattern[at.min(pattern.len())..]))
            && step.takes(c, is_leading_dot(&name, from))
        {
            at += step.length;
            from += 1;
            continue;
        }
        match retry {
            Some((behind_star, start)) if start < name.len() => {
                (at, from) = (behind_star, start + 1);
                retry = Some((behind_star, start + 1));
            }
            _ => return false,
        }
    }
}

fn is_leading_dot(name: &[char], at: usize) -> bool {
    at == 0 && name.first() == Some(&'.')
}

/// One element of a pattern that matches one character.
struct Element {
    /// Its length in the pattern.
    length: usize,
    kind: Kind,
}

enum Kind {
    Any,
    One(char),
    Set { is_negated: bool, ranges: Vec<(char, char)> },
}

impl Element {
    fn takes(&self, c: char, is_leading_dot: bool) -> bool {
        match &self.kind {
            Kind::One(one) => *one == c,
            Kind::Any => !is_leading_dot,
            Kind::Set { .. } if is_leading_dot => false,
            Kind::Set { is_negated, ranges } => {
                ranges.iter().any(|(first, last)| (*first..=*last).contains(&c)) != *is_negated
            }
        }
    }
}

/// Returns the element at the start of a pattern; none at its end, or if a bracket is not closed.
fn element(pattern: &[char]) -> Option<Element> {
    let (kind, length) = match pattern {
        [] => return None,
        ['?', ..] => (Kind::Any, 1),
        ['[', rest @ ..] => return set(rest),
        ['\\', escaped, ..] => (Kind::One(*escaped), 2),
        [c, ..] => (Kind::One(*c), 1),
    };
    Some(Element { length, kind })
}

/// Returns the set whose text starts behind the bracket.
fn set(text: &[char]) -> Option<Element> {
    let is_negated = matches!(text.first(), Some('!' | '^'));
    let mut at = usize::from(is_negated);
    let mut ranges = Vec::new();
    while *text.get(at)? != ']' {
        let (first, behind) = member(text, at)?;
        at = behind;
        let mut last = first;
        if text.get(at) == Some(&'-') && text.get(at + 1).is_some_and(|c| *c != ']') {
            (last, at) = member(text, at + 1)?;
        }
        ranges.push((first, last));
    }
    Some(Element { length: at + 2, kind: Kind::Set { is_negated, ranges } })
}

/// Returns the character at a place of a set, and the place behind it.
fn member(text: &[char], at: usize) -> Option<(char, usize)> {
    match text.get(at)? {
        '\\' => Some((*text.get(at + 1)?, at + 2)),
        c => Some((*c, at + 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::is_match;

    /// Answers of `File.fnmatch?` of Ruby 3.1.
    #[test]
    fn patterns_match_as_in_ruby() {
        let cases = [
            ("*", "a", true),
            ("*", ".a", false),
            (".*", ".a", true),
            ("?a", ".a", false),
            ("[.]a", ".a", false),
            ("*.txt", "a.txt", true),
            ("*.txt", "a.txt.bak", false),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("{a,b}", "a", false),
            ("[ab]", "b", true),
            ("[!ab]", "b", false),
            ("[^ab]", "c", true),
            ("[a-c]x", "bx", true),
            ("[a-]x", "-x", true),
            ("[a", "[a", false),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("", "", true),
            ("", "a", false),
            ("*", "", true),
            ("a/b", "a/b", true),
            ("a?b", "a/b", true),
            ("gr*e", "grüße", true),
            ("gr??e", "grüße", true),
            ("[", "[", false),
            ("[]", "]", false),
            ("[]a]", "a", false),
            ("a\\", "a", true),
            ("[a-c-e]", "d", false),
            ("[c-a]", "b", false),
            ("[\\]]", "]", true),
        ];
        for (pattern, name, expected) in cases {
            assert_eq!(is_match(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn many_stars_take_no_time() {
        let (pattern, name) = ("*a".repeat(200), "a".repeat(190) + "b");
        assert!(!is_match(&pattern, &name));
    }
}
