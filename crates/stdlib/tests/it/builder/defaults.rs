//! Defaults of resources, and metaparameters that content inherits.

use super::resources;
use crate::support::compile_ok;

#[test]
fn defaults_hold_for_resources_after_them_only() {
    const CODE: &str = "\
notify { 'a': }
notify { 'b': message => 'own' }
Notify { message => 'default', withpath => true }
notify { 'c': }
notify { 'd': message => 'own' }
";
    let catalog = compile_ok(CODE);
    let expected = [
        "Notify[a]",
        r#"Notify[b] message="own""#,
        r#"Notify[c] message="default" withpath=true"#,
        r#"Notify[d] message="own" withpath=true"#,
    ];
    assert_eq!(resources(&catalog), expected);
}

#[test]
fn inner_defaults_shadow_outer_ones() {
    const CODE: &str = "\
Notify { message => 'outer', withpath => true }
class c {
  Notify { message => 'inner' }
  notify { 'in c': }
}
include c
notify { 'out': }
";
    let catalog = compile_ok(CODE);
    let expected = [
        "Class[C]",
        r#"Notify[in c] message="inner" withpath=true"#,
        r#"Notify[out] message="outer" withpath=true"#,
    ];
    assert_eq!(resources(&catalog), expected);
}

#[test]
fn defaults_reach_defines_and_classes_by_dynamic_scope() {
    const CODE: &str = "\
define d { notify { \"of ${title}\": } }
class c { Notify { message => 'of c' } d { 'a': } }
include c
d { 'b': }
";
    let catalog = compile_ok(CODE);
    let expected = ["Class[C]", "D[a]", "D[b]", r#"Notify[of a] message="of c""#, "Notify[of b]"];
    assert_eq!(resources(&catalog), expected);
}

#[test]
fn the_body_default_is_for_its_expression_only() {
    const CODE: &str = "\
notify {
  default: message => 'd', withpath => true;
  'a': ;
  'b': message => 'own';
}
notify { 'c': }
";
    let catalog = compile_ok(CODE);
    let expected = [
        r#"Notify[a] message="d" withpath=true"#,
        r#"Notify[b] message="own" withpath=true"#,
        "Notify[c]",
    ];
    assert_eq!(resources(&catalog), expected);
}

#[test]
fn metaparameters_of_a_class_stay_with_it_and_those_of_a_define_go_on() {
    const CODE: &str = "\
class c { notify { 'a': } }
define d { notify { 'b': } notify { 'c': noop => false } }
class { 'c': noop => true }
d { 'x': noop => true, schedule => 'never' }
schedule { 'never': }
";
    let catalog = compile_ok(CODE);
    let expected = [
        "Class[C] noop=true",
        "Notify[a]",
        r#"D[x] noop=true schedule="never""#,
        "Schedule[never]",
        r#"Notify[b] noop=true schedule="never""#,
        r#"Notify[c] noop=false schedule="never""#,
    ];
    assert_eq!(resources(&catalog), expected);
}
