//! `kukla xpp build`: updates the serialized manifests of an environment.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail};
use kukla_base::Source;
use kukla_base::render::{FileReport, Kind, Report, text};
use kukla_site::Whole;
use kukla_xpp::tree::Manifest;
use kukla_xpp::tree::{Built, Made, Plan, Scope, Store, TreeError, build};

use super::EncodingName;
use super::environment::{EnvironmentArgs, OpenedEnvironment};
use super::ownership::Ownership;
use crate::Exit;
use crate::check::lossy;
use crate::inputs::problem;
use crate::shell::{Shell, Stream};
use crate::words::count;
use kukla_site::reason;

const EXAMPLES: &str = "\
Examples:
  kukla xpp build                           the environment around this directory
  kukla xpp build /etc/puppet/code/environments/production
  kukla xpp build -E production --check     is the tree current? for CI
  kukla xpp build --module apache           one module only
  kukla xpp build manifests/site.pp         one file only
  kukla xpp build --owner puppet --mode 640 as root, for a server that runs as another user

The files are in `.xpp` in the environment. Manifests that did not change are not touched, files \
whose manifest is gone are removed, and readers see the old tree until the new one is complete.
Exit status: 0, 1 when a manifest has errors (the others are built) or `--check` finds work to do, \
2 not run: a file that can't be read, a tree that can't be written.";

/// Parse and check all manifests of an environment, and store the trees
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Directory of the environment [default: the one around the current directory]; or manifests, to build only these
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    place: EnvironmentArgs,
    /// Build only this module; `environment` is the environment's own manifests
    #[arg(long, value_name = "NAME")]
    module: Vec<String>,
    /// Encoding of the files
    #[arg(long, value_enum, default_value_t)]
    encoding: EncodingName,
    #[command(flatten)]
    ownership: Ownership,
    /// Write nothing; fail unless everything is up to date
    #[arg(long, conflicts_with = "clean")]
    check: bool,
    /// Remove the serialized manifests instead of building them
    #[arg(long, conflicts_with = "module")]
    clean: bool,
}

/// Builds the manifests that the arguments select.
pub(super) fn run(args: &Args, shell: &Shell) -> anyhow::Result<Exit> {
    let (directories, files): (Vec<_>, Vec<_>) = args.paths.iter().partition(|path| path.is_dir());
    let directory = match directories.as_slice() {
        [] => None,
        [directory] => Some(directory.as_path()),
        [_, second, ..] => bail!("one environment at a time: `{}` is another", second.display()),
    };
    let start = files.first().map_or(Path::new("."), |file| file.as_path());
    let opened = args.place.find(directory, start)?;
    let store = Store::new(&opened.environment.directory).configured(args.ownership.configured()?);
    if args.clean {
        return clean(&store, shell);
    }
    let (manifests, mut problems) = opened.manifests(shell);
    let selection = Selection { modules: &args.module, files: &files };
    let mut all = manifests.list.clone();
    all.extend(opened.environment.outside_manifests(&opened.anchor));
    let selected = selection.of(manifests.list, &opened)?;
    let plan = Plan {
        store: &store,
        manifests: &selected,
        scope: selection.scope(),
        index: &Whole { environment: &opened.environment, manifests: &all },
        encoding: args.encoding.into(),
        writes: !args.check,
    };
    let progress = shell.progress(selected.len());
    let built = build(&plan, &opened.pool, || progress.step());
    progress.finish();
    let built = built.map_err(|error| words(&error))?;
    report(args, &selected, built, &mut problems, shell)
}

fn clean(store: &Store, shell: &Shell) -> anyhow::Result<Exit> {
    let root = store.root().display();
    match store.clean().map_err(|error| words(&error))? {
        true => shell.say(&format!("removed `{root}`")),
        false => shell.say(&format!("there is no `{root}`")),
    }
    Ok(Exit::Success)
}

/// The part of an environment that is built.
struct Selection<'a> {
    modules: &'a [String],
    files: &'a [&'a PathBuf],
}

impl Selection<'_> {
    fn scope(&self) -> Scope<'_> {
        match (self.files, self.modules) {
            ([], []) => Scope::Everything,
            ([], modules) => Scope::Modules(modules),
            _ => Scope::Files,
        }
    }

    fn of(
        &self,
        mut list: Vec<Manifest>,
        opened: &OpenedEnvironment,
    ) -> anyhow::Result<Vec<Manifest>> {
        let directory = opened.environment.directory.display();
        let missing = self.modules.iter().find(|name| list.iter().all(|it| it.module != **name));
        if let Some(name) = missing {
            bail!("no module `{name}` with manifests in the environment `{directory}`");
        }
        let files = self.files.iter().map(|file| opened.anchor.absolute(file));
        let files: Vec<PathBuf> = files.collect();
        let missing = files.iter().find(|file| list.iter().all(|it| it.path != **file));
        if let Some(file) = missing {
            let file = file.display();
            bail!("`{file}` is no manifest of the environment `{directory}`");
        }
        list.retain(|manifest| {
            (self.modules.is_empty() || self.modules.contains(&manifest.module))
                && (files.is_empty() || files.contains(&manifest.path))
        });
        Ok(list)
    }
}

/// Number of manifests by result.
#[derive(Default)]
struct Counts {
    kept: usize,
    written: usize,
    refused: usize,
    doubtful: usize,
}

fn report(
    args: &Args,
    manifests: &[Manifest],
    built: Built,
    problems: &mut Vec<String>,
    shell: &Shell,
) -> anyhow::Result<Exit> {
    let mut counts = Counts::default();
    let mut faulty = Report::default();
    let mut work = String::new();
    for (manifest, made) in manifests.iter().zip(built.made) {
        match made {
            Made::Kept => counts.kept += 1,
            Made::Written => {
                counts.written += 1;
                work.extend(["not built: ", &manifest.path.to_string_lossy(), "\n"]);
            }
            Made::Refused { text, diagnostics } => {
                counts.refused += 1;
                faulty.files.push(file_report(manifest, text, diagnostics));
            }
            Made::Doubtful => counts.doubtful += 1,
            Made::Unreadable(error) => {
                problems.push(problem(&manifest.path.to_string_lossy(), &error));
            }
        }
    }
    for path in &built.removed {
        work.extend(["left over: ", &path.to_string_lossy(), "\n"]);
    }
    shell.print(Stream::Output, &text::render(&faulty, shell.style(Stream::Output)))?;
    if args.check {
        shell.print(Stream::Output, &work)?;
    }
    problems.iter().for_each(|problem| shell.problem(problem));
    shell.say(&summary(args.check, manifests.len(), &counts, built.removed.len()));
    Ok(match () {
        () if !problems.is_empty() => Exit::Failure,
        () if faulty.n_errors() > 0 || (args.check && !work.is_empty()) => Exit::Findings,
        () => Exit::Success,
    })
}

fn file_report(
    manifest: &Manifest,
    text: Vec<u8>,
    diagnostics: Vec<kukla_base::Diagnostic>,
) -> FileReport {
    let path = manifest.path.to_string_lossy();
    let source = Source::new(&*path, lossy(text));
    let puppet_file = Some(path.into_owned());
    FileReport { source, kind: Kind::Manifest, puppet_file, diagnostics }
}

/// Formats the summary: `1 898 manifests: 3 built, 1 894 unchanged, 1 with diagnostics; 2 files removed`.
fn summary(is_check: bool, n_manifests: usize, counts: &Counts, n_removed: usize) -> String {
    let Counts { kept, written, refused, doubtful } = counts;
    let (built, removed) = if is_check { ("to build", "left over") } else { ("built", "removed") };
    let refused = match refused {
        0 => String::new(),
        n => format!(", {n} with diagnostics"),
    };
    let doubtful = match doubtful {
        0 => String::new(),
        n => format!(", {n} left to Puppet 8"),
    };
    let removed = match n_removed {
        0 => String::new(),
        n => format!("; {} {removed}", count(n, "file")),
    };
    let manifests = count(n_manifests, "manifest");
    format!("{manifests}: {written} {built}, {kept} unchanged{refused}{doubtful}{removed}")
}

/// Returns the message about a tree that can't be used.
pub(super) fn words(error: &TreeError) -> anyhow::Error {
    anyhow!("{error}: {}", reason(&error.source))
}
