//! Values of nodes: undefined variables in paths, values of the messages type, and parameters without a value.

use kukla_world::files;
use std::collections::{BTreeMap, BTreeSet};

use ecow::EcoString;
use kukla_compiler::compile::{Lookups, ParameterSource, ParameterUse};
use kukla_lookup::{FoundValue, Origin, Query, Survey};
use kukla_pcore::Type;
use kukla_pcore::types::mismatch;
use kukla_site::{Main, Node};

use super::Check;
use super::literals::Literals;

/// A node, and its data before and after its catalog was compiled.
struct CheckedNode<'a> {
    name: &'a str,
    lookups: Lookups,
    parameters: Vec<ParameterUse>,
    /// Whether the catalog was compiled without error.
    is_compiled: bool,
}

/// Messages by place, and the nodes they apply to.
type NodeMessages = BTreeMap<(String, u32, String), Vec<String>>;

impl Check<'_> {
    /// Checks the values that nodes get.
    pub(super) fn nodes(&mut self, nodes: &[Node], survey: &Survey) -> anyhow::Result<()> {
        if nodes.is_empty() {
            return Ok(());
        }
        let mut all: Vec<CheckedNode<'_>> = Vec::new();
        for node in nodes {
            let environment = self.environment;
            let request = environment.request(node);
            let (snapshot, strictness) = (&environment.snapshot, environment.strictness);
            let lookups = snapshot.lookups(strictness, &request).map_err(anyhow::Error::msg)?;
            let (compiled, outcome) =
                snapshot.compiled_lookups(&Main::Environment, strictness, &request);
            let parameters = compiled.map(|mut all| all.parameters(&outcome)).unwrap_or_default();
            let is_compiled = outcome.catalog.is_ok();
            all.push(CheckedNode { name: &node.name, lookups, parameters, is_compiled });
        }
        self.variables(&all, survey);
        self.types(&mut all);
        self.missing(&mut all);
        Ok(())
    }

    fn variables(&mut self, nodes: &[CheckedNode<'_>], survey: &Survey) {
        for (config, variable) in &survey.variables {
            let name = variable.trim_start_matches("::");
            let is_known = |node: &CheckedNode<'_>| node.lookups.variable(name).is_some();
            if config.is_empty() || nodes.iter().any(is_known) {
                continue;
            }
            let text = files::read_text(config.as_ref()).unwrap_or_default();
            let line = text.lines().position(|line| line.contains(variable.as_str()));
            let line = line.and_then(|n| u32::try_from(n + 1).ok()).unwrap_or(1);
            let message = format!("`%{{{variable}}}` is unknown on all nodes");
            self.findings.warning("data-undefined-variable", config, line, message);
        }
    }

    /// Checks values that depend on the node.
    fn types(&mut self, nodes: &mut [CheckedNode<'_>]) {
        let mut messages = NodeMessages::new();
        for (key, type_) in &self.undecided {
            for node in nodes.iter_mut() {
                let (origin, message) = match node.lookups.parameter(key) {
                    Ok(None) => continue,
                    Ok(Some(found)) => match mismatch_of(key, type_, &found) {
                        Some(message) => (found.origins.into_iter().next(), message),
                        None => continue,
                    },
                    Err(fault) => {
                        let all = node.lookups.occurrences(key);
                        let origin = all.into_iter().next().map(|first| first.origin);
                        (
                            origin.or(fault.place.as_deref().cloned()),
                            format!("`{key}`: {}", fault.message),
                        )
                    }
                };
                let Some(Origin { file, line, .. }) = origin else { continue };
                let nodes = messages.entry((file.to_string(), line, message)).or_default();
                nodes.push(node.name.to_owned());
            }
        }
        self.report("data-wrong-type", messages);
    }

    /// Reports parameters without default or value: of the classes in catalogs, and of classes that no catalog has but
    /// code includes by name.
    fn missing(&mut self, nodes: &mut [CheckedNode<'_>]) {
        let mut messages = NodeMessages::new();
        let mut reached: BTreeSet<EcoString> = BTreeSet::new();
        for node in nodes.iter() {
            for used in &node.parameters {
                reached.insert(used.class.clone());
                if used.source == ParameterSource::Default {
                    self.missing_one(&used.class, &used.name, node.name, &mut messages);
                }
            }
        }
        let literals = Literals::of(self.environment.snapshot.environment());
        let others = literals.included.iter().filter(|name| !literals.declared.contains(*name));
        for class in others.filter(|name| !reached.contains(name.as_str())) {
            let Ok(Some(signature)) = self.lookups.class(class) else { continue };
            for parameter in &signature.parameters {
                let names = [EcoString::from(format!("{class}::{}", parameter.name))];
                for node in nodes.iter_mut().filter(|node| !node.is_compiled || reached.is_empty())
                {
                    if matches!(node.lookups.lookup(&Query::new(&names), None), Ok(None)) {
                        self.missing_one(class, &parameter.name, node.name, &mut messages);
                    }
                }
            }
        }
        self.report("data-missing", messages);
    }

    fn missing_one(&mut self, class: &str, name: &str, node: &str, messages: &mut NodeMessages) {
        let Ok(Some(signature)) = self.lookups.class(class) else { return };
        let mut parameters = signature.parameters.iter();
        if parameters.any(|parameter| parameter.name == name && !parameter.has_default) {
            let message = format!("`${name}` of class `{class}` has no default and no data");
            let nodes = messages.entry((signature.file, signature.line, message)).or_default();
            nodes.push(node.to_owned());
        }
    }

    fn report(&mut self, code: &'static str, messages: NodeMessages) {
        for ((file, line, message), nodes) in messages {
            let message = format!("{message} on {}", nodes.join(", "));
            self.findings.error(code, &file, line, message);
        }
    }
}

/// Returns the type mismatch of a node's value; a secret is not shown.
fn mismatch_of(key: &str, type_: &Type, found: &FoundValue) -> Option<String> {
    let subject = format!("`{key}`");
    let error = mismatch::assert_instance(&subject, type_, &found.value).err()?;
    Some(match found.is_secret {
        true => format!("{subject} has wrong type, expects {}", type_.text()),
        false => error.to_string(),
    })
}
