//! Arrows, classes that require and contain others, and edges.

use super::{edges, resources};
use crate::support::{compile_err, compile_ok};

#[test]
fn arrows_become_metaparameters_of_the_left_side() {
    const CODE: &str = "\
notify { ['a', 'b', 'c']: }
Notify['a'] -> Notify['b'] ~> Notify['c']
Notify['c'] <- Notify['a']
";
    let catalog = compile_ok(CODE);
    let expected = [
        r#"Notify[a] before=["Notify[b]","Notify[c]"]"#,
        r#"Notify[b] notify=["Notify[c]"]"#,
        "Notify[c]",
    ];
    assert_eq!(resources(&catalog), expected);
}

#[test]
fn arrows_relate_what_collectors_find() {
    const CODE: &str = "\
notify { ['a', 'b']: tag => 'left' }
notify { 'c': }
Notify <| tag == 'left' |> -> Notify['c']
";
    let catalog = compile_ok(CODE);
    let expected = [
        r#"Notify[a] before=["Notify[c]"] tag="left""#,
        r#"Notify[b] before=["Notify[c]"] tag="left""#,
        "Notify[c]",
    ];
    assert_eq!(resources(&catalog), expected);
}

#[test]
fn require_and_contain_relate_classes() {
    const CODE: &str = "\
class first { notify { '1': } }
class second { require first contain third }
class third { notify { '3': } }
include second
";
    let catalog = compile_ok(CODE);
    let expected = [
        r#"Class[Second] require=["Class[First]"]"#,
        "Class[First]",
        "Notify[1]",
        "Class[Third]",
        "Notify[3]",
    ];
    assert_eq!(resources(&catalog), expected);
    let expected = [
        "Stage[main] > Class[Settings]",
        "Stage[main] > Class[main]",
        "Stage[main] > Class[Second]",
        "Stage[main] > Class[First]",
        "Class[First] > Notify[1]",
        "Stage[main] > Class[Third]",
        "Class[Second] > Class[Third]",
        "Class[Third] > Notify[3]",
    ];
    assert_eq!(edges(&catalog), expected);
}

#[test]
fn a_relationship_with_nothing_is_refused() {
    const CODE: &str = "\
notify { 'a': before => Notify['nope'] }
";
    let failure = compile_err(CODE);
    let message = "Could not find resource 'Notify[nope]' in parameter 'before' (file: /site.pp, line: 1) on node web1";
    assert_eq!(failure.to_string(), message);
}

#[test]
fn an_arrow_to_nothing_is_refused() {
    const CODE: &str = "\
notify { 'a': }
Notify['a'] -> Notify['nope']
";
    let failure = compile_err(CODE);
    let message =
        "Could not find resource 'Notify[nope]' for relationship from 'Notify[a]' on node web1";
    assert_eq!(failure.to_string(), message);
}

#[test]
fn an_edge_leads_from_the_container() {
    const CODE: &str = "\
class c { d { 'x': } }
define d { notify { 'n': } }
include c
";
    let catalog = compile_ok(CODE);
    let expected = [
        "Stage[main] > Class[Settings]",
        "Stage[main] > Class[main]",
        "Stage[main] > Class[C]",
        "Class[C] > D[x]",
        "D[x] > Notify[n]",
    ];
    assert_eq!(edges(&catalog), expected);
}
