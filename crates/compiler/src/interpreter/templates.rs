//! Templates: text with code in it.

use kukla_pcore::Value;
use kukla_syntax::ast::ExprId;

use kukla_pcore::interpolate::write_text;

use super::{CatalogHost, Interpreter, peek};
use crate::{Eval, Program};

/// The text that a template has rendered so far.
#[derive(Debug, Default)]
pub(crate) struct Rendered {
    text: String,
    /// Whether a value in it was sensitive.
    is_sensitive: bool,
}

impl Rendered {
    fn add(&mut self, value: &Value) {
        match value {
            Value::Sensitive(inner) => {
                self.is_sensitive = true;
                write_text(inner, &mut self.text);
            }
            other => write_text(other, &mut self.text),
        }
    }
}

impl<C: CatalogHost> Interpreter<C> {
    /// The text of a template; sensitive if a value in it is.
    pub(super) fn template(&mut self, program: &Program, body: Option<ExprId>) -> Eval<Value> {
        self.templates.push(Rendered::default());
        let result = match body {
            Some(body) => self.eval(program, body),
            None => Ok(Value::Undef),
        };
        let rendered = self.templates.pop().unwrap_or_default();
        result?;
        let text = Value::from(rendered.text);
        Ok(if rendered.is_sensitive { Value::Sensitive(text.into()) } else { text })
    }

    /// Text outside of tags.
    #[inline(never)]
    pub(super) fn render_text(&mut self, text: &str) {
        if let Some(rendered) = self.templates.last_mut() {
            rendered.text.push_str(text);
        }
    }

    /// `<%= value %>`
    pub(super) fn render_value(&mut self, program: &Program, id: ExprId) -> Eval<()> {
        if let (Some(value), Some(rendered)) =
            (peek(&self.scopes, program, id), self.templates.last_mut())
        {
            rendered.add(value);
            return Ok(());
        }
        let value = self.eval(program, id)?;
        if let Some(rendered) = self.templates.last_mut() {
            rendered.add(&value);
        }
        Ok(())
    }
}
