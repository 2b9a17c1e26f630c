//! The commands `same facts` and `same catalog`: a node said again what it had said last.

use super::{CatalogHead, Fields};
use crate::CommandError;

/// The facts of a node, which are those that it said last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SameFacts {
    /// When it said them last, in milliseconds since 1970.
    pub since: i64,
    /// The server.
    pub producer: Option<String>,
}

/// The catalog of a node, which is the one that it had last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SameCatalog {
    /// When it got that, in milliseconds since 1970.
    pub since: i64,
    /// The description of the catalog, which is a new one.
    pub head: CatalogHead,
}

impl SameFacts {
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, CommandError> {
        Ok(Self { since: since(fields)?, producer: fields.name("producer")? })
    }
}

impl SameCatalog {
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, CommandError> {
        Ok(Self { since: since(fields)?, head: CatalogHead::read(fields)? })
    }
}

fn since(fields: &Fields<'_>) -> Result<i64, CommandError> {
    fields.time("since")?.ok_or_else(|| fields.wrong("since", "a time"))
}
