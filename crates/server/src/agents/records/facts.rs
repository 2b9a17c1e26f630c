//! The command `replace facts`.

use kukla_pcore::Value;
use kukla_site::Node;

use super::{now, plain};

/// The fact in which agents list packages.
const INVENTORY: &str = "_puppet_inventory_1";

/// Returns the payload for the facts of a node.
pub(super) fn payload(node: &Node, environment: &str, producer: &str) -> String {
    let mut out = String::from("{\"certname\":");
    plain::text(&node.name, &mut out);
    out.push_str(",\"environment\":");
    plain::text(environment, &mut out);
    out.push_str(",\"producer\":");
    plain::text(producer, &mut out);
    out.push_str(",\"producer_timestamp\":");
    plain::text(&now(), &mut out);
    out.push_str(",\"values\":{");
    let facts = node.facts.iter().filter_map(|(name, value)| Some((name.as_str()?, value)));
    let own = facts.filter(|(name, _)| *name != INVENTORY && *name != "trusted");
    let trusted = node.trusted.as_ref().map(|trusted| Value::Hash(trusted.clone()));
    plain::members(own.chain(trusted.iter().map(|trusted| ("trusted", trusted))), &mut out);
    out.push('}');
    let packages = match node.facts.get_str(INVENTORY) {
        Some(Value::Hash(inventory)) => inventory.get_str("packages"),
        _ => None,
    };
    if let Some(packages) = packages {
        out.push_str(",\"package_inventory\":");
        plain::value(packages, &mut out);
    }
    out.push('}');
    out
}
