//! Templates: text with code in it.

use kukla_pcore::Value;
use kukla_syntax::ast::ExprId;

use crate::{Eval, Evaluator, Program, text};

impl Evaluator {
    /// The text of a template; sensitive if a value in it is.
    pub(super) fn template(&mut self, program: &Program, body: Option<ExprId>) -> Eval<Value> {
        self.templates.push(Vec::new());
        let result = match body {
            Some(body) => self.eval(program, body),
            None => Ok(Value::Undef),
        };
        let parts = self.templates.pop().unwrap_or_default();
        result?;
        let mut out = ecow::EcoString::new();
        let mut is_sensitive = false;
        for part in &parts {
            match part {
                Value::Sensitive(inner) => {
                    is_sensitive = true;
                    text::write(inner, &mut out);
                }
                other => text::write(other, &mut out),
            }
        }
        let rendered = Value::String(out);
        Ok(if is_sensitive { Value::Sensitive(rendered.into()) } else { rendered })
    }

    /// Text outside of tags.
    pub(super) fn render_text(&mut self, text: &str) -> Eval<Value> {
        self.render_part(Value::from(text))
    }

    /// `<%= value %>`
    pub(super) fn render_value(&mut self, value: Value) -> Eval<Value> {
        match value {
            Value::Sensitive(_) => self.render_part(value),
            other => self.render_part(Value::String(text::of(&other))),
        }
    }

    /// Texts are joined as they come; what is sensitive is kept apart.
    fn render_part(&mut self, part: Value) -> Eval<Value> {
        let Some(parts) = self.templates.last_mut() else { return Ok(Value::Undef) };
        match (parts.last_mut(), part) {
            (Some(Value::String(last)), Value::String(more)) => last.push_str(&more),
            (_, part) => parts.push(part),
        }
        Ok(Value::Undef)
    }
}
