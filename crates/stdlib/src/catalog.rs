//! Functions that change or query the catalog: classes, resources and tags.

use ecow::EcoString;
use kukla_compiler::{Call, Eval, Function, Signature, issues};
use kukla_pcore::{Hash, Type, Value, data};
use kukla_rubytext::json::{self, Style};

use crate::fault::{failed, fault};

/// The functions of this file.
pub(crate) const FUNCTIONS: &[Function] = &[
    Function::typed(
        "include",
        &[Signature::new("Any +names", |call| classes(call, |call, names| call.include(names)))],
    ),
    Function::typed(
        "require",
        &[Signature::new("Any +names", |call| classes(call, |call, names| call.require(names)))],
    ),
    Function::typed(
        "contain",
        &[Signature::new("Any +names", |call| classes(call, |call, names| call.contain(names)))],
    ),
    Function::statement("realize", -2, realize),
    Function::statement("create_resources", -3, create_resources),
    Function::statement("tag", -2, tag),
    Function::untyped("tagged", -2, tagged),
    Function::typed(
        "puppetdb_query",
        &[
            Signature::new("String pql", |call| {
                let query = call.string(0).to_owned();
                puppetdb_query(call, &query)
            }),
            Signature::new("Array[Data] ast", |call| {
                let query = json::generate(&data::plain(call.value(0)), &Style::compact());
                let query = query.map_err(|error| failed(error.message))?;
                puppetdb_query(call, &query)
            }),
        ],
    ),
    Function::typed(
        "defined",
        &[Signature::new(
            "Variant[String, Type[CatalogEntry], Type[Type[CatalogEntry]]] +vals",
            defined,
        )],
    ),
];

/// Fails because a function needs a catalog.
pub(crate) fn unavailable<T>(call: &Call<'_>) -> Eval<T> {
    kukla_compiler::fault(issues::needs_catalog(call.name()))
}

/// Runs `what` with classes, and returns references to them.
fn classes(call: &mut Call<'_>, what: fn(&mut Call<'_>, &[EcoString]) -> Eval<()>) -> Eval<Value> {
    let names = class_names(call.arguments())?;
    what(call, &names)?;
    let reference = |name: &EcoString| {
        let name = name.strip_prefix("::").unwrap_or(name);
        Value::type_(Type::Class(Some(name.into())))
    };
    Ok(Value::array(names.iter().map(reference)))
}

/// Returns the rows of a query as hashes.
fn puppetdb_query(call: &mut Call<'_>, query: &str) -> Eval<Value> {
    let rows = call.query_store(query)?;
    json::parse(&rows).and_then(data::value).map_err(|error| failed(error.message))
}

fn realize(call: &mut Call<'_>) -> Eval<Value> {
    call.realize(call.arguments());
    Ok(Value::Undef)
}

fn tag(call: &mut Call<'_>) -> Eval<Value> {
    call.tag(call.arguments())?;
    Ok(Value::Undef)
}

fn tagged(call: &mut Call<'_>) -> Eval<Value> {
    Ok(Value::Boolean(call.arguments().iter().all(|tag| call.is_tagged(tag))))
}

/// Returns the names of classes, absolute and in lower case.
fn class_names(values: &[Value]) -> Eval<Vec<EcoString>> {
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
            Value::String(name) => name.clone(),
            Value::Type(type_) => class_name(type_)?,
            _ => return no_class_name(),
        };
        names.push(absolute(&name));
    }
    Ok(names)
}

/// Returns a name in lower case, with colons before it.
fn absolute(name: &str) -> EcoString {
    let mut absolute = EcoString::with_capacity(name.len() + 2);
    if !name.starts_with(':') {
        absolute.push_str("::");
    }
    match name.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        true => absolute.push_str(name),
        false => absolute.push_str(&name.to_lowercase()),
    }
    absolute
}

fn class_name(type_: &Type) -> Eval<EcoString> {
    match type_ {
        Type::Class(Some(name)) => Ok(name.clone()),
        Type::Class(None) => fault("Cannot use an unspecific Class[] Type"),
        Type::Resource(resource) => match (&resource.name, &resource.title) {
            (None, _) => fault(
                "Cannot use an unspecific Resource[] where a Resource['class', name] is expected",
            ),
            (Some(name), Some(title)) if name.eq_ignore_ascii_case("class") => Ok(title.clone()),
            (Some(name), _) => fault(format!(
                "Cannot use a Resource[{name}] where a Resource['class', name] is expected"
            )),
        },
        _ => no_class_name(),
    }
}

/// Fails as Puppet does for values that it does not expect.
fn no_class_name<T>() -> Eval<T> {
    fault("undefined method `downcase' for nil:NilClass\n\n      end.downcase\n         ^^^^^^^^^")
}

fn create_resources(call: &mut Call<'_>) -> Eval<Value> {
    let n = call.arguments().len();
    if n > 3 {
        return crate::fault::wrong_arguments(format!(
            "create_resources(): wrong number of arguments ({n}; must be 2 or 3)"
        ));
    }
    let Some(resources) = call.hash(1) else {
        return crate::fault::wrong_arguments("create_resources(): second argument must be a hash");
    };
    if n == 3 && call.hash(2).is_none() {
        return fault("create_resources(): third argument, if provided, must be a hash");
    }
    let Value::String(type_) = call.value(0) else {
        return fault(kukla_pcore::ruby::no_method("sub", call.value(0)));
    };
    if type_.starts_with('@') && type_.trim_start_matches('@').eq_ignore_ascii_case("class") {
        return call.virtual_class();
    }
    let defaults = match call.hash(2).cloned() {
        // All resources share the same arrays, as in Puppet.
        Some(defaults) => call.catalog_parameters(&defaults)?,
        None => Hash::default(),
    };
    for (title, parameters) in resources.iter() {
        let merged = merged(call, &defaults, parameters)?;
        for title in titles(title) {
            call.declare(type_, &title, &merged)?;
        }
    }
    Ok(Value::Undef)
}

fn titles(title: &Value) -> Vec<Value> {
    match title {
        Value::Array(titles) => titles.iter().cloned().collect(),
        title => vec![title.clone()],
    }
}

/// Returns the defaults with the parameters of one resource.
fn merged(call: &mut Call<'_>, defaults: &Hash, parameters: &Value) -> Eval<Hash> {
    match parameters {
        Value::Hash(parameters) => {
            let own = call.catalog_parameters(parameters)?;
            if defaults.is_empty() {
                return Ok(own);
            }
            let mut all = defaults.clone();
            for (name, value) in own.iter() {
                all.insert(name.clone(), value.clone());
            }
            Ok(all)
        }
        other => {
            let message = kukla_pcore::ruby::no_implicit_conversion(other);
            fault(message.replace("into String", "into Hash"))
        }
    }
}

fn defined(call: &mut Call<'_>) -> Eval<Value> {
    for value in call.arguments() {
        let is_defined = match value {
            Value::String(name) => is_name_defined(call, name)?,
            Value::Type(type_) => is_type_defined(call, type_)?,
            _ => false,
        };
        if is_defined {
            return Ok(Value::Boolean(true));
        }
    }
    Ok(Value::Boolean(false))
}

fn is_name_defined(call: &mut Call<'_>, name: &str) -> Eval<bool> {
    match name.strip_prefix('$') {
        Some(variable) if !variable.is_empty() => is_variable_defined(call, variable),
        _ => match name {
            "" => Ok(false),
            "main" => Ok(true),
            _ => Ok(call.is_resource_type(name)? || call.is_class(name)?),
        },
    }
}

fn is_variable_defined(call: &mut Call<'_>, name: &str) -> Eval<bool> {
    if call.variable(name).is_some() {
        return Ok(true);
    }
    // Puppet loads the class on the way, and fails if that is impossible.
    if let Some((class, _)) = name.rsplit_once("::").filter(|(class, _)| !class.is_empty()) {
        call.is_class(class)?;
    }
    Ok(false)
}

fn is_type_defined(call: &mut Call<'_>, type_: &Type) -> Eval<bool> {
    match type_ {
        Type::Resource(resource) => match (&resource.name, &resource.title) {
            (None, _) => fault("The given resource type is a reference to all kind of types"),
            (Some(name), None) => call.is_resource_type(name),
            (Some(name), Some(title)) => Ok(call.is_declared(name, title)),
        },
        Type::Class(None) => fault("The given class type is a reference to all classes"),
        Type::Class(Some(name)) => Ok(call.is_declared("Class", name)),
        Type::Type(Some(inner)) => match &**inner {
            Type::Resource(_) => is_type_defined(call, inner),
            Type::Class(None) => fault("The given class type is a reference to all classes"),
            Type::Class(Some(name)) => call.is_class(name),
            _ => Ok(false),
        },
        _ => Ok(false),
    }
}
