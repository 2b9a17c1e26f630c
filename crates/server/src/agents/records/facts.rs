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
    ///
    /// Those whose paths with dots are in `blocked` are left out, wherever they are.
    pub(super) fn new(
        node: &'a Node,
        environment: &'a str,
        producer: &'a str,
        time: i64,
        blocked: &[String],
    ) -> Self {
        let mut values = String::new();
        let facts = node.facts.iter().filter_map(|(name, value)| Some((name.as_str()?, value)));
        let own = facts.filter(|(name, _)| *name != INVENTORY && *name != "trusted");
        let trusted = node.trusted.as_ref().map(|trusted| Value::Hash(trusted.clone()));
        let trusted = trusted.iter().map(|trusted| ("trusted", trusted));
        match blocked {
            [] => plain::members(own.chain(trusted), &mut values),
            blocked => {
                let all = own.chain(trusted).filter(|(name, _)| !is_blocked(name, blocked));
                let all: Vec<(&str, Value)> =
                    all.map(|(name, value)| (name, without(value, name, blocked))).collect();
                plain::members(all.iter().map(|(name, value)| (*name, value)), &mut values);
            }
        }
        let packages = match node.facts.get_str(INVENTORY) {
            Some(Value::Hash(inventory)) => inventory.get_str("packages"),
            _ => None,
        };
        let is_inventory = |path: &String| {
            path.strip_prefix(INVENTORY).is_some_and(|rest| matches!(rest, "" | ".packages"))
        };
        let packages = packages.filter(|_| !blocked.iter().any(is_inventory));
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

fn is_blocked(path: &str, blocked: &[String]) -> bool {
    blocked.iter().any(|blocked| blocked == path)
}

/// Returns a value without what is blocked within; elements of arrays keep their places.
fn without(value: &Value, path: &str, blocked: &[String]) -> Value {
    let below = |name: &str| format!("{path}.{name}");
    match value {
        Value::Array(values) => Value::array(
            values
                .iter()
                .zip(0..)
                .map(|(value, n): (&Value, u32)| without(value, &below(&n.to_string()), blocked)),
        ),
        Value::Hash(hash) => {
            let member = |(key, value): (&Value, &Value)| {
                let path = below(&kukla_pcore::ruby::to_s(key));
                let is_open = !is_blocked(&path, blocked);
                is_open.then(|| (key.clone(), without(value, &path, blocked)))
            };
            Value::hash(hash.iter().filter_map(member).collect())
        }
        other => other.clone(),
    }
}
