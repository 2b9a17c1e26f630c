//! Puppet's values, its scope, and what functions and templates call without a receiver.

use std::rc::Rc;

use kukla_pcore::Value;

use crate::class::{Data, Object};
use crate::convert::to_ruby;
use crate::run::{Args, Eval, Run, Vm};
use crate::value::{Entries, Key, Proc, RubyValue};
use kukla_foreign::{Host, HostError};

type Found = Eval<Option<RubyValue>>;

impl Run<'_> {
    pub(crate) fn puppet_method(&mut self, this: &Rc<Value>, name: &str, a: Args<'_>) -> Found {
        Ok(match (&**this, name) {
            (
                Value::Rare(_),
                "not_found" | "explain" | "interpolate" | "cache" | "cache_all" | "cache_has_key"
                | "cached_value" | "cached_entries" | "cached_file_data" | "environment_name"
                | "module_name",
            ) => return self.host_method(this, name, a),
            (Value::Sensitive(inner), "unwrap") => Some(to_ruby(inner)),
            (_, "to_s") => Some(RubyValue::str(kukla_pcore::ruby::to_s(this))),
            (_, "inspect") => Some(RubyValue::str(kukla_pcore::ruby::inspect(this))),
            _ => None,
        })
    }

    /// A method of a value that the host knows.
    fn host_method(&mut self, this: &Value, name: &str, a: Args<'_>) -> Found {
        let values = self.all_to_puppet(a.items)?;
        self.acting();
        let result = match a.block {
            None => self.host.call_method(this, name, &values, None),
            Some(block) => {
                let mut call = host_block(self.vm, block);
                self.host.call_method(this, name, &values, Some(&mut call))
            }
        };
        match result {
            Some(result) => Ok(Some(to_ruby(&self.from_host(result)?))),
            None => Ok(None),
        }
    }

    pub(crate) fn scope_value(&mut self) -> RubyValue {
        if let Some(scope) = &self.vm.scope {
            return scope.clone();
        }
        let class = self.class_named("Puppet::Parser::Scope");
        let scope = RubyValue::Object(Rc::new(Object::new(class, Data::Scope)));
        self.vm.scope = Some(scope.clone());
        scope
    }

    /// Functions that templates and functions have besides those of `Kernel`.
    pub(crate) fn puppet_function(&mut self, this: &RubyValue, name: &str, a: Args<'_>) -> Found {
        let is_function = || match this {
            RubyValue::Object(object) => object.class.is_a("Puppet::Functions::Function"),
            _ => false,
        };
        match name {
            "call_function" if is_function() => {
                let function = self.name_arg(&a.get(0))?;
                self.call_host(&function, a.items.get(1..).unwrap_or_default(), a).map(Some)
            }
            "closure_scope" if is_function() => Ok(Some(self.scope_value())),
            "loader" if is_function() => self.unsupported("the loader of a function"),
            _ => Ok(None),
        }
    }

    /// `instance_variables` in a template: what Puppet keeps there itself, the variables of the scope, and its own.
    pub(crate) fn template_variables(&mut self, template: &Object) -> RubyValue {
        let word = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
        let mut names = vec![ecow::EcoString::from("@__scope__")];
        if self.vm.file != "(erb)" {
            names.push("@__file__".into());
        }
        let all = self.host.variables();
        names.extend(all.iter().map(|(name, _)| {
            std::iter::once('@').chain(name.chars().map(word)).collect::<ecow::EcoString>()
        }));
        for own in template.ivars.borrow().keys() {
            if !names.contains(own) {
                names.push(own.clone());
            }
        }
        RubyValue::array(names.into_iter().map(RubyValue::Sym).collect())
    }

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

    /// A value that Ruby code gave to a variable, the thing itself.
    pub(crate) fn kept(&mut self, variable: &str) -> Option<RubyValue> {
        self.host.kept(variable)?.downcast_ref::<RubyValue>().cloned()
    }

    fn host_error(&mut self, stop: crate::run::Stop) -> HostError {
        let error = crate::template::error_of(self, stop);
        HostError { class: error.class, message: error.message, id: None }
    }

    #[expect(clippy::too_many_lines, reason = "a table of names")]
    pub(crate) fn scope_method(&mut self, name: &str, a: Args<'_>) -> Found {
        if let Some(function) = name.strip_prefix("function_") {
            if !self.host.has_function(function) {
                let scope = self.scope_value();
                return self.no_method(&scope, name, false);
            }
            let RubyValue::Array(list) = a.get(0) else {
                return self.argument_error("custom functions must be called with a single array that contains the arguments. For example, function_example([1]) instead of function_example(1)");
            };
            let args = list.items.borrow().clone();
            let args = self.all_to_puppet(&args)?;
            self.acting();
            let result = self.host.call_old_function(function, args);
            return Ok(Some(to_ruby(&self.from_host(result)?)));
        }
        Ok(Some(match name {
            "[]" | "lookupvar" => {
                let variable = match a.get(0) {
                    RubyValue::Str(text) => text.text.borrow().clone(),
                    RubyValue::Sym(name) if name == "server_facts" => name,
                    other => {
                        let class = crate::show::class_name(&other);
                        let shown = self.inspect(&other)?;
                        return self.raise(
                            "Puppet::ParseError",
                            format!("Scope variable name {shown} is a {class}, not a string"),
                        );
                    }
                };
                if let Some(kept) = self.kept(&variable) {
                    return Ok(Some(kept));
                }
                let value = self.host.variable(&variable);
                self.from_host(value)?.map_or(RubyValue::Nil, |value| to_ruby(&value))
            }
            "include?" => {
                let variable = self.name_arg(&a.get(0))?;
                let value = self.host.variable(&variable);
                RubyValue::Bool(matches!(value, Ok(Some(value)) if !value.is_undef()))
            }
            "exist?" | "bound?" => {
                let variable = self.name_arg(&a.get(0))?;
                RubyValue::Bool(matches!(self.host.variable(&variable), Ok(Some(_))))
            }
            "to_hash" => {
                let all = self.host.variables();
                RubyValue::hash(
                    all.into_iter()
                        .map(|(name, value)| (Key::str(&name), to_ruby(&value)))
                        .collect::<Entries>(),
                )
            }
            "setvar" | "[]=" => {
                let variable = self.name_arg(&a.get(0))?;
                let given = self.to_puppet(&a.get(1))?;
                let done = self.acting().set_variable(&variable, given);
                self.from_host(done)?;
                let value = a.get(1);
                if matches!(value, RubyValue::Hash(_) | RubyValue::Array(_)) {
                    self.vm.outlived_by.push(value.clone());
                    self.acting().keep(&variable, Rc::new(value.clone()));
                }
                value
            }
            "call_function" => {
                let function = self.name_arg(&a.get(0))?;
                // Puppet passes on what it was given as `*args`, whatever it is.
                let args = self.splat(&a.get(1))?;
                self.call_host(&function, &args, a)?
            }
            "debug" | "info" | "notice" | "warning" | "err" | "alert" | "emerg" | "crit" => {
                let message = self.to_s(&a.get(0))?;
                self.acting().log(name, &message);
                RubyValue::Nil
            }
            "to_s" => return self.unsupported("the text of a scope"),
            "findresource" => return self.catalog_method(name, a),
            "resource" => self.own_resource(),
            "lookupdefaults" => self.defaults_of(a)?,
            "catalog" => self.special("catalog"),
            "compiler" => self.special("compiler"),
            "environment" => self.special("environment"),
            "is_a?"
            | "kind_of?"
            | "respond_to?"
            | "class"
            | "nil?"
            | "send"
            | "=="
            | "!"
            | "!="
            | "equal?"
            | "instance_of?"
            | "public_send"
            | "__send__"
            | "method"
            | "object_id"
            | "frozen?"
            | "dup"
            | "instance_variable_get"
            | "instance_variable_set"
            | "instance_exec"
            | "instance_eval"
            | "extend"
            | "tap"
            | "itself"
            | "===" => return Ok(None),
            _ => return self.unsupported(format!("method {name} of the scope")),
        }))
    }

    fn special(&mut self, what: &'static str) -> RubyValue {
        let class = self.class_named("Puppet::Module");
        RubyValue::Object(Rc::new(Object::new(class, Data::Special(what))))
    }

    pub(crate) fn special_method(&mut self, what: &'static str, name: &str, a: Args<'_>) -> Found {
        let list =
            |names: Vec<String>| RubyValue::array(names.into_iter().map(RubyValue::str).collect());
        Ok(Some(match (what, name) {
            ("template", "scope") => self.scope_value(),
            ("template", "has_variable?") => {
                let asked = self.to_s(&a.get(0))?;
                let value = self.host.variable(&asked);
                RubyValue::Bool(matches!(value, Ok(Some(value)) if !value.is_undef()))
            }
            ("template", "classes") | ("catalog", "classes") => list(self.host.classes()),
            ("template", "all_tags") | ("catalog", "tags") => list(self.host.tags()),
            ("template", "tags") => {
                return self.raise("NotImplementedError", "Call 'all_tags' instead.");
            }
            ("template", "file") => match self.vm.file.as_str() {
                "(erb)" => RubyValue::Nil,
                file => RubyValue::str(file),
            },
            ("template", "to_s") => RubyValue::str(match self.vm.file.as_str() {
                "(erb)" => "template[inline]".to_owned(),
                file => format!("template[{file}]"),
            }),
            (
                "template",
                "debug" | "info" | "notice" | "warning" | "err" | "alert" | "emerg" | "crit",
            ) => {
                let message = self.to_s(&a.get(0))?;
                self.acting().log(name, &message);
                RubyValue::Nil
            }
            ("autoloader", "loaded?") => {
                let asked = self.name_arg(&a.get(0))?;
                RubyValue::Bool(self.host.has_function(&asked))
            }
            ("autoloader", "load") => RubyValue::Bool(true),
            ("compiler", "catalog") => self.special("catalog"),
            ("compiler", "environment") => self.special("environment"),
            ("environment", "to_s" | "name") => match self.host.fact("environment") {
                Some(name) => RubyValue::str(name),
                None => return self.unsupported("the environment"),
            },
            ("main", "to_s" | "inspect") => RubyValue::str("main"),
            ("dispatch", _) => return self.dispatch_method(name, a),
            ("compiler", "findresource" | "resources")
            | (
                "catalog",
                "resource" | "resources" | "resource_refs" | "resource_keys" | "findresource",
            ) => return self.catalog_method(name, a),
            ("catalog" | "compiler" | "environment" | "autoloader", _) => {
                return self.unsupported(format!("method {name} of the {what}"));
            }
            _ => return Ok(None),
        }))
    }
}

/// A block of Ruby's as the host calls it.
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
