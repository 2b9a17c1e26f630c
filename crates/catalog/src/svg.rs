//! Containment as nested boxes: a picture that needs no other program.

use std::fmt::Write;

use kukla_base::render::is_unprintable;

use crate::{Catalog, Resource};

/// The maximum nesting of boxes; deeper containers are drawn as lines.
const MAX_DEPTH: usize = 32;
/// The maximum length of a title; longer ones are cut, with the whole title as a tooltip.
const MAX_LENGTH: usize = 48;
/// The number of lines per column.
const MAX_LINES: usize = 24;
/// The height of a line, the width of a letter and the space around shapes.
const LINE: usize = 18;
const LETTER: usize = 7;
const GAP: usize = 8;

/// Draws a catalog.
pub fn write(catalog: &Catalog) -> String {
    let mut contents = vec![Vec::new(); catalog.resources.len()];
    let mut is_contained = vec![false; catalog.resources.len()];
    for &(source, target) in &catalog.edges {
        contents[source as usize].push(target as usize);
        is_contained[target as usize] = true;
    }
    let is_seen = vec![false; catalog.resources.len()];
    let mut plan = BoxLayout { catalog, contents, is_seen };
    let roots = (0..is_contained.len()).filter(|&n| !is_contained[n]).collect();
    let whole = plan.fill(&catalog.name, None, roots, 0);
    let (width, height) = (whole.width + 2 * GAP, whole.height + 2 * GAP);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    whole.draw(GAP, GAP, 0, &mut out);
    out.push_str("</svg>\n");
    out
}

/// A box, or a line if it is empty.
struct BoxShape {
    title: String,
    hint: String,
    width: usize,
    height: usize,
    /// Its content, with positions.
    contents: Vec<(usize, usize, BoxShape)>,
}

struct BoxLayout<'a> {
    catalog: &'a Catalog,
    contents: Vec<Vec<usize>>,
    is_seen: Vec<bool>,
}

impl BoxLayout<'_> {
    fn shape(&mut self, at: usize, depth: usize) -> BoxShape {
        let resource = &self.catalog.resources[at];
        let title = resource.reference();
        // A resource in two containers is drawn in full only once.
        let is_new = !std::mem::replace(&mut self.is_seen[at], true);
        let contents = if is_new && depth < MAX_DEPTH {
            std::mem::take(&mut self.contents[at])
        } else {
            Vec::new()
        };
        self.fill(&title, Some(resource), contents, depth)
    }

    fn fill(
        &mut self,
        title: &str,
        resource: Option<&Resource>,
        contents: Vec<usize>,
        depth: usize,
    ) -> BoxShape {
        let hint = resource.map_or_else(|| title.to_owned(), hint);
        let title = cut(title);
        let own_width = title.chars().count() * LETTER + 2 * GAP;
        let shapes: Vec<BoxShape> =
            contents.into_iter().map(|content| self.shape(content, depth + 1)).collect();
        if shapes.is_empty() {
            return BoxShape { title, hint, width: own_width, height: LINE, contents: Vec::new() };
        }
        let (lines, boxes): (Vec<BoxShape>, Vec<BoxShape>) =
            shapes.into_iter().partition(|shape| shape.contents.is_empty());
        let mut placed = columns(lines);
        let below = extent(&placed).1.max(LINE);
        placed.extend(shelves(boxes, below + GAP));
        let (width, height) = extent(&placed);
        let width = (width + GAP).max(own_width);
        BoxShape { title, hint, width, height: height + GAP, contents: placed }
    }
}

/// Arranges lines in columns.
fn columns(lines: Vec<BoxShape>) -> Vec<(usize, usize, BoxShape)> {
    let mut placed = Vec::new();
    let (mut left, mut width) = (GAP, 0);
    for (n, line) in lines.into_iter().enumerate() {
        if n > 0 && n % MAX_LINES == 0 {
            left += width + GAP;
            width = 0;
        }
        width = width.max(line.width);
        placed.push((left, LINE + GAP / 2 + (n % MAX_LINES) * LINE, line));
    }
    placed
}

/// Arranges boxes in rows, about as wide as high in total.
fn shelves(boxes: Vec<BoxShape>, top: usize) -> Vec<(usize, usize, BoxShape)> {
    let area: usize = boxes.iter().map(|shape| (shape.width + GAP) * (shape.height + GAP)).sum();
    let widest = boxes.iter().map(|shape| shape.width).max().unwrap_or(0);
    let room = widest.max(area.saturating_mul(3).isqrt() * 4 / 5) + GAP;
    let (mut left, mut top, mut height) = (GAP, top, 0);
    let mut placed = Vec::new();
    for shape in boxes {
        if left > GAP && left + shape.width > room {
            (left, top, height) = (GAP, top + height + GAP, 0);
        }
        let right = left + shape.width + GAP;
        height = height.max(shape.height);
        placed.push((left, top, shape));
        left = right;
    }
    placed
}

/// Returns the width and height of arranged shapes.
fn extent(placed: &[(usize, usize, BoxShape)]) -> (usize, usize) {
    let right = placed.iter().map(|(left, _, shape)| left + shape.width).max();
    let bottom = placed.iter().map(|(_, top, shape)| top + shape.height).max();
    (right.unwrap_or(0), bottom.unwrap_or(0))
}

impl BoxShape {
    fn draw(&self, left: usize, top: usize, depth: usize, out: &mut String) {
        let (title, hint) = (escaped(&self.title), escaped(&self.hint));
        let _ = write!(out, "<g><title>{hint}</title>");
        let weight = if self.contents.is_empty() {
            ""
        } else {
            let fill = if depth.is_multiple_of(2) { "#f4f6f8" } else { "#ffffff" };
            let _ = write!(
                out,
                "<rect x=\"{left}\" y=\"{top}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"{fill}\" \
                 stroke=\"#8899aa\"/>",
                self.width, self.height
            );
            " font-weight=\"bold\""
        };
        let (x, y) = (left + GAP, top + LINE - GAP / 2);
        let _ = writeln!(out, "<text x=\"{x}\" y=\"{y}\"{weight}>{title}</text></g>");
        for (x, y, shape) in &self.contents {
            shape.draw(left + x, top + y, depth + 1, out);
        }
    }
}

fn hint(resource: &Resource) -> String {
    match resource.place() {
        Some(place) => format!("{} ({place})", resource.reference()),
        None => resource.reference(),
    }
}

fn cut(title: &str) -> String {
    match title.char_indices().nth(MAX_LENGTH) {
        Some((end, _)) => format!("{}…", &title[..end]),
        None => title.to_owned(),
    }
}

/// Escapes a text for XML, which excludes most control characters.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            letter if is_unprintable(letter) => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests;
