//! What nodes get: variables in paths that none has, and parameters that nobody gives.

use ecow::EcoString;
use kukla_compiler::compile::Lookups;
use kukla_lookup::{Query, Survey};

use super::Check;
use super::literals::Literals;
use crate::compile::node::Node;

impl Check<'_> {
    /// Looks at what is known of nodes.
    pub(super) fn nodes(&mut self, nodes: &[Node], survey: &Survey) -> anyhow::Result<()> {
        if nodes.is_empty() {
            return Ok(());
        }
        let mut all: Vec<(&str, Lookups)> = Vec::new();
        for node in nodes {
            let request = self.site.request(node);
            let lookups = self.site.snapshot.lookups(self.site.rules, &request);
            all.push((&node.name, lookups.map_err(anyhow::Error::msg)?));
        }
        self.variables(&all, survey);
        let literals = Literals::of(self.site.snapshot.environment());
        for class in literals.included.iter().filter(|name| !literals.declared.contains(*name)) {
            self.mandatory(class, &mut all);
        }
        Ok(())
    }

    fn variables(&mut self, nodes: &[(&str, Lookups)], survey: &Survey) {
        for (config, variable) in &survey.variables {
            let name = variable.trim_start_matches("::");
            if config.is_empty() || nodes.iter().any(|(_, node)| node.variable(name).is_some()) {
                continue;
            }
            let text = std::fs::read_to_string(config).unwrap_or_default();
            let line = text.lines().position(|line| line.contains(variable.as_str()));
            let line = line.and_then(|n| u32::try_from(n + 1).ok()).unwrap_or(1);
            let message = format!("`%{{{variable}}}` is unknown on all nodes");
            self.findings.warning("data-undefined-variable", config, line, message);
        }
    }

    /// Parameters of an included class that have no default and no value.
    fn mandatory(&mut self, class: &str, nodes: &mut [(&str, Lookups)]) {
        let Ok(Some(signature)) = self.lookups.class(class) else { return };
        for parameter in signature.parameters.iter().filter(|known| !known.has_default) {
            let names = [EcoString::from(format!("{class}::{}", parameter.name))];
            let mut without: Vec<&str> = Vec::new();
            for (node, lookups) in nodes.iter_mut() {
                if matches!(lookups.lookup(&Query::new(&names), None), Ok(None)) {
                    without.push(node);
                }
            }
            if without.is_empty() {
                continue;
            }
            let (name, file) = (&parameter.name, &signature.file);
            let nodes = without.join(", ");
            let message =
                format!("`${name}` of class `{class}` has no default and no data on {nodes}");
            self.findings.error("data-missing", file, signature.line, message);
        }
    }
}
