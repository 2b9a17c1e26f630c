//! A place in the text of a query.

/// How deeply expressions may be nested; `!` counts.
pub(super) const DEPTH: usize = 60;

/// A text that is read from the left, and what was expected at the furthest place.
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    furthest: usize,
    expected: Vec<&'static str>,
    depth: usize,
    /// An error that is none of the grammar.
    fault: Option<String>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, furthest: 0, expected: Vec::new(), depth: 0, fault: None }
    }

    /// Returns the text from here.
    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Takes the next bytes.
    pub(super) fn advance(&mut self, n_bytes: usize) -> &'a str {
        let taken = &self.text[self.at..self.at + n_bytes];
        self.at += n_bytes;
        taken
    }

    /// Takes a word, if it stands here.
    pub(super) fn word(&mut self, word: &'static str) -> Option<&'static str> {
        if self.rest().starts_with(word) {
            self.at += word.len();
            return Some(word);
        }
        self.expect(word);
        None
    }

    /// Takes the first of some words that stands here.
    pub(super) fn one_of(&mut self, words: &[&'static str]) -> Option<&'static str> {
        words.iter().find_map(|word| self.word(word))
    }

    /// Takes blanks; returns whether there are any.
    pub(super) fn blanks(&mut self) -> bool {
        let rest = self.rest();
        let length = rest.len() - rest.trim_start().len();
        self.at += length;
        length > 0
    }

    /// Takes blanks, of which there must be some.
    pub(super) fn some_blanks(&mut self) -> Option<()> {
        if self.blanks() {
            return Some(());
        }
        self.expect("blanks");
        None
    }

    /// Notes what could stand here.
    pub(super) fn expect(&mut self, what: &'static str) {
        if self.at > self.furthest {
            self.furthest = self.at;
            self.expected.clear();
        }
        if self.at == self.furthest && !self.expected.contains(&what) {
            self.expected.push(what);
        }
    }

    /// Tries to take a part; without success the place is the same.
    pub(super) fn attempt<T>(&mut self, take: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let start = self.at;
        let taken = take(self);
        if taken.is_none() {
            self.at = start;
        }
        taken
    }

    /// Takes a part that may contain itself.
    pub(super) fn nested<T>(&mut self, take: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth == DEPTH {
            self.fail(format!("the query is nested more than {DEPTH} times"));
            return None;
        }
        self.depth += 1;
        let taken = take(self);
        self.depth -= 1;
        taken
    }

    /// Notes an error that no other reading can avoid.
    pub(super) fn fail(&mut self, words: String) {
        self.fault.get_or_insert(words);
    }

    /// Returns an error that is none of the grammar.
    pub(super) fn fault(&mut self) -> Option<String> {
        self.fault.take()
    }

    /// Returns the words about the furthest place.
    pub(super) fn words(&self) -> String {
        let before = &self.text[..self.furthest];
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = self.text[start..].lines().next().unwrap_or_default();
        let number = before.matches('\n').count() + 1;
        let column = before[start..].chars().count() + 1;
        let mark = " ".repeat(column - 1);
        let opening = if self.expected.len() > 1 { "Expected one of:\n" } else { "Expected:" };
        let expected = self.expected.join("\n");
        format!(
            "PQL parse error at line {number}, column {column}:\n\n{line}\n{mark}^\n\n{opening}\n{expected}\n"
        )
    }
}
