//! Errors of compilations: their codes, underlined texts, and call stacks.

use crate::support::{Setup, compile_err, compile_ok, outline};
use expect_test::expect;
use kukla_base::render::text::{Style, render_file};
use kukla_compiler::issues::Code;
use kukla_compiler::{FrameKind, Limits};

/// Source code, the code of the issue, and the underlined text.
const CASES: &[(&str, &str, &str)] = &[
    ("notice($nope)", "unknown-variable", "$nope"),
    ("notice(nope(1))", "unknown-function", "nope(1)"),
    ("notice(1 + 'one')", "not-numeric", "'one'"),
    ("notice(1 + '2')", "numeric-coercion", "'2'"),
    ("notice(1 / 0)", "div-by-zero", "0"),
    ("notice(9223372036854775807 + 1)", "numeric-overflow", "9223372036854775807 + 1"),
    ("notice(1 < 'a')", "comparison-not-possible", "1 < 'a'"),
    ("notice('a' =~ 1)", "match-not-regexp", "1"),
    ("notice(1 =~ /a/)", "match-not-string", "1"),
    ("notice(1 ? { 2 => 3 })", "unmatched-selector", "1"),
    ("$a = 1\n$a = 2", "illegal-reassignment", "$a = 2"),
    ("$facts = 1", "illegal-reserved-assignment", "$facts = 1"),
    ("[$a, $b] = [1]", "multi-assignment-mismatch", "[$a, $b] = [1]"),
    ("notice([1]['a'])", "not-numeric", "'a'"),
    ("notice('abc'[1.5])", "bad-slice", "1.5"),
    ("notice(Integer['a'])", "bad-type-parameters", "'a'"),
    ("notice({} + 1)", "illegal-operand", "{} + 1"),
    ("notice(Nope)", "unknown-resource-type", "Nope"),
    ("nope { 'a': }", "unknown-resource-type", "nope { 'a': }"),
    ("Nope <| |>", "unknown-resource-type", "Nope <| |>"),
    ("notify { undef: }", "illegal-title", "undef"),
    ("notify { ['a', 'a']: }", "duplicate-title", "notify { ['a', 'a']: }"),
    ("notify { 'a': * => 1 }", "illegal-attributes", "1"),
    ("notify { 'a': }\nnotify { 'a': }", "duplicate-declaration", "notify { 'a': }"),
    ("notify { 'a': nope => 1 }", "unknown-parameter", "notify { 'a': nope => 1 }"),
    ("notify { 'a': tag => 'a b' }", "invalid-tag", "notify { 'a': tag => 'a b' }"),
    (
        "notify { 'a': require => File['/x'] }",
        "unknown-resource",
        "notify { 'a': require => File['/x'] }",
    ),
    ("include nope", "unknown-class", "include nope"),
    ("class a inherits b { }\ninclude a", "unknown-class", "class a inherits b { }"),
    ("class a($b) { }\ninclude a", "missing-parameter", "include a"),
    (
        "class a(Integer $b) { }\nclass { 'a': b => 'x' }",
        "parameter-mismatch",
        "class { 'a': b => 'x' }",
    ),
    (
        "class a($b) { }\nclass { 'a': b => 1, c => 2 }",
        "unknown-parameter",
        "class { 'a': b => 1, c => 2 }",
    ),
    ("node 'db1' { }", "unknown-node", ""),
    ("notice(upcase())", "argument-mismatch", "upcase()"),
    ("notice(Integer('x'))", "conversion-failed", "Integer('x')"),
    ("fail('no')", "fail-function", "fail('no')"),
    ("function f() >> Integer { 'a' }\nnotice(f())", "return-mismatch", "f()"),
    ("break()", "illegal-jump", "break()"),
    ("notice(lookup('nope'))", "lookup-failed", ""),
    ("notify { 'a': }\nNotify['b'] -> Notify['a']", "unknown-resource", ""),
    ("1 -> Notify['a']", "illegal-relationship-operand", "1 -> Notify['a']"),
    ("$a = ", "syntax-error", ""),
    ("class a { }\nclass a { }", "redefinition", "class a { }"),
];

#[test]
fn every_error_has_a_code_and_a_place() {
    let mut wrong = Vec::new();
    for (code, issue, underlined) in CASES {
        let (actual, text, _) = outline(&compile_err(code));
        if (actual, text.as_str()) != (*issue, *underlined) {
            wrong.push(format!("{code}: {actual}, {text:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_line_is_puppets() {
    let failure = compile_err("class a {\n  notice($nope)\n}\ninclude a");
    let line = "Evaluation Error: Unknown variable: 'nope'. (file: /site.pp, line: 2, column: 10) on node web1";
    assert_eq!(failure.to_string(), line);
}

#[test]
fn functions_and_classes_are_on_the_stack() {
    let code = "\
function m::inner($x) { $x + undef }
function m::outer($x) { m::inner($x) }
class role { include profile }
class profile { notice(m::outer(1)) }
node default { include role }
";
    let failure = compile_err(code);
    let (issue, text, frames) = outline(&failure);
    assert_eq!((issue, text.as_str()), ("not-numeric", "undef"));
    let expected =
        ["function m::inner", "function m::outer", "class profile", "class role", "node default"];
    assert_eq!(frames, expected);
    let lines: Vec<u32> =
        failure.fault.stack.iter().filter_map(|frame| Some(frame.place.as_ref()?.line)).collect();
    assert_eq!(lines, [2, 4, 3, 5, 5]);
}

#[test]
fn a_define_is_evaluated_late_and_still_has_its_containers() {
    let code = "\
define app($port) { notice($prot) }
class shop { app { 'web': port => 80 } }
include shop
";
    let (issue, text, frames) = outline(&compile_err(code));
    assert_eq!((issue, text.as_str()), ("unknown-variable", "$prot"));
    assert_eq!(frames, ["resource App[web]", "class shop", "main"]);
}

#[test]
fn a_block_is_on_the_stack_with_the_function_that_calls_it() {
    let (_, text, frames) = outline(&compile_err("[1].each |$n| { $n.map |$m| { $nope } }"));
    assert_eq!(text, "$nope");
    assert_eq!(frames, ["block of map", "block of each", "main"]);
}

#[test]
fn templates_are_on_the_stack() {
    let files =
        vec![("/a.epp", "one\n<%= $nope %>\n"), ("/a.erb", "one\ntwo\n<%= nope.upcase %>\n")];
    let setup = Setup { files, ..Setup::default() };
    let (issue, text, frames) = outline(&setup.compile_err("notice(epp('/a.epp'))"));
    assert_eq!((issue, text.as_str()), ("unknown-variable", "$nope"));
    assert_eq!(frames, ["template /a.epp", "main"]);
    let (issue, text, frames) = outline(&setup.compile_err("notice(template('/a.erb'))"));
    assert_eq!((issue, text.as_str()), ("invalid-template", "<%= nope.upcase %>"));
    assert_eq!(frames, ["template /a.erb", "main"]);
}

#[test]
fn a_template_knows_what_failed_in_the_code_that_it_calls() {
    let files = vec![("/a.erb", "<%= scope.call_function('m::f', []) %>\n")];
    let setup = Setup { files, ..Setup::default() };
    let code = "function m::f() { $nope }\nnotice(template('/a.erb'))";
    let (issue, text, frames) = outline(&setup.compile_err(code));
    assert_eq!((issue, text.as_str()), ("invalid-template", "$nope"));
    assert_eq!(frames, ["function m::f", "template /a.erb", "main"]);
}

#[test]
fn calls_without_end_keep_few_frames() {
    let limits = Limits { depth: 200, ..Limits::default() };
    let setup = Setup { limits, ..Setup::default() };
    let failure = setup.compile_err("function f() { f() }\nf()");
    assert_eq!(failure.fault.code(), Code::TOO_DEEP_CALLS);
    assert_eq!(failure.fault.stack.len(), 50);
    assert!(failure.fault.n_more_frames > 100);
    assert!(failure.fault.stack.iter().all(|frame| frame.kind == FrameKind::Function));
}

#[test]
fn likely_names_are_advice() {
    let help = |code: &str| compile_err(code).fault.issue.help().map(str::to_owned);
    let cases = [
        ("$servers = 1\nnotice($servrs)", "did you mean `servers`?"),
        ("notice(upcas('a'))", "did you mean `upcase`?"),
        ("class apache { }\ninclude apachee", "did you mean `apache`?"),
        ("notifi { 'a': }", "did you mean `notify`?"),
        ("file { '/a': contents => 'x' }", "did you mean `content`?"),
        ("class a($port) { }\nclass { 'a': prot => 1 }", "did you mean `port`?"),
    ];
    for (code, expected) in cases {
        assert_eq!(help(code).as_deref(), Some(expected), "{code}");
    }
    assert_eq!(help("notice($zebra)"), None);
}

#[test]
fn people_see_the_source_what_led_there_and_advice() {
    let code = "\
class role { include profile }
class profile($port = 80) {
  notify { \"listens on ${prot}\": }
}
include role
";
    let text = render_file(&compile_err(code).report(), Style::PLAIN);
    expect![[r#"
        error[unknown-variable]: Unknown variable: 'prot'.
         --> /site.pp:3:26
          |
        3 |   notify { "listens on ${prot}": }
          |                          ^^^^
          |
          = in class profile, declared at /site.pp:1:14
          = in class role, declared at /site.pp:5:1
          = help: did you mean `port`?
          = see: kukla explain unknown-variable

    "#]]
    .assert_eq(&text);
}

#[test]
fn a_failure_without_a_place_has_no_arrow() {
    let text = render_file(&compile_err("node 'db1' { }").report(), Style::PLAIN);
    expect![[r#"
        error[unknown-node]: Could not find node statement with name 'default' or 'web1'
         |
         = help: add `node default { }`, or a node statement that matches the name
         = see: kukla explain unknown-node

    "#]]
    .assert_eq(&text);
}

#[test]
fn messages_of_several_lines_have_one_headline() {
    let code = "class a(Integer $b, Integer $c) { }\nclass { 'a': b => 'x', c => 'y' }";
    let text = render_file(&compile_err(code).report(), Style::PLAIN);
    expect![[r#"
        error[parameter-mismatch]: Class[A]: parameter 'b' expects an Integer value, got String; parameter 'c' expects an Integer value, got String
         --> /site.pp:2:1
          |
        2 | class { 'a': b => 'x', c => 'y' }
          | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
          |
          = see: kukla explain parameter-mismatch

    "#]].assert_eq(&text);
}

#[test]
fn faultless_code_has_a_catalog() {
    assert!(compile_ok("notify { 'a': }").resources.iter().any(|one| one.title == "a"));
}
