//! Build of the tree of an environment: updates the serialized manifests to match the sources.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use kukla_base::{Diagnostic, Edition};
use kukla_syntax::{Ast, Options, Strict, check_bytes, is_plan};
use kukla_world::Pool;
use kukla_world::files::{self, Status};
use kukla_world::tree::{Attributes, Whole};

use super::error::TreeError;
use super::freshness::{Freshness, inspect};
use super::manifest::Manifest;
use super::new_tree::NewTree;
use super::puppet8::may_complain;
use super::stamps::{FullStamp, Stamps};
use super::store::Store;
use crate::{Encoding, SECTION, encode};

/// Returns the version of Kukla and the form of its trees. A tree made by another version is built again.
fn own_mark() -> String {
    format!("kukla {} {SECTION}\n", env!("CARGO_PKG_VERSION"))
}

/// A description of a build.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// The directory of the tree.
    pub store: &'a Store,
    /// The manifests.
    pub manifests: &'a [Manifest],
    /// The files of the tree that are made from these manifests only.
    pub scope: Scope<'a>,
    /// Makes the index of all manifests, which is stored beside their trees.
    pub index: &'a dyn Index,
    /// The encoding of files.
    pub encoding: Encoding,
    /// Whether to write; otherwise the build only reports what it would write.
    pub writes: bool,
}

/// Makes the index of an environment: the definitions of all its manifests.
pub trait Index: std::fmt::Debug + Sync {
    /// Returns all manifests of the environment, also a main manifest that lies elsewhere.
    fn manifests(&self) -> &[Manifest];

    /// Returns the text of the index, made from these trees where they have the manifest; `None` if a manifest can't be
    /// read.
    fn text(&self, trees: &HashMap<PathBuf, Ast>, pool: &Pool) -> Option<String>;
}

/// The part of a tree that is built.
#[derive(Clone, Copy, Debug)]
pub enum Scope<'a> {
    /// All of it.
    Everything,
    /// The directories of these modules.
    Modules(&'a [String]),
    /// The files of the given manifests only.
    Files,
}

/// The result for one manifest.
#[derive(Debug)]
pub enum Made {
    /// Its file was current and stays.
    Kept,
    /// Its file was written.
    Written,
    /// It has no file, since it has diagnostics.
    Refused {
        /// The text.
        text: Vec<u8>,
        /// The diagnostics.
        diagnostics: Vec<Diagnostic>,
    },
    /// It has no file, since Puppet 8 may report an error or a warning, though Puppet 7 does not.
    Doubtful,
    /// It could not be read.
    Unreadable(io::Error),
}

/// The result of a build, or what it would be.
#[derive(Debug)]
pub struct Built {
    /// The result for each manifest, in their order.
    pub made: Vec<Made>,
    /// Files of the tree that have no manifest, or none that is in order. They were removed.
    pub removed: Vec<PathBuf>,
}

/// Updates the tree; `step` is called after each manifest.
///
/// Manifests are checked for the strictest setting of `strict`. One with any diagnostic gets no file:
/// the loader has to report it again, in words that depend on its settings.
///
/// Fails when the tree can't be read or written; then the present one stays as it was.
pub fn build(plan: &Plan<'_>, pool: &Pool, step: impl Fn() + Sync) -> Result<Built, TreeError> {
    let _lock = if plan.writes { Some(plan.store.lock()?) } else { None };
    if plan.writes {
        plan.store.remove_leftovers()?;
    }
    let present = plan.store.files(pool)?;
    let is_known = plan.store.mark() == own_mark();
    let stamps = if is_known { Stamps::read(&plan.store.stamps()) } else { Stamps::default() };
    let builder = Builder {
        plan,
        modules: plan.store.modules(),
        is_known,
        stamps,
        new_tree: NewTree::new(plan.store),
        failed: AtomicBool::new(false),
    };
    let done = pool.map(plan.manifests, |manifest| {
        let done = builder.make(manifest);
        step();
        done
    });
    let mut trees = HashMap::new();
    let (mut made, mut compared) = (Vec::new(), Vec::new());
    for (manifest, done) in plan.manifests.iter().zip(done) {
        let done = done?;
        made.push(done.made);
        compared.push(done.compared);
        trees.extend(done.tree.map(|tree| (manifest.path.clone(), tree)));
    }
    let (kept, removed) = divide(plan, present, &made);
    let is_changed = !removed.is_empty() || made.iter().any(|made| matches!(made, Made::Written));
    if plan.writes && is_changed {
        let linked = pool.map(&kept, |path| builder.new_tree.keep(path));
        linked.into_iter().collect::<Result<(), _>>()?;
        builder.write_index(&trees, pool)?;
        builder.new_tree.switch(&mark(plan))?;
    }
    if plan.writes {
        remember(plan, &builder.stamps, is_changed, &compared);
    }
    Ok(Built { made, removed })
}

/// Writes the stamps of files that the next build need not compare again; without them it only takes longer.
fn remember(plan: &Plan<'_>, known: &Stamps, is_changed: bool, compared: &[Compared]) {
    let modules = plan.store.modules();
    let mut stamps = if is_changed { known.carry_over(&modules) } else { known.clone() };
    for (manifest, &compared) in plan.manifests.iter().zip(compared) {
        let target = manifest.target();
        match compared {
            Compared::Before => (),
            Compared::Now(source) => {
                stamps.insert(&target, plan.encoding, source, &modules.join(&target));
            }
            Compared::Never => stamps.remove(&target),
        }
    }
    if stamps != *known {
        let _ = plan.store.write_stamps(&stamps.to_text());
    }
}

/// Returns the mark of the new tree: a partly built one is as old as its oldest part.
fn mark(plan: &Plan<'_>) -> String {
    let present = plan.store.mark();
    match plan.scope {
        Scope::Modules(_) | Scope::Files if files::exists(&plan.store.modules()) => present,
        Scope::Everything | Scope::Modules(_) | Scope::Files => own_mark(),
    }
}

/// Returns the files of the present tree that stay, and those that are removed. Written files are in neither.
fn divide(plan: &Plan<'_>, present: Vec<PathBuf>, made: &[Made]) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let mut kept = HashSet::new();
    let mut written = HashSet::new();
    for (manifest, made) in plan.manifests.iter().zip(made) {
        match made {
            Made::Kept => kept.insert(manifest.target().into_os_string()),
            Made::Written => written.insert(manifest.target().into_os_string()),
            Made::Refused { .. } | Made::Doubtful | Made::Unreadable(_) => false,
        };
    }
    let rest = present.into_iter().filter(|path| !written.contains(path.as_os_str()));
    let targets: HashSet<PathBuf> = match plan.scope {
        Scope::Files => plan.manifests.iter().map(Manifest::target).collect(),
        Scope::Everything | Scope::Modules(_) => HashSet::new(),
    };
    let is_in_scope = |path: &Path| match plan.scope {
        Scope::Everything => true,
        Scope::Modules(names) => names.iter().any(|name| path.starts_with(name)),
        Scope::Files => targets.contains(path),
    };
    rest.partition(|path| kept.contains(path.as_os_str()) || !is_in_scope(path))
}

/// The time at which a manifest and its file were found to match.
#[derive(Clone, Copy)]
enum Compared {
    /// Matched in an earlier build, and neither has changed since.
    Before,
    /// The manifest has this stamp.
    Now(FullStamp),
    /// There is no file, or the manifest may change undetected.
    Never,
}

/// The result for a manifest, with data for later steps.
struct Done {
    made: Made,
    compared: Compared,
    /// The tree, if it had to be parsed and has no diagnostics.
    tree: Option<Ast>,
}

struct Builder<'a> {
    plan: &'a Plan<'a>,
    modules: PathBuf,
    /// Whether the present tree was made by this version.
    is_known: bool,
    /// The stamps of earlier builds.
    stamps: Stamps,
    new_tree: NewTree<'a>,
    /// Whether to stop.
    failed: AtomicBool,
}

impl Builder<'_> {
    fn make(&self, manifest: &Manifest) -> Result<Done, TreeError> {
        let without_tree = |made, compared| Ok(Done { made, compared, tree: None });
        if self.failed.load(Ordering::Relaxed) {
            // The caller drops this: the error of another manifest is returned.
            return without_tree(Made::Kept, Compared::Never);
        }
        if self.is_unchanged(manifest) {
            return without_tree(Made::Kept, Compared::Before);
        }
        let (status, text) = match Whole::read(&manifest.path) {
            Ok(Whole { status, bytes, .. }) => (status, bytes),
            Err(error) => return without_tree(Made::Unreadable(error), Compared::Never),
        };
        let stamp = FullStamp::of_source(&status);
        let (made, tree) = self.make_of(manifest, text, self.plan.store.attributes(&status))?;
        let has_file = matches!(made, Made::Kept | Made::Written);
        let compared = stamp.filter(|_| has_file).map_or(Compared::Never, Compared::Now);
        Ok(Done { made, compared, tree })
    }

    /// Returns whether a manifest need not be read.
    fn is_unchanged(&self, manifest: &Manifest) -> bool {
        let target = manifest.target();
        self.stamps.get(&target).is_some_and(|pair| {
            Status::of(&manifest.path).is_ok_and(|source| {
                let attributes = self.plan.store.attributes(&source);
                pair.is_unchanged(
                    self.plan.encoding,
                    &source,
                    &self.modules.join(&target),
                    attributes,
                )
            })
        })
    }

    fn make_of(
        &self,
        manifest: &Manifest,
        text: Vec<u8>,
        attributes: Attributes,
    ) -> Result<(Made, Option<Ast>), TreeError> {
        if self.is_current(manifest, &text, attributes) {
            return Ok((Made::Kept, None));
        }
        let file = manifest.path.to_string_lossy().into_owned();
        let options = Options {
            strict: Strict::Error,
            // Errors of later editions only are handled below, as doubtful.
            edition: Edition::Seven,
            home: manifest.home.clone(),
            tasks: is_plan(&file, &manifest.home),
            file: file.clone(),
            ..Options::default()
        };
        let checked = match check_bytes(&text, &options) {
            Ok(checked) if checked.diagnostics.is_empty() => checked,
            Ok(checked) => {
                return Ok((Made::Refused { text, diagnostics: checked.diagnostics }, None));
            }
            Err(diagnostic) => {
                return Ok((Made::Refused { text, diagnostics: vec![*diagnostic] }, None));
            }
        };
        if may_complain(&checked.ast) {
            return Ok((Made::Doubtful, Some(checked.ast)));
        }
        if self.plan.writes {
            let bytes = encode(&checked.ast, &file, &[], self.plan.encoding);
            self.write(&manifest.target(), &bytes, attributes)?;
        }
        Ok((Made::Written, Some(checked.ast)))
    }

    fn is_current(&self, manifest: &Manifest, text: &[u8], attributes: Attributes) -> bool {
        if !self.is_known {
            return false;
        }
        let path = self.modules.join(manifest.target());
        let attributes = self.plan.writes.then_some(attributes);
        inspect(&path, text, self.plan.encoding, attributes) == Freshness::Current
    }

    /// Writes the index. A tree without one is as good, but `kukla xpp classes` then loads every file.
    fn write_index(&self, trees: &HashMap<PathBuf, Ast>, pool: &Pool) -> Result<(), TreeError> {
        let Plan { store, index, .. } = self.plan;
        match (index.text(trees, pool), store.index_attributes(index.manifests())) {
            (Some(index), Some(attributes)) => {
                self.write(Path::new(Store::INDEX), index.as_bytes(), attributes)
            }
            _ => Ok(()),
        }
    }

    fn write(&self, path: &Path, bytes: &[u8], attributes: Attributes) -> Result<(), TreeError> {
        let written = self.new_tree.write(path, bytes, attributes);
        if written.is_err() {
            self.failed.store(true, Ordering::Relaxed);
        }
        written
    }
}
