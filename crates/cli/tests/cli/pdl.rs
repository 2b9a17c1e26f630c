//! Errors in PDL and `data_access`, as commands show them.

use crate::support::Sandbox;
use expect_test::expect;

const BROKEN: &str = "$server = [1, 2\n$port = 1 + 2\n$server = \"a\\d\" where $x =\n";

fn site() -> Sandbox {
    Sandbox::new(&[
        ("env/environment.conf", "modulepath = modules\ndatalocation = site\n"),
        ("env/modules/ntp/manifests/init.pp", "class ntp($server = 1, $port = 2) { }"),
        ("env/site/ntp/init.pdl", BROKEN),
    ])
}

#[test]
fn validate_shows_every_error_in_its_line() {
    let sandbox = site();
    let ran = sandbox.run(&["validate", "env/site/ntp/init.pdl"]);
    assert_eq!(ran.code, 1, "{}", ran.error);
    expect![[r#"
        error[syntax-error]: Syntax error at end of line
         --> env/site/ntp/init.pdl:2:1
          |
        1 | $server = [1, 2
          |           - this is not closed
        2 | $port = 1 + 2
          | ^ expected `]`
          |

        error[pdl-unsupported]: the operator `+` cannot be used in PDL
         --> env/site/ntp/init.pdl:2:11
          |
        2 | $port = 1 + 2
          |           ^
          |
          = help: put a text in quotes; compute a value in a function, and call that

        warning[unrecognized-escape]: Unrecognized escape sequence '\d'
         --> env/site/ntp/init.pdl:3:13
          |
        3 | $server = "a\d" where $x =
          |             ^^
          |
          = help: write `\\` for a backslash, or use single quotes

        error[pdl-end-of-line]: the line goes on where it should end
         --> env/site/ntp/init.pdl:3:26
          |
        3 | $server = "a\d" where $x =
          |                          ^ unexpected here
          |
          = help: only `where` and a condition may follow; put a text of several words in quotes

    "#]]
    .assert_eq(&ran.output);
    let concise = sandbox.run(&["validate", "--format", "concise", "env"]);
    expect![[r#"
        Error: Syntax error at end of line (file: env/site/ntp/init.pdl, line: 2, column: 1)
        Error: the operator `+` cannot be used in PDL (file: env/site/ntp/init.pdl, line: 2, column: 11)
        Warning: Unrecognized escape sequence '\d' (file: env/site/ntp/init.pdl, line: 3, column: 13)
        Error: the line goes on where it should end (file: env/site/ntp/init.pdl, line: 3, column: 26)
    "#]].assert_eq(&concise.output);
    sandbox.write("env/site/ntp/init.pdl", b"$server = Debian where $x == 'y'\n");
    let fine = sandbox.run(&["validate", "env"]);
    assert_eq!((fine.code, fine.output.as_str()), (0, ""));
    assert!(fine.error.contains("checked 2 files: no errors"), "{}", fine.error);
}

#[test]
fn data_check_shows_errors_of_data_and_of_access() {
    let sandbox = site();
    sandbox.write("env/data_access", b"key 'a' where true\nkey 'b' where $facts['x'] == 'y'\n");
    let args = ["data", "check", "--environmentpath", ".", "-E", "env"];
    let ran = sandbox.run(&[&args[..], &["--format", "concise"]].concat());
    assert_eq!(ran.code, 1, "{}", ran.error);
    expect![[r#"
        Error: `$facts` cannot be relied on: only `$trusted` can (file: @/env/data_access, line: 2, column: 15)
        Error: Syntax error at end of line (file: @/env/site/ntp/init.pdl, line: 2, column: 1)
        Error: the operator `+` cannot be used in PDL (file: @/env/site/ntp/init.pdl, line: 2, column: 11)
        Warning: Unrecognized escape sequence '\d' (file: @/env/site/ntp/init.pdl, line: 3, column: 13)
        Error: the line goes on where it should end (file: @/env/site/ntp/init.pdl, line: 3, column: 26)
    "#]].assert_eq(&ran.output);
    let text = sandbox.run(&args).output;
    assert!(text.contains("2 | $port = 1 + 2\n  |           ^\n"), "{text}");
}

#[test]
fn lookup_and_compile_name_line_and_column() {
    let sandbox = site();
    let run =
        |args: &[&str]| sandbox.run(&[args, &["--environmentpath", ".", "-E", "env"]].concat());
    let place = "env/site/ntp/init.pdl, line: 2, column: 1)";
    for args in [&["lookup", "ntp::server"][..], &["compile", "-e", "include ntp"]] {
        let ran = run(args);
        assert_eq!(ran.code, 1, "{args:?}");
        let is_reported =
            ran.error.contains("Syntax error at end of line") && ran.error.contains(place);
        assert!(is_reported, "{}", ran.error);
    }
    sandbox.write("env/site/ntp/init.pdl", b"$server = [\n  'a',\n  $nope,\n]\n");
    let ran = run(&["lookup", "ntp::server"]);
    assert!(ran.error.contains("unknown variable: 'nope'"), "{}", ran.error);
    assert!(ran.error.contains("init.pdl, line: 3, column: 3)"), "{}", ran.error);
}

#[test]
fn convert_shows_why_it_cannot() {
    let sandbox = site();
    let ran = sandbox.run(&["data", "convert", "env/site/ntp/init.pdl"]);
    assert_eq!((ran.code, ran.output.as_str()), (2, ""));
    assert!(ran.error.contains("2 | $port = 1 + 2\n  |           ^\n"), "{}", ran.error);
}
