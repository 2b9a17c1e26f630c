//! Consecutive rules: an `if` with many arms, or many `if` statements in a row.
//!
//! The first test of all rules is often on the same subject: the path, the host, the client's address. Then only
//! those rules are tried that can apply, see [`super::index`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::code::{CodeIndex, Instruction};
use super::emit::Emitter;
use super::index::{Index, Test};
use super::names::is_inert;
use crate::ast::{BinaryOp, LogicOp, TextOp, TextTest};
use crate::module::{Member, Run, Touches};
use crate::program::{BlockId, Node, NodeId};

/// Fewer rules are tried in order, which is faster than a lookup.
const FEW: usize = 4;

/// Maximum length of an indexed text: a program may repeat one long text many times.
const LONGEST: usize = 1 << 10;

/// A condition and the block that runs when it holds.
pub(super) type Rule = (NodeId, BlockId);

/// A subject, and the tests of which one must hold for the condition to be true.
type SubjectTests = (&'static Member, Vec<Test>);

impl Emitter<'_> {
    /// Splits off the leading statements that are rules: `if` with one arm and no `else`.
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

    /// Emits rules that are all tried, whatever the earlier ones did. False: an index would not pay off.
    pub(super) fn row(&mut self, rules: &[Rule]) -> bool {
        let Some(index) = self.index(rules) else { return false };
        let (number, next) = self.select();
        let ends = self.indexed(rules, index, number, next);
        ends.into_iter().for_each(|end| self.patch(end, next));
        true
    }

    /// Emits arms of which the first that applies runs; returns their final jumps. None: an index would not pay off.
    pub(super) fn arms(&mut self, arms: &[Rule]) -> Option<Vec<CodeIndex>> {
        let index = self.index(arms)?;
        let (number, next) = self.select();
        Some(self.indexed(arms, index, number, next))
    }

    /// Emits the selection; returns the number of the new index, and where the next rule is chosen.
    fn select(&mut self) -> (usize, CodeIndex) {
        let number = self.indexes.len();
        self.indexes.push(None);
        self.push(Instruction::Select(number));
        (number, self.push(Instruction::Next(number)))
    }

    /// Emits the code of the rules; returns the jumps at their ends.
    fn indexed(
        &mut self,
        rules: &[Rule],
        index: Index,
        number: usize,
        next: CodeIndex,
    ) -> Vec<CodeIndex> {
        let (mut places, mut ends) = (Vec::new(), Vec::new());
        for (condition, block) in rules {
            places.push(self.here());
            for skip in self.unless(*condition) {
                self.patch(skip, next);
            }
            self.block(*block, None);
            ends.push(self.push(Instruction::Jump(0)));
        }
        places.push(self.here());
        self.indexes[number] = Some(index.at(places));
        ends
    }

    /// Builds an index by the subject that distinguishes most rules.
    fn index(&self, rules: &[Rule]) -> Option<Index> {
        if rules.len() < FEW {
            return None;
        }
        let tests_of_rules: Vec<Vec<SubjectTests>> =
            rules.iter().map(|(condition, _)| self.required_tests(*condition)).collect();
        let mut subjects: BTreeMap<usize, (&'static Member, BTreeSet<&[Test]>)> = BTreeMap::new();
        for (subject, tests) in tests_of_rules.iter().flatten() {
            let entry = subjects.entry(std::ptr::from_ref(*subject).addr());
            entry.or_insert((subject, BTreeSet::new())).1.insert(tests);
        }
        // Among equally good subjects, the one that is tested first.
        let order = |subject: &'static Member| {
            let mut all = tests_of_rules.iter().flatten();
            all.position(|(other, _)| std::ptr::eq(*other, subject)).map_or(0, |at| usize::MAX - at)
        };
        let best =
            subjects.into_values().max_by_key(|(subject, kinds)| (kinds.len(), order(subject)));
        let (subject, kinds) = best?;
        if kinds.len() < FEW {
            return None;
        }
        let is_about_subject = |(other, _): &&SubjectTests| std::ptr::eq(*other, subject);
        let tests = tests_of_rules.iter().map(|tests| {
            tests.iter().find(is_about_subject).map_or_else(Vec::new, |(_, tests)| tests.clone())
        });
        Index::new(subject, &tests.collect::<Vec<_>>())
    }

    /// Returns the tests that a condition requires, up to the first operand that may fail.
    fn required_tests(&self, condition: NodeId) -> Vec<SubjectTests> {
        let condition = self.names.resolve(self.program, condition);
        if self.program.traits(condition).acts {
            return Vec::new();
        }
        let Node::Logic { op: LogicOp::And, operands } = &self.program[condition] else {
            return self.test(condition).into_iter().collect();
        };
        let mut required: Vec<SubjectTests> = Vec::new();
        for operand in operands {
            let test = self.test(*operand);
            let can_go_on = !self.program.traits(*operand).fails;
            if let Some((subject, tests)) = test
                && required.iter().all(|(other, _)| !std::ptr::eq(*other, subject))
            {
                required.push((subject, tests));
            }
            if !can_go_on {
                break;
            }
        }
        required
    }

    /// Returns the test of `subject == "text"` and similar, or of several with one subject under `or`.
    fn test(&self, id: NodeId) -> Option<SubjectTests> {
        let id = self.names.resolve(self.program, id);
        match &self.program[id] {
            Node::Binary { op, left, right } => self.text_test(*op, *left, *right),
            Node::Read(access) if access.member.name == "has" => {
                let [arg] = *access.args else { return None };
                self.set_test(access.receiver?, self.subject(arg)?)
            }
            Node::Logic { op: LogicOp::Or, operands } => {
                let mut all: Option<SubjectTests> = None;
                for operand in operands {
                    let (subject, tests) = self.test(*operand)?;
                    match &mut all {
                        None => all = Some((subject, tests)),
                        Some((other, _)) if !std::ptr::eq(*other, subject) => return None,
                        Some((_, all)) => all.extend(tests),
                    }
                }
                all
            }
            _ => None,
        }
    }

    fn text_test(&self, op: BinaryOp, left: NodeId, right: NodeId) -> Option<SubjectTests> {
        let literal = |id| match &self.program[self.names.resolve(self.program, id)] {
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

    fn set_test(&self, set: NodeId, subject: &'static Member) -> Option<SubjectTests> {
        let mut tests: Vec<Test> = match &self.program[self.names.resolve(self.program, set)] {
            Node::Set(set) => {
                set.texts().into_iter().map(|text| Test::Equal(text.into())).collect()
            }
            Node::NetSet(set) => {
                set.bounds().iter().map(|(low, high)| Test::Network(*low, *high)).collect()
            }
            _ => return None,
        };
        tests.sort_unstable();
        // An empty set never matches, but no tests would mean that the rule is always tried.
        (!tests.is_empty()).then_some((subject, tests))
    }

    /// Returns the member that an expression reads, if its value can't change during a run.
    fn subject(&self, id: NodeId) -> Option<&'static Member> {
        let Node::Read(access) = &self.program[self.names.resolve(self.program, id)] else {
            return None;
        };
        let is_alone = access.args.is_empty()
            && access.receiver.is_none_or(|receiver| is_inert(self.program, receiver));
        let is_constant = access.member.touches == Touches::Constant && !access.member.makes;
        let is_read = matches!(access.member.run, Run::Field(_) | Run::Read(_));
        (is_alone && is_constant && is_read).then_some(access.member)
    }
}
