//! Finds and runs methods and blocks of the files that were read.

use std::rc::Rc;

use super::model::{Method, ModuleId};
use super::value::{Closure, Frame, Locals, Running, Value};
use super::{Eval, Jump, Reader};
use crate::ruby::{Block, Node, Params};

impl Reader<'_> {
    /// Returns all methods of this name that can be called on a module, in lookup order.
    fn singleton_methods(&self, id: ModuleId, name: &str) -> Vec<Method> {
        let mut methods = Vec::new();
        let mut next = Some(id);
        let mut is_own = true;
        while let Some(id) = next {
            let module = &self.modules[id.0];
            methods.extend(module.singleton.get(name).cloned());
            for &extended in module.extends.iter().rev() {
                self.instance_methods(extended, name, 0, &mut methods);
            }
            // `module_function`, or `private` methods that are called on the module itself.
            if is_own && module.draft.is_none() {
                methods.extend(module.methods.get(name).cloned());
            }
            is_own = false;
            next = match module.parent {
                Some(Value::Module(parent)) if methods.len() < 50 && parent != id => Some(parent),
                _ => None,
            };
            if methods.len() > 50 {
                break;
            }
        }
        methods
    }

    fn instance_methods(&self, id: ModuleId, name: &str, depth: u32, methods: &mut Vec<Method>) {
        if depth > 20 {
            return;
        }
        let module = &self.modules[id.0];
        methods.extend(module.methods.get(name).cloned());
        for &included in module.includes.iter().rev() {
            self.instance_methods(included, name, depth + 1, methods);
        }
    }

    /// Returns true if instances of a class have a method.
    pub(super) fn has_method(&self, id: ModuleId, name: &str) -> bool {
        let mut methods = Vec::new();
        self.instance_methods(id, name, 0, &mut methods);
        !methods.is_empty()
    }

    /// Returns true if the files that were read define a method on the module itself.
    pub(super) fn answers_to(&self, id: ModuleId, name: &str) -> bool {
        !self.singleton_methods(id, name).is_empty()
    }

    /// Calls the method at index `rank` of the lookup order; `None` if there is no such method.
    pub(super) fn call_method(
        &mut self,
        id: ModuleId,
        name: &Rc<str>,
        rank: usize,
        args: Vec<Value>,
        block: Option<Rc<Closure>>,
    ) -> Result<Option<Value>, Jump> {
        let Some(method) = self.singleton_methods(id, name).into_iter().nth(rank) else {
            return Ok(None);
        };
        let locals = match method.is_closure {
            true => Locals::inside(&method.frame.locals),
            false => Rc::new(Locals::default()),
        };
        let running = Running { name: Rc::clone(name), args: args.clone(), block, rank };
        let frame = Frame {
            locals,
            this: Value::Module(id),
            method: Some(Rc::new(running)),
            is_singleton: false,
            ..method.frame
        };
        let outcome = self.enter(&method.block, args, &frame);
        Ok(Some(match outcome {
            Err(Jump::Return(value) | Jump::Next(value)) => value,
            other => other?,
        }))
    }

    pub(super) fn call_super(&mut self, args: Option<&[Node]>, line: u32, frame: &Frame) -> Eval {
        let (Some(running), Value::Module(id)) = (frame.method.clone(), &frame.this) else {
            return Ok(Value::Unknown);
        };
        let args = match args {
            Some(args) => self.values(args, frame)?,
            None => running.args.clone(),
        };
        let block = running.block.clone();
        let next =
            self.call_method(*id, &running.name, running.rank + 1, args.clone(), block.clone())?;
        match next {
            Some(value) => Ok(value),
            None => self.declare(*id, &running.name, &args, block, line, frame),
        }
    }

    pub(super) fn call_yield(&mut self, args: &[Node], frame: &Frame) -> Eval {
        let args = self.values(args, frame)?;
        match frame.method.as_ref().and_then(|running| running.block.clone()) {
            Some(block) => self.call_block(&block, args, None),
            None => Ok(Value::Unknown),
        }
    }

    /// Calls a block, with another `self` if `this` is set.
    pub(super) fn call_block(
        &mut self,
        closure: &Rc<Closure>,
        args: Vec<Value>,
        this: Option<Value>,
    ) -> Eval {
        let locals = Locals::inside(&closure.frame.locals);
        let mut frame = Frame { locals, ..closure.frame.clone() };
        if let Some(this) = this {
            frame.this = this;
            frame.is_singleton = false;
        }
        // A block with several parameters destructures an array.
        let params = &closure.block.params;
        let n_params = params.required.len() + params.optional.len() + params.last.len();
        let args = match &args[..] {
            [Value::Array(items)] if n_params > 1 || (n_params == 1 && params.rest.is_some()) => {
                items.to_vec()
            }
            _ => args,
        };
        match self.enter(&closure.block, args, &frame) {
            Err(Jump::Next(value)) => Ok(value),
            other => other,
        }
    }

    fn enter(&mut self, block: &Block, args: Vec<Value>, frame: &Frame) -> Eval {
        self.bind(&block.params, args, frame)?;
        self.eval(&block.body, frame)
    }

    fn bind(&mut self, params: &Params, mut args: Vec<Value>, frame: &Frame) -> Result<(), Jump> {
        if !params.keywords.is_empty() || params.keyword_rest.is_some() {
            self.bind_keywords(params, &mut args, frame)?;
        }
        let n_last = params.last.len().min(args.len().saturating_sub(params.required.len()));
        let last = args.split_off(args.len() - n_last);
        let mut args = args.into_iter();
        for names in &params.required {
            bind_names(names, args.next().unwrap_or(Value::Nil), frame);
        }
        for (name, default) in &params.optional {
            let value = match args.next() {
                Some(value) => value,
                None => self.eval(default, frame)?,
            };
            frame.locals.declare(name, value);
        }
        if let Some(rest) = &params.rest {
            frame.locals.declare(rest, Value::array(args.collect()));
        }
        for (name, value) in params.last.iter().zip(last) {
            frame.locals.declare(name, value);
        }
        if let Some(name) = &params.block {
            let block = frame.method.as_ref().and_then(|running| running.block.clone());
            frame.locals.declare(name, block.map_or(Value::Nil, Value::Proc));
        }
        Ok(())
    }

    fn bind_keywords(
        &mut self,
        params: &Params,
        args: &mut Vec<Value>,
        frame: &Frame,
    ) -> Result<(), Jump> {
        let keywords = match args.last() {
            Some(Value::Hash(_)) => args.pop(),
            _ => None,
        };
        for (name, default) in &params.keywords {
            let keyword = keywords.as_ref().and_then(|keywords| keywords.at(name));
            let value = match (keyword, default) {
                (Some(value), _) => value.clone(),
                (None, Some(default)) => self.eval(default, frame)?,
                (None, None) => Value::Unknown,
            };
            frame.locals.declare(name, value);
        }
        if let Some(rest) = &params.keyword_rest {
            let Some(Value::Hash(pairs)) = keywords else {
                frame.locals.declare(rest, Value::hash(Vec::new()));
                return Ok(());
            };
            let is_rest = |key: &Value| {
                !params.keywords.iter().any(|(name, _)| key.text().is_some_and(|text| text == name))
            };
            let others = pairs.iter().filter(|(key, _)| is_rest(key)).cloned().collect();
            frame.locals.declare(rest, Value::hash(others));
        }
        Ok(())
    }
}

fn bind_names(names: &[Rc<str>], value: Value, frame: &Frame) {
    if let [name] = names {
        frame.locals.declare(name, value);
        return;
    }
    for (index, name) in names.iter().enumerate() {
        let part = match &value {
            Value::Array(items) => items.get(index).cloned().unwrap_or(Value::Nil),
            _ => Value::Unknown,
        };
        frame.locals.declare(name, part);
    }
}
