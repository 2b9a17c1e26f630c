//! Extensions of the server's own certificate: `csr_attributes.yaml`.

use std::path::Path;

use anyhow::{Context as _, bail};
use kukla_rubytext::Data;
use kukla_rubytext::yaml::{self, LoadOptions};

/// Returns the extensions that `csr_attributes.yaml` asks for, where a short name may be one of
/// `trusted_oid_mapping.yaml`. A file that is missing asks for none.
pub(super) fn extensions(
    attributes: &Path,
    mapping: &Path,
) -> anyhow::Result<Vec<(String, String)>> {
    let requests = read(attributes)?;
    let Some(requests) = requests.as_ref().and_then(|data| data.get("extension_requests")) else {
        return Ok(Vec::new());
    };
    let Data::Hash(requests) = requests else {
        bail!("`{}`: `extension_requests` is no hash", attributes.display());
    };
    let mapping = read(mapping)?;
    let mapping = mapping.as_ref().and_then(|data| data.get("oid_mapping"));
    let text = |data: &Data| match data {
        Data::Str(text) => Some(text.clone()),
        Data::Int(number) => Some(number.to_string()),
        Data::Bool(flag) => Some(flag.to_string()),
        _ => None,
    };
    let wrong =
        || format!("`{}`: `extension_requests` has texts by identifier", attributes.display());
    let pair = |(name, value): &(Data, Data)| {
        let name = text(name)?;
        Some((mapped(mapping, &name).unwrap_or(name), text(value)?))
    };
    requests.iter().map(|entry| pair(entry).with_context(wrong)).collect()
}

/// Returns the identifier of a short name.
fn mapped(mapping: Option<&Data>, name: &str) -> Option<String> {
    let Data::Hash(entries) = mapping? else { return None };
    let is_it =
        |entry: &Data| matches!(entry.get("shortname"), Some(Data::Str(text)) if text == name);
    match entries.iter().find(|(_, entry)| is_it(entry))? {
        (Data::Str(oid), _) => Some(oid.clone()),
        _ => None,
    }
}

fn read(path: &Path) -> anyhow::Result<Option<Data>> {
    if !path.is_file() {
        return Ok(None);
    }
    let place = || format!("`{}`", path.display());
    let text = std::fs::read_to_string(path).with_context(place)?;
    let options = LoadOptions { permitted_classes: &["Symbol"], aliases: false, filename: None };
    let data = yaml::load(&text, options);
    Ok(Some(data.map_err(|error| anyhow::anyhow!("{}: {}", place(), error.message))?))
}
