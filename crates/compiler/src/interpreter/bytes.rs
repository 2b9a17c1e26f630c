//! Texts that Ruby has as bytes without an encoding, where a compilation has made some.

use kukla_pcore::Value;
use kukla_pcore::byte_texts::JoinedEncoding;
use kukla_pcore::elements::MAX_TEXT;
use kukla_pcore::interpolate::write_text;
use kukla_syntax::ast::{Expr, ExprId, ExprList, UnaryOp};

use super::{CatalogHost, Interpreter};
use crate::{Eval, Program, fault, issues};

impl<C: CatalogHost> Interpreter<C> {
    /// Returns the value of `"text ${value}"`, with the encoding that Ruby gives it.
    #[cold]
    pub(super) fn concat_bytes(&mut self, program: &Program, segments: ExprList) -> Eval<Value> {
        let (mut text, mut encoding) = (String::new(), JoinedEncoding::default());
        for &segment in program.ast().list(segments) {
            let value = self.eval(program, interpolated(program, segment))?;
            let start = text.len();
            write_text(&value, &mut text);
            encoding.add(&text[start..], self.byte_texts.is_bytes(&value));
            if text.len() > MAX_TEXT {
                return fault(issues::too_large());
            }
        }
        Ok(match encoding.is_bytes() {
            true => Value::String(self.byte_texts.add(&text)),
            false => Value::from(text),
        })
    }

    /// Returns the value of `$n`.
    pub(super) fn group(&mut self, n: usize) -> Value {
        let Some(matched) = self.scopes.matched() else { return Value::Undef };
        let value = matched.group(n);
        match self.byte_texts.contains(&matched.text) {
            true => self.byte_texts.mark(value),
            false => value,
        }
    }
}

/// Returns the expression in `${…}`.
fn interpolated(program: &Program, segment: ExprId) -> ExprId {
    match program.ast()[segment] {
        Expr::Unary { op: UnaryOp::Text, expr } => expr,
        _ => segment,
    }
}
