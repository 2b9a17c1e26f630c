//! Traversal of arrays, hashes and objects: `tree_each`.

use kukla_base::cancel::visit;
use std::collections::VecDeque;

use crate::types::{Member, MemberKind};
use crate::value::Rare;
use crate::{Type, Value};

/// Options of `tree_each`.
#[derive(Clone, Debug)]
pub struct TreeOptions {
    /// The type of containers; all remaining nodes are values.
    pub containers: Type,
    /// Includes the tree itself.
    pub root: bool,
    /// Includes containers.
    pub with_containers: bool,
    /// Includes values; Puppet ignores it unless the order is depth first.
    pub with_values: bool,
    /// Follows attributes that refer to objects.
    pub references: bool,
    /// Visits the descendants of a node before its siblings.
    pub depth_first: bool,
}

/// A traversal of a tree.
#[derive(Debug)]
pub struct Tree {
    root: Value,
    options: TreeOptions,
    /// Containers with unvisited nodes: depth first, the innermost is last; breadth first, the next is first.
    levels: VecDeque<TreeLevel>,
    is_begun: bool,
}

#[derive(Debug)]
struct TreeLevel {
    container: Value,
    path: Vec<Value>,
    next: usize,
}

impl Tree {
    /// Creates a traversal of a tree.
    pub fn new(root: Value, options: TreeOptions) -> Self {
        Self { root, options, levels: VecDeque::new(), is_begun: false }
    }

    /// Returns true if descendants of a node are visited before its siblings.
    pub fn is_depth_first(&self) -> bool {
        self.options.depth_first
    }

    /// Returns true if there are no nodes, because the tree itself is no container.
    pub fn is_stuck(&self) -> bool {
        (self.is_begun || !self.options.root) && !self.options.containers.is_instance(&self.root)
    }

    fn push(&mut self, container: Value, path: Vec<Value>) {
        self.levels.push_back(TreeLevel { container, path, next: 0 });
    }
}

/// Nodes are returned as `[path, node]`.
impl Iterator for Tree {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        if !self.is_begun {
            self.is_begun = true;
            self.push(self.root.clone(), Vec::new());
            if self.options.root {
                return Some(Value::array([Value::array([]), self.root.clone()]));
            }
        }
        loop {
            if visit() {
                return None;
            }
            let level = match self.options.depth_first {
                true => self.levels.back_mut()?,
                false => self.levels.front_mut()?,
            };
            let Some((key, node)) = level.nth(self.options.references) else {
                match self.options.depth_first {
                    true => self.levels.pop_back(),
                    false => self.levels.pop_front(),
                };
                continue;
            };
            level.next += 1;
            let mut path = level.path.clone();
            path.push(key);
            let item = Value::array([Value::array(path.iter().cloned()), node.clone()]);
            let is_container = self.options.containers.is_instance(&node);
            let is_wanted = match is_container {
                true => self.options.with_containers,
                false => self.options.with_values || !self.options.depth_first,
            };
            if is_container {
                self.push(node, path);
            }
            if is_wanted {
                return Some(item);
            }
        }
    }
}

impl TreeLevel {
    /// Returns the next node below the container, with its index, key or attribute.
    fn nth(&self, with_references: bool) -> Option<(Value, Value)> {
        match &self.container {
            Value::Array(values) => {
                let index = i64::try_from(self.next).unwrap_or(i64::MAX);
                values.get(self.next).map(|value| (Value::Integer(index), value.clone()))
            }
            Value::Hash(hash) => {
                hash.entry(self.next).map(|(key, value)| (key.clone(), value.clone()))
            }
            Value::Rare(rare) => match &**rare {
                Rare::Object(object) => {
                    let attributes = object.type_.attributes();
                    let is_wanted =
                        |member: &&&Member| with_references || member.kind != MemberKind::Reference;
                    let name = &attributes.iter().filter(is_wanted).nth(self.next)?.name;
                    let value = object.get(name).cloned().unwrap_or_default();
                    Some((Value::String(name.clone()), value))
                }
                _ => None,
            },
            _ => None,
        }
    }
}
