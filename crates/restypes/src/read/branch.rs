//! Conditions, including those whose outcome is unknown.

use super::model::{Draft, ModuleId};
use super::value::{Frame, Value};
use super::{Eval, Jump, Reader};
use crate::ruby::{Node, What};

/// The declarations of all types so far, each with the index of its module.
type Drafts = Vec<(usize, Draft)>;

impl Reader<'_> {
    pub(super) fn branch(&mut self, node: &Node, frame: &Frame) -> Eval {
        match &node.what {
            What::If(condition, yes, no) => match self.eval(condition, frame)?.truth() {
                Some(true) => self.eval(yes, frame),
                Some(false) => self.eval(no, frame),
                None => self.either(&[yes, no], node.line, frame),
            },
            What::And(left, right) => {
                let left = self.eval(left, frame)?;
                match left.truth() {
                    Some(true) => self.eval(right, frame),
                    Some(false) => Ok(left),
                    None => self.perhaps(node.line, frame, |this| this.eval(right, frame)),
                }
            }
            What::Or(left, right) => {
                let left = self.eval(left, frame)?;
                match left.truth() {
                    Some(true) => Ok(left),
                    Some(false) => self.eval(right, frame),
                    None => self.perhaps(node.line, frame, |this| this.eval(right, frame)),
                }
            }
            What::Case(subject, whens, otherwise) => {
                self.case(subject.as_deref(), whens, otherwise, node.line, frame)
            }
            What::Rescue(body, rescue) => match self.eval(body, frame) {
                Err(Jump::Raise) => self.eval(rescue, frame),
                other => other,
            },
            _ => Ok(Value::Unknown),
        }
    }

    fn case(
        &mut self,
        subject: Option<&Node>,
        whens: &[(Vec<Node>, Node)],
        otherwise: &Node,
        line: u32,
        frame: &Frame,
    ) -> Eval {
        let subject = subject.map(|subject| self.eval(subject, frame)).transpose()?;
        for (conditions, body) in whens {
            for condition in self.values(conditions, frame)? {
                let holds = match &subject {
                    Some(subject) => condition.equals(subject),
                    None => condition.truth(),
                };
                match holds {
                    Some(true) => return self.eval(body, frame),
                    Some(false) if !matches!(condition, Value::Const(_) | Value::Regex(..)) => {}
                    _ => {
                        let bodies = whens.iter().map(|(_, body)| body).chain([otherwise]);
                        return self.either(&bodies.collect::<Vec<_>>(), line, frame);
                    }
                }
            }
        }
        self.eval(otherwise, frame)
    }

    /// Evaluates all branches of an unknown condition, and reports the type as unreadable if they declare different things.
    /// Branches that raise an error don't count.
    fn either(&mut self, branches: &[&Node], line: u32, frame: &Frame) -> Eval {
        let before = self.drafts();
        let mut outcomes: Vec<(Drafts, Value)> = Vec::new();
        let mut left = None;
        self.doubt += 1;
        for branch in branches {
            self.restore(&before);
            match self.eval(branch, frame) {
                Ok(value) => outcomes.push((self.drafts(), value)),
                Err(Jump::Raise) => {}
                Err(Jump::Stop) => {
                    self.doubt -= 1;
                    return Err(Jump::Stop);
                }
                // One branch jumps out, so whether the code behind the condition runs is unknown.
                Err(jump) => {
                    outcomes.push((self.drafts(), Value::Unknown));
                    left = Some(jump);
                }
            }
        }
        self.doubt -= 1;
        let Some((drafts, value)) = outcomes.first() else { return Err(Jump::Raise) };
        if outcomes.iter().any(|(other, _)| other != drafts) {
            self.report(frame, line, "what is declared depends on a condition".to_owned());
        }
        let largest = outcomes.iter().max_by_key(|(drafts, _)| size(drafts));
        let (drafts, value) = (largest.map_or(drafts, |(drafts, _)| drafts).clone(), value.clone());
        self.restore(&drafts);
        if outcomes.len() == 1 {
            return left.map_or(Ok(value), Err);
        }
        let is_same = outcomes.iter().all(|(_, other)| other.equals(&value) == Some(true));
        Ok(if is_same { value } else { Value::Unknown })
    }

    /// Evaluates code that may run never, once or several times, and reports the type as unreadable if it declares something.
    pub(super) fn perhaps(
        &mut self,
        line: u32,
        frame: &Frame,
        run: impl FnOnce(&mut Self) -> Eval,
    ) -> Eval {
        let before = self.drafts();
        self.doubt += 1;
        let outcome = run(self);
        self.doubt -= 1;
        if self.drafts() != before {
            self.report(frame, line, "what is declared depends on a condition or list".to_owned());
        }
        match outcome {
            Err(Jump::Stop) => Err(Jump::Stop),
            _ => Ok(Value::Unknown),
        }
    }

    fn drafts(&self) -> Drafts {
        let all = self.modules.iter().enumerate();
        all.filter_map(|(index, module)| Some((index, module.draft.clone()?))).collect()
    }

    fn restore(&mut self, drafts: &Drafts) {
        for (index, draft) in drafts {
            self.module(ModuleId(*index)).draft = Some(draft.clone());
        }
    }
}

fn size(drafts: &Drafts) -> usize {
    drafts.iter().map(|(_, draft)| draft.properties.len() + draft.parameters.len()).sum()
}
