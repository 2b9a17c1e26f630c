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
use crate::interpreter::Block as CallBlock;
use crate::interpreter::scope::Closure;
use crate::{Eval, Program, Stop, fault, issues};

/// A block that a method of a context is given.
pub(crate) type Block<'a> = dyn FnMut(&mut Compiler, &[Value]) -> Eval<Value> + 'a;

/// The contexts of the calls that are under way.
#[derive(Debug, Default)]
pub(crate) struct Contexts(Vec<Context>);

impl Contexts {
    /// The value that stands for a context until it is left.
    pub(super) fn enter(&mut self, context: Context) -> Value {
        let number = i64::try_from(self.0.len()).unwrap_or(i64::MAX);
        self.0.push(context);
        let values = vec![Value::Integer(number)];
        Value::rare(Rare::Object(Object { type_: lookup_context(), values }))
    }

    pub(super) fn leave(&mut self) {
        self.0.pop();
    }

    fn get(&self, number: usize) -> Option<Context> {
        self.0.get(number).cloned()
    }
}

/// The number of a context, if the value is one.
pub(crate) fn number(value: &Value) -> Option<usize> {
    let Value::Rare(rare) = value else { return None };
    let Rare::Object(object) = &**rare else { return None };
    match (object.type_.name.as_deref(), &object.values[..]) {
        (Some("Puppet::LookupContext"), [Value::Integer(n)]) => usize::try_from(*n).ok(),
        _ => None,
    }
}

impl Compiler {
    /// `$context.name(arguments) |…| { … }`
    pub(in crate::compile) fn context_call_in(
        &mut self,
        program: &Program,
        number: usize,
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
        let mut call = |compiler: &mut Self, arguments: &[Value]| {
            let mut value = Value::Undef;
            compiler.call_block(block, arguments, &mut value).map(|()| value)
        };
        self.context_member(number, name.as_str(), arguments, Some(&mut call)).transpose()
    }

    /// `$context.name(arguments)`; `None` if contexts have no such method.
    pub(crate) fn context_member(
        &mut self,
        number: usize,
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
