//! State of the checker, and construction of program nodes.

use std::collections::HashMap;
use std::sync::Arc;

use kukla_base::Span;

use super::complaints::Complaints;
use super::constant::Constant;
use super::flow::{FlowState, Names};
use regex::bytes::Regex;

use super::include::{Progress, Unit};
use super::trees::Trees;
use super::{Checked, Failure, Options};
use crate::ast::{Ast, Expr};
use crate::issues;
use crate::module::{Module, Protocol};
use crate::program::{BlockId, Cost, Node, NodeId, Program, Traits};
use crate::types::{Plain, Type};

/// A compiled pattern, or the reason why it can't be compiled.
pub(super) type Pattern = Result<Arc<Regex>, String>;

/// State of one check.
#[derive(Debug)]
pub(super) struct Checker<'s> {
    pub(super) text: &'s str,
    pub(super) trees: &'s Trees,
    /// The tree that is being checked.
    pub(super) ast: &'s Ast,
    /// Index of that tree's file.
    pub(super) unit: usize,
    pub(super) units: Vec<Unit<'s>>,
    pub(super) options: &'s Options,
    pub(super) diagnostics: Complaints,
    pub(super) failures: Vec<Failure>,
    pub(super) names: Vec<Name>,
    pub(super) by_text: HashMap<&'s str, usize>,
    pub(super) flow: FlowState,
    /// Modules whose members can be used without the module's name.
    pub(super) searched: Vec<&'static Module>,
    /// Files whose names can be used without the file's name.
    pub(super) searched_files: Vec<usize>,
    pub(super) has_lookup: bool,
    /// Number of enclosing blocks.
    pub(super) n_blocks: usize,
    /// Number of enclosing constructs that catch failures.
    pub(super) n_catching: usize,
    /// Whether this expression is evaluated whenever its statement is.
    pub(super) is_strict: bool,
    pub(super) uses: Uses,
    /// The members of each set, for lints about members that can never match.
    pub(super) sets: HashMap<NodeId, Vec<NodeId>>,
    /// Compiled patterns, and their total size.
    pub(super) patterns: HashMap<(Arc<[u8]>, bool), Pattern>,
    pub(super) patterns_size: usize,
    /// The bytes of all members of sets.
    pub(super) sets_size: u64,
    nodes: Vec<Node>,
    spans: Vec<Span>,
    types: Vec<Type>,
    traits: Vec<Traits>,
    facts: Vec<NodeFacts>,
    pub(super) blocks: Vec<Vec<NodeId>>,
    codes: Vec<Code>,
}

/// A name of the program.
#[derive(Debug)]
pub(super) struct Name {
    /// The file that it belongs to; 0 is the program.
    pub(super) file: usize,
    pub(super) text: String,
    /// Assignments seen so far.
    pub(super) sites: Vec<Span>,
    pub(super) type_: Type,
    /// Properties of its value.
    pub(super) facts: NodeFacts,
    pub(super) fails: bool,
    /// The value, when there is one site.
    pub(super) value: Option<NodeId>,
    pub(super) is_used: bool,
}

/// Properties of a node besides its type.
#[derive(Clone, Debug, Default)]
pub(super) struct NodeFacts {
    /// Worst-case cost of evaluating it.
    pub(super) cost: Cost,
    /// Maximum length of its text.
    pub(super) size: u64,
    /// Maximum depth of evaluations nested in it.
    pub(super) depth: u32,
    /// Its value, if constant.
    pub(super) constant: Option<Constant>,
    /// Index of its [`Code`], if it is a block.
    pub(super) code: Option<usize>,
}

/// Properties of a block that is used as a value.
#[derive(Clone, Debug)]
pub(super) struct Code {
    /// Names that have a value after the block ran.
    pub(super) assigns: Names,
    /// Whether it always ends the program.
    pub(super) ends: bool,
    pub(super) fails: bool,
    pub(super) cost: Cost,
    pub(super) depth: u32,
}

/// Language features that the program uses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Uses {
    pub(super) decides: bool,
    pub(super) allows: bool,
    pub(super) restarts: bool,
    pub(super) preview: u64,
    /// The protocol of the messages that the program processes.
    pub(super) protocol: Option<Protocol>,
}

impl<'s> Checker<'s> {
    pub(super) fn new(trees: &'s Trees, options: &'s Options) -> Self {
        // One node per expression is a good estimate of the capacity.
        let n_nodes = trees.trees.iter().map(|tree| tree.ast.iter().count()).sum();
        let mut checker = Self {
            text: &trees.text,
            trees,
            ast: &trees.trees[0].ast,
            unit: 0,
            units: Vec::new(),
            options,
            diagnostics: Complaints::default(),
            failures: Vec::new(),
            names: Vec::new(),
            by_text: HashMap::new(),
            flow: FlowState::new(0),
            searched: Vec::new(),
            searched_files: Vec::new(),
            has_lookup: false,
            n_blocks: 0,
            n_catching: 0,
            is_strict: true,
            uses: Uses { protocol: options.point.protocol(), ..Uses::default() },
            sets: HashMap::new(),
            patterns: HashMap::new(),
            patterns_size: 0,
            sets_size: 0,
            nodes: Vec::with_capacity(n_nodes),
            spans: Vec::with_capacity(n_nodes),
            types: Vec::with_capacity(n_nodes),
            traits: Vec::with_capacity(n_nodes),
            facts: Vec::with_capacity(n_nodes),
            blocks: Vec::new(),
            codes: Vec::new(),
        };
        for tree in &trees.trees {
            let unit = checker.collect(&tree.ast);
            checker.units.push(unit);
        }
        // Unit 0, the program, is checked first.
        let main = &mut checker.units[0];
        checker.by_text = std::mem::take(&mut main.by_text);
        checker.has_lookup = main.has_lookup;
        main.progress = Progress::Running;
        checker.flow = FlowState::new(checker.names.len());
        checker
    }

    /// Collects all names, since a name is visible in its whole file, and notes whether `lookup` is used.
    fn collect(&mut self, ast: &'s Ast) -> Unit<'s> {
        let mut unit = Unit::default();
        for (_, expr) in ast.iter() {
            match expr {
                Expr::Assign { name, value: _ } => {
                    self.collect_name(&name.text, name.span, &mut unit.by_text);
                }
                Expr::Name(word) | Expr::Member { member: word, .. } if &*word.text == "lookup" => {
                    unit.has_lookup = true;
                }
                _ => (),
            }
        }
        unit
    }

    fn collect_name(&mut self, text: &'s str, span: Span, by_text: &mut HashMap<&'s str, usize>) {
        if by_text.contains_key(text) {
            return;
        }
        if self.names.len() == self.options.limits.names {
            self.diagnostics.push(issues::too_many_names(span, self.options.limits.names));
        }
        if self.names.len() >= self.options.limits.names {
            return;
        }
        by_text.insert(text, self.names.len());
        self.names.push(Name {
            file: self.units.len(),
            text: text.to_owned(),
            sites: Vec::new(),
            type_: Type::Unknown,
            facts: NodeFacts::default(),
            fails: false,
            value: None,
            is_used: false,
        });
    }

    pub(super) fn finish(mut self) -> Checked {
        let main = self.statements(&self.ast.program.clone(), false);
        self.check_unused();
        let end = self.trees.end();
        let cost = self.total_cost(main);
        self.check_cost(cost);
        if self.uses.decides && !self.uses.allows {
            self.diagnostics.push(issues::no_decision(end));
        }
        let program = Program {
            nodes: self.nodes,
            spans: self.spans,
            types: self.types,
            traits: self.traits,
            blocks: self.blocks,
            main,
            names: self.names.into_iter().map(|name| name.text).collect(),
            registry: self.options.registry.clone(),
            limits: self.options.limits,
            cost,
            decides: self.uses.decides,
            is_lenient: self.options.is_lenient,
            preview: self.uses.preview,
            protocol: self.uses.protocol,
            end,
        };
        let (diagnostics, failures) = (self.diagnostics.into_diagnostics(), self.failures);
        let included = self.trees.included();
        Checked { program: Some(program), diagnostics, cost, failures, included }
    }

    fn total_cost(&self, main: BlockId) -> Cost {
        let cost = self.block_cost(main);
        let runs = if self.uses.restarts { u64::from(self.options.limits.restarts) + 1 } else { 1 };
        Cost { steps: cost.steps.saturating_mul(runs), memory: cost.memory.saturating_mul(runs) }
    }

    fn check_cost(&mut self, cost: Cost) {
        let limits = self.options.limits;
        let span = self.ast.program.first().map_or(Span::new(0, 0), |first| self.ast.span(*first));
        if cost.steps > limits.steps {
            self.diagnostics.push(issues::too_many_steps(span, cost.steps, limits.steps));
        }
        if cost.memory > limits.memory {
            self.diagnostics.push(issues::too_much_memory(span, cost.memory, limits.memory));
        }
    }

    fn check_unused(&mut self) {
        let unused = self.names.iter().filter(|name| !name.is_used && !name.sites.is_empty());
        // An imported file may define names for other programs.
        let is_exported = |name: &&Name| {
            name.file > 0 || matches!(name.type_, Type::Plain(Plain::Module(_) | Plain::File(_)))
        };
        let issues = unused
            .filter(|name| !is_exported(name))
            .map(|name| issues::unused_name(name.sites[0], &name.text));
        self.diagnostics.extend(issues.collect::<Vec<_>>());
    }

    /// Adds a node: its cost is one step more than its children's, its traits are theirs combined.
    pub(super) fn add(&mut self, node: Node, span: Span, type_: Type) -> NodeId {
        let children = node.children();
        let mut traits = Traits::default();
        let mut cost = Cost { steps: 1, memory: 0 };
        let mut depth = 1;
        for child in children {
            let own = self.traits[child.index()];
            traits.acts |= own.acts;
            traits.reads |= own.reads;
            traits.fails |= own.fails;
            cost = cost.plus(self.facts(child).cost);
            depth = depth.max(self.facts(child).depth + 1);
        }
        self.nodes.push(node);
        self.spans.push(span);
        self.types.push(type_);
        self.traits.push(traits);
        self.facts.push(NodeFacts { cost, depth, ..NodeFacts::default() });
        NodeId::new(self.nodes.len() - 1)
    }

    /// Adds a node for an expression that already has a diagnostic.
    pub(super) fn unknown(&mut self, span: Span) -> NodeId {
        self.add(Node::Nothing, span, Type::Unknown)
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub(super) fn span_of(&self, id: NodeId) -> Span {
        self.spans[id.index()]
    }

    pub(super) fn type_of(&self, id: NodeId) -> Type {
        self.types[id.index()]
    }

    pub(super) fn traits_of(&self, id: NodeId) -> Traits {
        self.traits[id.index()]
    }

    pub(super) fn traits_mut(&mut self, id: NodeId) -> &mut Traits {
        &mut self.traits[id.index()]
    }

    pub(super) fn facts(&self, id: NodeId) -> &NodeFacts {
        &self.facts[id.index()]
    }

    pub(super) fn facts_mut(&mut self, id: NodeId) -> &mut NodeFacts {
        &mut self.facts[id.index()]
    }

    pub(super) fn constant(&self, id: NodeId) -> Option<&Constant> {
        self.facts(id).constant.as_ref()
    }

    pub(super) fn add_code(&mut self, code: Code) -> usize {
        self.codes.push(code);
        self.codes.len() - 1
    }

    pub(super) fn code(&self, index: usize) -> &Code {
        &self.codes[index]
    }

    pub(super) fn add_block(&mut self, statements: Vec<NodeId>) -> BlockId {
        self.blocks.push(statements);
        BlockId::new(self.blocks.len() - 1)
    }

    pub(super) fn block_cost(&self, block: BlockId) -> Cost {
        let statements = self.blocks[block.index()].iter();
        statements.fold(Cost { steps: 1, memory: 0 }, |cost, id| cost.plus(self.facts(*id).cost))
    }

    pub(super) fn block_depth(&self, block: BlockId) -> u32 {
        let statements = self.blocks[block.index()].iter();
        statements.map(|id| self.facts(*id).depth + 1).max().unwrap_or(1)
    }

    pub(super) fn block_fails(&self, block: BlockId) -> bool {
        self.blocks[block.index()].iter().any(|id| self.traits[id.index()].fails)
    }

    /// Marks a node that may fail by itself; records the failure if nothing catches it.
    pub(super) fn may_fail(&mut self, id: NodeId, when: &str) {
        self.traits[id.index()].fails = true;
        if self.n_catching == 0 && !self.flow.ends {
            self.failures.push(Failure { span: self.spans[id.index()], when: when.to_owned() });
        }
    }

    /// Iterates over all modules that can be imported.
    pub(super) fn modules(&self) -> impl Iterator<Item = &'static Module> + use<'s> {
        crate::modules::ALL.iter().chain(&self.options.modules).copied()
    }
}

impl Cost {
    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            steps: self.steps.saturating_add(other.steps),
            memory: self.memory.saturating_add(other.memory),
        }
    }

    pub(super) fn max(self, other: Self) -> Self {
        Self { steps: self.steps.max(other.steps), memory: self.memory.max(other.memory) }
    }
}
