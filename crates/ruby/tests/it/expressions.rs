//! Thousands of expressions, compared with the values of real Ruby, which `tests/oracle/ruby/expressions.rb` records.

use kukla_foreign::{BlockFn, Host, HostError};
use kukla_pcore::Value;
use kukla_ruby::evaluate;

struct Nothing;

impl Host for Nothing {
    fn variable(&mut self, _name: &str) -> Result<Option<Value>, HostError> {
        Ok(None)
    }

    fn variables(&mut self) -> Vec<(String, Value)> {
        Vec::new()
    }

    fn call_function(
        &mut self,
        name: &str,
        _args: Vec<Value>,
        _block: Option<&mut BlockFn<'_>>,
    ) -> Result<Value, HostError> {
        Err(HostError::parse_error(format!("no function {name}")))
    }

    fn has_function(&mut self, _name: &str) -> bool {
        false
    }

    fn random(&mut self, n: usize) -> Option<Vec<u8>> {
        Some((0..n).map(|at| (at * 37 % 256) as u8).collect())
    }
}

#[test]
fn expressions_are_worth_what_ruby_says() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in include_str!("../expressions.jsonl").lines() {
        let (code, expected): (String, String) =
            serde_json::from_str(line).expect("it was written so");
        let value = match evaluate(&code, &mut Nothing) {
            Ok(text) => format!("= {text}"),
            Err(error) => format!("! {}: {}", error.class, error.message),
        };
        count += 1;
        if value != expected {
            wrong.push(format!("{code}\n  ruby  {expected}\n  kukla {value}"));
        }
    }
    assert!(count > 2_500, "the table is too short: {count}");
    assert!(wrong.is_empty(), "{} of {count} differ:\n{}", wrong.len(), wrong.join("\n"));
}
