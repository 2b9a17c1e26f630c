//! Questions and answers.

use std::sync::Arc;

use kukla_base::Digest;

/// The kind of a question.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// The version of Kukla and the settings that change what code means.
    Compiler,
    /// The name of the node.
    Node,
    /// The directories, manifests and options that an environment was opened with.
    Environment,
    /// The program that was given in place of the environment's own.
    Code,
    /// Classes and parameters of a classifier.
    Classification,
    /// A variable that the top scope has from the beginning: a fact, or a parameter of a classifier.
    Variable,
    /// A fact, by path.
    Fact,
    /// Trusted data, by path.
    Trusted,
    /// Facts of the server, by path.
    ServerFact,
    /// A setting that code has read.
    Setting,
    /// The module of a name.
    Module,
    /// The bytes of a file.
    File,
    /// The kind of thing that a path leads to.
    Path,
    /// The path that another one leads to.
    Link,
    /// The presence of an entry in a directory, even if it is a link that leads nowhere.
    Entry,
    /// The names in a directory.
    Directory,
    /// A key of a data file in YAML. Without a key: the form of the file.
    Data,
    /// A key of a data file in JSON.
    JsonData,
    /// A key of a data file in HOCON.
    HoconData,
    /// Exported resources.
    Exported,
    /// The answer of the store to a query.
    StoreQuery,
    /// The clock.
    Clock,
    /// Randomness.
    Random,
    /// The output of a program.
    Program,
    /// A name that a name server was asked for.
    Name,
    /// Something that a real Ruby ran.
    Ruby,
}

impl Kind {
    /// Returns whether a frozen site answers it: always the same, as long as it is that site.
    pub const fn is_of_site(self) -> bool {
        matches!(
            self,
            Self::Environment
                | Self::Module
                | Self::File
                | Self::Path
                | Self::Link
                | Self::Entry
                | Self::Directory
                | Self::Data
                | Self::JsonData
                | Self::HoconData
        )
    }

    /// Returns its name in written records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compiler => "compiler",
            Self::Node => "node",
            Self::Environment => "environment",
            Self::Code => "code",
            Self::Classification => "classification",
            Self::Variable => "variable",
            Self::Fact => "fact",
            Self::Trusted => "trusted",
            Self::ServerFact => "server_fact",
            Self::Setting => "setting",
            Self::Module => "module",
            Self::File => "file",
            Self::Path => "path",
            Self::Link => "link",
            Self::Entry => "entry",
            Self::Directory => "directory",
            Self::Data => "data",
            Self::JsonData => "json_data",
            Self::HoconData => "hocon_data",
            Self::Exported => "exported",
            Self::StoreQuery => "store_query",
            Self::Clock => "clock",
            Self::Random => "random",
            Self::Program => "program",
            Self::Name => "name",
            Self::Ruby => "ruby",
        }
    }
}

/// The answer to a question.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Answer {
    /// There is nothing.
    Absent,
    /// Something with this digest.
    Digest(Digest),
    /// Something that may be different the next time, though nothing has changed.
    Volatile,
}

/// A question with its answer.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Atom {
    /// The kind of the question.
    pub kind: Kind,
    /// The path, name or fact that it is about.
    pub name: Arc<str>,
    /// The part of it, such as the key of a data file.
    pub part: Option<Arc<str>>,
    /// The answer.
    pub answer: Answer,
}

impl Atom {
    /// Makes a note about a whole thing.
    pub fn new(kind: Kind, name: impl Into<Arc<str>>, answer: Answer) -> Self {
        Self { kind, name: name.into(), part: None, answer }
    }

    /// Makes a note about a part of a thing.
    pub fn of_part(
        kind: Kind,
        name: impl Into<Arc<str>>,
        part: impl Into<Arc<str>>,
        answer: Answer,
    ) -> Self {
        Self { kind, name: name.into(), part: Some(part.into()), answer }
    }
}
