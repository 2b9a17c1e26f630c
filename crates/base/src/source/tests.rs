//! Lines and columns.

use super::*;

fn check(text: &str, offset: usize, line: u32, column: u32) {
    let offset = u32::try_from(offset).unwrap();
    let position = Source::new("x", text).line_column(offset);
    assert_eq!(position, LineColumn { line, column }, "offset {offset}");
}

#[test]
fn lines_and_columns_count_from_one() {
    check("", 0, 1, 1);
    check("ab\ncd\n", 0, 1, 1);
    check("ab\ncd\n", 2, 1, 3);
    check("ab\ncd\n", 3, 2, 1);
    check("ab\ncd\n", 6, 3, 1);
    check("ab\ncd\n", 99, 3, 1);
}

#[test]
fn columns_count_characters() {
    check("äö b", 5, 1, 4);
    check("a\räö b", 7, 1, 6);
}

#[test]
fn columns_of_long_lines_count_the_same() {
    let text = format!("first\n{}\nlast", "aäの".repeat(10_000));
    for n in [0, 1, 682, 683, 1365, 1366, 9_999, 10_000] {
        check(&text, 6 + n * 6, 2, u32::try_from(n * 3 + 1).unwrap());
    }
    check(&text, text.len(), 3, 5);
}
