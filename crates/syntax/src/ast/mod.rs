//! The tree of one source.
//!
//! Flat: nodes are in one list in the order in which they were finished, each with its span; children are ids. Text of the
//! source is never copied: a [`Text`] is a slice of the source, or of the few strings (escapes, margins, joined names) that
//! had to be built.
//!
//! There is one kind of node for every class of Puppet's own model, and each carries the offset and length that Puppet gives
//! it, odd as some are (an operator's node covers only the operator). [`Ast::extent`] returns the span that people expect.

mod children;
mod class_name;
mod expr;
mod raw;
mod text;

pub use children::Child;
pub use expr::{
    AssignmentOp, BinaryOp, CallKind, Expr, Form, Named, NamedKind, TypeDefinition, UnaryOp,
};
pub use raw::Raw;
pub use text::Text;

use std::num::NonZeroU32;
use std::ops::Index;

use kukla_base::Span;
use smallvec::SmallVec;

/// The id of a node in one [`Ast`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ExprId(NonZeroU32);

/// A list of nodes, stored in the [`Ast`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct ExprList {
    start: u32,
    len: u32,
}

impl ExprList {
    /// Returns true if the list is empty.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Returns the number of nodes.
    pub const fn len(self) -> usize {
        self.len as usize
    }
}

/// The id of a named definition (class, define, function, plan) in one [`Ast`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NamedId(u32);

/// The id of a `type Name { … }` in one [`Ast`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TypeDefinitionId(u32);

/// A node and its span, in one place since code often needs both.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The node, with its children.
    pub expr: Expr,
    /// Offset and length, as Puppet has them.
    pub span: Span,
}

impl Node {
    /// The placeholder with number 0, which is no valid id, so that `Option<ExprId>` takes no extra space.
    pub const NONE: Self = Self { expr: Expr::Nop, span: Span::new(0, 0) };
}

/// A list without an allocation for one item, since most sources define one thing.
pub type Few<T> = SmallVec<[T; 1]>;

/// One source's tree.
#[derive(Debug, Clone)]
pub struct Ast {
    source: String,
    /// The strings that had to be built. The offsets of their [`Text`]s continue those of the source.
    built: String,
    /// With [`Node::NONE`] in front.
    nodes: Vec<Node>,
    /// Set if children precede their parents.
    is_ordered: bool,
    lists: Vec<ExprId>,
    named: Few<Named>,
    type_definitions: Vec<TypeDefinition>,
    body: Option<ExprId>,
    definitions: Few<ExprId>,
    /// Spans of variable names that do not follow the dollar sign, in the order of the variables.
    odd_names: Vec<(ExprId, Span)>,
}

impl Ast {
    /// Creates an empty tree of `source`.
    pub fn new(source: &str) -> Self {
        // Real manifests have at most one node per ten bytes of source.
        let expected = source.len() / 12 + 8;
        Self::empty(source.to_owned(), String::new(), expected)
    }

    /// Creates an empty tree of `source` that also holds `texts`, which follow the source.
    ///
    /// `None` if that exceeds 32-bit offsets.
    pub fn with_texts(source: &str, texts: &str, n_nodes: usize) -> Option<Self> {
        u32::try_from(source.len().checked_add(texts.len())?).ok()?;
        Some(Self::empty(source.to_owned(), texts.to_owned(), n_nodes + 1))
    }

    fn empty(source: String, built: String, n_nodes: usize) -> Self {
        let mut ast = Self {
            source,
            built,
            nodes: Vec::with_capacity(n_nodes),
            is_ordered: true,
            lists: Vec::with_capacity(n_nodes / 2),
            named: Few::new(),
            type_definitions: Vec::new(),
            body: None,
            definitions: Few::new(),
            odd_names: Vec::new(),
        };
        ast.nodes.push(Node::NONE);
        ast
    }

    /// Returns the parsed source.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the root expression (often a block); `None` if the source did not parse at all.
    pub fn body(&self) -> Option<ExprId> {
        self.body
    }

    /// Returns all definitions (classes, defines, functions, plans, nodes, types), inner before outer.
    pub fn definitions(&self) -> &[ExprId] {
        &self.definitions
    }

    /// Returns Puppet's span of a node.
    pub fn span(&self, id: ExprId) -> Span {
        self.nodes[id.index()].span
    }

    /// Returns Puppet's span of the name of a variable: after the dollar sign, with few exceptions.
    pub fn name_span(&self, variable: ExprId) -> Span {
        match self.odd_names.binary_search_by_key(&variable, |&(id, _)| id) {
            Ok(at) => self.odd_names[at].1,
            Err(_) => after_dollar(self.span(variable)),
        }
    }

    /// Returns the nodes of a list.
    pub fn list(&self, list: ExprList) -> &[ExprId] {
        &self.lists[list.range()]
    }

    /// Returns the content of a text; empty if it is invalid, which means that it cuts a character.
    pub fn text(&self, text: Text) -> &str {
        let (start, len) = (text.start as usize, text.len as usize);
        let letters = match start.checked_sub(self.source.len()) {
            None => self.source.get(start..start + len),
            Some(start) => self.built.get(start..start + len),
        };
        letters.unwrap_or_default()
    }

    /// Returns true if a text is not in the source.
    pub fn is_built(&self, text: Text) -> bool {
        !text.is_empty() && (text.start + text.len) as usize > self.source.len()
    }

    /// Like [`text`](Self::text), but as bytes, without the check of character borders.
    pub fn text_bytes(&self, text: Text) -> &[u8] {
        let (start, len) = (text.start as usize, text.len as usize);
        match start.checked_sub(self.source.len()) {
            None => &self.source.as_bytes()[start..start + len],
            Some(start) => &self.built.as_bytes()[start..start + len],
        }
    }

    /// Returns a class, define, function or plan.
    pub fn named(&self, id: NamedId) -> &Named {
        &self.named[id.0 as usize]
    }

    /// Returns a `type Name { … }`.
    pub fn type_definition(&self, id: TypeDefinitionId) -> &TypeDefinition {
        &self.type_definitions[id.0 as usize]
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Returns all nodes, in the order of their numbers; some may not be part of the tree.
    pub fn ids(&self) -> impl Iterator<Item = ExprId> + use<> {
        (1..self.nodes.len()).map(ExprId::new)
    }

    /// Returns the node with a number, as [`ExprId::index`] gives it.
    pub fn id(&self, index: usize) -> Option<ExprId> {
        (1..self.nodes.len()).contains(&index).then(|| ExprId::new(index))
    }

    /// Returns all nodes, children before their parents; some may not be part of the tree.
    pub fn children_first(&self) -> Vec<ExprId> {
        if self.is_ordered { self.ids().collect() } else { self.post_order() }
    }

    /// Returns the nodes of the tree, children before their parents.
    pub fn post_order(&self) -> Vec<ExprId> {
        let mut nodes = Vec::with_capacity(self.len());
        let mut tasks: Vec<(ExprId, bool)> =
            self.body().map(|id| (id, false)).into_iter().collect();
        let mut children = Vec::new();
        while let Some((id, is_left)) = tasks.pop() {
            if is_left {
                nodes.push(id);
                continue;
            }
            tasks.push((id, true));
            self.push_children(id, &mut children);
            let ids = children.drain(..).rev().filter_map(Child::id);
            tasks.extend(ids.map(|id| (id, false)));
        }
        nodes
    }

    /// Returns true if there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the value of an integer literal, if it fits in 64 bits.
    pub fn integer(&self, digits: Text, radix: u32) -> Option<i64> {
        let digits = self.text(digits);
        let digits = match radix {
            16 => digits.trim_start_matches("0x").trim_start_matches("0X"),
            _ => digits,
        };
        i64::from_str_radix(digits, radix).ok()
    }

    /// Returns the value of a float literal.
    pub fn float(&self, digits: Text) -> f64 {
        self.text(digits).parse().unwrap_or(f64::NAN)
    }

    /// Returns true for a variable that is written `${true}` or `${false}`, which Puppet takes for a value.
    pub fn is_interpolated_boolean(&self, id: ExprId) -> bool {
        let Expr::Variable(name) = self[id] else { return false };
        let start = self.span(id).start as usize;
        matches!(name.len, 4 | 5)
            && matches!(self.text(name), "true" | "false")
            && self.source().as_bytes().get(start) != Some(&b'$')
    }

    /// Returns the span of a node and of all its descendants.
    ///
    /// Closing brackets outside of Puppet's spans are not part of it.
    pub fn extent(&self, id: ExprId) -> Span {
        let mut extent = self.span(id);
        let mut rest = vec![id];
        let mut children = Vec::new();
        while let Some(id) = rest.pop() {
            let span = self.span(id);
            if span.len > 0 {
                extent = extent.cover(span);
            }
            children.clear();
            self.push_children(id, &mut children);
            rest.extend(children.iter().filter_map(|child| child.id()));
        }
        extent
    }
}

/// Extents of all nodes, for callers that need many.
impl Ast {
    /// Returns for each node, by number, the span that it and its descendants cover, without empty ones.
    pub fn covers(&self) -> Vec<Span> {
        let mut covers = self.nodes.iter().map(|node| node.span).collect::<Vec<_>>();
        for (id, parent) in self.with_parents().into_iter().rev() {
            let (cover, around) = (covers[id.index()], covers[parent.index()]);
            if cover.len > 0 {
                covers[parent.index()] = if around.len > 0 { around.cover(cover) } else { cover };
            }
        }
        covers
    }

    /// Returns all nodes of the tree but the root, each with its parent, parents first.
    pub fn with_parents(&self) -> Vec<(ExprId, ExprId)> {
        let mut all = Vec::with_capacity(self.len());
        let mut rest: Vec<ExprId> = self.body().into_iter().collect();
        let mut children = Vec::new();
        while let Some(parent) = rest.pop() {
            self.push_children(parent, &mut children);
            for id in children.drain(..).filter_map(Child::id) {
                all.push((id, parent));
                rest.push(id);
            }
        }
        all
    }
}

/// Building, for the parser and for readers of serialized trees.
impl Ast {
    /// Adds a node.
    #[inline]
    pub fn add(&mut self, expr: Expr, span: Span) -> ExprId {
        self.nodes.push(Node { expr, span });
        ExprId::new(self.nodes.len() - 1)
    }

    /// Adds a list of nodes.
    pub fn add_list(&mut self, ids: &[ExprId]) -> ExprList {
        let start = u32::try_from(self.lists.len()).expect("fewer nodes than bytes");
        self.lists.extend_from_slice(ids);
        ExprList { start, len: u32::try_from(ids.len()).expect("fewer nodes than bytes") }
    }

    /// Adds a named definition.
    pub fn add_named(&mut self, named: Named) -> NamedId {
        self.named.push(named);
        NamedId(u32::try_from(self.named.len() - 1).expect("fewer nodes than bytes"))
    }

    /// Adds the definition of a type.
    pub fn add_type_definition(&mut self, definition: TypeDefinition) -> TypeDefinitionId {
        self.type_definitions.push(definition);
        TypeDefinitionId(
            u32::try_from(self.type_definitions.len() - 1).expect("fewer nodes than bytes"),
        )
    }

    /// Adds a text that is not literally in the source.
    pub fn add_text(&mut self, text: &str) -> Text {
        let start = self.source.len() + self.built.len();
        let start = u32::try_from(start).expect("built text is shorter than its source");
        self.built.push_str(text);
        Text { start, len: u32::try_from(text.len()).expect("shorter than the whole") }
    }

    /// Replaces the span of a node.
    pub fn set_span(&mut self, id: ExprId, span: Span) {
        self.nodes[id.index()].span = span;
    }

    /// Replaces a node, keeping its span.
    pub fn set(&mut self, id: ExprId, expr: Expr) {
        self.nodes[id.index()].expr = expr;
    }

    /// Returns a node for changing it.
    pub fn get_mut(&mut self, id: ExprId) -> &mut Expr {
        &mut self.nodes[id.index()].expr
    }

    /// Sets the root of the tree.
    pub fn set_body(&mut self, body: ExprId) {
        self.body = Some(body);
    }

    /// Adds a node to the list of definitions.
    pub fn add_definition(&mut self, id: ExprId) {
        self.definitions.push(id);
    }

    /// Maps the spans of all nodes from number `first` on, which were parsed in coordinates of their own.
    pub fn map_spans(&mut self, first: usize, map: impl Fn(Span) -> Span) {
        for index in first..self.nodes.len() {
            let Node { expr, span } = self.nodes[index];
            let span = map(span);
            if let Expr::Variable(_) = expr {
                let id = ExprId::new(index);
                let name = map(self.name_span(id));
                self.set_name_span(id, span, name);
            }
            self.nodes[index].span = span;
        }
    }

    /// Stores the span of a variable's name if it does not follow from that of the variable.
    pub fn set_name_span(&mut self, id: ExprId, variable: Span, name: Span) {
        match self.odd_names.binary_search_by_key(&id, |&(id, _)| id) {
            Ok(at) => self.odd_names[at].1 = name,
            Err(_) if name == after_dollar(variable) => (),
            Err(at) => self.odd_names.insert(at, (id, name)),
        }
    }

    /// Like [`set_name_span`](Self::set_name_span), but for the variable that is added next.
    pub fn set_next_name_span(&mut self, variable: Span, name: Span) {
        if name != after_dollar(variable) {
            self.odd_names.push((ExprId::new(self.nodes.len()), name));
        }
    }

    /// Removes the node that was added last, if it is `id` and a name.
    pub fn take_name(&mut self, id: ExprId) -> Option<(Text, Span)> {
        let is_last = id.index() + 1 == self.nodes.len();
        let Expr::QualifiedName(name) = self[id] else { return None };
        let span = self.span(id);
        is_last.then(|| {
            self.nodes.pop();
            (name, span)
        })
    }

    /// Returns the text of the source at `span`, if it starts and ends at character borders.
    pub fn source_text(&self, span: Span) -> Option<Text> {
        let end = span.start.checked_add(span.len)?;
        self.source().get(span.start as usize..end as usize)?;
        Some(Text { start: span.start, len: span.len })
    }

    /// Returns the number that the next node gets.
    pub fn next_index(&self) -> usize {
        self.nodes.len()
    }
}

/// Returns the span after the dollar sign of a variable.
fn after_dollar(variable: Span) -> Span {
    Span::new(variable.start + 1, variable.len.saturating_sub(1))
}

impl ExprId {
    fn new(index: usize) -> Self {
        let index = u32::try_from(index).expect("fewer nodes than bytes");
        Self(NonZeroU32::new(index).expect("number 0 is taken"))
    }

    /// Returns its index for tables beside the tree.
    pub fn index(self) -> usize {
        self.0.get() as usize
    }
}

impl Index<ExprId> for Ast {
    type Output = Expr;

    fn index(&self, id: ExprId) -> &Expr {
        &self.nodes[id.index()].expr
    }
}
