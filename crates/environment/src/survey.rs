//! What an environment has that can't be done here, and why: as far as it can be told without running anything.

use std::path::{Path, PathBuf};

use kukla_base::Symbol;
use kukla_compiler::Library;
use kukla_restypes::Lookup;
use kukla_stdlib::module::File;

use crate::functions::native;
use crate::module::Module;
use crate::snapshot::Snapshot;

/// Directories within directories are looked into so far.
const MAX_DEPTH: usize = 16;

/// Something that can't be done.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lack {
    /// What it is.
    pub kind: LackKind,
    /// Its name, as manifests have it.
    pub name: String,
    /// The file that has it.
    pub path: PathBuf,
    /// The line there, if one is to blame.
    pub line: Option<u32>,
    /// Why it can't be done.
    pub reason: String,
}

/// What can be lacking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LackKind {
    /// A module, or what it says of itself.
    Module,
    /// A resource type whose declaration needs Ruby; all its parameters are accepted.
    ResourceType,
    /// A function; calling it fails.
    Function,
    /// An ERB template; rendering it fails.
    Template,
}

impl LackKind {
    /// For people and programs.
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
    /// All that can't be done, sorted.
    pub fn survey(&self) -> Vec<Lack> {
        let mut lacks = Vec::new();
        for module in &self.modules {
            lacks.extend(metadata(module));
            self.survey_types(&module.path, &mut lacks);
            self.survey_functions(&module.path, Some(module), &mut lacks);
            self.survey_templates(module, &mut lacks);
        }
        let own = &self.environment.directory;
        self.survey_types(own, &mut lacks);
        self.survey_functions(own, None, &mut lacks);
        lacks.sort();
        lacks.dedup();
        lacks
    }

    /// Where and why the declaration of a resource type can't be read.
    pub fn unreadable_type(&self, name: &str) -> Option<String> {
        match self.resource_types.find(&name.to_lowercase()) {
            Lookup::Unreadable(why) => Some(why.to_string()),
            _ => None,
        }
    }

    fn survey_types(&self, root: &Path, lacks: &mut Vec<Lack>) {
        for (_, name) in files(&root.join("lib/puppet/type"), "rb", 1) {
            if let Lookup::Unreadable(why) = self.resource_types.find(&name) {
                lacks.push(Lack {
                    kind: LackKind::ResourceType,
                    name,
                    path: PathBuf::from(&why.path),
                    line: Some(why.line),
                    reason: why.reason.clone(),
                });
            }
        }
    }

    fn survey_functions(&self, root: &Path, owner: Option<&Module>, lacks: &mut Vec<Lack>) {
        let new = files(&root.join("lib/puppet/functions"), "rb", MAX_DEPTH);
        let old = files(&root.join("lib/puppet/parser/functions"), "rb", 1);
        let new = new.into_iter().map(|found| (found, File::New));
        for ((path, name), file) in new.chain(old.into_iter().map(|found| (found, File::Old))) {
            let symbol = Symbol::new(&name);
            let is_known = self.natives.has(symbol) || native(owner, symbol, file).is_some();
            if is_known {
                continue;
            }
            if let Err(reason) = self.read_ruby_function(symbol, &path) {
                lacks.push(Lack { kind: LackKind::Function, name, path, line: None, reason });
            }
        }
    }

    fn survey_templates(&self, module: &Module, lacks: &mut Vec<Lack>) {
        for (path, name) in files(&module.path.join("templates"), "erb", MAX_DEPTH) {
            let reason = match self.erb(&path.to_string_lossy()) {
                Ok(Ok(_)) => continue,
                Ok(Err(reason)) => reason,
                Err(error) => error.to_string(),
            };
            let name = format!("{}/{}.erb", module.name, name.replace("::", "/"));
            lacks.push(Lack { kind: LackKind::Template, name, path, line: None, reason });
        }
    }
}

fn metadata(module: &Module) -> Option<Lack> {
    let path = module.path.join("metadata.json");
    if !path.exists() {
        return None;
    }
    let text = std::fs::read_to_string(&path).map_err(|error| (error.to_string(), None));
    let value = text.and_then(|text| {
        let value = serde_json::from_str::<serde_json::Value>(&text);
        value.map_err(|error| (error.to_string(), u32::try_from(error.line()).ok()))
    });
    let (reason, line) = match value {
        Ok(value) if value.is_object() => return None,
        Ok(_) => ("it is not a hash".to_owned(), None),
        Err(why) => why,
    };
    Some(Lack { kind: LackKind::Module, name: module.name.clone(), path, line, reason })
}

/// The files below a directory that end so, sorted, with their names as `a::b`.
fn files(root: &Path, extension: &str, depth: usize) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    walk(root, "", extension, depth, &mut found);
    found.sort();
    found
}

fn walk(
    directory: &Path,
    prefix: &str,
    extension: &str,
    depth: usize,
    found: &mut Vec<(PathBuf, String)>,
) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let part =
            |text: Option<&std::ffi::OsStr>| text.and_then(|text| text.to_str()).map(str::to_owned);
        if path.is_dir() {
            if let Some(name) = part(path.file_name()).filter(|_| depth > 1) {
                walk(&path, &format!("{prefix}{name}::"), extension, depth - 1, found);
            }
        } else if path.extension().is_some_and(|own| own == extension)
            && let Some(name) = part(path.file_stem())
        {
            found.push((path, format!("{prefix}{name}")));
        }
    }
}
