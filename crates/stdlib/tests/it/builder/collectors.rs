//! Virtual resources and collectors.

use super::resources;
use crate::support::compile_ok;

#[test]
fn virtual_resources_are_left_out_until_they_are_realized() {
    const CODE: &str = "\
@notify { 'a': }
@notify { 'b': }
realize(Notify['b'])
";
    let catalog = compile_ok(CODE);
    let expected = ["Notify[b]"];
    assert_eq!(resources(&catalog), expected);
}

#[test]
fn a_collector_finds_what_is_declared_later() {
    const CODE: &str = "\
Notify <| title == 'late' |>
notify { 'early': }
@notify { 'late': }
";
    let catalog = compile_ok(CODE);
    let expected = ["Notify[early]", "Notify[late]"];
    assert_eq!(resources(&catalog), expected);
}

#[test]
fn a_collector_finds_what_a_define_declares() {
    const CODE: &str = "\
Notify <| |>
define d { @notify { \"of ${title}\": } }
d { 'a': }
";
    let catalog = compile_ok(CODE);
    let expected = ["D[a]", "Notify[of a]"];
    assert_eq!(resources(&catalog), expected);
}

#[test]
fn queries_of_collectors() {
    const CODE: &str = "\
@notify { 'a': message => 'x', tag => 't' }
@notify { 'b': message => 'y', tag => 't' }
@notify { 'c': message => 'x' }
@notify { 'd': message => 'z' }
Notify <| tag == 't' and message != 'y' |>
Notify <| title == 'd' or title == 'nope' |>
";
    let catalog = compile_ok(CODE);
    let expected = [r#"Notify[a] message="x" tag="t""#, r#"Notify[d] message="z""#];
    assert_eq!(resources(&catalog), expected);
}

#[test]
fn a_collector_overrides_real_resources_too() {
    const CODE: &str = "\
notify { 'real': message => 'own' }
@notify { 'virtual': }
Notify <| |> { message => 'collected' }
";
    let catalog = compile_ok(CODE);
    let expected =
        [r#"Notify[real] message="collected""#, r#"Notify[virtual] message="collected""#];
    assert_eq!(resources(&catalog), expected);
}

#[test]
fn a_collector_appends() {
    const CODE: &str = "\
notify { 'a': tag => 'x', before => Notify['b'] }
notify { 'b': }
notify { 'c': }
Notify <| title == 'a' |> { before +> Notify['c'] }
";
    let catalog = compile_ok(CODE);
    let expected =
        [r#"Notify[a] before=["Notify[b]","Notify[c]"] tag="x""#, "Notify[b]", "Notify[c]"];
    assert_eq!(resources(&catalog), expected);
}
