//! Headings and fenced blocks of Markdown.

use std::ops::Range;

use anyhow::{Context, Result};

/// A heading with the blocks below it.
#[derive(Debug, Default)]
pub struct Section {
    /// The heading, without its `#`.
    pub title: String,
    /// The fenced blocks below it.
    pub blocks: Vec<Block>,
}

/// A fenced block.
#[derive(Debug)]
pub struct Block {
    /// The words after the opening fence.
    pub words: String,
    /// The lines between the fences, each with its end.
    pub text: String,
    /// Its lines in the file, fences included.
    pub lines: Range<usize>,
}

/// Returns the sections of a file, in order, without those that have no blocks.
pub fn sections(lines: &[String]) -> Result<Vec<Section>> {
    let mut sections = vec![Section::default()];
    let mut at = 0;
    while at < lines.len() {
        let line = &lines[at];
        if let Some(words) = line.strip_prefix("```") {
            let end = (at + 1..lines.len())
                .find(|&line| lines[line] == "```")
                .with_context(|| format!("the block of line {} has no end", at + 1))?;
            let text = lines[at + 1..end].iter().map(|line| format!("{line}\n")).collect();
            let block = Block { words: words.to_owned(), text, lines: at..end + 1 };
            sections.last_mut().context("there is always a section")?.blocks.push(block);
            at = end;
        } else if let Some(heading) = line.strip_prefix('#') {
            let title = heading.trim_start_matches('#').trim().to_owned();
            sections.push(Section { title, blocks: Vec::new() });
        }
        at += 1;
    }
    sections.retain(|section| !section.blocks.is_empty());
    Ok(sections)
}
