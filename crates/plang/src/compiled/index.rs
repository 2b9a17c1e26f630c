//! Index for many rules that test the same subject: the rules that can apply are looked up, not tried.
//!
//! Rules are numbered in source order. The index only leaves out rules whose condition is certainly false, without
//! effect or failure; so the first rule that applies stays the first.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::code::CodeIndex;
use super::networks::Networks;
use super::prefixes::Prefixes;
use crate::module::{Member, Run};
use crate::transaction::Transaction;
use crate::value::Value;

/// A test of a rule on the subject.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Test {
    Equal(Arc<[u8]>),
    Prefix(Arc<[u8]>),
    /// An address in the range from first to last.
    Network(u128, u128),
}

/// Rules by their tests on one subject.
#[derive(Debug)]
pub(super) struct Index {
    subject: &'static Member,
    equal: HashMap<Arc<[u8]>, Box<[u32]>, FixedState>,
    prefixes: Prefixes,
    networks: Networks,
    /// Rules that are always tried.
    always: Box<[u32]>,
    all: Box<[u32]>,
    /// The code of each rule; the last entry is the code after all rules.
    pub(super) places: Box<[CodeIndex]>,
}

/// Rules that remain to be tried, in order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Selection<'a>([&'a [u32]; 3]);

impl Index {
    /// Indexes rules by their tests; a rule without tests is always tried. None: the index would be too large.
    pub(super) fn new(subject: &'static Member, rules: &[Vec<Test>]) -> Option<Self> {
        let (mut equal, mut prefixes, mut networks) =
            (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let mut always = Vec::new();
        for (rule, tests) in (0_u32..).zip(rules) {
            for test in tests {
                match test.clone() {
                    Test::Equal(text) => add(&mut equal, text, rule),
                    Test::Prefix(text) => add(&mut prefixes, text, rule),
                    Test::Network(low, high) => add(&mut networks, (low, high), rule),
                }
            }
            if tests.is_empty() {
                always.push(rule);
            }
        }
        // Bounds the size: rules that share a key with many others would be listed repeatedly.
        let most = 1024 + 16 * rules.len();
        Some(Self {
            subject,
            equal: equal.into_iter().map(|(text, rules)| (text, rules.into())).collect(),
            prefixes: Prefixes::new(prefixes, most)?,
            networks: Networks::new(networks, most)?,
            always: always.into(),
            all: (0..u32::try_from(rules.len()).ok()?).collect(),
            places: Box::default(),
        })
    }

    /// Sets the code of the rules; the last entry is the code after all rules.
    pub(super) fn at(self, places: Vec<CodeIndex>) -> Self {
        Self { places: places.into(), ..self }
    }

    /// Returns the rules that can apply. If the subject fails, all rules are tried, and fail at their own place.
    pub(super) fn select<'a>(&'a self, transaction: &Transaction<'a>) -> Selection<'a> {
        let value = match self.subject.run {
            Run::Field(field) => Ok(Value::Text(field(transaction))),
            Run::Read(read) => read(transaction, Value::Nothing, &[]),
            _ => return Selection([&self.all, &[], &[]]),
        };
        match value {
            Ok(Value::Text(text)) => {
                let prefixes = self.prefixes.of(text);
                // The rules of an index mostly have one kind of test.
                match self.equal.is_empty() {
                    true => Selection([prefixes, &[], &self.always]),
                    false => {
                        let equal = self.equal.get(text).map_or(&[][..], |rules| rules);
                        Selection([equal, prefixes, &self.always])
                    }
                }
            }
            Ok(Value::Ip(ip)) => Selection([self.networks.around(ip), &[], &self.always]),
            _ => Selection([&self.all, &[], &[]]),
        }
    }
}

impl Selection<'_> {
    /// Removes and returns the next rule.
    #[inline]
    pub(super) fn next(&mut self) -> Option<u32> {
        if let [rules, [], []] = &mut self.0 {
            let (next, rest) = rules.split_first()?;
            *rules = rest;
            return Some(*next);
        }
        let firsts = self.0.iter().filter_map(|rules| rules.first());
        let next = *firsts.min()?;
        for rules in &mut self.0 {
            if let [first, rest @ ..] = *rules
                && *first == next
            {
                *rules = rest;
            }
        }
        Some(next)
    }
}

fn add<K: Ord>(rules: &mut BTreeMap<K, Vec<u32>>, key: K, rule: u32) {
    let rules = rules.entry(key).or_default();
    if rules.last() != Some(&rule) {
        rules.push(rule);
    }
}

/// Merges two sorted lists of rules.
pub(super) fn merged(own: &[u32], outer: &[u32]) -> Box<[u32]> {
    let mut all = [own, outer].concat();
    all.sort_unstable();
    all.dedup();
    all.into()
}
