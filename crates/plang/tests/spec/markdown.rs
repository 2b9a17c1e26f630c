//! Headings and fenced blocks.

use std::ops::Range;

/// A fenced block.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The word behind the fence.
    pub(crate) kind: String,
    /// The words behind that.
    pub(crate) words: Vec<String>,
    pub(crate) text: String,
    /// The range of lines, with its fences.
    pub(crate) lines: Range<usize>,
}

/// A heading and the blocks below it.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) blocks: Vec<Block>,
}

/// Returns all headings that have blocks.
pub(crate) fn sections(lines: &[String]) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        if let Some(fence) = lines[at].strip_prefix("```") {
            let end = (at + 1..lines.len()).find(|line| lines[*line] == "```");
            let end = end.expect("every block has an end");
            let mut words = fence.split_whitespace().map(str::to_owned);
            let block = Block {
                kind: words.next().unwrap_or_default(),
                words: words.collect(),
                text: lines[at + 1..end].iter().map(|line| format!("{line}\n")).collect(),
                lines: at..end + 1,
            };
            let section = sections.last_mut().expect("a block stands below a heading");
            section.blocks.push(block);
            at = end + 1;
            continue;
        }
        if lines[at].starts_with('#') {
            let title = lines[at].trim_start_matches('#').trim().to_owned();
            sections.push(Section { title, blocks: Vec::new() });
        }
        at += 1;
    }
    sections.retain(|section| !section.blocks.is_empty());
    sections
}
