//! Commands: what servers say about nodes, in PuppetDB's wire format.
//!
//! [`Command::read`] checks a payload completely, so a command that was accepted can be stored.

mod catalog;
mod facts;
mod fields;
mod report;
mod same;

pub use catalog::{Catalog, CatalogHead, DataLine, Edge, Inputs, Resource};
pub use facts::{Facts, Package};
pub use report::{Event, Report};
pub use same::{SameCatalog, SameFacts};

use fields::Fields;

use crate::{CommandError, json};

/// The largest number of values in a payload: each takes far more memory than its text.
const MOST_VALUES: usize = 5_000_000;

/// The longest name of a node, an environment or a producer.
const LONGEST_NAME: usize = 255;

/// Names of commands, with the first and the last version that are accepted.
const COMMANDS: [(&str, i64, i64); 5] = [
    ("replace catalog", 6, 9),
    ("replace facts", 4, 5),
    ("store report", 6, 8),
    ("deactivate node", 3, 3),
    ("replace catalog inputs", 1, 1),
];

/// Commands that this program writes into its own journal, and refuses from others.
const OWN: [(&str, i64, i64); 2] = [("same catalog", 1, 1), ("same facts", 1, 1)];

/// A command.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// The name of the node.
    pub certname: String,
    /// When its producer made it, in milliseconds since 1970.
    pub producer_timestamp: i64,
    /// Its content.
    pub body: Body,
}

/// The content of a command.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// The facts of the node.
    Facts(Facts),
    /// Its catalog.
    Catalog(Catalog),
    /// Its facts are those that it said last.
    SameFacts(SameFacts),
    /// Its catalog is the one that it had last.
    SameCatalog(SameCatalog),
    /// The data that its catalog depends on.
    Inputs(Inputs),
    /// A report of its agent.
    Report(Box<Report>),
    /// The node is no more.
    Deactivate,
}

impl Command {
    /// Reads a command by its name (`replace facts` or `replace_facts`), version and payload.
    pub fn read(name: &str, version: i64, payload: &[u8]) -> Result<Self, CommandError> {
        Self::read_of(&COMMANDS, name, version, payload)
    }

    /// Reads a command of the journal, which has those of this program too.
    pub(crate) fn reread(name: &str, version: i64, payload: &[u8]) -> Result<Self, CommandError> {
        Self::read_of(if is_own(name) { &OWN } else { &COMMANDS }, name, version, payload)
    }

    fn read_of(
        known: &[(&str, i64, i64)],
        name: &str,
        version: i64,
        payload: &[u8],
    ) -> Result<Self, CommandError> {
        let name = name.replace('_', " ");
        let known = known.iter().find(|(known, ..)| *known == name);
        let Some((_, first, last)) = known else { return Err(CommandError::Name(name)) };
        if !(first..=last).contains(&&version) {
            let is_newer = version > *last;
            return Err(CommandError::Version { name, version, is_newer });
        }
        let marks = payload.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{'));
        if payload.len() > MOST_VALUES && marks.count() > MOST_VALUES {
            return Err(CommandError::Json(format!("there are more than {MOST_VALUES} values")));
        }
        let payload = json::read(payload).map_err(|error| CommandError::Json(error.to_string()))?;
        let fields = Fields::of(&payload, String::new())?;
        let certname =
            fields.name("certname")?.ok_or_else(|| fields.wrong("certname", "a text"))?;
        let producer_timestamp = match fields.time("producer_timestamp")? {
            Some(time) => time,
            None => return Err(fields.wrong("producer_timestamp", "a time")),
        };
        let body = match name.as_str() {
            "replace catalog" => Body::Catalog(Catalog::read(&fields)?),
            "replace facts" => Body::Facts(Facts::read(&fields)?),
            "store report" => Body::Report(Box::new(Report::read(&fields)?)),
            "replace catalog inputs" => Body::Inputs(Inputs::read(&fields)?),
            "same catalog" => Body::SameCatalog(SameCatalog::read(&fields)?),
            "same facts" => Body::SameFacts(SameFacts::read(&fields)?),
            _ => Body::Deactivate,
        };
        Ok(Self { certname, producer_timestamp, body })
    }

    /// Returns the name of the command.
    pub fn name(&self) -> &'static str {
        match self.body {
            Body::Facts(_) => "replace facts",
            Body::Catalog(_) => "replace catalog",
            Body::SameFacts(_) => "same facts",
            Body::SameCatalog(_) => "same catalog",
            Body::Inputs(_) => "replace catalog inputs",
            Body::Report(_) => "store report",
            Body::Deactivate => "deactivate node",
        }
    }
}

/// Returns whether a command is one that this program writes for itself.
pub(crate) fn is_own(name: &str) -> bool {
    OWN.iter().any(|(own, ..)| *own == name)
}

/// Returns the names of all commands.
pub(crate) fn names() -> String {
    COMMANDS.map(|(name, ..)| name).join(", ")
}
