//! Sets of types.

use std::hash::{Hash as StdHash, Hasher};
use std::sync::{Arc, OnceLock};

use ecow::EcoString;

use super::Type;
use crate::Value;
use kukla_rubytext::semver::VersionRange;

/// `TypeSet[{ name => …, types => … }]`
///
/// Its types may use each other and the set itself, so what it has is set after it is made.
pub struct TypeSet {
    /// Its name.
    pub name: Option<EcoString>,
    /// Who gives names.
    pub name_authority: Option<EcoString>,
    body: OnceLock<TypeSetBody>,
}

/// What a set of types has.
#[derive(Clone, Debug, Default)]
pub struct TypeSetBody {
    /// Which language of types it is written in.
    pub pcore_uri: Option<EcoString>,
    /// Which version of that.
    pub pcore_version: EcoString,
    /// Its version.
    pub version: Option<EcoString>,
    /// Its types by name.
    pub types: Vec<(EcoString, Type)>,
    /// Other sets by the name they have in this one.
    pub references: Vec<(EcoString, TypeSetReference)>,
    /// Kept and shown, and given by `annotate`.
    pub annotations: Option<Value>,
}

/// `references => { Name => { name => …, version_range => … } }` of a set of types.
#[derive(Clone, Debug)]
pub struct TypeSetReference {
    /// The name of the set.
    pub name: EcoString,
    /// Which versions will do.
    pub version_range: VersionRange,
    /// Who gives names.
    pub name_authority: Option<EcoString>,
    /// Kept and shown.
    pub annotations: Option<Value>,
    /// The set that was found.
    pub set: OnceLock<Arc<TypeSet>>,
}

impl TypeSet {
    /// A set of which but the name is known.
    pub const fn new(name: Option<EcoString>, name_authority: Option<EcoString>) -> Self {
        Self { name, name_authority, body: OnceLock::new() }
    }

    /// Says what it has. The first word counts.
    pub fn resolve(&self, body: TypeSetBody) {
        let _ = self.body.set(body);
    }

    /// What it has, if that is known yet.
    pub fn body(&self) -> Option<&TypeSetBody> {
        self.body.get()
    }

    /// Its types by name.
    pub fn types(&self) -> &[(EcoString, Type)] {
        self.body().map_or(&[], |body| &body.types)
    }

    /// Other sets by the name they have in this one.
    pub fn references(&self) -> &[(EcoString, TypeSetReference)] {
        self.body().map_or(&[], |body| &body.references)
    }

    /// Its version.
    pub fn version(&self) -> Option<&EcoString> {
        self.body().and_then(|body| body.version.as_ref())
    }

    /// Whether it is plain `TypeSet`.
    pub fn is_default(&self) -> bool {
        self.name.as_deref() == Some("DefaultTypeSet")
    }

    /// A type of this set, or of one that it refers to: `Name`, `Other::Name`. Letters' case does not matter.
    pub fn find(&self, name: &str) -> Option<Type> {
        let is_it = |key: &str, name: &str| key.eq_ignore_ascii_case(name);
        if let Some((_, type_)) = self.types().iter().find(|(key, _)| is_it(key, name)) {
            return Some(type_.clone());
        }
        let (first, rest) = match name.split_once("::") {
            Some((first, rest)) => (first, Some(rest)),
            None => (name, None),
        };
        let (_, reference) = self.references().iter().find(|(key, _)| is_it(key, first))?;
        let set = reference.set.get()?;
        match rest {
            Some(rest) => set.find(rest),
            None => Some(Type::TypeSet(Arc::clone(set))),
        }
    }

    /// Whether a type is one of this set.
    pub fn defines(&self, type_: &Type) -> bool {
        self.types().iter().any(|(_, other)| other == type_)
    }

    /// What a type is called in this set.
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

/// What it has may be of this set, so that is not shown.
impl std::fmt::Debug for TypeSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TypeSet").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What is in it does not matter.
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
