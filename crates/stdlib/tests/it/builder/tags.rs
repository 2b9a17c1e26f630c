//! Tags.

use super::{resources, tags};
use crate::support::compile_ok;

#[test]
fn tags_come_from_classes_titles_and_metaparameters() {
    const CODE: &str = "\
class web::server { notify { 'a': tag => ['own', 'More'] } d { 'x': } }
define d { notify { 'b': } }
include web::server
notify { 'Not::A tag': }
";
    let catalog = compile_ok(CODE);
    let expected = [
        "Class[Web::Server]: class server web web::server",
        "Notify[a]: a class more notify own server web web::server",
        "D[x]: class d server web web::server x",
        "Notify[Not::A tag]: class notify",
        "Notify[b]: b class d notify server web web::server x",
    ];
    assert_eq!(tags(&catalog), expected);
}

#[test]
fn the_function_tag_reaches_what_the_class_declares() {
    const CODE: &str = "\
class c {
  notify { 'before': }
  tag('late')
  notify { 'after': }
}
include c
notify { 'out': message => String(tagged('c')) }
";
    let catalog = compile_ok(CODE);
    let expected = ["Class[C]", "Notify[before]", "Notify[after]", r#"Notify[out] message="true""#];
    assert_eq!(resources(&catalog), expected);
    let expected = [
        "Class[C]: c class late",
        "Notify[before]: before c class late notify",
        "Notify[after]: after c class late notify",
        "Notify[out]: class notify out",
    ];
    assert_eq!(tags(&catalog), expected);
}
