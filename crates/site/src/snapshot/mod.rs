//! Environments that are ready to compile: the definitions of their modules, found by name and read once.
//!
//! A [`Snapshot`] is the compiler's [`Library`]: manifests (`programs`), functions (`functions`), types
//! (`types`), resource types, templates and files (`machine`).
//!
//! Invariant: everything that a snapshot caches is shared between threads and never changes once it is inserted.

mod answers;
mod cache;
mod compile;
mod data;
mod deploy;
mod fallback;
mod functions;
mod live;
mod module;
mod names;
mod programs;
mod repeat;
mod ruby;
mod ruby_data_types;
mod ruby_need;
mod ruby_type_cache;
mod survey;
mod types;
mod watch;

pub use compile::Main;
pub(crate) use deploy::Deploy;
pub(crate) use live::{Live, roots_of};
pub use live::{Settle, Tended, Timeout};
pub use repeat::Repeat;
pub use ruby::{ProcessorError, RubyWorker};
pub use survey::{Finding, FindingKind, Verdict};

use std::io;
use std::path::{Path, PathBuf};

use std::sync::{Arc, LazyLock, Mutex, OnceLock};

use crate::{Environment, Warn, Xpp};
use ecow::EcoString;
use kukla_base::{Edition, EditionChange, Symbol};
use kukla_catalog::types::{Builtins, Leniency, TypeDeclaration};
use kukla_compiler::source::Refusal;
use kukla_compiler::{
    Eval, FunctionRef, InlineMethod, Library, Manifest, ModuleFolder, NameKind, ResourceType,
    Shared,
};
use kukla_foreign::{NeedsRuby, Render};
use kukla_lookup::{Layers, ModulePlace, Places};
use kukla_pcore::Type;
use kukla_restypes::{LibDirectories, ResourceTypes, TypeLookup};
use kukla_syntax::Strict;
use kukla_world::{
    Atom, Disk, Frozen, Kind, MAX_FILE, Reads, Record, Recording, SharedWorld, World,
};
use rustc_hash::{FxHashMap, FxHashSet};

use cache::Cache;
use functions::Natives;
use module::Module;
use names::DefinedNames;
use ruby::Workers;

/// The resource types that are built into agents, by edition.
static BUILT_IN: LazyLock<[Arc<Builtins>; 3]> =
    LazyLock::new(|| Edition::ALL.map(|edition| Arc::new(Builtins::new(edition))));

/// Options for reading manifests.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The name of the environment.
    pub name: String,
    /// The setting `hiera_config`; without it there is no global data.
    pub hiera_config: Option<PathBuf>,
    /// The setting `codedir`, the default directory of data of version 3.
    pub codedir: Option<PathBuf>,
    /// The setting `datalocation`: the directory of the site's PDL.
    pub datalocation: Option<PathBuf>,
    /// The setting `datalibrary`; `site.pdl` of `datalocation` if it is not set.
    pub datalibrary: Option<PathBuf>,
    /// Puppet's setting of that name.
    pub strict: Strict,
    /// The edition of Puppet whose rules apply.
    pub edition: Edition,
    /// Whether serialized manifests are used.
    pub xpp: Xpp,
    /// Receives warnings about serialized manifests that can't be used, and one if a real Ruby has to be started.
    pub warn: Warn,
    /// The code that real Ruby runs.
    pub ruby_worker: RubyWorker,
    /// The directory of the disk cache for answers of real Ruby; without it nothing is cached on disk.
    pub kept: Option<PathBuf>,
    /// The command of a real Ruby, with its leading arguments; `ruby` if it is empty.
    pub ruby_command: Vec<String>,
}

/// The state of an environment when it was first read.
#[derive(Debug)]
pub struct Snapshot {
    pub(crate) environment: Environment,
    pub(crate) options: Options,
    pub(crate) modules: Vec<Module>,
    by_name: FxHashMap<String, usize>,
    /// The files as they were when each was first read.
    pub(crate) world: SharedWorld,
    /// The recorded questions behind the lists of modules and libraries.
    opening: Arc<Reads>,
    /// The directories of functions of the old API: see `functions`.
    pub(crate) libraries: Cache<(), Libraries>,
    pub(crate) natives: Natives,
    pub(crate) manifests: Cache<String, Option<Result<Arc<Manifest>, Refusal>>>,
    pub(crate) functions: Cache<(Symbol, Box<str>), Result<Option<FunctionRef>, Refusal>>,
    pub(crate) types: Cache<String, Option<Result<Type, Refusal>>>,
    pub(crate) resource_types: ResourceTypes,
    /// Types that exist but could not be read.
    lenient_types: Cache<String, Arc<ResourceType>>,
    /// Types loaded by real Ruby; `None` where it failed.
    pub(crate) ruby_types: Cache<String, Option<Arc<ResourceType>>>,
    /// Files of modules, with cached misses.
    module_files: Cache<String, Option<String>>,
    templates: Cache<String, Result<Arc<dyn Render>, NeedsRuby>>,
    pub(crate) workers: Workers,
    data: Arc<Layers>,
    shared: Arc<Shared>,
    /// The initial manifests, and the text that was last compiled in their place.
    pub(crate) main: Cache<(), Result<Manifests, Refusal>>,
    pub(crate) code: Mutex<Option<Code>>,
    /// Names for suggestions, collected when a name is first unknown.
    names: OnceLock<DefinedNames>,
    /// Serialized manifests that were reported.
    pub(crate) warned: Mutex<FxHashSet<PathBuf>>,
}

/// Manifests in the order of evaluation.
pub(crate) type Manifests = Arc<[Arc<Manifest>]>;

/// A program that was passed as text.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) text: String,
    pub(crate) file: String,
    pub(crate) manifest: Arc<Manifest>,
}

impl Snapshot {
    /// Takes a snapshot of an environment on the machine's disk; directories that can't be read go to `problems`.
    pub fn new(
        environment: Environment,
        options: Options,
        problems: &mut Vec<(PathBuf, io::Error)>,
    ) -> Self {
        Self::of_world(environment, options, Arc::new(Disk), problems)
    }

    /// Takes a snapshot of an environment in a world; directories that can't be read go to `problems`.
    pub fn of_world(
        environment: Environment,
        options: Options,
        world: SharedWorld,
        problems: &mut Vec<(PathBuf, io::Error)>,
    ) -> Self {
        let world: SharedWorld = Arc::new(Frozen::new(world));
        let (opened, opening) = Record::off().gather(|record| {
            let world = Recording::new(&*world, record);
            open(&environment, &world, problems)
        });
        let (modules, libraries) = opened;
        let by_name = (0..).zip(&modules).map(|(n, module)| (module.name.clone(), n)).collect();
        let resource_types =
            ResourceTypes::new(libraries, Arc::clone(&BUILT_IN[options.edition as usize]));
        let places = places(&environment, &options, &modules);
        let data = Arc::new(Layers::new(Arc::clone(&world), places));
        let workers = Workers::new(&environment, &options, &modules, &world);
        Self {
            world,
            opening,
            workers,
            environment,
            options,
            modules,
            by_name,
            libraries: Cache::default(),
            natives: Natives::new(),
            manifests: Cache::default(),
            functions: Cache::default(),
            types: Cache::default(),
            resource_types,
            lenient_types: Cache::default(),
            ruby_types: Cache::default(),
            module_files: Cache::default(),
            templates: Cache::default(),
            data,
            shared: Arc::default(),
            main: Cache::default(),
            code: Mutex::default(),
            names: OnceLock::new(),
            warned: Mutex::default(),
        }
    }

    /// Returns the environment.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// Returns the locations of data.
    pub fn places(&self) -> &Places {
        self.data.places()
    }

    /// Returns the module of a name, and records the question.
    pub(crate) fn module(&self, name: &str, record: &Record) -> Option<&Module> {
        record.note_site_now(|| Atom::new(Kind::Module, name, self.module_answer(name)));
        self.module_named(name)
    }

    fn module_named(&self, name: &str) -> Option<&Module> {
        self.by_name.get(name).map(|&n| &self.modules[n])
    }

    /// Returns all modules, and records the question.
    pub(crate) fn all_modules(&self, record: &Record) -> &[Module] {
        record.replay(&self.opening);
        &self.modules
    }

    /// Returns the files of the snapshot, which record every read.
    pub(crate) fn recording<'a>(&'a self, record: &'a Record) -> Recording<'a> {
        Recording::new(&*self.world, record)
    }
}

/// Directories `lib`, each with the index of the module that it belongs to.
pub(crate) type Libraries = Arc<[(PathBuf, Option<usize>)]>;

/// Reads the lists of modules and libraries.
fn open(
    environment: &Environment,
    world: &Recording<'_>,
    problems: &mut Vec<(PathBuf, io::Error)>,
) -> (Vec<Module>, LibDirectories) {
    // The file was read when the environment was opened; the record of a compilation has to include it.
    let _ = world.read(&environment.directory.join("environment.conf").to_string_lossy(), MAX_FILE);
    let modules = environment.modules(world, problems).into_iter();
    let modules = modules.map(|module| Module::open(&module.name, &module.path, world)).collect();
    let libraries = LibDirectories::of_module_path(&environment.modulepath, world)
        .with_environment(&environment.directory, world);
    (modules, libraries)
}

fn places(environment: &Environment, options: &Options, modules: &[Module]) -> Places {
    let text = |path: &Path| EcoString::from(path.to_string_lossy().as_ref());
    let place = |module: &Module| {
        let directory = text(&module.path);
        let data_provider = module.data_provider.as_deref().map(EcoString::from);
        (module.name.as_str().into(), ModulePlace { directory, data_provider })
    };
    let optional = |path: &Option<PathBuf>| path.as_deref().map(text);
    let has_provider = !options.edition.has(EditionChange::RemovedSettings);
    let provider = environment.data.provider.as_deref().filter(|_| has_provider);
    let defaults = Places::default();
    Places {
        hiera_config: options.hiera_config.as_deref().map_or_else(EcoString::new, text),
        environment: options.name.as_str().into(),
        directory: Some(text(&environment.directory)),
        modules: modules.iter().map(place).collect(),
        strict: options.strict,
        edition: options.edition,
        codedir: optional(&options.codedir).unwrap_or(defaults.codedir),
        data_provider: provider.map(EcoString::from),
        datalocation: optional(&options.datalocation),
        datalibrary: optional(&options.datalibrary),
        is_global_used: defaults.is_global_used,
    }
}

impl Library for Snapshot {
    fn function(&self, name: Symbol, module: &str, record: &Record) -> Eval<Option<FunctionRef>> {
        self.find_function(name, module, record)
    }

    fn may_have_function(&self, name: &str, module: &str, record: &Record) -> bool {
        self.search_function(name, module, record).is_some()
    }

    fn old_function(&self, name: &str, record: &Record) -> Option<FunctionRef> {
        self.find_old_function(name, record)
    }

    fn type_(&self, name: &str, record: &Record) -> Option<Type> {
        self.find_type(name, record)
    }

    fn method(&self, type_: &str, name: Symbol, record: &Record) -> Option<FunctionRef> {
        self.ruby_method(type_, name, record)
    }

    fn inline_method(&self, method: &InlineMethod<'_>) -> Option<FunctionRef> {
        self.ruby_method_of_text(method)
    }

    fn refused_type(&self, name: &str, record: &Record) -> Option<Refusal> {
        self.refused_type(name, record)
    }

    fn manifest(&self, path: &str, record: &Record) -> Option<Eval<Arc<Manifest>>> {
        self.find_manifest(path, record)
    }

    fn resource_type(&self, name: &str, record: &Record) -> Option<Arc<ResourceType>> {
        record.replay(&self.opening);
        match self.resource_types.find(name, &*self.world, record) {
            TypeLookup::Known(type_) => Some(type_),
            // The type exists, so its resources do; its parameters are unknown.
            TypeLookup::Unreadable(why) => {
                let from_ruby = || self.type_from_ruby(name, record).or_else(|| why.guess.clone());
                Some(from_ruby().unwrap_or_else(|| self.lenient_type(name)))
            }
            TypeLookup::Missing => None,
        }
    }

    fn erb(&self, path: &str, record: &Record) -> io::Result<Result<Arc<dyn Render>, NeedsRuby>> {
        if let Some(template) = self.templates.get(path, record) {
            return Ok(template);
        }
        let (template, reads) = record.gather(|record| {
            let text = self.recording(record).read_text(path)?;
            Ok::<_, io::Error>(self.template(Some(path), &text))
        });
        Ok(self.templates.keep(path.to_owned(), template?, reads))
    }

    fn inline_erb(&self, text: &str) -> Result<Arc<dyn Render>, NeedsRuby> {
        self.template(None, text)
    }

    fn ruby_file(&self, name: &str, record: &Record) -> Option<(String, String)> {
        self.find_ruby_file(name, record)
    }

    fn find_file(&self, folder: ModuleFolder, reference: &str, record: &Record) -> Option<String> {
        let (module, file) = reference.split_once('/')?;
        let directory = &self.module(module, record)?.path;
        let key = format!("{}/{reference}", folder.name());
        self.module_files.get_or(&key, record, |record| {
            let path = directory.join(folder.name()).join(file).to_string_lossy().into_owned();
            self.recording(record).exists(&path).then_some(path)
        })
    }

    fn module_directory(&self, name: &str, record: &Record) -> Option<String> {
        Some(self.module(name, record)?.path.to_string_lossy().into_owned())
    }

    fn names(&self, kind: NameKind) -> Vec<String> {
        self.all_names(kind)
    }

    fn data(&self) -> Option<Arc<Layers>> {
        Some(Arc::clone(&self.data))
    }

    fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }

    fn world(&self) -> &dyn World {
        &*self.world
    }
}

impl Snapshot {
    /// Returns a type that accepts all parameters.
    fn lenient_type(&self, name: &str) -> Arc<ResourceType> {
        self.lenient_types.get_or(name, &Record::off(), |_| {
            let declaration = TypeDeclaration {
                name: name.to_owned(),
                keys: vec!["name".to_owned()],
                leniency: Leniency::Anything,
                ..TypeDeclaration::default()
            };
            Arc::new(declaration.into())
        })
    }
}
