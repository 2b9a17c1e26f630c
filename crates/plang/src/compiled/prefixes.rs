//! Texts of which some begin with others, in a tree: how long a search takes depends on the text that is
//! searched for, not on how many there are.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::index::merged;
use crate::text::begins_with;

/// Rules by the text that something must begin with.
#[derive(Debug)]
pub(super) struct Prefixes {
    /// The first is the root, if there is any text.
    nodes: Vec<Node>,
}

/// The texts that begin alike.
#[derive(Debug)]
struct Node {
    /// What they have in common, without that of the nodes above.
    label: Box<[u8]>,
    /// The rules of the text that ends here, if one does, and of all that it begins with.
    rules: Option<Box<[u32]>>,
    /// How those that are longer go on, and where they are.
    bytes: Box<[u8]>,
    children: Box<[u32]>,
}

/// A text with its rules.
type Entry = (Arc<[u8]>, Vec<u32>);

/// Texts that are still to be put in the tree.
#[derive(Clone, Copy)]
struct Open<'e> {
    entries: &'e [Entry],
    /// How much of them stands in the nodes above.
    depth: usize,
    /// The closest node above where a text ends.
    above: Option<usize>,
}

impl Prefixes {
    /// None: the lists would have more elements than that.
    pub(super) fn new(rules: BTreeMap<Arc<[u8]>, Vec<u32>>, mut most: usize) -> Option<Self> {
        let entries: Vec<Entry> = rules.into_iter().collect();
        let mut nodes: Vec<Node> = Vec::new();
        // Nodes have the numbers of what they are made of.
        let mut open = Vec::new();
        if !entries.is_empty() {
            open.push(Open { entries: &entries, depth: 0, above: None });
        }
        while let Some(&Open { entries, depth, above }) = open.get(nodes.len()) {
            let end = depth + in_common(entries, depth);
            let (rules, longer) = match entries {
                [(text, own), longer @ ..] if text.len() == end => {
                    let above = above.and_then(|above| nodes[above].rules.as_deref());
                    (Some(merged(own, above.unwrap_or_default())), longer)
                }
                _ => (None, entries),
            };
            most = most.checked_sub(rules.as_ref().map_or(0, |rules| rules.len()))?;
            let above = if rules.is_some() { Some(nodes.len()) } else { above };
            let label = entries.first().map_or(&[][..], |(text, _)| &text[depth..end]);
            let (mut bytes, mut children) = (Vec::new(), Vec::new());
            for entries in longer.chunk_by(|(one, _), (other, _)| one[end] == other[end]) {
                bytes.push(entries[0].0[end]);
                children.push(u32::try_from(open.len()).ok()?);
                open.push(Open { entries, depth: end, above });
            }
            let (bytes, children) = (bytes.into(), children.into());
            nodes.push(Node { label: label.into(), rules, bytes, children });
        }
        Some(Self { nodes })
    }

    /// The rules of all texts that a text begins with.
    pub(super) fn of(&self, text: &[u8]) -> &[u32] {
        let (mut found, mut rest): (&[u32], _) = (&[], text);
        let mut next = self.nodes.first();
        while let Some(node) = next {
            if !begins_with(rest, &node.label) {
                break;
            }
            found = node.rules.as_deref().unwrap_or(found);
            rest = &rest[node.label.len()..];
            next = rest.first().and_then(|byte| {
                let child = memchr::memchr(*byte, &node.bytes)?;
                self.nodes.get(node.children[child] as usize)
            });
        }
        found
    }
}

/// How many bytes behind a depth are the same in all texts, which are sorted.
fn in_common(entries: &[Entry], depth: usize) -> usize {
    let (Some((first, _)), Some((last, _))) = (entries.first(), entries.last()) else { return 0 };
    first[depth..].iter().zip(&last[depth..]).take_while(|(one, other)| one == other).count()
}
