//! Trace of a lookup, as data.
//!
//! Every step of a search is recorded in a [`Trace`]; there is no second code path for explaining.
//! [`text`] writes the output of `puppet lookup --explain`, [`data`] its rendering as JSON or YAML.

mod data;
mod mutate;
mod text;

pub(crate) use mutate::Change;

use std::sync::Arc;

use ecow::EcoString;
use kukla_pcore::{Hash, Value};

/// Replacement of a secret in output.
pub const REDACTED: &str = "Sensitive [value redacted]";

/// Trace of a lookup: a tree of steps.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    steps: Vec<Step>,
    /// Unfinished steps, the innermost last.
    open: Vec<usize>,
    texts: Vec<String>,
    roots: Vec<usize>,
    explains_options: bool,
    only_options: bool,
    reveals: bool,
}

/// One step.
#[derive(Clone, Debug)]
pub struct Step {
    /// The kind of step.
    pub kind: StepKind,
    /// The result.
    pub event: Option<Event>,
    /// The key that it is about.
    pub key: Option<String>,
    /// The value.
    pub value: Option<Value>,
    /// Whether the value is or contains a secret.
    pub is_secret: bool,
    /// The origin of the value.
    pub origin: Option<Origin>,
    /// Texts about the step.
    pub texts: Vec<String>,
    /// Nested steps.
    pub branches: Vec<usize>,
}

/// Kind of step.
#[derive(Clone, Debug)]
pub enum StepKind {
    /// An invalid key.
    InvalidKey,
    /// The search for a key.
    Search(EcoString),
    /// The source of merge options.
    MergeSource(&'static str),
    /// A module without data, or a missing module.
    Module(EcoString),
    /// Interpolation of `%{…}` in a text.
    Interpolation(EcoString),
    /// A merge of the values of several places.
    Merge {
        /// The name of the strategy.
        strategy: &'static str,
        /// Its options.
        options: Option<Arc<Hash>>,
    },
    /// A layer, or an entry of its hierarchy.
    Provider {
        /// Its name, set at the end of the step.
        name: String,
        /// The configuration file of a layer.
        config: Option<String>,
        /// The module of a layer.
        module: Option<EcoString>,
    },
    /// A file or URI.
    Location {
        /// As written.
        original: EcoString,
        /// After interpolation.
        location: EcoString,
        /// Whether it is a URI.
        is_uri: bool,
    },
    /// A path into a value.
    SubKey(Vec<Value>),
    /// One segment of that path.
    Segment,
    /// A named scope: that of variables, or a set of options.
    Scope(String),
}

/// Result of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A value was found.
    Found,
    /// A value was found in the overrides.
    FoundInOverrides,
    /// A value was found in the default values.
    FoundInDefaults,
    /// The merged value.
    Result,
    /// No value was found.
    NotFound,
    /// The file does not exist.
    LocationNotFound,
    /// The module does not exist.
    ModuleNotFound,
    /// The module has no data.
    ModuleProviderNotFound,
}

/// Origin of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The file.
    pub file: EcoString,
    /// The line of the key, counted from 1; 0 if unknown.
    pub line: u32,
    /// The level of the hierarchy; none outside of hierarchies.
    pub level: Option<Arc<HierarchyLevel>>,
}

/// A level of a hierarchy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HierarchyLevel {
    /// Its name.
    pub name: EcoString,
    /// Its number, counted from 1; 0 for data outside of Hiera.
    pub number: u32,
}

impl Origin {
    /// Creates an origin outside of hierarchies.
    pub const fn new(file: EcoString, line: u32) -> Self {
        Self { file, line, level: None }
    }
}

impl Trace {
    /// Creates a trace of the search for data.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a trace of `lookup_options`: besides the search for data, or instead of it.
    pub fn of_options(only: bool) -> Self {
        Self { explains_options: true, only_options: only, ..Self::default() }
    }

    /// Shows secrets in plain text, as Puppet does.
    #[must_use]
    pub const fn revealing(mut self) -> Self {
        self.reveals = true;
        self
    }

    /// Whether the value of a step is redacted.
    fn hides(&self, step: &Step) -> bool {
        step.is_secret && !self.reveals
    }

    pub(crate) const fn is_only_options(&self) -> bool {
        self.only_options
    }

    /// Whether the trace includes `lookup_options`.
    pub const fn explains_options(&self) -> bool {
        self.explains_options
    }

    /// Returns the outermost steps.
    pub fn roots(&self) -> &[usize] {
        &self.roots
    }

    /// Returns a step by its number.
    pub fn step(&self, id: usize) -> &Step {
        &self.steps[id]
    }

    /// Adds a line about the current step.
    pub fn text(&mut self, text: String) {
        match self.open.last() {
            Some(&step) => self.steps[step].texts.push(text),
            None => self.texts.push(text),
        }
    }

    pub(crate) fn push(&mut self, kind: StepKind) {
        let id = self.add(kind);
        self.open.push(id);
    }

    /// Adds a finished step.
    pub(crate) fn add(&mut self, kind: StepKind) -> usize {
        let id = self.steps.len();
        let step = Step {
            kind,
            event: None,
            key: None,
            value: None,
            is_secret: false,
            origin: None,
            texts: Vec::new(),
            branches: Vec::new(),
        };
        self.steps.push(step);
        match self.open.last() {
            Some(&parent) => self.steps[parent].branches.push(id),
            None => self.roots.push(id),
        }
        id
    }

    pub(crate) fn pop(&mut self) {
        self.open.pop();
    }

    /// Names the provider of the current step.
    pub(crate) fn name_provider(&mut self, name: String, config: Option<String>) {
        let Some(&id) = self.open.last() else { return };
        if let StepKind::Provider { name: provider, config: path, .. } = &mut self.steps[id].kind {
            *provider = name;
            *path = config;
        }
    }

    pub(crate) fn name_invalid(&mut self, key: &str) {
        if let Some(step) = self.current() {
            step.key = Some(key.to_owned());
        }
    }

    pub(crate) fn found(&mut self, event: Event, key: String, value: Value) {
        if let Some(step) = self.current() {
            step.event = Some(event);
            step.key = Some(key);
            step.value = Some(value);
        }
    }

    pub(crate) fn origin(&mut self, origin: Origin) {
        if let Some(step) = self.current() {
            step.origin = Some(origin);
        }
    }

    pub(crate) fn result(&mut self, value: Value) {
        if let Some(step) = self.current() {
            step.event = Some(Event::Result);
            step.value = Some(value);
        }
    }

    pub(crate) fn secret(&mut self, is_secret: bool) {
        if let Some(step) = self.current() {
            step.is_secret = is_secret;
        }
    }

    pub(crate) fn not_found(&mut self, key: String) {
        if let Some(step) = self.current() {
            step.event = Some(Event::NotFound);
            step.key = Some(key);
        }
    }

    pub(crate) fn event(&mut self, event: Event) {
        if let Some(step) = self.current() {
            step.event = Some(event);
        }
    }

    pub(crate) fn module(&mut self, name: &EcoString, event: Event) {
        let id = self.add(StepKind::Module(name.clone()));
        self.steps[id].event = Some(event);
    }

    fn current(&mut self) -> Option<&mut Step> {
        let id = *self.open.last()?;
        self.steps.get_mut(id)
    }
}
