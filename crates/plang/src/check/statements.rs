//! Statements and blocks.

use std::collections::HashMap;

use kukla_base::Span;

use super::build::{Checker, Code, NodeFacts};
use super::flow::FlowState;
use crate::ast::{Expr, ExprId, LogicOp, Word};
use crate::dump;
use crate::issues;
use crate::program::{BlockId, Cost, Node, NodeId, Slot};
use crate::types::{Plain, Type};

/// A value nested deeper than this is computed when it is assigned.
const DEEP: u32 = 64;

impl Checker<'_> {
    /// Checks statements in order. With `with_value`, the last statement is the value of the block.
    pub(super) fn statements(&mut self, statements: &[ExprId], with_value: bool) -> BlockId {
        let mut nodes = Vec::with_capacity(statements.len());
        let mut decided: HashMap<String, Span> = HashMap::new();
        let mut ended: Option<Span> = None;
        for (index, &id) in statements.iter().enumerate() {
            // The program can't run, and the list drops further errors.
            if self.diagnostics.is_full() {
                break;
            }
            let span = self.ast.span(id);
            if let Some(because) = ended.take() {
                self.diagnostics.push(issues::unreachable(span, because));
            }
            let did_end = self.flow.ends;
            if self.n_blocks == 0 {
                nodes.extend(self.include(id));
            }
            self.check_decided(id, &decided);
            let node = self.statement(id, with_value && index + 1 == statements.len());
            if self.flow.ends && !did_end {
                ended = Some(span);
            }
            self.remember_decided(id, node, &mut decided);
            nodes.push(node);
        }
        self.add_block(nodes)
    }

    fn statement(&mut self, id: ExprId, is_value: bool) -> NodeId {
        let span = self.ast.span(id);
        self.is_strict = true;
        match &self.ast[id] {
            Expr::If { arms, otherwise } => self.if_statement(span, arms, *otherwise),
            Expr::Assign { name, value } => self.assignment(span, name, *value),
            Expr::Error => self.unknown(span),
            _ => self.expression_statement(id, is_value),
        }
    }

    fn expression_statement(&mut self, id: ExprId, is_value: bool) -> NodeId {
        let node = self.run_operand(id);
        let (type_, traits) = (self.type_of(node), self.traits_of(node));
        if let Type::Function = type_ {
            self.diagnostics.push(issues::useless_statement(self.ast.span(id), true));
        } else if !traits.acts && !traits.fails && !is_value && self.is_useless(node) {
            self.diagnostics.push(issues::useless_statement(self.ast.span(id), false));
        }
        self.lint_swallowed(id, node);
        node
    }

    /// Whether a pure statement is neither import, lookup nor error.
    fn is_useless(&self, node: NodeId) -> bool {
        let is_import = matches!(
            self.type_of(node),
            Type::Unknown | Type::Plain(Plain::Module(_) | Plain::File(_))
        );
        !is_import && !matches!(self.node(node), Node::Nothing)
    }

    /// Warns of `{…} or {…};` as a statement: if all blocks fail, the failure goes unnoticed.
    fn lint_swallowed(&mut self, id: ExprId, node: NodeId) {
        if let Node::Logic { op: LogicOp::Or, operands } = self.node(node)
            && let Some(last) = operands.last()
            && matches!(self.node(*last), Node::Completes(_))
        {
            self.diagnostics.push(issues::swallowed_failure(self.ast.span(id)));
        }
    }

    fn if_statement(
        &mut self,
        span: Span,
        arms: &[(ExprId, ExprId)],
        otherwise: Option<ExprId>,
    ) -> NodeId {
        let mut out: Option<FlowState> = None;
        let mut meet = |flow: FlowState| {
            out = Some(match out.take() {
                Some(before) => before.join(flow),
                None => flow,
            });
        };
        let mut nodes = Vec::new();
        let (mut costs, mut worst) = (Cost::default(), Cost::default());
        let (mut fails, mut seen, mut depth) = (false, HashMap::new(), 0);
        for (index, (condition, block)) in arms.iter().enumerate() {
            self.is_strict = index == 0;
            self.check_arm(*condition, &mut seen);
            let test = self.condition(*condition);
            costs = costs.plus(self.facts(test).cost);
            fails |= self.traits_of(test).fails;
            let before = self.flow.clone();
            let body = self.inline_block(*block, false);
            worst = worst.max(self.block_cost(body));
            depth = depth.max(self.block_depth(body));
            fails |= self.block_fails(body);
            meet(std::mem::replace(&mut self.flow, before));
            nodes.push((test, body));
        }
        let otherwise = otherwise.map(|block| self.inline_block(block, false));
        if let Some(body) = otherwise {
            worst = worst.max(self.block_cost(body));
            depth = depth.max(self.block_depth(body));
            fails |= self.block_fails(body);
        }
        meet(self.flow.clone());
        if let Some(out) = out {
            self.flow = out;
        }
        let node = self.add(Node::If { arms: nodes.into(), otherwise }, span, Type::NOTHING);
        self.traits_mut(node).acts = true;
        self.traits_mut(node).fails = fails;
        let depth = self.facts(node).depth.max(depth + 1);
        let facts = self.facts_mut(node);
        facts.cost = Cost { steps: 1, memory: 0 }.plus(costs).plus(worst);
        facts.depth = depth;
        node
    }

    fn condition(&mut self, id: ExprId) -> NodeId {
        let node = self.boolean_operand(id, "the condition");
        if let Some(value) = self.constant(node).and_then(|constant| constant.boolean()) {
            self.diagnostics.push(issues::constant_condition(self.ast.span(id), value));
        }
        node
    }

    /// Checks statements that run in place.
    pub(super) fn inline_block(&mut self, id: ExprId, with_value: bool) -> BlockId {
        let was_strict = self.is_strict;
        self.n_blocks += 1;
        let block = match &self.ast[id] {
            Expr::Block(statements) => self.statements(statements, with_value),
            // The parser only puts blocks here; anything else has a diagnostic.
            _ => self.add_block(Vec::new()),
        };
        self.n_blocks -= 1;
        self.is_strict = was_strict;
        block
    }

    /// Checks a block that runs later, if at all.
    pub(super) fn block_value(&mut self, id: ExprId) -> NodeId {
        let before = self.flow.clone();
        let n_catching = self.n_catching;
        self.n_catching += 1;
        let block = self.inline_block(id, true);
        self.n_catching = n_catching;
        let after = std::mem::replace(&mut self.flow, before);
        // Assigning a name again that the block assigns would be a double assignment.
        self.flow.maybe = self.flow.maybe.or(&after.maybe);
        let code = Code {
            assigns: after.definite,
            ends: after.ends,
            fails: self.block_fails(block),
            cost: self.block_cost(block),
            depth: self.block_depth(block),
        };
        self.block_node(id, block, code)
    }

    /// Adds the node of a block and its properties.
    pub(super) fn block_node(&mut self, id: ExprId, block: BlockId, code: Code) -> NodeId {
        let value = self.block_type(block, code.ends);
        let node = self.add(Node::Block(block), self.ast.span(id), Type::Code(value));
        let code = self.add_code(code);
        self.facts_mut(node).code = Some(code);
        node
    }

    /// Returns the type of a block's value, which is that of its last statement.
    fn block_type(&self, block: BlockId, ends: bool) -> Plain {
        let last = self.blocks[block.index()].last().map(|last| self.type_of(*last));
        match last {
            _ if ends => Plain::Never,
            Some(Type::Plain(plain)) => plain,
            Some(Type::Code(_) | Type::Function | Type::Unknown) | None => Plain::Nothing,
        }
    }

    fn assignment(&mut self, span: Span, word: &Word, value: ExprId) -> NodeId {
        self.is_strict = false;
        let n_failures = self.failures.len();
        let value = self.expression(value);
        // Failures of a lazy value are listed where the name is used.
        if !self.traits_of(value).acts {
            self.failures.truncate(n_failures);
        }
        let Some(&name) = self.by_text.get(&*word.text) else { return self.unknown(span) };
        self.check_value(value, &word.text);
        self.assign(name, word, value);
        // Limits the depth of chains of names that stand for names.
        let is_deep = self.facts(value).depth > DEEP && !self.traits_of(value).acts;
        if is_deep || self.traits_of(value).acts {
            self.names[name].facts.depth = 0;
        }
        let node = Node::Assign { slot: Slot::new(name), value, settles: is_deep };
        let node = self.add(node, span, Type::NOTHING);
        if !self.traits_of(value).acts {
            // The failure is raised where the name is used.
            self.traits_mut(node).fails = false;
        }
        self.traits_mut(node).acts = true;
        node
    }

    fn check_value(&mut self, value: NodeId, name: &str) {
        let issue = match self.type_of(value) {
            Type::Plain(Plain::Nothing | Plain::Never) => {
                issues::no_value(self.span_of(value), &format!("what `{name}` is to stand for"))
            }
            Type::Function => {
                let words = format!("what `{name}` is to stand for");
                issues::wrong_type(self.span_of(value), "value", Type::Function, &words)
            }
            Type::Plain(_) | Type::Code(_) | Type::Unknown => return,
        };
        self.diagnostics.push(issue);
    }

    fn assign(&mut self, name: usize, word: &Word, value: NodeId) {
        if self.flow.maybe.has(name)
            && let Some(first) = self.names[name].sites.last()
        {
            self.diagnostics.push(issues::double_assignment(word.span, &word.text, *first));
        }
        self.flow.definite.add(name);
        self.flow.maybe.add(name);
        let (type_, facts) = (self.type_of(value), self.facts(value).clone());
        let fails = self.traits_of(value).fails && !self.traits_of(value).acts;
        self.lint_shadowing(name, word, type_);
        self.merge_site(name, word, type_, facts, fails, value);
    }

    fn merge_site(
        &mut self,
        name: usize,
        word: &Word,
        type_: Type,
        facts: NodeFacts,
        fails: bool,
        value: NodeId,
    ) {
        let code = self.join_codes(self.names[name].facts.code, facts.code);
        let target = &mut self.names[name];
        if target.sites.is_empty() {
            (target.type_, target.facts, target.value) = (type_, facts, Some(value));
        } else {
            let (old, first) = (target.type_, target.sites[0]);
            target.value = None;
            target.facts.size = target.facts.size.max(facts.size);
            target.facts.depth = target.facts.depth.max(facts.depth);
            if target.facts.constant != facts.constant {
                target.facts.constant = None;
            }
            target.facts.code = code;
            match joined(old, type_) {
                Some(type_) => target.type_ = type_,
                None => {
                    let issue = issues::different_types(word.span, &word.text, type_, old, first);
                    self.diagnostics.push(issue);
                }
            }
        }
        let target = &mut self.names[name];
        target.fails |= fails;
        target.sites.push(word.span);
    }

    /// Returns the common properties of two alternative blocks.
    fn join_codes(&mut self, one: Option<usize>, other: Option<usize>) -> Option<usize> {
        let (one, other) = (self.code(one?).clone(), self.code(other?).clone());
        let code = Code {
            assigns: one.assigns.and(&other.assigns),
            ends: one.ends && other.ends,
            fails: one.fails || other.fails,
            cost: one.cost.max(other.cost),
            depth: one.depth.max(other.depth),
        };
        Some(self.add_code(code))
    }

    /// Warns if a condition of an `if` repeats that of an earlier arm, so that its arm is unreachable.
    fn check_arm(&mut self, condition: ExprId, seen: &mut HashMap<String, Span>) {
        if let Some(first) = self.implied(condition, seen) {
            let span = self.ast.span(condition);
            self.diagnostics.push(issues::duplicate_condition(span, first));
        }
        self.remember(condition, seen);
    }

    /// Warns if an earlier statement already ended the program under this condition.
    fn check_decided(&mut self, id: ExprId, decided: &HashMap<String, Span>) {
        if decided.is_empty() {
            return;
        }
        let Expr::If { arms, otherwise: _ } = &self.ast[id] else { return };
        for (condition, _) in arms {
            if let Some(first) = self.implied(*condition, decided) {
                let span = self.ast.span(*condition);
                self.diagnostics.push(issues::decided_before(span, first));
            }
        }
    }

    fn remember_decided(&mut self, id: ExprId, node: NodeId, decided: &mut HashMap<String, Span>) {
        // An effect may make a condition true that was false before.
        let Expr::If { arms, otherwise: None } = &self.ast[id] else {
            if self.traits_of(node).acts && !matches!(self.node(node), Node::Assign { .. }) {
                decided.clear();
            }
            return;
        };
        let [(condition, block)] = arms.as_slice() else {
            decided.clear();
            return;
        };
        if self.always_ends(*block) {
            self.remember(*condition, decided);
        } else {
            decided.clear();
        }
    }

    /// Whether a block's last statement is a call that ends the program.
    fn always_ends(&self, block: ExprId) -> bool {
        let Expr::Block(statements) = &self.ast[block] else { return false };
        let Some(last) = statements.last() else { return false };
        let Expr::Call { callee, args: _ } = &self.ast[*last] else { return false };
        let Expr::Member { object, member } = &self.ast[*callee] else { return false };
        let is_access = matches!(&self.ast[*object], Expr::Name(word) if &*word.text == "Access");
        is_access && matches!(&*member.text, "allow" | "deny" | "challenge")
    }

    /// Returns the earlier condition that this condition implies, if there is one.
    fn implied(&self, condition: ExprId, seen: &HashMap<String, Span>) -> Option<Span> {
        if seen.is_empty() {
            return None;
        }
        let own = seen.get(&dump::node(self.ast, condition)).copied();
        let parts = match &self.ast[condition] {
            Expr::Logic { op: LogicOp::And, operands } => operands.as_slice(),
            _ => &[],
        };
        own.or_else(|| {
            parts.iter().find_map(|part| seen.get(&dump::node(self.ast, *part)).copied())
        })
    }

    fn remember(&self, condition: ExprId, seen: &mut HashMap<String, Span>) {
        let span = self.ast.span(condition);
        let parts = match &self.ast[condition] {
            Expr::Logic { op: LogicOp::Or, operands } => operands.as_slice(),
            _ => &[],
        };
        for part in parts.iter().chain([&condition]) {
            seen.entry(dump::node(self.ast, *part)).or_insert(span);
        }
    }
}

/// Returns the type of a name that is assigned in several arms.
fn joined(one: Type, other: Type) -> Option<Type> {
    match (one, other) {
        (Type::Unknown, type_) | (type_, Type::Unknown) => Some(type_),
        (Type::Code(Plain::Never), Type::Code(value))
        | (Type::Code(value), Type::Code(Plain::Never)) => Some(Type::Code(value)),
        (Type::Code(one), Type::Code(other)) if one != other => Some(Type::Code(Plain::Nothing)),
        (one, other) => (one == other).then_some(one),
    }
}
