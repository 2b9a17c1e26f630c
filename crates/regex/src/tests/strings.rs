//! The parts of the interface that the corpus does not cover.

use std::borrow::Cow;

use crate::{LimitError, Options, Regex, Scanned, UnknownName};

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("it is valid")
}

#[test]
fn captures_know_names_and_neighbours() {
    let regex = regex("(?<a>x)|(?<b>y)(?<a>z)?");
    let captures = regex.captures("1yz2", 0).expect("no limit").expect("it matches");
    assert_eq!((captures.before(), captures.get(0), captures.after()), ("1", Some("yz"), "2"));
    assert_eq!(captures.name("a"), Ok(Some("z")));
    assert_eq!(captures.name("b"), Ok(Some("y")));
    assert_eq!(captures.name("c"), Err(UnknownName));
    assert_eq!(captures.groups().collect::<Vec<_>>(), [None, Some("y"), Some("z")]);
    let names: Vec<_> = regex.names().collect();
    assert_eq!(names, [("a", &[1, 3][..]), ("b", &[2][..])]);
}

#[test]
fn a_search_may_start_later() {
    let captures = regex(r"\Ga|^b").captures("xa\nb", 1).expect("no limit").expect("it matches");
    assert_eq!(captures.span(0), Some((1, 2)));
    assert!(regex("x").captures("xa", 1).expect("no limit").is_none());
    assert!(regex("").captures("xa", 3).expect("no limit").is_none());
}

#[test]
fn nothing_is_copied_if_nothing_matches() {
    assert!(matches!(regex("x").gsub("abc", "y"), Ok(Cow::Borrowed("abc"))));
    assert!(matches!(regex("x").sub("abc", "y"), Ok(Cow::Borrowed("abc"))));
}

#[test]
fn a_function_can_replace() {
    let replaced = regex("[a-c]").gsub_with("abcd", |captures, out| {
        out.push_str(&captures.get(0).unwrap_or_default().to_uppercase());
        Ok::<(), LimitError>(())
    });
    assert_eq!(replaced.as_deref(), Ok("ABCd"));
}

#[test]
fn scan_gives_matches_or_groups() {
    assert_eq!(regex("a.").scan("abac"), Ok(vec![Scanned::Match("ab"), Scanned::Match("ac")]));
    let groups = Scanned::Groups(vec![Some("a"), None]);
    assert_eq!(regex("(a)(b)?").scan("ac"), Ok(vec![groups]));
    assert_eq!(regex("a(b){0}").scan("a"), Ok(vec![Scanned::Groups(vec![None])]));
}

#[test]
fn equal_expressions_have_equal_options() {
    let ignore_case = Options { ignore_case: true, ..Options::default() };
    let other = Regex::with_options("a", ignore_case).expect("it is valid");
    assert_eq!(regex("a"), regex("a"));
    assert_ne!(regex("a"), other);
    assert_eq!((other.to_s(), other.inspect()), ("(?i-mx:a)".to_owned(), "/a/i".to_owned()));
    assert_eq!(format!("{other} {other:?}"), "(?i-mx:a) Regex(/a/i)");
}

#[test]
fn an_error_shows_options() {
    let extended = Options { extended: true, ..Options::default() };
    let error = Regex::with_options("(", extended).expect_err("it is not valid");
    assert_eq!(error.to_string(), "end pattern with unmatched parenthesis: /(/x");
}

/// The fast paths, for plain patterns and for texts without the literal of every match, are taken only without alternatives.
#[test]
fn shortcuts_lead_to_the_same_place() {
    let patterns = [
        "_",
        "ab",
        "é",
        "[/:~\\n\\s]",
        "[^a-z]",
        "[^\\x00-\\x7f]",
        "[é-ü]",
        "[\\w]",
        "\\W",
        "\\d",
        "\\s",
        "[a-é]",
        "a+b.c",
        "^a(\\d*)5\\.b",
        "a\\Kb",
        "(?i)ab",
        "a(?:x|b)c",
        "x?ab\\b",
        "a{2}b",
    ];
    let texts = [
        "",
        "a",
        "ab",
        "_a_b__",
        "aab.c\nabxc",
        "a125.b",
        "x\na5.b a5.b",
        "é_ü/é",
        "ÄÖ:äö\u{10ffff}",
        "a b\tc\nd",
        "aabaab",
        "abcaxcab",
        "日本/語\u{fffd}",
        "AB Ab\u{212a}",
        "\n\nab\n",
    ];
    for pattern in patterns {
        let (short, long) = (regex(pattern), regex(&format!("(?:{pattern}|(?!))")));
        for text in texts {
            let case = format!("/{pattern}/ on {text:?}");
            assert_eq!(short.gsub(text, "<>"), long.gsub(text, "<>"), "{case}");
            for limit in [-1, 0, 2, 3] {
                assert_eq!(short.split(text, limit), long.split(text, limit), "{case}, {limit}");
            }
            for start in (0..=text.len()).filter(|&start| text.is_char_boundary(start)) {
                let span =
                    |regex: &Regex| regex.spans(text, start).map(|spans| spans.map(|s| s.whole()));
                assert_eq!(span(&short), span(&long), "{case} from {start}");
            }
        }
    }
}
