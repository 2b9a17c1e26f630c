//! `kukla xpp verify`: compares serialized manifests with a fresh parse.

use kukla_world::files;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use kukla_syntax::{Ast, Options, check_bytes, pn};
use kukla_xpp::tree::Manifest;
use kukla_xpp::tree::Store;
use kukla_xpp::{XppError, decode};

use super::build::words;
use super::environment::EnvironmentArgs;
use crate::Exit;
use crate::shell::{Shell, Stream};
use crate::words::count;
use kukla_site::reason;

const EXAMPLES: &str = "\
Examples:
  kukla xpp verify                  the environment around this directory
  kukla xpp verify -E production

Every file of the tree is read back and compared with a fresh parse of its manifest: nodes, \
places and values. To see whether files are missing, use `kukla xpp build --check`.
Exit status: 0 everything is up to date, 1 a file is damaged, outdated or has no manifest, 2 not run.";

/// Compare the serialized manifests of an environment with a fresh parse
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Directory of the environment [default: the one around the current directory]
    #[arg(value_name = "ENVIRONMENT_DIR")]
    directory: Option<PathBuf>,
    #[command(flatten)]
    place: EnvironmentArgs,
}

/// Verifies the environment that the arguments name.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let opened = args.place.find(args.directory.as_deref(), Path::new("."))?;
    let store = Store::new(&opened.environment.directory);
    let files = store.files(&opened.pool).map_err(|error| words(&error))?;
    let (manifests, problems) = opened.manifests(shell);
    let manifests: HashMap<PathBuf, Manifest> =
        manifests.list.into_iter().map(|manifest| (manifest.target(), manifest)).collect();
    let modules = store.modules();
    let progress = shell.progress(files.len());
    let faults = opened.pool.map(&files, |target| {
        let fault = fault(&modules.join(target), manifests.get(target));
        progress.step();
        fault
    });
    progress.finish();
    let mut listed = String::new();
    for (target, fault) in files.iter().zip(&faults) {
        if let Some(fault) = fault {
            listed.extend([&*target.to_string_lossy(), ": ", fault, "\n"]);
        }
    }
    shell.print(Stream::Output, &listed)?;
    problems.iter().for_each(|problem| shell.problem(problem));
    let n_faults = faults.iter().flatten().count();
    shell.say(&summary(files.len(), n_faults));
    Ok(match (problems.is_empty(), n_faults) {
        (false, _) => Exit::Failure,
        (true, 0) => Exit::Success,
        (true, _) => Exit::Findings,
    })
}

fn summary(n_files: usize, n_faults: usize) -> String {
    let files = count(n_files, "file");
    match n_faults {
        0 => format!("verified {files}: all as their manifests say"),
        n => format!("verified {files}: {n} not as their manifests say"),
    }
}

/// Returns the problem of a serialized file, if it has one.
fn fault(file: &Path, manifest: Option<&Manifest>) -> Option<String> {
    let Some(manifest) = manifest else {
        return Some("left over: there is no such manifest".to_owned());
    };
    let bytes = match files::read_bytes(file) {
        Ok(bytes) => bytes,
        Err(error) => return Some(format!("can't be read: {}", reason(&error))),
    };
    let source = match files::read_bytes(&manifest.path) {
        Ok(source) => source,
        Err(error) => return Some(format!("its manifest can't be read: {}", reason(&error))),
    };
    let file = manifest.path.to_string_lossy().into_owned();
    let options = Options { home: manifest.home.clone(), file, ..Options::default() };
    let Ok(checked) = check_bytes(&source, &options) else {
        return Some("its manifest is not UTF-8".to_owned());
    };
    match decode(&bytes, checked.ast.source()) {
        Ok(decoded) if !checked.diagnostics.is_empty() || !decoded.diagnostics.is_empty() => {
            Some("there is something to say about its manifest".to_owned())
        }
        Ok(decoded) => decoded.ast.as_ref().map_or_else(
            || Some("it holds no tree".to_owned()),
            |ast| difference(ast, &checked.ast),
        ),
        Err(error @ XppError::Stale) => Some(format!("outdated: {error}")),
        Err(error) => Some(error.to_string()),
    }
}

fn difference(stored: &Ast, fresh: &Ast) -> Option<String> {
    if stored.puppet_nodes() != fresh.puppet_nodes() {
        return Some("its nodes are others, or at other places".to_owned());
    }
    if pn::pn(stored) != pn::pn(fresh) {
        return Some("its values are others".to_owned());
    }
    let n_definitions = (stored.definitions().len(), fresh.definitions().len());
    (n_definitions.0 != n_definitions.1).then(|| "its definitions are others".to_owned())
}
