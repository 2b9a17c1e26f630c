//! An artificial compilation that both sides share.

use std::any::Any;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use kukla_foreign::{BlockFn, CallSite, Host, HostError};
use kukla_pcore::{Value, ruby};

/// State of the interpreter that lasts from one template to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct States(Rc<RefCell<HashMap<usize, Box<dyn Any>>>>);

/// The function that marked templates call when a part is reached.
pub(super) const REACHED: &str = "kukla_reached";

/// Variables; functions return a text with their arguments, or the value of [`answer`](Self::answer).
#[derive(Clone, Debug, Default)]
pub(super) struct TestHost {
    pub(super) variables: Vec<(String, Value)>,
    /// The answer of functions: 1 is false, 2 is true, 3 is nil, all others a text with the arguments.
    pub(super) answer: usize,
    /// Parts of a marked template.
    pub(super) reached: BTreeSet<i64>,
    pub(super) said: Vec<String>,
    /// Values of variables that a template changed in place; not visible if the template fails.
    pub(super) changed: Vec<String>,
    /// Without it, each template is the first.
    pub(super) states: Option<States>,
    /// Warnings that were given before.
    pub(super) warned: Vec<String>,
}

impl Host for TestHost {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, HostError> {
        let name = name.trim_start_matches("::");
        Ok(self
            .variables
            .iter()
            .find(|(variable, _)| variable == name)
            .map(|(_, value)| value.clone()))
    }

    fn variables(&mut self) -> Vec<(String, Value)> {
        let all =
            self.variables.iter().filter(|(name, value)| !name.contains(':') && !value.is_undef());
        all.cloned().collect()
    }

    fn take_state(&mut self, key: usize) -> Option<Box<dyn Any>> {
        self.states.as_ref()?.0.borrow_mut().remove(&key)
    }

    fn keep_state(&mut self, key: usize, state: Box<dyn Any>) {
        if let Some(states) = &self.states {
            states.0.borrow_mut().insert(key, state);
        }
    }

    fn variable_changed(&mut self, name: &str, value: Value) {
        self.changed.push(format!("{name} = {}", ruby::inspect(&value)));
    }

    fn set_variable(&mut self, name: &str, value: Value) -> Result<(), HostError> {
        self.said.push(format!("{name} = {}", ruby::inspect(&value)));
        Ok(())
    }

    fn call_function(
        &mut self,
        name: &str,
        args: Vec<Value>,
        _block: Option<&mut BlockFn<'_>>,
    ) -> Result<Value, HostError> {
        if let (REACHED, [Value::Integer(part)]) = (name, &args[..]) {
            self.reached.insert(*part);
            return Ok(Value::Undef);
        }
        let shown: Vec<String> = args.iter().map(ruby::inspect).collect();
        Ok(match name {
            "versioncmp" => {
                Value::Integer(if shown.len() == 2 && shown[0] < shown[1] { -1 } else { 1 })
            }
            _ if self.answer == 1 => Value::Boolean(false),
            _ if self.answer == 2 => Value::Boolean(true),
            _ if self.answer == 3 => Value::Undef,
            _ => Value::string(format!("{name}({})", shown.join(", "))),
        })
    }

    fn has_function(&mut self, _name: &str) -> bool {
        true
    }

    fn tags(&mut self) -> Vec<String> {
        vec!["tag".to_owned()]
    }

    fn classes(&mut self) -> Vec<String> {
        vec!["settings".to_owned(), "main".to_owned()]
    }

    fn log(&mut self, level: &str, message: &str) {
        self.said.push(format!("{level}: {message}"));
    }

    fn warn_once(&mut self, key: &str, message: &str) {
        if !self.warned.iter().any(|warning| warning == key) {
            self.warned.push(key.to_owned());
            self.log("warning", &format!("{message}\n   (file & line not available)"));
        }
    }

    fn call_site(&mut self) -> CallSite {
        CallSite { environment: Some("production".to_owned()), ..CallSite::default() }
    }

    fn is_instance(&mut self, type_text: &str, value: &Value) -> Option<bool> {
        let type_ = kukla_pcore::types::parse(type_text, &kukla_pcore::types::NoNames).ok()?;
        Some(type_.is_instance(value))
    }
}
