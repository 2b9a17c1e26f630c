//! Attributes of nodes: children, strings, operators, numbers.

use kukla_base::Span;

use super::{Build, Built, Code, Flaw};
use kukla_syntax::ast::{
    AssignmentOp, BinaryOp, CallKind, Expr, ExprId, ExprList, Form, Named, NamedKind, Text, UnaryOp,
};

/// Returns the next numbers.
#[inline]
pub(super) fn take<const N: usize>(code: &mut impl Code) -> Built<[u32; N]> {
    code.take().ok_or(Flaw::Truncated)
}

/// Returns a truth value; undef counts as false.
#[inline]
pub(super) fn flag(number: u32) -> Built<bool> {
    match number {
        0 | 1 => Ok(false),
        2 => Ok(true),
        _ => Err(Flaw::BadFlag),
    }
}

/// The kind of a node, which decides where it may be placed.
pub(super) enum NodeKind {
    /// An expression.
    Plain,
    /// Not an expression: it must be in a list of its own kind.
    Part,
    /// An expression that the tree lists as a definition.
    Definition,
}

#[inline]
pub(super) fn kind(expr: &Expr) -> NodeKind {
    match expr {
        Expr::KeyedEntry { .. }
        | Expr::AttributeOperation { .. }
        | Expr::AttributesOperation(_)
        | Expr::Parameter { .. }
        | Expr::ResourceBody { .. }
        | Expr::SelectorEntry { .. } => NodeKind::Part,
        Expr::Named(_)
        | Expr::Node { .. }
        | Expr::TypeAlias { .. }
        | Expr::TypeMapping { .. }
        | Expr::TypeDefinition(_) => NodeKind::Definition,
        _ => NodeKind::Plain,
    }
}

/// Children.
impl Build<'_> {
    #[inline]
    pub(super) fn child(&mut self, present: u32, fits: impl Fn(&Expr) -> bool) -> Built<ExprId> {
        let id = if present == 1 { self.stack.pop() } else { None }.ok_or(Flaw::NoChild)?;
        if fits(&self.ast[id]) { Ok(id) } else { Err(Flaw::WrongChild) }
    }

    #[inline]
    pub(super) fn required(&mut self, present: u32) -> Built<ExprId> {
        self.child(present, |_| true)
    }

    #[inline]
    pub(super) fn optional(&mut self, present: u32) -> Built<Option<ExprId>> {
        if present == 0 { Ok(None) } else { self.required(present).map(Some) }
    }

    #[inline]
    pub(super) fn nodes(&mut self, count: u32, fits: impl Fn(&Expr) -> bool) -> Built<ExprList> {
        let at = self.stack.len().checked_sub(count as usize).ok_or(Flaw::NoChild)?;
        let ids = &self.stack[at..];
        if !ids.iter().all(|&id| fits(&self.ast[id])) {
            return Err(Flaw::WrongChild);
        }
        let list = self.ast.add_list(ids);
        self.stack.truncate(at);
        Ok(list)
    }

    /// Returns a list of nodes that are not expressions.
    #[inline]
    pub(super) fn parts(&mut self, count: u32, fits: impl Fn(&Expr) -> bool) -> Built<ExprList> {
        let list = self.nodes(count, fits)?;
        self.n_placed += count;
        Ok(list)
    }

    #[inline]
    pub(super) fn expressions(&mut self, count: u32) -> Built<ExprList> {
        self.nodes(count, |_| true)
    }

    #[inline]
    pub(super) fn only_expressions(&mut self, code: &mut impl Code) -> Built<ExprList> {
        let [count] = take(code)?;
        self.expressions(count)
    }

    #[inline]
    pub(super) fn operations(&mut self, count: u32) -> Built<ExprList> {
        self.parts(count, |expr| {
            matches!(expr, Expr::AttributeOperation { .. } | Expr::AttributesOperation(_))
        })
    }

    #[inline]
    pub(super) fn parameters(&mut self, count: u32) -> Built<ExprList> {
        self.parts(count, |expr| matches!(expr, Expr::Parameter { .. }))
    }

    /// Returns a name that our tree stores in its parent.
    pub(super) fn name(&mut self, present: u32) -> Built<(Text, Span)> {
        let id = self.required(present)?;
        self.ast.take_name(id).ok_or(Flaw::WrongChild)
    }
}

/// Groups of attributes.
impl Build<'_> {
    #[inline]
    pub(super) fn unary(&mut self, op: UnaryOp, code: &mut impl Code) -> Built<Expr> {
        let [expr] = take(code)?;
        Ok(Expr::Unary { op, expr: self.required(expr)? })
    }

    #[inline]
    pub(super) fn binary(&mut self, op: BinaryOp, code: &mut impl Code) -> Built<Expr> {
        let [left, right] = take(code)?;
        let right = self.required(right)?;
        Ok(Expr::Binary { op, left: self.required(left)?, right })
    }

    #[inline]
    pub(super) fn operator(
        &mut self,
        code: &mut impl Code,
        op: impl Fn(&[u8]) -> Option<BinaryOp>,
    ) -> Built<Expr> {
        let [left, right, operator] = take(code)?;
        let op = op(self.letters(operator)?).ok_or(Flaw::NoOperator)?;
        let right = self.required(right)?;
        Ok(Expr::Binary { op, left: self.required(left)?, right })
    }

    #[inline]
    pub(super) fn call(&mut self, kind: CallKind, code: &mut impl Code) -> Built<Expr> {
        let [functor, rvalue, arguments, lambda] = take(code)?;
        let rvalue = flag(rvalue)?;
        let lambda = self.optional(lambda)?;
        let arguments = self.expressions(arguments)?;
        Ok(Expr::Call { kind, rvalue, functor: self.required(functor)?, arguments, lambda })
    }

    #[inline]
    pub(super) fn conditional(
        &mut self,
        code: &mut impl Code,
    ) -> Built<(ExprId, Option<ExprId>, Option<ExprId>)> {
        let [test, then, otherwise] = take(code)?;
        let otherwise = self.optional(otherwise)?;
        let then = self.optional(then)?;
        Ok((self.required(test)?, then, otherwise))
    }

    pub(super) fn named(
        &mut self,
        kind: NamedKind,
        name: u32,
        (parameters, body): (u32, u32),
    ) -> Built<Named> {
        let name = self.text(name)?;
        let body = self.optional(body)?;
        let parameters = self.parameters(parameters)?;
        Ok(Named { kind, name, parameters, body, return_type: None, parent_class: None })
    }

    pub(super) fn add_named(&mut self, named: Named) -> Expr {
        Expr::Named(self.ast.add_named(named))
    }
}

/// Strings and numbers.
impl Build<'_> {
    #[inline]
    pub(super) fn text(&self, number: u32) -> Built<Text> {
        let index = (number as usize).wrapping_sub(1);
        self.texts.get(index).copied().ok_or(Flaw::NoText)
    }

    #[inline]
    pub(super) fn optional_text(&self, number: u32) -> Built<Option<Text>> {
        if number == 0 { Ok(None) } else { self.text(number).map(Some) }
    }

    #[inline]
    pub(super) fn letters(&self, number: u32) -> Built<&[u8]> {
        Ok(self.ast.text_bytes(self.text(number)?))
    }

    pub(super) fn form(&self, number: u32) -> Built<Form> {
        match self.letters(number)? {
            b"regular" => Ok(Form::Regular),
            b"virtual" => Ok(Form::Virtual),
            b"exported" => Ok(Form::Exported),
            _ => Err(Flaw::NoForm),
        }
    }

    /// Stores the span of the name of the variable that is added next.
    #[inline]
    pub(super) fn name_span(&mut self, variable: Span, name: Span) -> Built<()> {
        let end = name.start.checked_add(name.len).filter(|&end| end <= self.limit);
        end.ok_or(Flaw::Outside)?;
        self.ast.set_next_name_span(variable, name);
        Ok(())
    }

    /// Returns an integer with the digits of the source, if the source has them at the node's span.
    pub(super) fn integer(&mut self, value: Text, radix: Text, span: Span) -> Built<Expr> {
        let written = self.ast.source_text(span);
        let value: i64 = self.ast.text(value).parse().map_err(|_| Flaw::BadNumber)?;
        let radix = match self.ast.text(radix) {
            "10" => 10,
            "16" => 16,
            "8" => 8,
            _ => return Err(Flaw::BadNumber),
        };
        if let Some(digits) =
            written.filter(|&digits| self.ast.integer(digits, radix) == Some(value))
        {
            return Ok(Expr::Integer { digits, radix });
        }
        let value = u64::try_from(value).map_err(|_| Flaw::BadNumber)?;
        let digits = match radix {
            16 => format!("0x{value:x}"),
            8 => format!("0{value:o}"),
            _ => value.to_string(),
        };
        Ok(Expr::Integer { digits: self.ast.add_text(&digits), radix })
    }

    /// Returns a float with the digits of the source, if the source has them at the node's span.
    pub(super) fn float(&self, value: Text, span: Span) -> Built<Expr> {
        let number = self.ast.float(value);
        if !number.is_finite() {
            return Err(Flaw::BadNumber);
        }
        let written = self.ast.source_text(span);
        let digits = written.filter(|&digits| self.ast.float(digits) == number);
        Ok(Expr::Float(digits.unwrap_or(value)))
    }
}

pub(super) fn assignment(operator: &[u8]) -> Option<BinaryOp> {
    Some(BinaryOp::Assign(match operator {
        b"=" => AssignmentOp::Set,
        b"+=" => AssignmentOp::Append,
        b"-=" => AssignmentOp::Delete,
        _ => return None,
    }))
}

pub(super) fn arithmetic(operator: &[u8]) -> Option<BinaryOp> {
    Some(match operator {
        b"+" => BinaryOp::Add,
        b"-" => BinaryOp::Subtract,
        b"*" => BinaryOp::Multiply,
        b"/" => BinaryOp::Divide,
        b"%" => BinaryOp::Modulo,
        b"<<" => BinaryOp::LeftShift,
        b">>" => BinaryOp::RightShift,
        _ => return None,
    })
}

pub(super) fn relationship(operator: &[u8]) -> Option<BinaryOp> {
    Some(match operator {
        b"->" => BinaryOp::Before,
        b"<-" => BinaryOp::Require,
        b"~>" => BinaryOp::Notify,
        b"<~" => BinaryOp::Subscribe,
        _ => return None,
    })
}

pub(super) fn comparison(operator: &[u8]) -> Option<BinaryOp> {
    Some(match operator {
        b"==" => BinaryOp::Equal,
        b"!=" => BinaryOp::NotEqual,
        b"<" => BinaryOp::Less,
        b"<=" => BinaryOp::LessEqual,
        b">" => BinaryOp::Greater,
        b">=" => BinaryOp::GreaterEqual,
        _ => return None,
    })
}

pub(super) fn matching(operator: &[u8]) -> Option<BinaryOp> {
    match operator {
        b"=~" => Some(BinaryOp::Match),
        b"!~" => Some(BinaryOp::NoMatch),
        _ => None,
    }
}
