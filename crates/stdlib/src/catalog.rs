//! Functions that need a catalog: classes, resources and tags.
//!
//! They check their arguments as Puppet does; what comes after that is not there yet.

use kukla_compiler::{Call, Eval, Function, Signature, fault};
use kukla_pcore::{Type, Value, types};

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::typed("include", &[Signature::new("Any +names", classes)]),
    Function::typed("require", &[Signature::new("Any +names", classes)]),
    Function::typed("contain", &[Signature::new("Any +names", classes)]),
    Function::statement("realize", -2, |call| unavailable(call)),
    Function::statement("create_resources", -3, create_resources),
    Function::statement("tag", -2, |call| unavailable(call)),
    Function::untyped("tagged", -2, |call| unavailable(call)),
    Function::typed(
        "defined",
        &[Signature::new(
            "Variant[String, Type[CatalogEntry], Type[Type[CatalogEntry]]] +vals",
            defined,
        )],
    ),
];

/// What a function says that needs more than there is.
pub(crate) fn unavailable<T>(call: &Call<'_>) -> Eval<T> {
    fault(format!("{}() is not available without a catalog", call.name()))
}

fn classes(call: &mut Call<'_>) -> Eval<Value> {
    let names = class_names(call.arguments())?;
    if names.is_empty() {
        return Ok(Value::array([]));
    }
    unavailable(call)
}

/// The names of classes, absolute and in small letters.
fn class_names(values: &[Value]) -> Eval<Vec<String>> {
    let mut names = Vec::new();
    for value in values {
        let name = match value {
            Value::Array(inner) => {
                names.extend(class_names(inner)?);
                continue;
            }
            Value::Undef => return fault("Cannot use undef as a class name"),
            Value::String(name) if name.is_empty() => {
                return fault("Cannot use empty string as a class name");
            }
            Value::String(name) => name.to_string(),
            Value::Type(type_) => class_name(type_)?,
            _ => return no_class_name(),
        };
        let absolute = if name.starts_with(':') { name } else { format!("::{name}") };
        names.push(absolute.to_lowercase());
    }
    Ok(names)
}

fn class_name(type_: &Type) -> Eval<String> {
    match type_ {
        Type::Class(Some(name)) => Ok(name.to_string()),
        Type::Class(None) => fault("Cannot use an unspecific Class[] Type"),
        Type::Resource(resource) => match (&resource.name, &resource.title) {
            (None, _) => fault(
                "Cannot use an unspecific Resource[] where a Resource['class', name] is expected",
            ),
            (Some(name), Some(title)) if name.eq_ignore_ascii_case("class") => {
                Ok(title.to_string())
            }
            (Some(name), _) => fault(format!(
                "Cannot use a Resource['{name}'] where a Resource['class', name] is expected"
            )),
        },
        _ => no_class_name(),
    }
}

/// Puppet does not think of other values.
fn no_class_name<T>() -> Eval<T> {
    fault("undefined method `downcase' for nil:NilClass\n\n      end.downcase\n         ^^^^^^^^^")
}

fn create_resources(call: &mut Call<'_>) -> Eval<Value> {
    let n = call.arguments().len();
    if n > 3 {
        return fault(format!(
            "create_resources(): wrong number of arguments ({n}; must be 2 or 3)"
        ));
    }
    let Some(resources) = call.hash(1) else {
        return fault("create_resources(): second argument must be a hash");
    };
    if n == 3 && call.hash(2).is_none() {
        return fault("create_resources(): third argument, if provided, must be a hash");
    }
    if resources.is_empty() {
        return Ok(Value::Undef);
    }
    unavailable(call)
}

fn defined(call: &mut Call<'_>) -> Eval<Value> {
    for value in call.arguments() {
        let is_defined = match value {
            Value::String(name) => is_name_defined(call, name),
            Value::Type(type_) => is_type_defined(call, type_)?,
            _ => false,
        };
        if is_defined {
            return Ok(Value::Boolean(true));
        }
    }
    Ok(Value::Boolean(false))
}

fn is_name_defined(call: &Call<'_>, name: &str) -> bool {
    match name.strip_prefix('$') {
        Some(variable) if !variable.is_empty() => call.variable(variable).is_some(),
        _ => match name {
            "" => false,
            "main" => true,
            _ => is_resource_type(name),
        },
    }
}

fn is_type_defined(call: &Call<'_>, type_: &Type) -> Eval<bool> {
    match type_ {
        Type::Resource(resource) => match (&resource.name, &resource.title) {
            (None, _) => fault("The given resource type is a reference to all kind of types"),
            (Some(name), None) => Ok(is_resource_type(name)),
            (Some(_), Some(_)) => unavailable(call),
        },
        Type::Class(None) => fault("The given class type is a reference to all classes"),
        Type::Class(Some(_)) => unavailable(call),
        Type::Type(Some(inner)) => match &**inner {
            Type::Resource(_) => is_type_defined(call, inner),
            Type::Class(None) => fault("The given class type is a reference to all classes"),
            Type::Class(Some(_)) => unavailable(call),
            _ => Ok(false),
        },
        _ => Ok(false),
    }
}

/// Whether Puppet itself has resources of a type.
fn is_resource_type(name: &str) -> bool {
    matches!(
        types::named(name),
        Some(Type::Resource(resource)) if resource.name.is_some()
    ) || RESOURCE_TYPES.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The types of resources that are built in.
const RESOURCE_TYPES: &[&str] = &[
    "component",
    "exec",
    "file",
    "filebucket",
    "group",
    "notify",
    "package",
    "resources",
    "schedule",
    "service",
    "stage",
    "tidy",
    "user",
    "whit",
];
