//! Type sets.

use std::hash::{Hash as StdHash, Hasher};
use std::sync::{Arc, OnceLock};

use ecow::EcoString;

use super::Type;
use crate::Value;
use kukla_rubytext::semver::VersionRange;

/// `TypeSet[{ name => …, types => … }]`
///
/// Its types may use each other and the set itself, so its body is set after its creation.
pub struct TypeSet {
    /// Its name.
    pub name: Option<EcoString>,
    /// The authority of its name.
    pub name_authority: Option<EcoString>,
    body: OnceLock<TypeSetBody>,
}

/// The content of a type set.
#[derive(Clone, Debug, Default)]
pub struct TypeSetBody {
    /// The URI of the Pcore language it is written in.
    pub pcore_uri: Option<EcoString>,
    /// The version of that language.
    pub pcore_version: EcoString,
    /// Its version.
    pub version: Option<EcoString>,
    /// Its types by name.
    pub types: Vec<(EcoString, Type)>,
    /// Other sets by their name in this one.
    pub references: Vec<(EcoString, TypeSetReference)>,
    /// Stored and printed, and returned by `annotate`.
    pub annotations: Option<Value>,
}

/// An entry of `references => { Name => { name => …, version_range => … } }`.
#[derive(Clone, Debug)]
pub struct TypeSetReference {
    /// The name of the set.
    pub name: EcoString,
    /// The accepted versions.
    pub version_range: VersionRange,
    /// The authority of the name.
    pub name_authority: Option<EcoString>,
    /// Stored and printed.
    pub annotations: Option<Value>,
    /// The set, once resolved.
    pub set: OnceLock<Arc<TypeSet>>,
}

impl TypeSet {
    /// Creates an unresolved set.
    pub const fn new(name: Option<EcoString>, name_authority: Option<EcoString>) -> Self {
        Self { name, name_authority, body: OnceLock::new() }
    }

    /// Sets its body. Only the first call has an effect.
    pub fn resolve(&self, body: TypeSetBody) {
        let _ = self.body.set(body);
    }

    /// Returns its body, once resolved.
    pub fn body(&self) -> Option<&TypeSetBody> {
        self.body.get()
    }

    /// Returns its types by name.
    pub fn types(&self) -> &[(EcoString, Type)] {
        self.body().map_or(&[], |body| &body.types)
    }

    /// Returns other sets by their name in this one.
    pub fn references(&self) -> &[(EcoString, TypeSetReference)] {
        self.body().map_or(&[], |body| &body.references)
    }

    /// Returns its version.
    pub fn version(&self) -> Option<&EcoString> {
        self.body().and_then(|body| body.version.as_ref())
    }

    /// Returns true for plain `TypeSet`.
    pub fn is_default(&self) -> bool {
        self.name.as_deref() == Some("DefaultTypeSet")
    }

    /// Returns a type of this set, or of one that it refers to: `Name`, `Other::Name`, in any case.
    pub fn find(&self, name: &str) -> Option<Type> {
        let is_name = |key: &str, name: &str| key.eq_ignore_ascii_case(name);
        if let Some((_, type_)) = self.types().iter().find(|(key, _)| is_name(key, name)) {
            return Some(type_.clone());
        }
        let (first, rest) = match name.split_once("::") {
            Some((first, rest)) => (first, Some(rest)),
            None => (name, None),
        };
        let (_, reference) = self.references().iter().find(|(key, _)| is_name(key, first))?;
        let set = reference.set.get()?;
        match rest {
            Some(rest) => set.find(rest),
            None => Some(Type::TypeSet(Arc::clone(set))),
        }
    }

    /// Returns true if a type is one of this set.
    pub fn defines(&self, type_: &Type) -> bool {
        self.types().iter().any(|(_, other)| other == type_)
    }

    /// Returns the name of a type in this set.
    pub fn name_for(&self, type_: &Type) -> Option<String> {
        if let Some((name, _)) = self.types().iter().find(|(_, other)| other == type_) {
            return Some(name.to_string());
        }
        self.references().iter().find_map(|(alias, reference)| {
            let name = reference.set.get()?.name_for(type_)?;
            Some(format!("{alias}::{name}"))
        })
    }
}

/// Omits the body, which may contain this set.
impl std::fmt::Debug for TypeSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TypeSet").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Equality ignores the body.
impl PartialEq for TypeSet {
    fn eq(&self, other: &Self) -> bool {
        self.name_authority == other.name_authority
            && self.name == other.name
            && self.version() == other.version()
    }
}

impl Eq for TypeSet {}

impl StdHash for TypeSet {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}
