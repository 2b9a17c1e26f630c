//! Writing the section.

use kukla_base::Span;

use super::{LIMIT, MAGIC, Role, tag};
use crate::ast::{Ast, CallKind, Child, Expr, ExprId, ExprList, Named, Text, TypeDefinition};
use crate::xpp::crc32::crc32_of_both;

/// The section of a tree; `None` of one that Puppet's model can't have, or that is too large.
///
/// `header` is that of the payload.
pub(in crate::xpp) fn section(ast: &Ast, header: &[u8]) -> Option<Vec<u8>> {
    let rest = Columns::of(ast)?.bytes()?;
    let mut section = Vec::with_capacity(rest.len() + 8);
    section.extend_from_slice(MAGIC);
    section.extend(crc32_of_both(header, &rest).to_le_bytes());
    section.extend_from_slice(&rest);
    Some(section)
}

/// The order of nodes: leaves first, then the others by height and kind.
///
/// A node is higher than its children, so they come before it. And whoever reads many of one kind in a row
/// need not wonder what comes next, which is faster.
struct Order {
    /// Strings, names, references, variables, others.
    groups: [Vec<ExprId>; 5],
    /// How many are before each node, by its number in the tree.
    n_before: Vec<u32>,
    /// In the order of the tree.
    definitions: Vec<ExprId>,
}

impl Order {
    fn of(ast: &Ast) -> Self {
        let mut groups: [Vec<ExprId>; 5] = Default::default();
        let mut heights = vec![0_u32; ast.len() + 1];
        let mut definitions = Vec::new();
        let mut children = Vec::new();
        for id in children_first(ast) {
            let group = match ast[id] {
                Expr::String(_) => 0,
                Expr::QualifiedName(_) => 1,
                Expr::QualifiedReference(_) => 2,
                Expr::Variable(_) => 3,
                _ => 4,
            };
            groups[group].push(id);
            ast.push_children(id, &mut children);
            let below = children.drain(..).filter_map(Child::id).map(|id| heights[id.index()]);
            heights[id.index()] = below.max().map_or(0, |height| height + 1);
            if tag::of(ast, id).is_some_and(|tag| tag >= tag::DEFINITIONS) {
                definitions.push(id);
            }
        }
        groups[4].sort_by_key(|&id| (heights[id.index()], tag::of(ast, id)));
        let mut n_before = vec![0; ast.len() + 1];
        for (at, id) in (0..).zip(groups.iter().flatten()) {
            n_before[id.index()] = at;
        }
        Self { groups, n_before, definitions }
    }
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
    tags: Vec<u8>,
    details: Vec<u8>,
    spans: Vec<Span>,
    texts: Vec<Text>,
    counts: Vec<u32>,
    children: [Vec<u32>; Role::ALL.len()],
    odd_names: Vec<(u32, Span)>,
    built: String,
}

impl<'a> Columns<'a> {
    fn of(ast: &'a Ast) -> Option<Self> {
        let mut columns = Self {
            ast,
            order: Order::of(ast),
            tags: Vec::new(),
            details: Vec::new(),
            spans: Vec::with_capacity(ast.len()),
            texts: Vec::new(),
            counts: Vec::new(),
            children: Default::default(),
            odd_names: Vec::new(),
            built: String::new(),
        };
        let [strings, names, references, variables, others] =
            std::mem::take(&mut columns.order.groups);
        for &id in strings.iter().chain(&names).chain(&references).chain(&variables) {
            columns.leaf(id);
        }
        for &id in &others {
            columns.spans.push(ast.span(id));
            columns.tags.push(tag::of(ast, id)?);
            let details = columns.details(id)?;
            columns.details.push(details);
        }
        columns.order.groups = [strings, names, references, variables, others];
        Some(columns)
    }

    fn leaf(&mut self, id: ExprId) {
        let span = self.ast.span(id);
        match self.ast[id] {
            Expr::Variable(name) => {
                self.text(name);
                let place = self.ast.name_span(id);
                if place != Span::new(span.start + 1, span.len.saturating_sub(1)) {
                    self.odd_names.push((self.order.n_before[id.index()], place));
                }
            }
            Expr::String(text) | Expr::QualifiedName(text) | Expr::QualifiedReference(text) => {
                self.text(text);
            }
            _ => (),
        }
        self.spans.push(span);
    }

    /// The details of a node; what else it has is kept.
    #[expect(clippy::too_many_lines, reason = "a list of all nodes, an arm each")]
    fn details(&mut self, id: ExprId) -> Option<u8> {
        Some(match self.ast[id] {
            Expr::String(_)
            | Expr::QualifiedName(_)
            | Expr::QualifiedReference(_)
            | Expr::Variable(_)
            | Expr::Error => return None,
            Expr::Nop | Expr::Undef | Expr::Default => 0,
            Expr::Boolean(value) => u8::from(value),
            Expr::Regexp(text) => self.text(text),
            Expr::Float(text) => self.text(text),
            Expr::RenderString(text) => self.text(text),
            Expr::ReservedWord(text) => self.text(text),
            Expr::Integer { digits, radix } => self.text(digits) + place(&tag::RADIXES, radix)?,
            Expr::Unary { op, expr } => self.child(expr) + place(&tag::UNARY_OPS, op)?,
            Expr::Binary { op, left, right } => {
                self.child(left);
                self.child(right) + place(&tag::BINARY_OPS, op)?
            }
            Expr::Access { left, keys } => {
                self.child(left);
                self.list(Role::Expression, keys)
            }
            Expr::NamedAccess { left, name } => {
                self.child(left);
                self.text(name)
            }
            Expr::List(list) => self.list(Role::Expression, list),
            Expr::Block(list) => self.list(Role::Expression, list),
            Expr::ApplyBlock(list) => self.list(Role::Expression, list),
            Expr::Concat(list) => self.list(Role::Expression, list),
            Expr::Hash(list) => self.list(Role::Entry, list),
            Expr::Case { test, options } => {
                self.child(test);
                self.list(Role::Option, options)
            }
            Expr::CaseOption { values, then } => {
                self.list(Role::Expression, values);
                self.optional(then, 1)
            }
            Expr::Query { exported, expr } => u8::from(exported) + self.optional(expr, 2),
            Expr::Collect { type_, query, operations } => {
                self.child(type_);
                self.add(Role::Query, query);
                self.list(Role::Operation, operations)
            }
            Expr::Heredoc { text, syntax } => {
                self.child(text);
                self.text(syntax)
            }
            Expr::Lambda { parameters, body, return_type } => {
                self.list(Role::Parameter, parameters);
                self.optional(body, 1) + self.optional(return_type, 2)
            }
            Expr::Apply { arguments, body } => {
                self.list(Role::Expression, arguments);
                self.child(body)
            }
            Expr::If { test, then, otherwise } => {
                self.child(test);
                self.optional(then, 1) + self.optional(otherwise, 2)
            }
            Expr::Unless { test, then, otherwise } => {
                self.child(test);
                self.optional(then, 1) + self.optional(otherwise, 2)
            }
            Expr::Call { kind, rvalue, functor, arguments, lambda } => {
                self.child(functor);
                self.list(Role::Expression, arguments);
                let bits = u8::from(kind == CallKind::Method) + 2 * u8::from(rvalue);
                bits + self.optional(lambda, 4)
            }
            Expr::Epp { parameters_specified, body } => {
                u8::from(parameters_specified) + self.optional(body, 2)
            }
            Expr::Resource { type_name, form, bodies } => {
                self.child(type_name);
                self.list(Role::Body, bodies) + place(&tag::FORMS, form)?
            }
            Expr::ResourceDefaults { form, type_ref, operations } => {
                self.child(type_ref);
                self.list(Role::Operation, operations);
                place(&tag::FORMS, form)?
            }
            Expr::ResourceOverride { form, resources, operations } => {
                self.child(resources);
                self.list(Role::Operation, operations);
                place(&tag::FORMS, form)?
            }
            Expr::Selector { left, selectors } => {
                self.child(left);
                self.list(Role::Selector, selectors)
            }
            Expr::KeyedEntry { key, value } => self.child(key) + self.child(value),
            Expr::AttributeOperation { name, append, value } => {
                self.child(value);
                self.text(name) + u8::from(append)
            }
            Expr::AttributesOperation(expr) => self.child(expr),
            Expr::Parameter { name, value, type_, captures_rest } => {
                let bits = self.optional(value, 2) + self.optional(type_, 4);
                self.text(name) + u8::from(captures_rest) + bits
            }
            Expr::ResourceBody { title, operations } => {
                self.child(title);
                self.list(Role::Operation, operations)
            }
            Expr::SelectorEntry { matching, value } => self.child(matching) + self.child(value),
            Expr::Named(named) => self.named(self.ast.named(named)),
            Expr::Node { matches, parent, body } => {
                let has_parent = self.optional(parent, 1);
                self.list(Role::Expression, matches);
                has_parent + self.optional(body, 2)
            }
            Expr::TypeAlias { name, type_ } => self.text(name) + self.child(type_),
            Expr::TypeMapping { type_, mapping } => self.child(type_) + self.child(mapping),
            Expr::TypeDefinition(definition) => {
                let TypeDefinition { name, parent, body } = *self.ast.type_definition(definition);
                self.text(name);
                self.optional_text(parent, 1) + self.optional(body, 2)
            }
        })
    }

    fn named(&mut self, named: &Named) -> u8 {
        let Named { kind: _, name, parameters, body, return_type, parent_class } = *named;
        self.text(name);
        self.list(Role::Parameter, parameters);
        let bits = self.optional(body, 1) + self.optional(return_type, 2);
        bits + self.optional_text(parent_class, 4)
    }
}

/// What nodes have. Each of these answers with what it adds to the details.
impl Columns<'_> {
    fn text(&mut self, text: Text) -> u8 {
        let source = self.ast.source();
        let Text { mut start, len } = text;
        if (start + len) as usize > source.len() {
            start = to_u32(source.len() + self.built.len());
            self.built.push_str(self.ast.text(text));
        }
        self.texts.push(Text { start, len });
        0
    }

    fn optional_text(&mut self, text: Option<Text>, bit: u8) -> u8 {
        text.map_or(0, |text| self.text(text) + bit)
    }

    fn add(&mut self, role: Role, id: ExprId) {
        self.children[role as usize].push(self.order.n_before[id.index()]);
    }

    fn child(&mut self, id: ExprId) -> u8 {
        self.add(Role::Expression, id);
        0
    }

    fn optional(&mut self, id: Option<ExprId>, bit: u8) -> u8 {
        id.map_or(0, |id| self.child(id) + bit)
    }

    fn list(&mut self, role: Role, list: ExprList) -> u8 {
        self.counts.push(to_u32(list.len()));
        self.ast.list(list).iter().for_each(|&id| self.add(role, id));
        0
    }
}

impl Columns<'_> {
    /// The bytes behind the checksum; `None` if there are too many.
    fn bytes(&self) -> Option<Vec<u8>> {
        let Self { ast, order, tags, details, spans, texts, counts, children, odd_names, built } =
            self;
        let size = spans.len().max(ast.source().len() + built.len());
        if size >= LIMIT {
            return None;
        }
        let is_wide = size > usize::from(u16::MAX);
        let mut out = Out { bytes: Vec::new(), is_wide: true };
        out.numbers([if is_wide { 4 } else { 2 }]);
        order.groups.iter().for_each(|group| out.numbers([to_u32(group.len())]));
        let n_definitions = order.definitions.len();
        let sizes = [texts.len(), counts.len(), odd_names.len(), n_definitions, built.len()];
        out.numbers(sizes.map(to_u32));
        children.iter().for_each(|column| out.numbers([to_u32(column.len())]));
        out.is_wide = is_wide;
        spans.iter().for_each(|span| out.numbers([span.start]));
        spans.iter().for_each(|span| out.numbers([span.len]));
        texts.iter().for_each(|text| out.numbers([text.start]));
        texts.iter().for_each(|text| out.numbers([text.len]));
        children.iter().flatten().for_each(|&child| out.numbers([child]));
        counts.iter().for_each(|&count| out.numbers([count]));
        odd_names.iter().for_each(|&(id, span)| out.numbers([id, span.start, span.len]));
        let definitions = order.definitions.iter().map(|id| order.n_before[id.index()]);
        definitions.for_each(|definition| out.numbers([definition]));
        out.bytes.extend_from_slice(tags);
        out.bytes.extend_from_slice(details);
        out.bytes.extend_from_slice(built.as_bytes());
        Some(out.bytes)
    }
}

struct Out {
    bytes: Vec<u8>,
    is_wide: bool,
}

impl Out {
    fn numbers<const N: usize>(&mut self, numbers: [u32; N]) {
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

fn place<T: PartialEq + Copy>(all: &[T], one: T) -> Option<u8> {
    all.iter().position(|it| *it == one).and_then(|at| u8::try_from(at).ok())
}
