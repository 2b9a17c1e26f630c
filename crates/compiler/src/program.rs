//! One source, parsed and analyzed to be run many times.

mod code;
mod inputs;
mod layout;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use ecow::EcoString;
use kukla_base::{Source, Span, Symbol};
use kukla_pcore::regex::Regex;
use kukla_pcore::{Hash, Type, Value};
use kukla_syntax::Ast;
use kukla_syntax::ast::{BinaryOp, Child, Expr, ExprId, ExprList, NamedKind, UnaryOp};

use kukla_world::Reads;

use crate::interpreter::Parameters;
use crate::interpreter::table::{Layout, Variable};
use crate::{Place, SourceSpan};

/// One source, parsed and analyzed to be run many times.
///
/// Names are interned and literals are made values once, in tables beside the tree.
#[derive(Debug)]
pub struct Program {
    /// Itself, for catalogs, which keep the code that made them.
    this: Weak<Self>,
    /// Unlike those of all other programs of the process.
    number: u64,
    parsed: Arc<Parsed>,
    file: Arc<str>,
    /// The module that it belongs to; empty if it belongs to none.
    module: Arc<str>,
    /// Types that were evaluated already and can't come out otherwise next time in this environment.
    types: Box<[OnceLock<Cached<Type>>]>,
    /// Parameters of lambdas and functions that can't come out otherwise next time in this environment.
    parameters: Box<[OnceLock<Cached<Parameters>>]>,
    source: OnceLock<Arc<Source>>,
}

/// A tree with the tables that are made of it alone.
///
/// It knows neither its file nor its environment, so that all programs of the same text can share it.
#[derive(Debug)]
pub struct Parsed {
    ast: Ast,
    infos: Vec<NodeInfo>,
    n_types: usize,
    /// Lambdas and functions.
    callees: Vec<Callee>,
    /// The lines of all nodes: every resource and every attribute has one.
    lines: OnceLock<Vec<u32>>,
    /// The parents of all nodes.
    parents: OnceLock<Vec<Option<ExprId>>>,
}

/// The number of the next program.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// The analysis of a node before anything runs.
#[derive(Debug, Clone)]
pub(crate) enum NodeInfo {
    /// Nothing.
    Nothing,
    /// The value of a literal.
    Constant(Value),
    /// A variable whose name has no `::`.
    Variable(Variable),
    /// The name of a parameter or attribute.
    Name(Symbol),
    /// A call of a function by its name.
    Call {
        /// The function.
        name: Symbol,
        /// Whether there is a `*` before an argument.
        has_unfold: bool,
    },
    /// A list without a `*` before any of its values.
    Plain,
    /// A parameter of the block or function that the node is in.
    Parameter {
        /// Its name, by which it is found where the number does not lead to it.
        name: Symbol,
        /// Its number.
        number: u32,
        /// Whether it is read just here, so that its value can be taken.
        is_last_use: bool,
    },
    /// `$class::leaf`; the class of `$::leaf` is empty.
    Qualified { class: Symbol, leaf: Symbol },
    /// `$1`
    Group(usize),
    /// A lambda or function: its place in the list of them.
    Callee(u32),
    /// A type that may be cached: its place in the list of types.
    Type(u32),
    /// A list or hash of constants, of which a new one is made each time: YAML shows which are one and the same.
    Literal(Value),
    /// A hash whose keys are constants, no two of them the same. If another is added to it, there is room for that.
    KeysDiffer { room: u32 },
    /// Text of a template.
    Text(EcoString),
    /// A node with the value of another node: `(a)`, or a block of one statement.
    Same(ExprId),
    /// A resource expression or a chain of arrows whose value is unused, as most are.
    Statement,
}

/// A value that an environment always gives, with the questions behind it: each use replays them.
#[derive(Debug)]
pub(crate) struct Cached<T> {
    pub(crate) value: Arc<T>,
    pub(crate) reads: Arc<Reads>,
}

/// The analysis of a lambda or function before it is called.
#[derive(Debug)]
pub(crate) struct Callee {
    /// Its body.
    pub(crate) body: Option<ExprId>,
    /// Whether it has no blocks in it, and calls nothing but functions which can't look around or break.
    pub(crate) is_simple: bool,
    /// Whether its parameters always come out the same in an environment.
    has_static_parameters: bool,
    /// The variables of a class or define.
    layout: Option<Arc<Layout>>,
}

impl Program {
    /// Prepares a tree that belongs to a module, or to none if that is empty.
    pub fn new(ast: Ast, file: &str, module: &str) -> Arc<Self> {
        Self::of(Arc::new(Parsed::new(ast)), file, module)
    }

    /// Makes a program of a text that others may share.
    pub fn of(parsed: Arc<Parsed>, file: &str, module: &str) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            this: Weak::clone(this),
            number: NEXT.fetch_add(1, Ordering::Relaxed),
            types: empty(parsed.n_types),
            parameters: empty(parsed.callees.len()),
            parsed,
            file: file.into(),
            module: module.into(),
            source: OnceLock::new(),
        })
    }

    /// Returns itself, to be kept.
    pub(crate) fn shared(&self) -> Option<Arc<Self>> {
        self.this.upgrade()
    }

    /// Returns a number that no other program of the process has.
    #[inline]
    pub(crate) const fn number(&self) -> u64 {
        self.number
    }

    /// Returns the node that a node is part of.
    pub(crate) fn parent(&self, id: ExprId) -> Option<ExprId> {
        self.parsed.parents()[id.index()]
    }

    /// The module that it belongs to; empty if it belongs to none.
    #[inline]
    pub fn module(&self) -> &Arc<str> {
        &self.module
    }

    /// The tree.
    #[inline]
    pub fn ast(&self) -> &Ast {
        &self.parsed.ast
    }

    /// The file's name; empty if there is none.
    pub fn file(&self) -> &Arc<str> {
        &self.file
    }

    /// The place of a node as people count.
    pub fn place(&self, id: ExprId) -> Place {
        let at = self.source().line_column(self.ast().span(id).start);
        Place { file: Arc::clone(&self.file), line: at.line, column: at.column }
    }

    /// Returns the span to underline for a node: all that belongs to it on its first line.
    #[cold]
    pub(crate) fn source_span(&self, id: ExprId) -> SourceSpan {
        let source = Arc::clone(self.source());
        let extent = self.ast().extent(id);
        let first_line = source.slice(extent).lines().next().unwrap_or_default().trim_end();
        let len = u32::try_from(first_line.len()).unwrap_or(extent.len);
        let span = Span { start: extent.start, len };
        SourceSpan { source, span, label: None, labels: Vec::new() }
    }

    /// Returns the span to underline for a line.
    pub(crate) fn line_span(&self, line: u32) -> Option<SourceSpan> {
        SourceSpan::of_line(Arc::clone(self.source()), line)
    }

    /// The line of a node.
    pub(crate) fn line(&self, id: ExprId) -> u32 {
        self.parsed.lines(|offset| self.source().line(offset))[id.index()]
    }

    #[inline]
    pub(crate) fn node_info(&self, id: ExprId) -> &NodeInfo {
        self.parsed.node_info(id)
    }

    /// The value of a node that is always the same one.
    pub(crate) fn constant(&self, id: ExprId) -> Option<&Value> {
        match self.node_info(id) {
            NodeInfo::Constant(value) => Some(value),
            _ => None,
        }
    }

    /// The name of a node that has one.
    pub(crate) fn name(&self, id: ExprId) -> Symbol {
        self.parsed.name(id)
    }

    /// Returns the analysis of a lambda or function.
    #[inline]
    pub(crate) fn callee(&self, id: ExprId) -> Option<&Callee> {
        match self.node_info(id) {
            NodeInfo::Callee(index) => self.parsed.callees.get(*index as usize),
            _ => None,
        }
    }

    /// Where the value of a type that can't come out otherwise next time is kept.
    pub(crate) fn type_cache(&self, id: ExprId) -> Option<&OnceLock<Cached<Type>>> {
        match self.node_info(id) {
            NodeInfo::Type(index) => Some(&self.types[*index as usize]),
            _ => None,
        }
    }

    /// Where the parameters of a lambda or function are kept, if they can't come out otherwise next time.
    #[inline]
    pub(crate) fn parameters(&self, id: ExprId) -> Option<&OnceLock<Cached<Parameters>>> {
        match self.node_info(id) {
            NodeInfo::Callee(index) => {
                let index = *index as usize;
                let is_cached = self.parsed.callees.get(index)?.has_static_parameters;
                self.parameters.get(index).filter(|_| is_cached)
            }
            _ => None,
        }
    }

    /// Which variables a class or define has.
    pub(crate) fn layout(&self, id: ExprId) -> Option<&Arc<Layout>> {
        self.callee(id)?.layout.as_ref()
    }

    fn source(&self) -> &Arc<Source> {
        self.source.get_or_init(|| Arc::new(Source::new(&*self.file, self.ast().source())))
    }
}

/// Returns as many empty cells.
fn empty<T>(n: usize) -> Box<[OnceLock<T>]> {
    std::iter::repeat_with(OnceLock::new).take(n).collect()
}

impl Parsed {
    /// Prepares a tree.
    pub fn new(ast: Ast) -> Self {
        let mut parsed = Self {
            infos: vec![NodeInfo::Nothing; ast.len() + 1],
            ast,
            n_types: 0,
            callees: Vec::new(),
            lines: OnceLock::new(),
            parents: OnceLock::new(),
        };
        parsed.analyze();
        parsed
    }

    /// Returns the tree.
    pub const fn ast(&self) -> &Ast {
        &self.ast
    }

    /// Returns about how many bytes it takes.
    pub fn size(&self) -> usize {
        // A node, what is known of it, its line and its parent; a string is one of a few nodes.
        const NODE: usize = size_of::<Expr>() + size_of::<NodeInfo>() + 32;
        self.ast.len() * NODE + self.ast.source().len() * 2
    }

    fn parents(&self) -> &[Option<ExprId>] {
        self.parents.get_or_init(|| {
            let mut parents = vec![None; self.ast.len() + 1];
            for (id, parent) in self.ast.with_parents() {
                parents[id.index()] = Some(parent);
            }
            parents
        })
    }

    /// Returns the lines of all nodes; `line` tells that of an offset.
    fn lines(&self, line: impl Fn(u32) -> u32) -> &[u32] {
        self.lines.get_or_init(|| {
            let mut lines = vec![0; self.ast.len() + 1];
            self.ast.ids().for_each(|id| lines[id.index()] = line(self.ast.span(id).start));
            lines
        })
    }

    #[inline]
    fn node_info(&self, id: ExprId) -> &NodeInfo {
        &self.infos[id.index()]
    }

    fn name(&self, id: ExprId) -> Symbol {
        match self.node_info(id) {
            NodeInfo::Name(name) | NodeInfo::Call { name, .. } => *name,
            _ => Symbol::new(""),
        }
    }

    fn analyze(&mut self) {
        for id in self.ast.children_first() {
            let info = self.analyze_node(id);
            if let NodeInfo::Type(_) = info {
                self.n_types += 1;
            }
            self.infos[id.index()] = info;
            self.analyze_callee(id);
            self.mark_statements(id);
            self.make_room(id);
        }
    }

    fn analyze_callee(&mut self, id: ExprId) {
        let (parameters, return_type, body) = match self.ast[id] {
            Expr::Lambda { parameters, return_type, body } => (parameters, return_type, body),
            Expr::Named(named) => {
                let named = self.ast.named(named);
                (named.parameters, named.return_type, named.body)
            }
            _ => return,
        };
        let is_simple = body.is_some_and(|body| self.mark_parameters(id, parameters, body));
        let layout = self.lay_out(id, parameters, body);
        let body = body.map(|body| match self.node_info(body) {
            NodeInfo::Same(inner) => *inner,
            _ => body,
        });
        let has_static_parameters = self.has_static_parameters(parameters, return_type);
        let index = u32::try_from(self.callees.len()).expect("fewer blocks than bytes of source");
        self.infos[id.index()] = NodeInfo::Callee(index);
        self.callees.push(Callee { body, is_simple, has_static_parameters, layout });
    }

    /// Reserves room in a hash for the entries that are added to it.
    fn make_room(&mut self, id: ExprId) {
        if let Expr::Binary { op: BinaryOp::Add, left, right } = self.ast[id]
            && let NodeInfo::KeysDiffer { room } = &mut self.infos[left.index()]
            && let Expr::Hash(entries) = self.ast[right]
        {
            *room = u32::try_from(entries.len()).unwrap_or(0);
        }
    }

    /// Finds resource expressions and chains of arrows whose values are unused.
    fn mark_statements(&mut self, id: ExprId) {
        match self.ast[id] {
            Expr::Block(statements) => {
                let statements = self.ast.list(statements).to_vec();
                let (_, others) = statements.split_last().unwrap_or((&id, &[]));
                others.iter().for_each(|&statement| self.mark_statement(statement));
            }
            Expr::Named(named) => {
                let named = self.ast.named(named);
                let has_value = matches!(named.kind, NamedKind::Function | NamedKind::Plan);
                if let Some(body) = named.body.filter(|_| !has_value) {
                    self.mark_statement(body);
                }
            }
            Expr::Node { body: Some(body), .. } => self.mark_statement(body),
            _ => (),
        }
    }

    /// Notes that the value of a node is unused.
    fn mark_statement(&mut self, id: ExprId) {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            match self.ast[id] {
                Expr::Resource { .. }
                | Expr::Binary {
                    op:
                        BinaryOp::Before | BinaryOp::Require | BinaryOp::Notify | BinaryOp::Subscribe,
                    ..
                } => self.infos[id.index()] = NodeInfo::Statement,
                Expr::Block(statements) => open.extend(self.ast.list(statements).last()),
                Expr::If { then, otherwise, .. } | Expr::Unless { then, otherwise, .. } => {
                    open.extend(then.into_iter().chain(otherwise));
                }
                Expr::Case { options, .. } => open.extend(self.ast.list(options)),
                Expr::CaseOption { then, .. } => open.extend(then),
                _ => (),
            }
        }
    }

    /// Children come before their parents, so what is known of them can be used.
    fn analyze_node(&self, id: ExprId) -> NodeInfo {
        let ast = &self.ast;
        match ast[id] {
            Expr::String(text) | Expr::QualifiedName(text) => {
                NodeInfo::Constant(Value::from(ast.text(text)))
            }
            Expr::Integer { digits, radix } => match ast.integer(digits, radix) {
                Some(value) => NodeInfo::Constant(Value::Integer(value)),
                None => NodeInfo::Nothing,
            },
            Expr::Float(digits) => NodeInfo::Constant(Value::Float(ast.float(digits))),
            Expr::Boolean(value) => NodeInfo::Constant(Value::Boolean(value)),
            Expr::Undef | Expr::Nop => NodeInfo::Constant(Value::Undef),
            Expr::Default => NodeInfo::Constant(Value::Default),
            Expr::Regexp(text) => match Regex::new(ast.text(text)) {
                Ok(regex) => NodeInfo::Constant(Value::Regexp(regex)),
                Err(_) => NodeInfo::Nothing,
            },
            Expr::Variable(name) => variable(ast.text(name)),
            Expr::Parameter { name, .. } | Expr::AttributeOperation { name, .. } => {
                NodeInfo::Name(Symbol::new(ast.text(name)))
            }
            Expr::Call { functor, arguments, .. } => {
                let (name, receiver) = match ast[functor] {
                    Expr::QualifiedName(name) => (name, None),
                    Expr::NamedAccess { left, name } => (name, Some(left)),
                    _ => return NodeInfo::Nothing,
                };
                let mut all = ast.list(arguments).iter().copied().chain(receiver);
                let has_unfold = all.any(|id| self.is_unfold(id));
                NodeInfo::Call { name: Symbol::new(ast.text(name)), has_unfold }
            }
            Expr::RenderString(text) => NodeInfo::Text(ast.text(text).into()),
            Expr::Block(statements) => match *ast.list(statements) {
                [only] => self.same(only),
                _ => NodeInfo::Nothing,
            },
            Expr::List(_) | Expr::Hash(_) | Expr::Unary { .. } => match self.literal(id) {
                Some(value @ (Value::Array(_) | Value::Hash(_))) => NodeInfo::Literal(value),
                Some(value) => NodeInfo::Constant(value),
                None if self.keys_differ(id) => NodeInfo::KeysDiffer { room: 0 },
                None => match ast[id] {
                    Expr::Unary { op: UnaryOp::Paren, expr } => self.same(expr),
                    Expr::List(values)
                        if !ast.list(values).iter().any(|&id| self.is_unfold(id)) =>
                    {
                        NodeInfo::Plain
                    }
                    _ => NodeInfo::Nothing,
                },
            },
            Expr::QualifiedReference(_) => self.cached_type(),
            Expr::Access { left, keys } if self.is_static(left) => {
                match ast.list(keys).iter().all(|&key| self.is_static(key)) {
                    true => self.cached_type(),
                    false => NodeInfo::Nothing,
                }
            }
            _ => NodeInfo::Nothing,
        }
    }

    /// Whether it is `*a`.
    fn is_unfold(&self, id: ExprId) -> bool {
        let inner = match self.node_info(id) {
            NodeInfo::Same(inner) => *inner,
            _ => id,
        };
        matches!(self.ast[inner], Expr::Unary { op: UnaryOp::Unfold, .. })
    }

    /// Returns the info of a node with the value of another node, following chains of such nodes.
    fn same(&self, id: ExprId) -> NodeInfo {
        match self.node_info(id) {
            NodeInfo::Same(inner) => NodeInfo::Same(*inner),
            _ => NodeInfo::Same(id),
        }
    }

    /// The value of a node whose parts are constants.
    fn literal(&self, id: ExprId) -> Option<Value> {
        let known = |id: ExprId| match self.node_info(id) {
            NodeInfo::Constant(value) | NodeInfo::Literal(value) => Some(value.clone()),
            _ => None,
        };
        match self.ast[id] {
            Expr::List(values) => {
                let values: Option<Vec<Value>> =
                    self.ast.list(values).iter().map(|&value| known(value)).collect();
                Some(Value::array(values?))
            }
            Expr::Hash(entries) => {
                let entry = |&entry: &ExprId| match self.ast[entry] {
                    Expr::KeyedEntry { key, value } => Some((known(key)?, known(value)?)),
                    _ => None,
                };
                let entries: Option<Hash> = self.ast.list(entries).iter().map(entry).collect();
                Some(Value::hash(entries?))
            }
            Expr::Unary { op: UnaryOp::Paren, expr } => known(expr),
            Expr::Unary { op: UnaryOp::Minus, expr } => match known(expr)? {
                Value::Integer(number) => number.checked_neg().map(Value::Integer),
                Value::Float(number) => Some(Value::Float(-number)),
                _ => None,
            },
            _ => None,
        }
    }

    fn keys_differ(&self, id: ExprId) -> bool {
        let Expr::Hash(entries) = self.ast[id] else { return false };
        let mut keys = Hash::new();
        self.ast.list(entries).iter().all(|&entry| {
            let Expr::KeyedEntry { key, .. } = self.ast[entry] else { return false };
            match self.node_info(key) {
                NodeInfo::Constant(key) => keys.insert(key.clone(), Value::Undef).is_none(),
                _ => false,
            }
        })
    }

    /// Finds where parameters of a block or function are read; whether it is a simple block.
    ///
    /// Not in blocks inside of it, whose variables lie elsewhere and which may run many times. The value of a
    /// parameter that a simple block reads once can be taken.
    fn mark_parameters(&mut self, callee: ExprId, parameters: ExprList, body: ExprId) -> bool {
        let mut is_simple = match self.ast[callee] {
            Expr::Lambda { .. } => true,
            Expr::Named(named) if self.ast.named(named).kind == NamedKind::Function => false,
            _ => return false,
        };
        let mut uses: Vec<ExprId> = Vec::new();
        let mut children = Vec::new();
        let mut open = vec![body];
        while let Some(id) = open.pop() {
            match self.ast[id] {
                Expr::Variable(_) => uses.push(id),
                Expr::Lambda { .. } => {
                    is_simple = false;
                    continue;
                }
                Expr::Epp { .. } => is_simple = false,
                Expr::Call { .. } => is_simple &= !self.may_look_at_variables(id),
                _ => (),
            }
            self.ast.push_children(id, &mut children);
            open.extend(children.drain(..).filter_map(Child::id));
        }
        for (number, parameter) in (0..).zip(self.ast.list(parameters).to_vec()) {
            let name = self.name(parameter);
            let is_own = |id: &&ExprId| matches!(self.node_info(**id), NodeInfo::Variable(known) if known.name == name);
            let own: Vec<ExprId> = uses.iter().filter(is_own).copied().collect();
            let is_last_use = is_simple && own.len() == 1;
            for id in own {
                self.infos[id.index()] = NodeInfo::Parameter { name, number, is_last_use };
            }
        }
        is_simple
    }

    /// Whether a call is of a function that can see variables by name.
    fn may_look_at_variables(&self, call: ExprId) -> bool {
        const PURE: &[&str] = &[
            "abs",
            "downcase",
            "upcase",
            "capitalize",
            "join",
            "split",
            "length",
            "size",
            "empty",
            "keys",
            "values",
            "merge",
            "concat",
            "flatten",
            "unique",
            "sort",
            "regsubst",
            "sprintf",
            "versioncmp",
            "strip",
            "lstrip",
            "rstrip",
            "chomp",
            "chop",
            "max",
            "min",
            "floor",
            "ceiling",
            "round",
            "notice",
            "fail",
            "warning",
            "info",
            "debug",
            "type",
            "assert_type",
        ];
        !PURE.contains(&self.name(call).as_str())
    }

    fn has_static_parameters(&self, parameters: ExprList, return_type: Option<ExprId>) -> bool {
        return_type.is_none_or(|type_| self.is_static(type_))
            && self.ast.list(parameters).iter().all(|&parameter| match self.ast[parameter] {
                Expr::Parameter { type_: Some(type_), .. } => self.is_static(type_),
                _ => true,
            })
    }

    fn cached_type(&self) -> NodeInfo {
        NodeInfo::Type(u32::try_from(self.n_types).expect("fewer types than bytes of source"))
    }

    /// Whether a node always has the same value in an environment.
    fn is_static(&self, id: ExprId) -> bool {
        match self.ast[id] {
            Expr::List(values) => self.ast.list(values).iter().all(|&value| self.is_static(value)),
            Expr::Hash(entries) => {
                self.ast.list(entries).iter().all(|&entry| self.is_static(entry))
            }
            Expr::KeyedEntry { key, value } => self.is_static(key) && self.is_static(value),
            _ => matches!(self.node_info(id), NodeInfo::Constant(_) | NodeInfo::Type(_)),
        }
    }
}

fn variable(name: &str) -> NodeInfo {
    if name.starts_with(|first: char| first.is_ascii_digit()) {
        return match name.parse() {
            Ok(group) => NodeInfo::Group(group),
            // No pattern has that many groups.
            Err(_) => NodeInfo::Group(usize::MAX),
        };
    }
    match name.rsplit_once("::") {
        None => NodeInfo::Variable(Variable::new(Symbol::new(name))),
        Some((class, leaf)) => {
            let class = class.strip_prefix("::").unwrap_or(class);
            NodeInfo::Qualified { class: Symbol::new(class), leaf: Symbol::new(leaf) }
        }
    }
}
