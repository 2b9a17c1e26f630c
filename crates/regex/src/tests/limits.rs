//! Patterns that would never end, take all memory, or make no sense.

use crate::{LimitError, Regex};

#[track_caller]
fn is_match(pattern: &str, text: &str) -> Result<bool, LimitError> {
    Regex::new(pattern).expect("it is valid").is_match(text)
}

#[test]
fn a_catastrophe_is_an_error() {
    let text = "a".repeat(60) + "b";
    for pattern in ["(a+)+$", "(?:a|aa)+c"] {
        assert_eq!(is_match(pattern, &text), Err(LimitError::Steps), "{pattern}");
    }
}

#[test]
fn a_mountain_of_places_is_an_error() {
    let text = "ab".repeat(3_000_000);
    assert_eq!(is_match("(?:a|b)*c", &text), Err(LimitError::Stack));
}

#[test]
fn long_texts_are_no_trouble() {
    let text = "a".repeat(1_000_000) + "b";
    for pattern in ["a*b", "[^b]*b", ".*b", "(?:a)*+b", r"\Aa+b\z", "(a|c)*b"] {
        assert_eq!(is_match(pattern, &text), Ok(true), "{pattern}");
    }
}

#[test]
fn repetitions_of_repetitions_stay_small() {
    assert_eq!(is_match("(?:(?:(?:a{1000}){1000}){1000}){1000}", "aaaa"), Ok(false));
    assert_eq!(is_match(&format!("a{}", "{2}".repeat(2_000)), "aaaa"), Ok(false));
    assert_eq!(is_match(&format!("{}a{}", "(".repeat(100), ")*".repeat(100)), "a"), Ok(true));
    assert_eq!(is_match(&"(?:a|b){2}".repeat(2000), "ab"), Ok(false));
}

/// Building blocks of random patterns.
#[rustfmt::skip] // One per line would be long.
const PIECES: [&str; 60] = [
    "a",
    "b",
    "é",
    "ß",
    "(",
    ")",
    "(?:",
    "(?=",
    "(?!",
    "(?<=",
    "(?<!",
    "(?>",
    "(?~",
    "(?<n>",
    "(?i)",
    "(?x:",
    "(?(1)",
    "[",
    "]",
    "[^",
    "&&",
    "-",
    "[:alpha:]",
    "|",
    "*",
    "+",
    "?",
    "{2}",
    "{,3}",
    "{1,}",
    "*?",
    "++",
    ".",
    "^",
    "$",
    "\\",
    "\\1",
    "\\k<n>",
    "\\k<n+1>",
    "\\g<n>",
    "\\g<0>",
    "\\g<1>",
    "\\b",
    "\\B",
    "\\A",
    "\\z",
    "\\Z",
    "\\G",
    "\\K",
    "\\w",
    "\\D",
    "\\R",
    "\\X",
    "\\p{L}",
    "\\x61",
    "\\u00e9",
    "\n",
    " ",
    "#",
    "ſ",
];

/// Every pattern and text gets an answer.
#[test]
fn noise_is_answered() {
    let mut state = 88_172_645_463_325_252_u64;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).expect("31 bits fit") % limit
    };
    let mut n_valid = 0;
    for _ in 0..20_000 {
        let length = 1 + below(9);
        let pattern: String = (0..length).map(|_| PIECES[below(PIECES.len())]).collect();
        let Ok(regex) = Regex::new(&pattern) else { continue };
        n_valid += 1;
        for text in ["", "ab\na", "ssßéſ#a a"] {
            let matches = regex.find_iter(text).take(100);
            let lengths =
                matches.map_while(Result::ok).map(|captures| captures.get(0).map(str::len));
            assert!(lengths.count() <= 100, "{pattern}");
        }
    }
    assert!(n_valid > 2000, "only {n_valid} patterns were valid");
}
