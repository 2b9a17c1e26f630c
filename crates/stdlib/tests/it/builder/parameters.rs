//! Parameters of classes, from data and from the declaration.

use super::resources;
use crate::support::{Setup, compile_err};

/// The data of the environment.
const DATA: [(&str, &str); 3] = [
    (
        "/env/hiera.yaml",
        "\
version: 5
hierarchy:
  - { name: os, path: \"os/%{facts.os}.yaml\" }
  - { name: common, path: common.yaml }
",
    ),
    ("/env/data/os/deb.yaml", "c::a: from os\n"),
    ("/env/data/common.yaml", "c::a: from common\nc::b: from common\nc::c: from common\n"),
];

#[test]
fn parameters_come_from_data_before_defaults() {
    const CODE: &str = "\
class c($a, $b = 'default', $c = 'default') { notify { 'c': message => \"${a} ${b} ${c}\" } }
class { 'c': c => 'given' }
";
    let setup = Setup { files: DATA.to_vec(), facts: vec![("os", "deb")], ..Setup::default() };
    let catalog = setup.compile_ok(CODE);
    let expected = [
        r#"Class[C] a="from os" b="from common" c="given""#,
        r#"Notify[c] message="from os from common given""#,
    ];
    assert_eq!(resources(&catalog), expected);
}

#[test]
fn a_missing_parameter_is_refused() {
    const CODE: &str = "\
class needy($a) { }
include needy
";
    let failure = compile_err(CODE);
    let message = "Evaluation Error: Error while evaluating a Function Call, Class[Needy]: expects a value for parameter 'a' (file: /site.pp, line: 2, column: 1) on node web1";
    assert_eq!(failure.to_string(), message);
}
