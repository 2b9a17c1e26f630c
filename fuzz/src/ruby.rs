//! Ruby code and ERB templates in the interpreter, with limits.

use kukla_pcore::Value;
use kukla_foreign::{BlockFn, Host, HostError};
use kukla_ruby::{Template, evaluate_within};

/// A limit that is enough for every expression of the table, and quickly exhausted.
const STEPS: u64 = 20_000;

/// Reads a text as a template, and runs it as code.
pub(crate) fn run(bytes: &[u8]) {
    let Ok(code) = std::str::from_utf8(bytes) else { return };
    let _ = Template::parse(Some("/fuzz.erb"), code);
    let _ = evaluate_within(code, &mut Around, STEPS);
}

struct Around;

impl Host for Around {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, HostError> {
        Ok((name == "x").then(|| Value::string("y")))
    }

    fn variables(&mut self) -> Vec<(String, Value)> {
        vec![("x".to_owned(), Value::array([Value::Integer(1), Value::string("z")]))]
    }

    fn call_function(
        &mut self,
        _name: &str,
        args: Vec<Value>,
        block: Option<&mut BlockFn<'_>>,
    ) -> Result<Value, HostError> {
        match block {
            Some(block) => block(self, args),
            None => Ok(Value::array(args)),
        }
    }

    fn has_function(&mut self, name: &str) -> bool {
        name.len() % 2 == 0
    }
}
