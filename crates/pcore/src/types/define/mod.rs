//! Definition of Object types and type sets by hashes.

mod equality;
mod extension;
mod members;
mod sets;

pub use extension::extension;
pub use sets::{RUNTIME, resolve_references, resolve_set, type_set};

use std::sync::{Arc, LazyLock};

use ecow::EcoString;

use equality::Equality;
use members::Builder;

use super::parse::Names;
use super::{Member, ObjectBody, ObjectType, Type, TypeError, mismatch, named};
use crate::{Hash, Value};

/// Creates an Object type from its hash: `Object[{…}]`.
pub fn object(
    name: Option<EcoString>,
    init: &Value,
    _names: &dyn Names,
) -> Result<Type, TypeError> {
    let Value::Hash(hash) = init else {
        return Err(mismatch::assertion("object initializer", &INIT, init).into());
    };
    if hash.is_empty() && name.is_none() {
        return Ok(named::any_object());
    }
    let name = name.or_else(|| hash.get_str("name").and_then(Value::as_str).map(Into::into));
    let object = ObjectType::new(name);
    resolve(&object, hash)?;
    Ok(Type::Object(Arc::new(object)))
}

/// Sets the body of an Object type from its hash, in which the type may be used already.
pub fn resolve(object: &ObjectType, hash: &Hash) -> Result<(), TypeError> {
    mismatch::assert_instance("object initializer", &INIT, &Value::hash(hash.clone()))?;
    let parent = match hash.get_str("parent") {
        Some(Value::Type(parent)) => Some((**parent).clone()),
        _ => None,
    };
    if let Some(parent) = &parent {
        check_parent(object, parent)?;
    }
    let inherited = inherited(parent.as_ref());
    let builder = Builder { label: object.label(), inherited: &inherited };
    let mut members = builder.type_parameters(hash)?;
    members.extend(builder.attributes(hash)?);
    members.extend(builder.functions(hash, &members)?);
    let equality_include_type =
        !matches!(hash.get_str("equality_include_type"), Some(Value::Boolean(false)));
    let equality = Equality {
        label: object.label(),
        parent: parent.as_ref(),
        inherited: &inherited,
        members: &members,
    };
    let equality = equality.read(hash, equality_include_type)?;
    object.resolve(ObjectBody {
        parent,
        members,
        equality,
        equality_include_type,
        checks: hash.get_str("checks").cloned(),
        annotations: hash.get_str("annotations").cloned(),
    });
    Ok(())
}

/// Checks that a type does not inherit itself, and that its parent is known.
fn check_parent(object: &ObjectType, parent: &Type) -> Result<(), String> {
    let mut next = Some(parent);
    while let Some(type_) = next {
        next = match type_ {
            Type::Object(other) if std::ptr::eq(&raw const **other, object) => {
                return Err(format!("The Object type '{}' inherits from itself", object.label()));
            }
            Type::Object(other) => other.parent(),
            Type::Alias(alias) => alias.resolved(),
            _ => None,
        };
    }
    let mut real = parent;
    while let Type::Alias(alias) = real
        && let Some(resolved) = alias.resolved()
    {
        real = resolved;
    }
    match real {
        Type::Reference(name) => Err(format!("reference to unresolved type '{name}'")),
        _ => Ok(()),
    }
}

/// Returns all members of the parent, each with the name of its type in messages.
fn inherited(parent: Option<&Type>) -> Vec<(Member, EcoString)> {
    let Some(object) = parent.and_then(as_object) else { return Vec::new() };
    let mut all = inherited(object.parent());
    for member in object.members() {
        let member = (member.clone(), EcoString::from(object.label()));
        match all.iter().position(|(other, _)| {
            other.name == member.0.name && other.kind.feature() == member.0.kind.feature()
        }) {
            Some(place) => all[place] = member,
            None => all.push(member),
        }
    }
    all
}

/// Returns the Object type of a type, through aliases.
fn as_object(type_: &Type) -> Option<&ObjectType> {
    match type_ {
        Type::Object(object) => Some(object),
        Type::Alias(alias) => alias.resolved().and_then(as_object),
        _ => None,
    }
}

/// The type of annotations.
const ANNOTATIONS: &str = r"Optional[Hash[Type[Annotation], Hash[Pattern[/\A[a-z_]\w*\z/], Any]]]";

/// The type of the hash of an Object type.
static OBJECT: LazyLock<String> = LazyLock::new(|| {
    let name = r"Pattern[/\A[a-z_]\w*\z/]";
    format!(
        "Struct[{{
            Optional[name] => Pattern[/\\A[A-Z][\\w]*(?:::[A-Z][\\w]*)*\\z/],
            Optional[parent] => Type,
            Optional[type_parameters] => Hash[{name}, NotUndef],
            Optional[attributes] => Hash[{name}, NotUndef],
            Optional[constants] => Hash[{name}, Any],
            Optional[functions] => Hash[Variant[{name}, Enum['[]']], NotUndef],
            Optional[equality] => Variant[{name}, Array[{name}]],
            Optional[equality_include_type] => Boolean,
            Optional[checks] => Any,
            Optional[annotations] => {ANNOTATIONS}
        }}]"
    )
});

static INIT: LazyLock<Type> = LazyLock::new(|| written(&OBJECT));

static ATTRIBUTE: LazyLock<Type> = LazyLock::new(|| {
    written(&format!(
        "Struct[{{
            type => Type,
            Optional[final] => Boolean,
            Optional[override] => Boolean,
            Optional[kind] => Enum[constant, derived, given_or_derived, reference],
            value => Any,
            Optional[annotations] => {ANNOTATIONS}
        }}]"
    ))
});

static FUNCTION: LazyLock<Type> = LazyLock::new(|| {
    written(&format!(
        "Struct[{{
            type => Type[Callable],
            Optional[final] => Boolean,
            Optional[override] => Boolean,
            Optional[annotations] => {ANNOTATIONS}
        }}]"
    ))
});

fn written(text: &str) -> Type {
    super::parse(text, &super::NoNames).expect("it is written here")
}
