//! Suggestions and Markdown.

use expect_test::expect;

use super::markdown::draw;
use super::nearest::nearest;

#[test]
fn the_nearest_come_first() {
    let codes = ["syntax-error", "duplicate-key", "duplicate-parameter", "duplicate-default"];
    assert_eq!(nearest("sintax-eror", codes.into_iter()), ["syntax-error"]);
    assert_eq!(nearest("duplicate-keys", codes.into_iter()), ["duplicate-key"]);
    assert_eq!(nearest("duplicate", codes.into_iter()).len(), 3);
    assert_eq!(nearest("prot", ["port", "host"].into_iter()), ["port"]);
    assert_eq!(nearest("ab", ["ba", "cd"].into_iter()), ["ba"]);
    assert!(nearest("zebra", codes.into_iter()).is_empty());
}

#[test]
fn marks_become_styles() {
    let drawn = draw("# Title `x`\n\nUse `a`, not b.\n\n```puppet\nclass a {\n\n}\n```\nEnd\n");
    expect![[r#"
        ^[1mTitle x^[0m

        Use ^[36ma^[0m, not b.

            class a {

            }
        End
    "#]]
    .assert_eq(&drawn.replace('\x1b', "^"));
}
