//! The catalog so far, as functions see it, and Puppet's settings.

use std::rc::Rc;

use kukla_pcore::Value;

use crate::class::{Data, Object};
use crate::convert::to_ruby;
use crate::methods::table::{Builtin, method};
use crate::methods::texts;
use crate::methods::tools::{list, text, yes};
use crate::read::tree::Name;
use crate::run::{Args, Eval, Run};
use crate::value::{Entries, Key, Map, RubyValue, TextKey};

/// The methods of the catalog.
pub(crate) static CATALOG: &[Builtin<()>] = &[
    method("classes", |run, (), _| texts(run.host.classes())),
    method("tags", |run, (), _| texts(run.host.tags())),
    method("resource", |run, (), a| run.find_resource(a)),
    method("findresource", |run, (), a| run.find_resource(a)),
    method("resources", |run, (), _| list(run.all_resources())),
    method("resource_refs", resource_refs),
    method("resource_keys", resource_keys),
];

/// The methods of the compiler that read the catalog.
pub(crate) static COMPILER: &[Builtin<()>] = &[
    method("findresource", |run, (), a| run.find_resource(a)),
    method("resources", |run, (), _| list(run.all_resources())),
];

/// The methods of a resource, which the host describes as a hash.
pub(crate) static RESOURCE: &[Builtin<Rc<Map>>] = &[
    method("title", |_, this, _| Ok(part(this, "title"))),
    method("name", |_, this, _| Ok(part(this, "title"))),
    method("type", |_, this, _| Ok(part(this, "type"))),
    method("tags", |_, this, _| Ok(part(this, "tags"))),
    method("ref", |_, this, _| Ok(reference(this))),
    method("to_s", |_, this, _| Ok(reference(this))),
    method("to_ref", |_, this, _| Ok(reference(this))),
    method("virtual", |_, this, _| yes(part(this, "virtual").truthy())),
    method("virtual?", |_, this, _| yes(part(this, "virtual").truthy())),
    method("[]", parameter),
    method("to_hash", to_hash),
    method("to_h", to_hash),
    method("tagged?", is_tagged),
    method("parameters", parameters),
];

/// The methods of a parameter of a resource.
pub(crate) static PARAM: &[Builtin<(Name, RubyValue)>] = &[
    method("name", |_, (name, _), _| Ok(RubyValue::Sym(name.clone()))),
    method("value", |_, (_, value), _| Ok(value.clone())),
    method("to_s", |run, (name, value), _| {
        let value = run.to_s(value)?;
        text(format!("{name} => {value}"))
    }),
];

/// Returns the parameters that are set, as objects by symbol.
fn parameters(run: &mut Run<'_>, this: &Rc<Map>, _a: Args<'_>) -> Eval {
    let class = run.class_named("Puppet::Parser::Resource::Param");
    let mut entries = Entries::default();
    for (key, value) in symbol_keys(&part(this, "parameters")) {
        let name = key.0.as_name().unwrap_or_default();
        let object = run.new_object(&class, Data::Param(name, value));
        entries.insert(key, RubyValue::Object(object));
    }
    Ok(RubyValue::hash(entries))
}

fn resource_refs(run: &mut Run<'_>, (): &(), _a: Args<'_>) -> Eval {
    let mut refs = Vec::new();
    for resource in run.all_resources() {
        refs.push(run.call(&resource, "ref", &[])?);
    }
    list(refs)
}

fn resource_keys(run: &mut Run<'_>, (): &(), _a: Args<'_>) -> Eval {
    let mut keys = Vec::new();
    for resource in run.all_resources() {
        let parts = ["type", "title"].map(|part| run.call(&resource, part, &[]));
        keys.push(RubyValue::array(parts.into_iter().collect::<Eval<_>>()?));
    }
    list(keys)
}

fn part(this: &Map, name: &str) -> RubyValue {
    this.entries.borrow().get(&TextKey(name)).cloned().unwrap_or_default()
}

fn reference(this: &Map) -> RubyValue {
    let shown = |name: &str| crate::show::to_s(&part(this, name));
    RubyValue::str(format!("{}[{}]", shown("type"), shown("title")))
}

fn parameter(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    let name = run.name_arg(&a.get(0))?;
    Ok(match (name.as_str(), part(this, "parameters")) {
        ("title", _) => part(this, "title"),
        (name, RubyValue::Hash(parameters)) => part(&parameters, name),
        _ => RubyValue::Nil,
    })
}

fn to_hash(_run: &mut Run<'_>, this: &Rc<Map>, _a: Args<'_>) -> Eval {
    let mut entries = Entries::default();
    if part(this, "has_name").truthy() {
        entries.insert(Key(RubyValue::sym("name")), part(this, "title"));
    }
    let parameters = symbol_keys(&part(this, "parameters"));
    entries.extend(parameters.into_iter().filter(|(_, value)| !value.is_nil()));
    Ok(RubyValue::hash(entries))
}

fn is_tagged(run: &mut Run<'_>, this: &Rc<Map>, a: Args<'_>) -> Eval {
    let tags = run.items_of(&part(this, "tags"))?;
    let mut is_tagged = false;
    for tag in &run.flatten(a.items, -1)?.0 {
        let tag = run.to_s(tag)?;
        is_tagged |= tags.iter().any(|own| crate::show::to_s(own) == tag);
    }
    yes(is_tagged)
}

impl Run<'_> {
    /// `findresource('File', '/x')` or `findresource('File[/x]')`
    pub(crate) fn find_resource(&mut self, a: Args<'_>) -> Eval {
        let (type_name, title) = self.reference(a)?;
        Ok(match self.host.resource(&type_name, &title) {
            Some(found) => self.resource_object(&found),
            None => RubyValue::Nil,
        })
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
        let description = match to_ruby(found) {
            RubyValue::Hash(map) => map,
            _ => Rc::default(),
        };
        RubyValue::Object(Rc::new(Object::new(class, Data::Resource(description))))
    }

    /// `scope.lookupdefaults('file')`
    pub(crate) fn defaults_of(&mut self, a: Args<'_>) -> Eval {
        let type_name = self.to_s(&a.get(0))?;
        let defaults = to_ruby(&self.host.defaults(&type_name));
        Ok(RubyValue::hash(symbol_keys(&defaults)))
    }

    /// `Puppet[:vardir]`, which manifests know as `$settings::vardir`.
    pub(crate) fn setting(&mut self, a: Args<'_>) -> Eval {
        let setting = self.name_arg(&a.get(0))?;
        match self.host.variable(&format!("settings::{setting}")) {
            // Most settings are strings in Ruby too; of those that are symbols, modules read this one.
            Ok(Some(Value::String(text))) if setting == "strict" => Ok(RubyValue::Sym(text)),
            Ok(Some(value)) => Ok(to_ruby(&value)),
            _ => self.unsupported(format!("Puppet's setting {setting}")),
        }
    }
}

fn symbol_keys(hash: &RubyValue) -> Entries {
    let RubyValue::Hash(map) = hash else { return Entries::default() };
    let key =
        |key: &Key| key.0.as_name().map_or_else(|| key.clone(), |name| Key(RubyValue::Sym(name)));
    map.entries.borrow().iter().map(|(name, value)| (key(name), value.clone())).collect()
}
