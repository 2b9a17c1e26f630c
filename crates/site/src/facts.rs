//! Facts of nodes, read from files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use kukla_pcore::convert::{Convert, Present};
use kukla_pcore::time::Timestamp;
use kukla_pcore::types::NoNames;
use kukla_pcore::{Hash, Value, richdata};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::SiteError;
use crate::data_file;
use kukla_world::files;
use kukla_world::paths::Anchor;

/// The name of a node without facts.
pub(crate) const LOCALHOST: &str = "localhost";

/// Facts and the name of their node.
#[derive(Clone, Debug)]
pub struct NodeFacts {
    /// The name of the node, if the facts or their file have it.
    pub name: Option<String>,
    /// The facts.
    pub values: Arc<Hash>,
}

impl NodeFacts {
    /// Parses facts, plain or as `puppet facts` prints them: under `values`, beside the `name` of the node.
    pub fn of(hash: &Arc<Hash>) -> Self {
        let text = |key: &str| hash.get_str(key).and_then(Value::as_str).map(str::to_owned);
        match (text("name"), hash.get_str("values")) {
            (Some(name), Some(Value::Hash(values))) => {
                Self { name: Some(name), values: rich(values) }
            }
            _ => {
                let name = text("clientcert").or_else(|| text("fqdn"));
                Self { name, values: rich(hash) }
            }
        }
    }

    /// Reads the facts of one node from a JSON or YAML file, whose name is the node's unless the facts name it.
    pub fn read(path: &Path, anchor: &Anchor) -> Result<Self, SiteError> {
        let facts = Self::of(&data_file::read(path, anchor)?);
        // A pipe has no usable name.
        let stem = path.file_stem().filter(|_| files::is_file(&anchor.absolute(path)));
        let stem = stem.map(|stem| stem.to_string_lossy().into_owned());
        Ok(Self { name: facts.name.or(stem), ..facts })
    }

    /// Reads facts from a file, or from all files of a directory, sorted by path.
    pub fn read_all(path: &Path, anchor: &Anchor) -> Result<Vec<Self>, SiteError> {
        if !files::is_directory(&anchor.absolute(path)) {
            return Ok(vec![Self::read(path, anchor)?]);
        }
        let files = fact_files(path, anchor)?;
        // Files are read in parallel, but the error is that of the first file.
        let facts: Vec<Result<Self, SiteError>> =
            files.par_iter().map(|path| Self::read(path, anchor)).collect();
        facts.into_iter().collect()
    }

    /// Reads facts and chooses those of one node: by name, or the only ones.
    pub fn choose(path: &Path, name: Option<&str>, anchor: &Anchor) -> Result<Self, SiteError> {
        let facts = named(Self::read_all(path, anchor)?, name)?;
        match <[Self; 1]>::try_from(facts) {
            Ok([facts]) => Ok(facts),
            Err(facts) if facts.is_empty() => Err(SiteError::NoFacts(path.to_owned())),
            Err(_) => Err(SiteError::SeveralNodes),
        }
    }
}

/// Returns the facts of the node with this name; facts of a single node get the name.
pub(crate) fn named(
    mut facts: Vec<NodeFacts>,
    name: Option<&str>,
) -> Result<Vec<NodeFacts>, SiteError> {
    let Some(name) = name else { return Ok(facts) };
    let at = match facts.iter().position(|facts| facts.name.as_deref() == Some(name)) {
        Some(at) => at,
        None if facts.len() == 1 => 0,
        None => return Err(SiteError::NoFactsOf(name.to_owned())),
    };
    let values = facts.swap_remove(at).values;
    Ok(vec![NodeFacts { name: Some(name.to_owned()), values }])
}

fn fact_files(directory: &Path, anchor: &Anchor) -> Result<Vec<PathBuf>, SiteError> {
    let names = files::readable_names(&anchor.absolute(directory))
        .map_err(SiteError::unreadable(directory))?;
    let mut paths: Vec<PathBuf> = names.iter().map(|name| directory.join(name)).collect();
    paths.retain(|path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("json" | "yaml" | "yml")) && files::is_file(&anchor.absolute(path))
    });
    paths.sort();
    Ok(paths)
}

/// Returns facts in which encoded rich data is decoded.
fn rich(facts: &Arc<Hash>) -> Arc<Hash> {
    let present = || Present { now: Timestamp(0), utc_offset: 0 };
    let convert = Convert::new(&NoNames, &present);
    match richdata::from_data(&Value::Hash(Arc::clone(facts)), &convert) {
        Ok(Value::Hash(rich)) => rich,
        _ => Arc::clone(facts),
    }
}
