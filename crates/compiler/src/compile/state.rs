//! The state of the catalog builder: resources, how they contain each other, and what is still to be done.

use std::cell::{OnceCell, RefCell};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ecow::EcoString;
use hashbrown::hash_map::Entry;
use indexmap::IndexMap;
use kukla_base::Symbol;
use kukla_catalog::exports::Exports;
use kukla_catalog::origins::{OriginId, OriginTable};
use kukla_pcore::elements::flattened;
use kukla_pcore::{Type, Value};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::collectors::Collector;
use super::data::DataState;
use super::declare::Found;
use super::definition::Definition;
use super::definitions::Definitions;
use super::foreign_state::ForeignState;
use super::names::Names;
use super::origins::Recorder;
use super::overrides::Override;
use super::relationships::Relationship;
use super::resource::{Kind, Parameter, Resource, ResourceId, SourceId, reference};
use super::tags::{Tag, TagSet, Tags};
use crate::Place;
use crate::interpreter::scope::ScopeId;
use crate::issues::{self, Issue};
use crate::library::ResourceType;
use crate::log::Entry as LogEntry;
use crate::place::At;

/// The state of one compilation.
#[derive(Debug)]
pub(crate) struct Compilation {
    /// The name of the node.
    pub(crate) node: EcoString,
    /// The name of the environment.
    pub(crate) environment: Arc<str>,
    pub(crate) data: DataState,
    pub(crate) foreign: ForeignState,
    /// The calls that include the classes that are being evaluated.
    pub(crate) frames: Vec<Place>,
    /// All resources, in the order of the catalog.
    resources: Vec<Resource>,
    /// Those that programs declared: all but the main stage and the settings.
    pub(crate) declared: Vec<ResourceId>,
    /// Declared resources by type, for collectors.
    by_type: FxHashMap<Symbol, Vec<ResourceId>>,
    /// Types that agents know, as far as they were asked for.
    pub(crate) native_types: RefCell<FxHashMap<EcoString, Option<Arc<ResourceType>>>>,
    /// Types that were found, by the names by which they were asked for.
    pub(crate) found_types: RefCell<FxHashMap<EcoString, Found>>,
    by_title: hashbrown::HashMap<TitleKey, ResourceId, FxBuildHasher>,
    /// Resources that are told apart by several attributes.
    by_key: FxHashMap<(Symbol, Vec<Value>), ResourceId>,
    /// The names of classes, in the order in which they were evaluated.
    pub(crate) classes: Vec<EcoString>,
    pub(crate) tags: Tags,
    /// The tags of the catalog.
    pub(crate) catalog_tags: TagSet,
    sources: Vec<Source>,
    /// Sources by the addresses of their definitions.
    source_ids: FxHashMap<usize, SourceId>,
    /// Resources of classes, by the names of the classes.
    by_class: FxHashMap<EcoString, ResourceId>,
    scopes: Vec<ScopeInfo>,
    pub(crate) definitions: Definitions,
    /// Types that some scope has defaults for.
    with_defaults: FxHashSet<Symbol>,
    pub(crate) overrides: IndexMap<(EcoString, EcoString), Vec<Override>, FxBuildHasher>,
    pub(crate) collectors: Vec<Option<Collector>>,
    pub(crate) relationships: Vec<Relationship>,
    /// How many references at the end of `before` and `notify` of each resource come from arrows: these resources
    /// are there.
    pub(crate) related: Vec<[usize; 2]>,
    pub(crate) names: Names,
    /// The origins of parameters and edges.
    pub(crate) origins: Recorder,
    /// Resources that need not be looked at again for something to evaluate.
    pub(crate) n_evaluated: usize,
    /// How many resources there may be.
    pub(crate) max_resources: usize,
    /// The exports of other nodes; without them exported resources are not collected.
    pub(crate) exports: Option<Arc<dyn Exports>>,
    /// The nodes that exported what was collected.
    pub(crate) exporters: FxHashMap<ResourceId, EcoString>,
    /// Whether the exports of other nodes were read.
    pub(crate) has_asked: bool,
    /// Whether values that are no data become texts.
    pub(crate) is_plain: bool,
    /// Warnings about values that became texts.
    pub(crate) lost: RefCell<Vec<LogEntry>>,
    /// The error in a value that shows only when the value is written.
    pub(crate) late_issue: OnceCell<Issue>,
    /// Types of the results of deferred calls.
    pub(crate) deferred_types: Vec<(Value, Type)>,
}

/// A class, define or node that sets things.
#[derive(Debug)]
struct Source {
    definition: Option<Arc<Definition>>,
    /// Whether it may override everything, since a collector of its did.
    overrides_all: bool,
}

/// The catalog's view of a named scope.
#[derive(Debug, Default)]
struct ScopeInfo {
    /// The scope that it was made in.
    parent: Option<ScopeId>,
    /// The class, define or node that is evaluated in it.
    resource: Option<ResourceId>,
    source: Option<SourceId>,
    /// The defaults of resources, by type.
    defaults: Vec<(Symbol, Vec<Parameter>)>,
}

/// Initial capacity: catalogs seldom have more resources.
const USUAL_RESOURCES: usize = 1024;

impl Compilation {
    pub(crate) fn new() -> Self {
        let mut scopes = Vec::with_capacity(crate::interpreter::scope::USUAL);
        scopes.push(ScopeInfo { source: Some(SourceId::MAIN), ..ScopeInfo::default() });
        Self {
            node: EcoString::new(),
            environment: "".into(),
            data: DataState::default(),
            foreign: ForeignState::default(),
            frames: Vec::new(),
            resources: Vec::with_capacity(USUAL_RESOURCES),
            declared: Vec::with_capacity(USUAL_RESOURCES),
            by_type: FxHashMap::default(),
            native_types: RefCell::default(),
            found_types: RefCell::default(),
            by_title: hashbrown::HashMap::with_capacity_and_hasher(USUAL_RESOURCES, FxBuildHasher),
            by_key: FxHashMap::default(),
            classes: Vec::new(),
            tags: Tags::new(),
            catalog_tags: TagSet::default(),
            source_ids: FxHashMap::default(),
            by_class: FxHashMap::default(),
            sources: vec![Source { definition: None, overrides_all: false }],
            scopes,
            definitions: Definitions::default(),
            with_defaults: FxHashSet::default(),
            overrides: IndexMap::default(),
            collectors: Vec::new(),
            relationships: Vec::new(),
            related: Vec::new(),
            names: Names::new(),
            origins: Recorder::default(),
            n_evaluated: 0,
            max_resources: 500_000,
            exports: None,
            exporters: FxHashMap::default(),
            has_asked: false,
            is_plain: false,
            lost: RefCell::default(),
            late_issue: OnceCell::new(),
            deferred_types: Vec::new(),
        }
    }

    /// How much there is; what changes the catalog changes it.
    pub(crate) fn size(&self) -> [usize; 5] {
        let n_overrides = self.overrides.values().map(Vec::len).sum();
        let (n_collectors, n_relationships) = (self.collectors.len(), self.relationships.len());
        [self.resources.len(), self.classes.len(), n_overrides, n_collectors, n_relationships]
    }

    /// Whether exported resources are collected.
    pub(crate) const fn storeconfigs(&self) -> bool {
        self.exports.is_some()
    }

    /// A resource.
    pub(crate) fn resource(&self, id: ResourceId) -> &Resource {
        &self.resources[id.0 as usize]
    }

    /// A resource that is to be changed.
    pub(crate) fn resource_mut(&mut self, id: ResourceId) -> &mut Resource {
        &mut self.resources[id.0 as usize]
    }

    /// A resource that is to be changed, and the table of origins.
    pub(crate) fn resource_and_origins(
        &mut self,
        id: ResourceId,
    ) -> (&mut Resource, &mut OriginTable) {
        (&mut self.resources[id.0 as usize], &mut self.origins.table)
    }

    /// How many resources there are.
    pub(crate) fn n_resources(&self) -> usize {
        self.resources.len()
    }

    /// Takes all resources away, at the end.
    pub(crate) fn take_resources(&mut self) -> Vec<Resource> {
        std::mem::take(&mut self.resources)
    }

    /// All resources in the order of the catalog.
    pub(crate) fn resources(&self) -> impl Iterator<Item = (ResourceId, &Resource)> {
        (0..).map(ResourceId).zip(&self.resources)
    }

    /// Adds a resource to the catalog, under its title and under what else tells it apart.
    pub(crate) fn add(&mut self, resource: Resource) -> Result<ResourceId, AddError> {
        if self.resources.len() >= self.max_resources {
            return Err(AddError::TooMany(self.max_resources));
        }
        let id = ResourceId(u32::try_from(self.resources.len()).expect("resources are limited"));
        match self.by_title.entry(TitleKey(resource.type_, resource.title.clone())) {
            Entry::Vacant(place) => drop(place.insert(id)),
            Entry::Occupied(known) => {
                let at = self.resources[known.get().0 as usize].at.clone();
                return Err(AddError::Duplicate { resource: resource.reference(), at });
            }
        }
        if let Kind::Class(Some(class)) = &resource.kind {
            self.by_class.insert(class.name.clone(), id);
        }
        self.resources.push(resource);
        self.add_aliases(id).map_err(AddError::Alias)?;
        Ok(id)
    }

    fn add_aliases(&mut self, id: ResourceId) -> Result<(), Issue> {
        let resource = self.resource(id);
        if let Some(aliases) = resource.get(self.names.alias).cloned() {
            for alias in flatten(&aliases) {
                self.alias(id, vec![alias], true)?;
            }
        }
        let resource = self.resource(id);
        let is_isomorphic = match &resource.kind {
            Kind::Native(type_) => type_.is_isomorphic(),
            _ => true,
        };
        if !is_isomorphic {
            return Ok(());
        }
        if self.is_identified_by_title(resource) {
            return Ok(());
        }
        let key = self.uniqueness_key(resource)?;
        let is_title = matches!(&key[..], [Value::String(only)] if *only == resource.title);
        match is_title || !key.iter().any(Value::is_truthy) {
            true => Ok(()),
            false => self.alias(id, key, false),
        }
    }

    /// Whether its title alone identifies a resource among those of its type.
    fn is_identified_by_title(&self, resource: &Resource) -> bool {
        match &resource.kind {
            Kind::Native(type_) => {
                let is_given = |name| resource.get(name).is_some();
                type_.is_title_unique(&resource.title)
                    && !is_given(type_.namevar_symbol())
                    && !is_given(self.names.name)
            }
            _ => resource.get(self.names.name).is_none(),
        }
    }

    /// Returns the values that identify a resource among those of its type.
    fn uniqueness_key(&self, resource: &Resource) -> Result<Vec<Value>, Issue> {
        match &resource.kind {
            Kind::Native(type_) => {
                let given = |name: &str| {
                    let name = Symbol::known(name)?;
                    resource.get(name).filter(|value| !value.is_undef()).cloned()
                };
                unique(type_, &resource.title, &given)
            }
            _ => {
                let name = resource.get(self.names.name).filter(|value| !value.is_undef());
                Ok(vec![name.cloned().unwrap_or_else(|| resource.title.clone().into())])
            }
        }
    }

    fn alias(&mut self, id: ResourceId, key: Vec<Value>, is_explicit: bool) -> Result<(), Issue> {
        let resource = self.resource(id);
        let type_ = resource.type_;
        if let ([Value::String(only)], true) = (&key[..], is_explicit)
            && *only == resource.title
        {
            return Ok(());
        }
        let known = match &key[..] {
            [Value::String(only)] => self.of_title(type_, only),
            _ => self.by_key.get(&(type_, key.clone())).copied(),
        };
        if let Some(known) = known {
            if known == id {
                return Ok(());
            }
            let shown = match (&key[..], is_explicit) {
                ([only], true) => kukla_pcore::ruby::inspect(only),
                _ => kukla_pcore::ruby::inspect(&Value::array(key.iter().cloned())),
            };
            let mut full = vec![Value::from(type_.as_str())];
            full.extend(key.iter().cloned());
            let full = kukla_pcore::ruby::inspect(&Value::array(full));
            let name = resource.reference();
            let existing = self.resource(known).at.text_with_space();
            let at = resource.at.text();
            let to = match at.is_empty() {
                true => shown,
                false => format!("{shown} at {at}"),
            };
            return Err(issues::duplicate_alias(&name, &to, &full, &existing));
        }
        match <[Value; 1]>::try_from(key) {
            Ok([Value::String(only)]) => self.by_title.insert(TitleKey(type_, only), id),
            Ok(key) => self.by_key.insert((type_, key.into()), id),
            Err(key) => self.by_key.insert((type_, key), id),
        };
        Ok(())
    }

    /// A program has declared a resource.
    pub(crate) fn note_declared(&mut self, id: ResourceId) {
        self.declared.push(id);
        self.by_type.entry(self.resource(id).type_).or_default().push(id);
    }

    /// The resources of a type that programs declared.
    pub(crate) fn declared_of(&self, type_: Symbol) -> &[ResourceId] {
        self.by_type.get(&type_).map_or(&[], Vec::as_slice)
    }

    /// Gives a resource the tags of another that contains it.
    pub(crate) fn merge_tags(&mut self, from: ResourceId, to: ResourceId) {
        let is_scope = self.scope_resource(self.resource(to).scope) == Some(from);
        let places = [from.0 as usize, to.0 as usize];
        // A resource has its own tags.
        let Ok([from, to]) = self.resources.get_disjoint_mut(places) else { return };
        // Tags are only added: those of the scope that were there before are here already.
        let n_known = if is_scope { to.n_scope_tags as usize } else { 0 };
        to.tags.merge_from(&from.tags, n_known);
        if is_scope {
            to.n_scope_tags = u32::try_from(from.tags.len()).unwrap_or(u32::MAX);
        }
    }

    /// The resource of a type and exactly this title.
    pub(crate) fn of_title(&self, type_: Symbol, title: &str) -> Option<ResourceId> {
        self.by_title.get(&(type_, title)).copied()
    }

    /// The resource of a type and title.
    pub(crate) fn find(
        &self,
        type_: Symbol,
        title: &str,
        native: &ResourceType,
    ) -> Option<ResourceId> {
        if let Some(id) = self.of_title(type_, title) {
            return Some(id);
        }
        if native.is_title_unique(title) {
            return None;
        }
        let key = unique(native, title, &|_| None).ok()?;
        match &key[..] {
            [Value::String(only)] => self.of_title(type_, only),
            _ => self.by_key.get(&(type_, key)).copied(),
        }
    }

    /// The resource of a class.
    pub(crate) fn find_class(&self, name: &str) -> Option<ResourceId> {
        let name = name.strip_prefix("::").unwrap_or(name);
        if let Some(&known) = self.by_class.get(name) {
            return Some(known);
        }
        self.of_title(self.names.class, &kukla_pcore::types::capitalize_segments(name))
    }

    /// One resource contains another.
    pub(crate) fn add_edge(&mut self, container: ResourceId, content: ResourceId, by: OriginId) {
        // A resource is contained in few others, but may contain thousands.
        if self.resource(content).contained_in.iter().any(|(known, _)| *known == container) {
            return;
        }
        self.resource_mut(content).contained_in.push((container, by));
        self.resource_mut(container).contains.push(content);
    }

    /// Adds a source.
    pub(crate) fn add_source(&mut self, definition: &Arc<Definition>) -> SourceId {
        // The definition is kept, so nothing else can come to lie at its address.
        *self.source_ids.entry(Arc::as_ptr(definition).addr()).or_insert_with(|| {
            let number = u32::try_from(self.sources.len()).expect("definitions are limited");
            let definition = Some(Arc::clone(definition));
            self.sources.push(Source { definition, overrides_all: false });
            SourceId(number)
        })
    }

    /// Returns the definition of a source.
    pub(crate) fn source(&self, id: SourceId) -> Option<&Arc<Definition>> {
        self.sources[id.0 as usize].definition.as_ref()
    }

    /// Lets a source override everything.
    pub(crate) fn let_override(&mut self, id: SourceId) {
        self.sources[id.0 as usize].overrides_all = true;
    }

    /// Whether a class inherits another, or may do as if it did.
    pub(crate) fn is_child_of(&self, child: SourceId, parent: SourceId) -> bool {
        if self.sources[child.0 as usize].overrides_all {
            return true;
        }
        let Some(wanted) = self.source(parent) else { return false };
        let mut at = self.source(child).and_then(|child| child.parent.clone());
        let mut steps = 0;
        while let Some(name) = at {
            let Some(class) = self.definitions.loaded_class(&name) else { return false };
            if Arc::ptr_eq(&class, wanted) {
                return true;
            }
            at = class.parent.clone();
            steps += 1;
            if steps > 1_000 {
                return false;
            }
        }
        false
    }

    fn info(&self, scope: ScopeId) -> Option<&ScopeInfo> {
        self.scopes.get(scope.index())
    }

    fn info_mut(&mut self, scope: ScopeId) -> &mut ScopeInfo {
        let index = scope.index();
        if self.scopes.len() <= index {
            self.scopes.resize_with(index + 1, ScopeInfo::default);
        }
        &mut self.scopes[index]
    }

    /// Tells what a scope belongs to.
    pub(crate) fn describe_scope(
        &mut self,
        scope: ScopeId,
        parent: ScopeId,
        resource: ResourceId,
        source: SourceId,
    ) {
        let info = self.info_mut(scope);
        info.parent = Some(parent);
        info.resource = Some(resource);
        info.source = Some(source);
    }

    /// The class, define or node of a scope.
    pub(crate) fn scope_resource(&self, scope: ScopeId) -> Option<ResourceId> {
        self.info(scope)?.resource
    }

    /// Sets the resource of the top scope.
    pub(crate) fn set_scope_resource(&mut self, scope: ScopeId, resource: ResourceId) {
        self.info_mut(scope).resource = Some(resource);
    }

    /// Returns the source of settings in a scope.
    pub(crate) fn scope_source(&self, scope: ScopeId) -> SourceId {
        self.info(scope).and_then(|info| info.source).unwrap_or(SourceId::MAIN)
    }

    /// The scope that a scope was made in.
    pub(crate) fn scope_parent(&self, scope: ScopeId) -> Option<ScopeId> {
        self.info(scope)?.parent
    }

    /// The defaults of a type that a scope itself sets.
    pub(crate) fn own_defaults(&self, scope: ScopeId, type_: Symbol) -> &[Parameter] {
        let known = self.info(scope).and_then(|info| {
            let mut defaults = info.defaults.iter();
            defaults.find(|(known, _)| *known == type_)
        });
        known.map_or(&[], |(_, parameters)| parameters)
    }

    /// Whether any scope has defaults for a type.
    pub(crate) fn has_defaults(&self, type_: Symbol) -> bool {
        self.with_defaults.contains(&type_)
    }

    /// The list of defaults of a type that a scope itself sets, to add to it.
    pub(crate) fn own_defaults_mut(
        &mut self,
        scope: ScopeId,
        type_: Symbol,
    ) -> &mut Vec<Parameter> {
        self.with_defaults.insert(type_);
        let defaults = &mut self.info_mut(scope).defaults;
        let at = match defaults.iter().position(|(known, _)| *known == type_) {
            Some(at) => at,
            None => {
                defaults.push((type_, Vec::new()));
                defaults.len() - 1
            }
        };
        &mut defaults[at].1
    }

    /// Whether a resource, or what it was declared in, has a tag.
    pub(crate) fn is_tagged(&self, id: ResourceId, tag: Tag) -> bool {
        let mut at = Some(id);
        while let Some(id) = at {
            let resource = self.resource(id);
            if resource.tags.contains(tag) {
                return true;
            }
            at = self.scope_resource(resource.scope).filter(|&around| around != id);
        }
        false
    }

    /// `File[/tmp]`
    pub(crate) fn reference(&self, id: ResourceId) -> EcoString {
        let resource = self.resource(id);
        reference(resource.type_, &resource.title)
    }
}

/// The type and title of a resource, which can be looked for without a copy of the title.
#[derive(PartialEq, Eq, Debug)]
struct TitleKey(Symbol, EcoString);

impl Hash for TitleKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.0, self.1.as_str()).hash(state);
    }
}

impl hashbrown::Equivalent<TitleKey> for (Symbol, &str) {
    fn equivalent(&self, key: &TitleKey) -> bool {
        self.0 == key.0 && self.1 == key.1
    }
}

/// Returns the values that identify a resource of a native type.
fn unique(
    type_: &ResourceType,
    title: &str,
    given: &dyn Fn(&str) -> Option<Value>,
) -> Result<Vec<Value>, Issue> {
    // Puppet calls a resource without a name so.
    let name = Value::from(format!("{}/{title}", type_.symbol()));
    let key = type_.uniqueness_key(title, &name, given, &|text| Value::from(text));
    let key = key.map_err(|error| issues::title_mismatch(&error))?;
    Ok(key.into_iter().map(Option::unwrap_or_default).collect())
}

/// Why a resource can't be added.
#[derive(Debug)]
pub(crate) enum AddError {
    /// There is one of that title, which was declared there.
    Duplicate { resource: EcoString, at: At },
    /// There is one with the same attributes that tell resources apart.
    Alias(Issue),
    /// There are so many already.
    TooMany(usize),
}

/// The elements of arrays in arrays, without `undef`.
pub(crate) fn flatten(value: &Value) -> Vec<Value> {
    let mut flat = flattened(std::slice::from_ref(value));
    flat.retain(|value| !value.is_undef());
    flat
}
