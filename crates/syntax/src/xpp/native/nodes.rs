//! The nodes of a section that are more than a text, one by one.
//!
//! This is most of loading. Each node takes what it has from the columns, where everything stands in the order of the
//! nodes. Nodes of one kind mostly follow each other, so that the processor guesses rightly what comes next.

use std::slice;

use kukla_base::Span;

use super::children::{Children, Places};
use super::columns::{Bounds, Columns, NodeRow, Number, Piece, span};
use super::{Role, shape};
use crate::ast::{
    CallKind, Expr, ExprId, ExprList, Few, Named, NamedKind, Node, Raw, Text, TypeDefinition,
};

/// What is kept beside the nodes.
#[derive(Default)]
pub(super) struct Beside {
    pub(super) named: Few<Named>,
    pub(super) type_definitions: Vec<TypeDefinition>,
    /// All of them, in no order.
    pub(super) definitions: Few<ExprId>,
    pub(super) odd_names: Vec<(ExprId, Span)>,
}

/// Adds all nodes behind the leaves; `None` if the columns don't fit together.
pub(super) fn add<const N: usize>(
    columns: &Columns<'_, N>,
    nodes: &mut Vec<Node>,
    children: &mut Children,
    beside: &mut Beside,
    bounds: &mut Bounds,
) -> Option<()>
where
    [u8; N]: Number,
{
    let first = nodes.len();
    // All are there before the first is made, so that each is made where it belongs.
    let mut found = *bounds;
    nodes.extend(columns.others.iter().map(|[.., start, len]| {
        let span = Span::new(start.value(), len.value());
        found.add::<N>(span);
        Node { expr: Expr::Nop, span }
    }));
    *bounds = found;
    let Children { all, places } = children;
    let mut reader = Reader {
        texts: columns.texts.iter(),
        counts: columns.counts.iter(),
        all,
        expressions: places[Role::Expression as usize],
        parts: places,
        odd_names: columns.odd_names.iter(),
        beside,
    };
    let mut id = ExprId::after(columns.leaves.len() as u32);
    for (node, row) in nodes.get_mut(first..)?.iter_mut().zip(columns.others) {
        reader.one(row, id, &mut node.expr)?;
        id = id.next();
    }
    let n_left = reader.texts.len() + reader.counts.len() + reader.odd_names.len();
    places[Role::Expression as usize] = reader.expressions;
    (n_left == 0).then_some(())
}

/// Where the next of everything is.
struct Reader<'r, 'b, const N: usize> {
    texts: slice::Iter<'b, Piece<N>>,
    counts: slice::Iter<'b, [u8; N]>,
    all: &'r mut [ExprId],
    /// Apart, since most children are expressions.
    expressions: Places,
    /// Of all other roles.
    parts: &'r mut [Places; Role::COUNT],
    odd_names: slice::Iter<'b, Piece<N>>,
    beside: &'r mut Beside,
}

impl<const N: usize> Reader<'_, '_, N>
where
    [u8; N]: Number,
{
    /// Makes a node, and puts it into its place.
    #[expect(clippy::too_many_lines, reason = "a list of all nodes, an arm each")]
    #[inline]
    fn one(&mut self, row: &NodeRow<N>, id: ExprId, out: &mut Expr) -> Option<()> {
        let [shape, place, ..] = row;
        let [tag, details] = *shape.first_chunk()?;
        let place = place.value();
        let has = |bit: u8| details & bit != 0;
        match tag {
            shape::NOP => *out = Expr::Nop,
            shape::UNDEF => *out = Expr::Undef,
            shape::DEFAULT => *out = Expr::Default,
            shape::BOOLEAN => *out = Expr::Boolean(has(1)),
            shape::STRING => *out = Expr::String(self.text()?),
            shape::NAME => *out = Expr::QualifiedName(self.text()?),
            shape::REFERENCE => *out = Expr::QualifiedReference(self.text()?),
            shape::VARIABLE => {
                self.beside.odd_names.push((id, span(self.odd_names.next()?)));
                *out = Expr::Variable(self.text()?);
            }
            shape::REGEXP => *out = Expr::Regexp(self.text()?),
            shape::FLOAT => *out = Expr::Float(self.text()?),
            shape::RENDER_STRING => *out = Expr::RenderString(self.text()?),
            shape::RESERVED_WORD => *out = Expr::ReservedWord(self.text()?),
            shape::INTEGER => {
                let radix = one_of(&shape::RADIXES, details)?;
                *out = Expr::Integer { digits: self.text()?, radix };
            }
            shape::UNARY => {
                let op = one_of(&shape::UNARY_OPS, details)?;
                *out = Expr::Unary { op, expr: self.child()? };
            }
            shape::BINARY => {
                let op = one_of(&shape::BINARY_OPS, details)?;
                *out = Expr::Binary { op, left: self.child()?, right: self.child()? };
            }
            shape::ACCESS => *out = Expr::Access { left: self.child()?, keys: self.list()? },
            shape::NAMED_ACCESS => {
                *out = Expr::NamedAccess { left: self.child()?, name: self.text()? };
            }
            shape::LIST => *out = Expr::List(self.list()?),
            shape::BLOCK => *out = Expr::Block(self.list()?),
            shape::APPLY_BLOCK => *out = Expr::ApplyBlock(self.list()?),
            shape::CONCAT => *out = Expr::Concat(self.list()?),
            shape::HASH => *out = Expr::Hash(self.parts(Role::Entry)?),
            shape::CASE => {
                *out = Expr::Case { test: self.child()?, options: self.parts(Role::Option)? };
            }
            shape::CASE_OPTION => {
                *out = Expr::CaseOption { values: self.list()?, then: self.optional(has(1))? };
                return self.put_part(Role::Option, place, id);
            }
            shape::QUERY => {
                *out = Expr::Query { exported: has(1), expr: self.optional(has(2))? };
                return self.put_part(Role::Query, place, id);
            }
            shape::COLLECT => {
                *out = Expr::Collect {
                    type_: self.child()?,
                    query: self.part(Role::Query)?,
                    operations: self.parts(Role::Operation)?,
                };
            }
            shape::HEREDOC => *out = Expr::Heredoc { text: self.child()?, syntax: self.text()? },
            shape::LAMBDA => {
                *out = Expr::Lambda {
                    parameters: self.parts(Role::Parameter)?,
                    body: self.optional(has(1))?,
                    return_type: self.optional(has(2))?,
                };
            }
            shape::APPLY => *out = Expr::Apply { arguments: self.list()?, body: self.child()? },
            shape::IF => {
                let (test, then) = (self.child()?, self.optional(has(1))?);
                *out = Expr::If { test, then, otherwise: self.optional(has(2))? };
            }
            shape::UNLESS => {
                let (test, then) = (self.child()?, self.optional(has(1))?);
                *out = Expr::Unless { test, then, otherwise: self.optional(has(2))? };
            }
            shape::CALL => {
                *out = Expr::Call {
                    kind: if has(1) { CallKind::Method } else { CallKind::Named },
                    rvalue: has(2),
                    functor: self.child()?,
                    arguments: self.list()?,
                    lambda: self.optional(has(4))?,
                };
            }
            shape::EPP => {
                *out = Expr::Epp { parameters_specified: has(1), body: self.optional(has(2))? };
            }
            shape::RESOURCE => {
                let form = one_of(&shape::FORMS, details)?;
                let type_name = self.child()?;
                *out = Expr::Resource { type_name, form, bodies: self.parts(Role::Body)? };
            }
            shape::RESOURCE_DEFAULTS => {
                let form = one_of(&shape::FORMS, details)?;
                let type_ref = self.child()?;
                let operations = self.parts(Role::Operation)?;
                *out = Expr::ResourceDefaults { form, type_ref, operations };
            }
            shape::RESOURCE_OVERRIDE => {
                let form = one_of(&shape::FORMS, details)?;
                let resources = self.child()?;
                let operations = self.parts(Role::Operation)?;
                *out = Expr::ResourceOverride { form, resources, operations };
            }
            shape::SELECTOR => {
                let left = self.child()?;
                *out = Expr::Selector { left, selectors: self.parts(Role::Selector)? };
            }
            shape::KEYED_ENTRY => {
                *out = Expr::KeyedEntry { key: self.child()?, value: self.child()? };
                return self.put_part(Role::Entry, place, id);
            }
            shape::ATTRIBUTE_OPERATION => {
                let name = self.text()?;
                *out = Expr::AttributeOperation { name, append: has(1), value: self.child()? };
                return self.put_part(Role::Operation, place, id);
            }
            shape::ATTRIBUTES_OPERATION => {
                *out = Expr::AttributesOperation(self.child()?);
                return self.put_part(Role::Operation, place, id);
            }
            shape::PARAMETER => {
                let (name, value) = (self.text()?, self.optional(has(2))?);
                let (type_, captures_rest) = (self.optional(has(4))?, has(1));
                *out = Expr::Parameter { name, value, type_, captures_rest };
                return self.put_part(Role::Parameter, place, id);
            }
            shape::RESOURCE_BODY => {
                let title = self.child()?;
                *out = Expr::ResourceBody { title, operations: self.parts(Role::Operation)? };
                return self.put_part(Role::Body, place, id);
            }
            shape::SELECTOR_ENTRY => {
                *out = Expr::SelectorEntry { matching: self.child()?, value: self.child()? };
                return self.put_part(Role::Selector, place, id);
            }
            shape::CLASS..=shape::PLAN => {
                let named = Named {
                    kind: named_kind(tag, details)?,
                    name: self.text()?,
                    parameters: self.parts(Role::Parameter)?,
                    body: self.optional(has(1))?,
                    return_type: self.optional(has(2))?,
                    parent_class: if has(4) { Some(self.text()?) } else { None },
                };
                *out = Raw::add_named(&mut self.beside.named, named);
            }
            shape::NODE => {
                *out = Expr::Node {
                    parent: self.optional(has(1))?,
                    matches: self.list()?,
                    body: self.optional(has(2))?,
                };
            }
            shape::TYPE_ALIAS => {
                *out = Expr::TypeAlias { name: self.text()?, type_: self.child()? };
            }
            shape::TYPE_MAPPING => {
                *out = Expr::TypeMapping { type_: self.child()?, mapping: self.child()? };
            }
            shape::TYPE_DEFINITION => {
                let definition = TypeDefinition {
                    name: self.text()?,
                    parent: if has(1) { Some(self.text()?) } else { None },
                    body: self.optional(has(2))?,
                };
                *out = Raw::add_type_definition(&mut self.beside.type_definitions, definition);
            }
            _ => return None,
        }
        if tag >= shape::DEFINITIONS {
            self.beside.definitions.push(id);
        }
        self.expressions.put(self.all, place, id);
        Some(())
    }
}

/// What nodes have.
impl<const N: usize> Reader<'_, '_, N>
where
    [u8; N]: Number,
{
    #[inline]
    fn text(&mut self) -> Option<Text> {
        let Span { start, len } = span(self.texts.next()?);
        Some(Text { start, len })
    }

    #[inline]
    fn child(&mut self) -> Option<ExprId> {
        self.expressions.take(self.all)
    }

    /// `None` if it should be there and is not; `Some(None)` if it should not.
    #[expect(clippy::option_option, reason = "the outer one is for `?` only")]
    #[inline]
    fn optional(&mut self, is_there: bool) -> Option<Option<ExprId>> {
        if is_there { self.child().map(Some) } else { Some(None) }
    }

    #[inline]
    fn list(&mut self) -> Option<ExprList> {
        let count = self.counts.next()?;
        Some(self.expressions.take_list(count.value()))
    }

    /// A child that is no expression.
    #[inline]
    fn part(&mut self, role: Role) -> Option<ExprId> {
        self.parts[role as usize].take(self.all)
    }

    #[inline]
    fn parts(&mut self, role: Role) -> Option<ExprList> {
        let count = self.counts.next()?;
        Some(self.parts[role as usize].take_list(count.value()))
    }

    #[inline]
    fn put_part(&mut self, role: Role, place: u32, id: ExprId) -> Option<()> {
        self.parts[role as usize].put(self.all, place, id);
        Some(())
    }
}

/// What a tag stands for; `None` if the details are for another.
fn named_kind(tag: u8, details: u8) -> Option<NamedKind> {
    let (kind, possible) = match tag {
        shape::CLASS => (NamedKind::Class, 1 | 4),
        shape::DEFINE => (NamedKind::Define, 1),
        shape::FUNCTION => (NamedKind::Function, 1 | 2),
        _ => (NamedKind::Plan, 1 | 2),
    };
    (details & 7 & !possible == 0).then_some(kind)
}

#[inline]
fn one_of<O: Copy, const LEN: usize>(all: &[O; LEN], number: u8) -> Option<O> {
    all.get(usize::from(number)).copied()
}
