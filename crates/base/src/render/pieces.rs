//! Long JSON documents, written piece by piece.

use serde_json::Value;

/// Renders `document` with these items in its empty list of that name.
///
/// A report may have very many items, so only one of them is in memory as a tree. Each is indented by `depth` levels.
pub(super) fn with_items(
    document: &Value,
    list: &str,
    depth: usize,
    items: impl Iterator<Item = Value>,
) -> String {
    let line_break = format!("\n{}", "  ".repeat(depth));
    let mut text = format!("{document:#}\n");
    // Inside a JSON string the quotes would be escaped, so the only match is the key.
    let empty = format!("\"{list}\": []");
    let end = text.rfind(&empty).expect("the document has the empty list") + empty.len() - 1;
    let tail = text.split_off(end);
    let mut is_empty = true;
    for item in items {
        let separator = if is_empty { "" } else { "," };
        text.extend([separator, &line_break, &format!("{item:#}").replace('\n', &line_break)]);
        is_empty = false;
    }
    if !is_empty {
        text.push_str(&line_break[..line_break.len() - 2]);
    }
    text + &tail
}
