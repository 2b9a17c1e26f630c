//! The type system compared with real Puppet.
//!
//! [`generate`] makes questions (two types and a value), [`ours()`] answers them, and [`compare`] asks Puppet and
//! finds the differences.

pub mod access;
mod cases;
mod generate;
mod ours;
#[cfg(test)]
mod tests;

pub use generate::question;
pub use ours::{Environment, ours};

use anyhow::Result;
use serde_json::{Value, json};

use crate::Oracle;

/// Two types and a value, as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// One type.
    pub a: String,
    /// Another type.
    pub b: String,
    /// A value, written as a literal.
    pub value: String,
}

/// Type aliases that both sides define.
pub const ALIASES: &[(&str, &str)] = &[
    ("Tree", "Variant[String, Array[Tree]]"),
    ("Rec", "Hash[String, Variant[Integer, Rec]]"),
    ("Opt", "Optional[Integer]"),
    ("Mode", "Enum[ro, rw]"),
    ("Ping", "Array[Pong]"),
    ("Pong", "Variant[Integer, Ping]"),
    ("Port", "Integer[0, 65535]"),
    ("Nested", "Variant[Undef, Port, Struct[{next => Nested}]]"),
    ("Either", "Variant[Mode, Port]"),
    ("Deep", "Variant[Wide, Array[Deep]]"),
    ("Wide", "Variant[Integer, String, Hash[String, Deep]]"),
    ("Chain", "Tuple[Integer, Optional[Chain]]"),
    ("Maybe", "Optional[Array[Maybe]]"),
    ("Self", "Variant[Self, Integer, Array[Self]]"),
    ("Block", "Callable[[Block], Deep]"),
];

/// A difference between Puppet and Kukla: the question, the property, and both answers.
#[derive(Clone, Debug)]
pub struct Parting {
    /// The question.
    pub question: Question,
    /// The property: `assignable`, `common`, …
    pub what: String,
    /// Puppet's answer.
    pub puppet: Value,
    /// Kukla's answer.
    pub ours: Value,
}

/// Number of comparisons, and the differences.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Number of questions.
    pub n_questions: usize,
    /// Number of compared answers.
    pub n_answers: usize,
    /// Number of answers missing because Puppet crashes.
    pub n_broken: usize,
    /// The differences.
    pub partings: Vec<Parting>,
}

/// Asks both sides the questions of some seeds.
pub fn compare(seeds: std::ops::Range<u64>) -> Result<Outcome> {
    let mut puppet = Oracle::start_script("types.rb")?;
    let aliases: serde_json::Map<String, Value> =
        ALIASES.iter().map(|(name, type_)| ((*name).to_owned(), json!(type_))).collect();
    puppet.tell(&json!({ "aliases": aliases }))?;
    let environment = Environment::new(ALIASES)?;
    let mut outcome = Outcome::default();
    for seed in seeds {
        let question = question(seed);
        let Question { a, b, value } = &question;
        let answers = puppet.ask_json(&json!({ "a": a, "b": b, "value": value }))?;
        outcome.add(&question, &answers, &ours(&question, &environment));
    }
    Ok(outcome)
}

impl Outcome {
    /// Adds another outcome.
    pub fn extend(&mut self, other: Self) {
        self.n_questions += other.n_questions;
        self.n_answers += other.n_answers;
        self.n_broken += other.n_broken;
        self.partings.extend(other.partings);
    }

    fn add(&mut self, question: &Question, puppet: &Value, ours: &Value) {
        self.n_questions += 1;
        for (what, answer) in puppet.as_object().into_iter().flatten() {
            if answer.get("broken").is_some() {
                self.n_broken += 1;
                continue;
            }
            self.n_answers += 1;
            let our_answer = &ours[what];
            if answer != our_answer {
                self.partings.push(Parting {
                    question: question.clone(),
                    what: what.clone(),
                    puppet: answer.clone(),
                    ours: our_answer.clone(),
                });
            }
        }
    }
}
