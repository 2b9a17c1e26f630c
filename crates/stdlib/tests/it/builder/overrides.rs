//! Overrides of resources, and what is refused.

use super::resources;
use crate::support::{compile_err, compile_ok};

#[test]
fn a_class_overrides_resources_of_the_class_that_it_inherits() {
    const CODE: &str = "\
class base { notify { 'a': message => 'base', withpath => true } }
class child inherits base { Notify['a'] { message => 'child' } }
include child
";
    let catalog = compile_ok(CODE);
    let expected = ["Class[Base]", "Class[Child]", r#"Notify[a] message="child" withpath=true"#];
    assert_eq!(resources(&catalog), expected);
}

#[test]
fn an_override_appends_and_removes() {
    const CODE: &str = "\
class base { notify { 'a': message => 'm', require => Notify['x'] } notify { ['x', 'y']: } }
class child inherits base { Notify['a'] { message => undef, require +> Notify['y'] } }
include child
";
    let catalog = compile_ok(CODE);
    let expected = [
        "Class[Base]",
        "Class[Child]",
        r#"Notify[a] require=["Notify[x]","Notify[y]"]"#,
        "Notify[x]",
        "Notify[y]",
    ];
    assert_eq!(resources(&catalog), expected);
}

#[test]
fn an_override_from_elsewhere_is_refused() {
    const CODE: &str = "\
class one { notify { 'a': message => 'one' } }
class two { Notify['a'] { message => 'two' } }
include one
include two
";
    let failure = compile_err(CODE);
    let message = "Only subclasses can override parameters (file: /site.pp, line: 2) on node web1";
    assert_eq!(failure.to_string(), message);
}

#[test]
fn an_override_of_nothing_is_refused() {
    const CODE: &str = "\
Notify['a'] { message => 'two' }
";
    let failure = compile_err(CODE);
    let message = "Could not find resource(s) Notify[a] for overriding on node web1";
    assert_eq!(failure.to_string(), message);
}

#[test]
fn a_duplicate_is_refused() {
    const CODE: &str = "\
notify { 'a': }
class c { notify { 'a': } }
include c
";
    let failure = compile_err(CODE);
    let message = "Evaluation Error: Error while evaluating a Resource Statement, Duplicate declaration: Notify[a] is already declared at (file: /site.pp, line: 1); cannot redeclare (file: /site.pp, line: 2) (file: /site.pp, line: 2, column: 11) on node web1";
    assert_eq!(failure.to_string(), message);
}
