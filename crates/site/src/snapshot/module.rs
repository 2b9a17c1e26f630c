//! Modules and their dependencies.

use std::path::{Path, PathBuf};

use kukla_world::World;

/// A module of an environment.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    /// Its declared dependencies, which are searched before all other modules.
    pub(crate) dependencies: Vec<String>,
    /// The version in its metadata.
    pub(crate) version: Option<String>,
    /// `data_provider` of its metadata, the predecessor of `hiera.yaml`.
    pub(crate) data_provider: Option<String>,
}

impl Module {
    pub(crate) fn open(name: &str, path: &Path, world: &dyn World) -> Self {
        let metadata = world.read_text(&path.join("metadata.json").to_string_lossy()).ok();
        let metadata: Option<serde_json::Value> =
            metadata.and_then(|text| serde_json::from_str(&text).ok());
        let list = metadata.as_ref().and_then(|metadata| metadata["dependencies"].as_array());
        let names = list.into_iter().flatten().filter_map(|entry| entry["name"].as_str());
        let dependencies = names.filter_map(module_name).collect();
        let text = |key: &str| {
            let metadata = metadata.as_ref()?;
            metadata[key].as_str().map(str::to_owned)
        };
        Self {
            name: name.to_owned(),
            path: path.to_owned(),
            dependencies,
            version: text("version"),
            data_provider: text("data_provider"),
        }
    }
}

/// Returns `stdlib` for `puppetlabs/stdlib` and `puppetlabs-stdlib`.
fn module_name(full: &str) -> Option<String> {
    full.rsplit_once(['/', '-']).map(|(_, name)| name.to_owned())
}
