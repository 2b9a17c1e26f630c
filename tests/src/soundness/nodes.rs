//! The nodes whose records are checked.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, ensure};
use kukla_catalog::exports::{Exported, Stored};
use kukla_compiler::Strict;
use kukla_pcore::{Hash, Value};
use kukla_site::{Node, NodeFacts};
use kukla_world::paths::Anchor;

use super::overlay::{Overlay, Tree};
use super::subject::{ENVIRONMENT, Subject};
use crate::ROOM;
use crate::catalog::corpus::{MODULES, USUAL_NODES};

/// Nodes of the example environment.
const EXAMPLES: [&str; 3] = ["ldap.example.com", "monitor.example.com", "web1.example.com"];

/// Returns the usual nodes of Debian's modules, each with its name.
pub(super) fn usual() -> Result<Vec<(String, Subject)>> {
    ensure!(Path::new(MODULES).exists(), "no `puppet-module-*` package is installed");
    let room = Path::new(ROOM);
    let mut tree = Tree::default();
    tree.add(Path::new(MODULES), MODULES)?;
    tree.add(&room.join("soundness"), ENVIRONMENT)?;
    tree.add(&room.join("spec/catalogs"), &format!("{ENVIRONMENT}/manifests"))?;
    let tree = Arc::new(tree);
    let named = |(name, _): (&str, &str)| {
        let node = node(&format!("{name}.example.com"), &room.join("facts/debian12.json"))?;
        Ok((name.to_owned(), subject(classified(node), &tree)))
    };
    USUAL_NODES.into_iter().map(named).collect()
}

/// Returns the nodes of the examples, each with its name.
pub(super) fn examples() -> Result<Vec<(String, Subject)>> {
    let folder = Path::new(ROOM).join("../examples");
    let mut tree = Tree::default();
    tree.add(&folder, ENVIRONMENT)?;
    let tree = Arc::new(tree);
    let named = |name: &str| {
        let node = node(name, &folder.join(format!("facts/{name}.json")))?;
        Ok((name.to_owned(), subject(node, &tree)))
    };
    EXAMPLES.into_iter().map(named).collect()
}

fn node(name: &str, facts: &Path) -> Result<Node> {
    let facts = NodeFacts::read(facts, &Anchor::new("/"))?;
    Ok(Node::new(name, facts.values))
}

/// Returns a node as a classifier would describe it.
fn classified(mut node: Node) -> Node {
    let parameters: Hash =
        [(Value::from("role"), Value::from("web")), (Value::from("place"), Value::from("Bern"))]
            .into_iter()
            .collect();
    node.parameters = Arc::new(parameters);
    node.is_classified = true;
    node.classes = vec![("profile::params".to_owned(), Hash::new())];
    node
}

fn subject(node: Node, tree: &Arc<Tree>) -> Subject {
    let check = |title: &str, port: i64| Stored {
        node: "other.example.com".into(),
        resource: Exported {
            type_: "Profile::Check".into(),
            title: title.into(),
            tags: vec!["checks".into(), "profile".into()],
            parameters: vec![("port".into(), Value::Integer(port))],
        },
    };
    Subject {
        files: Overlay::new(Arc::clone(tree)),
        node,
        exports: vec![check("one", 80), check("two", 9999)],
        settings: Hash::new(),
        strict: Strict::Warning,
        is_plain: false,
    }
}
