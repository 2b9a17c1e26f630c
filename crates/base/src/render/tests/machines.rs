//! The formats for programs.

use expect_test::expect_file;

use super::*;

#[test]
fn concise_is_the_line_that_puppet_prints() {
    check(
        &concise::render(&sample()),
        &expect![[r#"
            Error: Could not parse for environment production: The parameter 'x' is declared more than once in the parameter list (file: /home/me/a,b/x.pp, line: 3, column: 3)
            Warning: This has no effect: 100 %, "quoted" <tag> (file: /home/me/a,b/x.pp, line: 5, column: 3)
        "#]],
    );
}

#[test]
fn concise_has_no_preface_when_puppet_logs_several() {
    let error = |start, message| Diagnostic::error("x", Span::new(start, 1), message);
    let report =
        Report { files: vec![file("x.pp", "1\n2\n", vec![error(0, "One"), error(2, "Two")])] };
    check(
        &concise::render(&report),
        &expect![[r#"
        Error: One (file: /home/me/x.pp, line: 1, column: 1)
        Error: Two (file: /home/me/x.pp, line: 2, column: 1)
    "#]],
    );
}

#[test]
fn concise_names_as_much_of_the_place_as_puppet() {
    let error = |place| Diagnostic::parse_error("x", Span::new(0, 1), "Bad").place(place);
    let all = || {
        vec![
            error(DiagnosticPlace::At(2)),
            error(DiagnosticPlace::File),
            error(DiagnosticPlace::Nowhere),
        ]
    };
    let stdin = FileReport { puppet_file: None, ..file("<stdin>", "1\n2\n", all()) };
    let template = FileReport {
        kind: Kind::Template,
        puppet_file: Some("t.epp".into()),
        ..file("t.epp", "1\n2\n", all())
    };
    let report = Report { files: vec![file("x.pp", "1\n2\n", all()), stdin, template] };
    check(
        &concise::render(&report),
        &expect![[r#"
        Error: Could not parse for environment production: Bad (file: /home/me/x.pp, line: 2, column: 1)
        Error: Could not parse for environment production: Bad (file: /home/me/x.pp)
        Error: Could not parse for environment production: Bad
        Error: Could not parse for environment production: Bad (line: 2, column: 1)
        Error: Could not parse for environment production: Bad
        Error: Could not parse for environment production: Bad
        Error: Bad (file: t.epp, line: 2, column: 1)
        Error: Bad (file: t.epp)
        Error: Bad
    "#]],
    );
}

#[test]
fn json_has_every_field() {
    check(
        &json::render(&sample()),
        &expect![[r#"
            {
              "version": 1,
              "summary": {
                "files": 2,
                "errors": 1,
                "warnings": 1
              },
              "diagnostics": [
                {
                  "file": "a,b/x.pp",
                  "code": "duplicate-parameter",
                  "severity": "error",
                  "message": "The parameter 'x' is declared more than once in the parameter list",
                  "line": 3,
                  "column": 3,
                  "span": {
                    "start": {
                      "offset": 17,
                      "line": 3,
                      "column": 3
                    },
                    "end": {
                      "offset": 19,
                      "line": 3,
                      "column": 5
                    }
                  },
                  "label": "declared again",
                  "labels": [
                    {
                      "text": "first declared here",
                      "span": {
                        "start": {
                          "offset": 11,
                          "line": 2,
                          "column": 3
                        },
                        "end": {
                          "offset": 13,
                          "line": 2,
                          "column": 5
                        }
                      }
                    }
                  ],
                  "help": "remove one of the two"
                },
                {
                  "file": "a,b/x.pp",
                  "code": "idem",
                  "severity": "warning",
                  "message": "This has no effect: 100 %, \"quoted\" <tag>",
                  "line": 5,
                  "column": 3,
                  "span": {
                    "start": {
                      "offset": 27,
                      "line": 5,
                      "column": 3
                    },
                    "end": {
                      "offset": 28,
                      "line": 5,
                      "column": 4
                    }
                  },
                  "label": null,
                  "labels": [],
                  "help": null
                }
              ]
            }
        "#]],
    );
}

#[test]
fn json_has_no_line_where_puppet_names_none() {
    let error = Diagnostic::parse_error("x", Span::new(2, 0), "Bad").place(DiagnosticPlace::File);
    let rendered = json::render(&Report { files: vec![file("x.pp", "1\n", vec![error])] });
    assert!(rendered.contains("\"line\": null,\n      \"column\": null"), "{rendered}");
}

#[test]
fn github_escapes_commands() {
    check(
        &github::render(&sample()),
        &expect![[r#"
            ::error file=a%2Cb/x.pp,line=3,endLine=3,col=3,endColumn=5,title=duplicate-parameter::The parameter 'x' is declared more than once in the parameter list%0Ahelp: remove one of the two
            ::warning file=a%2Cb/x.pp,line=5,endLine=5,col=3,endColumn=4,title=idem::This has no effect: 100 %25, "quoted" <tag>
        "#]],
    );
}

#[test]
fn github_has_no_columns_over_several_lines() {
    let error = Diagnostic::error("x", Span::new(0, 9), "Bad");
    check(
        &github::render(&Report { files: vec![file("x.pp", "case 1 {\n}\n", vec![error])] }),
        &expect![[r#"
            ::error file=x.pp,line=1,endLine=2,title=x::Bad
        "#]],
    );
}

#[test]
fn sarif_has_rules_and_regions() {
    let explain = |code: &str| (code == "idem").then_some("# No effect\n\nWhy, and what to do.\n");
    let tool = sarif::Tool { name: "kukla", version: "1.2.3", explain };
    expect_file!["sarif.json"].assert_eq(&sarif::render(&sample(), &tool));
}

#[test]
fn sarif_names_files_by_uri() {
    let error = || Diagnostic::error("x", Span::new(0, 1), "Bad");
    let tool = sarif::Tool { name: "kukla", version: "1.2.3", explain: |_| None };
    for (name, uri) in [("./a b/é.pp", "a%20b/%C3%A9.pp"), ("/a/b.pp", "file:///a/b.pp")] {
        let log = sarif::render(&Report { files: vec![file(name, "1", vec![error()])] }, &tool);
        assert!(log.contains(&format!("\"uri\": \"{uri}\"")), "{log}");
    }
}

#[test]
fn junit_has_a_test_a_file() {
    check(
        &junit::render(&sample()),
        &expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites tests="2" failures="1" errors="0">
              <testsuite name="kukla validate" tests="2" failures="1" errors="0" skipped="0">
                <testcase classname="kukla.validate" name="a,b/x.pp">
                  <failure type="duplicate-parameter" message="The parameter 'x' is declared more than once in the parameter list">error[duplicate-parameter]: The parameter 'x' is declared more than once in the parameter list
             --&gt; a,b/x.pp:3:3
              |
            2 |   $x,
              |   -- first declared here
            3 |   $x,
              |   ^^ declared again
              |
              = help: remove one of the two
              = see: kukla explain duplicate-parameter

            </failure>
                  <system-out>warning[idem]: This has no effect: 100 %, &quot;quoted&quot; &lt;tag&gt;
             --&gt; a,b/x.pp:5:3
              |
            5 |   1
              |   ^
              |
              = see: kukla explain idem

            </system-out>
                </testcase>
                <testcase classname="kukla.validate" name="fine.pp"/>
              </testsuite>
            </testsuites>
        "#]],
    );
}

#[test]
fn junit_has_no_characters_that_xml_forbids() {
    let text = "$a = \x1b\0\u{ffff}";
    let error = Diagnostic::parse_error("x", Span::new(5, 1), "Illegal \x1b\0\u{ffff}\r\n");
    let rendered = junit::render(&Report { files: vec![file("x.pp", text, vec![error])] });
    assert!(!rendered.contains(['\x1b', '\0', '\u{ffff}', '\r']), "{rendered:?}");
}
