//! Messages without names, so that similar ones become equal.

/// Blanks quoted and bracketed text, names with `::`, paths and numbers.
pub(super) fn blank(message: &str) -> String {
    let mut out = String::new();
    for line in message.lines().take(3) {
        let words: Vec<String> = quoted_blanked(line).split(' ').map(blank_word).collect();
        out.push_str(&words.join(" "));
        out.push(' ');
    }
    let end = out.char_indices().nth(200).map_or(out.len(), |(at, _)| at);
    out.truncate(end);
    out.trim_end().to_owned()
}

fn quoted_blanked(line: &str) -> String {
    let mut out = String::new();
    let mut until: Option<char> = None;
    for char in line.chars() {
        match until {
            Some(end) if char == end => {
                out.push('…');
                out.push(char);
                until = None;
            }
            Some(_) => {}
            None => {
                out.push(char);
                until = match char {
                    '\'' => Some('\''),
                    '[' => Some(']'),
                    _ => None,
                };
            }
        }
    }
    out
}

fn blank_word(word: &str) -> String {
    let bare = word.trim_matches(|char: char| char.is_ascii_punctuation() && char != '/');
    let is_name = bare.contains("::") || bare.contains('/') || bare.contains(".example.com");
    if is_name {
        return word.replace(bare, "…");
    }
    word.chars().map(|char| if char.is_ascii_digit() { '#' } else { char }).collect()
}
