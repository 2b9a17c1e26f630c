//! After an error the rest of the source is still parsed.

use expect_test::{Expect, expect};
use kukla_base::Source;
use kukla_syntax::{Options, check};

#[track_caller]
fn reports(text: &str, expected: &Expect) {
    let source = Source::new("test.pp", text);
    let lines = check(text, &Options::default()).diagnostics.into_iter().map(|diagnostic| {
        let place = source.line_column(diagnostic.span.start);
        format!("{}:{} {}\n", place.line, place.column, diagnostic.message)
    });
    expected.assert_eq(&lines.collect::<String>());
}

#[test]
fn every_class_is_read() {
    reports(
        "class a {\n  file { 'x' ensure => file }\n}\nclass b {\n  $x = = 1\n}\nclass c {\n  notice(1 2)\n}\n",
        &expect![[r#"
            2:14 Syntax error at 'ensure'
            5:8 Syntax error at '='
            8:12 Syntax error at '2'
        "#]],
    );
}

#[test]
fn every_missing_comma_is_told() {
    reports(
        "file { '/etc/motd':\n  ensure => file\n  owner => 'root'\n  group => 'root'\n}\n",
        &expect![[r#"
            3:3 Syntax error at 'owner'
            4:3 Syntax error at 'group'
        "#]],
    );
}

#[test]
fn validation_goes_on_beside_a_syntax_error() {
    reports(
        "class a {\n  notice(1,\n}\nclass b($x, $x) {\n}\n",
        &expect![[r#"
            3:1 Syntax error at '}'
            4:13 The parameter 'x' is declared more than once in the parameter list
        "#]],
    );
}

#[test]
fn a_forgotten_brace_does_not_hide_the_next_definition() {
    reports(
        "class a {\n  if $x {\n    notice(1)\n}\n\nclass b {\n  $y = = 2\n}\n",
        &expect![[r#"
            7:8 Syntax error at '='
            9:1 Syntax error at end of input
        "#]],
    );
}

#[test]
fn an_error_in_a_string_does_not_end_the_reading() {
    reports(
        "$a = \"x ${1 2} y\"\n$b = = 1\n",
        &expect![[r#"
            1:13 Syntax error at '2'
            2:6 Syntax error at '='
        "#]],
    );
}

#[test]
fn errors_of_the_lexer_stand_for_themselves() {
    reports(
        "$a = 0xZZ\n$b = Foo::bar\n$c = 089\n",
        &expect![[r#"
            1:6 Not a valid hex number 0xZZ
            2:6 Illegal class reference
            3:6 Not a valid octal number 089
        "#]],
    );
}

#[test]
fn a_brace_too_many_is_passed_over() {
    reports(
        "class a {\n}\n}\n$b = = 1\n",
        &expect![[r#"
            3:1 Syntax error at '}'
            4:6 Syntax error at '='
        "#]],
    );
}
