//! Expressions.
//!
//! [`Evaluator::eval`] says what every kind of node is worth; the files beside it have one subject each.

mod access;
mod arithmetic;
mod assignment;
mod calls;
mod closures;
mod collections;
mod conditions;
mod epp;
mod matches;
mod members;
mod templates;
mod times;
mod types;
mod variables;

pub use epp::Template;
pub(crate) use templates::Rendered;

use kukla_pcore::elements::Elements;
use kukla_pcore::text::write_text;
use kukla_pcore::value::Rare;
use kukla_pcore::{Hash, Value};
use kukla_syntax::ast::{BinaryOp, Expr, ExprId, ExprList, Text, UnaryOp};
use kukla_syntax::{Options, produced_text_fault};

use smallvec::SmallVec;

use crate::program::Prepared;
use crate::scope::{Lookup, Scopes};
use crate::{Eval, Evaluator, Program, Stop, issues, text};

/// Values of a list or of a call; few of them need no allocation.
pub(crate) type Values = SmallVec<[Value; 4]>;

/// How many levels of nesting share a look at the stack.
const LEVELS: u32 = 16;
/// The stack that so many levels may need, and what is added when it is not there.
const RED_ZONE: usize = 256 << 10;
const STACK: usize = 2 << 20;

impl Evaluator {
    /// The value of an expression.
    pub(crate) fn eval(&mut self, program: &Program, id: ExprId) -> Eval<Value> {
        match program.prepared(id) {
            Prepared::Constant(value) => return Ok(value.clone()),
            Prepared::LastUse(name) => return self.last_use(program, id, *name),
            Prepared::Variable(name) => return self.variable(program, id, *name),
            _ => (),
        }
        self.steps += 1;
        if self.steps > self.limits.steps {
            return Err(Stop::final_fault(issues::too_many_steps(self.limits.steps)));
        }
        // The stack is looked at now and then only: it has room for some levels more.
        self.nesting += 1;
        let result = match self.nesting % LEVELS {
            0 => stacker::maybe_grow(RED_ZONE, STACK, || self.eval_node(program, id)),
            _ => self.eval_node(program, id),
        };
        self.nesting -= 1;
        result.map_err(|stop| issues::locate(stop, program, id))
    }

    fn eval_node(&mut self, program: &Program, id: ExprId) -> Eval<Value> {
        let ast = program.ast();
        match ast[id] {
            Expr::Unary { op, expr } => self.unary(program, id, op, expr),
            Expr::Binary { op, left, right } => self.binary(program, id, op, left, right),
            Expr::Access { left, keys } => self.access(program, id, left, keys),
            Expr::List(values) => {
                let mut list = Values::new();
                self.unfold(program, values, &mut list)?;
                Ok(Value::array(list))
            }
            Expr::Hash(entries) => self.hash(program, entries),
            Expr::Block(statements) => self.block(program, statements),
            Expr::Case { test, options } => self.case(program, test, options),
            Expr::Selector { left, selectors } => self.selector(program, left, selectors),
            Expr::If { test, then, otherwise } => self.if_(program, test, then, otherwise),
            Expr::Unless { test, then, otherwise } => self.if_(program, test, otherwise, then),
            Expr::Call { functor, arguments, lambda, .. } => {
                self.call(program, id, functor, arguments, lambda)
            }
            Expr::Concat(segments) => self.concat(program, segments),
            Expr::Heredoc { text, syntax } => self.heredoc(program, text, syntax),
            Expr::Variable(_) => self.special_variable(program, id),
            Expr::QualifiedReference(_) => self.qualified_reference(program, id),
            Expr::Epp { body, .. } => self.template(program, body),
            Expr::RenderString(_) => self.render_text(program, id),
            // Definitions are made known before anything is evaluated.
            Expr::Named(_)
            | Expr::Node { .. }
            | Expr::TypeAlias { .. }
            | Expr::TypeMapping { .. }
            | Expr::TypeDefinition(_) => Ok(Value::Undef),
            Expr::ReservedWord(word) => {
                issues::at(program, id, &issues::reserved_word(ast.text(word)))
            }
            _ => issues::at(program, id, &issues::not_supported(ast, id)),
        }
    }

    fn unary(&mut self, program: &Program, id: ExprId, op: UnaryOp, expr: ExprId) -> Eval<Value> {
        let value = self.eval(program, expr)?;
        match op {
            UnaryOp::Paren => Ok(value),
            UnaryOp::Not => Ok(Value::Boolean(!value.is_truthy())),
            UnaryOp::Minus => self.negate(program, id, &value),
            UnaryOp::Unfold => Ok(Value::array(unfolded(value)?)),
            UnaryOp::Text => Ok(Value::String(text::of(&value))),
            UnaryOp::Render => self.render_value(&value),
        }
    }

    fn binary(
        &mut self,
        program: &Program,
        id: ExprId,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    ) -> Eval<Value> {
        match op {
            BinaryOp::Assign(_) => self.assignment(program, id, left, right),
            BinaryOp::And => {
                let both = self.is_true(program, left)? && self.is_true(program, right)?;
                Ok(Value::Boolean(both))
            }
            BinaryOp::Or => {
                let any = self.is_true(program, left)? || self.is_true(program, right)?;
                Ok(Value::Boolean(any))
            }
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Modulo
            | BinaryOp::LeftShift
            | BinaryOp::RightShift => self.arithmetic(program, id, op, left, right),
            BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual => self.comparison(program, id, op, left, right),
            BinaryOp::Match => self.matching(program, left, right).map(Value::Boolean),
            BinaryOp::NoMatch => Ok(Value::Boolean(!self.matching(program, left, right)?)),
            BinaryOp::In => self.is_in(program, left, right),
            BinaryOp::Before | BinaryOp::Require | BinaryOp::Notify | BinaryOp::Subscribe => {
                issues::at(program, id, &issues::not_supported(program.ast(), id))
            }
        }
    }

    fn is_true(&mut self, program: &Program, id: ExprId) -> Eval<bool> {
        Ok(self.eval(program, id)?.is_truthy())
    }

    /// The value of the last statement.
    fn block(&mut self, program: &Program, statements: ExprList) -> Eval<Value> {
        let mut value = Value::Undef;
        for &statement in program.ast().list(statements) {
            value = self.eval(program, statement)?;
        }
        Ok(value)
    }

    fn hash(&mut self, program: &Program, entries: ExprList) -> Eval<Value> {
        let ast = program.ast();
        let mut hash = Hash::with_capacity(entries.len());
        for &entry in ast.list(entries) {
            if let Expr::KeyedEntry { key, value } = ast[entry] {
                let key = self.eval(program, key)?;
                let value = self.eval(program, value)?;
                hash.insert(key, value);
            }
        }
        Ok(Value::hash(hash))
    }

    /// The values of a list, `*` replaced by what it unfolds to.
    fn unfold(&mut self, program: &Program, list: ExprList, values: &mut Values) -> Eval<()> {
        for &id in program.ast().list(list) {
            self.unfold_one(program, id, values)?;
        }
        Ok(())
    }

    /// The value of a node, or what it unfolds to.
    fn unfold_one(&mut self, program: &Program, id: ExprId, values: &mut Values) -> Eval<()> {
        if let Prepared::Constant(value) = program.prepared(id) {
            values.push(value.clone());
            return Ok(());
        }
        let inner = unwind(program, id);
        match program.ast()[inner] {
            Expr::Unary { op: UnaryOp::Unfold, expr } => {
                values.extend(unfolded(self.eval(program, expr)?)?);
            }
            _ => values.push(self.eval(program, inner)?),
        }
        Ok(())
    }

    /// `"text ${value} text"`
    ///
    /// All strings that are being built lie in one buffer, one behind the other.
    fn concat(&mut self, program: &Program, segments: ExprList) -> Eval<Value> {
        let start = self.buffer.len();
        for &segment in program.ast().list(segments) {
            if let Err(stop) = self.write_segment(program, segment) {
                self.buffer.truncate(start);
                return Err(stop);
            }
        }
        let value = Value::from(&self.buffer[start..]);
        self.buffer.truncate(start);
        Ok(value)
    }

    fn write_segment(&mut self, program: &Program, segment: ExprId) -> Eval<()> {
        let segment = match program.ast()[segment] {
            Expr::Unary { op: UnaryOp::Text, expr } => expr,
            _ => segment,
        };
        match peek(&self.scopes, program, segment) {
            Some(value) => write_text(value, &mut self.buffer),
            None => {
                let value = self.eval(program, segment)?;
                write_text(&value, &mut self.buffer);
            }
        }
        Ok(())
    }

    /// The integer that a node is worth, if that can be seen without evaluating anything.
    #[inline]
    pub(crate) fn peek_integer(&self, program: &Program, id: ExprId) -> Option<i64> {
        match peek(&self.scopes, program, id) {
            Some(Value::Integer(number)) => Some(*number),
            _ => None,
        }
    }

    /// `@("END":syntax)`: what was produced must be of that syntax.
    fn heredoc(&mut self, program: &Program, text: ExprId, syntax: Text) -> Eval<Value> {
        let value = self.eval(program, text)?;
        let ast = program.ast();
        // Literal text was checked when the program was validated.
        if let (Value::String(produced), false) = (&value, matches!(ast[text], Expr::String(_))) {
            let options = Options { strict: self.settings.strict, ..Options::default() };
            if let Some(message) = produced_text_fault(produced, ast.text(syntax), &options) {
                return Err(Stop::fault_at(message, program.place(text)));
            }
        }
        Ok(value)
    }
}

/// The value of a constant or variable, which nobody has to copy to look at it.
#[inline]
fn peek<'a>(scopes: &'a Scopes, program: &'a Program, id: ExprId) -> Option<&'a Value> {
    match program.prepared(id) {
        Prepared::Constant(value) => Some(value),
        Prepared::Variable(name) | Prepared::LastUse(name) => match scopes.get(*name) {
            Lookup::Found(value) => Some(value),
            Lookup::Unset(_) | Lookup::Missing => None,
        },
        _ => None,
    }
}

/// The expression inside of parentheses.
fn unwind(program: &Program, mut id: ExprId) -> ExprId {
    while let Expr::Unary { op: UnaryOp::Paren, expr } = program.ast()[id] {
        id = expr;
    }
    id
}

/// The elements that `*value` stands for.
fn unfolded(value: Value) -> Eval<Vec<Value>> {
    match value {
        Value::Undef => Ok(Vec::new()),
        Value::Array(values) => Ok(values.into_iter().collect()),
        Value::Hash(hash) => Ok(collections::pairs(&hash).collect()),
        Value::Rare(ref rare) if matches!(**rare, Rare::Iterator(_)) => {
            Ok(Elements::all_of(&value).into_iter().flatten().collect())
        }
        other => Ok(vec![other]),
    }
}
