//! Random patterns and texts.

use serde_json::{Value, json};

/// Returns the case of a seed.
pub(crate) fn case(seed: u64) -> Value {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    random.next();
    let mut pattern = Pattern {
        alphabet: ALPHABETS[random.below(ALPHABETS.len())],
        n_groups: 0,
        names: Vec::new(),
        uses_names: random.one_in(5),
        budget: 6 + random.below(14),
        random,
        text: String::new(),
    };
    pattern.alternatives(0);
    let Pattern { text, alphabet, mut random, .. } = pattern;
    let options: String = ["i", "m", "x"].into_iter().filter(|_| random.one_in(8)).collect();
    let subjects: Vec<String> = (0..6).map(|_| random.subject(alphabet)).collect();
    let replace = REPLACEMENTS[random.below(REPLACEMENTS.len())];
    json!({ "pattern": text, "options": options, "subjects": subjects, "replace": replace })
}

const ALPHABETS: [&[&str]; 6] = [
    &["a", "b"],
    &["a", "b", "c", "1", "_", " "],
    &["a", "A", "b", "B", "s", "S"],
    &["a", "\n", "b", "\r"],
    &["a", "é", "É", "ß", "s", "S", "ſ"],
    &["k", "K", "\u{212A}", "ss", "ﬀ", "f", "ẞ", "σ", "ς", "あ", "e\u{301}", "1", "²"],
];

const REPLACEMENTS: [&str; 6] = ["<\\0>", "\\1-\\2", "[\\`|\\&|\\']", "\\\\\\9x", "\\k<n>", "-"];

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from((self.next() >> 33) % limit as u64).expect("it is below the limit")
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[self.below(list.len())]
    }

    fn subject(&mut self, alphabet: &[&str]) -> String {
        let length = self.below(10);
        (0..length).map(|_| self.of(alphabet)).collect()
    }
}

struct Pattern {
    random: Random,
    alphabet: &'static [&'static str],
    text: String,
    n_groups: usize,
    names: Vec<String>,
    uses_names: bool,
    /// The number of pieces that may still be written.
    budget: usize,
}

impl Pattern {
    fn alternatives(&mut self, depth: usize) {
        self.branch(depth);
        while self.random.one_in(4) {
            self.text.push('|');
            self.branch(depth);
        }
    }

    fn branch(&mut self, depth: usize) {
        let length = self.random.below(4);
        for _ in 0..length {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            self.atom(depth);
            if self.random.one_in(3) {
                self.quantifier();
            }
        }
    }

    fn quantifier(&mut self) {
        let quantifier = self.random.of(&[
            "*", "+", "?", "*?", "+?", "??", "*+", "++", "?+", "{2}", "{1,2}", "{0,3}?", "{,2}",
            "{2,}", "{0}", "{1,3}+", "{2}?", "{3,}?", "{20}",
        ]);
        self.text.push_str(quantifier);
        if self.random.one_in(8) {
            self.quantifier();
        }
    }

    fn atom(&mut self, depth: usize) {
        match self.random.below(20) {
            0..=6 => self.literal(),
            7 => self.text.push('.'),
            8 | 9 => self.class(0),
            10 => {
                let kind = self.random.of(&[
                    "\\w",
                    "\\W",
                    "\\d",
                    "\\D",
                    "\\s",
                    "\\S",
                    "\\h",
                    "\\H",
                    "\\R",
                    "\\X",
                    "\\p{Alpha}",
                    "\\P{Lower}",
                    "\\p{^L}",
                    "\\p{Greek}",
                    "\\p{Upper}",
                    "(?u:\\w)",
                    "(?a:[[:alpha:]])",
                    "\\x61",
                    "\\u0061",
                    "\\141",
                    "\\n",
                ]);
                self.text.push_str(kind);
            }
            11 => {
                let anchor = self
                    .random
                    .of(&["^", "$", "\\A", "\\z", "\\Z", "\\b", "\\B", "\\G", "\\K", "(?a:\\b)"]);
                self.text.push_str(anchor);
            }
            12 => self.reference(),
            13 if depth < 3 => self.options(depth),
            _ if depth < 4 => self.group(depth),
            _ => self.literal(),
        }
    }

    fn literal(&mut self) {
        let literal = self.random.of(self.alphabet);
        self.text.push_str(literal);
    }

    fn class(&mut self, depth: usize) {
        self.text.push('[');
        if self.random.one_in(4) {
            self.text.push('^');
        }
        for _ in 0..=self.random.below(3) {
            match self.random.below(10) {
                0..=4 => self.literal(),
                5 => {
                    let range = self.random.of(&["a-c", "A-Z", "\\w-", "a-\\x7a", "à-ü", "0-9"]);
                    self.text.push_str(range);
                }
                6 => {
                    let kind =
                        self.random.of(&["\\w", "\\D", "\\s", "\\h", "\\p{L}", "\\P{Upper}"]);
                    self.text.push_str(kind);
                }
                7 => {
                    let name = self.random.of(&[
                        "[:alpha:]",
                        "[:^alpha:]",
                        "[:upper:]",
                        "[:punct:]",
                        "[:space:]",
                        "[:word:]",
                        "[:^digit:]",
                    ]);
                    self.text.push_str(name);
                }
                8 if depth < 2 => self.class(depth + 1),
                _ => {
                    self.text.push_str("&&");
                    self.literal();
                }
            }
        }
        self.text.push(']');
    }

    fn reference(&mut self) {
        let number = 1 + self.random.below(self.n_groups + 2);
        let name = match self.names.len() {
            0 => "n".to_owned(),
            length => self.names[self.random.below(length)].clone(),
        };
        let who = if self.uses_names { name } else { number.to_string() };
        let level = self.random.of(&["+0", "-1", "+1"]);
        let text = match self.random.below(8) {
            0..=2 if !self.uses_names => format!("\\{number}"),
            0..=2 => format!("\\k<{who}>"),
            3 => format!("\\k<{who}{level}>"),
            4 => format!("\\g<{who}>"),
            5 => format!("\\g<{who}>?"),
            6 if self.random.one_in(3) => "\\g<0>?".to_owned(),
            _ => {
                let brackets = if self.uses_names { format!("<{who}>") } else { who };
                format!("(?({brackets})a|b)")
            }
        };
        self.text.push_str(&text);
    }

    fn options(&mut self, depth: usize) {
        let options = self.random.of(&["i", "m", "x", "i-m", "-i", "u", "a", "d", "mi"]);
        self.text.push_str("(?");
        self.text.push_str(options);
        if self.random.one_in(3) {
            self.text.push(')');
            return;
        }
        self.text.push(':');
        self.alternatives(depth + 1);
        self.text.push(')');
    }

    fn group(&mut self, depth: usize) {
        let kind = self.random.below(12);
        match kind {
            0..=4 => self.capture(),
            5 | 6 => self.text.push_str("(?:"),
            7 => self.text.push_str("(?>"),
            8 => self.text.push_str(if self.random.one_in(2) { "(?=" } else { "(?!" }),
            9 => self.text.push_str(if self.random.one_in(2) { "(?<=" } else { "(?<!" }),
            10 if self.random.one_in(2) => self.text.push_str("(?~"),
            _ => self.text.push_str("(?:"),
        }
        self.alternatives(depth + 1);
        self.text.push(')');
    }

    fn capture(&mut self) {
        self.n_groups += 1;
        if !self.uses_names {
            self.text.push('(');
            return;
        }
        let name = self.random.of(&["n", "m", "o", "p"]).to_owned();
        self.text.extend(["(?<", &name, ">"]);
        self.names.push(name);
    }
}
