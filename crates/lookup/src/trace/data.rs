//! The trace as data: the output of `puppet lookup --explain --render-as json`, with places.

use kukla_pcore::{Hash, Value};

use super::{Event, REDACTED, Step, StepKind, Trace};

impl Trace {
    /// Returns the trace as a value; a single root is not wrapped.
    pub fn to_value(&self) -> Value {
        match self.roots[..] {
            [only] => Value::from(self.step_hash(only)),
            _ => {
                let mut hash = Hash::new();
                self.add_branches(&mut hash, &self.roots);
                Value::from(hash)
            }
        }
    }

    fn add_branches(&self, hash: &mut Hash, branches: &[usize]) {
        if !branches.is_empty() {
            let branches = branches.iter().map(|&branch| Value::from(self.step_hash(branch)));
            insert(hash, "branches", Value::array(branches));
        }
    }

    fn step_hash(&self, id: usize) -> Hash {
        let step = self.step(id);
        let mut hash = Hash::new();
        match (&step.kind, &step.branches[..]) {
            (StepKind::Merge { .. }, [only]) => return self.step_hash(*only),
            (StepKind::MergeSource(source), _) => {
                insert(&mut hash, "type", "merge_source");
                insert(&mut hash, "merge_source", *source);
                return hash;
            }
            _ => (),
        }
        stacker::maybe_grow(32 << 10, 1 << 20, || self.add_branches(&mut hash, &step.branches));
        if let Some(key) = step.shown_key() {
            insert(&mut hash, "key", key);
        }
        if let Some(event) = step.event {
            if event.has_value() {
                let value = match self.hides(step) {
                    true => Value::from(REDACTED),
                    false => step.value.clone().unwrap_or_default(),
                };
                insert(&mut hash, "value", value);
            }
            insert(&mut hash, "event", event.name());
        }
        if !step.texts.is_empty() {
            let texts = step.texts.iter().map(|text| Value::from(text.as_str()));
            insert(&mut hash, "texts", Value::array(texts));
        }
        insert(&mut hash, "type", step.type_name());
        add_details(&mut hash, step);
        hash
    }
}

fn insert(hash: &mut Hash, key: &str, value: impl Into<Value>) {
    hash.insert(Value::from(key), value.into());
}

fn add_details(hash: &mut Hash, step: &Step) {
    match &step.kind {
        StepKind::Interpolation(text) => insert(hash, "expression", text.clone()),
        StepKind::Merge { strategy, .. } => {
            insert(hash, "merge", *strategy);
            if let Some(options) = step.merge_options() {
                insert(hash, "options", options);
            }
        }
        StepKind::Provider { name, config, module } => {
            insert(hash, "name", name.as_str());
            if let Some(path) = config {
                insert(hash, "configuration_path", path.as_str());
            }
            if let Some(module) = module {
                insert(hash, "module", module.clone());
            }
        }
        StepKind::Location { original, location, is_uri } => {
            let (first, second) =
                if *is_uri { ("original_uri", "uri") } else { ("original_path", "path") };
            insert(hash, first, original.clone());
            insert(hash, second, location.clone());
        }
        StepKind::Scope(name) => insert(hash, "name", name.as_str()),
        StepKind::InvalidKey
        | StepKind::Search(_)
        | StepKind::MergeSource(_)
        | StepKind::Module(_)
        | StepKind::SubKey(_)
        | StepKind::Segment => (),
    }
    if let Some(origin) = &step.origin {
        insert(hash, "file", origin.file.clone());
        insert(hash, "line", i64::from(origin.line));
    }
}

impl Step {
    fn shown_key(&self) -> Option<&str> {
        match &self.kind {
            StepKind::Search(name) => Some(name),
            _ => self.key.as_deref(),
        }
    }

    /// Returns the options of a merge without the name of the strategy, if there are any.
    pub(super) fn merge_options(&self) -> Option<Hash> {
        let StepKind::Merge { options: Some(options), .. } = &self.kind else { return None };
        let named = options.iter().filter(|(key, _)| key.as_str() != Some("strategy"));
        let rest: Hash = named.map(|(key, value)| (key.clone(), value.clone())).collect();
        (!rest.is_empty()).then_some(rest)
    }

    fn type_name(&self) -> &'static str {
        match &self.kind {
            StepKind::InvalidKey => "invalid_key",
            StepKind::Search(_) => "root",
            StepKind::MergeSource(_) => "merge_source",
            StepKind::Module(_) => "module",
            StepKind::Interpolation(_) => "interpolate",
            StepKind::Merge { .. } => "merge",
            StepKind::Provider { .. } => "data_provider",
            StepKind::Location { is_uri: true, .. } => "uri",
            StepKind::Location { is_uri: false, .. } => "path",
            StepKind::SubKey(_) => "sub_key",
            StepKind::Segment => "segment",
            StepKind::Scope(_) => "scope",
        }
    }
}

impl Event {
    const fn has_value(self) -> bool {
        matches!(self, Self::Found | Self::FoundInDefaults | Self::FoundInOverrides | Self::Result)
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::FoundInOverrides => "found_in_overrides",
            Self::FoundInDefaults => "found_in_defaults",
            Self::Result => "result",
            Self::NotFound => "not_found",
            Self::LocationNotFound => "location_not_found",
            Self::ModuleNotFound => "module_not_found",
            Self::ModuleProviderNotFound => "module_provider_not_found",
        }
    }
}
