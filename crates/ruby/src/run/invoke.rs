//! Calls methods and blocks, and binds arguments to parameters.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use super::eval::{caught, set_local};
use super::{Args, Context, Eval, Frame, Locals, Run, Stop};
use crate::class::{Class, Method};
use crate::read::tree::{Call, Def, Keyword, Name, Params};
use crate::value::{Entries, Key, Proc, ProcBody, RubyValue};

impl Run<'_> {
    /// Runs a body one call deeper, with enough stack.
    fn deeper(&mut self, file: &Name, what: impl FnOnce(&mut Self) -> Eval) -> Eval {
        self.nested(|this| {
            let other_file =
                (this.vm.file != *file).then(|| std::mem::replace(&mut this.vm.file, file.clone()));
            let result = what(this);
            if let Some(file) = other_file {
                this.vm.file = file;
            }
            result
        })
    }

    /// Runs a function one level deeper, unless the limit of depth is exceeded.
    pub(crate) fn nested<T>(&mut self, what: impl FnOnce(&mut Self) -> Eval<T>) -> Eval<T> {
        self.vm.depth += 1;
        if self.vm.depth > self.vm.limits.depth {
            self.vm.depth = 0;
            return self.raise("SystemStackError", "stack level too deep");
        }
        let result = stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || what(self));
        self.vm.depth = self.vm.depth.saturating_sub(1);
        result
    }

    pub(crate) fn invoke(
        &mut self,
        method: &Method,
        owner: &Rc<Class>,
        recv: &RubyValue,
        name: &str,
        args: Args<'_>,
    ) -> Eval {
        match method {
            Method::Def(def, module) => self.invoke_def(def, owner, module, recv, args),
            Method::Proc(proc) => self.call_in(proc, recv, None, args, true),
            Method::Reader(ivar) => Ok(match recv {
                RubyValue::Object(object) => object.ivar(ivar),
                RubyValue::Class(class) => {
                    class.ivars.borrow().get(ivar).cloned().unwrap_or_default()
                }
                _ => RubyValue::Nil,
            }),
            Method::Writer(ivar) => {
                let value = args.get(0);
                match recv {
                    RubyValue::Object(object) => object.set_ivar(ivar, value.clone()),
                    RubyValue::Class(class) => {
                        class.ivars.borrow_mut().insert(ivar.clone(), value.clone());
                    }
                    _ => (),
                }
                Ok(value)
            }
            Method::Alias(other) => self.builtin_or_missing(recv, other, args),
            Method::Undefined => self.no_method(recv, name, false),
        }
    }

    fn invoke_def(
        &mut self,
        def: &Arc<Def>,
        owner: &Rc<Class>,
        module: &Rc<Class>,
        recv: &RubyValue,
        args: Args<'_>,
    ) -> Eval {
        let id = self.vm.fresh_id();
        let context = Rc::new(Context {
            self_value: recv.clone(),
            block: args.block.cloned(),
            method: Some((def.name.clone(), Rc::clone(owner))),
            args: args.items.to_vec(),
            module: Rc::clone(module),
            last_match: RefCell::default(),
            id,
            defines_own: false,
            module_function: Cell::new(false),
        });
        let frame = self.frame_of(context, def.n_locals);
        let result = self.deeper(&def.file, |run| {
            run.bind(&def.params, args, true, &frame)?;
            run.eval(&def.body, &frame)
        });
        self.leave(&frame)?;
        returned(id, result)
    }

    /// Calls a block as `yield` does.
    pub(crate) fn call_block(&mut self, proc: &Rc<Proc>, args: Args<'_>) -> Eval {
        match &proc.body {
            ProcBody::Block { block, frame, self_value, tag } => {
                let context = match (self_value, proc.is_lambda) {
                    (None, false) => Rc::clone(&frame.context),
                    _ => {
                        let own =
                            self_value.clone().unwrap_or_else(|| frame.context.self_value.clone());
                        Rc::new(self.same_context(&frame.context, own, None))
                    }
                };
                let id = context.id;
                let vars = RefCell::new(Locals::from_elem(RubyValue::Nil, block.n_locals));
                let inner =
                    Rc::new(Frame { vars, parent: Some(Rc::clone(frame)), context, tag: *tag });
                let is_lambda = proc.is_lambda;
                let result = self.deeper(&block.file, |run| {
                    run.bind(&block.params, args, is_lambda, &inner)?;
                    run.eval(&block.body, &inner)
                });
                self.leave(&inner)?;
                let result = ended(result);
                if is_lambda { caught(*tag, returned(id, result)) } else { result }
            }
            ProcBody::Symbol(name) => {
                let Some((recv, rest)) = args.items.split_first() else {
                    return self.argument_error("no receiver given");
                };
                self.call_with(recv, name, Args { items: rest, ..args })
            }
            ProcBody::Method(recv, name) => {
                self.call_function_on(&recv.clone(), &name.clone(), args)
            }
            ProcBody::Native(function) => {
                let function = Rc::clone(function);
                function(self, args)
            }
            ProcBody::Host => {
                let values = self.all_to_puppet(args.items)?;
                let result = self.acting().call_block(values);
                let value = self.from_host(result)?;
                Ok(crate::convert::to_ruby(&value))
            }
        }
    }

    fn same_context(
        &mut self,
        context: &Context,
        self_value: RubyValue,
        module: Option<Rc<Class>>,
    ) -> Context {
        Context {
            self_value,
            block: context.block.clone(),
            method: context.method.clone(),
            args: context.args.clone(),
            module: module.unwrap_or_else(|| Rc::clone(&context.module)),
            last_match: RefCell::default(),
            id: self.vm.fresh_id(),
            defines_own: false,
            module_function: Cell::new(false),
        }
    }

    /// Calls a block with another `self`: `instance_eval`, `instance_exec`, and methods made of blocks.
    pub(crate) fn call_with_self(
        &mut self,
        proc: &Rc<Proc>,
        self_value: &RubyValue,
        args: Args<'_>,
    ) -> Eval {
        self.call_in(proc, self_value, None, args, false)
    }

    /// Calls a block whose `def` defines methods of a class: `class_eval`. With `strict`, the block is a method and checks the
    /// number of its arguments.
    pub(crate) fn call_in(
        &mut self,
        proc: &Rc<Proc>,
        self_value: &RubyValue,
        module: Option<Rc<Class>>,
        args: Args<'_>,
        strict: bool,
    ) -> Eval {
        let ProcBody::Block { block, frame, tag, .. } = &proc.body else {
            return self.call_block(proc, args);
        };
        let mut context = self.same_context(&frame.context, self_value.clone(), module);
        if args.block.is_some() {
            context.block = args.block.cloned();
        }
        let id = context.id;
        let vars = RefCell::new(Locals::from_elem(RubyValue::Nil, block.n_locals));
        let context = Rc::new(context);
        let inner = Rc::new(Frame { vars, parent: Some(Rc::clone(frame)), context, tag: *tag });
        let result = self.deeper(&block.file, |run| {
            run.bind(&block.params, args, strict, &inner)?;
            run.eval(&block.body, &inner)
        });
        self.leave(&inner)?;
        returned(id, ended(result))
    }

    /// Calls a block with one value.
    pub(crate) fn yield1(&mut self, block: &Rc<Proc>, value: &RubyValue) -> Eval {
        self.call_block(block, Args::new(std::slice::from_ref(value)))
    }

    pub(crate) fn yield2(&mut self, block: &Rc<Proc>, a: &RubyValue, b: &RubyValue) -> Eval {
        self.call_block(block, Args::new(&[a.clone(), b.clone()]))
    }

    pub(super) fn eval_super(
        &mut self,
        call: &Call,
        forwards: bool,
        line: u32,
        frame: &Rc<Frame>,
    ) -> Eval {
        let (args, keywords) = if forwards {
            (frame.context.args.clone(), false)
        } else {
            self.eval_args(&call.args, frame)?
        };
        let (tag, block) = self.eval_block_arg(call.block.as_ref(), frame)?;
        let block = block.or_else(|| frame.context.block.clone());
        self.vm.line = line;
        let args = Args { items: &args, keywords, block: block.as_ref() };
        let recv = frame.context.self_value.clone();
        let name = frame.context.method.as_ref().map(|(name, _)| name.clone()).unwrap_or_default();
        let result = match self.super_method(frame) {
            Some((method, owner)) => self.invoke(&method, &owner, &recv, &name, args),
            None => self.builtin_super(&recv, &name, args),
        };
        caught(tag, result)
    }

    pub(super) fn super_method(&mut self, frame: &Rc<Frame>) -> Option<(Method, Rc<Class>)> {
        let (name, owner) = frame.context.method.as_ref()?;
        let (line, own) = match &frame.context.self_value {
            RubyValue::Object(object) => (object.class.ancestors(), false),
            RubyValue::Class(class) => (class.ancestors(), true),
            _ => return None,
        };
        let behind = line.iter().skip_while(|class| !Rc::ptr_eq(class, owner)).skip(1);
        behind.into_iter().find_map(|class| {
            let methods = if own { &class.own_methods } else { &class.methods };
            methods.borrow().get(name).map(|method| (method.clone(), Rc::clone(class)))
        })
    }

    /// Binds arguments to parameters. With `strict`, their number is checked, as methods and lambdas do.
    fn bind(
        &mut self,
        params: &Params,
        args: Args<'_>,
        strict: bool,
        frame: &Rc<Frame>,
    ) -> Eval<()> {
        if let Some(slot) = params.block {
            set_local(frame, slot, args.block.cloned().map_or(RubyValue::Nil, RubyValue::Proc));
        }
        // Fast path: most blocks have one or two plain parameters.
        if params.is_simple() && !args.keywords {
            return self.bind_simple(params, args, strict, frame);
        }
        let mut items = args.items.to_vec();
        if !strict
            && let [RubyValue::Array(list)] = &items[..]
            && params.takes_apart()
        {
            let list = list.items.borrow().clone();
            items = list;
        }
        let takes_keywords = !params.keywords.is_empty() || params.keyword_rest.is_some();
        let keywords = if takes_keywords && args.keywords { items.pop() } else { None };
        let (n_required, n_post) = (params.required.len(), params.post.len());
        let needed = n_required + n_post;
        if strict {
            self.check_count(params, items.len(), needed)?;
        }
        let mut items = items.into_iter();
        for target in &params.required {
            self.assign(target, items.next().unwrap_or_default(), frame)?;
        }
        let left: Vec<RubyValue> = items.collect();
        let spare = left.len().saturating_sub(n_post);
        let n_optional = spare.min(params.optional.len());
        let mut left = left.into_iter();
        for (index, (slot, default)) in params.optional.iter().enumerate() {
            let value = if index < n_optional {
                left.next().unwrap_or_default()
            } else {
                self.eval(default, frame)?
            };
            set_local(frame, *slot, value);
        }
        let rest: Vec<RubyValue> = left.by_ref().take(spare - n_optional).collect();
        if let Some(Some(slot)) = params.rest {
            set_local(frame, slot, RubyValue::array(rest));
        }
        for target in &params.post {
            self.assign(target, left.next().unwrap_or_default(), frame)?;
        }
        if takes_keywords { self.bind_keywords(params, keywords.as_ref(), frame) } else { Ok(()) }
    }

    fn bind_simple(
        &mut self,
        params: &Params,
        args: Args<'_>,
        strict: bool,
        frame: &Rc<Frame>,
    ) -> Eval<()> {
        let n = params.required.len();
        if strict && args.len() != n {
            return self.wrong_arity(args.len(), &n.to_string());
        }
        if n > 1
            && let [RubyValue::Array(list)] = args.items
        {
            let items = list.items.borrow().clone();
            for (index, target) in params.required.iter().enumerate() {
                self.assign(target, items.get(index).cloned().unwrap_or_default(), frame)?;
            }
            return Ok(());
        }
        for (index, target) in params.required.iter().enumerate() {
            self.assign(target, args.get(index), frame)?;
        }
        Ok(())
    }

    fn check_count(&mut self, params: &Params, n_args: usize, needed: usize) -> Eval<()> {
        let most = needed + params.optional.len();
        if n_args >= needed && (n_args <= most || params.rest.is_some()) {
            return Ok(());
        }
        let expected = match (params.rest.is_some(), params.optional.is_empty()) {
            (true, _) => format!("{needed}+"),
            (false, true) => needed.to_string(),
            (false, false) => format!("{needed}..{most}"),
        };
        self.wrong_arity(n_args, &expected)
    }

    fn bind_keywords(
        &mut self,
        params: &Params,
        keywords: Option<&RubyValue>,
        frame: &Rc<Frame>,
    ) -> Eval<()> {
        let mut entries = match keywords {
            Some(RubyValue::Hash(map)) => map.entries.borrow().clone(),
            _ => Entries::default(),
        };
        let mut missing = Vec::new();
        for Keyword { name, slot, default } in &params.keywords {
            let value = match (entries.shift_remove(&Key(RubyValue::Sym(name.clone()))), default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.eval(default, frame)?,
                (None, None) => {
                    missing.push(format!(":{name}"));
                    RubyValue::Nil
                }
            };
            set_local(frame, *slot, value);
        }
        if !missing.is_empty() {
            let s = if missing.len() > 1 { "s" } else { "" };
            return self.argument_error(format!("missing keyword{s}: {}", missing.join(", ")));
        }
        match params.keyword_rest {
            Some(Some(slot)) => set_local(frame, slot, RubyValue::hash(entries)),
            Some(None) => (),
            None if !entries.is_empty() => {
                let s = if entries.len() > 1 { "s" } else { "" };
                let names: Vec<String> =
                    entries.keys().map(|key| crate::show::inspect(&key.0)).collect();
                return self.argument_error(format!("unknown keyword{s}: {}", names.join(", ")));
            }
            None => (),
        }
        Ok(())
    }
}

/// Ends a block with the value of `next`.
fn ended(result: Eval) -> Eval {
    match result {
        Err(stop) => match *stop {
            Stop::Next(value) => Ok(value),
            other => Err(Box::new(other)),
        },
        ok => ok,
    }
}

fn returned(id: u64, result: Eval) -> Eval {
    match result {
        Err(stop) => match *stop {
            Stop::Return(aim, value) if aim == id => Ok(value),
            other => Err(Box::new(other)),
        },
        ok => ok,
    }
}

impl Params {
    /// Returns true if all parameters are plain names.
    fn is_simple(&self) -> bool {
        self.optional.is_empty()
            && self.rest.is_none()
            && self.post.is_empty()
            && self.keywords.is_empty()
            && self.keyword_rest.is_none()
            && !self.trailing_comma
    }

    /// Returns true if a block with these parameters destructures a single array.
    fn takes_apart(&self) -> bool {
        let names = self.required.len() + self.optional.len() + self.post.len();
        names > 1 || (names == 1 && self.rest.is_some()) || self.trailing_comma
    }

    /// Returns Ruby's `arity`.
    pub(crate) fn arity(&self, is_lambda: bool) -> i64 {
        let needed = i64::try_from(self.required.len() + self.post.len()).unwrap_or(i64::MAX);
        let keyword = i64::from(self.keywords.iter().any(|keyword| keyword.default.is_none()));
        let optional = self.rest.is_some() || (is_lambda && !self.optional.is_empty());
        if optional { -needed - 1 } else { needed + keyword * i64::from(needed == 0) }
    }
}
