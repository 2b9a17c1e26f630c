//! `defined?(…)`

use std::rc::Rc;

use super::{Eval, Frame, Run, Stop};
use crate::read::tree::{IVar, Kind, Node};
use crate::value::RubyValue;

impl Run<'_> {
    pub(super) fn eval_defined(&mut self, node: &Node, frame: &Rc<Frame>) -> Eval {
        let word = self.defined_word(node, frame)?;
        Ok(word.map_or(RubyValue::Nil, RubyValue::frozen_str))
    }

    fn defined_word(&mut self, node: &Node, frame: &Rc<Frame>) -> Eval<Option<&'static str>> {
        Ok(match &node.kind {
            Kind::Nil => Some("expression"),
            Kind::SelfRef => Some("self"),
            Kind::True => Some("expression"),
            Kind::Local(_) => Some("local-variable"),
            Kind::IVar(ivar) => self.has_ivar(ivar, frame)?.then_some("instance-variable"),
            Kind::GVar(name) => {
                self.vm.process.globals.borrow().contains_key(name).then_some("global-variable")
            }
            Kind::CVar(name) => {
                let ancestors = frame.context.module.ancestors();
                let has = ancestors.iter().any(|class| class.variables.borrow().contains_key(name));
                has.then_some("class variable")
            }
            Kind::Const(name) => {
                self.find_constant(name, &frame.context.module)?.is_some().then_some("constant")
            }
            Kind::ConstIn(..) | Kind::TopConst(_) => {
                self.evaluates(node, frame)?.map(|_| "constant")
            }
            Kind::Assign(..) | Kind::OpAssign(_) | Kind::MultiAssign(..) => Some("assignment"),
            Kind::Yield(_) => frame.context.block.is_some().then_some("yield"),
            Kind::Call(call) => {
                let recv = match &call.recv {
                    Some(node) => match self.evaluates(node, frame)? {
                        Some(value) => value,
                        None => return Ok(None),
                    },
                    None => frame.context.self_value.clone(),
                };
                let own = call.recv.is_none();
                self.responds(&recv, &call.name, own).then_some("method")
            }
            Kind::Super(..) => self.super_method(frame).is_some().then_some("super"),
            Kind::NthRef(_) | Kind::BackRef(_) => {
                let value = self.eval(node, frame)?;
                (!value.is_nil()).then_some("global-variable")
            }
            _ => Some("expression"),
        })
    }

    /// Returns true if an instance variable is set; in a template, if the scope has the variable.
    fn has_ivar(&mut self, ivar: &IVar, frame: &Rc<Frame>) -> Eval<bool> {
        if !self.ivar(ivar, frame)?.is_nil() {
            return Ok(true);
        }
        Ok(match &frame.context.self_value {
            RubyValue::Object(object) => {
                !object.is_template() && object.ivars.borrow().contains_key(&ivar.name)
            }
            RubyValue::Class(class) => class.ivars.borrow().contains_key(&ivar.name),
            _ => false,
        })
    }

    fn evaluates(&mut self, node: &Node, frame: &Rc<Frame>) -> Eval<Option<RubyValue>> {
        match self.eval(node, frame) {
            Ok(value) => Ok(Some(value)),
            Err(stop) if matches!(*stop, Stop::Raise(_)) => Ok(None),
            Err(stop) => Err(stop),
        }
    }
}
