//! Many rules that ask the same of a message: which of them can apply is looked up, not tried.
//!
//! Rules are numbered in their order. A rule that is left out is one whose condition is false for sure, and
//! would be false without doing or failing anything; so the first rule that applies stays the first.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;

use super::code::Place;
use crate::ip::Ip;
use crate::module::{Member, Run};
use crate::transaction::Transaction;
use crate::value::Value;

/// What a rule asks of the subject.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Test {
    Equal(Box<[u8]>),
    Prefix(Box<[u8]>),
    /// An address between two.
    Network(u128, u128),
}

/// Rules by what they ask of one subject.
#[derive(Debug)]
pub(super) struct Index {
    subject: &'static Member,
    equal: HashMap<Box<[u8]>, Box<[u32]>, FixedState>,
    prefixes: Nested<Box<[u8]>>,
    networks: Nested<(u128, u128)>,
    /// Rules that must always be tried.
    always: Box<[u32]>,
    all: Box<[u32]>,
    /// Where each rule is; behind the last, where to go when none is left.
    pub(super) places: Box<[Place]>,
}

/// Rules that are still to be tried, in order.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Selection<'a>([&'a [u32]; 3]);

/// Keys of which some lie in others, sorted so that those outside come first.
#[derive(Debug)]
struct Nested<K> {
    keys: Vec<K>,
    /// The key around each, if there is one.
    outer: Vec<Option<u32>>,
    /// The rules of each key and of all around it.
    rules: Vec<Box<[u32]>>,
}

/// A key that others can lie in.
trait Range: Ord + Clone {
    fn holds(&self, inner: &Self) -> bool;
}

impl Range for Box<[u8]> {
    fn holds(&self, inner: &Self) -> bool {
        inner.starts_with(self)
    }
}

impl Range for (u128, u128) {
    fn holds(&self, inner: &Self) -> bool {
        self.0 <= inner.0 && inner.1 <= self.1
    }
}

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
                    // `max` first, so that a network comes before those in it.
                    Test::Network(low, high) => add(&mut networks, (low, u128::MAX - high), rule),
                }
            }
            if tests.is_empty() {
                always.push(rule);
            }
        }
        let networks =
            networks.into_iter().map(|((low, rest), rules)| ((low, u128::MAX - rest), rules));
        // Rules that share a key with many others would be listed again and again.
        let most = 1024 + 16 * rules.len();
        Some(Self {
            subject,
            equal: equal.into_iter().map(|(text, rules)| (text, rules.into())).collect(),
            prefixes: Nested::new(prefixes.into_iter(), most)?,
            networks: Nested::new(networks, most)?,
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
            Run::Act(_) | Run::Special(_) | Run::Host => return Selection([&self.all, &[], &[]]),
        };
        match value {
            Ok(Value::Text(text)) => {
                let equal = self.equal.get(text).map_or(&[][..], |rules| rules);
                Selection([equal, self.prefixes.around_text(text), &self.always])
            }
            Ok(Value::Ip(ip)) => Selection([self.networks.around_ip(ip), &[], &self.always]),
            _ => Selection([&self.all, &[], &[]]),
        }
    }
}

impl Selection<'_> {
    /// Takes the next rule off.
    pub(super) fn next(&mut self) -> Option<u32> {
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

impl<K: Range> Nested<K> {
    /// None: the lists would have more elements than that.
    fn new(entries: impl Iterator<Item = (K, Vec<u32>)>, mut most: usize) -> Option<Self> {
        let mut nested = Self { keys: Vec::new(), outer: Vec::new(), rules: Vec::new() };
        for (key, mut own) in entries {
            let last = nested.keys.len().checked_sub(1);
            let outer = nested.closest(last, |around| around.holds(&key));
            if let Some(outer) = outer {
                own.extend_from_slice(&nested.rules[outer]);
                own.sort_unstable();
                own.dedup();
            }
            most = most.checked_sub(own.len())?;
            nested.keys.push(key);
            nested.outer.push(outer.and_then(|outer| u32::try_from(outer).ok()));
            nested.rules.push(own.into());
        }
        Some(nested)
    }

    /// The innermost key that holds something, beginning with one that is not after it.
    fn closest(&self, from: Option<usize>, holds: impl Fn(&K) -> bool) -> Option<usize> {
        let mut next = from;
        while let Some(index) = next {
            if holds(&self.keys[index]) {
                return Some(index);
            }
            next = self.outer[index].map(|outer| outer as usize);
        }
        None
    }

    fn rules_of(&self, index: Option<usize>) -> &[u32] {
        index.map_or(&[], |index| &self.rules[index])
    }
}

impl Nested<Box<[u8]>> {
    fn around_text(&self, text: &[u8]) -> &[u32] {
        let from = self.keys.partition_point(|key| **key <= *text).checked_sub(1);
        self.rules_of(self.closest(from, |key| text.starts_with(key)))
    }
}

impl Nested<(u128, u128)> {
    fn around_ip(&self, ip: Ip) -> &[u32] {
        let number = ip.number();
        let from = self.keys.partition_point(|(low, _)| *low <= number).checked_sub(1);
        self.rules_of(self.closest(from, |(low, high)| *low <= number && number <= *high))
    }
}
