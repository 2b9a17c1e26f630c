//! The ends of chains.

use ecow::EcoString;

use super::OriginId;

/// The end of a chain.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Leaf {
    /// A literal in code.
    Literal(OriginId),
    /// A literal that is the default of a parameter.
    Default(OriginId),
    /// A fact of the node, or trusted data.
    Fact(EcoString),
    /// Data.
    Data(OriginId),
    /// The node classifier.
    Classifier,
    /// A resource that the node with this name exports.
    Exported(EcoString),
    /// A setting of Puppet's.
    Setting(EcoString),
    /// The compiler.
    Compiler,
    /// A variable whose origin the code does not show.
    Unknown(EcoString),
}

impl Leaf {
    /// Returns its name in JSON.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Literal(_) => "literal",
            Self::Default(_) => "default",
            Self::Fact(_) => "fact",
            Self::Data(_) => "data",
            Self::Classifier => "classifier",
            Self::Exported(_) => "exported",
            Self::Setting(_) => "setting",
            Self::Compiler => "compiler",
            Self::Unknown(_) => "unknown",
        }
    }

    /// Returns true if the origin is known.
    pub const fn is_known(&self) -> bool {
        !matches!(self, Self::Unknown(_))
    }
}
