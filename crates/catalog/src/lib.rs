//! Catalogs: the results of compilations, which agents apply.
//!
//! A [`Catalog`] has resources in the order of their declarations, their containment, and the names of classes. [`json`] writes
//! it as Puppet does; [`tree`], [`dot`] and [`svg`] draw it; [`cycles`] finds dependency cycles; [`origins`] has the origin of
//! each parameter, edge and tag.
//!
//! Invariant: values here are data, which JSON can hold.

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

/// The version of a catalog, which agents print and report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Version {
    /// The time of the compilation, in seconds since the beginning of 1970.
    Seconds(i64),
    /// The output of the environment's `config_version`.
    Text(EcoString),
}

impl Default for Version {
    fn default() -> Self {
        Self::Seconds(0)
    }
}

/// The desired state of a node.
#[derive(Clone, Debug)]
pub struct Catalog {
    /// The name of the node.
    pub name: EcoString,
    /// Its version.
    pub version: Version,
    /// The name of the environment.
    pub environment: EcoString,
    /// The texts of all tags; elsewhere tags are indexes of this list.
    pub tag_names: Vec<EcoString>,
    /// The tags of all classes.
    pub tags: Tags,
    /// All resources.
    pub resources: Vec<Resource>,
    /// The exported resources of the node, among its resources or not.
    pub exported: Vec<Resource>,
    /// Containment: indexes of resources, the container first.
    pub edges: Vec<(u32, u32)>,
    /// The names of classes, in the order in which they were evaluated.
    pub classes: Vec<EcoString>,
    /// The origin of each parameter, edge and tag.
    pub origins: Origins,
}

/// A managed resource, or a container of such.
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
    /// Set if other nodes may collect it.
    pub is_exported: bool,
    /// Set if JSON has the kind before `exported`, as for resources that functions declare.
    pub names_kind_first: bool,
    /// The kind of its type.
    pub kind: Kind,
    /// Names and values, which are data.
    pub parameters: Vec<(Symbol, Value)>,
    /// Sensitive parameters, whose values must not be shown.
    pub sensitive: Vec<Symbol>,
}

/// The kind of a resource's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A class that was declared like a resource.
    Class,
    /// A type that agents implement.
    CompilableType,
    /// A type that is defined in the language.
    DefinedType,
    /// A class that was included, or a node.
    Unknown,
}

impl Kind {
    /// Returns its name in catalogs.
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
    /// Returns `File[/tmp]`.
    pub fn reference(&self) -> String {
        format!("{}[{}]", self.type_, self.title)
    }

    /// Returns `site.pp:3`; for a program without a file only the line.
    pub fn place(&self) -> Option<String> {
        let line = self.line?;
        match self.file.as_deref() {
            None | Some("") => Some(format!("line {line}")),
            Some(file) => Some(format!("{file}:{line}")),
        }
    }
}
