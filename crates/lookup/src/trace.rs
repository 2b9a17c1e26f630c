//! The story of a lookup, as data.
//!
//! Every step of a search is told to a [`Trace`]; there is no second code path for explaining.
//! [`text`] writes what `puppet lookup --explain` prints, [`data`] what it renders as JSON or YAML.

mod data;
mod mutate;
mod text;

pub(crate) use mutate::Change;

use std::sync::Arc;

use ecow::EcoString;
use kukla_pcore::{Hash, Value};

/// What is shown in place of a secret.
pub const REDACTED: &str = "Sensitive [value redacted]";

/// What happened during a lookup: a tree of steps.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    steps: Vec<Step>,
    /// The steps that are not done yet, the innermost last.
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
    /// What was done.
    pub kind: StepKind,
    /// How it ended.
    pub event: Option<Event>,
    /// The key it is about.
    pub key: Option<String>,
    /// The value that was found.
    pub value: Option<Value>,
    /// Whether the value is a secret, or has one in it.
    pub is_secret: bool,
    /// Where the value stands.
    pub origin: Option<Origin>,
    /// What was said about it.
    pub texts: Vec<String>,
    /// The steps in it.
    pub branches: Vec<usize>,
}

/// What a step does.
#[derive(Clone, Debug)]
pub enum StepKind {
    /// A key that cannot be looked up.
    InvalidKey,
    /// The search for a key.
    Search(EcoString),
    /// Options of the merge came from here.
    MergeSource(&'static str),
    /// A module that has no data, or is not there.
    Module(EcoString),
    /// `%{…}` in a text.
    Interpolation(EcoString),
    /// Several places are asked, and what they give is merged.
    Merge {
        /// The name of the strategy.
        strategy: &'static str,
        /// Its options.
        options: Option<Arc<Hash>>,
    },
    /// A layer, or an entry of its hierarchy.
    Provider {
        /// Its name, known when the step is done.
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
        /// What it is now.
        location: EcoString,
        /// Whether it is a URI.
        is_uri: bool,
    },
    /// The way into a value.
    SubKey(Vec<Value>),
    /// One step on that way.
    Segment,
    /// Something with a name: the scope of variables, or a set of options.
    Scope(String),
}

/// How a step ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// With a value.
    Found,
    /// With a value of the overrides.
    FoundInOverrides,
    /// With a value of the default values.
    FoundInDefaults,
    /// With what was merged.
    Result,
    /// Without a value.
    NotFound,
    /// There is no such file.
    LocationNotFound,
    /// There is no such module.
    ModuleNotFound,
    /// There is no data in the module.
    ModuleProviderNotFound,
}

/// Where a value stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The file.
    pub file: EcoString,
    /// The line of the key, counted from 1; 0 if it is not known.
    pub line: u32,
    /// The level of the hierarchy; none outside of hierarchies.
    pub level: Option<Arc<HierarchyLevel>>,
}

/// A level of a hierarchy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HierarchyLevel {
    /// Its name.
    pub name: EcoString,
    /// Its number, counted from 1; 0 for data that is not Hiera's.
    pub number: u32,
}

impl Origin {
    /// A place outside of hierarchies.
    pub const fn new(file: EcoString, line: u32) -> Self {
        Self { file, line, level: None }
    }
}

impl Trace {
    /// A story of the search for data.
    pub fn new() -> Self {
        Self::default()
    }

    /// A story that tells of `lookup_options`: besides the search for data, or instead of it.
    pub fn of_options(only: bool) -> Self {
        Self { explains_options: true, only_options: only, ..Self::default() }
    }

    /// The same with secrets in plain text, as Puppet shows them.
    #[must_use]
    pub const fn revealing(mut self) -> Self {
        self.reveals = true;
        self
    }

    /// Whether the value of a step may not be shown.
    fn hides(&self, step: &Step) -> bool {
        step.is_secret && !self.reveals
    }

    pub(crate) const fn is_only_options(&self) -> bool {
        self.only_options
    }

    /// Whether `lookup_options` were asked for.
    pub const fn explains_options(&self) -> bool {
        self.explains_options
    }

    /// The outermost steps.
    pub fn roots(&self) -> &[usize] {
        &self.roots
    }

    /// A step by its number.
    pub fn step(&self, id: usize) -> &Step {
        &self.steps[id]
    }

    /// Adds a line about the step that is being made.
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

    /// Adds a step that is done.
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

    /// Names the provider whose step is about to be done.
    pub(crate) fn name_provider(&mut self, name: String, config: Option<String>) {
        let Some(&id) = self.open.last() else { return };
        if let StepKind::Provider { name: known, config: path, .. } = &mut self.steps[id].kind {
            *known = name;
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
