//! Calls of blocks and functions of the Puppet language.

use std::sync::{Arc, OnceLock};

use kukla_base::Symbol;
use kukla_pcore::types::IntegerRange;
use kukla_pcore::{Type, Value};
use kukla_syntax::ast::{Expr, ExprId, ExprList};

use super::scope::Variables;
use super::{Block, CatalogHost, Interpreter, Parameter, Parameters, Values, mismatch};
use crate::program::Cached;
use crate::{Eval, Program, Stop, fault, issues};

/// A block or function that is called. A block has no name.
#[derive(Clone, Copy)]
pub(super) struct Callee<'a> {
    pub(super) program: &'a Program,
    pub(super) definition: ExprId,
    pub(super) parameters: &'a Parameters,
    pub(super) name: Option<Symbol>,
}

impl<C: CatalogHost> Interpreter<C> {
    /// Calls a block where it was written.
    pub(crate) fn call_block(
        &mut self,
        block: Block<'_>,
        arguments: &[Value],
        out: &mut Value,
    ) -> Eval<()> {
        if let Some(foreign) = block.foreign {
            *out = C::run_block(self, foreign, arguments)?;
            return Ok(());
        }
        let callee = Callee::block(block);
        let scopes = self.scopes.enter_closure(block.closure);
        let result = match callee.takes(arguments) {
            true => {
                self.scopes.push_copies(block.parameters.names(), arguments);
                self.call_bound(callee, out)
            }
            false => self.call_binding(callee, arguments, out),
        };
        self.scopes.leave(scopes);
        result
    }

    /// Like [`call_block`](Self::call_block), but takes the arguments: the block can add to them in place.
    pub(crate) fn call_block_taking(
        &mut self,
        block: Block<'_>,
        arguments: &mut [Value],
        out: &mut Value,
    ) -> Eval<()> {
        if block.foreign.is_some() {
            return self.call_block(block, arguments, out);
        }
        let scopes = self.scopes.enter_closure(block.closure);
        let result = self.call_taking(Callee::block(block), arguments, out);
        self.scopes.leave(scopes);
        result
    }

    /// Calls a block or function where it lives, and takes the arguments away.
    #[inline]
    pub(super) fn call_taking(
        &mut self,
        callee: Callee<'_>,
        arguments: &mut [Value],
        out: &mut Value,
    ) -> Eval<()> {
        if !callee.takes(arguments) {
            return self.call_binding(callee, arguments, out);
        }
        self.scopes.push_taken(callee.parameters.names(), arguments);
        self.call_bound(callee, out)
    }

    /// Calls a block or function whose parameters have defaults or take the rest, or whose arguments don't fit.
    #[inline(never)]
    fn call_binding(
        &mut self,
        callee: Callee<'_>,
        arguments: &[Value],
        out: &mut Value,
    ) -> Eval<()> {
        if callee.parameters.takes_just(arguments.len()) {
            return callee.mismatch(arguments);
        }
        let name = callee_name(callee.name);
        let mut values = self.bind(callee.program, callee.parameters, name, arguments)?;
        if !fits(callee.parameters, &values) {
            return callee.mismatch(&values);
        }
        self.scopes.push_taken(callee.parameters.names(), &mut values);
        self.call_bound(callee, out)
    }

    /// Evaluates the body when all parameters are variables, and checks the result.
    #[inline]
    fn call_bound(&mut self, callee: Callee<'_>, out: &mut Value) -> Eval<()> {
        // A block without a body is work too.
        self.step()?;
        let Callee { program, definition, parameters, name } = callee;
        if let Some(body) = program.callee(definition).and_then(|callee| callee.body) {
            match self.eval_into(program, body, out) {
                Ok(()) => (),
                Err(stop) => *out = next_is_value(stop)?,
            }
        }
        self.watch_nesting(out)?;
        match &parameters.returns {
            Some(type_) if !type_.is_instance(out) => {
                fault(mismatch::returned(callee_name(name).as_str(), type_, out))
            }
            _ => Ok(()),
        }
    }

    /// Evaluates a body with variables of its own.
    pub(crate) fn evaluate_body(
        &mut self,
        program: &Program,
        body: Option<ExprId>,
        variables: Variables,
    ) -> Eval<Value> {
        let mark = self.scopes.mark();
        self.scopes.push_variables(variables);
        let result = match body {
            Some(body) => self.eval(program, body),
            None => Ok(Value::Undef),
        };
        self.scopes.restore(mark);
        result.or_else(next_is_value)
    }

    /// The values of parameters: arguments, defaults, and the rest.
    fn bind(
        &mut self,
        program: &Program,
        parameters: &Parameters,
        callee: Symbol,
        arguments: &[Value],
    ) -> Eval<Values> {
        let mark = self.scopes.mark();
        self.scopes.push_parameters(Arc::clone(parameters.numbers()));
        for (n, parameter) in parameters.list.iter().enumerate() {
            match self.argument(program, parameters, n, callee, arguments) {
                Ok(value) => self.scopes.set_parameter(parameter.name, value),
                Err(stop) => {
                    self.scopes.restore(mark);
                    return Err(stop);
                }
            }
        }
        let values = self.scopes.take_parameters().into_iter().map(|(_, value)| value).collect();
        self.scopes.restore(mark);
        Ok(values)
    }

    fn argument(
        &mut self,
        program: &Program,
        parameters: &Parameters,
        n: usize,
        callee: Symbol,
        arguments: &[Value],
    ) -> Eval<Value> {
        let parameter = &parameters.list[n];
        let default = parameter.default;
        if parameter.captures_rest {
            let rest = arguments.get(n..).unwrap_or_default();
            let value = match (rest, default) {
                ([] | [Value::Undef], Some(default)) => {
                    self.default(program, parameters, parameter, default, |_| callee.to_string())?
                }
                _ => return Ok(Value::array(rest.iter().cloned())),
            };
            return Ok(match value {
                Value::Array(_) => value,
                single => Value::array([single]),
            });
        }
        match (arguments.get(n), default) {
            (Some(value), _) => Ok(value.clone()),
            (None, Some(default)) => {
                self.default(program, parameters, parameter, default, |_| callee.to_string())
            }
            (None, None) => {
                let issue = issues::missing_required_parameter(parameter.name);
                match parameter.at {
                    Some(at) => issues::at(program, at, issue),
                    None => fault(issue),
                }
            }
        }
    }

    /// The default of a parameter, which may use those before it.
    pub(crate) fn default(
        &mut self,
        program: &Program,
        parameters: &Parameters,
        parameter: &Parameter,
        default: ExprId,
        callee: impl FnOnce(&Self) -> String,
    ) -> Eval<Value> {
        match self.guarded(|this| this.eval(program, default)) {
            Err(stop) => match *stop {
                Stop::UnsetParameter(unset) => {
                    let callee = callee(self);
                    let place = |name| parameters.list.iter().position(|p| p.name == name);
                    fault(match place(unset) < place(parameter.name) {
                        true => issues::parameter_without_value(&callee, unset),
                        false => issues::parameter_read_too_early(&callee, parameter.name, unset),
                    })
                }
                other => Err(Box::new(other)),
            },
            value => value,
        }
    }

    /// The parameters of a lambda or function; they are worked out once if nothing in them can change.
    pub(crate) fn parameters(
        &mut self,
        program: &Program,
        callee: ExprId,
    ) -> Eval<Arc<Parameters>> {
        if let Some(cached) = program.parameters(callee).and_then(|cache| cache.get()) {
            self.inputs.replay(&cached.reads);
            return Ok(Arc::clone(&cached.value));
        }
        let (list, return_type) = match program.ast()[callee] {
            Expr::Lambda { parameters, return_type, .. } => (parameters, return_type),
            Expr::Named(named) => {
                let named = program.ast().named(named);
                (named.parameters, named.return_type)
            }
            _ => (ExprList::default(), None),
        };
        let (made, reads) =
            self.gather(|interpreter| interpreter.make_parameters(program, list, return_type));
        let parameters = Arc::new(made?);
        if let Some(cache) = program.parameters(callee) {
            let _ = cache.set(Cached { value: Arc::clone(&parameters), reads });
        }
        Ok(parameters)
    }

    fn make_parameters(
        &mut self,
        program: &Program,
        list: ExprList,
        return_type: Option<ExprId>,
    ) -> Eval<Parameters> {
        let mut made = Parameters {
            list: Vec::with_capacity(list.len()),
            min: 0,
            max: Some(0),
            block: None,
            returns: None,
            is_plain: true,
            as_type: OnceLock::new(),
            numbers: OnceLock::new(),
            constants: OnceLock::new(),
        };
        for &id in program.ast().list(list) {
            let Expr::Parameter { value, type_, captures_rest, .. } = program.ast()[id] else {
                continue;
            };
            let type_ = match type_ {
                Some(type_) => self.type_of(program, type_)?,
                None => None,
            };
            let (type_, range) = parameter_type(type_, captures_rest, value.is_some());
            if captures_rest && range.min > 0 && made.list.iter().any(|one| one.default.is_some()) {
                return issues::at(program, id, issues::required_rest(program.name(id)));
            }
            made.is_plain &= type_.is_none() && value.is_none() && !captures_rest;
            let to_usize = |size| usize::try_from(size).unwrap_or(usize::MAX);
            made.min = made.min.saturating_add(to_usize(range.min));
            let more = range.greatest().map(to_usize);
            made.max = made.max.zip(more).map(|(max, more)| max.saturating_add(more));
            let name = program.name(id);
            made.list.push(Parameter { name, type_, default: value, captures_rest, at: Some(id) });
        }
        made.returns = match return_type {
            Some(type_) => self.type_of(program, type_)?,
            None => None,
        };
        Ok(made)
    }

    /// Evaluates an expression to a type; `None` if its value is not a type.
    fn type_of(&mut self, program: &Program, id: ExprId) -> Eval<Option<Type>> {
        match self.eval(program, id)? {
            Value::Type(type_) => Ok(Some((*type_).clone())),
            _ => Ok(None),
        }
    }
}

/// Returns the name of a callee; a block is called `lambda`.
fn callee_name(name: Option<Symbol>) -> Symbol {
    name.unwrap_or_else(|| Symbol::new("lambda"))
}

/// The type of one argument, and how many there may be.
///
/// `Array[Integer, 1, 3] *$rest` takes one to three integers.
fn parameter_type(
    type_: Option<Type>,
    captures_rest: bool,
    has_default: bool,
) -> (Option<Type>, IntegerRange) {
    match (type_, captures_rest) {
        (Some(Type::Array(array)), true) => {
            (Some(array.element.clone()), array.size.unwrap_or(IntegerRange::SIZES))
        }
        (type_, true) => (type_, IntegerRange::SIZES),
        (type_, false) => (type_, IntegerRange::between(i64::from(!has_default), 1)),
    }
}

/// `next()` ends the body with a value.
#[cold]
#[expect(clippy::boxed_local, reason = "that is how it comes, and how it goes on")]
fn next_is_value(stop: Box<Stop>) -> Eval<Value> {
    match *stop {
        Stop::Next(value, _) => Ok(value),
        other => Err(Box::new(other)),
    }
}

impl<'a> Callee<'a> {
    #[inline]
    fn block(block: Block<'a>) -> Self {
        let Block { program, closure, parameters, foreign: _ } = block;
        Self { program, definition: closure.lambda, parameters, name: None }
    }

    /// Whether the arguments are the values of all parameters, and have the right types.
    #[inline]
    fn takes(self, arguments: &[Value]) -> bool {
        let parameters = self.parameters;
        parameters.takes_just(arguments.len())
            && (parameters.is_plain || fits(parameters, arguments))
    }

    /// Says why the values of the parameters don't fit.
    #[cold]
    fn mismatch(self, values: &[Value]) -> Eval<()> {
        let final_arguments = final_arguments(self.parameters, values);
        let signatures = std::slice::from_ref(self.parameters);
        let name = callee_name(self.name).as_str();
        fault(mismatch::signatures(name, signatures, &final_arguments, None))
    }
}

/// Whether all values have the types of their parameters.
#[inline]
fn fits(parameters: &Parameters, values: &[Value]) -> bool {
    parameters.list.iter().zip(values).all(|(parameter, value)| {
        match (&parameter.type_, parameter.captures_rest, value) {
            (None, false, _) => true,
            (type_, true, Value::Array(values)) => {
                let n_others = parameters.list.len() - 1;
                parameters.min <= n_others + values.len()
                    && parameters.max.is_none_or(|max| n_others + values.len() <= max)
                    && type_
                        .as_ref()
                        .is_none_or(|type_| values.iter().all(|v| type_.is_instance(v)))
            }
            (Some(type_), _, value) => type_.is_instance(value),
            (None, true, _) => true,
        }
    })
}

/// The values as if they had been the arguments.
fn final_arguments(parameters: &Parameters, values: &[Value]) -> Values {
    let mut arguments = Values::new();
    for (parameter, value) in parameters.list.iter().zip(values) {
        match value {
            Value::Array(values) if parameter.captures_rest => {
                arguments.extend(values.iter().cloned());
            }
            value => arguments.push(value.clone()),
        }
    }
    arguments
}
