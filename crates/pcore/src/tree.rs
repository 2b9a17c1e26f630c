//! The nodes of a tree of arrays, hashes and objects, one after the other: what `tree_each` walks.

use std::collections::VecDeque;

use crate::types::{Member, MemberKind};
use crate::value::Rare;
use crate::{Type, Value};

/// What `tree_each` shall give.
#[derive(Clone, Debug)]
pub struct TreeOptions {
    /// What has nodes below it; everything else is a value.
    pub containers: Type,
    /// Whether the tree itself is given.
    pub root: bool,
    /// Whether containers are given.
    pub with_containers: bool,
    /// Whether values are given; Puppet ignores it unless the order is depth first.
    pub with_values: bool,
    /// Whether attributes that refer to other objects are followed.
    pub references: bool,
    /// Whether what is below a node comes before what is beside it.
    pub depth_first: bool,
}

/// A walk through a tree.
#[derive(Debug)]
pub struct Tree {
    root: Value,
    options: TreeOptions,
    /// Containers whose nodes are still to come: the innermost is last, of a walk in breadth the next is first.
    levels: VecDeque<Level>,
    is_begun: bool,
}

#[derive(Debug)]
struct Level {
    container: Value,
    path: Vec<Value>,
    next: usize,
}

impl Tree {
    /// A walk through a tree.
    pub fn new(root: Value, options: TreeOptions) -> Self {
        Self { root, options, levels: VecDeque::new(), is_begun: false }
    }

    /// Whether what is below a node comes before what is beside it.
    pub fn is_depth_first(&self) -> bool {
        self.options.depth_first
    }

    /// Whether there are no nodes to be had, because the tree itself is no container.
    pub fn is_stuck(&self) -> bool {
        (self.is_begun || !self.options.root) && !self.options.containers.is_instance(&self.root)
    }

    fn push(&mut self, container: Value, path: Vec<Value>) {
        self.levels.push_back(Level { container, path, next: 0 });
    }
}

/// Nodes come as `[path, node]`.
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
            let shown = Value::array([Value::array(path.iter().cloned()), node.clone()]);
            let is_container = self.options.containers.is_instance(&node);
            let is_wanted = match is_container {
                true => self.options.with_containers,
                false => self.options.with_values || !self.options.depth_first,
            };
            if is_container {
                self.push(node, path);
            }
            if is_wanted {
                return Some(shown);
            }
        }
    }
}

impl Level {
    /// The next node below the container, with its index, key or attribute.
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
