//! Errors of evaluations, as people and programs see them.

use expect_test::expect;

use crate::support::Sandbox;

fn sandbox() -> Sandbox {
    Sandbox::new(&[
        ("code/production/environment.conf", "modulepath = modules\n"),
        ("code/production/manifests/site.pp", "node default {\n  include ntp\n}\n"),
        (
            "code/production/modules/ntp/manifests/init.pp",
            "class ntp {\n  ntp::server { 'a': prefer => ntp::answer() }\n}\n",
        ),
        (
            "code/production/modules/ntp/manifests/server.pp",
            "define ntp::server($prefer) {\n  notify { \"x${preferred}\": }\n}\n",
        ),
        ("code/production/modules/ntp/functions/answer.pp", "function ntp::answer() { 42 }\n"),
    ])
}

const COMPILE: &[&str] = &["compile", "--environmentpath", "code", "--node", "web1"];

#[test]
fn people_see_the_source_and_what_led_there() {
    let ran = sandbox().run(&[COMPILE, &["--errors", "pretty"]].concat());
    assert_eq!((ran.code, ran.output.as_str()), (1, ""));
    expect![[r#"
        error[unknown-variable]: Unknown variable: 'preferred'.
         --> @/code/production/modules/ntp/manifests/server.pp:2:16
          |
        2 |   notify { "x${preferred}": }
          |                ^^^^^^^^^
          |
          = in resource Ntp::Server[a], declared at @/code/production/modules/ntp/manifests/init.pp:2
          = in class ntp, declared at @/code/production/manifests/site.pp:2:3
          = in node default, defined at @/code/production/manifests/site.pp:1
          = help: did you mean `prefer`?
          = see: kukla explain unknown-variable

    "#]].assert_eq(&ran.error);
}

#[test]
fn programs_see_puppets_line() {
    let line = "\
Error: Evaluation Error: Error while evaluating a Resource Statement, Evaluation Error: Unknown variable: 'preferred'. \
(file: @/code/production/modules/ntp/manifests/server.pp, line: 2, column: 16) \
(file: @/code/production/modules/ntp/manifests/init.pp, line: 2) on node web1
";
    // Standard error is no terminal here.
    for options in [&[][..], &["--errors", "line"]] {
        let ran = sandbox().run(&[COMPILE, options].concat());
        assert_eq!((ran.code, ran.error.as_str()), (1, line));
    }
}

#[test]
fn json_has_the_code() {
    let ran = sandbox().run(&[COMPILE, &["--log-format", "json"]].concat());
    let line: serde_json::Value = serde_json::from_str(ran.error.trim_end()).expect("it is JSON");
    assert_eq!(line["code"], "unknown-variable");
}

#[test]
fn names_of_modules_are_suggested() {
    let sandbox = sandbox();
    let cases = [
        ("include ntpp", "did you mean `ntp`?"),
        ("notice(ntp::anser())", "did you mean `ntp::answer`?"),
        ("ntp::serve { 'a': }", "did you mean `ntp::server`"),
    ];
    for (code, help) in cases {
        let ran = sandbox.run(&[COMPILE, &["--errors", "pretty", "-e", code]].concat());
        assert!(ran.error.contains(help), "{code}: {}", ran.error);
    }
}

#[test]
fn code_that_is_evaluated_is_shown_too() {
    let code = "function f($x) { $x + 'a' }\n[1].each |$n| { f($n) }";
    let ran = sandbox().run(&["eval", "--errors", "pretty", "-e", code]);
    expect![[r#"
        error[not-numeric]: The value 'a' cannot be converted to Numeric.
         --> command-line-string:1:23
          |
        1 | function f($x) { $x + 'a' }
          |                       ^^^
          |
          = in function f, called at command-line-string:2:17
          = in block of each, called at command-line-string:2:4
          = see: kukla explain not-numeric

    "#]]
    .assert_eq(&ran.error);
}

#[test]
fn a_manifest_that_can_not_be_parsed_is_shown_too() {
    let sandbox = sandbox();
    sandbox
        .write("code/production/modules/ntp/manifests/init.pp", b"class ntp {\n  file { '/a':\n");
    let ran = sandbox.run(&[COMPILE, &["--errors", "pretty"]].concat());
    expect![[r#"
        error[syntax-error]: Syntax error at end of input
         --> @/code/production/modules/ntp/manifests/init.pp:3:1
          |
        2 |   file { '/a':
          |        -      ^ expected `}`
          |        |
          |        this is not closed
          |
          = in node default, defined at @/code/production/manifests/site.pp:1
          = see: kukla explain syntax-error

    "#]]
    .assert_eq(&ran.error);
}

#[test]
fn codes_of_evaluations_are_explained() {
    let ran = sandbox().run(&["explain", "UNKNOWN_VARIABLE"]);
    assert!(ran.code == 0 && ran.output.starts_with("# There is no such variable\n"));
    let ran = sandbox().run(&["explain", "unknown-varable"]);
    assert!(
        ran.code == 2 && ran.error.contains("did you mean `unknown-variable`"),
        "{}",
        ran.error
    );
}
