//! PDL and `data_access`: every error is underlined, and one does not hide the next.

#![expect(
    clippy::disallowed_methods,
    reason = "tests read and write files, run programs and measure time"
)]

use std::fmt::Write;
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use kukla_base::render::text::{Style, render_file};
use kukla_base::render::{FileReport, Kind};
use kukla_base::{Diagnostic, Source};
use kukla_syntax::data::{Data, check_access, check_pdl};
use kukla_syntax::{Language, Options, check_bytes};

/// Draws all diagnostics of a file.
fn drawn(name: &str, text: &str, data: Data) -> String {
    let source = Source::new(name, text);
    let (kind, diagnostics) = (Kind::Data, data.diagnostics);
    render_file(&FileReport { source, kind, puppet_file: None, diagnostics }, Style::PLAIN)
}

#[track_caller]
fn pdl(text: &str, expected: &Expect) {
    expected.assert_eq(&drawn("site.pdl", text, check_pdl(text)));
}

#[track_caller]
fn access(text: &str, expected: &Expect) {
    expected.assert_eq(&drawn("data_access", text, check_access(text)));
}

/// Lists one line per diagnostic, for tables of small mistakes.
fn list(texts: &[&str], check: fn(&str) -> Data) -> String {
    let mut out = String::new();
    for text in texts {
        let source = Source::new("", *text);
        let _ = writeln!(out, "{}", text.replace('\0', "\\0"));
        for diagnostic in check(text).diagnostics {
            let place = source.line_column(diagnostic.span.start);
            let underlined = source.slice(diagnostic.span).replace('\0', "\\0");
            let Diagnostic { code, message, .. } = diagnostic;
            let _ =
                writeln!(out, "  {}:{} `{underlined}` {code}: {message}", place.line, place.column);
        }
    }
    out
}

#[test]
fn every_line_with_an_error_is_reported() {
    pdl(
        "$a = 1\n$b == 2\n$c = 3\nserver = 4\n$d = [1, 2\n$e = hello world\n$f = 6 where\n$g = 7\n",
        &expect![[r#"
            error[syntax-error]: Syntax error at '=='
             --> site.pdl:2:4
              |
            2 | $b == 2
              |    ^^ expected `=`
              |

            error[pdl-statement]: a line must start with `$name =`
             --> site.pdl:4:1
              |
            4 | server = 4
              | ^^^^^^ no name of a variable
              |

            error[syntax-error]: Syntax error at end of line
             --> site.pdl:6:1
              |
            5 | $d = [1, 2
              |      - this is not closed
            6 | $e = hello world
              | ^ expected `]`
              |

            error[pdl-end-of-line]: the line goes on where it should end
             --> site.pdl:6:12
              |
            6 | $e = hello world
              |            ^^^^^ unexpected here
              |
              = help: only `where` and a condition may follow; put a text of several words in quotes

            error[syntax-error]: Syntax error at end of line
             --> site.pdl:7:13
              |
            7 | $f = 6 where
              |             ^ more was expected
              |

        "#]],
    );
}

#[test]
fn statements_without_errors_are_kept() {
    let data = check_pdl("$a = 1\n$b = = 2\n$c = [1,\n  2]\n$d = 4 +\n$e = 5 # the end");
    let source = Source::new("", data.ast.source());
    let lines: Vec<u32> =
        data.statements.iter().map(|statement| source.line(statement.span.start)).collect();
    assert_eq!(lines, [1, 3, 6]);
}

#[test]
fn a_forgotten_bracket_is_shown_where_it_was_opened() {
    pdl(
        "$a = {\n  'x' => [1, 2,\n  'y' => 3,\n}\n$b = (1\n$c = 3\n",
        &expect![[r#"
        error[syntax-error]: Syntax error at '}'
         --> site.pdl:4:1
          |
        4 | }
          | ^ unexpected here
          |
          = help: remove the comma before it

        error[syntax-error]: Syntax error at end of line
         --> site.pdl:6:1
          |
        5 | $b = (1
          |      - this is not closed
        6 | $c = 3
          | ^ expected `)`
          |

    "#]],
    );
}

#[test]
fn a_forgotten_quote_is_shown_where_it_was_opened() {
    pdl(
        "$a = 'one'\n$b = \"two ${facts['os']}\n$c = 3\n",
        &expect![[r#"
        error[unclosed-quote]: Unclosed quote after 'c' followed by ' = 3\n...'
         --> site.pdl:2:6
          |
        2 | $b = "two ${facts['os']}
          |      ^ the closing quote is missing
          |

    "#]],
    );
}

#[test]
fn small_mistakes() {
    let texts = [
        "server = 1",
        "= 1",
        "$ = 1",
        "$a",
        "$a =",
        "$a = ,",
        "$a += 1",
        "$a = $b = 1",
        "$a[0] = 1",
        "$a = 1 2",
        "$a = 1;",
        "$a = 1, 2",
        "$a = 1 where",
        "$a = where 1 where 2 where 3",
        "$a = 1 if $b",
        "$a = [1 2]",
        "$a = [1, 2)",
        "$a = [1,, 2]",
        "$a = {x}",
        "$a = {x = 1}",
        "$a = {x => }",
        "$a = {x => 1 y => 2}",
        "$a = f(1",
        "$a = )",
        "$a = 'it's'",
        "$a = \"${}\"",
        "$a = \"${b c}\"",
        "$a = \"${b\"",
        "$a = \"${b-c}\"",
        "$a = \"${'x' +}\"",
        "$a = \"\\d\"",
        "$a = 1 where $b =~ /x",
        "$a = 1 where $b =~ /(/",
        "$a = 12monkeys",
        "$a = 0x",
        "$a = 089",
        "$a = 9223372036854775808",
        "$a = \u{e9}",
        "$a = 'x' \u{0}",
        "$a = /* no end",
    ];
    expect![[r#"
        server = 1
          1:1 `server` pdl-statement: a line must start with `$name =`
        = 1
          1:1 `=` pdl-statement: a line must start with `$name =`
        $ = 1
          1:1 `$` illegal-var-name: a name must follow `$`
        $a
          1:3 `` syntax-error: Syntax error at end of line
        $a =
          1:5 `` syntax-error: Syntax error at end of line
        $a = ,
          1:6 `,` syntax-error: Syntax error at ','
        $a += 1
          1:4 `+=` syntax-error: Syntax error at '+='
        $a = $b = 1
          1:9 `=` pdl-end-of-line: the line goes on where it should end
        $a[0] = 1
          1:1 `$a[` pdl-element-assignment: elements cannot be assigned: give `$a` its whole value
        $a = 1 2
          1:8 `2` pdl-end-of-line: the line goes on where it should end
        $a = 1;
          1:7 `;` pdl-end-of-line: the line goes on where it should end
        $a = 1, 2
          1:7 `,` pdl-end-of-line: the line goes on where it should end
        $a = 1 where
          1:13 `` syntax-error: Syntax error at end of line
        $a = where 1 where 2 where 3
          1:12 `1` pdl-end-of-line: the line goes on where it should end
        $a = 1 if $b
          1:8 `if` pdl-end-of-line: the line goes on where it should end
        $a = [1 2]
          1:9 `2` syntax-error: Syntax error at '2'
        $a = [1, 2)
          1:11 `)` syntax-error: Syntax error at ')'
        $a = [1,, 2]
          1:9 `,` syntax-error: Syntax error at ','
        $a = {x}
          1:8 `}` syntax-error: Syntax error at '}'
        $a = {x = 1}
          1:9 `=` syntax-error: Syntax error at '='
        $a = {x => }
          1:12 `}` syntax-error: Syntax error at '}'
        $a = {x => 1 y => 2}
          1:14 `y` syntax-error: Syntax error at 'y'
        $a = f(1
          1:9 `` syntax-error: Syntax error at end of line
        $a = )
          1:6 `)` syntax-error: Syntax error at ')'
        $a = 'it's'
          1:10 `s` pdl-end-of-line: the line goes on where it should end
          1:11 `'` unclosed-quote: Unclosed quote after "'" followed by '<eof>'
        $a = "${}"
          1:10 `"` syntax-error: Syntax error at '"'
        $a = "${b c}"
          1:11 `c` syntax-error: Syntax error at 'c'
        $a = "${b"
          1:10 `"` unclosed-quote: Unclosed quote after '"' followed by '<eof>'
        $a = "${b-c}"
          1:10 `-` pdl-unsupported: the operator `-` cannot be used in PDL
        $a = "${'x' +}"
          1:15 `"` syntax-error: Syntax error at '"'
        $a = "\d"
          1:7 `\d` unrecognized-escape: Unrecognized escape sequence '\d'
        $a = 1 where $b =~ /x
          1:20 `/` unclosed-regexp: the regular expression is not closed
        $a = 1 where $b =~ /(/
          1:20 `/(/` invalid-regexp: end pattern with unmatched parenthesis: /(/
        $a = 12monkeys
          1:6 `12monkeys` illegal-number: Illegal number '12monkeys'
        $a = 0x
          1:6 `0x` invalid-hex-number: Not a valid hex number 0x
        $a = 089
          1:6 `089` invalid-octal-number: Not a valid octal number 089
        $a = 9223372036854775808
          1:6 `9223372036854775808` numeric-overflow: A Literal Integer resulted in a value outside of Puppet Integer max range, got '+0x8000000000000000'
        $a = é
          1:6 `é` syntax-error: Syntax error at 'é'
        $a = 'x' \0
          1:10 `\0` pdl-end-of-line: the line goes on where it should end
        $a = /* no end
          1:6 `/*` unclosed-mlcomment: Unclosed multiline comment
    "#]].assert_eq(&list(&texts, check_pdl));
}

#[test]
fn expressions_that_pdl_does_not_have() {
    let texts = [
        "$a = 1 + 2",
        "$a = web-1",
        "$a = 'x' * ($b - 1)",
        "$a = $b ? { 'x' => 1, default => 2 }",
        "$a = $b.upcase",
        "$a = 'b'.split('')",
        "$a = -$b",
        "$a = *$b",
        "$a = [1, 2][0]",
        "$a = $b[0, 1]",
        "$a = $b(1)",
        "$a = [1].map |$x| { $x }",
        "$a = map([1]) |$x| { $x }",
        "$a = @(END)\ntext\nEND",
        "$a = if $b { 1 }",
        "$a = File['/tmp']",
        "$a = notify { 'x': }",
        "$a = 1 << 2",
        "$a = $b -> $c",
        "$a = 1 where $b + 1 == 2 and $c % 2 == 0",
    ];
    expect![[r#"
        $a = 1 + 2
          1:8 `+` pdl-unsupported: the operator `+` cannot be used in PDL
        $a = web-1
          1:9 `-` pdl-unsupported: the operator `-` cannot be used in PDL
        $a = 'x' * ($b - 1)
          1:10 `*` pdl-unsupported: the operator `*` cannot be used in PDL
        $a = $b ? { 'x' => 1, default => 2 }
          1:6 `$b ? { 'x' => 1, default => 2` pdl-unsupported: a selector cannot be used in PDL
        $a = $b.upcase
          1:6 `$b.upcase` pdl-unsupported: a method call cannot be used in PDL
        $a = 'b'.split('')
          1:6 `'b'.split('')` pdl-unsupported: a method call cannot be used in PDL
        $a = -$b
          1:6 `-$b` pdl-unsupported: a sign before anything but a number cannot be used in PDL
        $a = *$b
          1:6 `*$b` pdl-unsupported: a sign before anything but a number cannot be used in PDL
        $a = [1, 2][0]
          1:6 `[1, 2][0]` pdl-unsupported: an element of anything but a variable cannot be used in PDL
        $a = $b[0, 1]
          1:6 `$b[0, 1]` pdl-unsupported: `[…]` with several keys cannot be used in PDL
        $a = $b(1)
          1:6 `$b(1)` pdl-unsupported: a call of anything but a function cannot be used in PDL
        $a = [1].map |$x| { $x }
          1:14 `|` pdl-end-of-line: the line goes on where it should end
        $a = map([1]) |$x| { $x }
          1:15 `|` pdl-end-of-line: the line goes on where it should end
        $a = @(END)
        text
        END
          1:6 `@` syntax-error: Syntax error at '@'
          2:1 `text` pdl-statement: a line must start with `$name =`
          3:1 `END` pdl-statement: a line must start with `$name =`
        $a = if $b { 1 }
          1:9 `$b` pdl-end-of-line: the line goes on where it should end
        $a = File['/tmp']
          1:6 `File['/tmp']` pdl-unsupported: an element of anything but a variable cannot be used in PDL
        $a = notify { 'x': }
          1:13 `{` pdl-end-of-line: the line goes on where it should end
        $a = 1 << 2
          1:9 `<` syntax-error: Syntax error at '<'
        $a = $b -> $c
          1:9 `->` pdl-end-of-line: the line goes on where it should end
        $a = 1 where $b + 1 == 2 and $c % 2 == 0
          1:17 `+` pdl-unsupported: the operator `+` cannot be used in PDL
          1:33 `%` pdl-unsupported: the operator `%` cannot be used in PDL
    "#]].assert_eq(&list(&texts, check_pdl));
}

#[test]
fn rules_of_data_access() {
    access(
        "key 'db::*' where $trusted['certname'] == 'x'\nkeys 'a'\nkey db\nkey \"a\"\n\
         key 'a' where upcase('x') == $trusted['y']\nkey 'a' where 'x' == 'x'\n\
         file 'x' where $facts['role'] == $role\nkey 'b' where ($trusted['x'] == 'y'\nkey 'c' 'd'\nfile\n",
        &expect![[r#"
            error[data-access-statement]: a line must start with `key` or `file`
             --> data_access:2:1
              |
            2 | keys 'a'
              | ^^^^
              |

            error[data-access-statement]: a pattern in quotes is expected here
             --> data_access:3:5
              |
            3 | key db
              |     ^^
              |

            error[data-access-condition]: `where` is missing: without a condition `a` is for all nodes
             --> data_access:4:1
              |
            4 | key "a"
              | ^^^
              |

            error[data-access-untrusted]: the function `upcase` cannot be called in a rule
             --> data_access:5:15
              |
            5 | key 'a' where upcase('x') == $trusted['y']
              |               ^^^^^^^^^^^
              |
              = help: functions may read what a node says of itself

            error[data-access-condition]: the condition says nothing of `$trusted`, so it is the same for all nodes
             --> data_access:6:15
              |
            6 | key 'a' where 'x' == 'x'
              |               ^^^^^^^^^^
              |
              = help: write `true` or `false` for a condition that is always or never met

            error[data-access-untrusted]: `$facts` cannot be relied on: only `$trusted` can
             --> data_access:7:16
              |
            7 | file 'x' where $facts['role'] == $role
              |                ^^^^^^
              |
              = help: a node may say what it likes in its facts

            error[data-access-untrusted]: `$role` cannot be relied on: only `$trusted` can
             --> data_access:7:34
              |
            7 | file 'x' where $facts['role'] == $role
              |                                  ^^^^^
              |
              = help: a node may say what it likes in its facts

            error[syntax-error]: Syntax error at end of line
             --> data_access:9:1
              |
            8 | key 'b' where ($trusted['x'] == 'y'
              |               - this is not closed
            9 | key 'c' 'd'
              | ^ expected `)`
              |

            error[pdl-end-of-line]: the line goes on where it should end
             --> data_access:9:9
              |
            9 | key 'c' 'd'
              |         ^^^ unexpected here
              |
              = help: only `where` and a condition may follow; put a text of several words in quotes

            error[data-access-statement]: a pattern in quotes is expected here
              --> data_access:10:5
               |
            10 | file
               |     ^
               |

        "#]],
    );
}

#[test]
fn what_puppet_has_no_word_for_is_text() {
    let accepted = [
        "",
        "\n\n# nothing\n",
        "$a = Debian\n$b = Foo::bar::Baz\n$c = _x\n$d = class\n$e = default\n$f = web",
        "$a = [in, and, or]\n$b = { in => 1, if: 2 }",
        "$a = 1 where 1 <-1",
        "$a = [ # one\n  1,\n\n  2 # two\n]\n",
        "$a = $b [0] ['x']\n$c = f ('x', [1,],)",
        "$a = \"${b == 'x'} ${c['d'][0]} $::e::f ${upcase('x')}\"",
        "$a = 1. where 01.5 > 1",
        "$a = 'x'\u{c}where\u{a0}true\r\n$b = 2",
        "$a = 1 /* a comment */ where true",
        "$Abc = 1 where /x/ in ['x']",
    ];
    for text in accepted {
        assert_eq!(check_pdl(text).diagnostics, [], "{text}");
    }
}

/// Checks hostile text, which must not take long, and returns the codes of its diagnostics.
#[track_caller]
fn codes(text: &str) -> Vec<&'static str> {
    let start = Instant::now();
    let codes = check_pdl(text).diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    let _ = check_access(text);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    codes
}

#[test]
fn depth_is_bounded() {
    for open in ["[", "(", "{a=>", "!", "f(", "-", "$x[", "\"${"] {
        let codes = codes(&format!("$a = {}", open.repeat(100_000)));
        assert_eq!(codes.first(), Some(&"too-deep"), "{open}");
    }
    let nested = |n: usize| format!("$a = {}{}", "[".repeat(n), "]".repeat(n));
    assert_eq!(codes(&nested(200)), Vec::<&str>::new());
    assert_eq!(codes(&nested(201)), ["too-deep"]);
    let chain = |n: usize| format!("$a = 1 where true{}", " or true".repeat(n));
    assert_eq!(codes(&chain(9_000)), Vec::<&str>::new());
    assert_eq!(codes(&chain(100_000)), ["too-deep"]);
}

#[test]
fn work_grows_with_the_text_only() {
    let n = 100_000;
    assert_eq!(codes(&"$a = [\n".repeat(n)).len(), n);
    assert_eq!(codes(&"$a = ((([\n".repeat(n)).len(), n);
    assert_eq!(codes(&"x ".repeat(n)), ["pdl-statement"]);
    assert_eq!(codes(&"x\n".repeat(n)).len(), n);
    assert_eq!(codes(&"$a = 1 + 2\n".repeat(n)).len(), n);
    assert_eq!(codes(&"$a = /x\n".repeat(n)).len(), n / 2);
    assert_eq!(codes(&format!("$a = [{}]", "1,".repeat(n))), Vec::<&str>::new());
    assert_eq!(codes(&format!("$a = [{}", "\n$b".repeat(n))).len(), 1);
    assert_eq!(codes(&"]".repeat(n)), ["pdl-statement"]);
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let options = Options { language: Language::Data, ..Options::default() };
    let refused = |bytes: &[u8]| check_bytes(bytes, &options).map_err(|diagnostic| diagnostic.code);
    assert_eq!(refused(b"$a = '\xff'").err(), Some("not-utf-8"));
    assert_eq!(refused(b"\xef\xbb\xbf$a = 1").err(), Some("illegal-bom"));
    let nul = refused(b"$a = \0").expect("it is UTF-8").diagnostics;
    assert_eq!(nul.iter().map(|it| it.code).collect::<Vec<_>>(), ["syntax-error"]);
    let text = refused(b"$a = 'b\0c'").expect("it is UTF-8");
    assert_eq!(text.diagnostics, [], "a string may hold any character");
}

#[test]
fn no_noise_makes_it_panic() {
    let words: Vec<&str> = "$a|$x::y| = |==|=~|/r/|/|'|\"|${|}|{|[|]|(|)|,|:|::|=>| where | and |!|in|\n|#|1|-|0x|.|\\|\u{e9}|true|f(|key |file |@(|/*|\0|\r|?|<|<-|`"
        .split('|')
        .collect();
    let mut state = 11_u64;
    let mut next = |n: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % n
    };
    for _ in 0..30_000 {
        let length = next(30);
        let text: String = (0..length).map(|_| words[next(words.len())]).collect();
        for diagnostic in
            check_pdl(&text).diagnostics.iter().chain(&check_access(&text).diagnostics)
        {
            assert!(text.get(diagnostic.span.range()).is_some(), "{text:?}: {diagnostic:?}");
        }
    }
}
