//! Tests: formatting keeps the tree, and formatting twice changes nothing.

use expect_test::{Expect, expect};

use super::{format, minify};
use crate::dump::dump;
use crate::limits::Limits;
use crate::parser::parse;

#[track_caller]
fn check(text: &str, expect: &Expect) {
    let formatted = format(text).expect("it can be read");
    expect.assert_eq(&formatted);
    assert_eq!(format(&formatted).as_deref(), Some(formatted.as_str()), "formatting is stable");
    let tree = |text: &str| dump(&parse(text, &Limits::DEFAULT).ast);
    assert_eq!(tree(&formatted), tree(text), "the meaning is the same");
    assert_eq!(tree(&minify(text).expect("it can be read")), tree(text), "also when it is small");
}

#[test]
fn statements_have_lines_and_blocks_are_indented() {
    check(
        "a:=1;b   := a+2 ;if(a==1){Core.log( \"x\" ,);}else{\n\n b; }",
        &expect![[r#"
            a := 1;
            b := a + 2;
            if (a == 1) {
                Core.log("x",);
            } else {
                b;
            }
        "#]],
    );
}

#[test]
fn comments_stay_where_they_are() {
    check(
        "// top\n\n\na := 1; // behind\n/* before */ b := 2;\n{ /* in */ c := 3; }\n// last",
        &expect![[r#"
            // top

            a := 1; // behind
            /* before */ b := 2;
            {
                /* in */ c := 3;
            }
            // last
        "#]],
    );
}

#[test]
fn blocks_in_expressions() {
    check(
        "{ a; } otherwise { b; }\nx := {c;} ;\nf({d;});\ntry code otherwise not {};",
        &expect![[r#"
            {
                a;
            } otherwise {
                b;
            }
            x := {
                c;
            };
            f({
                d;
            });
            try code otherwise not {};
        "#]],
    );
}

#[test]
fn small_programs_keep_the_spaces_that_they_need() {
    let small = minify("if (not a and b) { x := \"a b\"; } // c").expect("it can be read");
    assert_eq!(small, "if(not a and b){x:=\"a b\"}");
}

#[test]
fn what_can_not_be_read_is_left_alone() {
    assert_eq!(format("x := \"a"), None);
    assert_eq!(minify("x := $"), None);
}

#[test]
fn signs_stay_apart() {
    let once = format("x := false! == y;").expect("it has tokens");
    assert_eq!(once, "x := false ! == y;\n");
    assert_eq!(format(&once).as_deref(), Some(once.as_str()));
}
