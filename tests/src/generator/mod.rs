//! Generator of random Puppet programs.
//!
//! [`program`] generates one from a seed: it walks the grammar, chooses among the forms of each construct, and writes
//! them with odd spacing, comments and line ends. A third is then damaged, so that most of these are invalid. Nothing
//! here predicts the result: real Puppet does.

mod definitions;
mod expressions;
mod flow;
mod literals;
mod mutate;
pub(crate) mod random;
mod resources;
mod strings;
mod templates;
mod types;
mod words;

use kukla_syntax::Strict;

use crate::Case;
pub(crate) use random::Random;

/// Returns the program of a seed.
pub fn program(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let template = random.chance(12);
    let tasks = random.chance(8);
    let strict = match random.below(10) {
        0 => Strict::Off,
        1 => Strict::Warning,
        _ => Strict::Error,
    };
    let mut writer = Writer::new(random, tasks);
    if template {
        writer.template()
    } else {
        writer.manifest()
    }
    let Writer { mut random, out, .. } = writer;
    let text = if random.chance(35) { mutate::mutate(&out, &mut random) } else { out };
    let file = (!template).then(|| words::file(&mut random)).flatten();
    Case { template, tasks, strict, file, ..Case::manifest(text) }
}

/// Writer of a program, token by token.
#[derive(Debug)]
struct Writer {
    random: Random,
    out: String,
    /// Nesting depth of the current construct.
    depth: usize,
    /// Above 0: inside of a string, where line breaks, comments and heredocs are not allowed.
    inline: usize,
    /// Texts of heredocs that begin after the next line break.
    heredocs: Vec<String>,
    n_heredocs: usize,
    line_break: &'static str,
    /// Frequency of odd spacing, in percent.
    oddness: usize,
    tasks: bool,
    /// Whether forms that probably do not parse may be chosen.
    odd: bool,
    /// Whether forms that parse, but are probably not valid, may be chosen.
    loose: bool,
    n_keys: usize,
}

impl Writer {
    fn new(mut random: Random, tasks: bool) -> Self {
        let line_break = if random.chance(10) { "\r\n" } else { "\n" };
        let odd = random.chance(35);
        let loose = random.chance(40);
        let oddness = *random.pick(&[&0, &0, &5, &20, &40]);
        Self {
            random,
            out: String::new(),
            depth: 0,
            inline: 0,
            heredocs: Vec::new(),
            n_heredocs: 0,
            line_break,
            oddness,
            tasks,
            odd,
            loose,
            n_keys: 0,
        }
    }

    fn manifest(&mut self) {
        if self.random.chance(2) {
            return;
        }
        let n_statements = *self.random.pick(&[&1, &1, &2, &3, &5]);
        for index in 0..n_statements {
            if index > 0 {
                self.between_statements();
            }
            self.top_statement();
        }
        self.newline();
        // The last line may lack its line end.
        if self.random.chance(10) && self.out.ends_with(self.line_break) {
            self.out.truncate(self.out.len() - self.line_break.len());
        }
    }

    fn between_statements(&mut self) {
        if self.chance(6) {
            self.gap();
            self.put(";");
        }
        self.newline();
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.random.chance(percent)
    }

    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Writes one of the choices.
    fn put_one(&mut self, choices: &[&str]) {
        let choice = self.random.pick(choices);
        self.put(choice);
    }

    /// Returns true in `percent` percent of cases, but only in an odd program.
    fn oddly(&mut self, percent: usize) -> bool {
        self.odd && self.chance(percent)
    }

    /// Returns true in `percent` percent of cases, but only in a loose program.
    fn loosely(&mut self, percent: usize) -> bool {
        self.loose && self.chance(percent)
    }

    /// Writes one of the first choices, or, in an odd program, sometimes one of the second.
    fn put_or(&mut self, good: &[&str], odd: &[&str]) {
        let choices = if self.oddly(15) { odd } else { good };
        self.put_one(choices);
    }

    /// Writes optional space.
    fn gap(&mut self) {
        match self.random.below(100) {
            odd if odd < self.oddness => self.odd_gap(),
            _ => self.put(" "),
        }
    }

    /// Writes space where it changes the meaning: between a name and its bracket.
    fn glued(&mut self) {
        if self.odd {
            self.tight();
        }
    }

    /// Writes space that is mostly left out.
    fn tight(&mut self) {
        if self.random.below(200) < self.oddness {
            self.odd_gap();
        }
    }

    /// Writes required space.
    fn space(&mut self) {
        let before = self.out.len();
        self.gap();
        if self.out.len() == before {
            self.put(" ");
        }
    }

    fn odd_gap(&mut self) {
        if self.inline > 0 {
            return self.put_one(&["", "", " ", "  "]);
        }
        match self.random.below(12) {
            0..=3 => (),
            4 => self.put("  "),
            5 => self.put("\t"),
            6 if self.odd => self.put("\u{a0}"),
            7 => self.put_one(&["/* c */", "/**/", "/* # é */"]),
            8 => {
                self.put_one(&[" # a comment", "#", " # it's \"odd\" ${x}", "# — ü"]);
                self.newline();
            }
            9 if self.odd => self.put(" \u{b}"),
            _ => self.newline(),
        }
    }

    /// Writes a line break, followed by the texts of pending heredocs.
    fn newline(&mut self) {
        if self.inline > 0 {
            return self.put(" ");
        }
        self.put(self.line_break);
        for text in std::mem::take(&mut self.heredocs) {
            self.put(&text);
        }
        let indent = "  ".repeat(self.depth.min(6));
        self.put(&indent);
    }

    /// Calls `write` inside of a string: on one line.
    fn inlined(&mut self, write: impl FnOnce(&mut Self)) {
        self.inline += 1;
        self.deeper(write);
        self.inline -= 1;
    }

    fn deeper(&mut self, write: impl FnOnce(&mut Self)) {
        self.depth += 1;
        write(self);
        self.depth -= 1;
    }

    /// Calls `write` several times, with commas between, and sometimes after the last.
    fn list(&mut self, least: usize, most: usize, mut write: impl FnMut(&mut Self)) {
        let least = if self.oddly(15) { 0 } else { least };
        let count = self.random.between(least, most);
        for index in 0..count {
            if index > 0 {
                self.tight();
                self.put(",");
                self.gap();
            }
            write(self);
        }
        if count > 0 && self.chance(12) {
            self.tight();
            self.put(",");
        }
    }

    /// `{ statements }`
    fn block(&mut self) {
        self.put("{");
        if self.chance(12) {
            self.gap();
            return self.put("}");
        }
        self.depth += 1;
        let n_statements = self.random.between(1, 3);
        for index in 0..n_statements {
            self.newline();
            self.statement();
            if index + 1 < n_statements && self.chance(5) || self.oddly(2) {
                self.put(";");
            }
        }
        self.depth -= 1;
        self.newline();
        self.put("}");
    }

    fn is_deep(&self) -> bool {
        self.depth > 5 || self.out.len() > 3000
    }
}
