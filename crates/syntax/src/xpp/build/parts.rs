//! Attributes of nodes: children, strings, operators, numbers.

use kukla_base::Span;

use super::{BAD_FLAG, BAD_OPERATOR, Build, Built, Code, NO_CHILD, NO_TEXT, WRONG_CHILD};
use crate::ast::{
    AssignmentOp, BinaryOp, CallKind, Expr, ExprId, ExprList, Form, Named, NamedKind, Text, UnaryOp,
};
use crate::xpp::XppError;

/// The next numbers.
pub(super) fn take<const N: usize>(code: &mut impl Code) -> Built<[u32; N]> {
    code.take().ok_or(XppError::Truncated)
}

/// A truth value; undef is as good as false.
pub(super) fn flag(number: u32) -> Built<bool> {
    match number {
        0 | 1 => Ok(false),
        2 => Ok(true),
        _ => Err(BAD_FLAG),
    }
}

/// Whether a node may stand wherever Puppet's model wants an expression.
fn is_expression(expr: &Expr) -> bool {
    !matches!(
        expr,
        Expr::KeyedEntry { .. }
            | Expr::AttributeOperation { .. }
            | Expr::AttributesOperation(_)
            | Expr::Parameter { .. }
            | Expr::ResourceBody { .. }
            | Expr::SelectorEntry { .. }
    )
}

pub(super) fn is_definition(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Named(_)
            | Expr::Node { .. }
            | Expr::TypeAlias { .. }
            | Expr::TypeMapping { .. }
            | Expr::TypeDefinition(_)
    )
}

/// Children.
impl Build<'_> {
    pub(super) fn child(&mut self, present: u32, fits: impl Fn(&Expr) -> bool) -> Built<ExprId> {
        let id = if present == 1 { self.stack.pop() } else { None }.ok_or(NO_CHILD)?;
        if fits(&self.ast[id]) { Ok(id) } else { Err(WRONG_CHILD) }
    }

    pub(super) fn required(&mut self, present: u32) -> Built<ExprId> {
        self.child(present, is_expression)
    }

    pub(super) fn optional(&mut self, present: u32) -> Built<Option<ExprId>> {
        if present == 0 { Ok(None) } else { self.required(present).map(Some) }
    }

    pub(super) fn nodes(&mut self, count: u32, fits: impl Fn(&Expr) -> bool) -> Built<ExprList> {
        let at = self.stack.len().checked_sub(count as usize).ok_or(NO_CHILD)?;
        let ids = &self.stack[at..];
        if !ids.iter().all(|&id| fits(&self.ast[id])) {
            return Err(WRONG_CHILD);
        }
        let list = self.ast.add_list(ids);
        self.stack.truncate(at);
        Ok(list)
    }

    pub(super) fn expressions(&mut self, count: u32) -> Built<ExprList> {
        self.nodes(count, is_expression)
    }

    pub(super) fn only_expressions(&mut self, code: &mut impl Code) -> Built<ExprList> {
        let [count] = take(code)?;
        self.expressions(count)
    }

    pub(super) fn operations(&mut self, count: u32) -> Built<ExprList> {
        self.nodes(count, |expr| {
            matches!(expr, Expr::AttributeOperation { .. } | Expr::AttributesOperation(_))
        })
    }

    pub(super) fn parameters(&mut self, count: u32) -> Built<ExprList> {
        self.nodes(count, |expr| matches!(expr, Expr::Parameter { .. }))
    }

    /// A name that our tree keeps in its parent.
    pub(super) fn name(&mut self, present: u32) -> Built<(Text, Span)> {
        let id = self.required(present)?;
        self.ast.take_name(id).ok_or(WRONG_CHILD)
    }
}

/// Groups of attributes.
impl Build<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, code: &mut impl Code) -> Built<Expr> {
        let [expr] = take(code)?;
        Ok(Expr::Unary { op, expr: self.required(expr)? })
    }

    pub(super) fn binary(&mut self, op: BinaryOp, code: &mut impl Code) -> Built<Expr> {
        let [left, right] = take(code)?;
        let right = self.required(right)?;
        Ok(Expr::Binary { op, left: self.required(left)?, right })
    }

    pub(super) fn operator(
        &mut self,
        code: &mut impl Code,
        op: fn(&str) -> Option<BinaryOp>,
    ) -> Built<Expr> {
        let [left, right, operator] = take(code)?;
        let op = op(self.letters(operator)?).ok_or(BAD_OPERATOR)?;
        let right = self.required(right)?;
        Ok(Expr::Binary { op, left: self.required(left)?, right })
    }

    pub(super) fn call(&mut self, kind: CallKind, code: &mut impl Code) -> Built<Expr> {
        let [functor, rvalue, arguments, lambda] = take(code)?;
        let rvalue = flag(rvalue)?;
        let lambda = self.optional(lambda)?;
        let arguments = self.expressions(arguments)?;
        Ok(Expr::Call { kind, rvalue, functor: self.required(functor)?, arguments, lambda })
    }

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
    pub(super) fn text(&self, number: u32) -> Built<Text> {
        let index = (number as usize).wrapping_sub(1);
        self.texts.get(index).copied().ok_or(NO_TEXT)
    }

    pub(super) fn optional_text(&self, number: u32) -> Built<Option<Text>> {
        if number == 0 { Ok(None) } else { self.text(number).map(Some) }
    }

    pub(super) fn letters(&self, number: u32) -> Built<&str> {
        Ok(self.ast.text(self.text(number)?))
    }

    pub(super) fn form(&self, number: u32) -> Built<Form> {
        match self.letters(number)? {
            "regular" => Ok(Form::Regular),
            "virtual" => Ok(Form::Virtual),
            "exported" => Ok(Form::Exported),
            _ => Err(XppError::Corrupt("there is no such form of a resource")),
        }
    }

    /// Keeps the place of the name of the variable that is added next.
    pub(super) fn name_span(&mut self, variable: Span, name: Span) -> Built<()> {
        if name.start.checked_add(name.len).is_none_or(|end| end as usize > self.ast.source().len())
        {
            return Err(XppError::Corrupt("a name lies outside of the source"));
        }
        self.ast.set_next_name_span(variable, name);
        Ok(())
    }

    /// The digits as they are written, if the source has them where the node is.
    pub(super) fn integer(&mut self, value: Text, radix: Text, span: Span) -> Built<Expr> {
        const BAD: XppError = XppError::Corrupt("an integer is none");
        let written = self.ast.source_text(span);
        let value: i64 = self.ast.text(value).parse().map_err(|_| BAD)?;
        let radix = match self.ast.text(radix) {
            "10" => 10,
            "16" => 16,
            "8" => 8,
            _ => return Err(BAD),
        };
        if let Some(digits) =
            written.filter(|&digits| self.ast.integer(digits, radix) == Some(value))
        {
            return Ok(Expr::Integer { digits, radix });
        }
        let value = u64::try_from(value).map_err(|_| BAD)?;
        let digits = match radix {
            16 => format!("0x{value:x}"),
            8 => format!("0{value:o}"),
            _ => value.to_string(),
        };
        Ok(Expr::Integer { digits: self.ast.add_text(&digits), radix })
    }

    /// The same of a float.
    pub(super) fn float(&self, value: Text, span: Span) -> Built<Expr> {
        let number = self.ast.float(value);
        if !number.is_finite() {
            return Err(XppError::Corrupt("a float is none"));
        }
        let written = self.ast.source_text(span);
        let digits = written.filter(|&digits| self.ast.float(digits) == number);
        Ok(Expr::Float(digits.unwrap_or(value)))
    }
}

pub(super) fn assignment(operator: &str) -> Option<BinaryOp> {
    Some(BinaryOp::Assign(match operator {
        "=" => AssignmentOp::Set,
        "+=" => AssignmentOp::Append,
        "-=" => AssignmentOp::Delete,
        _ => return None,
    }))
}

pub(super) fn arithmetic(operator: &str) -> Option<BinaryOp> {
    Some(match operator {
        "+" => BinaryOp::Add,
        "-" => BinaryOp::Subtract,
        "*" => BinaryOp::Multiply,
        "/" => BinaryOp::Divide,
        "%" => BinaryOp::Modulo,
        "<<" => BinaryOp::LeftShift,
        ">>" => BinaryOp::RightShift,
        _ => return None,
    })
}

pub(super) fn relationship(operator: &str) -> Option<BinaryOp> {
    Some(match operator {
        "->" => BinaryOp::Before,
        "<-" => BinaryOp::Require,
        "~>" => BinaryOp::Notify,
        "<~" => BinaryOp::Subscribe,
        _ => return None,
    })
}

pub(super) fn comparison(operator: &str) -> Option<BinaryOp> {
    Some(match operator {
        "==" => BinaryOp::Equal,
        "!=" => BinaryOp::NotEqual,
        "<" => BinaryOp::Less,
        "<=" => BinaryOp::LessEqual,
        ">" => BinaryOp::Greater,
        ">=" => BinaryOp::GreaterEqual,
        _ => return None,
    })
}

pub(super) fn matching(operator: &str) -> Option<BinaryOp> {
    match operator {
        "=~" => Some(BinaryOp::Match),
        "!~" => Some(BinaryOp::NoMatch),
        _ => None,
    }
}
