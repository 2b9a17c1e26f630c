//! Arrays and hashes that a template changes in place are reported to the host.
//!
//! The expected values are those of the variables after Puppet 7.23 has rendered the template.

use kukla_foreign::{BlockFn, Host, HostError, Render};
use kukla_pcore::{Hash, Value, ruby};
use kukla_ruby::Template;

/// A scope with a few variables, and the changes that were reported.
struct Scope {
    variables: Vec<(String, Value)>,
    changed: Vec<String>,
}

impl Host for Scope {
    fn variable(&mut self, _name: &str) -> Result<Option<Value>, HostError> {
        Ok(None)
    }

    fn variables(&mut self) -> Vec<(String, Value)> {
        self.variables.clone()
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

    fn variable_changed(&mut self, name: &str, value: Value) {
        self.changed.push(format!("{name} = {}", ruby::inspect(&value)));
    }
}

fn hash(key: &str, value: Value) -> Value {
    let mut hash = Hash::with_capacity(1);
    hash.insert(Value::from(key), value);
    Value::hash(hash)
}

/// Renders a template with this code, and returns the changes that it reported to the host.
fn changes(code: &str) -> Vec<String> {
    let numbers = |items: &[i64]| Value::array(items.iter().copied().map(Value::Integer));
    let variables = vec![
        ("list".to_owned(), numbers(&[3, 1, 2])),
        ("map".to_owned(), hash("p", Value::Integer(1))),
        ("nested".to_owned(), hash("x", numbers(&[1]))),
    ];
    let mut scope = Scope { variables, changed: Vec::new() };
    let template = Template::parse(None, &format!("<% {code} %>")).expect("all of it is known");
    template.render(&mut scope).expect("it renders");
    scope.changed
}

#[test]
fn a_change_that_leaves_the_number_of_elements_is_noticed() {
    assert_eq!(changes("@list[0] = 9"), ["list = [9, 1, 2]"]);
    assert_eq!(changes("@list.sort!"), ["list = [1, 2, 3]"]);
    assert_eq!(changes("@map['p'] = 5"), ["map = {\"p\"=>5}"]);
}

#[test]
fn a_change_that_makes_it_longer_or_shorter_is_noticed() {
    assert_eq!(changes("@list << 4"), ["list = [3, 1, 2, 4]"]);
    assert_eq!(changes("@map.delete('p')"), ["map = {}"]);
}

#[test]
fn a_change_within_is_noticed() {
    assert_eq!(changes("@nested['x'] << 2"), ["nested = {\"x\"=>[1, 2]}"]);
}

#[test]
fn values_that_are_only_read_or_copied_are_not_reported() {
    assert!(changes("@list.sort; @map.merge({'q' => 1}); @nested['x'] + [2]").is_empty());
    assert!(changes("copy = @list.dup; copy << 4; own = []; own << @list").is_empty());
}

#[test]
fn a_value_may_be_in_itself() {
    assert!(changes("a = []; a << a; a << a; a << @list; @list.size").is_empty());
}
