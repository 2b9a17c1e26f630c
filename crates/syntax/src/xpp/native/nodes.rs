//! The nodes of a section that are more than a text.
//!
//! This loop is most of loading. So what it needs is kept in few places (everything is inlined), every kind of
//! node has an arm of its own in one table of jumps, and lists stay where they are.

use super::decode::{Columns, Number};
use super::encode::children_first;
use super::{Role, tag};
use crate::ast::{
    Ast, CallKind, Expr, ExprId, ExprList, Named, NamedKind, Raw, Text, TypeDefinition,
};

/// Adds the nodes to a tree that has all else; `None` if the columns don't fit together.
///
/// `places` are the places of nodes among the children, counted from 1.
pub(super) fn add<const N: usize>(
    columns: &Columns<'_, N>,
    places: &[u32],
    mut raw: Raw,
) -> Option<Ast>
where
    [u8; N]: Number,
{
    let ranges = columns.ranges();
    let mut nodes = Nodes {
        children: &raw.lists,
        // The leaves have taken theirs.
        texts: columns.texts.after(columns.n_leaves()).iter(),
        counts: columns.counts.iter().map(|count| count.value()),
        next: ranges.map(|(start, _)| start),
        named: Vec::new(),
        type_definitions: Vec::new(),
        is_bad: false,
    };
    let ends = ranges.map(|(_, end)| end);
    let first = columns.n_leaves();
    let (places, last) = (places.get(first..)?, columns.tags.len().wrapping_sub(1));
    let others = columns.tags.iter().zip(columns.details).zip(places);
    raw.exprs.extend(others.enumerate().map(|(at, ((&tag, &details), &place))| {
        let expr = nodes.node(tag, details);
        let role = tag::ROLES[usize::from(tag)] as usize;
        // Nobody has taken it yet, so its parent comes after it. The last has none.
        let has_place = nodes.next[role] < place as usize && place as usize <= ends[role];
        nodes.is_bad |= !has_place && (at != last || role != Role::Expression as usize);
        expr
    }));
    let is_used = nodes.texts.len() == 0 && nodes.counts.len() == 0 && nodes.next == ends;
    let is_all = is_used && !nodes.is_bad;
    raw.named = nodes.named;
    raw.type_definitions = nodes.type_definitions;
    let ast = Ast::from(raw);
    (is_all && has_order(&ast)).then_some(ast)
}

/// Whether the definitions are in the order of the tree; most trees have one at most.
fn has_order(ast: &Ast) -> bool {
    let is_definition = |&id: &ExprId| tag::of(ast, id).is_some_and(|it| it >= tag::DEFINITIONS);
    ast.definitions().len() < 2
        || children_first(ast)
            .into_iter()
            .filter(is_definition)
            .eq(ast.definitions().iter().copied())
}

/// Where the next of everything is.
struct Nodes<'c, T, C> {
    children: &'c [ExprId],
    texts: T,
    counts: C,
    /// The first child of each role that nobody has taken.
    next: [usize; Role::ALL.len()],
    named: Vec<Named>,
    type_definitions: Vec<TypeDefinition>,
    /// Whether something does not fit. There is no way out of the loop, which makes it faster.
    is_bad: bool,
}

impl<T, C> Nodes<'_, T, C>
where
    T: Iterator<Item = (u32, u32)>,
    C: Iterator<Item = u32>,
{
    #[expect(clippy::too_many_lines, reason = "a list of all nodes, an arm each")]
    #[inline(always)]
    fn node(&mut self, tag: u8, details: u8) -> Expr {
        match tag {
            tag::NOP => Expr::Nop,
            tag::UNDEF => Expr::Undef,
            tag::DEFAULT => Expr::Default,
            tag::BOOLEAN => Expr::Boolean(details & 1 != 0),
            tag::REGEXP => Expr::Regexp(self.text()),
            tag::FLOAT => Expr::Float(self.text()),
            tag::RENDER_STRING => Expr::RenderString(self.text()),
            tag::RESERVED_WORD => Expr::ReservedWord(self.text()),
            tag::INTEGER => {
                Expr::Integer { digits: self.text(), radix: self.one_of(&tag::RADIXES, details) }
            }
            tag::UNARY => {
                Expr::Unary { op: self.one_of(&tag::UNARY_OPS, details), expr: self.child() }
            }
            tag::BINARY => {
                let op = self.one_of(&tag::BINARY_OPS, details);
                Expr::Binary { op, left: self.child(), right: self.child() }
            }
            tag::ACCESS => Expr::Access { left: self.child(), keys: self.expressions() },
            tag::NAMED_ACCESS => Expr::NamedAccess { left: self.child(), name: self.text() },
            tag::LIST => Expr::List(self.expressions()),
            tag::BLOCK => Expr::Block(self.expressions()),
            tag::APPLY_BLOCK => Expr::ApplyBlock(self.expressions()),
            tag::CONCAT => Expr::Concat(self.expressions()),
            tag::HASH => Expr::Hash(self.list(Role::Entry)),
            tag::CASE => Expr::Case { test: self.child(), options: self.list(Role::Option) },
            tag::CASE_OPTION => {
                Expr::CaseOption { values: self.expressions(), then: self.optional(details, 1) }
            }
            tag::QUERY => {
                Expr::Query { exported: details & 1 != 0, expr: self.optional(details, 2) }
            }
            tag::COLLECT => {
                let (type_, query) = (self.child(), self.take(Role::Query));
                Expr::Collect { type_, query, operations: self.list(Role::Operation) }
            }
            tag::HEREDOC => Expr::Heredoc { text: self.child(), syntax: self.text() },
            tag::LAMBDA => {
                let (parameters, body) = (self.list(Role::Parameter), self.optional(details, 1));
                Expr::Lambda { parameters, body, return_type: self.optional(details, 2) }
            }
            tag::APPLY => Expr::Apply { arguments: self.expressions(), body: self.child() },
            tag::IF => {
                let (test, then) = (self.child(), self.optional(details, 1));
                Expr::If { test, then, otherwise: self.optional(details, 2) }
            }
            tag::UNLESS => {
                let (test, then) = (self.child(), self.optional(details, 1));
                Expr::Unless { test, then, otherwise: self.optional(details, 2) }
            }
            tag::CALL => {
                let kind = if details & 1 == 0 { CallKind::Named } else { CallKind::Method };
                let (functor, arguments) = (self.child(), self.expressions());
                let lambda = self.optional(details, 4);
                Expr::Call { kind, rvalue: details & 2 != 0, functor, arguments, lambda }
            }
            tag::EPP => {
                let parameters_specified = details & 1 != 0;
                Expr::Epp { parameters_specified, body: self.optional(details, 2) }
            }
            tag::RESOURCE => {
                let (form, type_name) = (self.one_of(&tag::FORMS, details), self.child());
                Expr::Resource { type_name, form, bodies: self.list(Role::Body) }
            }
            tag::RESOURCE_DEFAULTS => {
                let (form, type_ref) = (self.one_of(&tag::FORMS, details), self.child());
                Expr::ResourceDefaults { form, type_ref, operations: self.list(Role::Operation) }
            }
            tag::RESOURCE_OVERRIDE => {
                let (form, resources) = (self.one_of(&tag::FORMS, details), self.child());
                Expr::ResourceOverride { form, resources, operations: self.list(Role::Operation) }
            }
            tag::SELECTOR => {
                Expr::Selector { left: self.child(), selectors: self.list(Role::Selector) }
            }
            tag::KEYED_ENTRY => Expr::KeyedEntry { key: self.child(), value: self.child() },
            tag::ATTRIBUTE_OPERATION => {
                let (name, append) = (self.text(), details & 1 != 0);
                Expr::AttributeOperation { name, append, value: self.child() }
            }
            tag::ATTRIBUTES_OPERATION => Expr::AttributesOperation(self.child()),
            tag::PARAMETER => {
                let (name, value) = (self.text(), self.optional(details, 2));
                let (type_, captures_rest) = (self.optional(details, 4), details & 1 != 0);
                Expr::Parameter { name, value, type_, captures_rest }
            }
            tag::RESOURCE_BODY => {
                Expr::ResourceBody { title: self.child(), operations: self.list(Role::Operation) }
            }
            tag::SELECTOR_ENTRY => {
                Expr::SelectorEntry { matching: self.child(), value: self.child() }
            }
            tag::CLASS => self.named(NamedKind::Class, details),
            tag::DEFINE => self.named(NamedKind::Define, details),
            tag::FUNCTION => self.named(NamedKind::Function, details),
            tag::PLAN => self.named(NamedKind::Plan, details),
            tag::NODE => {
                let (parent, matches) = (self.optional(details, 1), self.expressions());
                Expr::Node { matches, parent, body: self.optional(details, 2) }
            }
            tag::TYPE_ALIAS => Expr::TypeAlias { name: self.text(), type_: self.child() },
            tag::TYPE_MAPPING => Expr::TypeMapping { type_: self.child(), mapping: self.child() },
            tag::TYPE_DEFINITION => {
                let name = self.text();
                let parent = if details & 1 == 0 { None } else { Some(self.text()) };
                let definition = TypeDefinition { name, parent, body: self.optional(details, 2) };
                Raw::add_type_definition(&mut self.type_definitions, definition)
            }
            _ => {
                self.is_bad = true;
                Expr::Nop
            }
        }
    }

    #[inline(always)]
    fn named(&mut self, kind: NamedKind, details: u8) -> Expr {
        let (name, parameters) = (self.text(), self.list(Role::Parameter));
        let (body, return_type) = (self.optional(details, 1), self.optional(details, 2));
        let parent_class = if details & 4 == 0 { None } else { Some(self.text()) };
        let may_have = match kind {
            NamedKind::Class => (false, true),
            NamedKind::Define => (false, false),
            NamedKind::Function | NamedKind::Plan => (true, false),
        };
        self.is_bad |= return_type.is_some() && !may_have.0;
        self.is_bad |= parent_class.is_some() && !may_have.1;
        let named = Named { kind, name, parameters, body, return_type, parent_class };
        Raw::add_named(&mut self.named, named)
    }
}

/// What nodes have. What is not there is found out in the end, and until then anything will do.
impl<T, C> Nodes<'_, T, C>
where
    T: Iterator<Item = (u32, u32)>,
    C: Iterator<Item = u32>,
{
    #[inline(always)]
    fn text(&mut self) -> Text {
        let text = self.texts.next();
        self.is_bad |= text.is_none();
        let (start, len) = text.unwrap_or_default();
        Text { start, len }
    }

    #[inline(always)]
    fn take(&mut self, role: Role) -> ExprId {
        let next = &mut self.next[role as usize];
        let child = self.children.get(*next).copied();
        // The end is compared with what there is.
        *next += 1;
        child.unwrap_or(ExprId::after(0))
    }

    #[inline(always)]
    fn child(&mut self) -> ExprId {
        self.take(Role::Expression)
    }

    /// A child that is there if a bit is set.
    #[inline(always)]
    fn optional(&mut self, details: u8, bit: u8) -> Option<ExprId> {
        if details & bit == 0 { None } else { Some(self.child()) }
    }

    #[inline(always)]
    fn expressions(&mut self) -> ExprList {
        self.list(Role::Expression)
    }

    /// The children stay where they are.
    #[inline(always)]
    fn list(&mut self, role: Role) -> ExprList {
        let len = self.counts.next();
        self.is_bad |= len.is_none();
        let len = len.unwrap_or_default();
        let next = &mut self.next[role as usize];
        // Too large a number is found in the end: then more was taken than there is.
        let list = ExprList::new(*next as u32, len);
        *next += len as usize;
        list
    }

    #[inline(always)]
    fn one_of<O: Copy, const LEN: usize>(&mut self, all: &[O; LEN], number: u8) -> O {
        let one = all.get(usize::from(number)).copied();
        self.is_bad |= one.is_none();
        one.unwrap_or(all[0])
    }
}
