//! The styles that libyaml allows for a scalar.

/// Properties of the text of a scalar. Only empty lists and hashes are written in flow style, so the rules for scalars there
/// are left out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Analysis {
    pub(super) multiline: bool,
    pub(super) block_plain: bool,
    pub(super) single_quoted: bool,
    pub(super) block: bool,
}

pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns true for a character that is not escaped. Tabs and characters beyond the first plane are.
pub(super) fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
        && c != '\u{feff}'
}

fn is_blank_or_end(c: Option<char>) -> bool {
    c.is_none_or(|c| c == ' ' || c == '\t' || c == '\0' || is_break(c))
}

/// The positions of space, line breaks and indicators.
#[derive(Default)]
struct TextMarks {
    block_indicators: bool,
    line_breaks: bool,
    special: bool,
    edge: bool,
    trailing_space: bool,
    break_space: bool,
    space_break: bool,
}

pub(super) fn analyze(text: &str) -> Analysis {
    if text.is_empty() {
        return Analysis { multiline: false, block_plain: true, single_quoted: true, block: false };
    }
    if is_name(text) {
        return Analysis { multiline: false, block_plain: true, single_quoted: true, block: true };
    }
    let marks = TextMarks::find(text);
    let TextMarks {
        block_indicators,
        line_breaks,
        special,
        edge,
        trailing_space,
        break_space,
        space_break,
    } = marks;
    let hidden = space_break || special;
    let plain = !edge && !break_space && !hidden && !line_breaks;
    Analysis {
        multiline: line_breaks,
        block_plain: plain && !block_indicators,
        single_quoted: !break_space && !hidden,
        block: !trailing_space && !hidden,
    }
}

/// Returns true for a text that needs no closer look: a letter, digit, `_` or `/`, and visible characters of ASCII behind
/// it. Indicators mean something at the start, beside a space or, a colon, at the end. Most texts are such names.
fn is_name(text: &str) -> bool {
    let is_start = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'/';
    let (first, rest) = text.as_bytes().split_first().unwrap_or((&0, &[]));
    is_start(*first) && rest.last() != Some(&b':') && rest.iter().all(u8::is_ascii_graphic)
}

impl TextMarks {
    fn find(text: &str) -> Self {
        let starts = text.starts_with("---") || text.starts_with("...");
        let mut marks = Self { block_indicators: starts, ..Self::default() };
        let mut chars = text.chars().peekable();
        let mut before = None;
        while let Some(c) = chars.next() {
            let next = chars.peek().copied();
            marks.indicator(c, before, next);
            marks.space(c, before, next);
            marks.special |= !is_printable(c);
            marks.line_breaks |= is_break(c);
            before = Some(c);
        }
        marks
    }

    fn indicator(&mut self, c: char, before: Option<char>, next: Option<char>) {
        let alone = is_blank_or_end(next);
        match (c, before) {
            (
                '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%'
                | '@' | '`',
                None,
            ) => {
                self.block_indicators = true;
            }
            ('?' | ':', None) => {
                self.block_indicators |= alone;
            }
            ('-', None) if alone => {
                self.block_indicators = true;
            }
            (':', Some(_)) => {
                self.block_indicators |= alone;
            }
            ('#', Some(_)) if is_blank_or_end(before) => {
                self.block_indicators = true;
            }
            _ => (),
        }
    }

    fn space(&mut self, c: char, before: Option<char>, next: Option<char>) {
        let at_edge = before.is_none() || next.is_none();
        if c == ' ' {
            self.edge |= at_edge;
            self.trailing_space |= next.is_none();
            self.break_space |= before.is_some_and(is_break);
        } else if is_break(c) {
            self.edge |= at_edge;
            self.space_break |= before == Some(' ');
        }
    }
}
