//! Calls of functions.

use std::rc::Rc;
use std::sync::Arc;

use kukla_base::Symbol;
use kukla_pcore::{Type, Value};
use kukla_syntax::ast::{Expr, ExprId, ExprList};

use super::closures::Callee;
use super::host::Invocation;
use super::scope::Closure;
use super::{
    Block, CatalogHost, Interpreter, Parameters, Values, members, mismatch, profile, signature,
};
use crate::library::{FunctionRef, PuppetFunction};
use crate::program::NodeInfo;
use crate::{Eval, Frame, FrameKind, Program, Stop, fault, issues};

impl<C: CatalogHost> Interpreter<C> {
    /// `name(arguments) |…| { … }`, `Type(arguments)` or `a.name(arguments)`
    #[inline(never)]
    pub(super) fn call(
        &mut self,
        program: &Program,
        id: ExprId,
        functor: ExprId,
        arguments: ExprList,
        lambda: Option<ExprId>,
        out: &mut Value,
    ) -> Eval<()> {
        let ast = program.ast();
        let mut values = Values::new();
        let (name, n_receivers) = match *program.node_info(id) {
            NodeInfo::Call { name, has_unfold: false } => {
                if let Expr::NamedAccess { left, .. } = ast[functor] {
                    self.eval_onto(program, left, &mut values)?;
                }
                let n_receivers = values.len();
                for &argument in ast.list(arguments) {
                    self.eval_onto(program, argument, &mut values)?;
                }
                (name, n_receivers)
            }
            _ => self.other_arguments(program, id, functor, arguments, &mut values)?,
        };
        if let [Value::Rare(_), ..] = &values[..]
            && let Expr::NamedAccess { .. } = ast[functor]
            && let Some(value) = self.call_member(program, name, &values, n_receivers, lambda)?
        {
            out.put(value);
            return Ok(());
        }
        let Some(lambda) = lambda else {
            return self.call_by_name(program, id, name, &mut values, None, out);
        };
        let made;
        let parameters = match program.parameters(lambda).and_then(|known| known.get()) {
            Some(cached) => {
                self.inputs.replay(&cached.reads);
                &*cached.value
            }
            None => {
                made = self.parameters(program, lambda)?;
                &*made
            }
        };
        let closure = Closure { lambda, scope: self.scopes.current, top: self.scopes.top() };
        let block = Block { program, closure, parameters, foreign: None };
        self.call_by_name(program, id, name, &mut values, Some(block), out)
    }

    /// The name of a function that is not simply called by it, or with `*` before arguments, and its arguments; how
    /// many of them come from before the name.
    #[inline(never)]
    fn other_arguments(
        &mut self,
        program: &Program,
        id: ExprId,
        functor: ExprId,
        arguments: ExprList,
        values: &mut Values,
    ) -> Eval<(Symbol, usize)> {
        let ast = program.ast();
        let name = match ast[functor] {
            Expr::QualifiedName(_) => program.name(id),
            Expr::NamedAccess { left, .. } => {
                self.unfold_one(program, left, values)?;
                program.name(id)
            }
            Expr::QualifiedReference(_) | Expr::Access { .. } => {
                values.push(self.eval(program, functor)?);
                self.names.new
            }
            Expr::RenderString(_) => {
                return issues::at(program, id, issues::illegal_epp_parameters());
            }
            _ => return issues::at(program, functor, issues::not_a_function(ast, functor, id)),
        };
        let n_receivers = values.len();
        self.unfold(program, arguments, values)?;
        Ok((name, n_receivers))
    }

    /// `$object.name(arguments) |…| { … }`, if the object knows the name.
    #[inline(never)]
    fn call_member(
        &mut self,
        program: &Program,
        name: Symbol,
        values: &[Value],
        n_receivers: usize,
        lambda: Option<ExprId>,
    ) -> Eval<Option<Value>> {
        let Some((receiver, arguments)) = values.split_first() else { return Ok(None) };
        let value = C::call_method(self, program, receiver, name, arguments, lambda)?;
        if value.is_some() {
            return Ok(value);
        }
        let block = match lambda {
            Some(lambda) => Some(self.lambda_type(program, lambda)?),
            None => None,
        };
        members::member(receiver, name.as_str(), &values[n_receivers..], block.as_ref()).transpose()
    }

    /// The type of a block.
    fn lambda_type(&mut self, program: &Program, lambda: ExprId) -> Eval<Type> {
        let parameters = self.parameters(program, lambda)?;
        Ok(Type::Callable(Arc::new(parameters.callable())))
    }

    /// The function of a name: what the program defines goes first.
    pub(crate) fn find_function(&self, name: Symbol, module: &str) -> Eval<Option<FunctionRef>> {
        if let Some(own) = self.functions.get(&name) {
            return Ok(Some(own.clone()));
        }
        match self.inputs.function(name, module)? {
            Some(function) => {
                self.catalog.note_function(&function);
                Ok(Some(function))
            }
            None => Ok(self.catalog.function(name)),
        }
    }

    /// The function of a name that comes from data, as code of a module sees it.
    pub(crate) fn find_named_function(
        &self,
        name: &str,
        module: &str,
    ) -> Eval<Option<FunctionRef>> {
        if let Some(name) = Symbol::known(name) {
            return self.find_function(name, module);
        }
        // Where there is one, its name becomes a symbol: there are no more of them than files.
        match self.inputs.may_have_function(name, module) {
            true => self.find_function(Symbol::new(name), module),
            false => Ok(None),
        }
    }

    /// The symbol of a function that is called at a node by a name that comes from data.
    pub(crate) fn function_symbol(
        &self,
        program: &Program,
        id: ExprId,
        name: &str,
    ) -> Eval<Symbol> {
        if let Some(known) = Symbol::known(name) {
            return Ok(known);
        }
        match self.inputs.may_have_function(name, program.module()) {
            true => Ok(Symbol::new(name)),
            false => {
                let issue = issues::unknown_function(name);
                issues::at(program, id, self.with_likely_functions(issue, name))
            }
        }
    }

    /// Like [`find_function`](Self::find_function), but cached by the module of the calling program.
    #[inline]
    fn function_to_call(
        &mut self,
        name: Symbol,
        program: &Program,
    ) -> Eval<Option<Rc<FunctionRef>>> {
        match self.functions.found(name, program.module()) {
            Some(function) => Ok(Some(function)),
            None => self.search_function(name, program),
        }
    }

    #[cold]
    fn search_function(
        &mut self,
        name: Symbol,
        program: &Program,
    ) -> Eval<Option<Rc<FunctionRef>>> {
        let module = program.module();
        let function = self.find_function(name, module)?;
        Ok(function.map(|function| self.functions.keep(name, module, function)))
    }

    /// Counts a call within calls: the caller subtracts it from `depth` afterwards.
    pub(crate) fn begin_call(&mut self) -> Eval<()> {
        if self.depth >= self.limits.depth {
            return Err(Stop::final_fault(issues::too_deep(self.limits.depth)));
        }
        self.depth += 1;
        Ok(())
    }

    /// Calls a function from the node `id`; it may take the arguments away.
    pub(crate) fn call_by_name(
        &mut self,
        program: &Program,
        id: ExprId,
        name: Symbol,
        arguments: &mut [Value],
        block: Option<Block<'_>>,
        out: &mut Value,
    ) -> Eval<()> {
        let Some(function) = self.function_to_call(name, program)? else {
            let issue = issues::unknown_function(name.as_str());
            return issues::at(program, id, self.with_likely_functions(issue, name.as_str()));
        };
        self.begin_call()?;
        self.begin_part(|| profile::of_call(name.as_str(), arguments));
        let result = match &*function {
            FunctionRef::Puppet(function) => self.call_puppet(function, arguments, block, out),
            other => {
                let call = Invocation { name, arguments, block, program, id };
                C::run_function(self, other, call).map(|value| out.put(value))
            }
        };
        self.end_part();
        self.depth -= 1;
        result.map_err(|stop| framed(stop, &function, program, id, block.is_some()))
    }

    /// `function name(parameters) { body }`
    fn call_puppet(
        &mut self,
        function: &PuppetFunction,
        arguments: &mut [Value],
        block: Option<Block<'_>>,
        out: &mut Value,
    ) -> Eval<()> {
        let scopes = self.scopes.enter_global();
        let result = self.call_definition(function, arguments, block, out);
        self.scopes.leave(scopes);
        match result {
            Ok(()) => Ok(()),
            Err(stop) => match *stop {
                Stop::Return(value, _) => {
                    *out = value;
                    Ok(())
                }
                other => Err(Box::new(other)),
            },
        }
    }

    fn call_definition(
        &mut self,
        function: &PuppetFunction,
        arguments: &mut [Value],
        block: Option<Block<'_>>,
        out: &mut Value,
    ) -> Eval<()> {
        let (program, definition) = (&*function.program, function.definition);
        let made;
        let parameters = match program.parameters(definition).and_then(|known| known.get()) {
            Some(cached) => {
                self.inputs.replay(&cached.reads);
                &*cached.value
            }
            None => {
                made = self.parameters(program, definition)?;
                &*made
            }
        };
        let fits = parameters.min <= arguments.len()
            && parameters.max.is_none_or(|max| arguments.len() <= max)
            && block.is_none()
            // Before defaults are evaluated; else they are looked at with the parameters.
            && (parameters.takes_just(arguments.len())
                || signature::accepts(parameters, arguments, None));
        if !fits {
            let signatures = std::slice::from_ref(parameters);
            return self.no_signature(function.name, signatures, arguments, block);
        }
        let callee = Callee { program, definition, parameters, name: Some(function.name) };
        self.call_taking(callee, arguments, out)
    }

    /// None of the signatures takes the arguments: says why.
    pub(crate) fn no_signature<T>(
        &self,
        name: Symbol,
        signatures: &[Parameters],
        arguments: &[Value],
        block: Option<Block<'_>>,
    ) -> Eval<T> {
        let block = block.map(|block| block.parameters.callable());
        fault(mismatch::signatures(name.as_str(), signatures, arguments, block))
    }
}

/// Adds a call to what led to a fault: of a function that is not native, or of one that calls a block.
#[cold]
fn framed(
    stop: Box<Stop>,
    function: &FunctionRef,
    program: &Program,
    id: ExprId,
    has_block: bool,
) -> Box<Stop> {
    let (kind, name) = match function {
        FunctionRef::Native(function) if has_block => (FrameKind::Block, function.name),
        FunctionRef::Native(_) | FunctionRef::Foreign(_) => return stop,
        FunctionRef::Puppet(function) => (FrameKind::Function, function.name),
    };
    stop.framed(|| Frame { kind, name: name.to_string(), place: Some(program.place(id)) })
}
