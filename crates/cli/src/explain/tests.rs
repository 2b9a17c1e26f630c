//! Tests of the renderer.

use expect_test::expect;

use super::markdown::draw;

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
