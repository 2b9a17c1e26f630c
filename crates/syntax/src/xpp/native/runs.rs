//! The nodes of a section that are more than a text, run by run.
//!
//! This is most of loading. All nodes of a run have the same shape, so what is asked is asked once for all of them,
//! and what they have lies in slices that are as long as the run.

use super::columns::{Columns, Number, Pieces, take};
use super::{Role, columns, shape};
use crate::ast::{
    CallKind, Expr, ExprId, ExprList, Few, Named, NamedKind, Node, Raw, Text, TypeDefinition,
};

/// Where the next of everything is.
pub(super) struct Reader<'c, 'b, const N: usize> {
    runs: columns::Runs<'b, N>,
    /// Of the nodes that are no leaves.
    spans: Pieces<'b, N>,
    /// The same; the last node has none.
    places: &'b [[u8; N]],
    texts: Pieces<'b, N>,
    counts: &'b [[u8; N]],
    children: &'c [ExprId],
    /// The first child of each role that nobody has taken.
    next: [usize; Role::COUNT],
    ends: [usize; Role::COUNT],
    pub(super) named: Few<Named>,
    pub(super) type_definitions: Vec<TypeDefinition>,
    /// All of them, in no order.
    pub(super) definitions: Few<ExprId>,
}

/// A child that a node may have: all nodes of a run have it, or none.
#[derive(Clone, Copy)]
struct Optional<'c>(&'c [ExprId]);

impl Optional<'_> {
    #[inline]
    fn at(self, at: usize) -> Option<ExprId> {
        self.0.get(at).copied()
    }
}

impl<'c, 'b, const N: usize> Reader<'c, 'b, N>
where
    [u8; N]: Number,
{
    /// Behind the leaves; `None` if one of them is where no expression fits.
    pub(super) fn new(columns: &Columns<'b, N>, children: &'c [ExprId]) -> Option<Self> {
        let (mut spans, mut places, mut texts) = (columns.spans, columns.places, columns.texts);
        let n_leaves = columns.n_all_leaves();
        spans.take(n_leaves)?;
        let n_odd = columns.n_leaves[super::Leaf::OddString as usize..].iter().sum();
        texts.take(n_odd)?;
        // The only node of a tree has no place.
        let of_leaves = take(&mut places, n_leaves.min(columns.places.len()))?;
        let mut ends = columns.n_children;
        let mut end = 0;
        ends.iter_mut().for_each(|len| {
            end += *len;
            *len = end;
        });
        let next = std::array::from_fn(|role| ends[role] - columns.n_children[role]);
        let reader = Self {
            runs: columns.runs,
            spans,
            places,
            texts,
            counts: columns.counts,
            children,
            next,
            ends,
            named: Few::new(),
            type_definitions: Vec::new(),
            definitions: Few::new(),
        };
        reader.are_free(of_leaves, Role::Expression).then_some(reader)
    }

    /// Adds all nodes; `None` if the columns don't fit together.
    pub(super) fn read(&mut self, nodes: &mut Vec<Node>) -> Option<()> {
        let columns::Runs { lens, tags, details } = self.runs;
        for ((len, &tag), &details) in lens.iter().zip(tags).zip(details) {
            let len = len.value() as usize;
            self.run(nodes, tag, details, len)?;
            let n_places = len.min(self.places.len());
            let places = take(&mut self.places, n_places)?;
            if !self.are_free(places, shape::role(tag)) {
                return None;
            }
            if tag >= shape::DEFINITIONS {
                let first = nodes.len() - len;
                self.definitions
                    .extend((first..nodes.len()).map(|at| ExprId::after(at as u32 - 1)));
            }
        }
        let is_used = self.texts.len() == 0 && self.counts.is_empty() && self.spans.len() == 0;
        let is_expression = tags.last().is_none_or(|&tag| shape::role(tag) == Role::Expression);
        (is_used && self.next == self.ends && is_expression).then_some(())
    }

    /// Whether nodes have places of a role that nobody has taken, so that their parents come after them.
    #[inline]
    fn are_free(&self, places: &[[u8; N]], role: Role) -> bool {
        let (next, end) = (self.next[role as usize], self.ends[role as usize]);
        let is_free = |place: &[u8; N]| (next..end).contains(&(place.value() as usize));
        places.iter().fold(true, |are_free, place| are_free & is_free(place))
    }

    /// Adds so many nodes of a shape.
    #[expect(clippy::too_many_lines, reason = "a list of all nodes, an arm each")]
    #[inline]
    fn run(&mut self, nodes: &mut Vec<Node>, tag: u8, details: u8, len: usize) -> Option<()> {
        let spans = self.spans.take(len)?;
        let has = |bit: u8| details & bit != 0;
        match tag {
            shape::NOP => add(nodes, spans, (0..len).map(|_| Expr::Nop)),
            shape::UNDEF => add(nodes, spans, (0..len).map(|_| Expr::Undef)),
            shape::DEFAULT => add(nodes, spans, (0..len).map(|_| Expr::Default)),
            shape::BOOLEAN => add(nodes, spans, (0..len).map(|_| Expr::Boolean(has(1)))),
            shape::REGEXP => add(nodes, spans, self.texts(len)?.map(Expr::Regexp)),
            shape::FLOAT => add(nodes, spans, self.texts(len)?.map(Expr::Float)),
            shape::RENDER_STRING => add(nodes, spans, self.texts(len)?.map(Expr::RenderString)),
            shape::RESERVED_WORD => add(nodes, spans, self.texts(len)?.map(Expr::ReservedWord)),
            shape::INTEGER => {
                let radix = one_of(&shape::RADIXES, details)?;
                add(nodes, spans, self.texts(len)?.map(|digits| Expr::Integer { digits, radix }));
            }
            shape::UNARY => {
                let op = one_of(&shape::UNARY_OPS, details)?;
                add(nodes, spans, self.each(len)?.map(|expr| Expr::Unary { op, expr }));
            }
            shape::BINARY => {
                let op = one_of(&shape::BINARY_OPS, details)?;
                let both = self.each(len)?.zip(self.each(len)?);
                add(nodes, spans, both.map(|(left, right)| Expr::Binary { op, left, right }));
            }
            shape::ACCESS => {
                let all = self.each(len)?.zip(self.lists(Role::Expression, len)?);
                add(nodes, spans, all.map(|(left, keys)| Expr::Access { left, keys }));
            }
            shape::NAMED_ACCESS => {
                let all = self.each(len)?.zip(self.texts(len)?);
                add(nodes, spans, all.map(|(left, name)| Expr::NamedAccess { left, name }));
            }
            shape::LIST => add(nodes, spans, self.expressions(len)?.map(Expr::List)),
            shape::BLOCK => add(nodes, spans, self.expressions(len)?.map(Expr::Block)),
            shape::APPLY_BLOCK => add(nodes, spans, self.expressions(len)?.map(Expr::ApplyBlock)),
            shape::CONCAT => add(nodes, spans, self.expressions(len)?.map(Expr::Concat)),
            shape::HASH => add(nodes, spans, self.lists(Role::Entry, len)?.map(Expr::Hash)),
            shape::CASE => {
                let all = self.each(len)?.zip(self.lists(Role::Option, len)?);
                add(nodes, spans, all.map(|(test, options)| Expr::Case { test, options }));
            }
            shape::CASE_OPTION => {
                let values = self.expressions(len)?;
                let then = self.optional(has(1), len)?;
                let one = |(at, values)| Expr::CaseOption { values, then: then.at(at) };
                add(nodes, spans, (0..len).zip(values).map(one));
            }
            shape::QUERY => {
                let (exported, expr) = (has(1), self.optional(has(2), len)?);
                let one = |at| Expr::Query { exported, expr: expr.at(at) };
                add(nodes, spans, (0..len).map(one));
            }
            shape::COLLECT => {
                let all = self.each(len)?.zip(self.children(Role::Query, len)?);
                let one =
                    |((type_, &query), operations)| Expr::Collect { type_, query, operations };
                add(nodes, spans, all.zip(self.lists(Role::Operation, len)?).map(one));
            }
            shape::HEREDOC => {
                let all = self.each(len)?.zip(self.texts(len)?);
                add(nodes, spans, all.map(|(text, syntax)| Expr::Heredoc { text, syntax }));
            }
            shape::LAMBDA => {
                let parameters = self.lists(Role::Parameter, len)?;
                let (body, return_type) =
                    (self.optional(has(1), len)?, self.optional(has(2), len)?);
                let one = |(at, parameters)| {
                    let (body, return_type) = (body.at(at), return_type.at(at));
                    Expr::Lambda { parameters, body, return_type }
                };
                add(nodes, spans, (0..len).zip(parameters).map(one));
            }
            shape::APPLY => {
                let all = self.expressions(len)?.zip(self.each(len)?);
                add(nodes, spans, all.map(|(arguments, body)| Expr::Apply { arguments, body }));
            }
            shape::IF => {
                let test = self.each(len)?;
                let (then, otherwise) = (self.optional(has(1), len)?, self.optional(has(2), len)?);
                let one = |(at, test)| {
                    let (then, otherwise) = (then.at(at), otherwise.at(at));
                    Expr::If { test, then, otherwise }
                };
                add(nodes, spans, (0..len).zip(test).map(one));
            }
            shape::UNLESS => {
                let test = self.each(len)?;
                let (then, otherwise) = (self.optional(has(1), len)?, self.optional(has(2), len)?);
                let one = |(at, test)| {
                    let (then, otherwise) = (then.at(at), otherwise.at(at));
                    Expr::Unless { test, then, otherwise }
                };
                add(nodes, spans, (0..len).zip(test).map(one));
            }
            shape::CALL => {
                let (kind, rvalue) =
                    (if has(1) { CallKind::Method } else { CallKind::Named }, has(2));
                let all = self.each(len)?.zip(self.expressions(len)?);
                let lambda = self.optional(has(4), len)?;
                let one = |(at, (functor, arguments))| Expr::Call {
                    kind,
                    rvalue,
                    functor,
                    arguments,
                    lambda: lambda.at(at),
                };
                add(nodes, spans, (0..len).zip(all).map(one));
            }
            shape::EPP => {
                let (parameters_specified, body) = (has(1), self.optional(has(2), len)?);
                let one = |at| Expr::Epp { parameters_specified, body: body.at(at) };
                add(nodes, spans, (0..len).map(one));
            }
            shape::RESOURCE => {
                let form = one_of(&shape::FORMS, details)?;
                let all = self.each(len)?.zip(self.lists(Role::Body, len)?);
                let one = |(type_name, bodies)| Expr::Resource { type_name, form, bodies };
                add(nodes, spans, all.map(one));
            }
            shape::RESOURCE_DEFAULTS => {
                let form = one_of(&shape::FORMS, details)?;
                let all = self.each(len)?.zip(self.lists(Role::Operation, len)?);
                let one =
                    |(type_ref, operations)| Expr::ResourceDefaults { form, type_ref, operations };
                add(nodes, spans, all.map(one));
            }
            shape::RESOURCE_OVERRIDE => {
                let form = one_of(&shape::FORMS, details)?;
                let all = self.each(len)?.zip(self.lists(Role::Operation, len)?);
                let one = |(resources, operations)| Expr::ResourceOverride {
                    form,
                    resources,
                    operations,
                };
                add(nodes, spans, all.map(one));
            }
            shape::SELECTOR => {
                let all = self.each(len)?.zip(self.lists(Role::Selector, len)?);
                add(nodes, spans, all.map(|(left, selectors)| Expr::Selector { left, selectors }));
            }
            shape::KEYED_ENTRY => {
                let both = self.each(len)?.zip(self.each(len)?);
                add(nodes, spans, both.map(|(key, value)| Expr::KeyedEntry { key, value }));
            }
            shape::ATTRIBUTE_OPERATION => {
                let append = has(1);
                let all = self.texts(len)?.zip(self.each(len)?);
                let one = |(name, value)| Expr::AttributeOperation { name, append, value };
                add(nodes, spans, all.map(one));
            }
            shape::ATTRIBUTES_OPERATION => {
                add(nodes, spans, self.each(len)?.map(Expr::AttributesOperation));
            }
            shape::PARAMETER => {
                let (captures_rest, names) = (has(1), self.texts(len)?);
                let (value, type_) = (self.optional(has(2), len)?, self.optional(has(4), len)?);
                let one = |(at, name)| {
                    let (value, type_) = (value.at(at), type_.at(at));
                    Expr::Parameter { name, value, type_, captures_rest }
                };
                add(nodes, spans, (0..len).zip(names).map(one));
            }
            shape::RESOURCE_BODY => {
                let all = self.each(len)?.zip(self.lists(Role::Operation, len)?);
                add(
                    nodes,
                    spans,
                    all.map(|(title, operations)| Expr::ResourceBody { title, operations }),
                );
            }
            shape::SELECTOR_ENTRY => {
                let both = self.each(len)?.zip(self.each(len)?);
                add(
                    nodes,
                    spans,
                    both.map(|(matching, value)| Expr::SelectorEntry { matching, value }),
                );
            }
            shape::CLASS => self.named(nodes, spans, NamedKind::Class, details)?,
            shape::DEFINE => self.named(nodes, spans, NamedKind::Define, details)?,
            shape::FUNCTION => self.named(nodes, spans, NamedKind::Function, details)?,
            shape::PLAN => self.named(nodes, spans, NamedKind::Plan, details)?,
            shape::NODE => {
                let parent = self.optional(has(1), len)?;
                let matches = self.expressions(len)?;
                let body = self.optional(has(2), len)?;
                let one = |(at, matches)| Expr::Node {
                    matches,
                    parent: parent.at(at),
                    body: body.at(at),
                };
                add(nodes, spans, (0..len).zip(matches).map(one));
            }
            shape::TYPE_ALIAS => {
                let all = self.texts(len)?.zip(self.each(len)?);
                add(nodes, spans, all.map(|(name, type_)| Expr::TypeAlias { name, type_ }));
            }
            shape::TYPE_MAPPING => {
                let both = self.each(len)?.zip(self.each(len)?);
                add(
                    nodes,
                    spans,
                    both.map(|(type_, mapping)| Expr::TypeMapping { type_, mapping }),
                );
            }
            shape::TYPE_DEFINITION => self.type_definitions(nodes, spans, details)?,
            _ => return None,
        }
        Some(())
    }

    #[inline(never)]
    fn named(
        &mut self,
        nodes: &mut Vec<Node>,
        spans: Pieces<'b, N>,
        kind: NamedKind,
        details: u8,
    ) -> Option<()> {
        let (len, has) = (spans.len(), |bit: u8| details & bit != 0);
        let (names, parameters) = (self.texts(len)?, self.lists(Role::Parameter, len)?);
        let (body, return_type) = (self.optional(has(1), len)?, self.optional(has(2), len)?);
        let mut parents = self.texts(if has(4) { len } else { 0 })?;
        let is_possible = match kind {
            NamedKind::Class => !has(2),
            NamedKind::Define => !has(2) && !has(4),
            NamedKind::Function | NamedKind::Plan => !has(4),
        };
        let all = &mut self.named;
        add(
            nodes,
            spans,
            (0..len).zip(names.zip(parameters)).map(|(at, (name, parameters))| {
                let (body, return_type) = (body.at(at), return_type.at(at));
                let parent_class = parents.next();
                let named = Named { kind, name, parameters, body, return_type, parent_class };
                Raw::add_named(all, named)
            }),
        );
        is_possible.then_some(())
    }

    #[inline(never)]
    fn type_definitions(
        &mut self,
        nodes: &mut Vec<Node>,
        spans: Pieces<'b, N>,
        details: u8,
    ) -> Option<()> {
        let (len, has) = (spans.len(), |bit: u8| details & bit != 0);
        let names = self.texts(len)?;
        let mut parents = self.texts(if has(1) { len } else { 0 })?;
        let body = self.optional(has(2), len)?;
        let all = &mut self.type_definitions;
        add(
            nodes,
            spans,
            (0..len).zip(names).map(|(at, name)| {
                let definition = TypeDefinition { name, parent: parents.next(), body: body.at(at) };
                Raw::add_type_definition(all, definition)
            }),
        );
        Some(())
    }
}

/// What nodes have.
impl<'c, 'b, const N: usize> Reader<'c, 'b, N>
where
    [u8; N]: Number,
{
    #[inline]
    fn texts(&mut self, len: usize) -> Option<impl Iterator<Item = Text> + use<'b, N>> {
        Some(self.texts.take(len)?.texts())
    }

    #[inline]
    fn children(&mut self, role: Role, len: usize) -> Option<&'c [ExprId]> {
        let next = &mut self.next[role as usize];
        let end = next.checked_add(len).filter(|&end| end <= self.ends[role as usize])?;
        let children = self.children.get(*next..end);
        *next = end;
        children
    }

    /// An expression for each node.
    #[inline]
    fn each(&mut self, len: usize) -> Option<impl Iterator<Item = ExprId> + use<'c, N>> {
        Some(self.children(Role::Expression, len)?.iter().copied())
    }

    #[inline]
    fn optional(&mut self, is_there: bool, len: usize) -> Option<Optional<'c>> {
        self.children(Role::Expression, if is_there { len } else { 0 }).map(Optional)
    }

    /// A list for each node. The children stay where they are.
    #[inline]
    fn lists(
        &mut self,
        role: Role,
        len: usize,
    ) -> Option<impl Iterator<Item = ExprList> + use<'b, N>> {
        let counts = take(&mut self.counts, len)?;
        let total = counts.iter().fold(0_u64, |sum, count| sum.wrapping_add(count.value().into()));
        // There are fewer than 2 ^ 31.
        let mut start = self.next[role as usize] as u32;
        self.children(role, usize::try_from(total).ok()?)?;
        Some(counts.iter().map(move |count| {
            let list = ExprList::new(start, count.value());
            start = start.wrapping_add(count.value());
            list
        }))
    }

    #[inline]
    fn expressions(&mut self, len: usize) -> Option<impl Iterator<Item = ExprList> + use<'b, N>> {
        self.lists(Role::Expression, len)
    }
}

#[inline]
fn add<const N: usize>(
    nodes: &mut Vec<Node>,
    spans: Pieces<'_, N>,
    exprs: impl Iterator<Item = Expr>,
) where
    [u8; N]: Number,
{
    nodes.extend(spans.spans().zip(exprs).map(|(span, expr)| Node { expr, span }));
}

#[inline]
fn one_of<O: Copy, const LEN: usize>(all: &[O; LEN], number: u8) -> Option<O> {
    all.get(usize::from(number)).copied()
}
