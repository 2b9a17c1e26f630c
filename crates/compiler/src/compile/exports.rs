//! The exports of other nodes, and of this one.

use ecow::EcoString;
use kukla_base::Symbol;
use kukla_base::cancel::walk;
use kukla_catalog::exports::{ExportSearch, Filter, Stored};
use kukla_catalog::origins::Origins;
use kukla_catalog::{Resource as CatalogResource, exports::Exported};
use kukla_pcore::convert::{Convert, Present};
use kukla_pcore::time::Timestamp;
use kukla_pcore::types::NoNames;
use kukla_pcore::{Value, richdata};
use kukla_world::{Answer, Atom, Kind};

use super::Compiler;
use super::collectors::Query;
use super::declare::Found;
use super::output::{output, plain};
use super::resource::{Parameter, ResourceId, reference};
use super::tags::Tags;
use crate::interpreter::scope::ScopeId;
use crate::issues::{self, Code};
use crate::{Eval, Stop, fault};

impl Compiler {
    /// Declares what other nodes export; those that were not there yet.
    pub(super) fn import(
        &mut self,
        found: &Found,
        query: Option<&Query>,
        scope: ScopeId,
    ) -> Eval<Vec<ResourceId>> {
        let type_ = found.symbol();
        let filter = query.map(|query| query.filter(&self.catalog.tags));
        let Some(exports) = self.catalog.exports.clone() else {
            self.note_import(type_, filter.as_ref(), Answer::Absent);
            return Ok(Vec::new());
        };
        self.catalog.has_asked = true;
        let node = self.catalog.node.clone();
        let search = ExportSearch { type_: type_.as_str(), node: &node, filter: filter.as_ref() };
        let stored = exports.search(&search);
        if self.inputs.is_recording() {
            self.note_import(type_, filter.as_ref(), super::answers::of_exports(&stored));
        }
        let stored =
            stored.map_err(|error| Stop::final_fault(issues::exports_unreadable(&error)))?;
        let caller = self.scopes.enter_named(scope);
        let made = self.import_all(found, type_, stored);
        self.scopes.leave(caller);
        made
    }

    /// Asks the store a query, and returns its rows as JSON.
    pub(crate) fn query_store(&mut self, query: &str) -> Eval<String> {
        let Some(exports) = self.catalog.exports.clone() else {
            self.inputs.record().note_now(|| Atom::new(Kind::StoreQuery, query, Answer::Absent));
            return fault(issues::no_store());
        };
        self.catalog.has_asked = true;
        let found = exports.query(query);
        if self.inputs.is_recording() {
            let answer = super::answers::of_query(&found);
            self.inputs.record().note_now(|| Atom::new(Kind::StoreQuery, query, answer));
        }
        found.map_err(|error| Stop::fault(issues::function_failed(error.to_string())))
    }

    fn note_import(&self, type_: Symbol, filter: Option<&Filter>, answer: Answer) {
        self.inputs.record().note_now(|| match filter {
            Some(filter) => Atom::of_part(Kind::Exported, type_.as_str(), filter.to_text(), answer),
            None => Atom::new(Kind::Exported, type_.as_str(), answer),
        });
    }

    fn import_all(
        &mut self,
        found: &Found,
        type_: Symbol,
        stored: Vec<Stored>,
    ) -> Eval<Vec<ResourceId>> {
        let mut made = Vec::new();
        for Stored { node, resource } in stored {
            match self.find_resource(type_.as_str(), &resource.title) {
                Some(known) if self.catalog.exporters.get(&known) == Some(&node) => (),
                Some(_) => {
                    let name = reference(type_, &resource.title);
                    return fault(issues::duplicate_export(&name));
                }
                None => {
                    let id = self.import_one(found, type_, &node, resource)?;
                    self.catalog.exporters.insert(id, node);
                    made.push(id);
                }
            }
        }
        Ok(made)
    }

    /// The file and line of the declaration are those of another node: nothing is said of them.
    fn import_one(
        &mut self,
        found: &Found,
        type_: Symbol,
        node: &EcoString,
        stored: Exported,
    ) -> Eval<ResourceId> {
        let mut resource = self.new_resource(found.kind(), type_, stored.title);
        let source = resource.source;
        let origin = self.catalog.origins.exported(node);
        resource.origin = origin;
        let parameter = |(name, value): (EcoString, Value)| Parameter {
            name: self.scopes.strangers.symbol(&name),
            value: rich(value),
            source,
            origin,
            adds: false,
        };
        let parameters = stored.parameters.into_iter().map(parameter).collect();
        self.give_parameters(&mut resource, parameters)?;
        self.add_resource(resource).map_err(|stop| match *stop {
            Stop::Fault(fault) if fault.code() == Code::DUPLICATE_ALIAS => {
                Stop::fault(issues::duplicate_alias_of_export(&fault.issue))
            }
            other => Box::new(other),
        })
    }

    /// Returns the exports of the node, in the order of the catalog.
    pub(super) fn exported(&self) -> Eval<Vec<CatalogResource>> {
        if !self.catalog.storeconfigs() {
            return Ok(Vec::new());
        }
        let all = self.catalog.resources().map(|(_, resource)| resource);
        let exported = all.filter(|resource| resource.is_exported);
        let copied = exported.cloned().map(|mut resource| {
            let parameters = self.output_parameters(&mut resource, &mut Origins::default())?;
            Ok(output(&mut resource, parameters))
        });
        copied.collect()
    }
}

impl Query {
    /// Returns the query in the form that stores understand.
    fn filter(&self, tags: &Tags) -> Filter {
        let both = |both: &(Self, Self)| Box::new((both.0.filter(tags), both.1.filter(tags)));
        match self {
            Self::And(parts) => Filter::And(both(parts)),
            Self::Or(parts) => Filter::Or(both(parts)),
            Self::Tagged(all) => {
                Filter::Tagged(all.iter().map(|&tag| tags.text(tag).clone()).collect())
            }
            Self::Equal(name, value) => attribute(*name, value),
            Self::NotEqual(name, value) => Filter::Not(Box::new(attribute(*name, value))),
        }
    }
}

fn attribute(name: Symbol, value: &Value) -> Filter {
    let value = plain(value);
    match name.as_str() {
        "title" => Filter::Title(value),
        "tag" => Filter::Tagged(vec![kukla_pcore::ruby::to_s(&value).to_lowercase().into()]),
        name => Filter::Parameter(name.into(), value),
    }
}

/// A value of stored data: what is no plain data is what it was when it was exported.
pub(super) fn rich(value: Value) -> Value {
    if !is_rich(&value) {
        return value;
    }
    let present = || Present { now: Timestamp(0), utc_offset: 0 };
    richdata::from_data(&value, &Convert::new(&NoNames, &present)).unwrap_or(value)
}

fn is_rich(value: &Value) -> bool {
    match value {
        Value::Array(values) => walk(false, || values.iter().any(is_rich)),
        Value::Hash(hash) => {
            walk(false, || hash.get_str("__ptype").is_some() || hash.values().any(is_rich))
        }
        _ => false,
    }
}
