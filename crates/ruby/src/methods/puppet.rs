//! Puppet's own values, and calls of its functions.

use std::rc::Rc;

use kukla_pcore::Value;

use super::kernel::Caller;
use super::table::{Builtin, method, refused};
use super::tools::text;
use crate::convert::to_ruby;
use crate::run::{Args, Eval, Run, SharedValue, Vm};
use crate::value::{Proc, RubyValue};
use kukla_foreign::{Host, HostError};

/// The methods of values that Ruby has no literal for.
pub(super) static METHODS: &[Builtin<Rc<Value>>] = &[
    method("unwrap", unwrap).when(|this, _| matches!(**this, Value::Sensitive(_))),
    method("to_s", |_, this, _| text(kukla_pcore::ruby::to_s(this))),
    method("inspect", |_, this, _| text(kukla_pcore::ruby::inspect(this))),
    method("not_found", |run, this, a| host_method(run, this, "not_found", a)).when(is_rare),
    method("explain", |run, this, a| host_method(run, this, "explain", a)).when(is_rare),
    method("interpolate", |run, this, a| host_method(run, this, "interpolate", a)).when(is_rare),
    method("cache", |run, this, a| host_method(run, this, "cache", a)).when(is_rare),
    method("cache_all", |run, this, a| host_method(run, this, "cache_all", a)).when(is_rare),
    method("cache_has_key", |run, this, a| host_method(run, this, "cache_has_key", a))
        .when(is_rare),
    method("cached_value", |run, this, a| host_method(run, this, "cached_value", a)).when(is_rare),
    method("cached_entries", |run, this, a| host_method(run, this, "cached_entries", a))
        .when(is_rare),
    method("cached_file_data", |run, this, a| host_method(run, this, "cached_file_data", a))
        .when(is_rare),
    method("environment_name", |run, this, a| host_method(run, this, "environment_name", a))
        .when(is_rare),
    method("module_name", |run, this, a| host_method(run, this, "module_name", a)).when(is_rare),
];

/// Functions that methods of a function have besides those of `Kernel`.
pub(super) static FUNCTIONS: &[Builtin<Caller>] = &[
    method("call_function", call_function).when(is_in_function),
    method("closure_scope", |run, _, _| Ok(run.scope_value())).when(is_in_function),
    refused("loader", "the loader of a function").when(is_in_function),
];

fn is_rare(this: &Rc<Value>, _a: Args<'_>) -> bool {
    matches!(**this, Value::Rare(_))
}

fn unwrap(_run: &mut Run<'_>, this: &Rc<Value>, _a: Args<'_>) -> Eval {
    match &**this {
        Value::Sensitive(inner) => Ok(to_ruby(inner)),
        _ => Ok(RubyValue::Nil),
    }
}

/// Calls a method that the host implements.
fn host_method(run: &mut Run<'_>, this: &Rc<Value>, name: &str, a: Args<'_>) -> Eval {
    let values = run.all_to_puppet(a.items)?;
    run.acting();
    let result = match a.block {
        None => run.host.call_method(this, name, &values, None),
        Some(block) => {
            let mut call = host_block(run.vm, block);
            run.host.call_method(this, name, &values, Some(&mut call))
        }
    };
    match result {
        Some(result) => {
            let value = run.from_host(result)?;
            Ok(match name {
                "cached_value" | "cached_file_data" => run.vm.process.convert(&value),
                _ => to_ruby(&value),
            })
        }
        None => run.missing(&RubyValue::Puppet(Rc::clone(this)), name, a, false),
    }
}

fn is_in_function(caller: &Caller, _a: Args<'_>) -> bool {
    match caller.this() {
        RubyValue::Object(object) => object.class.is_a("Puppet::Functions::Function"),
        _ => false,
    }
}

fn call_function(run: &mut Run<'_>, _caller: &Caller, a: Args<'_>) -> Eval {
    let function = run.name_arg(&a.get(0))?;
    run.call_host(&function, a.items.get(1..).unwrap_or_default(), a)
}

impl Run<'_> {
    /// Asks the host to call a function.
    pub(crate) fn call_host(&mut self, name: &str, args: &[RubyValue], a: Args<'_>) -> Eval {
        let values = self.all_to_puppet(args)?;
        self.acting();
        let result = match a.block {
            None => self.host.call_function(name, values, None),
            Some(block) => {
                let mut call = host_block(self.vm, block);
                self.host.call_function(name, values, Some(&mut call))
            }
        };
        let value = self.from_host(result)?;
        Ok(to_ruby(&value))
    }

    pub(crate) fn all_to_puppet(&mut self, values: &[RubyValue]) -> Eval<Vec<Value>> {
        values.iter().map(|value| self.to_puppet(value)).collect()
    }

    /// Returns the object that Ruby code assigned to a variable: the object itself, not a copy.
    pub(crate) fn shared_value(&mut self, variable: &str) -> Option<RubyValue> {
        self.host.shared_value(variable)?.downcast_ref::<SharedValue>().map(|it| it.value.clone())
    }

    fn host_error(&mut self, stop: crate::run::Stop) -> HostError {
        let error = crate::template::error_of(self, stop);
        HostError { class: error.class, message: error.message, id: None }
    }
}

/// Wraps a block of Ruby code for the host.
fn host_block<'v>(
    vm: &'v mut Vm,
    block: &'v Rc<Proc>,
) -> impl FnMut(&mut dyn Host, Vec<Value>) -> Result<Value, HostError> + 'v {
    move |host, values| {
        let mut run = Run { vm, host };
        let values: Vec<RubyValue> = values.iter().map(to_ruby).collect();
        let result = run.call_block(block, Args::new(&values));
        let result = result.and_then(|value| run.to_puppet(&value));
        result.map_err(|stop| run.host_error(*stop))
    }
}
