//! Evaluates every kind of node.

use std::rc::Rc;
use std::sync::Arc;

use kukla_regex::Options;

use super::quick::quick_with_argument;
use super::{Args, Context, Eval, Frame, Run, Stop};
use crate::read::tree::{Block, BlockArg, Call, Kind, Name, Node, Slot};
use crate::value::{Entries, Key, Proc, ProcBody, RubyValue};

impl Run<'_> {
    pub(crate) fn eval(&mut self, node: &Node, frame: &Rc<Frame>) -> Eval {
        self.step()?;
        match &node.kind {
            Kind::Nil => Ok(RubyValue::Nil),
            Kind::True => Ok(RubyValue::Bool(true)),
            Kind::False => Ok(RubyValue::Bool(false)),
            Kind::SelfRef => Ok(frame.context.self_value.clone()),
            Kind::Int(number) => Ok(RubyValue::Int(*number)),
            Kind::Float(number) => Ok(RubyValue::Float(*number)),
            Kind::Str { text, frozen: false } => Ok(RubyValue::str(text.clone())),
            Kind::Str { text, frozen: true } => Ok(RubyValue::frozen_str(text.clone())),
            Kind::Sym(name) => Ok(RubyValue::Sym(name.clone())),
            Kind::Regex(regex) => Ok(RubyValue::Regexp(Rc::new(regex.clone()))),
            Kind::Local(slot) => Ok(local(frame, *slot)),
            Kind::IVar(ivar) => self.ivar(ivar, frame),
            Kind::Call(call) => self.eval_call(call, node.line, frame),
            Kind::Seq(nodes) => self.eval_seq(nodes, frame),
            Kind::If(parts) => {
                let (condition, then, otherwise) = &**parts;
                let chosen = if self.eval(condition, frame)?.truthy() { then } else { otherwise };
                self.eval(chosen, frame)
            }
            Kind::And(sides) => {
                let left = self.eval(&sides.0, frame)?;
                if left.truthy() { self.eval(&sides.1, frame) } else { Ok(left) }
            }
            Kind::Or(sides) => {
                let left = self.eval(&sides.0, frame)?;
                if left.truthy() { Ok(left) } else { self.eval(&sides.1, frame) }
            }
            Kind::DStr(parts) => Ok(RubyValue::str(self.eval_parts(parts, frame)?)),
            Kind::DSym(parts) => Ok(RubyValue::Sym(self.eval_parts(parts, frame)?.into())),
            Kind::DRegex(parts, options) => self.eval_regex(parts, *options, frame),
            Kind::Array(nodes) => Ok(RubyValue::array(self.eval_args(nodes, frame)?.0)),
            Kind::Hash { entries, .. } => self.eval_hash(entries, frame),
            Kind::Assign(target, value) => {
                let value = self.eval(value, frame)?;
                self.assign(target, value.clone(), frame)?;
                Ok(value)
            }
            _ => self.eval_rare(node, frame),
        }
    }

    fn eval_rare(&mut self, node: &Node, frame: &Rc<Frame>) -> Eval {
        match &node.kind {
            Kind::Range { from, to, excludes_end } => {
                let mut end = |node: &Option<Box<Node>>| match node {
                    Some(node) => self.eval(node, frame),
                    None => Ok(RubyValue::Nil),
                };
                let (from, to) = (end(from)?, end(to)?);
                self.vm.line = node.line;
                self.make_range(from, to, *excludes_end)
            }
            Kind::Big(number) => self.big(number),
            Kind::GVar(name) => self.global(name, frame),
            Kind::CVar(name) => self.class_variable(name, frame),
            Kind::Const(name) => {
                self.vm.line = node.line;
                self.constant(name, frame)
            }
            Kind::ConstIn(parent, name) => {
                let parent = self.eval(parent, frame)?;
                self.vm.line = node.line;
                self.constant_in(&parent, name)
            }
            Kind::TopConst(name) => {
                let top = RubyValue::Class(Rc::clone(&self.vm.top));
                self.constant_in(&top, name)
            }
            Kind::MultiAssign(multi, value) => self.eval_multi(multi, value, frame),
            Kind::OpAssign(assign) => self.eval_op_assign(assign, node.line, frame),
            Kind::While(parts) => self.eval_while(parts, frame),
            Kind::For(parts) => self.eval_for(parts, frame),
            Kind::Case(case) => self.eval_case(case, frame),
            Kind::Super(call, forwards) => self.eval_super(call, *forwards, node.line, frame),
            Kind::Yield(args) => {
                let (args, keywords) = self.eval_args(args, frame)?;
                self.vm.line = node.line;
                let Some(block) = frame.context.block.clone() else {
                    return self.raise("LocalJumpError", "no block given (yield)");
                };
                self.call_block(&block, Args { items: &args, keywords, block: None })
            }
            Kind::Begin(begin) => self.eval_begin(begin, frame),
            Kind::Def(def, receiver) => self.eval_def(def, receiver.as_deref(), frame),
            Kind::Module(module) => self.eval_module(module, frame),
            Kind::Return(value) => {
                let value = self.eval_optional(value.as_deref(), frame)?;
                Err(Box::new(Stop::Return(frame.context.id, value)))
            }
            Kind::Break(value) => {
                let value = self.eval_optional(value.as_deref(), frame)?;
                Err(Box::new(Stop::Break(frame.tag, value)))
            }
            Kind::Next(value) => {
                let value = self.eval_optional(value.as_deref(), frame)?;
                Err(Box::new(Stop::Next(value)))
            }
            Kind::Retry => Err(Box::new(Stop::Retry)),
            Kind::Defined(node) => self.eval_defined(node, frame),
            Kind::Lambda(block) => {
                let RubyValue::Proc(proc) = self.make_proc(block, frame, true).1 else {
                    return Ok(RubyValue::Nil);
                };
                Ok(RubyValue::Proc(proc))
            }
            Kind::Splat(inner) => {
                let value = self.eval(inner, frame)?;
                Ok(RubyValue::array(self.splat(&value)?))
            }
            Kind::NthRef(number) => {
                let found = frame.context.last_match.borrow().clone();
                Ok(found.map_or(RubyValue::Nil, |found| found.group(*number)))
            }
            Kind::BackRef(which) => Ok(back_reference(*which, &frame.context)),
            Kind::MatchWrite(call, targets) => self.eval_match_write(call, targets, frame),
            Kind::Alias(new, old) => self.eval_alias(new, old, frame),
            Kind::File => Ok(RubyValue::str(self.vm.file.clone())),
            _ => self.unsupported("expression"),
        }
    }

    fn eval_optional(&mut self, node: Option<&Node>, frame: &Rc<Frame>) -> Eval {
        node.map_or(Ok(RubyValue::Nil), |node| self.eval(node, frame))
    }

    pub(super) fn eval_seq(&mut self, nodes: &[Node], frame: &Rc<Frame>) -> Eval {
        let Some((last, first)) = nodes.split_last() else { return Ok(RubyValue::Nil) };
        for node in first {
            self.eval(node, frame)?;
        }
        self.eval(last, frame)
    }

    fn eval_parts(&mut self, parts: &[Node], frame: &Rc<Frame>) -> Eval<String> {
        let mut text = String::new();
        for part in parts {
            match &part.kind {
                Kind::Str { text: literal, .. } => text.push_str(literal),
                _ => {
                    let value = self.eval(part, frame)?;
                    match &value {
                        RubyValue::Str(string) => {
                            let more = string.text.borrow();
                            self.check_room(text.len() + more.len())?;
                            text.push_str(&more);
                        }
                        other => text.push_str(&self.to_s(other)?),
                    }
                }
            }
        }
        self.charge(text.len())?;
        Ok(text)
    }

    /// Evaluates a regular expression literal; an interpolated expression keeps its own options.
    fn eval_regex(&mut self, parts: &[Node], options: Options, frame: &Rc<Frame>) -> Eval {
        let source = self.eval_parts(parts, frame)?;
        self.make_regex(&source, options)
    }

    pub(crate) fn make_regex(&mut self, source: &str, options: Options) -> Eval {
        match self.host.regex(source, options) {
            Ok(regex) => Ok(RubyValue::Regexp(Rc::new(regex))),
            Err(error) => self.raise("RegexpError", error.to_string()),
        }
    }

    fn eval_hash(&mut self, nodes: &[(Option<Node>, Node)], frame: &Rc<Frame>) -> Eval {
        let mut entries = Entries::with_capacity_and_hasher(nodes.len(), Default::default());
        for (key, value) in nodes {
            let Some(key) = key else {
                let splatted = self.eval(value, frame)?;
                match &splatted {
                    RubyValue::Hash(map) => {
                        for (key, value) in map.entries.borrow().iter() {
                            entries.insert(key.clone(), value.clone());
                        }
                    }
                    RubyValue::Nil => return self.no_conversion(&splatted, "Hash"),
                    other => return self.no_conversion(other, "Hash"),
                }
                continue;
            };
            let key = match &key.kind {
                // A string as a key is a frozen copy, so a literal can be used without allocating it first.
                Kind::Str { text, .. } => {
                    self.step()?;
                    Key(RubyValue::frozen_str(text.clone()))
                }
                _ => Key::new(&self.eval(key, frame)?),
            };
            let value = self.eval(value, frame)?;
            entries.insert(key, value);
        }
        self.charge(entries.len() * 64)?;
        Ok(RubyValue::hash(entries))
    }

    /// Evaluates arguments; the flag says whether the last is a hash that was written as keywords.
    pub(super) fn eval_args(
        &mut self,
        nodes: &[Node],
        frame: &Rc<Frame>,
    ) -> Eval<(Vec<RubyValue>, bool)> {
        let mut args = Vec::with_capacity(nodes.len());
        let mut keywords = false;
        for node in nodes {
            match &node.kind {
                Kind::Splat(inner) => {
                    let value = self.eval(inner, frame)?;
                    args.extend(self.splat(&value)?);
                }
                Kind::Hash { entries, keywords: true } => {
                    let value = self.eval(node, frame)?;
                    let only_splats = entries.iter().all(|(key, _)| key.is_none());
                    let is_empty =
                        matches!(&value, RubyValue::Hash(map) if map.entries.borrow().is_empty());
                    // `f(**{})` passes nothing.
                    if !(only_splats && is_empty) {
                        args.push(value);
                        keywords = true;
                    }
                }
                _ => args.push(self.eval(node, frame)?),
            }
        }
        Ok((args, keywords))
    }

    /// Returns the values that `*value` stands for.
    pub(crate) fn splat(&mut self, value: &RubyValue) -> Eval<Vec<RubyValue>> {
        match value {
            RubyValue::Array(list) => {
                let items = list.items.borrow();
                self.charge(items.len() * size_of::<RubyValue>())?;
                Ok(items.clone())
            }
            RubyValue::Nil => Ok(Vec::new()),
            RubyValue::Hash(_) | RubyValue::Range(_) => self.items_of(value),
            RubyValue::Object(object) if object.class.find_method("to_a").is_some() => {
                let array = self.call(value, "to_a", &[])?;
                self.items_of(&array)
            }
            other => Ok(vec![other.clone()]),
        }
    }

    fn eval_call(&mut self, call: &Call, line: u32, frame: &Rc<Frame>) -> Eval {
        if let Some(variable) = call.appends_to
            && let Some(value) = self.quick_append(variable, call, line, frame)?
        {
            return Ok(value);
        }
        let recv = match &call.recv {
            Some(node) => Some(self.eval(node, frame)?),
            None => None,
        };
        if call.safe && matches!(recv, Some(RubyValue::Nil)) {
            return Ok(RubyValue::Nil);
        }
        // Fast path for the most frequent calls: at most one argument, no block.
        if call.plain && call.block.is_none() {
            if let Some(recv) = &recv
                && let Some(value) = self.quick(recv, call)?
            {
                return Ok(value);
            }
            match (&recv, &call.args[..]) {
                (Some(recv), []) => {
                    self.vm.line = line;
                    return self.send(recv, &call.name, Args::new(&[]), frame);
                }
                (Some(recv), [arg]) => {
                    if call.name == "debug" && self.is_unheard(recv, arg, frame) {
                        return Ok(RubyValue::Nil);
                    }
                    let arg = self.eval(arg, frame)?;
                    self.vm.line = line;
                    if matches!(call.name.as_str(), "==" | "!=")
                        && !self.vm.process.is_reopened("==")
                        && !self.vm.process.is_reopened("!=")
                        && let Some(value) = quick_with_argument(recv, &call.name, &arg)
                    {
                        return Ok(value);
                    }
                    let result =
                        self.send(recv, &call.name, Args::new(std::slice::from_ref(&arg)), frame)?;
                    return Ok(if call.attribute { arg } else { result });
                }
                _ => (),
            }
        }
        let (args, keywords) = self.eval_args(&call.args, frame)?;
        let (tag, block) = self.eval_block_arg(call.block.as_ref(), frame)?;
        self.vm.line = line;
        let args_of = Args { items: &args, keywords, block: block.as_ref() };
        let result = match &recv {
            Some(recv) if matches!(call.recv.as_ref().map(|n| &n.kind), Some(Kind::SelfRef)) => {
                self.send_to_self(recv, call, args_of, frame)
            }
            Some(recv) => self.send(recv, &call.name, args_of, frame),
            None => self.send_to_self(&frame.context.self_value.clone(), call, args_of, frame),
        };
        let result = caught(tag, result)?;
        Ok(if call.attribute { args.last().cloned().unwrap_or_default() } else { result })
    }

    /// Evaluates the block of a call; the tag identifies its `break`.
    pub(super) fn eval_block_arg(
        &mut self,
        block: Option<&BlockArg>,
        frame: &Rc<Frame>,
    ) -> Eval<(u64, Option<Rc<Proc>>)> {
        match block {
            None => Ok((0, None)),
            Some(BlockArg::Block(block)) => {
                let (tag, value) = self.make_proc(block, frame, false);
                let RubyValue::Proc(proc) = value else { return Ok((0, None)) };
                Ok((tag, Some(proc)))
            }
            Some(BlockArg::Pass(node)) => {
                let value = self.eval(node, frame)?;
                Ok((0, self.to_proc(&value)?))
            }
        }
    }

    pub(crate) fn to_proc(&mut self, value: &RubyValue) -> Eval<Option<Rc<Proc>>> {
        match value {
            RubyValue::Nil => Ok(None),
            RubyValue::Proc(proc) => Ok(Some(Rc::clone(proc))),
            RubyValue::Sym(name) => {
                let body = ProcBody::Symbol(name.clone());
                Ok(Some(Rc::new(Proc { body, is_lambda: true })))
            }
            other => {
                let class = super::raise::short_class(other);
                self.type_error(format!("wrong argument type {class} (expected Proc)"))
            }
        }
    }

    pub(super) fn make_proc(
        &mut self,
        block: &Arc<Block>,
        frame: &Rc<Frame>,
        is_lambda: bool,
    ) -> (u64, RubyValue) {
        let tag = self.vm.fresh_id();
        let (block, frame) = (Arc::clone(block), Rc::clone(frame));
        let body = ProcBody::Block { block, frame, self_value: None, tag };
        (tag, RubyValue::Proc(Rc::new(Proc { body, is_lambda })))
    }

    fn eval_match_write(
        &mut self,
        call: &Node,
        targets: &[(Name, crate::read::tree::Target)],
        frame: &Rc<Frame>,
    ) -> Eval {
        let result = self.eval(call, frame)?;
        let found = frame.context.last_match.borrow().clone();
        for (name, target) in targets {
            let value = match (&result, &found) {
                (RubyValue::Nil, _) | (_, None) => RubyValue::Nil,
                (_, Some(found)) => found.named(name).unwrap_or_default(),
            };
            self.assign(target, value, frame)?;
        }
        Ok(result)
    }
}

/// Ends a call with the value of `break`, if it comes from the block with this tag.
pub(super) fn caught(tag: u64, result: Eval) -> Eval {
    match result {
        Err(stop) => match *stop {
            Stop::Break(aim, value) if tag != 0 && aim == tag => Ok(value),
            other => Err(Box::new(other)),
        },
        ok => ok,
    }
}

pub(super) fn frame_at(frame: &Rc<Frame>, depth: u32) -> &Rc<Frame> {
    let mut frame = frame;
    for _ in 0..depth {
        if let Some(parent) = &frame.parent {
            frame = parent;
        }
    }
    frame
}

pub(super) fn local(frame: &Rc<Frame>, slot: Slot) -> RubyValue {
    let frame = frame_at(frame, slot.depth);
    frame.vars.borrow().get(slot.index as usize).cloned().unwrap_or_default()
}

pub(super) fn set_local(frame: &Rc<Frame>, slot: Slot, value: RubyValue) {
    let frame = frame_at(frame, slot.depth);
    let mut vars = frame.vars.borrow_mut();
    let index = slot.index as usize;
    if index >= vars.len() {
        vars.resize(index + 1, RubyValue::Nil);
    }
    vars[index] = value;
}

fn back_reference(which: char, context: &Context) -> RubyValue {
    let Some(found) = context.last_match.borrow().clone() else { return RubyValue::Nil };
    match which {
        '&' => found.group(0),
        '`' => found.before(),
        '\'' => found.after(),
        _ => {
            let last = (1..found.spans.len()).rev().find(|&n| found.spans[n].is_some());
            last.map_or(RubyValue::Nil, |n| found.group(n))
        }
    }
}
