//! Names that resources have beside their titles, as PuppetDB's terminus puts them into the parameter `alias`.

use std::cell::RefCell;
use std::collections::HashMap;

use kukla_base::Symbol;
use kukla_base::cancel::walk;
use kukla_catalog::exports::Exported;
use kukla_catalog::{Catalog, Kind, Resource};
use kukla_compiler::Library as _;
use kukla_pcore::Value;
use kukla_world::Record;

use crate::OpenEnvironment;

/// The parameter.
const ALIAS: &str = "alias";
/// Parameters whose lists the terminus sorts: their order means nothing.
const SORTED: [&str; 7] = ["alias", "audit", "before", "notify", "require", "subscribe", "tag"];

/// The attributes that name resources, by the types of a catalog that were asked for.
type Namevars = RefCell<HashMap<Symbol, Option<Symbol>>>;

impl OpenEnvironment {
    /// Returns the attribute that names resources of a type; nothing if there are several, or if two resources may have one
    /// name.
    fn namevar(&self, resource: &Resource) -> Option<Symbol> {
        if resource.kind != Kind::CompilableType {
            return None;
        }
        let name = resource.type_.as_str().to_lowercase();
        let type_ = self.snapshot.resource_type(&name, &Record::default())?;
        let is_unique = type_.key_attributes().len() == 1 && type_.is_isomorphic();
        is_unique.then(|| type_.namevar_symbol())
    }

    /// Returns a function that returns the parameter `alias` of a resource as PuppetDB gets it: always a list, in order, with
    /// the name that the title is not.
    pub fn aliases(&self) -> impl Fn(&Resource) -> Option<Value> {
        let (namevars, own) = (Namevars::default(), Symbol::new(ALIAS));
        move |resource| {
            let mut known = namevars.borrow_mut();
            let namevar = known.entry(resource.type_).or_insert_with(|| self.namevar(resource));
            aliases(resource, own, *namevar)
        }
    }

    /// Returns the exported resources of a catalog as other nodes collect them, which is as they come back from PuppetDB.
    pub fn exports(&self, catalog: &Catalog) -> Vec<Exported> {
        let (mut all, aliases) = (Exported::all_of(catalog), self.aliases());
        for (exported, resource) in all.iter_mut().zip(&catalog.exported) {
            for (name, value) in &mut exported.parameters {
                *value = as_jsonb(value);
                if let Value::Array(values) = value
                    && SORTED.contains(&name.as_str())
                    && values.iter().all(|value| value.as_str().is_some())
                {
                    *value = sorted(values.to_vec());
                }
            }
            let Some(aliases) = aliases(resource) else { continue };
            let own = exported.parameters.iter_mut().find(|(name, _)| name == ALIAS);
            match own {
                Some((_, value)) => *value = aliases,
                None => exported.parameters.push((ALIAS.into(), aliases)),
            }
        }
        all
    }
}

/// Returns the names in the parameter `own` and in the attribute that names the resource.
fn aliases(resource: &Resource, own: Symbol, namevar: Option<Symbol>) -> Option<Value> {
    let open = |wanted: Symbol| {
        let mut open = resource.parameters.iter().filter(|(name, _)| *name == wanted);
        open.next().filter(|(name, _)| !resource.sensitive.contains(name)).map(|(_, value)| value)
    };
    let mut names: Vec<Value> = match open(own) {
        Some(Value::Array(names)) => names.to_vec(),
        Some(name) => vec![name.clone()],
        None => Vec::new(),
    };
    // What is no text is left as it is.
    if names.iter().any(|name| name.as_str().is_none()) {
        return None;
    }
    let other = namevar.and_then(open).and_then(Value::as_str);
    if let Some(name) = other.filter(|name| *name != resource.title)
        && !names.iter().any(|known| known.as_str() == Some(name))
    {
        names.push(Value::from(name));
    }
    (!names.is_empty()).then(|| sorted(names))
}

/// Returns data with the members of hashes in the order in which PostgreSQL's `jsonb`, and so PuppetDB, has them: short keys
/// first. Texts that are made of such a hash are then the same.
fn as_jsonb(data: &Value) -> Value {
    walk(Value::default(), || match data {
        Value::Array(values) => Value::array(values.iter().map(as_jsonb)),
        Value::Hash(hash) if hash.iter().all(|(key, _)| key.as_str().is_some()) => {
            let mut members: Vec<(Value, Value)> =
                hash.iter().map(|(key, value)| (key.clone(), as_jsonb(value))).collect();
            members.sort_by(|(a, _), (b, _)| {
                let (a, b) = (a.as_str().unwrap_or_default(), b.as_str().unwrap_or_default());
                a.len().cmp(&b.len()).then_with(|| a.cmp(b))
            });
            Value::hash(members.into_iter().collect())
        }
        other => other.clone(),
    })
}

fn sorted(mut texts: Vec<Value>) -> Value {
    texts.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
    Value::array(texts)
}
