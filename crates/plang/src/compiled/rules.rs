//! Rules in a row: an `if` with many arms, or many of them one after the other.
//!
//! What a rule asks first is often the same for all: the path, the host, the client's address. Then only those
//! rules are tried that can apply, see [`super::index`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::code::{Instruction, Place};
use super::emit::Emitter;
use super::index::{Index, Test};
use super::names::is_inert;
use crate::ast::{BinaryOp, LogicOp, TextOp, TextTest};
use crate::module::{Member, Run, Touches};
use crate::program::{BlockId, Node, NodeId};

/// Fewer rules are tried one by one: that is quicker than to look them up.
const FEW: usize = 4;

/// The length of a text that is looked up, at most: one long text may be named again and again.
const LONGEST: usize = 1 << 10;

/// A condition and what is done when it holds.
pub(super) type Rule = (NodeId, BlockId);

/// A subject, and what a condition needs to be true of it.
type Asked = (&'static Member, Vec<Test>);

impl Emitter<'_> {
    /// How many statements from the first on are rules: `if` with one arm and no `else`.
    pub(super) fn rules<'s>(&self, statements: &'s [NodeId]) -> (Vec<Rule>, &'s [NodeId]) {
        let rules: Vec<Rule> = statements
            .iter()
            .map_while(|id| match &self.program[*id] {
                Node::If { arms, otherwise: None } => match **arms {
                    [rule] => Some(rule),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        let rest = &statements[rules.len()..];
        (rules, rest)
    }

    /// Rules of which each is tried, whatever became of those before it. False: they are not worth an index.
    pub(super) fn row(&mut self, rules: &[Rule]) -> bool {
        let Some(index) = self.index(rules) else { return false };
        let (number, next) = self.select();
        let ends = self.indexed(rules, index, number, next);
        ends.into_iter().for_each(|end| self.point(end, next));
        true
    }

    /// Arms of which the first that applies is done. Where their ends must go on; None: not worth an index.
    pub(super) fn arms(&mut self, arms: &[Rule]) -> Option<Vec<Place>> {
        let index = self.index(arms)?;
        let (number, next) = self.select();
        Some(self.indexed(arms, index, number, next))
    }

    /// The number of a new index, and where the next rule is found.
    fn select(&mut self) -> (usize, Place) {
        let number = self.indexes.len();
        self.indexes.push(None);
        self.push(Instruction::Select(number));
        (number, self.push(Instruction::Next(number)))
    }

    /// The code of the rules; the jumps at their ends.
    fn indexed(&mut self, rules: &[Rule], index: Index, number: usize, next: Place) -> Vec<Place> {
        let (mut places, mut ends) = (Vec::new(), Vec::new());
        for (condition, block) in rules {
            places.push(self.here());
            for skip in self.unless(*condition) {
                self.point(skip, next);
            }
            self.block(*block, None);
            ends.push(self.push(Instruction::Jump(0)));
        }
        places.push(self.here());
        self.indexes[number] = Some(index.at(places));
        ends
    }

    /// An index by the subject that tells most rules apart.
    fn index(&self, rules: &[Rule]) -> Option<Index> {
        if rules.len() < FEW {
            return None;
        }
        let asked: Vec<Vec<Asked>> =
            rules.iter().map(|(condition, _)| self.asked(*condition)).collect();
        let mut subjects: BTreeMap<usize, (&'static Member, BTreeSet<&[Test]>)> = BTreeMap::new();
        for (subject, tests) in asked.iter().flatten() {
            let known = subjects.entry(std::ptr::from_ref(*subject).addr());
            known.or_insert((subject, BTreeSet::new())).1.insert(tests);
        }
        // Of two that are as good, the one that is asked about first.
        let order = |subject: &'static Member| {
            let mut all = asked.iter().flatten();
            all.position(|(other, _)| std::ptr::eq(*other, subject)).map_or(0, |at| usize::MAX - at)
        };
        let best =
            subjects.into_values().max_by_key(|(subject, kinds)| (kinds.len(), order(subject)));
        let (subject, kinds) = best?;
        if kinds.len() < FEW {
            return None;
        }
        let is_it = |(other, _): &&Asked| std::ptr::eq(*other, subject);
        let tests = asked.iter().map(|asked| {
            asked.iter().find(is_it).map_or_else(Vec::new, |(_, tests)| tests.clone())
        });
        Index::new(subject, &tests.collect::<Vec<_>>())
    }

    /// What a condition needs to be true, as far as it is needed before anything can fail.
    fn asked(&self, condition: NodeId) -> Vec<Asked> {
        let condition = self.names.meant(self.program, condition);
        if self.program.traits(condition).acts {
            return Vec::new();
        }
        let Node::Logic { op: LogicOp::And, operands } = &self.program[condition] else {
            return self.test(condition).into_iter().collect();
        };
        let mut asked: Vec<Asked> = Vec::new();
        for operand in operands {
            let test = self.test(*operand);
            let can_go_on = !self.program.traits(*operand).fails;
            if let Some((subject, tests)) = test
                && asked.iter().all(|(known, _)| !std::ptr::eq(*known, subject))
            {
                asked.push((subject, tests));
            }
            if !can_go_on {
                break;
            }
        }
        asked
    }

    /// `subject == "text"` and its like, or several of them about one subject with `or` between.
    fn test(&self, id: NodeId) -> Option<Asked> {
        let id = self.names.meant(self.program, id);
        match &self.program[id] {
            Node::Binary { op, left, right } => self.text_test(*op, *left, *right),
            Node::Read(access) if access.member.name == "has" => {
                let [arg] = *access.args else { return None };
                self.set_test(access.receiver?, self.subject(arg)?)
            }
            Node::Logic { op: LogicOp::Or, operands } => {
                let mut all: Option<Asked> = None;
                for operand in operands {
                    let (subject, tests) = self.test(*operand)?;
                    match &mut all {
                        None => all = Some((subject, tests)),
                        Some((known, _)) if !std::ptr::eq(*known, subject) => return None,
                        Some((_, known)) => known.extend(tests),
                    }
                }
                all
            }
            _ => None,
        }
    }

    fn text_test(&self, op: BinaryOp, left: NodeId, right: NodeId) -> Option<Asked> {
        let literal = |id| match &self.program[self.names.meant(self.program, id)] {
            Node::Text(text) if text.len() <= LONGEST => Some(Arc::clone(text)),
            _ => None,
        };
        let is = |wanted| matches!(op, BinaryOp::Text(TextOp { test, ignores_case: false }) if test == wanted);
        if op == BinaryOp::Equal || is(TextTest::Equal) {
            let (subject, text) = match literal(right) {
                Some(text) => (left, text),
                None => (right, literal(left)?),
            };
            return Some((self.subject(subject)?, vec![Test::Equal(text)]));
        }
        if !is(TextTest::BeginsWith) {
            return None;
        }
        Some((self.subject(left)?, vec![Test::Prefix(literal(right)?)]))
    }

    fn set_test(&self, set: NodeId, subject: &'static Member) -> Option<Asked> {
        let mut tests: Vec<Test> = match &self.program[self.names.meant(self.program, set)] {
            Node::Set(set) => {
                set.texts().into_iter().map(|text| Test::Equal(text.into())).collect()
            }
            Node::NetSet(set) => {
                set.bounds().iter().map(|(low, high)| Test::Network(*low, *high)).collect()
            }
            _ => return None,
        };
        tests.sort_unstable();
        // An empty set holds nothing; that would look like a rule without tests.
        (!tests.is_empty()).then_some((subject, tests))
    }

    /// The member that an expression reads, if it is the same while the program runs.
    fn subject(&self, id: NodeId) -> Option<&'static Member> {
        let Node::Read(access) = &self.program[self.names.meant(self.program, id)] else {
            return None;
        };
        let is_alone = access.args.is_empty()
            && access.receiver.is_none_or(|receiver| is_inert(self.program, receiver));
        let is_constant = access.member.touches == Touches::Constant && !access.member.makes;
        let is_read = matches!(access.member.run, Run::Field(_) | Run::Read(_));
        (is_alone && is_constant && is_read).then_some(access.member)
    }
}
