//! Decoder of the nodes of a section, group by group.
//!
//! This takes most of the time of loading. All rows of a group are alike, so that each makes a node without a branch on
//! its kind.

use kukla_base::Span;

use super::group::{
    APPEND, BINARY_OPS, CONSTANTS, FORMS, NAMED_KINDS, RADIXES, SPLAT, Sequence, UNARY_OPS,
};
use super::links::Links;
use super::numbers::Number;
use super::{Group, all_of, behind_dollar, between_quotes};
use kukla_syntax::ast::{
    CallKind, Expr, ExprId, Few, Named, NamedKind, Node, Raw, Text, TypeDefinition,
};

const LIST: u32 = Sequence::List as u32;
const BLOCK: u32 = Sequence::Block as u32;
const APPLY_BLOCK: u32 = Sequence::ApplyBlock as u32;

/// Data that is stored beside the nodes.
#[derive(Default)]
pub(super) struct Beside {
    pub(super) named: Few<Named>,
    pub(super) type_definitions: Vec<TypeDefinition>,
    pub(super) odd_names: Vec<(ExprId, Span)>,
}

/// The rows that are left, and the nodes that were decoded.
pub(super) struct Reader<'b, 'm, const N: usize> {
    pub(super) counts: &'b [[u8; N]; Group::COUNT],
    pub(super) rows: &'b [[u8; N]],
    pub(super) nodes: Vec<Node>,
    pub(super) links: Links<'m, N>,
    /// The number of the first definition, known once the nodes before it are decoded.
    pub(super) first_definition: usize,
    pub(super) first_part: usize,
}

impl<const N: usize> Reader<'_, '_, N>
where
    [u8; N]: Number,
{
    /// Adds the nodes of the next group, whose rows have `K` numbers each; `None` if there are too few.
    #[inline(always)]
    fn each<const K: usize>(
        &mut self,
        group: Group,
        mut expr: impl FnMut(&mut Links<'_, N>, [u32; K]) -> Expr,
    ) -> Option<()> {
        let count = self.counts[group as usize].value() as usize;
        if count == 0 {
            return Some(());
        }
        let (rows, rest) = self.rows.split_at_checked(count.wrapping_mul(K))?;
        self.rows = rest;
        // A local copy keeps the sums in registers during the loop.
        let Links { marks, cursors, sums } = &mut self.links;
        let mut links = Links { marks, cursors, sums: *sums };
        self.nodes.extend(rows.as_chunks::<K>().0.iter().map(|row| {
            let row = row.map(Number::value);
            let span = Span::new(row[0], row[1]);
            links.sums.spans.add::<N>(span.start, span.len);
            Node { expr: expr(&mut links, row), span }
        }));
        *sums = links.sums;
        Some(())
    }

    /// Adds leaves that consist of a span of at least this many bytes.
    #[inline(always)]
    fn leaves(&mut self, group: Group, at_least: u32, expr: impl Fn(Span) -> Expr) -> Option<()> {
        self.each(group, |links, [start, len]| {
            links.expect(len >= at_least);
            expr(Span::new(start, len))
        })
    }

    /// Adds leaves that have a text.
    #[inline(always)]
    fn texts(&mut self, group: Group, expr: impl Fn(Text) -> Expr) -> Option<()> {
        self.each(group, |links, [.., start, len]: [u32; 4]| expr(links.text(start, len)))
    }

    /// Adds all nodes; `None` if there are too few rows.
    #[expect(clippy::too_many_lines, reason = "a list of all groups, a call each")]
    pub(super) fn all(&mut self, beside: &mut Beside) -> Option<()> {
        use Group as G;

        self.leaves(G::String, 2, |span| Expr::String(between_quotes(span)))?;
        self.leaves(G::Name, 0, |span| Expr::QualifiedName(all_of(span)))?;
        self.leaves(G::Reference, 0, |span| Expr::QualifiedReference(all_of(span)))?;
        self.leaves(G::Variable, 1, |span| Expr::Variable(behind_dollar(span)))?;
        self.leaves(G::BareVariable, 1, |span| Expr::Variable(all_of(span)))?;
        let integer = |span| Expr::Integer { digits: all_of(span), radix: 10 };
        self.leaves(G::Integer, 0, integer)?;

        self.each(G::Constant, |links, [.., which]: [u32; 3]| links.one_of(&CONSTANTS, which))?;
        self.each(G::BuiltString, |links, [.., len]: [u32; 3]| Expr::String(links.built(len)))?;
        self.texts(G::StringOf, Expr::String)?;
        self.texts(G::NameOf, Expr::QualifiedName)?;
        self.texts(G::ReferenceOf, Expr::QualifiedReference)?;
        self.odd_variables(&mut beside.odd_names)?;
        self.texts(G::Regexp, Expr::Regexp)?;
        self.texts(G::Float, Expr::Float)?;
        self.texts(G::RenderString, Expr::RenderString)?;
        self.texts(G::ReservedWord, Expr::ReservedWord)?;
        self.each(G::IntegerOf, |links, [.., radix, start, len]: [u32; 5]| {
            let radix = links.one_of(&RADIXES, radix);
            Expr::Integer { digits: links.text(start, len), radix }
        })?;

        self.each(G::Unary, |links, [.., op, expr]: [u32; 4]| {
            let op = links.one_of(&UNARY_OPS, op);
            Expr::Unary { op, expr: links.child(expr) }
        })?;
        self.each(G::Binary, |links, [.., op, left, right]: [u32; 5]| {
            let op = links.one_of(&BINARY_OPS, op);
            Expr::Binary { op, left: links.child(left), right: links.child(right) }
        })?;
        self.each(G::Access, |links, [.., left, n_keys]: [u32; 4]| Expr::Access {
            left: links.child(left),
            keys: links.list(n_keys),
        })?;
        self.each(G::NamedAccess, |links, [.., left, start, len]: [u32; 5]| Expr::NamedAccess {
            left: links.child(left),
            name: links.text(start, len),
        })?;
        self.each(G::Sequence, |links, [.., which, n]: [u32; 4]| {
            links.expect(which <= Sequence::Concat as u32);
            let all = links.list(n);
            match which {
                LIST => Expr::List(all),
                BLOCK => Expr::Block(all),
                APPLY_BLOCK => Expr::ApplyBlock(all),
                _ => Expr::Concat(all),
            }
        })?;
        self.each(G::Hash, |links, [.., n_entries]: [u32; 3]| {
            Expr::Hash(links.parts(G::KeyedEntry, n_entries))
        })?;
        self.each(G::Case, |links, [.., test, n_options]: [u32; 4]| {
            let test = links.child(test);
            Expr::Case { test, options: links.parts(G::CaseOption, n_options) }
        })?;
        self.each(G::Collect, |links, [.., type_, n_operations]: [u32; 4]| {
            let (type_, query) = (links.child(type_), links.query());
            Expr::Collect { type_, query, operations: links.parts(G::Operation, n_operations) }
        })?;
        self.each(G::Heredoc, |links, [.., text, start, len]: [u32; 5]| Expr::Heredoc {
            text: links.child(text),
            syntax: links.text(start, len),
        })?;
        self.each(G::Lambda, |links, [.., n_parameters, body, return_type]: [u32; 5]| {
            let parameters = links.parts(G::Parameter, n_parameters);
            let (body, return_type) = (links.optional(body), links.optional(return_type));
            Expr::Lambda { parameters, body, return_type }
        })?;
        self.each(G::Apply, |links, [.., n_arguments, body]: [u32; 4]| Expr::Apply {
            arguments: links.list(n_arguments),
            body: links.child(body),
        })?;
        self.each(G::If, |links, [.., test, then, otherwise]: [u32; 5]| {
            let (test, then) = (links.child(test), links.optional(then));
            Expr::If { test, then, otherwise: links.optional(otherwise) }
        })?;
        self.each(G::Unless, |links, [.., test, then, otherwise]: [u32; 5]| {
            let (test, then) = (links.child(test), links.optional(then));
            Expr::Unless { test, then, otherwise: links.optional(otherwise) }
        })?;
        self.each(G::Call, |links, [.., flags, functor, n_arguments, lambda]: [u32; 6]| {
            Expr::Call {
                kind: if flags & 1 != 0 { CallKind::Method } else { CallKind::Named },
                rvalue: flags & 2 != 0,
                functor: links.child(functor),
                arguments: links.list(n_arguments),
                lambda: links.optional(lambda),
            }
        })?;
        self.each(G::Epp, |links, [.., flags, body]: [u32; 4]| {
            let parameters_specified = flags & 1 != 0;
            Expr::Epp { parameters_specified, body: links.optional(body) }
        })?;
        self.each(G::Resource, |links, [.., form, type_name, n_bodies]: [u32; 5]| {
            let (form, type_name) = (links.one_of(&FORMS, form), links.child(type_name));
            Expr::Resource { type_name, form, bodies: links.parts(G::ResourceBody, n_bodies) }
        })?;
        self.each(G::ResourceDefaults, |links, [.., form, type_ref, n_operations]: [u32; 5]| {
            let (form, type_ref) = (links.one_of(&FORMS, form), links.child(type_ref));
            let operations = links.parts(G::Operation, n_operations);
            Expr::ResourceDefaults { form, type_ref, operations }
        })?;
        self.each(G::ResourceOverride, |links, [.., form, resources, n_operations]: [u32; 5]| {
            let (form, resources) = (links.one_of(&FORMS, form), links.child(resources));
            let operations = links.parts(G::Operation, n_operations);
            Expr::ResourceOverride { form, resources, operations }
        })?;
        self.each(G::Selector, |links, [.., left, n_selectors]: [u32; 4]| {
            let left = links.child(left);
            Expr::Selector { left, selectors: links.parts(G::SelectorEntry, n_selectors) }
        })?;

        self.first_definition = self.nodes.len();
        self.definitions(beside)?;
        self.first_part = self.nodes.len();

        self.each(G::CaseOption, |links, [.., n_values, then]: [u32; 4]| Expr::CaseOption {
            values: links.list(n_values),
            then: links.optional(then),
        })?;
        self.each(G::KeyedEntry, |links, [.., key, value]: [u32; 4]| Expr::KeyedEntry {
            key: links.child(key),
            value: links.child(value),
        })?;
        self.each(G::ResourceBody, |links, [.., title, n_operations]: [u32; 4]| {
            let title = links.child(title);
            Expr::ResourceBody { title, operations: links.parts(G::Operation, n_operations) }
        })?;
        self.each(G::Operation, |links, [.., which, start, len, value]: [u32; 6]| {
            let (name, value) = (links.text(start, len), links.child(value));
            links.expect(which <= SPLAT);
            match which {
                SPLAT => Expr::AttributesOperation(value),
                _ => Expr::AttributeOperation { name, append: which == APPEND, value },
            }
        })?;
        self.each(G::Parameter, |links, [.., flags, start, len, value, type_]: [u32; 7]| {
            let (name, captures_rest) = (links.text(start, len), flags & 1 != 0);
            let (value, type_) = (links.optional(value), links.optional(type_));
            Expr::Parameter { name, value, type_, captures_rest }
        })?;
        self.each(G::SelectorEntry, |links, [.., matching, value]: [u32; 4]| {
            Expr::SelectorEntry { matching: links.child(matching), value: links.child(value) }
        })?;
        self.each(G::Query, |links, [.., flags, expr]: [u32; 4]| Expr::Query {
            exported: flags & 1 != 0,
            expr: links.optional(expr),
        })
    }

    /// Adds the variables whose text or name is not in the usual place.
    fn odd_variables(&mut self, names: &mut Vec<(ExprId, Span)>) -> Option<()> {
        let mut id = ExprId::after(self.nodes.len() as u32 - 1);
        self.each(Group::VariableOf, |links, row: [u32; 6]| {
            let [.., start, len, name_start, name_len] = row;
            links.sums.spans.add::<N>(name_start, name_len);
            names.push((id, Span::new(name_start, name_len)));
            id = id.next();
            Expr::Variable(links.text(start, len))
        })
    }

    fn definitions(&mut self, beside: &mut Beside) -> Option<()> {
        use Group as G;

        self.each(G::Named, |links, row: [u32; 11]| {
            let [.., kind, start, len, n_parameters, body, return_type, flags, p_start, p_len] =
                row;
            let parent = links.text(p_start, p_len);
            let named = Named {
                kind: links.one_of(&NAMED_KINDS, kind),
                name: links.text(start, len),
                parameters: links.parts(G::Parameter, n_parameters),
                body: links.optional(body),
                return_type: links.optional(return_type),
                parent_class: (flags & 1 != 0).then_some(parent),
            };
            links.expect(match named.kind {
                NamedKind::Class => named.return_type.is_none(),
                NamedKind::Define => named.return_type.is_none() && named.parent_class.is_none(),
                NamedKind::Function | NamedKind::Plan => named.parent_class.is_none(),
            });
            Raw::add_named(&mut beside.named, named)
        })?;
        self.each(G::Node, |links, [.., parent, n_matches, body]: [u32; 5]| {
            let (parent, matches) = (links.optional(parent), links.list(n_matches));
            Expr::Node { matches, parent, body: links.optional(body) }
        })?;
        self.each(G::TypeAlias, |links, [.., start, len, type_]: [u32; 5]| Expr::TypeAlias {
            name: links.text(start, len),
            type_: links.child(type_),
        })?;
        self.each(G::TypeMapping, |links, [.., type_, mapping]: [u32; 4]| Expr::TypeMapping {
            type_: links.child(type_),
            mapping: links.child(mapping),
        })?;
        self.each(G::TypeDefinition, |links, row: [u32; 8]| {
            let [.., start, len, flags, parent_start, parent_len, body] = row;
            let parent = links.text(parent_start, parent_len);
            let definition = TypeDefinition {
                name: links.text(start, len),
                parent: (flags & 1 != 0).then_some(parent),
                body: links.optional(body),
            };
            Raw::add_type_definition(&mut beside.type_definitions, definition)
        })
    }
}
