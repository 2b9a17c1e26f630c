//! Catalogs: what a compilation makes and an agent applies.
//!
//! A [`Catalog`] has resources in the order in which they were declared, what contains what, and the names of
//! classes. [`json`] writes it as Puppet does; [`tree`], [`dot`] and [`svg`] draw it; [`cycles`] finds what can't be
//! applied; [`origins`] knows what set each parameter, edge and tag.
//!
//! Invariant: values here are data already: nothing is left that JSON can't hold.

mod components;
pub mod cycles;
pub mod dot;
pub mod exports;
pub mod json;
pub mod origins;
#[cfg(test)]
mod samples;
pub mod svg;
pub mod tree;
pub mod types;

use std::sync::Arc;

use ecow::EcoString;
use kukla_base::Symbol;
use kukla_pcore::Value;
use origins::Origins;
use smallvec::SmallVec;

/// Tags as numbers; most resources have few.
pub type Tags = SmallVec<[u32; 12]>;

/// What an agent is to make of its machine.
#[derive(Clone, Debug)]
pub struct Catalog {
    /// The name of the node.
    pub name: EcoString,
    /// The time when it was made, or what the environment says it is.
    pub version: i64,
    /// The name of the environment.
    pub environment: EcoString,
    /// The texts of all tags; elsewhere tags are numbers of this list.
    pub tag_names: Vec<EcoString>,
    /// The tags of all classes.
    pub tags: Tags,
    /// All resources.
    pub resources: Vec<Resource>,
    /// What the node exports, whether it is among its resources or not.
    pub exported: Vec<Resource>,
    /// What contains what: numbers of resources, the container first.
    pub edges: Vec<(u32, u32)>,
    /// The names of classes, in the order in which they were evaluated.
    pub classes: Vec<EcoString>,
    /// What set each parameter, edge and tag.
    pub origins: Origins,
}

/// Something to be managed, or something that contains such.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// `File`
    pub type_: Symbol,
    /// `/tmp`
    pub title: EcoString,
    /// Its tags.
    pub tags: Tags,
    /// The manifest that declared it.
    pub file: Option<Arc<str>>,
    /// The line there.
    pub line: Option<u32>,
    /// Whether others may collect it.
    pub is_exported: bool,
    /// Whether the kind is written before that: so it is for resources that functions declare.
    pub names_kind_first: bool,
    /// What its type is.
    pub kind: Kind,
    /// Names and values, which are data.
    pub parameters: Vec<(Symbol, Value)>,
    /// Parameters whose values are not to be shown.
    pub sensitive: Vec<Symbol>,
}

/// What the type of a resource is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A class that was declared like a resource.
    Class,
    /// A type that agents know.
    CompilableType,
    /// A type that is defined in the language.
    DefinedType,
    /// A class that was included, or a node.
    Unknown,
}

impl Kind {
    /// As catalogs have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Class => "class",
            Self::CompilableType => "compilable_type",
            Self::DefinedType => "defined_type",
            Self::Unknown => "unknown",
        }
    }
}

impl Resource {
    /// `File[/tmp]`
    pub fn reference(&self) -> String {
        format!("{}[{}]", self.type_, self.title)
    }

    /// `site.pp:3`; a program without a file has lines only.
    pub fn place(&self) -> Option<String> {
        let line = self.line?;
        match self.file.as_deref() {
            None | Some("") => Some(format!("line {line}")),
            Some(file) => Some(format!("{file}:{line}")),
        }
    }
}
