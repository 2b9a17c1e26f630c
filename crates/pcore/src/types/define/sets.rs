//! Definition of type sets.

use std::sync::{Arc, LazyLock, OnceLock};

use ecow::EcoString;

use super::super::{
    Names, NoNames, Type, TypeError, TypeSet, TypeSetBody, TypeSetReference, mismatch, named, parse,
};
use crate::value::Rare;
use crate::{Hash, Value};
use kukla_rubytext::semver::{Version, VersionRange};

/// The name authority of types that programs define.
pub const RUNTIME: &str = "http://puppet.com/2016.1/runtime";

/// Creates `TypeSet[{…}]` in code. Its references are not resolved.
pub fn type_set(init: &Value) -> Result<Type, TypeError> {
    let Value::Hash(hash) = init else {
        return Err(mismatch::assertion("TypeSet initializer", &INIT, init).into());
    };
    if hash.is_empty() {
        return Ok(named::any_type_set());
    }
    let text = |key: &str| hash.get_str(key).and_then(Value::as_str).map(EcoString::from);
    let set = TypeSet::new(text("name"), text("name_authority"));
    resolve_set(&set, hash)?;
    Ok(Type::TypeSet(Arc::new(set)))
}

/// Sets the body of a set from its hash; its types need not be resolved yet.
pub fn resolve_set(set: &TypeSet, hash: &Hash) -> Result<(), TypeError> {
    mismatch::assert_instance("TypeSet initializer", &INIT, &Value::hash(hash.clone()))?;
    let pcore_version = version(hash, "pcore_version")?.unwrap_or_default();
    let name = set.name.as_deref().unwrap_or_default();
    check_pcore(name, &pcore_version)?;
    set.resolve(TypeSetBody {
        pcore_uri: hash.get_str("pcore_uri").and_then(Value::as_str).map(Into::into),
        pcore_version,
        version: version(hash, "version")?,
        types: types(hash)?,
        references: references(set, hash)?,
        annotations: hash.get_str("annotations").cloned(),
    });
    Ok(())
}

/// Resolves the references of a set.
pub fn resolve_references(set: &TypeSet, names: &dyn Names) -> Result<(), TypeError> {
    for (_, reference) in set.references() {
        let label = || {
            let set = set.name.as_deref().unwrap_or_default();
            format!("TypeSet '{set}' reference to TypeSet named '{}'", reference.name)
        };
        // All types of programs have one authority.
        let authority = reference.name_authority.as_ref().or(set.name_authority.as_ref());
        let target = match authority {
            Some(authority) if authority != RUNTIME => None,
            _ => names.find(&reference.name),
        };
        let target = match target {
            None => return Err(format!("{} cannot be resolved", label()).into()),
            Some(Type::TypeSet(target)) => target,
            Some(other) => return Err(format!("{} resolves to a {}", label(), other.name()).into()),
        };
        if refers_to(&target, set) {
            return Err(format!("stack level too deep: {} goes round in circles", label()).into());
        }
        let range = &reference.version_range;
        let version = target.version().map_or("", EcoString::as_str);
        if !Version::parse(version).is_ok_and(|version| range.includes(&version)) {
            let message = format!(
                "{} resolves to an incompatible version. Expected {range}, got {version}",
                label()
            );
            return Err(message.into());
        }
        let _ = reference.set.set(target);
    }
    Ok(())
}

/// Returns true if a set is another, or refers to it, directly or not.
fn refers_to(from: &TypeSet, to: &TypeSet) -> bool {
    std::ptr::eq(from, to)
        || from.references().iter().any(|(_, reference)| {
            reference
                .set
                .get()
                .map_or(reference.name.as_str() == to.name.as_deref().unwrap_or_default(), |set| {
                    refers_to(set, to)
                })
        })
}

static INIT: LazyLock<Type> = LazyLock::new(|| {
    let name = r"Pattern[/\A[A-Z][\w]*(?:::[A-Z][\w]*)*\z/]";
    let simple = r"Pattern[/\A[A-Z]\w*\z/]";
    let text = format!(
        "Struct[{{
            Optional[pcore_uri] => Pcore::URI,
            pcore_version => Variant[String[1], SemVer],
            Optional[name_authority] => Pcore::URI,
            Optional[name] => {name},
            Optional[version] => Variant[String[1], SemVer],
            Optional[types] => Hash[{simple}, Variant[Type, {}], 1],
            Optional[references] => Hash[{simple}, Struct[{{
                name => {name},
                version_range => Variant[String[1], SemVerRange],
                Optional[name_authority] => Pcore::URI,
                Optional[annotations] => {}
            }}], 1],
            Optional[annotations] => {}
        }}]",
        &*super::OBJECT,
        super::ANNOTATIONS,
        super::ANNOTATIONS,
    );
    parse(&text, &NoNames).expect("it is written here")
});

/// Returns a version, which may be text.
fn version(hash: &Hash, key: &str) -> Result<Option<EcoString>, String> {
    match hash.get_str(key) {
        Some(Value::String(text)) => {
            let version = Version::parse(text).map_err(|error| error.message)?;
            Ok(Some(version.to_string().into()))
        }
        Some(Value::Rare(rare)) => match &**rare {
            Rare::SemVer(version) => Ok(Some(version.to_string().into())),
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

fn check_pcore(name: &str, version: &str) -> Result<(), String> {
    let range = VersionRange::parse("1.x").map_err(|error| error.message)?;
    match Version::parse(version) {
        Ok(version) if range.includes(&version) => Ok(()),
        _ => Err(format!(
            "The pcore version for TypeSet '{name}' is not understood by this runtime. Expected range 1.x, got {version}"
        )),
    }
}

fn types(hash: &Hash) -> Result<Vec<(EcoString, Type)>, String> {
    let Some(Value::Hash(types)) = hash.get_str("types") else { return Ok(Vec::new()) };
    let entry = |(name, type_): (&Value, &Value)| {
        let name = EcoString::from(name.as_str().unwrap_or_default());
        Ok(match type_ {
            Value::Type(type_) => (name, (**type_).clone()),
            init => (name, super::object(None, init, &NoNames)?),
        })
    };
    types.iter().map(entry).collect()
}

fn references(set: &TypeSet, hash: &Hash) -> Result<Vec<(EcoString, TypeSetReference)>, String> {
    let Some(Value::Hash(entries)) = hash.get_str("references") else { return Ok(Vec::new()) };
    let types = hash.get_str("types");
    let is_type =
        |name: &str| matches!(types, Some(Value::Hash(types)) if types.get_str(name).is_some());
    let name = set.name.as_deref().unwrap_or_default();
    let mut references: Vec<(EcoString, TypeSetReference)> = Vec::new();
    for (alias, reference) in entries.iter() {
        let (Some(alias), Value::Hash(reference)) = (alias.as_str(), reference) else { continue };
        let reference = self::reference(reference)?;
        let authority = |reference: &TypeSetReference| {
            reference.name_authority.clone().or_else(|| set.name_authority.clone())
        };
        let overlaps = |(_, other): &(EcoString, TypeSetReference)| {
            other.name == reference.name
                // Puppet treats any two ranges as overlapping.
                && authority(other) == authority(&reference)
        };
        if references.iter().any(overlaps) {
            return Err(format!(
                "TypeSet '{name}' references TypeSet '{}/{}' more than once using overlapping version ranges",
                authority(&reference).unwrap_or_default(),
                reference.name
            ));
        }
        if is_type(alias) {
            return Err(format!(
                "TypeSet '{name}' references a TypeSet using alias '{alias}'. The alias collides with the name of a declared type"
            ));
        }
        references.push((alias.into(), reference));
    }
    Ok(references)
}

fn reference(hash: &Hash) -> Result<TypeSetReference, String> {
    let text = |key: &str| hash.get_str(key).and_then(Value::as_str).map(EcoString::from);
    let version_range = match hash.get_str("version_range") {
        Some(Value::Rare(rare)) => match &**rare {
            Rare::SemVerRange(range) => range.clone(),
            _ => VersionRange::parse("").map_err(|error| error.message)?,
        },
        range => {
            let text = range.and_then(Value::as_str).unwrap_or_default();
            VersionRange::parse(text).map_err(|error| error.message)?
        }
    };
    Ok(TypeSetReference {
        name: text("name").unwrap_or_default(),
        version_range,
        name_authority: text("name_authority"),
        annotations: hash.get_str("annotations").cloned(),
        set: OnceLock::new(),
    })
}
