//! Survey of the Ruby code of an environment, and of the runtime for each file: decided without running it.

use std::path::{Path, PathBuf};

use kukla_base::Symbol;
use kukla_restypes::TypeLookup;
use kukla_stdlib::module::File;

use kukla_world::{Record, World};

use super::Snapshot;
use super::functions::native;
use super::module::Module;
use super::ruby_need::{CannotRun, RubyNeed};

/// The maximum depth of nested directories.
const MAX_DEPTH: usize = 16;

/// Ruby code, or a part of a module, with the verdict about it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// The runtime of the code.
    pub verdict: Verdict,
    /// Its kind.
    pub kind: FindingKind,
    /// Its name, as manifests have it.
    pub name: String,
    /// The file that has it.
    pub path: PathBuf,
    /// The line there, if one is to blame.
    pub line: Option<u32>,
    /// The reason why it needs a real Ruby, or can't be run at all.
    pub reason: String,
}

/// The runtime of Ruby code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Kukla itself.
    Native,
    /// A real Ruby, which is installed.
    Worker,
    /// Nothing.
    Cannot,
}

impl Verdict {
    /// Returns its name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Worker => "worker",
            Self::Cannot => "cannot",
        }
    }
}

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingKind {
    /// A module, or its metadata.
    Module,
    /// A resource type whose declaration needs Ruby; all its parameters are accepted.
    ResourceType,
    /// A function; calling it fails.
    Function,
    /// An ERB template; rendering it fails.
    Template,
}

impl FindingKind {
    /// Returns its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Module => "module",
            Self::ResourceType => "resource type",
            Self::Function => "function",
            Self::Template => "template",
        }
    }
}

impl Snapshot {
    /// Returns the findings about all Ruby code of the environment and about files that can't be read, sorted.
    pub fn survey(&self) -> Vec<Finding> {
        let mut found: Vec<Finding> =
            self.modules.iter().flat_map(|module| self.survey_of(module)).collect();
        let own = &self.environment.directory;
        self.survey_types(own, &mut found);
        self.survey_functions(own, None, &mut found);
        found.sort();
        found.dedup();
        found
    }

    /// Like [`Snapshot::survey`], but of one module.
    pub fn survey_module(&self, name: &str) -> Vec<Finding> {
        self.module(name, &Record::off()).map_or_else(Vec::new, |module| self.survey_of(module))
    }

    fn survey_of(&self, module: &Module) -> Vec<Finding> {
        let mut found: Vec<Finding> = metadata(module, &*self.world).into_iter().collect();
        self.survey_types(&module.path, &mut found);
        self.survey_functions(&module.path, Some(module), &mut found);
        self.survey_templates(module, &mut found);
        found
    }

    /// Returns the place and the reason if the declaration of a resource type can't be read.
    pub fn unreadable_type(&self, name: &str) -> Option<String> {
        let name = name.to_lowercase();
        match self.resource_types.find(&name, &*self.world, &Record::off()) {
            TypeLookup::Unreadable(why) if self.type_from_ruby(&name, &Record::off()).is_none() => {
                Some(why.to_string())
            }
            _ => None,
        }
    }

    fn survey_types(&self, root: &Path, found: &mut Vec<Finding>) {
        for (path, name) in self.files(&root.join("lib/puppet/type"), "rb", 1) {
            let finding = match self.resource_types.find(&name, &*self.world, &Record::off()) {
                TypeLookup::Unreadable(why) => Finding {
                    verdict: match self.type_from_ruby(&name, &Record::off()) {
                        Some(_) => Verdict::Worker,
                        None => Verdict::Cannot,
                    },
                    kind: FindingKind::ResourceType,
                    name,
                    path: PathBuf::from(&why.path),
                    line: Some(why.line),
                    reason: why.reason.clone(),
                },
                _ => Finding::new(FindingKind::ResourceType, name, path, Ok(None)),
            };
            found.push(finding);
        }
    }

    fn survey_functions(&self, root: &Path, owner: Option<&Module>, found: &mut Vec<Finding>) {
        let new = self.files(&root.join("lib/puppet/functions"), "rb", MAX_DEPTH);
        let old = self.files(&root.join("lib/puppet/parser/functions"), "rb", 1);
        let new = new.into_iter().map(|found| (found, File::New));
        for ((path, name), file) in new.chain(old.into_iter().map(|found| (found, File::Old))) {
            let symbol = Symbol::new(&name);
            let is_ours = self.natives.has(symbol)
                || (native(owner, &name, file, &path, &*self.world).is_some()
                    && !self.always_by_worker());
            let read = match is_ours {
                true => Ok(None),
                false => {
                    self.read_ruby_function(symbol, &path, &Record::off()).map(|(_, reason)| reason)
                }
            };
            found.push(Finding::new(FindingKind::Function, name, path, read));
        }
    }

    fn survey_templates(&self, module: &Module, found: &mut Vec<Finding>) {
        for (path, name) in self.files(&module.path.join("templates"), "erb", MAX_DEPTH) {
            let read = self.world.read_text(&path.to_string_lossy()).map_err(CannotRun::Unreadable);
            let read = read.and_then(|text| {
                self.read_template(Some(&path.to_string_lossy()), &text).map(|(_, reason)| reason)
            });
            let name = format!("{}/{}.erb", module.name, name.replace("::", "/"));
            found.push(Finding::new(FindingKind::Template, name, path, read));
        }
    }
}

impl Finding {
    /// Creates a finding from the result of reading the code.
    fn new(
        kind: FindingKind,
        name: String,
        path: PathBuf,
        read: Result<Option<RubyNeed>, CannotRun>,
    ) -> Self {
        let (verdict, reason) = match read {
            Ok(None) => (Verdict::Native, String::new()),
            Ok(Some(need)) => (Verdict::Worker, need.to_string()),
            Err(error) => (Verdict::Cannot, error.to_string()),
        };
        Self { verdict, kind, name, path, line: None, reason }
    }
}

fn metadata(module: &Module, world: &dyn World) -> Option<Finding> {
    let path = module.path.join("metadata.json");
    if !world.exists(&path.to_string_lossy()) {
        return None;
    }
    let text = world.read_text(&path.to_string_lossy());
    let text = text.map_err(|error| (error.to_string(), None));
    let value = text.and_then(|text| {
        let value = serde_json::from_str::<serde_json::Value>(&text);
        value.map_err(|error| (error.to_string(), u32::try_from(error.line()).ok()))
    });
    let (reason, line) = match value {
        Ok(value) if value.is_object() => return None,
        Ok(_) => ("it is not a hash".to_owned(), None),
        Err(why) => why,
    };
    Some(Finding {
        verdict: Verdict::Cannot,
        kind: FindingKind::Module,
        name: module.name.clone(),
        path,
        line,
        reason,
    })
}

impl Snapshot {
    /// Returns the files below a directory with an extension, sorted, with their names as `a::b`.
    fn files(&self, root: &Path, extension: &str, depth: usize) -> Vec<(PathBuf, String)> {
        let mut found = Vec::new();
        walk(root, "", extension, depth, &mut found, &*self.world);
        found.sort();
        found
    }
}

fn walk(
    directory: &Path,
    prefix: &str,
    extension: &str,
    depth: usize,
    found: &mut Vec<(PathBuf, String)>,
    world: &dyn World,
) {
    let names = world.list(&directory.to_string_lossy());
    for path in names.iter().map(|name| directory.join(name)) {
        let part =
            |text: Option<&std::ffi::OsStr>| text.and_then(|text| text.to_str()).map(str::to_owned);
        if world.is_directory(&path.to_string_lossy()) {
            if let Some(name) = part(path.file_name()).filter(|_| depth > 1) {
                walk(&path, &format!("{prefix}{name}::"), extension, depth - 1, found, world);
            }
        } else if path.extension().is_some_and(|own| own == extension)
            && let Some(name) = part(path.file_stem())
        {
            found.push((path, format!("{prefix}{name}")));
        }
    }
}
