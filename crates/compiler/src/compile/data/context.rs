//! The contexts of functions that give data: `$context`, a `Puppet::LookupContext`.
//!
//! The value is a number: contexts are known by it as long as the call lasts.

use kukla_base::Symbol;
use kukla_lookup::{Context, Miss};
use kukla_pcore::types::lookup_context;
use kukla_pcore::value::{Object, Rare};
use kukla_pcore::{Hash, Value};
use kukla_syntax::ast::ExprId;

use super::host::DataHost;
use crate::compile::Compiler;
use crate::interpreter::scope::Closure;
use crate::interpreter::{Block as CallBlock, check_member};
use crate::{Eval, Program, Stop, fault, issues};

/// A block that a method of a context is given.
pub(crate) type Block<'a> = dyn FnMut(&mut Compiler, &[Value]) -> Eval<Value> + 'a;

/// The contexts of the calls that are under way, and those that code has made.
#[derive(Debug, Default)]
pub(crate) struct Contexts {
    entered: Vec<Context>,
    made: Vec<Context>,
}

impl Contexts {
    /// The value that stands for a context until it is left.
    pub(super) fn enter(&mut self, context: Context) -> Value {
        let number = i64::try_from(self.entered.len()).unwrap_or(i64::MAX);
        let value = handle(number, context.module_name());
        self.entered.push(context);
        value
    }

    pub(super) fn leave(&mut self) {
        self.entered.pop();
    }

    /// The value that stands for a context for the rest of the compilation. Its number is negative.
    fn keep(&mut self, context: Context) -> Value {
        let number = i64::try_from(self.made.len()).unwrap_or(i64::MAX);
        let value = handle(-1 - number, context.module_name());
        self.made.push(context);
        value
    }

    fn get(&self, number: i64) -> Option<Context> {
        let (contexts, place) = match number {
            0.. => (&self.entered, number),
            _ => (&self.made, -1 - number),
        };
        contexts.get(usize::try_from(place).ok()?).cloned()
    }
}

/// An object whose first attribute, which is derived, is the number of a context.
fn handle(number: i64, module: Option<&ecow::EcoString>) -> Value {
    let module = module.map_or(Value::Undef, |name| Value::String(name.clone()));
    let values = vec![Value::Integer(number), module];
    Value::rare(Rare::Object(Object { type_: lookup_context(), values }))
}

fn as_context(value: &Value) -> Option<&Object> {
    let Value::Rare(rare) = value else { return None };
    match &**rare {
        Rare::Object(object) if object.type_ == lookup_context() => Some(object),
        _ => None,
    }
}

/// The number of a context, if the value is one.
pub(crate) fn number(value: &Value) -> Option<i64> {
    match as_context(value)?.values.first() {
        Some(Value::Integer(number)) => Some(*number),
        _ => None,
    }
}

impl Compiler {
    /// `$context.name(arguments) |…| { … }`
    pub(in crate::compile) fn context_call_in(
        &mut self,
        program: &Program,
        number: i64,
        name: Symbol,
        arguments: &[Value],
        lambda: Option<ExprId>,
    ) -> Eval<Option<Value>> {
        let Some(lambda) = lambda else {
            return self.context_member(number, name.as_str(), arguments, None).transpose();
        };
        let parameters = self.parameters(program, lambda)?;
        let closure = Closure { lambda, scope: self.scopes.current, top: self.scopes.top() };
        let block = CallBlock { program, closure, parameters: &parameters, foreign: None };
        // A block of one parameter gets a key and its value as one array.
        let is_joined = name.as_str() == "cached_entries" && parameters.list.len() == 1;
        let mut call = |compiler: &mut Self, arguments: &[Value]| {
            let mut value = Value::Undef;
            let joined = is_joined.then(|| Value::array(arguments.iter().cloned()));
            let arguments = joined.as_ref().map_or(arguments, std::slice::from_ref);
            compiler.call_block(block, arguments, &mut value).map(|()| value)
        };
        self.context_member(number, name.as_str(), arguments, Some(&mut call)).transpose()
    }

    /// `Puppet::LookupContext.new(module)`: a context of its own, with a cache of its own.
    pub(in crate::compile) fn adopt_context(&mut self, made: Value) -> Value {
        let Some(object) = as_context(&made) else { return made };
        let module = object.get("module_name").and_then(Value::as_str).map(ecow::EcoString::from);
        let session = self.lookups();
        let context = session.context(&mut DataHost(self), module);
        self.catalog.data.contexts.keep(context)
    }

    /// `$context.name(arguments)`; `None` if contexts have no such method.
    pub(crate) fn context_member(
        &mut self,
        number: i64,
        name: &str,
        arguments: &[Value],
        block: Option<&mut Block<'_>>,
    ) -> Option<Eval<Value>> {
        let Some(context) = self.catalog.data.contexts.get(number) else {
            return Some(fault(issues::context_after_lookup()));
        };
        let (min, max) = match name {
            "not_found" | "environment_name" | "module_name" | "explain" | "cached_entries" => {
                (0, 0)
            }
            "interpolate" | "cached_value" | "cache_has_key" | "cache_all" | "cached_file_data" => {
                (1, 1)
            }
            "cache" => (2, 2),
            _ => return None,
        };
        if arguments.len() < min || arguments.len() > max {
            return Some(fault(issues::context_arity(name, max, arguments.len())));
        }
        // Puppet's own type of this function takes nothing that is a block.
        if block.is_none() && name != "cached_file_data" {
            let checked = check_member(&lookup_context(), name, arguments);
            if let Err(stop) = checked {
                return Some(Err(stop));
            }
        }
        Some(self.context_call(&context, name, arguments, block))
    }

    fn context_call(
        &mut self,
        context: &Context,
        name: &str,
        arguments: &[Value],
        block: Option<&mut Block<'_>>,
    ) -> Eval<Value> {
        let text = |text: Option<&ecow::EcoString>| {
            text.map_or(Value::Undef, |text| Value::String(text.clone()))
        };
        Ok(match (name, arguments) {
            ("not_found", _) if self.catalog.data.contexts.entered.is_empty() => {
                return fault(issues::uncaught_not_found());
            }
            ("not_found", _) => return Err(Box::new(Stop::NotFound)),
            ("environment_name", _) => text(Some(&context.environment_name())),
            ("module_name", _) => text(context.module_name()),
            ("explain", _) => {
                if let (true, Some(block)) = (context.is_explaining(), block) {
                    let explanation = block(self, &[])?;
                    context.explain(kukla_pcore::ruby::to_s(&explanation));
                }
                Value::Undef
            }
            ("interpolate", [value]) => {
                let found = context.interpolate(&mut DataHost(self), value);
                return found.map_err(|miss| match miss {
                    Miss::NotFound => Box::new(Stop::NotFound),
                    Miss::Fault(fault) => super::stop(*fault),
                });
            }
            ("cache", [key, value]) => context.cache(key.clone(), value.clone()),
            ("cache_all", [Value::Hash(hash)]) => {
                context.cache_all(hash);
                Value::Undef
            }
            ("cache_has_key", [key]) => Value::Boolean(context.cache_has_key(key)),
            ("cached_value", [key]) => context.cached_value(key),
            ("cached_entries", _) => match block {
                Some(block) => {
                    self.each_entry(&context.cached_entries(), block)?;
                    Value::Undef
                }
                // It is iterated over as the hash that it is.
                None => Value::hash(context.cached_entries()),
            },
            ("cached_file_data", [Value::String(path)]) => self.file_data(context, path, block)?,
            _ => return fault(issues::context_arguments(name)),
        })
    }

    fn each_entry(&mut self, entries: &Hash, block: &mut Block<'_>) -> Eval<()> {
        for (key, value) in entries.iter() {
            block(self, &[key.clone(), value.clone()])?;
        }
        Ok(())
    }

    /// The text of a file, or what a block makes of it. What was given first is kept, as in Puppet.
    fn file_data(
        &mut self,
        context: &Context,
        path: &str,
        block: Option<&mut Block<'_>>,
    ) -> Eval<Value> {
        if let Some(known) = context.cached_file_result(path) {
            return Ok(known);
        }
        let text = Value::from(context.cached_file_data(path).map_err(super::stop)?);
        let value = match block {
            Some(block) => block(self, &[text])?,
            None => text,
        };
        context.cache_file_result(path, value.clone());
        Ok(value)
    }
}
