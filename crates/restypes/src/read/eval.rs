//! Evaluates expressions.

use std::rc::Rc;

use super::model::Method;
use super::value::{Closure, Frame, Value};
use super::{Eval, Jump, MAX_STEPS, Reader};
use crate::ruby::{Block, Node, Op, What};

/// The deepest nesting of calls and expressions.
const MAX_DEPTH: u32 = 400;

impl Reader<'_> {
    pub(super) fn eval(&mut self, node: &Node, frame: &Frame) -> Eval {
        self.steps += 1;
        if self.steps > MAX_STEPS || self.depth > MAX_DEPTH {
            self.report(frame, node.line, "it takes too long to read".to_owned());
            return Err(Jump::Stop);
        }
        self.depth += 1;
        let value = self.what(node, frame);
        self.depth -= 1;
        value
    }

    fn what(&mut self, node: &Node, frame: &Frame) -> Eval {
        Ok(match &node.what {
            What::Nil => Value::Nil,
            What::True => Value::Bool(true),
            What::False => Value::Bool(false),
            What::SelfRef => frame.this.clone(),
            What::File => Value::Str(Rc::clone(&frame.path)),
            What::Int(number) => Value::Int(*number),
            What::Str(text) => Value::Str(Rc::clone(text)),
            What::Sym(text) => Value::Sym(Rc::clone(text)),
            What::Regex(source, options) => Value::Regex(Rc::clone(source), *options),
            What::Text(parts) => self.joined(parts, frame)?.map_or(Value::Unknown, Value::Str),
            What::SymText(parts) => self.joined(parts, frame)?.map_or(Value::Unknown, Value::Sym),
            What::RegexText(parts, options) => {
                let source = self.joined(parts, frame)?;
                source.map_or(Value::Unknown, |source| Value::Regex(source, *options))
            }
            What::Array(items) => Value::array(self.values(items, frame)?),
            What::Splat(inner) => self.eval(inner, frame)?,
            What::Hash(pairs) => self.hash(pairs, frame)?,
            What::Lambda(block) => self.closure(block, frame),
            What::Local(name) => frame.locals.get(name).unwrap_or(Value::Nil),
            What::InstanceVar(name) => self.variable(name, frame),
            What::Const(scope, name) => self.constant(scope.as_deref(), name, frame)?,
            What::Seq(nodes) => self.sequence(nodes, frame)?,
            What::Call(call) => self.call(call, node.line, frame)?,
            What::Super(args) => self.call_super(args.as_deref(), node.line, frame)?,
            What::Yield(args) => self.call_yield(args, frame)?,
            What::Loop(body) => self.perhaps(node.line, frame, |this| this.eval(body, frame))?,
            What::Return(value) => {
                return Err(Jump::Return(self.optional(value.as_deref(), frame)?));
            }
            What::Next(value) => return Err(Jump::Next(self.optional(value.as_deref(), frame)?)),
            What::Break(value) => return Err(Jump::Break(self.optional(value.as_deref(), frame)?)),
            What::Defined(of) => match self.eval(of, frame)? {
                Value::Unknown | Value::Const(_) | Value::Nil => Value::Unknown,
                _ => Value::str("expression"),
            },
            What::Other => Value::Unknown,
            What::If(..) | What::Case(..) | What::And(..) | What::Or(..) | What::Rescue(..) => {
                self.branch(node, frame)?
            }
            _ => self.definition(node, frame)?,
        })
    }

    /// Evaluates assignments, and definitions of modules and methods.
    fn definition(&mut self, node: &Node, frame: &Frame) -> Eval {
        match &node.what {
            What::SetLocal(name, value) => {
                let value = self.eval(value, frame)?;
                self.set_local(name, value.clone(), frame);
                return Ok(value);
            }
            What::SetInstanceVar(name, value) => {
                let value = self.eval(value, frame)?;
                self.set_variable(name, value.clone(), frame);
                return Ok(value);
            }
            What::SetConst(name, value) => {
                let value = self.eval(value, frame)?;
                let home = frame.nesting.last().copied().unwrap_or(super::ModuleId(0));
                self.module(home).constants.insert(Rc::clone(name), value);
            }
            What::SetMany(names, value) => {
                let value = self.eval(value, frame)?;
                for (index, name) in names.iter().enumerate() {
                    let Some(name) = name else { continue };
                    let part = match &value {
                        Value::Array(items) => items.get(index).cloned().unwrap_or(Value::Nil),
                        _ => Value::Unknown,
                    };
                    self.set_local(name, part, frame);
                }
            }
            What::Update(target, op, value) => return self.update(target, op, value, frame),
            What::Def { name, is_singleton, method } => {
                self.define(name, *is_singleton || frame.is_singleton, method, frame);
                return Ok(Value::Sym(Rc::clone(name)));
            }
            What::Alias(new, old) => self.alias(new, old, frame),
            What::Module(path, body) => return self.reopen(path, None, body, frame),
            What::Class(path, parent, body) => {
                let parent = parent.as_ref().map(|parent| self.eval(parent, frame)).transpose()?;
                return self.reopen(path, parent, body, frame);
            }
            What::Singleton(of, body) => {
                let this = self.eval(of, frame)?;
                let inside = Frame { this, is_singleton: true, ..frame.clone() };
                return self.eval(body, &inside);
            }
            _ => {}
        }
        Ok(Value::Nil)
    }

    pub(super) fn values(&mut self, nodes: &[Node], frame: &Frame) -> Result<Vec<Value>, Jump> {
        let mut values = Vec::with_capacity(nodes.len());
        for node in nodes {
            let value = self.eval(node, frame)?;
            match (&node.what, value) {
                (What::Splat(_), Value::Array(items)) => values.extend(items.iter().cloned()),
                (What::Splat(_), Value::Nil) => {}
                (_, value) => values.push(value),
            }
        }
        Ok(values)
    }

    fn hash(&mut self, pairs: &[(Option<Node>, Node)], frame: &Frame) -> Eval {
        let mut entries: Vec<(Value, Value)> = Vec::new();
        for (key, value) in pairs {
            let value = self.eval(value, frame)?;
            match (key, value) {
                (Some(key), value) => entries.push((self.eval(key, frame)?, value)),
                (None, Value::Hash(inner)) => entries.extend(inner.iter().cloned()),
                (None, _) => return Ok(Value::Unknown),
            }
        }
        Ok(Value::hash(entries))
    }

    fn joined(&mut self, parts: &[Node], frame: &Frame) -> Result<Option<Rc<str>>, Jump> {
        let mut text = Some(String::new());
        for part in parts {
            let part = self.eval(part, frame)?.to_s();
            text = text.zip(part).map(|(text, part)| text + &part);
        }
        Ok(text.map(Into::into))
    }

    fn sequence(&mut self, nodes: &[Node], frame: &Frame) -> Eval {
        let mut last = Value::Nil;
        for node in nodes {
            last = self.eval(node, frame)?;
        }
        Ok(last)
    }

    fn optional(&mut self, node: Option<&Node>, frame: &Frame) -> Eval {
        node.map_or(Ok(Value::Nil), |node| self.eval(node, frame))
    }

    pub(super) fn closure(&self, block: &Rc<Block>, frame: &Frame) -> Value {
        Value::Proc(Rc::new(Closure { block: Rc::clone(block), frame: frame.clone() }))
    }

    fn update(&mut self, target: &Node, op: &Op, value: &Node, frame: &Frame) -> Eval {
        let old = self.eval(target, frame)?;
        let old = match (&target.what, old) {
            (What::Const(..), Value::Const(_)) => Value::Nil,
            (_, old) => old,
        };
        let new = match (op, old.truth()) {
            (Op::Or, Some(true)) | (Op::And, Some(false)) => return Ok(old),
            (Op::Or | Op::And, Some(_)) => self.eval(value, frame)?,
            (Op::Or | Op::And, None) => {
                self.eval(value, frame)?;
                Value::Unknown
            }
            (Op::Method(name), _) => {
                let value = self.eval(value, frame)?;
                self.send(&old, name, vec![value], None, target.line, frame)?
            }
        };
        self.store(target, new.clone(), frame);
        Ok(new)
    }

    /// Assigns a value to the variable or constant that `target` reads; ignores other targets.
    pub(super) fn store(&mut self, target: &Node, value: Value, frame: &Frame) {
        match &target.what {
            What::Local(name) => self.set_local(name, value, frame),
            What::InstanceVar(name) => self.set_variable(name, value, frame),
            What::Const(None, name) => {
                let home = frame.nesting.last().copied().unwrap_or(super::ModuleId(0));
                self.module(home).constants.insert(Rc::clone(name), value);
            }
            _ => {}
        }
    }

    /// Sets a local variable. Below an unknown condition, one that had another value becomes unknown.
    fn set_local(&self, name: &Rc<str>, value: Value, frame: &Frame) {
        let old = frame.locals.get(name);
        frame.locals.set(name, self.doubted(old, value));
    }

    fn doubted(&self, old: Option<Value>, value: Value) -> Value {
        match old {
            Some(old) if self.doubt > 0 && old.equals(&value) != Some(true) => Value::Unknown,
            _ => value,
        }
    }

    fn variable(&self, name: &str, frame: &Frame) -> Value {
        match &frame.this {
            Value::Module(id) => {
                self.modules[id.0].variables.get(name).cloned().unwrap_or(Value::Nil)
            }
            _ => Value::Unknown,
        }
    }

    fn set_variable(&mut self, name: &Rc<str>, value: Value, frame: &Frame) {
        match frame.this {
            Value::Module(id) => {
                let old = self.modules[id.0].variables.get(name).cloned();
                let value = self.doubted(old, value);
                if let Some(draft) =
                    self.module(id).draft.as_mut().filter(|_| &**name == "@isomorphic")
                {
                    draft.is_not_isomorphic = value.truth() == Some(false);
                }
                self.module(id).variables.insert(Rc::clone(name), value);
            }
            Value::Attribute(id, ref attribute) if &**name == "@isnamevar" => {
                self.mark_namevar(id, &Rc::clone(attribute));
            }
            _ => {}
        }
    }

    fn define(&mut self, name: &Rc<str>, is_singleton: bool, block: &Rc<Block>, frame: &Frame) {
        let id = match frame.this {
            Value::Module(id) => id,
            _ => return,
        };
        let method = Method { block: Rc::clone(block), frame: frame.clone(), is_closure: false };
        let module = self.module(id);
        let methods = if is_singleton { &mut module.singleton } else { &mut module.methods };
        methods.insert(Rc::clone(name), method);
    }

    fn alias(&mut self, new: &Rc<str>, old: &Rc<str>, frame: &Frame) {
        let Value::Module(id) = frame.this else { return };
        let module = self.module(id);
        let methods = if frame.is_singleton { &mut module.singleton } else { &mut module.methods };
        if let Some(method) = methods.get(old).cloned() {
            methods.insert(Rc::clone(new), method);
        }
    }
}
