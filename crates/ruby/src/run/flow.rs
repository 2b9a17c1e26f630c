//! Loops, `case` and `rescue`.

use std::rc::Rc;

use super::{Eval, Frame, Run, Stop};
use crate::class::{Class, Object};
use crate::read::tree::{Begin, Case, Node, Rescue, Target, While};
use crate::value::RubyValue;

impl Run<'_> {
    pub(super) fn eval_while(&mut self, parts: &While, frame: &Rc<Frame>) -> Eval {
        let mut first = parts.body_first;
        loop {
            if !first && self.eval(&parts.condition, frame)?.truthy() == parts.negated {
                return Ok(RubyValue::Nil);
            }
            first = false;
            if let Err(stop) = self.eval(&parts.body, frame) {
                match *stop {
                    Stop::Break(tag, value) if tag == frame.tag => return Ok(value),
                    Stop::Next(_) => (),
                    other => return Err(Box::new(other)),
                }
            }
        }
    }

    pub(super) fn eval_for(&mut self, parts: &(Target, Node, Node), frame: &Rc<Frame>) -> Eval {
        let collection = self.eval(&parts.1, frame)?;
        for item in self.items_of(&collection)? {
            self.assign(&parts.0, item, frame)?;
            if let Err(stop) = self.eval(&parts.2, frame) {
                match *stop {
                    Stop::Break(tag, value) if tag == frame.tag => return Ok(value),
                    Stop::Next(_) => (),
                    other => return Err(Box::new(other)),
                }
            }
        }
        Ok(collection)
    }

    pub(super) fn eval_case(&mut self, case: &Case, frame: &Rc<Frame>) -> Eval {
        let subject = case.subject.as_ref().map(|node| self.eval(node, frame)).transpose()?;
        for (conditions, body) in &case.whens {
            for condition in conditions {
                let (values, _) = self.eval_args(std::slice::from_ref(condition), frame)?;
                for value in values {
                    let matches = match &subject {
                        Some(subject) => self.case_equal(&value, subject, frame)?,
                        None => value.truthy(),
                    };
                    if matches {
                        return self.eval(body, frame);
                    }
                }
            }
        }
        self.eval(&case.otherwise, frame)
    }

    pub(super) fn eval_begin(&mut self, begin: &Begin, frame: &Rc<Frame>) -> Eval {
        let result = loop {
            let depth = self.vm.depth;
            match self.eval(&begin.body, frame) {
                Ok(value) => match &begin.otherwise {
                    Some(otherwise) => break self.eval(otherwise, frame),
                    None => break Ok(value),
                },
                Err(stop) => {
                    let Stop::Raise(exception) = &*stop else { break Err(stop) };
                    let exception = Rc::clone(exception);
                    self.vm.depth = depth;
                    match self.rescue(&begin.rescues, &exception, frame) {
                        Ok(None) => break Err(stop),
                        Ok(Some(value)) => break Ok(value),
                        Err(again) if matches!(*again, Stop::Retry) => self.step()?,
                        Err(other) => break Err(other),
                    }
                }
            }
        };
        if let Some(ensure) = &begin.ensure {
            let file = self.vm.file.clone();
            self.eval(ensure, frame)?;
            self.vm.file = file;
        }
        result
    }

    fn rescue(
        &mut self,
        rescues: &[Rescue],
        exception: &Rc<Object>,
        frame: &Rc<Frame>,
    ) -> Eval<Option<RubyValue>> {
        for rescue in rescues {
            if !self.rescues(rescue, exception, frame)? {
                continue;
            }
            if let Some(target) = &rescue.target {
                self.assign(target, RubyValue::Object(Rc::clone(exception)), frame)?;
            }
            let outer = self.vm.handling.replace(Rc::clone(exception));
            let result = self.eval(&rescue.body, frame);
            self.vm.handling = outer;
            return result.map(Some);
        }
        Ok(None)
    }

    fn rescues(
        &mut self,
        rescue: &Rescue,
        exception: &Rc<Object>,
        frame: &Rc<Frame>,
    ) -> Eval<bool> {
        if rescue.classes.is_empty() {
            return Ok(exception.class.is_a("StandardError"));
        }
        let (classes, _) = self.eval_args(&rescue.classes, frame)?;
        for class in classes {
            match &class {
                RubyValue::Class(class) => {
                    if self.is_instance(&exception.class, class) {
                        return Ok(true);
                    }
                }
                _ => return self.type_error("class or module required for rescue clause"),
            }
        }
        Ok(false)
    }

    fn is_instance(&self, class: &Rc<Class>, of: &Rc<Class>) -> bool {
        class.descends_from(of)
    }
}
