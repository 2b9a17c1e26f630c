//! The text format.

use super::*;

/// Draws an error at a part of a text.
fn draw(text: &str, part: &str) -> String {
    draw_span(text, span(text, part))
}

fn draw_span(text: &str, span: Span) -> String {
    let error = Diagnostic::parse_error("syntax-error", span, "Syntax error").label("here");
    text::render(&Report { files: vec![file("x.pp", text, vec![error])] }, Style::PLAIN)
}

#[test]
fn all_parts_are_drawn() {
    check(
        &text::render(&sample(), Style::PLAIN),
        &expect![[r#"
            error[duplicate-parameter]: The parameter 'x' is declared more than once in the parameter list
             --> a,b/x.pp:3:3
              |
            2 |   $x,
              |   -- first declared here
            3 |   $x,
              |   ^^ declared again
              |
              = help: remove one of the two
              = see: kukla explain duplicate-parameter

            warning[idem]: This has no effect: 100 %, "quoted" <tag>
             --> a,b/x.pp:5:3
              |
            5 |   1
              |   ^
              |
              = see: kukla explain idem

        "#]],
    );
}

#[test]
fn tabs_keep_the_underline_in_place() {
    check(
        &draw("\t\tif $x }\n", "}"),
        &expect![[r#"
            error[syntax-error]: Syntax error
             --> x.pp:1:9
              |
            1 |         if $x }
              |               ^ here
              |
              = see: kukla explain syntax-error

        "#]],
    );
}

#[test]
fn wide_characters_keep_the_underline_in_place() {
    check(
        &draw("$x = '日本語' }\n", "}"),
        &expect![[r#"
            error[syntax-error]: Syntax error
             --> x.pp:1:12
              |
            1 | $x = '日本語' }
              |               ^ here
              |
              = see: kukla explain syntax-error

        "#]],
    );
}

#[test]
fn carriage_returns_are_not_drawn() {
    check(
        &draw("$a = 1\r\n$b = }\r\n$c = 2\r\n", "}"),
        &expect![[r#"
            error[syntax-error]: Syntax error
             --> x.pp:2:6
              |
            2 | $b = }
              |      ^ here
              |
              = see: kukla explain syntax-error

        "#]],
    );
}

#[test]
fn a_line_break_is_underlined_at_the_end_of_its_line() {
    check(
        &draw("$a = 1\r\n$b\r\n", "\r\n$b"),
        &expect![[r#"
            error[syntax-error]: Syntax error
             --> x.pp:1:7
              |
            1 |   $a = 1
              |  _______^
            2 | | $b
              | |__^ here
              |
              = see: kukla explain syntax-error

        "#]],
    );
    check(
        &draw_span("$a = 1\r\n$b\r\n", Span::new(7, 1)),
        &expect![[r#"
            error[syntax-error]: Syntax error
             --> x.pp:1:8
              |
            1 | $a = 1
              |       ^ here
              |
              = see: kukla explain syntax-error

        "#]],
    );
}

#[test]
fn the_end_of_input_is_after_the_last_text() {
    let text = "class a {\n  $b = 1\n\n";
    check(
        &draw_span(text, Span::new(20, 0)),
        &expect![[r#"
            error[syntax-error]: Syntax error
             --> x.pp:4:1
              |
            2 |   $b = 1
              |         ^ here
              |
              = see: kukla explain syntax-error

        "#]],
    );
}

#[test]
fn the_end_of_input_without_a_place_has_a_line_all_the_same() {
    let error =
        Diagnostic::parse_error("syntax-error", Span::new(10, 0), "Syntax error at end of input")
            .place(DiagnosticPlace::File);
    let report = Report { files: vec![file("x.pp", "class a {\n", vec![error])] };
    check(
        &text::render(&report, Style::PLAIN),
        &expect![[r#"
            error[syntax-error]: Syntax error at end of input
             --> x.pp:1:10
              |
            1 | class a {
              |          ^
              |
              = see: kukla explain syntax-error

        "#]],
    );
}

#[test]
fn an_empty_file_has_no_source_to_draw() {
    check(
        &draw_span("", Span::new(0, 0)),
        &expect![[r#"
            error[syntax-error]: Syntax error
            --> x.pp
             |
             = see: kukla explain syntax-error

        "#]],
    );
}

#[test]
fn a_diagnostic_of_the_whole_file_draws_no_source() {
    let error =
        Diagnostic::parse_error("encoding", Span::default(), "invalid byte sequence in UTF-8")
            .place(DiagnosticPlace::Nowhere);
    let report = Report { files: vec![file("x.pp", "$a\n", vec![error])] };
    check(
        &text::render(&report, Style::PLAIN),
        &expect![[r#"
            error[encoding]: invalid byte sequence in UTF-8
            --> x.pp
             |
             = see: kukla explain encoding

        "#]],
    );
}

#[test]
fn long_lines_are_cut_around_the_place() {
    let text = format!("$a = '{}' }} '{}'\n", "é".repeat(50_000), "x".repeat(50_000));
    check(
        &draw(&text, "}"),
        &expect![[r#"
            error[syntax-error]: Syntax error
             --> x.pp:1:50009
              |
            1 | …ééééééééééééééééééé' } 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
              |                       ^ here
              |
              = see: kukla explain syntax-error

        "#]],
    );
}

#[test]
fn a_long_span_is_cut_in_a_long_line() {
    let text = format!("$a = 'é{}\n$b = 2\n", "x".repeat(50_000));
    check(
        &draw_span(&text, Span::new(5, 50_003)),
        &expect![[r#"
            error[syntax-error]: Syntax error
             --> x.pp:1:6
              |
            1 | $a = 'éxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
              |      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ here
              |
              = see: kukla explain syntax-error

        "#]],
    );
}

#[test]
fn spans_over_some_lines_are_drawn_whole() {
    check(
        &draw(
            "a\nclass b {\n  $c = 1\n  $d = 1\n  $e = 1\n  $f = 1\n  $g = 1\n  $h = 1\n}\n",
            "class b {\n  $c = 1\n  $d = 1\n  $e = 1\n  $f = 1\n  $g = 1\n  $h = 1\n}",
        ),
        &expect![[r#"
            error[syntax-error]: Syntax error
             --> x.pp:2:1
              |
            2 | / class b {
            3 | |   $c = 1
            4 | |   $d = 1
            5 | |   $e = 1
            ... |
            8 | |   $h = 1
            9 | | }
              | |_^ here
              |
              = see: kukla explain syntax-error

        "#]],
    );
}

#[test]
fn spans_over_many_lines_are_drawn_at_their_first() {
    let text = format!("class a {{\n{}}}\n", "  $b = 1\n".repeat(1000));
    check(
        &draw_span(&text, Span::new(0, 9010)),
        &expect![[r#"
            error[syntax-error]: Syntax error
             --> x.pp:1:1
              |
            1 | class a {
              | ^^^^^^^^^ here
              |
              = see: kukla explain syntax-error

        "#]],
    );
}

#[test]
fn labels_far_away_are_drawn_apart() {
    let text = format!("$a = 1\n{}$a = 2\n", "\n".repeat(1000));
    let error = Diagnostic::error("x", Span::new(1007, 2), "again")
        .label("here")
        .label_at(Span::new(0, 2), "first");
    let report = Report { files: vec![file("x.pp", &text, vec![error])] };
    check(
        &text::render(&report, Style::PLAIN),
        &expect![[r#"
            error[x]: again
                --> x.pp:1002:1
                 |
            1002 | $a = 2
                 | ^^ here
                 |
                ::: x.pp:1:1
                 |
               1 | $a = 1
                 | -- first
                 |
                 = see: kukla explain x

        "#]],
    );
}

#[test]
fn control_characters_are_made_visible() {
    let text = "$a = \x1b[31m\0";
    let error = Diagnostic::parse_error("x", span(text, "\x1b"), "Illegal '\x1b[31m'\n\u{9b}")
        .label("\x1b");
    let report = Report { files: vec![file("x\x07.pp", text, vec![error])] };
    check(
        &text::render(&report, Style::PLAIN),
        &expect![[r#"
            error[x]: Illegal '␛[31m'␊�
             --> x␇.pp:1:6
              |
            1 | $a = ␛[31m␀
              |      ^ ␛
              |
              = see: kukla explain x

        "#]],
    );
}

#[test]
fn spans_outside_the_text_or_inside_a_character_are_drawn_somehow() {
    check(
        &draw_span("é", Span::new(1, 1)),
        &expect![[r#"
            error[syntax-error]: Syntax error
             --> x.pp:1:2
              |
            1 | é
              | ^ here
              |
              = see: kukla explain syntax-error

        "#]],
    );
    check(
        &draw_span("é", Span::new(70, 7)),
        &expect![[r#"
            error[syntax-error]: Syntax error
             --> x.pp:1:2
              |
            1 | é
              |  ^ here
              |
              = see: kukla explain syntax-error

        "#]],
    );
}

#[test]
fn colour_is_the_callers_choice() {
    let report = Report {
        files: vec![file("x.pp", "}", vec![Diagnostic::parse_error("x", Span::new(0, 1), "Bad")])],
    };
    let drawn = text::render(&report, Style { colour: true, width: 80 });
    assert!(drawn.contains("\x1b[1m\x1b[91merror[x]"), "{drawn:?}");
}
