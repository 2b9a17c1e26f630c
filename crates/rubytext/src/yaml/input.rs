//! Preparation of a text for the parser.
//!
//! The parser relies on a line break at the end, and fails on a tag right before a comma (`[!a,b]`), which is valid.

use crate::RubyError;
use libyaml_safer::{Scanner, TokenData};
use std::borrow::Cow;

/// The maximum number of tags before commas, which are rare in data.
const MAX_SUSPECTS: usize = 50;

/// A text with a line break at its end.
pub(super) struct Input<'t> {
    text: Cow<'t, str>,
    line_added: bool,
}

impl Input<'_> {
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.text.as_bytes()
    }

    /// Returns true if the last line break was added.
    pub(super) const fn is_line_added(&self) -> bool {
        self.line_added
    }

    pub(super) fn len(&self) -> u64 {
        self.text.len() as u64
    }
}

pub(super) fn prepare(text: &str) -> Result<Input<'_>, RubyError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let line_added = !text.ends_with(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']);
    let mut text = Cow::Borrowed(text);
    let (mut from, mut n_suspects) = (0, 0);
    while let Some(comma) = suspect(&text[from..]).map(|comma| from + comma) {
        n_suspects += 1;
        if n_suspects > MAX_SUSPECTS {
            return Err(RubyError::argument("there are too many tags before commas"));
        }
        if ends_with_tag(&text[..comma]) {
            text.to_mut().insert(comma, ' ');
        }
        from = comma + 1;
    }
    if line_added {
        text.to_mut().push('\n');
    }
    Ok(Input { text, line_added })
}

/// Returns the offset of the first comma that ends a word starting with an exclamation mark.
fn suspect(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let mark = from + text[from..].find('!')?;
        let end =
            mark + text[mark..].find([',', ' ', '\n', '\t', '\r']).unwrap_or(text.len() - mark);
        let before = text[..mark].chars().next_back();
        if text[end..].starts_with(',')
            && before.is_none_or(|c| c.is_whitespace() || matches!(c, '[' | '{' | ',' | ':'))
        {
            return Some(end);
        }
        from = end;
        if from >= text.len() {
            return None;
        }
    }
}

/// Returns true if the last token is a tag.
fn ends_with_tag(text: &str) -> bool {
    let text = format!("{text}\n");
    let mut bytes = text.as_bytes();
    let mut scanner = Scanner::new();
    scanner.set_input(&mut bytes);
    let mut is_tag = false;
    for token in scanner {
        match token.map(|token| token.data) {
            Err(_) => return false,
            Ok(TokenData::Tag { .. }) => is_tag = true,
            Ok(TokenData::BlockEnd | TokenData::StreamEnd) => (),
            Ok(_) => is_tag = false,
        }
    }
    is_tag
}
