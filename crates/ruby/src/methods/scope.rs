//! The scope of a manifest, and `self` of a template.

use std::rc::Rc;

use super::table::{Builtin, method, refused};
use super::tools::{list, text, yes};
use crate::class::{Data, Object, Special};
use crate::convert::to_ruby;
use crate::run::{Args, Eval, Run, SharedValue};
use crate::value::{Entries, Key, RubyValue};

/// The methods of the scope.
pub(super) static SCOPE: &[Builtin<()>] = &[
    method("[]", lookup_variable),
    method("lookupvar", lookup_variable),
    method("include?", is_set),
    method("exist?", is_bound),
    method("bound?", is_bound),
    method("to_hash", to_hash),
    method("setvar", set_variable),
    method("[]=", set_variable),
    method("call_function", call_function),
    method("findresource", |run, (), a| run.find_resource(a)),
    method("resource", |run, (), _| Ok(run.own_resource())),
    method("lookupdefaults", |run, (), a| run.defaults_of(a)),
    method("catalog", |run, (), _| Ok(run.special(Special::Catalog))),
    method("compiler", |run, (), _| Ok(run.special(Special::Compiler))),
    method("environment", |run, (), _| Ok(run.special(Special::Environment))),
    method("find_global_scope", global_scope),
    method("is_topscope?", |run, (), _| yes(run.host.is_top_scope())),
    refused("to_s", "the text of a scope"),
];

/// `find_global_scope`: the scope of a function of the new kind is the global one.
fn global_scope(run: &mut Run<'_>, (): &(), _a: Args<'_>) -> Eval {
    match run.host.is_top_scope() {
        true => Ok(run.scope_value()),
        false => run.unsupported("the global scope around another one"),
    }
}

/// Methods of all objects that the scope has; any other may be one of Puppet's.
pub(super) static SCOPE_INHERITS: &[&str] = &[
    "is_a?",
    "kind_of?",
    "respond_to?",
    "class",
    "nil?",
    "send",
    "==",
    "!",
    "!=",
    "equal?",
    "instance_of?",
    "public_send",
    "__send__",
    "method",
    "object_id",
    "frozen?",
    "dup",
    "instance_variable_get",
    "instance_variable_set",
    "instance_exec",
    "instance_eval",
    "extend",
    "tap",
    "itself",
    "===",
];

/// The methods of a template.
pub(super) static TEMPLATE: &[Builtin<()>] = &[
    method("scope", |run, (), _| Ok(run.scope_value())),
    method("has_variable?", has_variable),
    method("classes", |run, (), _| texts(run.host.classes())),
    method("all_tags", |run, (), _| texts(run.host.tags())),
    method("tags", |run, (), _| run.raise("NotImplementedError", "Call 'all_tags' instead.")),
    method("file", template_file),
    method("to_s", template_name),
];

/// `debug` and its kind, of the scope and of templates.
pub(super) static LOGGING: &[Builtin<()>] = &[
    method("debug", |run, (), a| run.log("debug", a)),
    method("info", |run, (), a| run.log("info", a)),
    method("notice", |run, (), a| run.log("notice", a)),
    method("warning", |run, (), a| run.log("warning", a)),
    method("err", |run, (), a| run.log("err", a)),
    method("alert", |run, (), a| run.log("alert", a)),
    method("emerg", |run, (), a| run.log("emerg", a)),
    method("crit", |run, (), a| run.log("crit", a)),
];

/// The methods of the compiler; those of the catalog come after them.
pub(super) static COMPILER: &[Builtin<()>] = &[
    method("topscope", global_scope),
    method("catalog", |run, (), _| Ok(run.special(Special::Catalog))),
    method("environment", |run, (), _| Ok(run.special(Special::Environment))),
];

/// The methods of the environment.
pub(super) static ENVIRONMENT: &[Builtin<()>] =
    &[method("to_s", environment_name), method("name", environment_name)];

/// The methods of the loader of functions.
pub(super) static AUTOLOADER: &[Builtin<()>] =
    &[method("loaded?", is_loaded), method("load", |_, (), _| yes(true))];

/// The methods of the object at the top of a file.
pub(super) static MAIN: &[Builtin<()>] =
    &[method("to_s", |_, (), _| text("main")), method("inspect", |_, (), _| text("main"))];

/// Strings as the result of a method.
pub(crate) fn texts(names: Vec<String>) -> Eval {
    list(names.into_iter().map(RubyValue::str).collect())
}

fn lookup_variable(run: &mut Run<'_>, (): &(), a: Args<'_>) -> Eval {
    let variable = match a.get(0) {
        RubyValue::Str(text) => text.to_text(),
        RubyValue::Sym(name) if name == "server_facts" => name,
        other => {
            let class = crate::show::class_name(&other);
            let shown = run.inspect(&other)?;
            return run.raise(
                "Puppet::ParseError",
                format!("Scope variable name {shown} is a {class}, not a string"),
            );
        }
    };
    if let Some(shared) = run.shared_value(&variable) {
        return Ok(shared);
    }
    let value = run.host.variable(&variable);
    Ok(run.from_host(value)?.map_or(RubyValue::Nil, |value| to_ruby(&value)))
}

fn is_set(run: &mut Run<'_>, (): &(), a: Args<'_>) -> Eval {
    let variable = run.name_arg(&a.get(0))?;
    yes(run.has_value(&variable))
}

fn is_bound(run: &mut Run<'_>, (): &(), a: Args<'_>) -> Eval {
    let variable = run.name_arg(&a.get(0))?;
    yes(matches!(run.host.variable(&variable), Ok(Some(_))))
}

fn has_variable(run: &mut Run<'_>, (): &(), a: Args<'_>) -> Eval {
    let variable = run.to_s(&a.get(0))?;
    yes(run.has_value(&variable))
}

fn to_hash(run: &mut Run<'_>, (): &(), _a: Args<'_>) -> Eval {
    let variables = run.host.variables().into_iter();
    let entries = variables.map(|(name, value)| (Key::str(&name), to_ruby(&value)));
    Ok(RubyValue::hash(entries.collect::<Entries>()))
}

fn set_variable(run: &mut Run<'_>, (): &(), a: Args<'_>) -> Eval {
    let variable = run.name_arg(&a.get(0))?;
    let value = a.get(1);
    let for_puppet = run.to_puppet(&value)?;
    let done = run.acting().set_variable(&variable, for_puppet);
    run.from_host(done)?;
    if matches!(value, RubyValue::Hash(_) | RubyValue::Array(_)) {
        let shared = Rc::new(SharedValue::new(value.clone(), &run.vm.roots));
        run.acting().share_value(&variable, shared);
    }
    Ok(value)
}

fn call_function(run: &mut Run<'_>, (): &(), a: Args<'_>) -> Eval {
    let function = run.name_arg(&a.get(0))?;
    // Puppet splats the second argument, whatever it is.
    let args = run.splat(&a.get(1))?;
    run.call_host(&function, &args, a)
}

fn template_file(run: &mut Run<'_>, (): &(), _a: Args<'_>) -> Eval {
    match run.vm.file.as_str() {
        "(erb)" => Ok(RubyValue::Nil),
        file => text(file),
    }
}

fn template_name(run: &mut Run<'_>, (): &(), _a: Args<'_>) -> Eval {
    match run.vm.file.as_str() {
        "(erb)" => text("template[inline]"),
        file => text(format!("template[{file}]")),
    }
}

fn environment_name(run: &mut Run<'_>, (): &(), _a: Args<'_>) -> Eval {
    match run.host.call_site().environment {
        Some(name) => text(name),
        None => run.unsupported("the environment"),
    }
}

fn is_loaded(run: &mut Run<'_>, (): &(), a: Args<'_>) -> Eval {
    let function = run.name_arg(&a.get(0))?;
    yes(run.host.has_function(&function))
}

impl Run<'_> {
    pub(crate) fn scope_value(&mut self) -> RubyValue {
        if let Some(scope) = &self.vm.scope {
            return scope.clone();
        }
        let class = self.class_named("Puppet::Parser::Scope");
        let scope = RubyValue::Object(Rc::new(Object::new(class, Data::Scope)));
        self.vm.scope = Some(scope.clone());
        scope
    }

    /// `scope.function_x([…])`
    pub(super) fn scope_function(&mut self, name: &str, function: &str, a: Args<'_>) -> Eval {
        if !self.host.has_function(function) {
            let scope = self.scope_value();
            return self.no_method(&scope, name, false);
        }
        let RubyValue::Array(list) = a.get(0) else {
            return self.argument_error("custom functions must be called with a single array that contains the arguments. For example, function_example([1]) instead of function_example(1)");
        };
        let args = list.items.borrow().clone();
        let args = self.all_to_puppet(&args)?;
        let result = self.acting().call_old_function(function, args);
        Ok(to_ruby(&self.from_host(result)?))
    }

    /// `instance_variables` in a template: those of Puppet's wrapper, the variables of the scope, and the template's own.
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

    pub(crate) fn special(&mut self, what: Special) -> RubyValue {
        let class = self.class_named("Puppet::Module");
        RubyValue::Object(Rc::new(Object::new(class, Data::Special(what))))
    }

    /// Writes a message to the log of the host.
    pub(crate) fn log(&mut self, level: &str, a: Args<'_>) -> Eval {
        let message = self.to_s(&a.get(0))?;
        self.acting().log(level, &message);
        Ok(RubyValue::Nil)
    }

    /// Returns whether a variable has a value other than `undef`.
    fn has_value(&mut self, variable: &str) -> bool {
        matches!(self.host.variable(variable), Ok(Some(value)) if !value.is_undef())
    }
}
