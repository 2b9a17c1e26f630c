//! Encoder of the section.

use kukla_base::Span;

use super::digest;
use super::rows::{self, Piece};
use super::{Group, LIMIT, MAGIC};
use crate::SourceCheck;
use kukla_syntax::ast::{Ast, ExprId, Text};

/// Returns the section of a tree; `None` if Puppet's model can't have the tree, or if it is too large.
pub(crate) fn section(ast: &Ast, check: SourceCheck) -> Option<Vec<u8>> {
    let order = Order::of(ast)?;
    let mut columns =
        Columns { ast, order: &order, lists: vec![], rows: vec![], built: String::new() };
    order.all().for_each(|id| columns.add(id));
    let rest = columns.bytes(check)?;
    let mut section = Vec::with_capacity(rest.len() + 12);
    section.extend_from_slice(MAGIC);
    section.extend(digest::of(&rest).to_le_bytes());
    section.extend_from_slice(&rest);
    Some(section)
}

/// The order of nodes in the section.
struct Order {
    groups: [Vec<ExprId>; Group::COUNT],
    /// The number of nodes before each node, by its number in the tree.
    n_before: Vec<u32>,
}

impl Order {
    /// Returns the order; `None` if there are nodes that Puppet's model can't have, or can't have in their place.
    fn of(ast: &Ast) -> Option<Self> {
        let mut groups: [Vec<ExprId>; Group::COUNT] = [const { Vec::new() }; Group::COUNT];
        let mut pieces = Vec::new();
        let all = ast.post_order();
        for &id in &all {
            let group = rows::push(ast, id, &mut pieces)? as usize;
            pieces.clear();
            if group < Group::FIRST_PART {
                groups[group].push(id);
            }
        }
        // Parts come in the order of their parents, which are in groups before them.
        for group in 0..Group::COUNT {
            for at in 0..groups[group].len() {
                let id = groups[group][at];
                if rows::push(ast, id, &mut pieces)? as usize != group {
                    return None;
                }
                for piece in pieces.drain(..) {
                    match piece {
                        Piece::Parts(part, list) => {
                            groups[part as usize].extend_from_slice(ast.list(list));
                        }
                        Piece::Query(query) => groups[Group::Query as usize].push(query),
                        _ => (),
                    }
                }
            }
        }
        let mut n_before = vec![0; ast.len() + 1];
        for (at, id) in (0..).zip(groups.iter().flatten()) {
            n_before[id.index()] = at;
        }
        let is_complete = groups.iter().map(Vec::len).sum::<usize>() == all.len();
        is_complete.then_some(Self { groups, n_before })
    }

    fn all(&self) -> impl Iterator<Item = ExprId> {
        self.groups.iter().flatten().copied()
    }

    fn n_before(&self, id: ExprId) -> u32 {
        self.n_before[id.index()]
    }
}

struct Columns<'a> {
    ast: &'a Ast,
    order: &'a Order,
    lists: Vec<u32>,
    rows: Vec<u32>,
    built: String,
}

impl Columns<'_> {
    /// Adds the row of a node.
    fn add(&mut self, id: ExprId) {
        let Span { start, len } = self.ast.span(id);
        self.rows.extend([start, len]);
        let mut pieces = Vec::new();
        rows::push(self.ast, id, &mut pieces);
        pieces.into_iter().for_each(|piece| self.add_piece(piece));
    }

    fn add_piece(&mut self, piece: Piece) {
        match piece {
            Piece::Number(number) => self.rows.push(number),
            Piece::Span(Span { start, len }) => self.rows.extend([start, len]),
            Piece::Text(text) => self.add_text(text),
            Piece::Built(text) => {
                self.rows.push(text.len);
                self.built.push_str(self.ast.text(text));
            }
            Piece::Child(id) => self.rows.push(self.order.n_before(id)),
            Piece::Optional(id) => self.rows.push(id.map_or(0, |id| self.order.n_before(id) + 1)),
            Piece::List(list) => {
                let ids = self.ast.list(list);
                self.rows.push(to_u32(ids.len()));
                self.lists.extend(ids.iter().map(|&id| self.order.n_before(id)));
            }
            Piece::Parts(_, list) => self.rows.push(to_u32(list.len())),
            Piece::Query(_) => (),
        }
    }

    fn add_text(&mut self, text: Text) {
        let n_source = self.ast.source().len();
        let start = if self.ast.is_built(text) {
            let start = n_source + self.built.len();
            self.built.push_str(self.ast.text(text));
            to_u32(start)
        } else {
            // No text can also be behind it.
            text.start.min(to_u32(n_source))
        };
        self.rows.extend([start, text.len]);
    }

    /// Returns the bytes after the checksum; `None` if there are too many.
    fn bytes(&self, check: SourceCheck) -> Option<Vec<u8>> {
        let Self { ast, order, lists, rows, built } = self;
        let n_nodes = order.all().count();
        let size = n_nodes.max(ast.source().len() + built.len());
        if size >= LIMIT {
            return None;
        }
        let is_wide = size > usize::from(u16::MAX);
        let n_numbers = Group::COUNT + lists.len() + rows.len();
        let mut out = Out { bytes: Vec::with_capacity(n_numbers * 2 + 64), is_wide: true };
        out.numbers([check.size, check.crc32]);
        out.bytes.extend(digest::of(ast.source().as_bytes()).to_le_bytes());
        out.numbers([if is_wide { 4 } else { 2 }]);
        out.is_wide = is_wide;
        out.numbers(order.groups.iter().map(|group| to_u32(group.len())));
        let n_expressions = order.groups[..Group::FIRST_PART].iter().map(Vec::len).sum();
        let body = ast.body().map_or(0, |body| order.n_before(body) + 1);
        out.numbers([to_u32(n_expressions), to_u32(n_nodes), body]);
        out.numbers([to_u32(lists.len()), to_u32(built.len())]);
        out.numbers([u32::from(!ast.source().is_ascii())]);
        out.numbers(lists.iter().chain(rows).copied());
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

/// Returns a length as `u32`: sources are smaller than 4 GB, and so is everything derived from them.
fn to_u32(number: usize) -> u32 {
    u32::try_from(number).expect("sources are limited")
}
