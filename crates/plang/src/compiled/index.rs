//! Many rules that ask the same of a message: which of them can apply is looked up, not tried.
//!
//! Rules are numbered in their order. A rule that is left out is one whose condition is false for sure, and
//! would be false without doing or failing anything; so the first rule that applies stays the first.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::code::Place;
use super::networks::Networks;
use super::prefixes::Prefixes;
use crate::module::{Member, Run};
use crate::transaction::Transaction;
use crate::value::Value;

/// What a rule asks of the subject.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Test {
    Equal(Arc<[u8]>),
    Prefix(Arc<[u8]>),
    /// An address between two.
    Network(u128, u128),
}

/// Rules by what they ask of one subject.
#[derive(Debug)]
pub(super) struct Index {
    subject: &'static Member,
    equal: HashMap<Arc<[u8]>, Box<[u32]>, FixedState>,
    prefixes: Prefixes,
    networks: Networks,
    /// Rules that must always be tried.
    always: Box<[u32]>,
    all: Box<[u32]>,
    /// Where each rule is; behind the last, where to go when none is left.
    pub(super) places: Box<[Place]>,
}

/// Rules that are still to be tried, in order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Selection<'a>([&'a [u32]; 3]);

impl Index {
    /// An index of rules, each with its tests (none: it must always be tried). None: it would be too large.
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
        // Rules that share a key with many others would be listed again and again.
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

    /// The same, with the places of the rules; behind the last, where to go when none is left.
    pub(super) fn at(self, places: Vec<Place>) -> Self {
        Self { places: places.into(), ..self }
    }

    /// The rules that can apply. If the subject can't be had they are all tried, and fail where they would.
    pub(super) fn select<'a>(&'a self, transaction: &Transaction<'a>) -> Selection<'a> {
        let value = match self.subject.run {
            Run::Field(field) => Ok(Value::Text(field(transaction))),
            Run::Read(read) => read(transaction, Value::Nothing, &[]),
            _ => return Selection([&self.all, &[], &[]]),
        };
        match value {
            Ok(Value::Text(text)) => {
                let prefixes = self.prefixes.of(text);
                // Rules are mostly of one kind.
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
    /// Takes the next rule off.
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

/// The rules of both lists, in order.
pub(super) fn merged(own: &[u32], outer: &[u32]) -> Box<[u32]> {
    let mut all = [own, outer].concat();
    all.sort_unstable();
    all.dedup();
    all.into()
}
