//! The origins of each parameter, edge and tag of a catalog.
//!
//! A compilation gives every parameter and every edge an [`OriginId`] of four bytes. Most are the number of an expression, so
//! that nothing is stored for them: [`OriginTable`] finds the code and asks it for the place only for a reader.
//! [`of_catalog`](Origins) has the origins of the finished catalog, [`mod@lines`] writes them as JSON ([`mod@traced`] those of some resources), and [`chain`] follows a
//! value to its sources.

mod chain;
mod code;
mod leaf;
mod lines;
mod of_catalog;
mod table;
mod traced;
mod tracer;

use std::sync::Arc;

use ecow::EcoString;
use kukla_base::Symbol;
use kukla_pcore::Hash;

pub use code::{Code, Definition, Input, Role};
pub use leaf::Leaf;
pub use lines::write;
pub use of_catalog::{Relation, Relationship};
pub use table::OriginTable;
pub use traced::{TracedParameter, traced};

/// The number of an origin in the [`OriginTable`] of one compilation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OriginId(u32);

impl OriginId {
    /// The compiler itself, as for the main stage.
    pub const COMPILER: Self = Self(0);
    /// The node classifier.
    pub const CLASSIFIER: Self = Self(1);
    /// The title of the resource.
    pub const TITLE: Self = Self(2);
    /// The type of the resource.
    pub const TYPE: Self = Self(3);
    /// Numbers from here on are expressions.
    const FIRST_EXPRESSION: u32 = 4;
    /// Numbers from here on are entries of the table.
    const FIRST_ENTRY: u32 = 1 << 31;
}

/// An origin that is more than an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OriginEntry {
    /// A value from data.
    Data(DataOrigin),
    /// A value that replaced another.
    Replaced {
        /// The origin of the value.
        by: OriginId,
        /// The origin of the value before.
        previous: OriginId,
    },
    /// An array of several contributions.
    Parts(ArrayParts),
    /// A metaparameter of the same name, of the container with this number.
    Inherited(u32),
    /// Another node's exported resource, by the name of the node.
    Exported(EcoString),
}

/// A value from data.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataOrigin {
    /// The key.
    pub key: EcoString,
    /// The places that contribute, the one of highest priority first; none for data that a function makes.
    pub places: Box<[DataPlace]>,
    /// Set if the value is a secret, or contains one.
    pub is_secret: bool,
}

/// A place in a data file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DataPlace {
    /// The file.
    pub file: EcoString,
    /// The line of the key, counted from 1; 0 if unknown.
    pub line: u32,
    /// The name of the level of the hierarchy.
    pub level: EcoString,
    /// The number of the level in its hierarchy, counted from 1; 0 for data outside of hierarchies.
    pub number: u32,
}

/// Contributions to an array: elements in the order of their origins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayParts {
    /// The origin whose place messages name.
    pub named: OriginId,
    /// The origin of the first elements: those that `rest` does not count.
    pub first: OriginId,
    /// The origins of later elements, with their number.
    pub rest: Vec<(OriginId, u32)>,
}

/// An origin, for display.
#[derive(Clone, Copy, Debug)]
pub enum Origin<'c> {
    /// An expression.
    Code {
        /// Its role.
        role: Role,
        /// Its place.
        place: CodePlace<'c>,
        /// The origin of the value that it replaced.
        previous: Option<OriginId>,
    },
    /// Data.
    Data(&'c DataOrigin),
    /// Several contributions to an array.
    Parts(&'c ArrayParts),
    /// A metaparameter of the container with this number.
    Inherited(u32),
    /// Another node's exported resource.
    Exported(&'c str),
    /// The node classifier.
    Classifier,
    /// The title of the resource.
    Title,
    /// The type of the resource.
    Type,
    /// The compiler.
    Compiler,
}

impl Origin<'_> {
    /// Returns its name in JSON.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Code { role, .. } => role.as_str(),
            Self::Data(_) => "data",
            Self::Parts(_) => "parts",
            Self::Inherited(_) => "inherited",
            Self::Exported(_) => "exported",
            Self::Classifier => "classifier",
            Self::Title => "title",
            Self::Type => "type",
            Self::Compiler => "compiler",
        }
    }
}

/// A place in code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CodePlace<'c> {
    /// The file; empty for code without one.
    pub file: &'c str,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

/// The origins of everything in a catalog.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// The meaning of the numbers.
    pub table: OriginTable,
    /// An entry for each resource of the catalog.
    pub resources: Vec<ResourceOrigins>,
    /// The parameters of all resources, concatenated.
    pub parameters: Vec<OriginId>,
    /// Parameters without a value, which the catalog leaves out, by resource.
    pub undefs: Vec<(u32, Symbol, OriginId)>,
    /// An entry for each edge of the catalog.
    pub edges: Vec<OriginId>,
    /// The tags that `tag` gave to resources: resource, tag and call.
    pub tags: Vec<(u32, u32, OriginId)>,
    /// Calls that looked up data, with the origin of the result.
    pub lookups: Vec<(OriginId, OriginId)>,
    /// The bodies of the main program.
    pub main: Vec<OriginId>,
    /// The node's facts.
    pub facts: Arc<Hash>,
    /// The variables of the top scope that come with the node: facts, and those of its classifier.
    pub variables: Arc<Hash>,
}

/// The origins of a resource.
#[derive(Clone, Copy, Debug)]
pub struct ResourceOrigins {
    /// The expression that declared it.
    pub declaration: OriginId,
    /// The definition that it is an instance of.
    pub definition: Option<OriginId>,
    /// The class, define or node whose code declared it.
    pub declared_in: Option<u32>,
    /// The index of its first parameter in the list of all.
    pub first_parameter: u32,
}
