//! The order in which code is evaluated.

use kukla_pcore::Hash;

use super::resources;
use crate::support::{Setup, compile_ok};

#[test]
fn main_runs_in_order_and_classes_where_they_are_included() {
    const CODE: &str = "\
notify { 'a': }
class c { notify { 'in c': } }
include c
notify { 'b': }
";
    let catalog = compile_ok(CODE);
    let expected = ["Notify[a]", "Class[C]", "Notify[in c]", "Notify[b]"];
    assert_eq!(resources(&catalog), expected);
}

#[test]
fn a_class_is_evaluated_once() {
    const CODE: &str = "\
class c { notify { 'in c': } }
include c
include c
class { 'd': }
class d { include c }
";
    let catalog = compile_ok(CODE);
    let expected = ["Class[C]", "Notify[in c]", "Class[D]"];
    assert_eq!(resources(&catalog), expected);
}

#[test]
fn defines_are_evaluated_after_main() {
    const CODE: &str = "\
define d($to = 'x') { notify { \"in ${title}\": message => $to } }
d { 'one': }
d { 'two': to => 'y' }
notify { 'z': }
";
    let catalog = compile_ok(CODE);
    let expected = [
        r#"D[one] to="x""#,
        r#"D[two] to="y""#,
        "Notify[z]",
        r#"Notify[in one] message="x""#,
        r#"Notify[in two] message="y""#,
    ];
    assert_eq!(resources(&catalog), expected);
}

#[test]
fn a_define_in_a_define_waits_for_the_next_round() {
    const CODE: &str = "\
define inner { notify { \"inner ${title}\": } }
define outer { inner { \"of ${title}\": } notify { \"outer ${title}\": } }
outer { ['a', 'b']: }
notify { 'main': }
";
    let catalog = compile_ok(CODE);
    let expected = [
        "Outer[a]",
        "Outer[b]",
        "Notify[main]",
        "Inner[of a]",
        "Notify[outer a]",
        "Inner[of b]",
        "Notify[outer b]",
        "Notify[inner of a]",
        "Notify[inner of b]",
    ];
    assert_eq!(resources(&catalog), expected);
}

#[test]
fn a_define_sees_variables_that_main_sets_after_it() {
    const CODE: &str = "\
define d { notify { $title: message => $late } }
d { 'a': }
$late = 'set later'
";
    let catalog = compile_ok(CODE);
    let expected = ["D[a]", r#"Notify[a] message="set later""#];
    assert_eq!(resources(&catalog), expected);
}

#[test]
fn the_node_comes_after_main_and_before_classified_classes() {
    const CODE: &str = "\
class site { notify { 'classified': } }
node 'web1' { notify { 'node': } }
notify { 'main': }
";
    let classes = vec![("site".to_owned(), Hash::new())];
    let setup = Setup { classes, ..Setup::default() };
    let catalog = setup.compile_ok(CODE);
    let expected =
        ["Notify[main]", "Node[web1]", "Notify[node]", "Class[Site]", "Notify[classified]"];
    assert_eq!(resources(&catalog), expected);
}
