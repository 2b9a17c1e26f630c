//! Class methods of Puppet's modules and classes.

use std::rc::Rc;
use std::sync::Arc;

use crate::class::{Class, Data, Special};
use crate::methods::table::{Builtin, method};
use crate::methods::tools::{list, text};
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;
use ecow::EcoString;
use kukla_pcore::Value;
use kukla_rubytext::{uri, versioncmp};

/// The methods of `Puppet`.
pub(crate) static PUPPET: &[Builtin<Rc<Class>>] = &[
    method("debug", |run, _, a| run.log("debug", a)),
    method("info", |run, _, a| run.log("info", a)),
    method("notice", |run, _, a| run.log("notice", a)),
    method("warning", |run, _, a| run.log("warning", a)),
    method("err", |run, _, a| run.log("err", a)),
    method("alert", |run, _, a| run.log("alert", a)),
    method("emerg", |run, _, a| run.log("emerg", a)),
    method("crit", |run, _, a| run.log("crit", a)),
    method("deprecation_warning", |run, _, a| run.log("warning", a)),
    method("warn_once", warn_once),
    method("version", |_, _, _| text(kukla_base::Editions::current().puppet.version())),
    method("[]", |run, _, a| run.setting(a)),
    method("settings", |run, _, _| Ok(run.special(Special::Settings))),
];

/// The methods of `Puppet.settings`; any other needs a real Ruby.
pub(crate) static SETTINGS: &[Builtin<()>] = &[
    method("[]", |run, (), a| run.setting(a)),
    method("value", |run, (), a| run.setting(a)).when(|(), a| a.len() == 1),
];

/// The methods of `Puppet::Util`.
pub(crate) static UTIL: &[Builtin<Rc<Class>>] = &[
    method("absolute_path?", is_absolute),
    method("uri_encode", encode_uri),
    method("uri_query_encode", encode_uri),
    method("deterministic_rand_int", |run, _, a| run.seeded_number(a)).arity(2, 2),
    method("deterministic_rand", |run, _, a| {
        let number = run.seeded_number(a)?;
        text(run.to_s(&number)?)
    })
    .arity(2, 2),
];

/// The methods of `Puppet::Util::Package`.
pub(crate) static PACKAGE: &[Builtin<Rc<Class>>] = &[method("versioncmp", compare_versions)];

/// The methods of `Puppet::Pops::PuppetStack`.
pub(crate) static STACK: &[Builtin<Rc<Class>>] = &[
    method("stacktrace", |run, _, _| list(stack(run).collect())),
    method("top_of_stack", top_of_stack),
];

/// The methods of `Puppet::Pops::Lookup::HieraConfig`.
pub(crate) static HIERA_CONFIG: &[Builtin<Rc<Class>>] =
    &[method("symkeys_to_string", |run, _, a| run.with_text_keys(&a.get(0)))];

/// The methods of `Puppet::Parser::Functions`.
pub(crate) static FUNCTIONS: &[Builtin<Rc<Class>>] = &[
    method("newfunction", |run, _, a| run.new_function(a)),
    method("function", function),
    method("autoloader", |run, _, _| Ok(run.special(Special::Autoloader))),
];

/// The methods of `Puppet::Parser::Files`.
pub(crate) static FILES: &[Builtin<Rc<Class>>] = &[
    method("find_template", |run, _, a| find_file(run, "templates", a)),
    method("find_file", |run, _, a| find_file(run, "files", a)),
];

/// The methods of `Puppet::Functions`.
pub(crate) static NEW_FUNCTIONS: &[Builtin<Rc<Class>>] =
    &[method("create_function", |run, _, a| run.create_function(a))];

/// The methods of `Puppet::DataTypes`.
pub(crate) static DATA_TYPES: &[Builtin<Rc<Class>>] =
    &[method("create_type", |run, _, a| run.create_type(a))];

/// The methods of `Puppet::Module` itself.
pub(crate) static MODULES: &[Builtin<Rc<Class>>] = &[method("find", find_module).arity(1, 2)];

/// The methods of a module.
pub(crate) static MODULE: &[Builtin<Rc<(EcoString, String)>>] = &[
    method("name", |_, this, _| text(this.0.clone())),
    method("path", |_, this, _| text(this.1.as_str())),
    method("to_s", |_, this, _| text(format!("Module {}({})", this.0, this.1))),
];

/// The methods of `Binary`.
pub(crate) static BINARY: &[Builtin<Rc<Class>>] = &[method("from_binary_string", |run, _, a| {
    let bytes = run.bytes_arg(&a.get(0))?;
    Ok(RubyValue::Puppet(Rc::new(Value::Binary(bytes.to_vec().into()))))
})
.arity(1, 1)];

/// `Puppet::Module.find(name)`; another environment than that of the compilation needs a real Ruby.
fn find_module(run: &mut Run<'_>, this: &Rc<Class>, a: Args<'_>) -> Eval {
    let name = run.text_arg(&a.get(0))?;
    let environment = run.host.call_site().environment;
    if let Some(other) = a.items.get(1).filter(|other| !other.is_nil()) {
        let other = run.to_s(other)?;
        if Some(other.as_str()) != environment.as_deref() {
            return run.unsupported("modules of another environment");
        }
    }
    Ok(match run.host.module_directory(&name) {
        Some(directory) => {
            let data = Data::Module(Rc::new((name, directory)));
            RubyValue::Object(run.new_object(this, data))
        }
        None => RubyValue::Nil,
    })
}

/// The methods of `Sensitive`.
pub(crate) static SENSITIVE: &[Builtin<Rc<Class>>] = &[method("new", sensitive)];

fn warn_once(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    if a.len() != 3 {
        return run.unsupported("Puppet.warn_once with a place");
    }
    let (key, message) = (run.to_s(&a.get(1))?, run.to_s(&a.get(2))?);
    run.acting().warn_once(&key, &message);
    Ok(RubyValue::Nil)
}

fn is_absolute(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let path = a.get(0);
    let RubyValue::Str(path) = &path else {
        let (display, class) = (run.to_s(&path)?, crate::show::class_name(&path));
        run.acting().log(
            "warning",
            &format!(
                "Cannot check if {display} is an absolute path because it is a '{class}' and not a String'"
            ),
        );
        return Ok(RubyValue::Bool(false));
    };
    let path = path.text.borrow();
    let is_windows = a.get(1).as_name().is_some_and(|platform| platform == "windows");
    let is_absolute = if is_windows { is_windows_path(&path) } else { path.starts_with('/') };
    Ok(RubyValue::Bool(is_absolute))
}

fn encode_uri(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let source = run.text_arg(&a.get(0))?;
    text(uri::escape(&source))
}

fn compare_versions(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let (left, right) = (run.to_s(&a.get(0))?, run.to_s(&a.get(1))?);
    let order = versioncmp::versioncmp(&left, &right, a.get(2).truthy());
    Ok(RubyValue::Int(order as i64))
}

/// Returns file and line of each active call, innermost first.
fn stack(run: &mut Run<'_>) -> impl Iterator<Item = RubyValue> + use<> {
    run.host.stack().into_iter().map(|(file, line)| {
        RubyValue::array(vec![RubyValue::str(file), RubyValue::Int(i64::from(line))])
    })
}

fn top_of_stack(run: &mut Run<'_>, _this: &Rc<Class>, _a: Args<'_>) -> Eval {
    let top = stack(run).next();
    Ok(top.unwrap_or_else(|| RubyValue::array(Vec::new())))
}

/// Returns the name of the scope's method that calls a function; `false` if there is no such function.
fn function(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let name = run.name_arg(&a.get(0))?;
    Ok(match run.host.has_function(&name) {
        true => RubyValue::Sym(ecow::eco_format!("function_{name}")),
        false => RubyValue::Bool(false),
    })
}

fn find_file(run: &mut Run<'_>, folder: &str, a: Args<'_>) -> Eval {
    let reference = run.to_s(&a.get(0))?;
    let path = run.host.find_file(folder, &reference);
    Ok(path.map_or(RubyValue::Nil, RubyValue::str))
}

fn sensitive(run: &mut Run<'_>, _this: &Rc<Class>, a: Args<'_>) -> Eval {
    let value = run.to_puppet(&a.get(0))?;
    Ok(RubyValue::Puppet(Rc::new(Value::Sensitive(Arc::new(value)))))
}

fn is_windows_path(path: &str) -> bool {
    let bytes = path.as_bytes();
    matches!(bytes, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
        || (bytes.len() > 2
            && matches!(bytes, [b'\\' | b'/', b'\\' | b'/', next, ..] if !matches!(next, b'\\' | b'/')))
}
