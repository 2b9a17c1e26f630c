//! The fast path reads every text as libyaml does.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write files, run programs and measure time"
)]

use super::events;
use crate::yaml::LoadOptions;
use crate::yaml::event::{Event, EventKind, by_libyaml};

/// Formats events, one per line; an empty scalar has no line number.
fn summary(events: &[Event<'_>]) -> Vec<String> {
    let line = |event: &Event<'_>| match &event.kind {
        EventKind::Scalar { value, .. } if !value.is_empty() => event.line,
        _ => 0,
    };
    events.iter().map(|event| format!("{} {:?}", line(event), event.kind)).collect()
}

/// Returns true if the fast path accepts a text, after comparing it with libyaml.
#[track_caller]
fn is_read(text: &str) -> bool {
    let Some(ours) = events(text) else { return false };
    match by_libyaml(text, LoadOptions::default()) {
        Ok(theirs) => assert_eq!(summary(&ours), summary(&theirs), "{text}"),
        Err(error) => panic!("{text}\nlibyaml says: {}", error.message),
    }
    true
}

#[test]
fn what_most_files_have_is_read() {
    for text in [
        "a: 1\n",
        "---\na: 1\nb: two words\n",
        "a::b: x # comment\n\n# comment\nc: 'it''s'\nd: \"a\\n\\\"b\\\"\"",
        "a:\n  b:\n    c: 1\n  d:\ne: ~\n",
        "a:\n- 1\n- b: 1\n  c: 2\n-\n  - x\n- - y\n  - z\nd:\n  - 1\n",
        "a: [1, 'b', \"c\", -1, x y]\nb: {a: 1, 'b': [], c: {}}\nc: []\n",
        "a: |\n  one\n    two\n\n  three\nb: |-\n  x\n",
        "'^ntp::.*':\n  merge: deep\n<<: x\n",
        "a: ENC[PKCS7,MIIBi]\nb: -1\nc: http://example.com:80/#x\nd: a:b\ne: '%{alias(\"x\")}'\n",
        "- a\n- 'b': c\n- \n- d\n",
        "ä: ö\nname: 日本\n",
        "  a: 1\n  b: 2\n",
    ] {
        assert!(is_read(text), "{text}");
    }
}

#[test]
fn what_is_odd_is_left_to_libyaml() {
    for text in [
        "",
        "# nothing\n",
        "---\n",
        "a",
        "a: &x 1\nb: *x\n",
        "a: !!str 1\n",
        "a: b: c\n",
        "a: b\n  c\n",
        "a: 'b\n  c'\n",
        "a: >\n  b\n",
        "a: |\n\n  b\n",
        "a: |+\n  b\n\n",
        "a: [b,\n  c]\n",
        "a: [b: c]\n",
        "a: {b}\n",
        "a: - b\n",
        "a:\tb\n",
        "a: 1\r\n",
        "? a\n: b\n",
        "a: 1\n---\nb: 2\n",
        "a: 1\n...\n",
        "%YAML 1.1\n---\na: 1\n",
        "a:\n    b: 1\n  c: 2\n",
        "a: 1\n b: 2\n",
        "a: 'b' c\n",
        "a: \"\\x41\"\n",
        "a : 1\n",
        "\u{feff}a: 1\n",
        "a: x\u{2028}y\n",
        "a: @b\n",
    ] {
        assert!(events(text).is_none(), "{text}");
    }
}

/// Starts of random lines.
const STARTS: &[&str] = &[
    "a:", "b::c:", "'d e':", "\"f\":", "-", "- g:", "- -", "-  'h':", "# x", "", "<<:", "z :", "i",
    "---", "...",
];
/// Continuations of random lines.
const VALUES: &[&str] = &[
    "",
    " 1",
    " x",
    " two words",
    " 'q''q'",
    " \"r\\\"\"",
    " [a, 'b']",
    " {a: 1, b: [c]}",
    " |",
    " |-",
    " # c",
    " x # c",
    " x#c",
    "  y  ",
    " a:b",
    " a: b",
    " 'x' y",
    " []",
    " {}",
    " ~",
    " &a 1",
    " *a",
    " !x 1",
    " > ",
    " [a",
    " a]",
    " -",
    " - b",
    " %x",
    " 'x",
    " \"",
    " é",
    " ?x",
    " :x",
    " {a}",
    " [a: b]",
    " [a,]",
    " x:",
    " 'a': b",
    " {'a': \"b\"}",
    " [a b , c ]",
    " ENC[x,y]",
    " a, b",
    " \"\\n\"",
];

/// Random lines, most of them as in real files.
#[test]
fn noise_is_read_as_libyaml_reads_it() {
    let mut state = 11_u64;
    let mut next = |n: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % n
    };
    let rounds = std::env::var("CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(60_000);
    let mut n_read = 0;
    for _ in 0..rounds {
        let mut text = String::new();
        let mut indent = 0_usize;
        // The unusual values at the ends of the lists are rare.
        let few = next(3) > 0;
        for _ in 0..=next(7) {
            indent = match next(6) {
                0 => indent + 2,
                1 => indent.saturating_sub(2),
                2 => next(5),
                _ => indent,
            };
            let start = STARTS[next(if few { 9 } else { STARTS.len() })];
            let value = VALUES[next(if few { 20 } else { VALUES.len() })];
            text.push_str(&" ".repeat(indent));
            text.push_str(start);
            text.push_str(value);
            text.push('\n');
        }
        if next(8) == 0 {
            text.pop();
        }
        n_read += usize::from(is_read(&text));
    }
    assert!(n_read > rounds / 20, "{n_read} of {rounds} are read");
}
