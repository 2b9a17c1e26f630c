//! Random damage to a text.

use super::random::Random;
use super::words::KEYWORDS;

const TOKENS: &[&str] = &[
    "{", "}", "(", ")", "[", "]", ",", ";", ":", "::", "=>", "+>", "->", "<|", "|>", "<<|", "|>>",
    "|", "'", "\"", "$", "${", "@", "@@", "@(", "/", "\\", "#", "=", "==", "!", "?", ".", "..",
    "-", "*", "<%", "%>", "-%>", "\n", " ", "\t", "\r", "\0", "é", "😀", "0x", "1.", "$a", "foo",
    "Foo", "/*", "*/", "&", "`", "~", "^", "\u{feff}", "\u{a0}", "\u{2028}",
];

/// Returns the text after some damage.
pub(super) fn mutate(text: &str, random: &mut Random) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    for _ in 0..*random.pick(&[&1, &1, &1, &2, &3]) {
        letters = damage(&letters, random);
    }
    letters.into_iter().collect()
}

fn damage(letters: &[char], random: &mut Random) -> Vec<char> {
    let at = random.below(letters.len() + 1);
    let far = (at + random.between(1, 12)).min(letters.len());
    let insert = |piece: Vec<char>| [&letters[..at], &piece[..], &letters[at..]].concat();
    match random.below(10) {
        0..=2 => [&letters[..at], &letters[(at + 1).min(letters.len())..]].concat(),
        3 => [&letters[..at], &letters[far..]].concat(),
        4..=6 => insert(random.pick(TOKENS).chars().collect()),
        7 => insert(format!(" {} ", random.pick(KEYWORDS)).chars().collect()),
        8 => insert(letters[at..far].to_vec()),
        _ => letters[..at].to_vec(),
    }
}
