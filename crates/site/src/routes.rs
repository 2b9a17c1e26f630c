//! `routes.yaml`: where a Puppet Server keeps facts and catalogs, as far as that concerns PuppetDB.
//!
//! [`Routes::read`] is the entry point. Puppet Server does not start with a file that is wrong, and neither does a server
//! of ours; what a correct file says and has no effect here is a note.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use kukla_rubytext::Data;
use kukla_rubytext::yaml::{self, LoadOptions};
use kukla_world::files;

/// Names of what Puppet keeps somewhere.
const INDIRECTIONS: [&str; 9] = [
    "catalog",
    "data_binding",
    "facts",
    "file_bucket_file",
    "file_content",
    "file_metadata",
    "node",
    "report",
    "resource",
];

/// Entries that ask for what Kukla does anyway: the place of facts is its own, as JSON, and PuppetDB's.
const SILENT: [(&str, &[&str]); 5] = [
    ("facts", &["json", "memory", "puppetdb", "store_configs", "yaml"]),
    ("catalog", &["compiler", "json", "puppetdb", "store_configs", "yaml"]),
    ("resource", &["puppetdb", "ral", "store_configs"]),
    ("report", &["processor"]),
    ("file_bucket_file", &["file"]),
];

/// Routes that can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoutesError {
    /// It is no YAML, in Ruby's words.
    #[error("{0}")]
    Yaml(String),
    /// A part of it has another form.
    #[error("line {line}: {words}")]
    Form {
        /// The line, counted from 1.
        line: usize,
        /// The mistake.
        words: String,
    },
}

/// An entry without effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteNote {
    /// Its line, counted from 1.
    pub line: usize,
    /// The reason.
    pub words: String,
}

/// Where a Puppet Server keeps one kind of things.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Termini {
    terminus: Option<String>,
    cache: Option<String>,
}

/// The routes of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Routes {
    path: PathBuf,
    facts: Termini,
    catalog: Termini,
    /// Entries that have no effect.
    pub notes: Vec<RouteNote>,
}

/// Lines of keys by their paths.
type Lines = HashMap<Vec<String>, usize>;

impl Routes {
    /// Reads a file; one that does not exist has no routes.
    pub(crate) fn open(path: &Path) -> Result<Self, crate::SiteError> {
        if !files::exists(path) {
            return Ok(Self::default());
        }
        let text = files::read_text(path).map_err(crate::SiteError::unreadable(path))?;
        let routes = Self::read(&text).map_err(|error| {
            let path = path.to_owned();
            crate::SiteError::BadRoutes { path, error }
        })?;
        Ok(Self { path: path.to_owned(), ..routes })
    }

    /// Returns the file; nothing if there is none.
    pub fn path(&self) -> Option<&Path> {
        Some(self.path.as_path()).filter(|path| !path.as_os_str().is_empty())
    }

    /// Reads routes.
    pub fn read(text: &str) -> Result<Self, RoutesError> {
        let (data, lines) = parse(text)?;
        let line = |path: &[&str]| {
            let path: Vec<String> = path.iter().map(|&key| key.to_owned()).collect();
            lines.get(&path).copied().unwrap_or(1)
        };
        let wrong = |line: usize, words: String| RoutesError::Form { line, words };
        let mut routes = Self::default();
        if !matches!(data, Data::Hash(_)) {
            return Err(wrong(1, "it is no hash with `server`".to_owned()));
        }
        let section = |name: &str| data.get(name).filter(|it| **it != Data::Nil);
        let (name, section) = match (section("server"), section("master")) {
            (Some(server), other) => {
                if other.is_some() {
                    let words = "`master` has no effect beside `server`";
                    routes.note(line(&["master"]), words.to_owned());
                }
                ("server", server)
            }
            (None, Some(master)) => ("master", master),
            (None, None) => return Ok(routes),
        };
        let Data::Hash(entries) = section else {
            return Err(wrong(line(&[name]), format!("`{name}` is no hash")));
        };
        for (kind, termini) in entries {
            let Some(kind) = text_of(kind) else { continue };
            let at = |rest: &[&str]| line(&[&[name, kind], rest].concat());
            let Some(known) = INDIRECTIONS.iter().find(|known| **known == kind) else {
                return Err(wrong(at(&[]), format!("Indirection {kind} does not exist")));
            };
            let Data::Hash(termini) = termini else {
                let words = format!("`{kind}` is no hash of `terminus` and `cache`");
                return Err(wrong(at(&[]), words));
            };
            routes.entry(known, termini, &at)?;
        }
        Ok(routes)
    }

    fn entry(
        &mut self,
        kind: &'static str,
        entries: &[(Data, Data)],
        line: &dyn Fn(&[&str]) -> usize,
    ) -> Result<(), RoutesError> {
        let mut termini = Termini::default();
        for (key, value) in entries {
            let Some(key) = text_of(key) else { continue };
            let line = line(&[key]);
            let own = match key {
                "terminus" => &mut termini.terminus,
                "cache" => &mut termini.cache,
                _ => {
                    self.note(line, format!("`{key}` has no effect"));
                    continue;
                }
            };
            if *value == Data::Nil {
                continue;
            }
            let Some(name) = text_of(value).map(|name| name.trim_start_matches(':')) else {
                let words = format!("`{key}` of `{kind}` is no name");
                return Err(RoutesError::Form { line, words });
            };
            *own = Some(name.to_owned());
            let is_silent = SILENT.iter().any(|(own, names)| *own == kind && names.contains(&name));
            if !is_silent {
                self.note(
                    line,
                    format!("`{key}: {name}` of `{kind}` has no effect: {}", reason(kind)),
                );
            }
        }
        if termini == Termini::default() {
            let words = format!("`{kind}` has neither `terminus` nor `cache`");
            return Err(RoutesError::Form { line: line(&[]), words });
        }
        match kind {
            "facts" => self.facts = termini,
            "catalog" => self.catalog = termini,
            _ => (),
        }
        Ok(())
    }

    fn note(&mut self, line: usize, words: String) {
        self.notes.push(RouteNote { line, words });
    }

    /// Returns whether facts are kept in PuppetDB; nothing if the routes don't say.
    pub(crate) fn facts_in_puppetdb(&self, is_backend: bool) -> Option<bool> {
        let Termini { terminus, cache } = &self.facts;
        let is_there = |name: &Option<String>| name.as_ref().map(|it| is_puppetdb(it, is_backend));
        match (is_there(terminus), is_there(cache)) {
            (None, None) => None,
            // A terminus alone leaves the cache that the setting `storeconfigs` sets.
            (Some(terminus), None) => Some(terminus || is_backend),
            (terminus, Some(cache)) => Some(terminus.unwrap_or(false) || cache),
        }
    }

    /// Returns whether catalogs are sent to PuppetDB; nothing if the routes don't say.
    pub(crate) fn catalogs_in_puppetdb(&self, is_backend: bool) -> Option<bool> {
        self.catalog.cache.as_ref().map(|name| is_puppetdb(name, is_backend))
    }
}

/// Returns whether a name is that of PuppetDB; `is_backend` says whether the settings of `storeconfigs` lead there.
fn is_puppetdb(name: &str, is_backend: bool) -> bool {
    matches!(name, "puppetdb" | "puppetdb_apply") || is_backend && name == "store_configs"
}

fn reason(kind: &str) -> &'static str {
    match kind {
        "catalog" => "Kukla compiles catalogs itself, and keeps them in its store",
        "facts" => "Kukla keeps facts as JSON, and in its store",
        "node" => "the setting `node_terminus` says where nodes come from",
        "report" => "the setting `reports` says what happens to reports",
        "resource" => "the setting `storeconfigs` says whether nodes collect",
        _ => "Kukla has one place for that",
    }
}

fn parse(text: &str) -> Result<(Data, Lines), RoutesError> {
    let options = LoadOptions { permitted_classes: &["Symbol"], aliases: false, filename: None };
    let mut keys: Vec<(usize, Vec<String>, usize)> = Vec::new();
    let loaded = yaml::load_with_keys(text, options, &mut |mark| {
        let name = text_of(mark.key).unwrap_or_default();
        // A key comes after those of its value.
        let own = keys.iter_mut().rev().take_while(|(depth, ..)| *depth > mark.depth);
        for (depth, path, _) in own {
            *depth = mark.depth;
            path.insert(0, name.to_owned());
        }
        keys.push((mark.depth, vec![name.to_owned()], mark.line));
    });
    match loaded {
        Ok(data) => Ok((data, keys.into_iter().map(|(_, path, line)| (path, line)).collect())),
        Err(refused) => match refused.line {
            Some(line) => Err(RoutesError::Form { line, words: refused.error.message }),
            None => Err(RoutesError::Yaml(refused.error.message)),
        },
    }
}

/// Returns the text of a string or a symbol.
fn text_of(data: &Data) -> Option<&str> {
    match data {
        Data::Str(text) | Data::Symbol(text) => Some(text),
        _ => None,
    }
}
