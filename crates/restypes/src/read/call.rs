//! Calls: finds the method, by the kind of the receiver.

use std::rc::Rc;

use super::value::{Closure, Frame, Value};
use super::{Eval, Jump, Reader};
use crate::ruby::{Call, Node, What};

/// Methods that change their receiver in place.
const CHANGING: [&str; 7] = ["<<", "push", "append", "concat", "merge!", "[]=", "unshift"];

impl Reader<'_> {
    pub(super) fn call(&mut self, call: &Call, line: u32, frame: &Frame) -> Eval {
        let receiver = call.receiver.as_ref().map(|node| self.eval(node, frame)).transpose()?;
        let args = self.values(&call.args, frame)?;
        let block = self.block_of(call, frame)?;
        let Some(receiver) = receiver else {
            return self.send_self(&call.name, args, block, line, frame);
        };
        let value = self.send(&receiver, &call.name, args, block, line, frame)?;
        if let Some(target) = &call.receiver
            && CHANGING.contains(&&*call.name)
            && !matches!(receiver, Value::Module(_) | Value::Const(_))
        {
            let changed = if &*call.name == "[]=" { Value::Unknown } else { value.clone() };
            self.store(target, changed, frame);
        }
        Ok(value)
    }

    fn block_of(&mut self, call: &Call, frame: &Frame) -> Result<Option<Rc<Closure>>, Jump> {
        if let Some(block) = &call.block {
            return Ok(Some(Rc::new(Closure { block: Rc::clone(block), frame: frame.clone() })));
        }
        let Some(node) = &call.block_arg else { return Ok(None) };
        // `&:name` calls the method `name` on the argument of the block.
        if let What::Sym(name) = &node.what {
            return Ok(Some(symbol_block(name, node.line, frame)));
        }
        Ok(match self.eval(node, frame)? {
            Value::Proc(closure) => Some(closure),
            _ => None,
        })
    }

    /// Calls a method without a receiver.
    fn send_self(
        &mut self,
        name: &Rc<str>,
        args: Vec<Value>,
        block: Option<Rc<Closure>>,
        line: u32,
        frame: &Frame,
    ) -> Eval {
        if let Some(value) = self.kernel(name, &args, block.as_ref(), line, frame)? {
            return Ok(value);
        }
        self.send(&frame.this, name, args, block, line, frame)
    }

    /// Calls the method `name` on `receiver`.
    pub(super) fn send(
        &mut self,
        receiver: &Value,
        name: &Rc<str>,
        args: Vec<Value>,
        block: Option<Rc<Closure>>,
        line: u32,
        frame: &Frame,
    ) -> Eval {
        if let Some(value) = self.send_any(receiver, name, &args, block.as_ref(), line, frame)? {
            return Ok(value);
        }
        let value = match receiver {
            Value::Module(id) => return self.send_module(*id, name, &args, block, line, frame),
            Value::Attribute(id, attribute) => {
                if &**name == "isnamevar" {
                    self.mark_namevar(*id, attribute);
                }
                return Ok(Value::Unknown);
            }
            Value::Const(path) => {
                self.send_const(path, name, &args, block.as_ref(), line, frame)?
            }
            Value::Str(text) | Value::Sym(text) => Self::send_text(receiver, text, name, &args),
            Value::Path(path) => Self::send_path(path, name, &args),
            Value::Array(items) => self.send_array(items, name, &args, block.as_ref())?,
            Value::Hash(pairs) => self.send_hash(pairs, name, &args, block.as_ref())?,
            Value::Int(number) => Self::send_int(*number, name, &args),
            Value::Regex(source, _) if &**name == "source" => Some(Value::Str(Rc::clone(source))),
            Value::Proc(closure) if ["call", "()", "[]", "yield"].contains(&&**name) => {
                Some(self.call_block(closure, args, None)?)
            }
            _ => None,
        };
        if let Some(value) = value {
            return Ok(value);
        }
        if let Some(block) = block {
            let args = vec![Value::Unknown; block.block.params.required.len()];
            return self.perhaps(line, frame, |this| this.call_block(&block, args, None));
        }
        Ok(Value::Unknown)
    }

    /// Calls a method that every object has; `None` if `name` is not one.
    fn send_any(
        &mut self,
        receiver: &Value,
        name: &str,
        args: &[Value],
        block: Option<&Rc<Closure>>,
        line: u32,
        frame: &Frame,
    ) -> Result<Option<Value>, Jump> {
        let truth = |value: Option<bool>| Some(value.map_or(Value::Unknown, Value::Bool));
        Ok(match (name, args) {
            ("freeze" | "dup" | "clone" | "itself", []) => Some(receiver.clone()),
            ("nil?", []) => match receiver {
                Value::Unknown => Some(Value::Unknown),
                _ => Some(Value::Bool(matches!(receiver, Value::Nil))),
            },
            ("!", []) => truth(receiver.truth().map(|is_true| !is_true)),
            ("==", [other]) => truth(receiver.equals(other)),
            ("!=", [other]) => truth(receiver.equals(other).map(|is_same| !is_same)),
            ("send" | "public_send" | "__send__", [method, rest @ ..]) => match method.text() {
                Some(method) => {
                    let block = block.cloned();
                    Some(self.send(receiver, method, rest.to_vec(), block, line, frame)?)
                }
                None => {
                    self.report_hidden(receiver, "a method whose name is not known", line, frame);
                    Some(Value::Unknown)
                }
            },
            (
                "class_eval" | "instance_eval" | "module_eval" | "class_exec" | "instance_exec"
                | "module_exec" | "tap",
                args,
            ) => match block {
                Some(block) => {
                    let this = if name == "tap" { None } else { Some(receiver.clone()) };
                    let args = if args.is_empty() { vec![receiver.clone()] } else { args.to_vec() };
                    Some(self.call_block(block, args, this)?)
                }
                None => {
                    self.report_hidden(receiver, "code in a string", line, frame);
                    Some(Value::Unknown)
                }
            },
            _ => None,
        })
    }

    /// Reports a type as unreadable if the receiver is one: `reason` hides what is declared.
    pub(super) fn report_hidden(
        &mut self,
        receiver: &Value,
        reason: &str,
        line: u32,
        frame: &Frame,
    ) {
        if let Value::Module(id) = receiver
            && self.draft(*id).is_some()
        {
            self.report(frame, line, reason.to_owned());
        }
    }
}

/// Returns the block that `&:name` stands for.
fn symbol_block(name: &Rc<str>, line: u32, frame: &Frame) -> Rc<Closure> {
    let it: Rc<str> = "it".into();
    let receiver = Some(Node { what: What::Local(Rc::clone(&it)), line });
    let name = Rc::clone(name);
    let call = Call { receiver, name, args: Vec::new(), block: None, block_arg: None };
    let params = crate::ruby::Params { required: vec![vec![it]], ..Default::default() };
    let body = Node { what: What::Call(Box::new(call)), line };
    let block = Rc::new(crate::ruby::Block { params, body });
    Rc::new(Closure { block, frame: frame.clone() })
}
