//! The values that a value is made of, as far as the code alone shows.
//!
//! Variables of blocks lead to what the block's function is called with, variables that the definition sets to the
//! right sides of their assignments; all others are left to the reader.

use kukla_catalog::origins::Input;
use kukla_pcore::types::capitalize_segments;
use kukla_syntax::ast::{BinaryOp, Child, Expr, ExprId, ExprList, NamedKind};
use rustc_hash::FxHashSet;

use super::Program;

/// A search for inputs.
pub(super) struct Inputs<'p> {
    program: &'p Program,
    /// Nodes whose values count, in the order in which they are looked at.
    open: Vec<ExprId>,
    seen: FxHashSet<ExprId>,
    found: Vec<Input>,
}

impl<'p> Inputs<'p> {
    fn new(program: &'p Program) -> Self {
        Self { program, open: Vec::new(), seen: FxHashSet::default(), found: Vec::new() }
    }

    /// Returns the inputs of a node.
    pub(super) fn of(program: &'p Program, id: ExprId) -> Vec<Input> {
        let mut search = Self::new(program);
        search.open(id);
        search.run()
    }

    /// Returns the inputs of a variable of a definition or of the main program, if it has that variable.
    pub(super) fn of_variable(
        program: &'p Program,
        definition: ExprId,
        name: &str,
    ) -> Option<Vec<Input>> {
        let mut search = Self::new(program);
        search.own_variable(Some(definition), name).then(|| search.run())
    }

    fn run(mut self) -> Vec<Input> {
        let mut n = 0;
        while let Some(&id) = self.open.get(n) {
            self.node(id);
            n += 1;
        }
        self.found
    }

    fn open(&mut self, id: ExprId) {
        if self.seen.insert(id) {
            self.open.push(id);
        }
    }

    fn open_all(&mut self, list: ExprList) {
        let program = self.program;
        program.ast().list(list).iter().for_each(|&id| self.open(id));
    }

    fn push(&mut self, input: Input) {
        if !self.found.contains(&input) {
            self.found.push(input);
        }
    }

    fn node(&mut self, id: ExprId) {
        let ast = self.program.ast();
        match ast[id] {
            Expr::Variable(name) => self.variable(id, ast.text(name)),
            Expr::Call { functor, arguments, lambda, .. } => {
                self.push(Input::Call(number(id)));
                self.open_all(arguments);
                if let Expr::NamedAccess { left, .. } = ast[functor] {
                    self.open(left);
                }
                lambda.into_iter().for_each(|lambda| self.open(lambda));
                if arguments.is_empty() && matches!(ast[functor], Expr::QualifiedName(_)) {
                    self.push(Input::Literal(number(id)));
                }
            }
            Expr::Access { left, keys } => match self.path(id) {
                Some(input) => self.push(input),
                None => {
                    self.open(left);
                    self.open_all(keys);
                }
            },
            // The value of a resource expression is a reference that is written there.
            Expr::Resource { .. } => self.push(Input::Literal(number(id))),
            Expr::Lambda { body, .. } => body.into_iter().for_each(|body| self.open(body)),
            _ => {
                let mut children = Vec::new();
                ast.push_children(id, &mut children);
                if children.is_empty() {
                    self.push(Input::Literal(number(id)));
                }
                children.into_iter().filter_map(Child::id).for_each(|child| self.open(child));
            }
        }
    }

    /// Returns `$facts['a']['b']` as one fact, and `Type['title']['attribute']` as one attribute.
    fn path(&self, id: ExprId) -> Option<Input> {
        let ast = self.program.ast();
        let (mut keys, mut at) = (Vec::new(), id);
        while let Expr::Access { left, keys: list } = ast[at] {
            let [key] = ast.list(list) else { return None };
            keys.push(self.literal(*key)?);
            at = left;
        }
        match (ast[at], &keys[..]) {
            (Expr::Variable(name), _) => {
                let name = ast.text(name).trim_start_matches("::");
                let path = std::iter::once(name).chain(keys.iter().rev().copied());
                let is_fact = matches!(name, "facts" | "trusted" | "server_facts");
                is_fact.then(|| Input::Fact(path.collect::<Vec<_>>().join(".").into()))
            }
            (Expr::QualifiedReference(type_), [name, title]) => {
                let type_ = capitalize_segments(&ast.text(type_).to_lowercase());
                Some(Input::Attribute(type_.into(), (*title).into(), (*name).into()))
            }
            _ => None,
        }
    }

    fn literal(&self, id: ExprId) -> Option<&'p str> {
        let ast = self.program.ast();
        match ast[id] {
            Expr::String(text) | Expr::QualifiedName(text) => Some(ast.text(text)),
            Expr::Integer { digits, .. } => Some(ast.text(digits)),
            _ => None,
        }
    }

    fn variable(&mut self, id: ExprId, name: &str) {
        if name.starts_with(|first: char| first.is_ascii_digit()) {
            return self.matched(id);
        }
        if let Some((class, leaf)) = name.rsplit_once("::") {
            let class = class.strip_prefix("::").unwrap_or(class);
            return self.push(Input::Qualified(class.into(), leaf.into()));
        }
        if self.block_parameter(id, name) {
            return;
        }
        let definition = self.program.definition_around(id);
        if !self.own_variable(definition, name) {
            self.push(Input::Outer(name.into()));
        }
    }

    /// `$1`: the text that a condition around it matched.
    fn matched(&mut self, id: ExprId) {
        let ast = self.program.ast();
        let mut at = id;
        while let Some(parent) = self.program.parent(at) {
            match ast[parent] {
                Expr::If { test, .. } | Expr::Unless { test, .. } | Expr::Case { test, .. }
                    if test != at =>
                {
                    return self.open(test);
                }
                Expr::Selector { left, .. } if left != at => return self.open(left),
                Expr::Named(_) | Expr::Node { .. } => break,
                _ => at = parent,
            }
        }
        self.push(Input::Literal(number(id)));
    }

    /// A parameter of a block around a variable: what the block's function is called with.
    fn block_parameter(&mut self, id: ExprId, name: &str) -> bool {
        let ast = self.program.ast();
        let mut at = id;
        while let Some(parent) = self.program.parent(at) {
            at = parent;
            let parameters = match ast[at] {
                Expr::Lambda { parameters, .. } => parameters,
                Expr::Named(_) | Expr::Node { .. } => return false,
                _ => continue,
            };
            let Some((_, default)) = self.parameter(parameters, name) else { continue };
            default.into_iter().for_each(|default| self.open(default));
            let call = self.program.parent(at).map(|call| ast[call]);
            if let Some(Expr::Call { functor, arguments, .. }) = call {
                self.open_all(arguments);
                if let Expr::NamedAccess { left, .. } = ast[functor] {
                    self.open(left);
                }
            }
            return true;
        }
        false
    }

    /// A parameter by its name: its number and its default.
    fn parameter(&self, parameters: ExprList, name: &str) -> Option<(usize, Option<ExprId>)> {
        let ast = self.program.ast();
        let mut list = ast.list(parameters).iter().enumerate();
        list.find_map(|(number, &id)| match ast[id] {
            Expr::Parameter { name: own, value, .. } if ast.text(own) == name => {
                Some((number, value))
            }
            _ => None,
        })
    }

    /// A variable of a definition, or of the main program; `false` if it has no such variable.
    fn own_variable(&mut self, definition: Option<ExprId>, name: &str) -> bool {
        let ast = self.program.ast();
        if let Some(Expr::Named(named)) = definition.map(|id| ast[id]) {
            let named = ast.named(named);
            let is_function = matches!(named.kind, NamedKind::Function | NamedKind::Plan);
            if let Some((number, _)) = self.parameter(named.parameters, name) {
                self.push(match is_function {
                    true => Input::Argument(ast.text(named.name).into(), number),
                    false => Input::Parameter(name.into()),
                });
                return true;
            }
            match name {
                "title" | "name" if !is_function => {
                    self.push(Input::Title);
                    return true;
                }
                "module_name" | "caller_module_name" if !is_function => {
                    self.push(Input::Compiler);
                    return true;
                }
                _ => (),
            }
        }
        let values = self.assigned(definition, name);
        values.iter().for_each(|&value| self.open(value));
        !values.is_empty()
    }

    /// The right sides of all assignments to a variable in a definition, or in the main program.
    fn assigned(&self, definition: Option<ExprId>, name: &str) -> Vec<ExprId> {
        let ast = self.program.ast();
        let (mut values, mut children) = (Vec::new(), Vec::new());
        let mut open: Vec<ExprId> = definition.or(ast.body()).into_iter().collect();
        while let Some(id) = open.pop() {
            if let Expr::Binary { op: BinaryOp::Assign(_), left, right } = ast[id]
                && self.is_target(left, name)
            {
                values.push(right);
            }
            ast.push_children(id, &mut children);
            let inner = children.drain(..).filter_map(Child::id);
            // Definitions within a definition have variables of their own.
            open.extend(inner.filter(|&id| !matches!(ast[id], Expr::Named(_) | Expr::Node { .. })));
        }
        values
    }

    /// Whether an assignment to a node, or to a list of nodes, sets a variable.
    fn is_target(&self, left: ExprId, name: &str) -> bool {
        let ast = self.program.ast();
        match ast[left] {
            Expr::Variable(own) => ast.text(own) == name,
            Expr::List(targets) => {
                let is_name =
                    |&id: &ExprId| matches!(ast[id], Expr::Variable(own) if ast.text(own) == name);
                ast.list(targets).iter().any(is_name)
            }
            _ => false,
        }
    }
}

fn number(id: ExprId) -> u32 {
    u32::try_from(id.index()).unwrap_or(u32::MAX)
}
