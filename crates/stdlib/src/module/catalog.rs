//! Functions that declare resources unless they exist, and functions that query resources.

use kukla_compiler::log::Level;
use kukla_compiler::{Call, Eval, Function, Signature};
use kukla_pcore::elements::flattened;
use kukla_pcore::{Hash, Type, Value, ruby};

use crate::fault::fault;

/// The functions of this file.
pub(super) const FUNCTIONS: &[Function] = &[
    Function::statement("assert_private", -1, assert_private),
    Function::statement("private", -1, private),
    Function::statement("ensure_resource", -1, ensure_resource),
    Function::statement("ensure_resources", -1, ensure_resources),
    Function::untyped("defined_with_params", -1, defined_with_params),
    Function::untyped("getparam", -1, getparam),
    Function::statement("pry", -1, |_| {
        crate::fault::wrong_arguments(
            "pry(): Requires the 'pry' rubygem to use, but it was not found",
        )
    }),
    Function::typed(
        "ensure_packages",
        &[Signature::returning(
            "Variant[String[1], Array[String[1]], Hash[String[1], Any]] packages, Hash default_attributes?",
            "Undef",
            ensure_packages,
        )],
    ),
    Function::typed(
        "stdlib::ensure_packages",
        &[
            Signature::returning(
                "Variant[String[1], Array[String[1]]] packages, Hash default_attributes?",
                "Undef",
                |call| {
                    let attributes = call.hash(1).cloned().unwrap_or_default();
                    for package in flatten(call.value(0)) {
                        ensure_package(call, &package, &attributes)?;
                    }
                    Ok(Value::Undef)
                },
            ),
            Signature::returning(
                "Hash[String[1], Any] packages, Hash default_attributes?",
                "Undef",
                |call| {
                    for (package, own) in call.hash(0).into_iter().flat_map(Hash::iter) {
                        let attributes = call.hash(1).cloned().unwrap_or_default();
                        ensure_package(call, package, &with(attributes, own)?)?;
                    }
                    Ok(Value::Undef)
                },
            ),
        ],
    ),
    Function::typed(
        "stdlib::str2resource",
        &[Signature::returning("String res_string", "Any", str2resource)],
    ),
];

/// Fails if the caller is in another module.
fn assert_private(call: &mut Call<'_>) -> Eval<Value> {
    let n = call.arguments().len();
    if n > 1 {
        return crate::fault::wrong_arguments(format!(
            "assert_private(): Wrong number of arguments given ({n}}}) for 0 or 1)"
        ));
    }
    if call.variable("module_name") == call.variable("caller_module_name") {
        return Ok(Value::Undef);
    }
    if let Some(message) = call.value(0).as_str().filter(|_| n == 1) {
        return fault(message);
    }
    // At the top it is the main class, which has no name.
    let (is_class, name) = call.definition().unwrap_or((true, "".into()));
    let kind = if is_class { "Class" } else { "Definition" };
    fault(format!("{kind} {name} is private"))
}

fn private(call: &mut Call<'_>) -> Eval<Value> {
    call.say_in_scope(
        Level::Warning,
        "private() DEPRECATED: This function will cease to function on Puppet 4; please use assert_private() before upgrading to puppet 4 for backwards-compatibility, or migrate to the new parser's typing system.",
    );
    assert_private(call)
}

fn ensure_resource(call: &mut Call<'_>) -> Eval<Value> {
    let type_ = required_argument(call, 0, "Must specify a type")?;
    let title = required_argument(call, 1, "Must specify a title")?;
    let parameters = call.arguments().get(2).filter(|value| value.is_truthy());
    let parameters = parameters.cloned().unwrap_or_else(|| Value::hash(Hash::new()));
    ensure(call, &type_, &title, &parameters)?;
    Ok(Value::Undef)
}

/// Declares resources of a type, except those that exist with the same parameters.
fn ensure(call: &mut Call<'_>, type_: &Value, titles: &Value, parameters: &Value) -> Eval<()> {
    let none = Hash::new();
    let expected = if let Value::Hash(expected) = parameters { expected } else { &none };
    let name = ruby::to_s(type_);
    for title in flatten(titles) {
        let title_text = ruby::to_s(&title);
        let reference = format!("{name}[{title_text}]");
        if parts(&reference).is_none() {
            no_reference(&reference)?;
        }
        if call.is_declared_with(&name, &title_text, expected) {
            continue;
        }
        match (type_, parameters) {
            (Value::String(_), Value::Hash(_)) => {
                let parameters = call.catalog_parameters(expected)?;
                call.declare(&capitalize(&name), &title, &parameters)?
            }
            (Value::String(_), other) => return fault(ruby::no_conversion(other, "Hash")),
            (other, _) => return fault(ruby::no_method("capitalize", other)),
        }
    }
    Ok(())
}

fn ensure_resources(call: &mut Call<'_>) -> Eval<Value> {
    let type_ = required_argument(call, 0, "Must specify a type")?;
    required_argument(call, 1, "Must specify a title")?;
    let defaults = call.hash(2).cloned().unwrap_or_default();
    let Some(resources) = call.hash(1) else {
        return crate::fault::wrong_arguments(
            "ensure_resources(): Requires second argument to be a Hash",
        );
    };
    ensure_all(call, &type_, resources, &defaults)
}

fn ensure_all(
    call: &mut Call<'_>,
    type_: &Value,
    resources: &Hash,
    defaults: &Hash,
) -> Eval<Value> {
    for (title, own) in resources.iter() {
        let parameters = match own.is_truthy() {
            true => with(defaults.clone(), own)?,
            false => defaults.clone(),
        };
        ensure(call, type_, title, &Value::hash(parameters))?;
    }
    Ok(Value::Undef)
}

fn ensure_packages(call: &mut Call<'_>) -> Eval<Value> {
    let ensure_key = Value::from("ensure");
    let mut defaults = Hash::new();
    defaults.insert(ensure_key.clone(), Value::from("installed"));
    for (name, value) in call.hash(1).into_iter().flat_map(Hash::iter) {
        defaults.insert(name.clone(), value.clone());
    }
    if defaults.get(&ensure_key).and_then(Value::as_str) == Some("present") {
        defaults.insert(ensure_key, Value::from("installed"));
    }
    let package = Value::from("package");
    match call.value(0) {
        Value::Hash(packages) => ensure_all(call, &package, packages, &defaults),
        packages => ensure(call, &package, packages, &Value::hash(defaults)).map(|()| Value::Undef),
    }
}

/// Declares a package as stdlib 9 does: `present` equals `installed`, so an existing declaration decides.
fn ensure_package(call: &mut Call<'_>, package: &Value, attributes: &Hash) -> Eval<()> {
    let ensure_key = Value::from("ensure");
    let means_present = |value: Option<&Value>| {
        matches!(value.and_then(Value::as_str), Some("present" | "installed"))
    };
    let mut defaults = Hash::new();
    defaults.insert(ensure_key.clone(), Value::from("installed"));
    let mut defaults = with(defaults, &Value::hash(attributes.clone()))?;
    if means_present(defaults.get(&ensure_key)) {
        let mut present = Hash::new();
        present.insert(ensure_key.clone(), Value::from("present"));
        let is_present = call.is_declared_with("package", &ruby::to_s(package), &present);
        let word = if is_present { "present" } else { "installed" };
        defaults.insert(ensure_key, Value::from(word));
    }
    ensure(call, &Value::from("package"), package, &Value::hash(defaults))
}

/// Returns `hash.merge(other)`.
fn with(mut hash: Hash, other: &Value) -> Eval<Hash> {
    let Value::Hash(other) = other else {
        return fault(ruby::no_conversion(other, "Hash"));
    };
    for (name, value) in other.iter() {
        hash.insert(name.clone(), value.clone());
    }
    Ok(hash)
}

fn defined_with_params(call: &mut Call<'_>) -> Eval<Value> {
    let reference = required_argument(call, 0, "Must specify a reference")?;
    let parameters = call.hash(1).cloned().unwrap_or_default();
    let (type_, title) = match &reference {
        Value::String(text) => match parts(text) {
            Some(parts) => parts,
            None => return no_reference(text),
        },
        Value::Type(type_) => match &**type_ {
            Type::Resource(resource) => {
                let part = |text: &Option<_>| text.as_ref().map(ToString::to_string);
                (
                    part(&resource.name).unwrap_or_default(),
                    part(&resource.title).unwrap_or_default(),
                )
            }
            Type::Class(name) => ("Class".to_owned(), name.as_deref().unwrap_or("").to_owned()),
            _ => return not_understood(&reference),
        },
        other => return not_understood(other),
    };
    Ok(Value::Boolean(call.is_declared_with(&type_, &title, &parameters)))
}

fn no_reference(text: &str) -> Eval<Value> {
    let inspected = ruby::inspect(&Value::from(text));
    fault(format!("No title provided and {inspected} is not a valid resource reference"))
}

fn not_understood(reference: &Value) -> Eval<Value> {
    fault(format!("Reference is not understood: '{}'", ruby::class_name(reference)))
}

fn getparam(call: &mut Call<'_>) -> Eval<Value> {
    let reference = required_argument(call, 0, "Must specify a reference")?;
    let Some(name) = call.value(1).as_str().filter(|_| call.arguments().len() > 1) else {
        return fault("Must specify name of a parameter");
    };
    let value = parts(&ruby::to_s(&reference))
        .and_then(|(type_, title)| call.resource_parameter(&type_, &title, name));
    Ok(value.filter(|value| !value.is_undef()).unwrap_or_else(|| Value::from("")))
}

fn str2resource(call: &mut Call<'_>) -> Eval<Value> {
    let text = call.string(0);
    let Some((type_, title)) = parts(text) else {
        return no_reference(text);
    };
    match call.is_declared(&type_, &title) {
        true => call.parse_type(&format!("{type_}['{title}']")).map(Value::type_),
        false => fault(format!(
            "stdlib::str2resource(): could not find {text}, this is parse order dependent and values should not be quoted"
        )),
    }
}

/// Returns a required argument.
fn required_argument(call: &Call<'_>, n: usize, otherwise: &str) -> Eval<Value> {
    match call.arguments().get(n) {
        Some(value) if value.is_truthy() => Ok(value.clone()),
        _ => fault(otherwise),
    }
}

/// Returns the type and title of `File[/tmp]`.
fn parts(text: &str) -> Option<(String, String)> {
    let (type_, title) = text.strip_suffix(']')?.split_once('[')?;
    let is_sound = !type_.is_empty() && !type_.contains(']') && !title.is_empty();
    is_sound.then(|| (type_.to_owned(), title.to_owned()))
}

fn flatten(value: &Value) -> Vec<Value> {
    flattened(std::slice::from_ref(value))
}

/// Capitalizes as Ruby's `capitalize` does, which is enough: types are compared without case.
fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        None => String::new(),
        Some(first) => first.to_uppercase().chain(letters.flat_map(char::to_lowercase)).collect(),
    }
}
