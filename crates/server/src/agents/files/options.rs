//! Parameters of requests for metadata.

use super::checksum::ChecksumType;
use super::error::FileError;
use crate::agents::query::Query;

/// The attributes of files that an agent asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct MetadataOptions {
    /// Set if links are followed (`links=follow`).
    pub(super) follows: bool,
    pub(super) checksum: ChecksumType,
    /// Set if owner, group and mode are the file's own (`source_permissions=use`).
    pub(super) has_permissions: bool,
}

/// The extent of a list.
#[derive(Clone, Debug)]
pub(super) struct Recursion {
    /// The deepest level; none for no limit, 0 for the directory alone.
    pub(super) depth: Option<usize>,
    pub(super) max_files: Option<usize>,
    /// Patterns for names.
    pub(super) ignore: Vec<String>,
}

impl MetadataOptions {
    /// Reads the parameters; `is_list` says that the value `ignore` of `links` is refused, as Puppet does in lists.
    pub(super) fn parse(query: &Query, is_list: bool) -> Result<Self, FileError> {
        let follows = match one(query, "links")? {
            None | Some("manage") => false,
            Some("follow") => true,
            Some("ignore") if !is_list => false,
            Some(other) if is_list => {
                return Err(refused(format!("Invalid :links value '{other}'")));
            }
            Some(_) => return Err(refused(":links can only be set to :manage or :follow")),
        };
        let checksum = match one(query, "checksum_type")? {
            None => ChecksumType::Sha256,
            Some(name) => ChecksumType::named(name)
                .ok_or_else(|| refused(format!("Unsupported checksum type {name}")))?,
        };
        let has_permissions = match one(query, "source_permissions")? {
            None | Some("ignore") => false,
            Some("use" | "use_when_creating") => true,
            Some(other) => return Err(refused(format!("Unsupported source_permission {other}"))),
        };
        Ok(Self { follows, checksum, has_permissions })
    }
}

impl Recursion {
    /// Reads the parameters.
    pub(super) fn parse(query: &Query) -> Result<Self, FileError> {
        let is_recursive = match one(query, "recurse")? {
            None | Some("false") => false,
            Some(text) if is_number(text) => {
                let words = "Fileset recurse parameter must not be a number anymore, please use recurselimit";
                return Err(refused(words));
            }
            Some(_) => true,
        };
        let depth = match one(query, "recurselimit")? {
            _ if !is_recursive => Some(0),
            None => None,
            Some(text) => Some(number(text, "comparison of Integer with String failed")?),
        };
        let max_files = match one(query, "max_files")? {
            None | Some("-1" | "0") => None,
            Some(text) => Some(number(text, "comparison of String with 0 failed")?),
        };
        let ignore = query.all("ignore").map(str::to_owned).collect();
        Ok(Self { depth, max_files: max_files.filter(|most| *most > 0), ignore })
    }
}

/// Returns the only value of a parameter.
fn one<'a>(query: &'a Query, name: &'a str) -> Result<Option<&'a str>, FileError> {
    let mut values = query.all(name);
    match (values.next(), values.next()) {
        (value, None) => Ok(value),
        _ => Err(refused(format!("The parameter '{name}' has more than one value"))),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns a number; one that is too large for the machine is as good as the largest.
fn number(text: &str, otherwise: &str) -> Result<usize, FileError> {
    match is_number(text) {
        true => Ok(text.parse().unwrap_or(usize::MAX)),
        false => Err(refused(otherwise)),
    }
}

fn refused(words: impl Into<String>) -> FileError {
    FileError::Parameter(words.into())
}
