//! Variables and assignments.

use std::rc::Rc;

use kukla_base::Symbol;

use super::eval::set_local;
use super::{Args, Eval, Frame, Run};
use crate::class::{Class, Data, Object};
use crate::read::tree::{IVar, Kind, Multi, Name, Node, Op, OpAssign, Target};
use crate::value::RubyValue;

/// The target of an assignment, its receiver and arguments evaluated once.
enum AssignTarget<'t> {
    Simple(&'t Target),
    Index(RubyValue, Vec<RubyValue>),
    Attr(RubyValue, Name),
    Nothing,
}

impl Run<'_> {
    pub(crate) fn assign(
        &mut self,
        target: &Target,
        value: RubyValue,
        frame: &Rc<Frame>,
    ) -> Eval<()> {
        match target {
            Target::Local(slot) => set_local(frame, *slot, value),
            Target::IVar(ivar) => self.set_ivar(&ivar.name, value, frame)?,
            Target::GVar(name) => {
                self.vm.process.globals.borrow_mut().insert(name.clone(), value);
            }
            Target::CVar(name) => {
                let owner = class_with_variable(&frame.context.module, name);
                owner.variables.borrow_mut().insert(name.clone(), value);
            }
            Target::Const(parent, name) => {
                let owner = match parent {
                    Some(node) => match self.eval(node, frame)? {
                        RubyValue::Class(class) => class,
                        other => {
                            let shown = crate::show::inspect(&other);
                            return self.type_error(format!("{shown} is not a class/module"));
                        }
                    },
                    None => Rc::clone(&frame.context.module),
                };
                self.set_constant(&owner, name, value);
            }
            Target::Index(recv, args) => {
                let recv = self.eval(recv, frame)?;
                let (mut args, _) = self.eval_args(args, frame)?;
                args.push(value);
                self.send(&recv, "[]=", Args::new(&args), frame)?;
            }
            Target::Attr { recv, name, safe } => {
                let recv = self.eval(recv, frame)?;
                if !(*safe && recv.is_nil()) {
                    self.send(&recv, name, Args::new(&[value]), frame)?;
                }
            }
            Target::Multi(multi) => {
                let values = self.to_values(&value)?;
                self.assign_multi(multi, &values, frame)?;
            }
        }
        Ok(())
    }

    pub(super) fn eval_multi(&mut self, multi: &Multi, value: &Node, frame: &Rc<Frame>) -> Eval {
        let value = self.eval(value, frame)?;
        let values = self.to_values(&value)?;
        self.assign_multi(multi, &values, frame)?;
        Ok(value)
    }

    /// Returns the values for several targets: the items of an array, or any other value alone.
    fn to_values(&mut self, value: &RubyValue) -> Eval<Vec<RubyValue>> {
        match value {
            RubyValue::Array(list) => Ok(list.items.borrow().clone()),
            other => Ok(vec![other.clone()]),
        }
    }

    pub(super) fn assign_multi(
        &mut self,
        multi: &Multi,
        values: &[RubyValue],
        frame: &Rc<Frame>,
    ) -> Eval<()> {
        let value = |index: usize| values.get(index).cloned().unwrap_or_default();
        for (index, target) in multi.left.iter().enumerate() {
            self.assign(target, value(index), frame)?;
        }
        let n_left = multi.left.len();
        let end = values.len().saturating_sub(multi.right.len()).max(n_left);
        if let Some(Some(rest)) = &multi.rest {
            let items =
                values.get(n_left..end.min(values.len()).max(n_left)).unwrap_or_default().to_vec();
            self.assign(rest, RubyValue::array(items), frame)?;
        }
        let start = if multi.rest.is_some() { end } else { n_left };
        for (index, target) in multi.right.iter().enumerate() {
            self.assign(target, value(start + index), frame)?;
        }
        Ok(())
    }

    pub(super) fn eval_op_assign(
        &mut self,
        assign: &OpAssign,
        line: u32,
        frame: &Rc<Frame>,
    ) -> Eval {
        let target = self.target_of(&assign.target, frame)?;
        if matches!(target, AssignTarget::Nothing) {
            return Ok(RubyValue::Nil);
        }
        let old = self.read_target(&target, matches!(assign.op, Op::Or), frame)?;
        let new = match &assign.op {
            Op::Or if old.truthy() => return Ok(old),
            Op::And if !old.truthy() => return Ok(old),
            Op::Or | Op::And => self.eval(&assign.value, frame)?,
            Op::Call(name) => {
                let value = self.eval(&assign.value, frame)?;
                self.vm.line = line;
                self.send(&old, name, Args::new(&[value]), frame)?
            }
        };
        self.write_target(target, new.clone(), frame)?;
        Ok(new)
    }

    fn target_of<'t>(&mut self, target: &'t Target, frame: &Rc<Frame>) -> Eval<AssignTarget<'t>> {
        Ok(match target {
            Target::Index(recv, args) => {
                let recv = self.eval(recv, frame)?;
                AssignTarget::Index(recv, self.eval_args(args, frame)?.0)
            }
            Target::Attr { recv, name, safe } => {
                let recv = self.eval(recv, frame)?;
                if *safe && recv.is_nil() {
                    return Ok(AssignTarget::Nothing);
                }
                AssignTarget::Attr(recv, name.clone())
            }
            simple => AssignTarget::Simple(simple),
        })
    }

    /// Reads the target of `||=` and its kind; with `lenient`, one that does not exist yet is `nil`.
    fn read_target(&mut self, target: &AssignTarget<'_>, lenient: bool, frame: &Rc<Frame>) -> Eval {
        match target {
            AssignTarget::Nothing => Ok(RubyValue::Nil),
            AssignTarget::Index(recv, args) => self.send(recv, "[]", Args::new(args), frame),
            AssignTarget::Attr(recv, name) => {
                self.send(recv, name.trim_end_matches('='), Args::new(&[]), frame)
            }
            AssignTarget::Simple(target) => match target {
                Target::Local(slot) => self.eval(&Node::new(0, Kind::Local(*slot)), frame),
                Target::IVar(ivar) => self.ivar(ivar, frame),
                Target::GVar(name) => self.global(name, frame),
                Target::CVar(name) if lenient => {
                    let owner = class_with_variable(&frame.context.module, name);
                    let value = owner.variables.borrow().get(name).cloned();
                    Ok(value.unwrap_or_default())
                }
                Target::CVar(name) => self.class_variable(name, frame),
                Target::Const(None, name) if lenient => {
                    Ok(self.find_constant(name, &frame.context.module)?.unwrap_or_default())
                }
                Target::Const(None, name) => self.constant(name, frame),
                _ => self.unsupported("assignment"),
            },
        }
    }

    fn write_target(
        &mut self,
        target: AssignTarget<'_>,
        value: RubyValue,
        frame: &Rc<Frame>,
    ) -> Eval<()> {
        match target {
            AssignTarget::Nothing => Ok(()),
            AssignTarget::Index(recv, mut args) => {
                args.push(value);
                self.send(&recv, "[]=", Args::new(&args), frame).map(drop)
            }
            AssignTarget::Attr(recv, name) => {
                let name = if name.ends_with('=') { name } else { ecow::eco_format!("{name}=") };
                self.send(&recv, &name, Args::new(&[value]), frame).map(drop)
            }
            AssignTarget::Simple(target) => self.assign(target, value, frame),
        }
    }

    /// Reads an instance variable; those of a template are variables of the scope.
    pub(super) fn ivar(&mut self, ivar: &IVar, frame: &Rc<Frame>) -> Eval {
        match &frame.context.self_value {
            RubyValue::Object(object) => {
                if let Some(value) = object.ivars.borrow().get(&ivar.name) {
                    return Ok(value.clone());
                }
                match object.is_template() {
                    true => Ok(self.template_variable(object, ivar.variable)),
                    false => Ok(RubyValue::Nil),
                }
            }
            RubyValue::Class(class) => {
                Ok(class.ivars.borrow().get(&ivar.name).cloned().unwrap_or_default())
            }
            _ => Ok(RubyValue::Nil),
        }
    }

    /// Reads a variable of the manifest. The object is the same each time that a template reads it.
    fn template_variable(&mut self, template: &Object, variable: Symbol) -> RubyValue {
        if let Some(value) = template.fetched(variable) {
            return value;
        }
        let value = match self.shared_value(variable.as_str()) {
            Some(shared) => shared,
            None => match self.host.written_instance_variable(variable) {
                Some(value) if self.host.is_fixed(variable, &value) => {
                    crate::convert::to_frozen_ruby(&value)
                }
                Some(value) => crate::convert::to_ruby(&value),
                None => RubyValue::Nil,
            },
        };
        if value.is_collection() {
            self.vm.watched.push((variable, value.clone()));
        }
        if let Data::Template(fetched) = &mut *template.data.borrow_mut() {
            fetched.push((variable, value.clone()));
        }
        value
    }

    fn set_ivar(&mut self, name: &Name, value: RubyValue, frame: &Rc<Frame>) -> Eval<()> {
        match &frame.context.self_value {
            RubyValue::Object(object) => {
                object.ivars.borrow_mut().insert(name.clone(), value);
            }
            RubyValue::Class(class) => {
                class.ivars.borrow_mut().insert(name.clone(), value);
            }
            other => {
                let other = other.clone();
                return self.frozen(&other);
            }
        }
        Ok(())
    }

    pub(super) fn global(&mut self, name: &Name, frame: &Rc<Frame>) -> Eval {
        match name.as_str() {
            "$~" => Ok(frame
                .context
                .last_match
                .borrow()
                .clone()
                .map_or(RubyValue::Nil, RubyValue::Match)),
            "$!" => Ok(self.vm.handling.clone().map_or(RubyValue::Nil, RubyValue::Object)),
            "$," | "$;" => Ok(RubyValue::Nil),
            "$/" => Ok(RubyValue::str("\n")),
            // The host finds files in all modules, whatever code adds here.
            "$LOAD_PATH" | "$:" => {
                let mut globals = self.vm.process.globals.borrow_mut();
                let path = globals.entry("$LOAD_PATH".into());
                Ok(path.or_insert_with(|| RubyValue::array(Vec::new())).clone())
            }
            other => {
                let value = self.vm.process.globals.borrow().get(other).cloned();
                match value {
                    Some(value) => Ok(value),
                    None => self.unsupported(format!("global variable {other}")),
                }
            }
        }
    }

    pub(super) fn class_variable(&mut self, name: &Name, frame: &Rc<Frame>) -> Eval {
        let owner = class_with_variable(&frame.context.module, name);
        let value = owner.variables.borrow().get(name).cloned();
        match value {
            Some(value) => Ok(value),
            None => {
                let class = owner.name.borrow().clone();
                self.raise("NameError", format!("uninitialized class variable {name} in {class}"))
            }
        }
    }
}

/// Returns the ancestor that has a class variable, or the class itself if none has it.
fn class_with_variable(class: &Rc<Class>, name: &str) -> Rc<Class> {
    let ancestors = class.ancestors();
    let owner = ancestors.into_iter().find(|class| class.variables.borrow().contains_key(name));
    owner.unwrap_or_else(|| Rc::clone(class))
}
