//! Variables, as a search sees them.

use kukla_pcore::Value;
use kukla_syntax::Strict;

use super::{Run, UnknownVariables};
use crate::{Fault, LogLevel, Variable};

impl Run<'_> {
    /// Returns the value of a variable; `None` if it is undefined and that is allowed.
    pub(crate) fn variable(&mut self, name: &str) -> Result<Option<Value>, Fault> {
        let locals = self.invocation.locals.as_deref().unwrap_or_default();
        if let Some((_, value)) = locals.iter().rev().find(|(local, _)| local == name) {
            return Ok(Some(value.clone()));
        }
        if self.invocation.has_hiera_scope {
            return self.hiera_variable(name);
        }
        self.plain_variable(name)
    }

    /// Returns a variable as version 3 sees it: some names are special, and an empty text counts as undefined.
    fn hiera_variable(&mut self, name: &str) -> Result<Option<Value>, Fault> {
        let class = |class: Option<String>| Some(class.map_or(Value::Undef, Value::from));
        let value = match name {
            "calling_class" => class(self.host.calling_class()),
            "calling_class_path" => {
                class(self.host.calling_class().map(|name| name.replace("::", "/")))
            }
            "calling_module" => Some(self.plain_variable("module_name")?.unwrap_or_default()),
            name => self.plain_variable(name)?,
        };
        Ok(value.map(|value| if value.as_str() == Some("") { Value::Undef } else { value }))
    }

    fn plain_variable(&mut self, name: &str) -> Result<Option<Value>, Fault> {
        let reason = match self.host.variable(name) {
            Variable::Value(value) => return Ok(Some(value)),
            Variable::Unknown(reason) => reason,
        };
        if self.invocation.unknown == UnknownVariables::Undefined {
            return Ok(None);
        }
        let is_numeric = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        if is_numeric || matches!(name, "module_name" | "caller_module_name") {
            return Ok(None);
        }
        let shown = match (name.strip_prefix("::"), &reason) {
            (Some(rest), Some(_)) => rest.to_owned(),
            (None, None) if name.contains("::") => format!("::{name}"),
            _ => name.to_owned(),
        };
        let reason = reason.unwrap_or_default();
        let fault = Fault::undefined_variable(&shown, &reason);
        match self.session.layers.places.strict {
            Strict::Off => Ok(None),
            Strict::Warning => {
                let message = format!("{}\n   (file & line not available)", fault.message);
                self.warn_once(&format!("Variable: {shown}"), &message);
                Ok(None)
            }
            Strict::Error if self.invocation.unknown == UnknownVariables::Warned => {
                let message = format!(
                    "Interpolation failed with '{shown}', but compilation continuing; {reason}\n   (file & line not available)"
                );
                self.warn_once(&format!("Variable: {shown}"), &message);
                Ok(None)
            }
            Strict::Error => Err(fault),
        }
    }

    /// Logs a warning once per compilation, unless the setting `strict` is `off`.
    pub(crate) fn warn_once(&mut self, key: &str, message: &str) {
        if self.session.layers.places.strict != Strict::Off && self.session.is_first_warning(key) {
            self.host.log(LogLevel::Warning, message);
        }
    }
}
