//! Resources while a catalog is compiled.

use std::sync::Arc;

use ecow::EcoString;
use kukla_base::Symbol;
use kukla_catalog::origins::OriginId;
use kukla_pcore::Value;
use smallvec::SmallVec;

use super::definition::Definition;
use super::tags::TagSet;
use crate::interpreter::scope::ScopeId;
use crate::library::ResourceType;
use crate::place::At;

/// A resource of one compilation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct ResourceId(pub(crate) u32);

/// Some resources of one compilation: a bit for each.
#[derive(Debug, Default)]
pub(crate) struct ResourceSet(Vec<u64>);

impl ResourceSet {
    /// Adds a resource; whether it was not there.
    pub(crate) fn insert(&mut self, id: ResourceId) -> bool {
        let (word, bit) = (id.0 as usize / 64, 1 << (id.0 % 64));
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let is_new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_new
    }
}

/// The source of a setting: a class, define or node, or the main program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SourceId(pub(crate) u32);

impl SourceId {
    /// The main program.
    pub(crate) const MAIN: Self = Self(0);
}

/// The class, define, node or type that a resource is an instance of.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// A class; its definition, unless it is the main one or that of the settings.
    Class(Option<Arc<Definition>>),
    /// A node.
    Node(Arc<Definition>),
    /// A type that is defined in the language.
    Define(Arc<Definition>),
    /// A type that agents know.
    Native(Arc<ResourceType>),
}

/// A resource.
#[derive(Clone, Debug)]
pub(crate) struct Resource {
    pub(crate) kind: Kind,
    /// `File`, `Apache::Vhost`, `Class`
    pub(crate) type_: Symbol,
    /// The title; of a class, with capital letters.
    pub(crate) title: EcoString,
    /// Whether Puppet has something else than a text for a title, which no text is equal to: a symbol for the main
    /// stage and the main class, a number where a function was given one.
    pub(crate) has_odd_title: bool,
    pub(crate) parameters: Parameters,
    pub(crate) tags: TagSet,
    pub(crate) at: At,
    /// The origin of its declaration.
    pub(crate) origin: OriginId,
    pub(crate) is_virtual: bool,
    pub(crate) is_exported: bool,
    /// Whether it comes from a function: Puppet then writes in another order whether it is exported.
    pub(crate) is_by_function: bool,
    pub(crate) is_evaluated: bool,
    /// Whether it has the tags of what it was declared in.
    pub(crate) has_scope_tags: bool,
    /// How many tags it got so.
    pub(crate) n_scope_tags: u32,
    pub(crate) is_finished: bool,
    /// Whether its parameters were found to be of their types, and have not been changed since.
    pub(crate) is_checked: bool,
    /// The scope that declared it.
    pub(crate) scope: ScopeId,
    pub(crate) source: SourceId,
    /// Parameters whose values are not to be shown.
    pub(crate) sensitive: Vec<Symbol>,
    /// Its content.
    pub(crate) contains: Vec<ResourceId>,
    /// Its containers, with the origins of the edges.
    pub(crate) contained_in: SmallVec<[(ResourceId, OriginId); 2]>,
}

/// Parameters in the order in which they were set.
pub(crate) type Parameters = Vec<Parameter>;

/// A parameter of a resource.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Symbol,
    pub(crate) value: Value,
    pub(crate) source: SourceId,
    /// Its origin.
    pub(crate) origin: OriginId,
    /// Whether it was set with `+>`.
    pub(crate) adds: bool,
}

const _: () = assert!(size_of::<Parameter>() <= 48, "catalogs have tens of thousands");

impl Resource {
    /// `File[/tmp]`
    pub(crate) fn reference(&self) -> EcoString {
        reference(self.type_, &self.title)
    }

    /// Whether it is a class.
    pub(crate) const fn is_class(&self) -> bool {
        matches!(self.kind, Kind::Class(_))
    }

    /// The value of a parameter.
    pub(crate) fn get(&self, name: Symbol) -> Option<&Value> {
        self.parameter(name).map(|parameter| &parameter.value)
    }

    /// A parameter.
    pub(crate) fn parameter(&self, name: Symbol) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// Sets a parameter, at its place if it is there already.
    pub(crate) fn put(&mut self, parameter: Parameter) {
        self.is_checked = false;
        match self.parameters.iter_mut().find(|known| known.name == parameter.name) {
            Some(known) => *known = parameter,
            None => self.parameters.push(parameter),
        }
    }

    /// Sets the value of a parameter that is known to have none.
    pub(crate) fn add(&mut self, name: Symbol, value: Value, origin: OriginId) {
        let source = self.source;
        self.parameters.push(Parameter { name, value, source, origin, adds: false });
    }

    /// Sets the value of the parameter at a place.
    pub(crate) fn replace(&mut self, at: usize, value: Value, origin: OriginId) {
        let (name, source) = (self.parameters[at].name, self.source);
        self.parameters[at] = Parameter { name, value, source, origin, adds: false };
    }

    /// Sets the value of a parameter in the name of what declared the resource.
    pub(crate) fn set(&mut self, name: Symbol, value: Value, origin: OriginId) {
        let source = self.source;
        self.put(Parameter { name, value, source, origin, adds: false });
    }

    /// The definition, of classes, nodes and defines that have one.
    pub(crate) const fn definition(&self) -> Option<&Arc<Definition>> {
        match &self.kind {
            Kind::Class(definition) => definition.as_ref(),
            Kind::Node(definition) | Kind::Define(definition) => Some(definition),
            Kind::Native(_) => None,
        }
    }
}

/// `File[/tmp]`
pub(crate) fn reference(type_: Symbol, title: &str) -> EcoString {
    super::reference::bracketed(type_.as_str(), title)
}
