//! Survey of all levels of all hierarchies and of all data files, independent of nodes: for checks of data.

use kukla_world::World;
use std::rc::Rc;

use ecow::EcoString;
use kukla_pcore::Value;

use crate::backend::Entry;
use crate::provider::{LayerKind, Provider};
use crate::run::{Invocation, Run};
use crate::session::Session;
use crate::{Fault, Host, Miss, data};

/// Replaces everything in a pattern that depends on the node.
pub const ANYTHING: &str = "*";

/// A level of a hierarchy, for all nodes.
#[derive(Clone, Debug)]
pub struct DataLevel {
    /// The module that it belongs to, if any.
    pub module: Option<EcoString>,
    /// The configuration file; `None` for the default.
    pub config: Option<String>,
    /// Its name.
    pub name: EcoString,
    /// The function that provides its data.
    pub function: EcoString,
    /// The options of the function.
    pub options: Value,
    /// The directory of its files.
    pub directory: String,
    /// Paths of files, as written and as resolved, with [`ANYTHING`] in place of variables.
    pub patterns: Vec<(EcoString, EcoString)>,
}

impl DataLevel {
    /// Returns the directory of its files, up to the first part that depends on the node.
    pub fn root(&self) -> &str {
        match self.directory.split_once(ANYTHING) {
            Some((start, _)) => start.rsplit_once('/').map_or("/", |(parent, _)| parent),
            None => &self.directory,
        }
    }

    /// Returns patterns of the paths of its files in which only `*` is special: other glob syntax becomes `*`.
    pub fn file_patterns(&self) -> impl Iterator<Item = String> {
        self.patterns.iter().map(|(_, pattern)| with_stars_only(pattern))
    }
}

fn with_stars_only(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match c {
            '?' => out.push('*'),
            '[' | '{' => {
                let end = if c == '[' { ']' } else { '}' };
                rest.by_ref().find(|skipped| *skipped == end);
                out.push('*');
            }
            c => out.push(c),
        }
    }
    out.replace("**/", "*")
}

/// All levels, and errors in configurations.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// The levels in order of precedence.
    pub levels: Vec<DataLevel>,
    /// The variables of each configuration.
    pub variables: Vec<(String, EcoString)>,
    /// Configurations that can't be used.
    pub faults: Vec<Fault>,
    /// Errors in the rules of `data_access`.
    pub access_faults: Vec<Fault>,
}

/// A data file before interpolation.
#[derive(Clone, Debug, Default)]
pub struct DataFile {
    /// Its keys in order.
    pub entries: Vec<DataEntry>,
    /// Keys that occur more than once, at any depth, with the line of the later one.
    pub repeated: Vec<(String, u32)>,
}

/// A key of a file.
#[derive(Clone, Debug)]
pub struct DataEntry {
    /// The key.
    pub key: EcoString,
    /// Its value.
    pub value: Value,
    /// Its line, counted from 1; 0 if unknown.
    pub line: u32,
}

impl DataFile {
    /// Reads a data file in the format of a built-in function, given by name.
    pub fn read(files: &dyn World, path: &str, function: &str) -> Result<Self, Fault> {
        let text = data::text(files, path)?;
        let format = match function {
            "json_data" => data::Format::Json,
            "hocon_data" => data::Format::Hocon,
            _ => data::Format::Yaml,
        };
        let mut repeated = Vec::new();
        let content = data::parse_noting(path, &text, format, &mut |key, line| {
            repeated.push((key.to_owned(), line));
        })
        .map_err(|fault| match format {
            data::Format::Json => {
                Fault { line: u32::try_from(data::json_line(&text)).ok(), ..fault }
            }
            data::Format::Yaml | data::Format::Hocon => fault,
        })?;
        let entries = match content {
            data::Content::Hash(hash) => hash
                .iter()
                .map(|(key, entry)| DataEntry {
                    key: key.clone(),
                    value: entry.value.clone(),
                    line: entry.line,
                })
                .collect(),
            data::Content::Other(Value::Boolean(false)) => Vec::new(),
            data::Content::Other(_) => {
                return Err(Fault::lookup(format!("{path}: file does not contain a valid hash")));
            }
        };
        Ok(Self { entries, repeated })
    }
}

impl Session {
    /// Returns all levels of all hierarchies.
    pub fn survey(self: &Rc<Self>, host: &mut dyn Host) -> Survey {
        Run::new(host, self, Invocation::default()).survey()
    }
}

impl Run<'_> {
    fn survey(&mut self) -> Survey {
        let access_faults = self.access_faults();
        Survey { access_faults, ..self.survey_levels() }
    }

    /// Returns all levels of all hierarchies.
    pub(crate) fn survey_levels(&mut self) -> Survey {
        let invocation = Invocation { is_survey: true, ..Invocation::default() };
        self.as_invocation(invocation, Run::all_levels)
    }

    fn all_levels(&mut self) -> Survey {
        let mut survey = Survey::default();
        let global = self.global_provider();
        self.survey_layer(Ok(Some(global)), &mut survey);
        let environment = self.environment_provider();
        self.survey_layer(environment, &mut survey);
        let modules: Vec<EcoString> = self.session.layers.places.modules.keys().cloned().collect();
        for module in modules {
            let provider = self.module_provider(&module);
            self.survey_layer(provider, &mut survey);
        }
        survey
    }

    fn survey_layer(&mut self, provider: Result<Option<Rc<Provider>>, Miss>, survey: &mut Survey) {
        let provider = match provider {
            Ok(Some(provider)) => provider,
            Ok(None) | Err(Miss::NotFound) => return,
            Err(Miss::Fault(fault)) => return survey.faults.push(*fault),
        };
        let config = match provider.config(self) {
            Ok(Some(config)) => config,
            Ok(None) => return,
            Err(fault) => return survey.faults.push(fault),
        };
        let uses = Rc::new(std::cell::RefCell::new(Vec::new()));
        let invocation = Invocation { uses: Some(Rc::clone(&uses)), ..(*self.invocation).clone() };
        for use_default in [false, true] {
            let entries = self.as_invocation(invocation.clone(), |run| {
                config.entries(run, &provider.kind, use_default)
            });
            match entries {
                Ok(entries) => survey.levels.extend(
                    entries.iter().map(|entry| level(entry, &provider.kind, config.path())),
                ),
                Err(Miss::NotFound) => (),
                Err(Miss::Fault(fault)) => survey.faults.push(*fault),
            }
            if !config.has_default_hierarchy() {
                break;
            }
        }
        let path = config.path().unwrap_or_default();
        for used in uses.take() {
            let variable = (path.to_owned(), used.key);
            if !survey.variables.contains(&variable) {
                survey.variables.push(variable);
            }
        }
    }
}

fn level(entry: &Entry, kind: &LayerKind, config: Option<&str>) -> DataLevel {
    let module = match kind {
        LayerKind::Module(name) => Some(name.clone()),
        LayerKind::Global | LayerKind::Environment => None,
    };
    DataLevel {
        module,
        config: config.map(str::to_owned),
        name: entry.name.clone(),
        function: entry.function().clone(),
        options: entry.options().clone(),
        directory: entry.directory().to_owned(),
        patterns: entry.files().map(|at| (at.original.clone(), at.path.clone())).collect(),
    }
}
