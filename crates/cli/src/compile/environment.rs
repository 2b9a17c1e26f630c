//! Which environment is meant, and what of it the command line replaces.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use kukla_compiler::Strict;
use kukla_site::settings::Settings;
use kukla_site::{Environment, split};
use kukla_site::{Options, RubyWorker, Snapshot};
use kukla_world::paths::Anchor;

use super::settings::Given;
use crate::home::system;

/// What says which environment is meant.
pub(crate) struct Asked<'a> {
    pub(crate) given: &'a Given,
    /// A manifest in place of those of the environment.
    pub(crate) file: Option<&'a Path>,
    /// A program or modules alone need no environment.
    pub(crate) needs_no_directory: bool,
}

/// What could not be looked at, and why.
type Problems = Vec<(PathBuf, io::Error)>;

/// The environment that is meant.
pub(crate) fn open(
    asked: &Asked<'_>,
    settings: &Settings,
    anchor: &Anchor,
    name: &str,
    strict: Strict,
) -> anyhow::Result<(Snapshot, Problems)> {
    let base = match asked.given.names("basemodulepath") {
        true => settings.text("basemodulepath").map(|path| entries(&path, anchor)),
        false => None,
    };
    let base = base.unwrap_or_else(system);
    let directory = directory(asked, settings, anchor, name)?;
    let mut environment = Environment::open(&directory, &base, &kukla_world::Disk)
        .with_context(|| format!("cannot read `{}/environment.conf`", directory.display()))?;
    if asked.given.names("modulepath")
        && let Some(path) = settings.text("modulepath")
    {
        environment.modulepath = entries(&path, anchor);
    }
    let manifest = asked.file.map(Path::to_owned).or_else(|| {
        let given = asked.given.names("manifest").then(|| settings.text("manifest"));
        given.flatten().map(PathBuf::from)
    });
    if let Some(manifest) = manifest {
        if asked.file.is_some() && !manifest.exists() {
            bail!("there is no `{}`", manifest.display());
        }
        environment.manifest = anchor.absolute(&manifest);
    }
    let hiera_config = settings.text("hiera_config").map(|path| anchor.absolute(Path::new(&path)));
    let ruby_worker = settings.text("ruby_worker").unwrap_or_else(|| "auto".to_owned());
    let ruby_worker = RubyWorker::named(&ruby_worker).ok_or_else(|| {
        anyhow!("the setting `ruby_worker` is `off`, `auto` or `always`, not `{ruby_worker}`")
    })?;
    // The command line counts first, then `environment.conf`, then the sections of `puppet.conf`.
    let place = |setting: &str, own: Option<&String>| {
        let own = own.filter(|_| !asked.given.names(setting)).map(|own| settings.expand(own));
        let own = own.map(|own| directory.join(own));
        own.or_else(|| Some(anchor.absolute(Path::new(&settings.text_in(name, setting)?))))
    };
    let options = Options {
        name: name.to_owned(),
        hiera_config,
        codedir: settings.text("codedir").map(PathBuf::from),
        datalocation: place("datalocation", environment.data.location.as_ref()),
        datalibrary: place("datalibrary", environment.data.library.as_ref()),
        strict,
        ruby_worker,
        kept: settings.text("vardir").map(|path| Path::new(&path).join("ruby_types")),
        ..Options::default()
    };
    let mut problems = Vec::new();
    let snapshot = Snapshot::new(environment, options, &mut problems);
    Ok((snapshot, problems))
}

/// The directory of the environment: that of its name, or the one around the current directory.
fn directory(
    asked: &Asked<'_>,
    settings: &Settings,
    anchor: &Anchor,
    name: &str,
) -> anyhow::Result<PathBuf> {
    let current = anchor.absolute(Path::new("."));
    if !asked.given.names("environmentpath") && !asked.given.names("environment") {
        let mut around = current.ancestors();
        if let Some(found) = around.find(|directory| directory.join("environment.conf").is_file()) {
            return Ok(found.to_owned());
        }
    }
    let path = settings.text("environmentpath").unwrap_or_default();
    let mut places = split(&path).map(|entry| anchor.absolute(&Path::new(entry).join(name)));
    // As in Puppet, a name is never a path.
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    match places.find(|directory| is_name && directory.is_dir()) {
        Some(found) => Ok(found),
        None if is_name && asked.needs_no_directory => Ok(current),
        None => Err(anyhow!("there is no environment `{name}` in `{path}`")),
    }
}

fn entries(path: &str, anchor: &Anchor) -> Vec<PathBuf> {
    split(path).map(|entry| anchor.absolute(Path::new(entry))).collect()
}
