//! Sets of types.

use std::sync::{Arc, LazyLock};

use ecow::EcoString;

use super::super::{NoNames, Type, TypeSet, TypeSetReference, mismatch, named, parse};
use crate::texts::semver::{Version, VersionRange};
use crate::value::Rare;
use crate::{Hash, Value};

/// `TypeSet[{…}]`
pub fn type_set(init: &Value) -> Result<Type, String> {
    let Value::Hash(hash) = init else {
        return Err(mismatch::assertion("TypeSet initializer", &INIT, init));
    };
    if hash.is_empty() {
        return Ok(named::any_type_set());
    }
    mismatch::assert_instance("TypeSet initializer", &INIT, init)?;
    let text = |key: &str| hash.get_str(key).and_then(Value::as_str).map(EcoString::from);
    let name = text("name");
    let pcore_version = version(hash, "pcore_version")?.unwrap_or_default();
    check_pcore(name.as_deref(), &pcore_version)?;
    Ok(Type::TypeSet(Arc::new(TypeSet {
        pcore_uri: text("pcore_uri"),
        pcore_version,
        name_authority: text("name_authority"),
        version: version(hash, "version")?,
        types: types(hash),
        references: references(hash, name.as_deref())?,
        name,
    })))
}

static INIT: LazyLock<Type> = LazyLock::new(|| {
    let name = r"Pattern[/\A[A-Z][\w]*(?:::[A-Z][\w]*)*\z/]";
    let simple = r"Pattern[/\A[A-Z]\w*\z/]";
    let text = format!(
        "Struct[{{
            Optional[pcore_uri] => String[1],
            pcore_version => Variant[String[1], SemVer],
            Optional[name_authority] => String[1],
            Optional[name] => {name},
            Optional[version] => Variant[String[1], SemVer],
            Optional[types] => Hash[{simple}, Variant[Type, Hash[String, Any]], 1],
            Optional[references] => Hash[{simple}, Struct[{{
                name => {name},
                version_range => Variant[String[1], SemVerRange],
                Optional[name_authority] => String[1],
                Optional[annotations] => Optional[Hash[Type, Hash]]
            }}], 1],
            Optional[annotations] => Optional[Hash[Type, Hash]]
        }}]"
    );
    parse(&text, &NoNames).expect("it is written here")
});

/// A version, which may be text.
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

fn check_pcore(name: Option<&str>, version: &str) -> Result<(), String> {
    let range = VersionRange::parse("1.x").map_err(|error| error.message)?;
    match Version::parse(version) {
        Ok(known) if range.includes(&known) => Ok(()),
        _ => Err(format!(
            "The pcore version for TypeSet '{}' is not understood by this runtime. Expected range 1.x, got {version}",
            name.unwrap_or_default()
        )),
    }
}

fn types(hash: &Hash) -> Vec<(EcoString, Type)> {
    let Some(Value::Hash(types)) = hash.get_str("types") else { return Vec::new() };
    let entry = |(name, type_): (&Value, &Value)| {
        let name: EcoString = name.as_str()?.into();
        let type_ = match type_ {
            Value::Type(type_) => (**type_).clone(),
            init => super::object(Some(name.clone()), init, &NoNames).ok()?,
        };
        Some((name, type_))
    };
    types.iter().filter_map(entry).collect()
}

fn references(
    hash: &Hash,
    set: Option<&str>,
) -> Result<Vec<(EcoString, TypeSetReference)>, String> {
    let Some(Value::Hash(given)) = hash.get_str("references") else { return Ok(Vec::new()) };
    let mut references: Vec<(EcoString, TypeSetReference)> = Vec::new();
    for (alias, reference) in given.iter() {
        let (Some(alias), Value::Hash(reference)) = (alias.as_str(), reference) else { continue };
        let text = |key: &str| reference.get_str(key).and_then(Value::as_str).map(EcoString::from);
        let range = match reference.get_str("version_range") {
            Some(Value::Rare(rare)) => match &**rare {
                Rare::SemVerRange(range) => range.clone(),
                _ => continue,
            },
            range => {
                let text = range.and_then(Value::as_str).unwrap_or_default();
                VersionRange::parse(text).map_err(|error| error.message)?
            }
        };
        let reference = TypeSetReference {
            name: text("name").unwrap_or_default(),
            version_range: range,
            name_authority: text("name_authority"),
        };
        let overlaps = |(_, other): &(EcoString, TypeSetReference)| {
            other.name == reference.name
                && other.name_authority == reference.name_authority
                && other.version_range.intersection(&reference.version_range).is_ok()
        };
        let set = set.unwrap_or_default();
        if references.iter().any(overlaps) {
            return Err(format!(
                "TypeSet '{set}' references TypeSet '{}/{}' more than once using overlapping version ranges",
                reference.name_authority.as_deref().unwrap_or_default(),
                reference.name
            ));
        }
        if matches!(hash.get_str("types"), Some(Value::Hash(types)) if types.get_str(alias).is_some())
        {
            return Err(format!(
                "TypeSet '{set}' references a TypeSet using alias '{alias}'. The alias collides with the name of a declared type"
            ));
        }
        references.push((alias.into(), reference));
    }
    Ok(references)
}
