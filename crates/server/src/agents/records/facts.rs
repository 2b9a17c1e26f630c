//! The commands `replace facts` and `same facts`.

use kukla_pcore::Value;
use kukla_site::Node;
use kukla_store::time;

use super::plain;

/// The fact in which agents list packages.
const INVENTORY: &str = "_puppet_inventory_1";

/// The facts of a node as text.
pub(super) struct Facts<'a> {
    node: &'a Node,
    environment: &'a str,
    producer: &'a str,
    time: i64,
    /// The members of the object `values`.
    values: String,
    packages: Option<String>,
}

impl<'a> Facts<'a> {
    /// Puts the facts of a node into words.
    pub(super) fn new(node: &'a Node, environment: &'a str, producer: &'a str, time: i64) -> Self {
        let mut values = String::new();
        let facts = node.facts.iter().filter_map(|(name, value)| Some((name.as_str()?, value)));
        let own = facts.filter(|(name, _)| *name != INVENTORY && *name != "trusted");
        let trusted = node.trusted.as_ref().map(|trusted| Value::Hash(trusted.clone()));
        let trusted = trusted.iter().map(|trusted| ("trusted", trusted));
        plain::members(own.chain(trusted), &mut values);
        let packages = match node.facts.get_str(INVENTORY) {
            Some(Value::Hash(inventory)) => inventory.get_str("packages"),
            _ => None,
        };
        let packages = packages.map(|packages| {
            let mut text = String::new();
            plain::value(packages, &mut text);
            text
        });
        Self { node, environment, producer, time, values, packages }
    }

    /// Returns everything that is stored but for server and time.
    pub(super) fn content(&self) -> [&[u8]; 2] {
        [self.environment.as_bytes(), self.values.as_bytes()]
    }

    /// Returns whether packages come with the facts.
    pub(super) fn has_packages(&self) -> bool {
        self.packages.is_some()
    }

    /// Returns the payload of `replace facts`.
    pub(super) fn whole(&self) -> String {
        let mut out = self.head();
        out.push_str(",\"environment\":");
        plain::text(self.environment, &mut out);
        out.extend([",\"values\":{", &self.values, "}"]);
        if let Some(packages) = &self.packages {
            out.extend([",\"package_inventory\":", packages]);
        }
        out.push('}');
        out
    }

    /// Returns the payload of `same facts`.
    pub(super) fn same(&self, since: &str) -> String {
        let mut out = self.head();
        out.push_str(",\"since\":");
        plain::text(since, &mut out);
        out.push('}');
        out
    }

    fn head(&self) -> String {
        let mut out = String::with_capacity(self.values.len() + 256);
        out.push_str("{\"certname\":");
        plain::text(&self.node.name, &mut out);
        out.push_str(",\"producer\":");
        plain::text(self.producer, &mut out);
        out.push_str(",\"producer_timestamp\":");
        plain::text(&time::written(self.time), &mut out);
        out
    }
}
