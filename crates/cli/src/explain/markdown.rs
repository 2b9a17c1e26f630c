//! Renderer for the Markdown of explanations on the terminal.

use std::fmt::Write;

use anstyle::{AnsiColor, Effects, Style};

const HEADING: Style = Style::new().effects(Effects::BOLD);
const CODE: Style = AnsiColor::Cyan.on_default();

/// Renders headings in bold, code blocks indented, inline code in colour.
pub(super) fn draw(markdown: &str) -> String {
    let mut drawn = String::with_capacity(markdown.len() * 2);
    let mut in_code = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if in_code {
            let indent = if line.is_empty() { "" } else { "    " };
            push(&mut drawn, format_args!("{indent}{line}"));
        } else if line.starts_with('#') {
            let heading = line.trim_start_matches(['#', ' ']).replace('`', "");
            push(&mut drawn, format_args!("{HEADING}{heading}{HEADING:#}"));
        } else {
            push(&mut drawn, format_args!("{}", inline(line)));
        }
    }
    drawn
}

fn push(drawn: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(drawn, "{line}").expect("a String takes all that is written");
}

/// Colours the parts between backticks.
fn inline(line: &str) -> String {
    let parts = line.split('`').enumerate();
    parts
        .map(
            |(index, part)| {
                if index % 2 == 1 { format!("{CODE}{part}{CODE:#}") } else { part.to_owned() }
            },
        )
        .collect()
}
