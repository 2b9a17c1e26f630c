//! The compilation around a lookup: variables, functions, conversions.

use std::sync::{Arc, LazyLock};

use kukla_lookup::{Context, Fault, Function, Host, LogLevel, Miss, Search, Variable};
use kukla_pcore::convert::ConvertError;
use kukla_pcore::types::Names;
use kukla_pcore::{Type, Value};
use kukla_syntax::Options;

use crate::compile::Compiler;
use crate::interpreter::Values;
use crate::interpreter::scope::ScopeId;
use crate::interpreter::watch::Root;
use crate::issues::Code;
use crate::library::FunctionRef;
use crate::{Eval, Program, Stop, log, source};

/// Where calls stand that are made by data.
static NOWHERE: LazyLock<Arc<Program>> = LazyLock::new(|| {
    let program = source::program("undef", &Options::default(), &mut Vec::new());
    program.expect("a literal is a program")
});

/// The evaluation around a lookup.
pub(super) struct DataHost<'a>(pub(super) &'a mut Compiler);

impl DataHost<'_> {
    fn call_named(&mut self, name: &str, mut arguments: Values) -> Eval<Value> {
        let mut value = Value::Undef;
        let Some(id) = NOWHERE.ast().body() else { return Ok(value) };
        let name = self.0.function_symbol(&NOWHERE, id, name)?;
        self.0.call_by_name(&NOWHERE, id, name, &mut arguments, None, &mut value)?;
        Ok(value)
    }

    /// Calls a function while a lookup context is the innermost one.
    fn call_in(
        &mut self,
        context: &Context,
        call: impl FnOnce(&mut Self, Value) -> Eval<Value>,
    ) -> Search<Value> {
        let handle = self.0.catalog.data.contexts.enter(context.clone());
        let result = call(self, handle);
        self.0.catalog.data.contexts.leave();
        result.map_err(|stop| match *stop {
            Stop::NotFound => Miss::NotFound,
            other => failed(&crate::interpreter::illegal_jump(other)),
        })
    }

    fn returns(&mut self, function: &FunctionRef) -> Eval<Vec<Option<Type>>> {
        Ok(match function {
            FunctionRef::Puppet(function) => {
                let parameters = self.0.parameters(&function.program, function.definition)?;
                vec![parameters.returns.clone()]
            }
            FunctionRef::Foreign(function) => function.returns(&self.0.names()),
            FunctionRef::Native(_) => vec![None],
        })
    }
}

impl Host for DataHost<'_> {
    fn variable(&mut self, name: &str) -> Variable {
        if let Some(value) = self.0.scopes.get_text(name) {
            return Variable::Value(value);
        }
        if let Ok(Some(value)) = self.0.data_variable(name) {
            return Variable::Value(value);
        }
        let class = name.strip_prefix("::").unwrap_or(name).rsplit_once("::");
        Variable::Unknown(class.map(|(class, _)| match self.0.find_class(class) {
            Ok(Some(_)) => format!("class {class} has not been evaluated"),
            _ => format!("class {class} could not be found"),
        }))
    }

    fn begin_path(&mut self, root: &str, segments: &[Value]) {
        if !segments.is_empty()
            && let Some(root) = Root::named(root)
            && let Some(watch) = self.0.scopes.watched(ScopeId::TOP)
        {
            watch.note_path(root, segments.to_vec());
        }
    }

    fn end_path(&mut self) {
        if let Some(watch) = self.0.scopes.watched(ScopeId::TOP) {
            watch.unhush(None);
        }
    }

    fn calling_class(&mut self) -> Option<String> {
        self.0.current_definition().filter(|(is_class, _)| *is_class).map(|(_, name)| name.into())
    }

    fn function(&mut self, name: &str) -> Result<Option<Function>, Fault> {
        let say = |stop: Box<Stop>| Fault::puppet(message(*stop));
        let function = self.0.find_named_function(name, "").map_err(say)?;
        let Some(function) = function else { return Ok(None) };
        let returns = self.returns(&function).map_err(say)?;
        Ok(Some(Function { returns }))
    }

    fn call(&mut self, name: &str, arguments: Vec<Value>, context: &Context) -> Search<Value> {
        self.call_in(context, |host, handle| {
            host.call_named(name, arguments.into_iter().chain([handle]).collect())
        })
    }

    fn call_legacy(&mut self, name: &str, context: &Context) -> Search<Value> {
        self.call_in(context, |host, _| host.call_named(name, Values::new()))
    }

    fn call_pure(&mut self, name: &str, arguments: &[Value]) -> Result<Value, Fault> {
        let before = self.0.catalog.size();
        self.0.catalog.data.n_pure += 1;
        let result = self.call_named(name, arguments.iter().cloned().collect());
        self.0.catalog.data.n_pure -= 1;
        let value = result.map_err(|stop| Fault::lookup(message(*stop)))?;
        match self.0.catalog.size() == before {
            true => Ok(value),
            false => Err(Fault::lookup(crate::issues::not_in_data(name).message())),
        }
    }

    fn convert(&mut self, type_: &Type, arguments: &[Value]) -> Result<Value, ConvertError> {
        self.0.instance(type_, arguments).map_err(|stop| match *stop {
            Stop::Fault(fault) => ConvertError::new(fault.message()),
            _ => ConvertError::new("it can't be converted"),
        })
    }

    fn names(&self) -> &dyn Names {
        self
    }

    fn log(&mut self, level: LogLevel, message: &str) {
        let level = match level {
            LogLevel::Warning => log::Level::Warning,
            LogLevel::Debug => log::Level::Debug,
        };
        self.0.say(level, message.to_owned(), None);
    }
}

/// Returns the result of a search in which a function has failed.
///
/// An error that Ruby raises has no place, and Puppet passes it on; so it does with arguments that don't fit. A value
/// of the wrong type is an error of Puppet's.
fn failed(fault: &crate::Fault) -> Miss {
    let is_puppets = fault.is_logged_beside() || fault.code() == Code::RETURN_MISMATCH;
    match (fault.place().is_none() && !is_puppets, fault.code()) {
        (true, Code::DATA_NOT_FOUND) => Miss::NotFound,
        (true, _) => Fault::other(fault.message()).into(),
        (false, _) => Fault::puppet(fault.full_message()).into(),
    }
}

/// Returns the message of a stop, with its place.
fn message(stop: Stop) -> String {
    crate::interpreter::illegal_jump(stop).full_message()
}

impl Names for DataHost<'_> {
    fn find(&self, name: &str) -> Option<Type> {
        self.0.names().find(name)
    }
}
