//! Evaluation of expressions.
//!
//! [`Interpreter::eval`] evaluates every kind of node; the files beside it have one subject each.

use kukla_base::cancel;
use kukla_pcore::elements::{Elements, MAX_TEXT};
use kukla_pcore::interpolate::write_text;
use kukla_pcore::value::Rare;
use kukla_pcore::{Hash, Value};
use kukla_syntax::ast::{BinaryOp, Expr, ExprId, ExprList, Text, UnaryOp};
use kukla_syntax::{Options, produced_text_fault};
use smallvec::SmallVec;

use super::scope::{Lookup, Scopes};
use super::table::Variable;
use super::{CatalogHost, Interpreter, collections, text};
use crate::program::NodeInfo;
use crate::{Eval, Fault, Located, Logged, Program, Stop, fault, issues};

/// Values of a list or of a call; few of them need no allocation.
pub(crate) type Values = SmallVec<[Value; 4]>;

/// How many levels of nesting share a look at the stack.
const LEVELS: u32 = 16;
/// The stack that so many levels may need, and what is added when it is not there.
const RED_ZONE: usize = 256 << 10;
const STACK: usize = 2 << 20;

/// The capacity that the buffer of interpolated texts keeps.
const LARGE_BUFFER: usize = 1 << 20;

impl<C: CatalogHost> Interpreter<C> {
    /// The value of an expression.
    pub(crate) fn eval(&mut self, program: &Program, id: ExprId) -> Eval<Value> {
        let mut value = Value::Undef;
        self.eval_into(program, id, &mut value)?;
        Ok(value)
    }

    /// Evaluates `id` into `out`, which must be `undef`: no level moves the value of 24 bytes.
    ///
    /// On error the content of `out` is unspecified.
    pub(crate) fn eval_into(&mut self, program: &Program, id: ExprId, out: &mut Value) -> Eval<()> {
        match program.node_info(id) {
            NodeInfo::Constant(value) => value.copy_to(out),
            NodeInfo::Parameter { name, number, is_last_use } => {
                return self.parameter(program, id, (*name, *number), *is_last_use, out);
            }
            NodeInfo::Variable(variable) => return self.variable(program, id, *variable, out),
            NodeInfo::Same(inner) => return self.eval_into(program, *inner, out),
            NodeInfo::Text(text) => self.render_text(text),
            NodeInfo::Literal(value) => value.new_copy_to(out),
            _ => return self.eval_nested(program, id, out),
        }
        Ok(())
    }

    /// Evaluates a node that has others in it.
    pub(super) fn eval_nested(
        &mut self,
        program: &Program,
        id: ExprId,
        out: &mut Value,
    ) -> Eval<()> {
        self.step()?;
        self.nesting += 1;
        // The stack is looked at now and then only: it has room for some levels more.
        let result = match self.nesting.is_multiple_of(LEVELS) && !has_stack() {
            false => self.eval_node(program, id, out),
            true => self.eval_elsewhere(program, id, out),
        };
        self.nesting -= 1;
        match result {
            Ok(()) => Ok(()),
            Err(stop) => Err(issues::locate(stop, program, id)),
        }
    }

    /// Evaluates a node on a new stack.
    #[cold]
    fn eval_elsewhere(&mut self, program: &Program, id: ExprId, out: &mut Value) -> Eval<()> {
        stacker::grow(STACK, || self.eval_nested(program, id, out))
    }

    /// Whether one more level needs neither a look at the stack nor at the limit of steps.
    #[inline]
    pub(super) fn has_room(&self) -> bool {
        !(self.nesting + 1).is_multiple_of(LEVELS) && self.steps < self.pause_at
    }

    /// Counts a step.
    #[inline]
    pub(super) fn step(&mut self) -> Eval<()> {
        self.steps += 1;
        match self.steps > self.pause_at {
            true => self.pause(),
            false => Ok(()),
        }
    }

    /// Looks at the limit of steps and whether the compilation is to stop, once in a thousand steps.
    #[cold]
    fn pause(&mut self) -> Eval<()> {
        if self.steps > self.limits.steps {
            return Err(too_many_steps(self.limits.steps));
        }
        if let Some(reason) = cancel::requested() {
            return Err(Stop::final_fault(issues::cancelled(&reason)));
        }
        self.pause_at = self.limits.steps.min(self.steps + cancel::STEPS_BETWEEN);
        Ok(())
    }

    #[inline(always)]
    fn eval_node(&mut self, program: &Program, id: ExprId, out: &mut Value) -> Eval<()> {
        let ast = program.ast();
        match ast[id] {
            Expr::Unary { op, expr } => self.unary(program, id, op, expr, out),
            Expr::Binary { op, left, right } => self.binary(program, id, op, left, right, out),
            Expr::Access { left, keys } => self.access(program, id, left, keys, out),
            Expr::List(values) => self.list(program, id, values, out),
            Expr::Hash(entries) => self.hash(program, id, entries, out),
            Expr::Block(statements) => self.block(program, statements, out),
            Expr::Case { test, options } => self.case(program, test, options, out),
            Expr::Selector { left, selectors } => self.selector(program, left, selectors, out),
            Expr::If { test, then, otherwise } => self.if_(program, test, then, otherwise, out),
            Expr::Unless { test, then, otherwise } => self.if_(program, test, otherwise, then, out),
            Expr::Call { functor, arguments, lambda, .. } => {
                self.call(program, id, functor, arguments, lambda, out)
            }
            Expr::Concat(segments) => self.concat(program, segments, out),
            _ => {
                out.put(self.eval_rare(program, id)?);
                Ok(())
            }
        }
    }

    /// Kinds of nodes that are seldom met.
    #[inline(never)]
    fn eval_rare(&mut self, program: &Program, id: ExprId) -> Eval<Value> {
        let ast = program.ast();
        match ast[id] {
            Expr::Heredoc { text, syntax } => self.heredoc(program, text, syntax),
            Expr::Variable(_) => self.special_variable(program, id),
            Expr::QualifiedReference(_) => self.qualified_reference(program, id),
            Expr::Epp { body, .. } => self.template(program, body),
            Expr::Resource { .. }
            | Expr::ResourceDefaults { .. }
            | Expr::ResourceOverride { .. }
            | Expr::Collect { .. } => C::expression(self, program, id),
            // Definitions are made known before anything is evaluated.
            Expr::Named(_)
            | Expr::Node { .. }
            | Expr::TypeAlias { .. }
            | Expr::TypeMapping { .. }
            | Expr::TypeDefinition(_) => Ok(Value::Undef),
            Expr::ReservedWord(word) => {
                issues::at(program, id, issues::reserved_word(ast.text(word)))
            }
            _ => issues::at(program, id, issues::not_supported(ast, id)),
        }
    }

    #[inline(never)]
    fn unary(
        &mut self,
        program: &Program,
        id: ExprId,
        op: UnaryOp,
        expr: ExprId,
        out: &mut Value,
    ) -> Eval<()> {
        match op {
            UnaryOp::Paren => return self.eval_into(program, expr, out),
            UnaryOp::Not => {
                out.put(Value::Boolean(!self.is_true(program, expr)?));
                return Ok(());
            }
            UnaryOp::Render => return self.render_value(program, expr),
            UnaryOp::Minus | UnaryOp::Unfold | UnaryOp::Text => (),
        }
        let value = self.eval(program, expr)?;
        out.put(match op {
            UnaryOp::Minus => self.negate(program, id, &value)?,
            UnaryOp::Unfold => Value::array_of(unfolded(value)?),
            _ => Value::String(text::of(&value)),
        });
        Ok(())
    }

    #[inline]
    fn binary(
        &mut self,
        program: &Program,
        id: ExprId,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        out: &mut Value,
    ) -> Eval<()> {
        let holds = match op {
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Modulo
            | BinaryOp::LeftShift
            | BinaryOp::RightShift => return self.arithmetic(program, id, op, left, right, out),
            BinaryOp::Assign(_) => return self.assignment(program, id, left, right, out),
            BinaryOp::And => self.is_true(program, left)? && self.is_true(program, right)?,
            BinaryOp::Or => self.is_true(program, left)? || self.is_true(program, right)?,
            BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual => self.comparison(program, id, op, left, right)?,
            BinaryOp::Match => self.matching(program, left, right)?,
            BinaryOp::NoMatch => !self.matching(program, left, right)?,
            BinaryOp::In => self.is_in(program, left, right)?,
            BinaryOp::Before | BinaryOp::Require | BinaryOp::Notify | BinaryOp::Subscribe => {
                out.put(C::relationship(self, program, (id, op), left, right)?);
                return Ok(());
            }
        };
        out.put(Value::Boolean(holds));
        Ok(())
    }

    /// Whether the value of a condition counts as true; what compares has no need for a value.
    pub(super) fn is_true(&mut self, program: &Program, id: ExprId) -> Eval<bool> {
        if let Some(value) = peek(&self.scopes, program, id) {
            return Ok(value.is_truthy());
        }
        if let Expr::Binary { op, left, right } = program.ast()[id]
            && is_comparison(op)
        {
            // Its operands count as steps, and their nesting is looked at.
            let result = self.comparison(program, id, op, left, right);
            return result.map_err(|stop| issues::locate(stop, program, id));
        }
        let mut value = Value::Undef;
        self.eval_into(program, id, &mut value)?;
        let is_true = value.is_truthy();
        value.discard();
        Ok(is_true)
    }

    /// The value of the last statement.
    #[inline(never)]
    fn block(&mut self, program: &Program, statements: ExprList, out: &mut Value) -> Eval<()> {
        let Some((&last, others)) = program.ast().list(statements).split_last() else {
            return Ok(());
        };
        for &statement in others {
            let mut value = Value::Undef;
            self.eval_into(program, statement, &mut value)?;
            value.discard();
        }
        self.eval_into(program, last, out)
    }

    #[inline(never)]
    fn list(
        &mut self,
        program: &Program,
        id: ExprId,
        values: ExprList,
        out: &mut Value,
    ) -> Eval<()> {
        if let NodeInfo::Plain = program.node_info(id) {
            let ids = program.ast().list(values);
            let make = |n: usize, place: &mut Value| self.eval_into(program, ids[n], place);
            out.put(Value::array_made(ids.len(), make)?);
            return Ok(());
        }
        let mut list = Values::new();
        self.unfold(program, values, &mut list)?;
        out.put(Value::array(list));
        Ok(())
    }

    #[inline(never)]
    fn hash(
        &mut self,
        program: &Program,
        id: ExprId,
        entries: ExprList,
        out: &mut Value,
    ) -> Eval<()> {
        let NodeInfo::KeysDiffer { room } = *program.node_info(id) else {
            let mut hash = Hash::with_capacity(entries.len());
            self.add_entries(program, entries, &mut hash)?;
            out.put(Value::hash(hash));
            return Ok(());
        };
        let ast = program.ast();
        let list = ast.list(entries);
        let key = |&entry: &ExprId| match ast[entry] {
            Expr::KeyedEntry { key, .. } => program.constant(key).unwrap_or(&Value::Undef),
            _ => &Value::Undef,
        };
        let mut hash = Hash::with_keys(list.iter().map(key), room as usize);
        for (n, &entry) in list.iter().enumerate() {
            if let (Expr::KeyedEntry { value, .. }, Some(place)) = (&ast[entry], hash.value_mut(n))
            {
                self.eval_into(program, *value, place)?;
            }
        }
        out.put(Value::hash(hash));
        Ok(())
    }

    /// Adds the entries of a literal to a hash, which is then what it would be if the literal were merged into it.
    pub(super) fn add_entries(
        &mut self,
        program: &Program,
        entries: ExprList,
        hash: &mut Hash,
    ) -> Eval<()> {
        let ast = program.ast();
        for &entry in ast.list(entries) {
            let Expr::KeyedEntry { key, value } = ast[entry] else { continue };
            let place = match program.node_info(key) {
                NodeInfo::Constant(key) => hash.empty_place_of(key),
                _ => hash.empty_place(self.eval(program, key)?),
            };
            self.eval_into(program, value, place)?;
        }
        Ok(())
    }

    /// The values of a list, `*` replaced by what it unfolds to.
    pub(super) fn unfold(
        &mut self,
        program: &Program,
        list: ExprList,
        values: &mut Values,
    ) -> Eval<()> {
        for &id in program.ast().list(list) {
            self.unfold_one(program, id, values)?;
        }
        Ok(())
    }

    /// The value of a node, or what it unfolds to.
    pub(super) fn unfold_one(
        &mut self,
        program: &Program,
        id: ExprId,
        values: &mut Values,
    ) -> Eval<()> {
        match program.ast()[unwind(program, id)] {
            Expr::Unary { op: UnaryOp::Unfold, expr } => {
                let more = unfolded(self.eval(program, expr)?)?;
                collections::check_room(values.len() + more.len())?;
                values.extend(more);
                Ok(())
            }
            _ => self.eval_onto(program, id, values),
        }
    }

    /// The value of a node, at the end of others.
    #[inline]
    pub(super) fn eval_onto(
        &mut self,
        program: &Program,
        id: ExprId,
        values: &mut Values,
    ) -> Eval<()> {
        values.push(Value::Undef);
        match values.last_mut() {
            Some(place) => self.eval_into(program, id, place),
            None => Ok(()),
        }
    }

    /// `"text ${value} text"`
    ///
    /// All strings that are being built lie in one buffer, one behind the other.
    #[inline(never)]
    fn concat(&mut self, program: &Program, segments: ExprList, out: &mut Value) -> Eval<()> {
        if !self.byte_texts.is_empty() {
            return self.concat_bytes(program, segments).map(|value| out.put(value));
        }
        let start = self.build(program, segments)?;
        out.put(Value::from(&self.buffer[start..]));
        self.buffer.truncate(start);
        if self.buffer.capacity() > LARGE_BUFFER {
            self.buffer.shrink_to(LARGE_BUFFER);
        }
        Ok(())
    }

    /// Appends the text to the buffer, and returns where it begins: the caller truncates the buffer there.
    pub(super) fn build(&mut self, program: &Program, segments: ExprList) -> Eval<usize> {
        let start = self.buffer.len();
        for &segment in program.ast().list(segments) {
            if let Err(stop) = self.write_segment(program, segment) {
                self.buffer.truncate(start);
                return Err(stop);
            }
            if self.buffer.len() > MAX_TEXT || !cancel::room(0) {
                self.buffer = String::new();
                return fault(issues::too_large());
            }
        }
        Ok(start)
    }

    fn write_segment(&mut self, program: &Program, segment: ExprId) -> Eval<()> {
        let segment = match program.ast()[segment] {
            Expr::Unary { op: UnaryOp::Text, expr } => expr,
            _ => segment,
        };
        match peek(&self.scopes, program, segment) {
            Some(value) => write_text(value, &mut self.buffer),
            None => {
                let mut value = Value::Undef;
                self.eval_into(program, segment, &mut value)?;
                write_text(&value, &mut self.buffer);
            }
        }
        Ok(())
    }

    /// `@("END":syntax)`: what was produced must be of that syntax.
    fn heredoc(&mut self, program: &Program, text: ExprId, syntax: Text) -> Eval<Value> {
        let value = self.eval(program, text)?;
        let ast = program.ast();
        // Literal text was checked when the program was validated.
        if let (Value::String(produced), false) = (&value, matches!(ast[text], Expr::String(_))) {
            let (strict, edition) = (self.strictness.strict, self.strictness.editions.puppet);
            let options = Options { strict, edition, ..Options::default() };
            if let Some((code, message)) = produced_text_fault(produced, ast.text(syntax), &options)
            {
                let issue = issues::produced_text(code, message);
                let fault = Fault::new(issue, Located::At(program.place(text), Logged::Beside));
                return Err(fault.underlined(program.source_span(text)).into());
            }
        }
        Ok(value)
    }
}

const fn is_comparison(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual
    )
}

/// Runs something that needs as much stack as an expression, on a larger one if needed.
pub(crate) fn with_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RED_ZONE, STACK, work)
}

/// Whether some levels more have room on the stack.
pub(super) fn has_stack() -> bool {
    stacker::remaining_stack().is_some_and(|rest| rest >= RED_ZONE)
}

#[cold]
fn too_many_steps(limit: u64) -> Box<Stop> {
    Stop::final_fault(issues::too_many_steps(limit))
}

/// Borrows the value of a constant or variable.
#[inline]
pub(super) fn peek<'a>(scopes: &'a Scopes, program: &'a Program, id: ExprId) -> Option<&'a Value> {
    match program.node_info(id) {
        NodeInfo::Constant(value) => Some(value),
        NodeInfo::Parameter { name, number, .. } => match scopes.parameter(*number, *name) {
            None => peek_variable(scopes, Variable::new(*name)),
            found => found,
        },
        NodeInfo::Variable(variable) => peek_variable(scopes, *variable),
        NodeInfo::Same(inner) => peek(scopes, program, *inner),
        _ => None,
    }
}

#[inline(never)]
pub(super) fn peek_variable(scopes: &Scopes, variable: Variable) -> Option<&Value> {
    match scopes.get(variable) {
        Lookup::Found(value) => Some(value),
        Lookup::Unset(_) | Lookup::Missing => None,
    }
}

/// The expression inside of parentheses.
pub(crate) fn unwind(program: &Program, mut id: ExprId) -> ExprId {
    while let Expr::Unary { op: UnaryOp::Paren, expr } = program.ast()[id] {
        id = expr;
    }
    id
}

/// The elements that `*value` stands for.
pub(super) fn unfolded(value: Value) -> Eval<Vec<Value>> {
    match value {
        Value::Undef => Ok(Vec::new()),
        Value::Array(values) => {
            collections::check_room(values.len())?;
            Ok(values.into_iter().collect())
        }
        Value::Hash(hash) => Ok(collections::pairs(&hash).collect()),
        Value::Rare(ref rare) if matches!(**rare, Rare::Iterator(_)) => {
            Ok(Elements::all_of(&value).into_iter().flatten().collect())
        }
        other => Ok(vec![other]),
    }
}
