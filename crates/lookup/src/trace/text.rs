//! The output of `puppet lookup --explain`.

use std::fmt::Write;

use kukla_pcore::{Value, ruby};

use super::{Event, REDACTED, Step, StepKind, Trace};

/// Lines of text, indented.
struct Writer<'a> {
    trace: &'a Trace,
    out: String,
    /// Whether to add the origins of values, which Puppet does not print.
    places: bool,
}

impl Trace {
    /// Returns the explanation as Puppet prints it.
    pub fn explain(&self) -> String {
        self.write(false)
    }

    /// Like [`explain`](Self::explain), but with the file and line of every value.
    pub fn explain_places(&self) -> String {
        self.write(true)
    }

    fn write(&self, places: bool) -> String {
        let mut writer = Writer { trace: self, out: String::new(), places };
        for &root in &self.roots {
            writer.step(root, 0);
        }
        writer.texts(&self.texts, 0);
        writer.out
    }
}

impl Writer<'_> {
    fn line(&mut self, indent: usize, text: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.out, "{:indent$}{text}", "");
    }

    fn texts(&mut self, texts: &[String], indent: usize) {
        for text in texts {
            self.line(indent, format_args!("{text}"));
        }
    }

    fn branches(&mut self, step: &Step, indent: usize) {
        for &branch in &step.branches {
            self.step(branch, indent);
        }
    }

    fn step(&mut self, id: usize, indent: usize) {
        let trace = self.trace;
        let step = trace.step(id);
        let inner = indent + 2;
        match &step.kind {
            StepKind::InvalidKey => {
                self.line(indent, format_args!("Invalid key \"{}\"", key(step)));
            }
            StepKind::Search(name) => {
                self.line(indent, format_args!("Searching for \"{name}\""));
                self.branches(step, inner);
            }
            StepKind::MergeSource(source) => {
                self.line(indent, format_args!("Using merge options from \"{source}\" hash"));
            }
            StepKind::Module(name) => match step.event {
                Some(Event::ModuleNotFound) => {
                    self.line(indent, format_args!("Module \"{name}\" not found"));
                }
                _ => self.line(
                    indent,
                    format_args!("Module data provider for module \"{name}\" not found"),
                ),
            },
            StepKind::Interpolation(text) => {
                self.line(indent, format_args!("Interpolation on \"{text}\""));
                self.branches(step, inner);
            }
            StepKind::Merge { .. } => self.merge(step, indent),
            StepKind::Provider { name, config, .. } => {
                self.line(indent, format_args!("{name}"));
                if let Some(path) = config {
                    self.line(inner, format_args!("Using configuration \"{path}\""));
                }
                self.branches(step, inner);
                self.outcome(step, inner);
            }
            StepKind::Location { original, location, is_uri } => {
                let (name, lower) = if *is_uri { ("URI", "uri") } else { ("Path", "path") };
                self.line(indent, format_args!("{name} \"{location}\""));
                self.line(inner, format_args!("Original {lower}: \"{original}\""));
                self.branches(step, inner);
                if step.event == Some(Event::LocationNotFound) {
                    self.line(inner, format_args!("{name} not found"));
                }
                self.outcome(step, inner);
            }
            StepKind::SubKey(segments) => {
                self.line(indent, format_args!("Sub key: \"{}\"", ruby::join(segments, ".")));
                self.branches(step, inner);
                self.outcome(step, inner);
            }
            StepKind::Segment => self.outcome(step, indent),
            StepKind::Scope(name) => {
                self.line(indent, format_args!("{name}"));
                self.branches(step, inner);
                self.outcome(step, inner);
            }
        }
    }

    /// Writes a merge; one with a single branch is omitted.
    fn merge(&mut self, step: &Step, indent: usize) {
        let StepKind::Merge { strategy, .. } = &step.kind else { return };
        match step.branches[..] {
            [] => return,
            [only] => return self.step(only, indent),
            _ => (),
        }
        let inner = indent + 2;
        self.line(indent, format_args!("Merge strategy {strategy}"));
        if let Some(options) = step.merge_options() {
            let _ = write!(self.out, "{:inner$}Options: ", "");
            self.value(&Value::from(options), inner);
            self.out.push('\n');
        }
        self.branches(step, inner);
        if let (Some(Event::Result), Some(value)) = (step.event, &step.value) {
            let _ = write!(self.out, "{:inner$}Merged result: ", "");
            self.shown(step, value, inner);
            self.out.push('\n');
        }
    }

    fn outcome(&mut self, step: &Step, indent: usize) {
        match (step.event, &step.value) {
            (Some(Event::NotFound), _) => {
                self.line(indent, format_args!("No such key: \"{}\"", key(step)));
            }
            (
                Some(Event::Found | Event::FoundInOverrides | Event::FoundInDefaults),
                Some(value),
            ) => {
                let _ = write!(self.out, "{:indent$}Found key: \"{}\" value: ", "", key(step));
                self.shown(step, value, indent);
                self.out.push_str(match step.event {
                    Some(Event::FoundInOverrides) => " in overrides",
                    Some(Event::FoundInDefaults) => " in defaults",
                    _ => "",
                });
                if let (true, Some(origin)) = (self.places, &step.origin) {
                    let _ = write!(self.out, " at {}:{}", origin.file, origin.line);
                }
                self.out.push('\n');
            }
            _ => (),
        }
        self.texts(&step.texts, indent);
    }

    fn shown(&mut self, step: &Step, value: &Value, indent: usize) {
        match self.trace.hides(step) {
            true => self.out.push_str(REDACTED),
            false => self.value(value, indent),
        }
    }

    fn value(&mut self, value: &Value, indent: usize) {
        let inner = indent + 2;
        match value {
            Value::Hash(hash) if hash.is_empty() => self.out.push_str("{}"),
            Value::Array(items) if items.is_empty() => self.out.push_str("[]"),
            Value::Hash(hash) => stacker::maybe_grow(32 << 10, 1 << 20, || {
                for (index, (key, value)) in hash.iter().enumerate() {
                    let start = if index == 0 { "{\n" } else { ",\n" };
                    let _ = write!(self.out, "{start}{:inner$}", "");
                    self.value(key, inner);
                    self.out.push_str(" => ");
                    self.value(value, inner);
                }
                let _ = write!(self.out, "\n{:indent$}}}", "");
            }),
            Value::Array(items) => stacker::maybe_grow(32 << 10, 1 << 20, || {
                for (index, item) in items.iter().enumerate() {
                    let start = if index == 0 { "[\n" } else { ",\n" };
                    let _ = write!(self.out, "{start}{:inner$}", "");
                    self.value(item, inner);
                }
                let _ = write!(self.out, "\n{:indent$}]", "");
            }),
            other => self.out.push_str(&ruby::inspect(other)),
        }
    }
}

fn key(step: &Step) -> &str {
    step.key.as_deref().unwrap_or_default()
}
