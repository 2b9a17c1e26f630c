//! Radix tree of prefixes: the time of a search depends on the length of the text, not on the number of prefixes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::index::merged;
use crate::text::begins_with;

/// Rules by the prefix that a text must have.
#[derive(Debug)]
pub(super) struct Prefixes {
    /// The nodes; the first is the root.
    nodes: Vec<Node>,
}

/// All prefixes that share a beginning.
#[derive(Debug)]
struct Node {
    /// The part of that beginning which is not in the nodes above.
    label: Box<[u8]>,
    /// The rules of the prefix that ends here, if one does, and of all prefixes of it.
    rules: Option<Box<[u32]>>,
    /// First bytes of the longer prefixes, each with its child node.
    bytes: Box<[u8]>,
    children: Box<[u32]>,
}

/// A prefix with its rules.
type Entry = (Arc<[u8]>, Vec<u32>);

/// Prefixes that still have to be inserted.
#[derive(Clone, Copy)]
struct Open<'e> {
    entries: &'e [Entry],
    /// Length of their part that the nodes above have.
    depth: usize,
    /// The closest node above where a prefix ends.
    above: Option<usize>,
}

impl Prefixes {
    /// Builds the tree. None: its lists would exceed `most` elements.
    pub(super) fn new(rules: BTreeMap<Arc<[u8]>, Vec<u32>>, mut most: usize) -> Option<Self> {
        let entries: Vec<Entry> = rules.into_iter().collect();
        let mut nodes: Vec<Node> = Vec::new();
        // The list of open entries grows in step with the nodes, so an index is valid for both.
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

    /// Returns the rules of all prefixes of a text.
    pub(super) fn of(&self, text: &[u8]) -> &[u32] {
        let (mut rules, mut rest): (&[u32], _) = (&[], text);
        let mut next = self.nodes.first();
        while let Some(node) = next {
            if !begins_with(rest, &node.label) {
                break;
            }
            rules = node.rules.as_deref().unwrap_or(rules);
            rest = &rest[node.label.len()..];
            next = rest.first().and_then(|byte| {
                let child = memchr::memchr(*byte, &node.bytes)?;
                self.nodes.get(node.children[child] as usize)
            });
        }
        rules
    }
}

/// Returns the length of the common prefix of sorted texts, behind `depth`.
fn in_common(entries: &[Entry], depth: usize) -> usize {
    let (Some((first, _)), Some((last, _))) = (entries.first(), entries.last()) else { return 0 };
    first[depth..].iter().zip(&last[depth..]).take_while(|(one, other)| one == other).count()
}
