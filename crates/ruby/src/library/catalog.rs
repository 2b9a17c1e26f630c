//! The catalog so far, as functions look at it, and Puppet's settings.

use std::rc::Rc;

use kukla_pcore::Value;

use crate::class::{Data, Object};
use crate::convert::to_ruby;
use crate::run::{Args, Eval, Run};
use crate::value::{Entries, Key, Map, RubyValue, TextKey};

type Found = Eval<Option<RubyValue>>;

impl Run<'_> {
    /// What the catalog, the compiler and the scope have in common.
    pub(crate) fn catalog_method(&mut self, name: &str, a: Args<'_>) -> Found {
        Ok(Some(match name {
            "resource" | "findresource" => {
                let (type_name, title) = self.reference(a)?;
                match self.host.resource(&type_name, &title) {
                    Some(found) => self.resource_object(&found),
                    None => RubyValue::Nil,
                }
            }
            "resources" => RubyValue::array(self.all_resources()),
            "resource_refs" | "resource_keys" => {
                let mut found = Vec::new();
                for resource in self.all_resources() {
                    found.push(match name {
                        "resource_refs" => self.call(&resource, "ref", &[])?,
                        _ => {
                            let parts =
                                ["type", "title"].map(|part| self.call(&resource, part, &[]));
                            RubyValue::array(parts.into_iter().collect::<Eval<_>>()?)
                        }
                    });
                }
                RubyValue::array(found)
            }
            _ => return Ok(None),
        }))
    }

    /// `scope.resource`
    pub(crate) fn own_resource(&mut self) -> RubyValue {
        match self.host.own_resource() {
            Some(found) => self.resource_object(&found),
            None => RubyValue::Nil,
        }
    }

    fn all_resources(&mut self) -> Vec<RubyValue> {
        let all = self.host.resources();
        all.iter().map(|found| self.resource_object(found)).collect()
    }

    /// `('File', '/x')` or `('File[/x]')`
    fn reference(&mut self, a: Args<'_>) -> Eval<(String, String)> {
        let first = self.to_s(&a.get(0))?;
        if a.len() > 1 && !a.items[1].is_nil() {
            return Ok((first, self.to_s(&a.items[1])?));
        }
        let parts = first.split_once('[').and_then(|(type_name, rest)| {
            Some((type_name.to_owned(), rest.strip_suffix(']')?.to_owned()))
        });
        Ok(parts.unwrap_or_default())
    }

    fn resource_object(&mut self, found: &Value) -> RubyValue {
        let class = self.class_named("Puppet::Parser::Resource");
        let data = Data::Resource(to_ruby(found));
        RubyValue::Object(Rc::new(Object::new(class, data)))
    }

    /// A method of a resource, which the host has described.
    pub(crate) fn resource_method(&mut self, this: &Map, name: &str, a: Args<'_>) -> Found {
        let part =
            |name: &str| this.entries.borrow().get(&TextKey(name)).cloned().unwrap_or_default();
        let reference = || {
            let shown = |name: &str| crate::show::to_s(&part(name));
            RubyValue::str(format!("{}[{}]", shown("type"), shown("title")))
        };
        Ok(Some(match name {
            "title" | "name" => part("title"),
            "type" | "tags" => part(name),
            "ref" | "to_s" | "to_ref" => reference(),
            "virtual" | "virtual?" => RubyValue::Bool(part("virtual").truthy()),
            "[]" => {
                let asked = self.name_arg(&a.get(0))?;
                match (asked.as_str(), part("parameters")) {
                    ("title", _) => part("title"),
                    (asked, RubyValue::Hash(map)) => {
                        map.entries.borrow().get(&TextKey(asked)).cloned().unwrap_or_default()
                    }
                    _ => RubyValue::Nil,
                }
            }
            "to_hash" | "to_h" => {
                let mut entries = Entries::default();
                if part("has_name").truthy() {
                    entries.insert(Key(RubyValue::sym("name")), part("title"));
                }
                let given = symbol_keys(&part("parameters"));
                entries.extend(given.into_iter().filter(|(_, value)| !value.is_nil()));
                RubyValue::hash(entries)
            }
            "tagged?" => {
                let RubyValue::Array(tags) = part("tags") else { return Ok(None) };
                let tags = tags.items.borrow().clone();
                let mut is_tagged = false;
                for asked in &self.flatten(a.items, -1)?.0 {
                    let asked = self.to_s(asked)?;
                    is_tagged |= tags.iter().any(|tag| crate::show::to_s(tag) == asked);
                }
                RubyValue::Bool(is_tagged)
            }
            _ => return Ok(None),
        }))
    }

    /// `scope.lookupdefaults('file')`
    pub(crate) fn defaults_of(&mut self, a: Args<'_>) -> Eval {
        let type_name = self.to_s(&a.get(0))?;
        let defaults = to_ruby(&self.host.defaults(&type_name));
        Ok(RubyValue::hash(symbol_keys(&defaults)))
    }

    /// `Puppet[:vardir]`, which manifests know as `$settings::vardir`.
    pub(crate) fn setting(&mut self, a: Args<'_>) -> Eval {
        let asked = self.name_arg(&a.get(0))?;
        match self.host.variable(&format!("settings::{asked}")) {
            // Most settings are texts to both; of those that Ruby has as symbols this is what code asks for.
            Ok(Some(Value::String(text))) if asked == "strict" => Ok(RubyValue::Sym(text)),
            Ok(Some(value)) => Ok(to_ruby(&value)),
            _ => self.unsupported(format!("Puppet's setting {asked}")),
        }
    }
}

fn symbol_keys(hash: &RubyValue) -> Entries {
    let RubyValue::Hash(map) = hash else { return Entries::default() };
    let key =
        |key: &Key| key.0.as_name().map_or_else(|| key.clone(), |name| Key(RubyValue::Sym(name)));
    map.entries.borrow().iter().map(|(name, value)| (key(name), value.clone())).collect()
}
