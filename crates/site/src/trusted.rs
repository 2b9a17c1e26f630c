//! Trusted data that the setting `trusted_external_command` adds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kukla_pcore::{Hash, Value};

use crate::SiteError;
use crate::data_file;
use crate::program::{ProgramError, execute};
use crate::settings::Settings;
use kukla_world::files::{self, Status};
use kukla_world::paths::Anchor;

/// Returns the output of a program about a node, or that of all programs of a directory, keyed by their names.
pub(crate) fn external(
    node: &str,
    settings: &Settings,
    anchor: &Anchor,
) -> Result<Value, SiteError> {
    let Some(command) = settings.text("trusted_external_command").filter(|text| !text.is_empty())
    else {
        return Ok(Value::hash(Hash::new()));
    };
    let path = anchor.absolute(Path::new(&command));
    if !files::is_directory(&path) {
        return Ok(fetch(&path, node)?);
    }
    let mut values: BTreeMap<String, Value> = BTreeMap::new();
    for file in programs(&path).map_err(SiteError::unreadable(&path))? {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if values.contains_key(&name) {
            return Err(SiteError::SeveralPrograms { name, directory: command });
        }
        values.insert(name, fetch(&file, node)?);
    }
    Ok(Value::hash(values.into_iter().map(|(name, value)| (Value::from(name), value)).collect()))
}

/// Returns the programs of a directory, sorted.
fn programs(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let names = files::names(directory)?;
    let mut paths: Vec<PathBuf> = names.iter().map(|name| directory.join(name)).collect();
    paths.retain(|path| Status::of(path).is_ok_and(|status| status.is_executable()));
    paths.sort();
    Ok(paths)
}

fn fetch(program: &Path, node: &str) -> Result<Value, ProgramError> {
    let output = execute(program, &[node])?;
    data_file::json(&output)
        .map_err(|error| ProgramError::NotJson { program: program.display().to_string(), error })
}
