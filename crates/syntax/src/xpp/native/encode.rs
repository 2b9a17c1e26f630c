//! Writing the section.

use std::collections::BTreeMap;

use kukla_base::Span;

use super::digest::{self, Digest};
use super::parts::{self, Part};
use super::shape::{self, Shape};
use super::{LIMIT, Leaf, MAGIC, Role, all_of, behind_dollar, between_quotes};
use crate::ast::{Ast, Child, Expr, ExprId, Text};
use crate::xpp::SourceCheck;

/// The section of a tree; `None` of one that Puppet's model can't have, or that is too large.
pub(in crate::xpp) fn section(ast: &Ast, check: SourceCheck) -> Option<Vec<u8>> {
    let rest = Columns::of(ast)?.bytes(check)?;
    let mut section = Vec::with_capacity(rest.len() + 12);
    section.extend_from_slice(MAGIC);
    section.extend(digest::of_section(&rest).to_le_bytes());
    section.extend_from_slice(&rest);
    Some(section)
}

/// The order of nodes: leaves first, then the others, children before their parents.
struct Order {
    leaves: [Vec<ExprId>; Leaf::COUNT],
    others: Vec<(Shape, ExprId)>,
    /// How many are before each node, by its number in the tree.
    n_before: Vec<u32>,
}

impl Order {
    fn of(ast: &Ast) -> Option<Self> {
        let mut leaves: [Vec<ExprId>; Leaf::COUNT] = Default::default();
        let mut waiting = Waiting::default();
        waiting.parents.resize(ast.len() + 1, None);
        waiting.n_children.resize(ast.len() + 1, 0);
        let mut children = Vec::new();
        for id in children_first(ast) {
            if let Some(leaf) = leaf(ast, id) {
                leaves[leaf as usize].push(id);
                continue;
            }
            let shape = shape::of(ast, id)?;
            ast.push_children(id, &mut children);
            let below = children.drain(..).filter_map(Child::id);
            waiting.add(id, shape, below.filter(|&child| leaf(ast, child).is_none()));
        }
        let others = waiting.in_order();
        let mut n_before = vec![0; ast.len() + 1];
        let ids = leaves.iter().flatten().chain(others.iter().map(|(_, id)| id));
        for (at, id) in (0..).zip(ids) {
            n_before[id.index()] = at;
        }
        Some(Self { leaves, others, n_before })
    }

    fn leaves(&self) -> impl Iterator<Item = ExprId> {
        self.leaves.iter().flatten().copied()
    }

    fn all(&self) -> impl Iterator<Item = ExprId> {
        self.leaves().chain(self.others.iter().map(|&(_, id)| id))
    }
}

/// Nodes whose turn has not come yet, by their tags.
///
/// Children come before their parents. Many of one tag in a row are read faster than others.
#[derive(Default)]
struct Waiting {
    /// Those whose children had their turn.
    ready: BTreeMap<u8, Vec<(Shape, ExprId)>>,
    /// How many others there are.
    n_blocked: BTreeMap<u8, usize>,
    /// By the number of the node in the tree: its parent with its shape.
    parents: Vec<Option<(Shape, ExprId)>>,
    /// The same: how many of its children are waiting, leaves aside.
    n_children: Vec<usize>,
}

impl Waiting {
    fn add(&mut self, id: ExprId, shape: Shape, children: impl Iterator<Item = ExprId>) {
        let mut n_children = 0;
        for child in children {
            self.parents[child.index()] = Some((shape, id));
            n_children += 1;
        }
        self.n_children[id.index()] = n_children;
        match n_children {
            0 => self.ready.entry(shape.0).or_default().push((shape, id)),
            _ => *self.n_blocked.entry(shape.0).or_default() += 1,
        }
    }

    /// All of them: first a tag of which no more will come, else the one that has the most.
    fn in_order(mut self) -> Vec<(Shape, ExprId)> {
        let mut all = Vec::new();
        loop {
            let rank = |(tag, nodes): &(&u8, &Vec<(Shape, ExprId)>)| {
                (self.n_blocked.get(tag).is_none_or(|&n| n == 0), nodes.len())
            };
            let Some((&tag, _)) = self.ready.iter().max_by_key(rank) else { break };
            // Parents may have the same tag.
            while let Some(mut nodes) = self.ready.remove(&tag) {
                nodes.sort_by_key(|&(shape, _)| shape);
                nodes.iter().for_each(|&(_, id)| self.unblock(id));
                all.append(&mut nodes);
            }
        }
        all
    }

    /// The parent may be ready now.
    fn unblock(&mut self, child: ExprId) {
        let Some((shape, parent)) = self.parents[child.index()] else { return };
        self.n_children[parent.index()] -= 1;
        if self.n_children[parent.index()] == 0 {
            self.ready.entry(shape.0).or_default().push((shape, parent));
            self.n_blocked.entry(shape.0).and_modify(|n| *n -= 1);
        }
    }
}

/// The group of a leaf; `None` of another node.
fn leaf(ast: &Ast, id: ExprId) -> Option<Leaf> {
    let span = ast.span(id);
    let is_all = |text: Text| text == all_of(span);
    Some(match ast[id] {
        Expr::String(text) if span.len >= 2 && text == between_quotes(span) => Leaf::String,
        Expr::QualifiedName(text) if is_all(text) => Leaf::Name,
        Expr::QualifiedReference(text) if is_all(text) => Leaf::Reference,
        Expr::Variable(text) if all_of(ast.name_span(id)) == behind_dollar(span) => match text {
            text if span.len >= 1 && text == behind_dollar(span) => Leaf::Variable,
            text if span.len >= 1 && is_all(text) => Leaf::BareVariable,
            _ => return None,
        },
        _ => return None,
    })
}

/// All nodes of the tree.
pub(super) fn children_first(ast: &Ast) -> Vec<ExprId> {
    let mut nodes = Vec::with_capacity(ast.len());
    let mut tasks: Vec<(ExprId, bool)> = ast.body().map(|id| (id, false)).into_iter().collect();
    let mut children = Vec::new();
    while let Some((id, is_left)) = tasks.pop() {
        if is_left {
            nodes.push(id);
            continue;
        }
        tasks.push((id, true));
        ast.push_children(id, &mut children);
        let ids = children.drain(..).rev().filter_map(Child::id);
        tasks.extend(ids.map(|id| (id, false)));
    }
    nodes
}

struct Columns<'a> {
    ast: &'a Ast,
    order: Order,
    texts: Vec<Text>,
    counts: Vec<u32>,
    children: [Vec<ExprId>; Role::COUNT],
    odd_names: Vec<Span>,
    built: String,
}

impl<'a> Columns<'a> {
    fn of(ast: &'a Ast) -> Option<Self> {
        let mut columns = Self {
            ast,
            order: Order::of(ast)?,
            texts: Vec::new(),
            counts: Vec::new(),
            children: Default::default(),
            odd_names: Vec::new(),
            built: String::new(),
        };
        let others: Vec<ExprId> = columns.order.others.iter().map(|&(_, id)| id).collect();
        let mut parts = Vec::new();
        for id in others {
            if let Expr::Variable(_) = ast[id] {
                columns.odd_names.push(ast.name_span(id));
            }
            parts::push(ast, id, &mut parts);
            parts.drain(..).for_each(|part| columns.add(part));
        }
        columns.children[Role::Expression as usize].extend(ast.body());
        Some(columns)
    }

    fn add(&mut self, part: Part) {
        match part {
            Part::Text(text) => self.add_text(text),
            Part::Child(role, id) => self.children[role as usize].push(id),
            Part::List(role, list) => {
                self.counts.push(to_u32(list.len()));
                self.children[role as usize].extend_from_slice(self.ast.list(list));
            }
        }
    }

    fn add_text(&mut self, text: Text) {
        let source = self.ast.source();
        let Text { mut start, len } = text;
        if (start + len) as usize > source.len() {
            start = to_u32(source.len() + self.built.len());
            self.built.push_str(self.ast.text(text));
        }
        self.texts.push(Text { start, len });
    }

    /// The place of each node, by the number of nodes before it.
    fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.children.iter().map(Vec::len).sum()];
        for (place, id) in (0..).zip(self.children.iter().flatten()) {
            let n_before = self.order.n_before[id.index()];
            places[n_before as usize] = place;
        }
        places
    }

    /// The bytes behind the checksum; `None` if there are too many.
    fn bytes(&self, check: SourceCheck) -> Option<Vec<u8>> {
        let Self { ast, order, texts, counts, children, odd_names, built } = self;
        let n_nodes = order.all().count();
        let size = n_nodes.max(ast.source().len() + built.len());
        if size >= LIMIT {
            return None;
        }
        let is_wide = size > usize::from(u16::MAX);
        let mut out = Out { bytes: Vec::with_capacity(n_nodes * 10), is_wide: true };
        out.numbers([check.size, check.crc32]);
        out.bytes.extend(Digest::of(ast.source()).sum.to_le_bytes());
        out.numbers([if is_wide { 4 } else { 2 }]);
        out.is_wide = is_wide;
        out.numbers(order.leaves.iter().map(|group| to_u32(group.len())));
        let sizes = [order.others.len(), texts.len(), odd_names.len(), counts.len(), built.len()];
        out.numbers(sizes.map(to_u32));
        out.numbers(children.iter().map(|column| to_u32(column.len())));
        let places = self.places();
        let row = |id: ExprId| {
            let Span { start, len } = ast.span(id);
            [places[order.n_before[id.index()] as usize], start, len]
        };
        out.numbers(order.leaves().flat_map(row));
        for &((tag, details), id) in &order.others {
            out.numbers([u16::from_le_bytes([tag, details]).into()]);
            out.numbers(row(id));
        }
        out.numbers(texts.iter().flat_map(|text| [text.start, text.len]));
        out.numbers(odd_names.iter().flat_map(|name| [name.start, name.len]));
        out.numbers(counts.iter().copied());
        out.bytes.extend_from_slice(built.as_bytes());
        Some(out.bytes)
    }
}

struct Out {
    bytes: Vec<u8>,
    is_wide: bool,
}

impl Out {
    fn numbers(&mut self, numbers: impl IntoIterator<Item = u32>) {
        for number in numbers {
            let bytes = number.to_le_bytes();
            self.bytes.extend_from_slice(if self.is_wide { &bytes } else { &bytes[..2] });
        }
    }
}

/// Sources are smaller than 4 GB, and so is what is made of them.
fn to_u32(number: usize) -> u32 {
    u32::try_from(number).expect("sources are limited")
}
