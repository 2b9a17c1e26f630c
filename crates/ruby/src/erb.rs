//! Compiles ERB with the trim mode `-` to the Ruby program that Ruby's own ERB compiler generates.
//!
//! The program has the lines of the template, so that errors name the right one.

/// The generated program: commands of one template line are joined on one line.
#[derive(Default)]
struct Script {
    text: String,
    line: Vec<String>,
}

impl Script {
    fn push(&mut self, command: String) {
        self.line.push(command);
    }

    fn end_line(&mut self) {
        self.text.push_str(&self.line.join("; "));
        self.text.push('\n');
        self.line.clear();
    }

    fn put(&mut self, content: &mut String) {
        if content.is_empty() {
            return;
        }
        let newlines = "\n".repeat(content.matches('\n').count());
        self.push(format!("_erbout.<< {}.freeze{newlines}", quoted(content)));
        content.clear();
    }
}

/// Compiles a template to a Ruby program.
pub(crate) fn compile(template: &str) -> String {
    let mut script = Script::default();
    script.push("_erbout = +''".to_owned());
    let mut content = String::new();
    let mut rest = template;
    while !rest.is_empty() {
        let (before, tag, behind) = opening(rest);
        content.push_str(before);
        rest = behind;
        match tag {
            "" => break,
            "<%%" => content.push_str("<%"),
            tag => {
                script.put(&mut content);
                rest = code(tag, rest, &mut script, &mut content);
            }
        }
    }
    script.put(&mut content);
    script.push("_erbout".to_owned());
    script.text + &script.line.join("; ")
}

/// Reads up to the end of a tag and returns the rest; a tag without an end becomes text in `content`.
fn code<'t>(tag: &str, text: &'t str, script: &mut Script, content: &mut String) -> &'t str {
    let mut rest = text;
    loop {
        let (before, end, behind) = closing(rest);
        content.push_str(before);
        rest = behind;
        match end {
            "%%>" => content.push_str("%>"),
            "" => return rest,
            _ => {
                finish(tag, script, content);
                if end == "-%>" {
                    let trimmed = rest.strip_prefix("\r\n").or_else(|| rest.strip_prefix('\n'));
                    if trimmed.is_some() || rest.is_empty() {
                        script.end_line();
                    }
                    rest = trimmed.unwrap_or(rest);
                }
                return rest;
            }
        }
    }
}

fn finish(tag: &str, script: &mut Script, content: &mut String) {
    match tag {
        "<%" if content.ends_with('\n') => {
            content.pop();
            script.push(std::mem::take(content));
            script.end_line();
        }
        "<%" => script.push(std::mem::take(content)),
        "<%=" => script.push(format!("_erbout.<<(({content}).to_s)")),
        _ => (),
    }
    content.clear();
}

/// Splits at the next opening tag: the text before it, the tag, and the text after it.
fn opening(text: &str) -> (&str, &'static str, &str) {
    let bytes = text.as_bytes();
    for at in 0..bytes.len() {
        // Ruby's scanner takes its current position for the start of a line.
        let is_line_start = at == 0 || bytes[at - 1] == b'\n';
        if is_line_start {
            let blanks = bytes[at..].iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
            if bytes[at + blanks..].starts_with(b"<%-") {
                return (&text[..at], "<%", &text[at + blanks + 3..]);
            }
        }
        if !bytes[at..].starts_with(b"<%") {
            continue;
        }
        let (tag, len) = match bytes.get(at + 2) {
            Some(b'-') => ("<%", 3),
            Some(b'%') => ("<%%", 3),
            Some(b'=') => ("<%=", 3),
            Some(b'#') => ("<%#", 3),
            _ => ("<%", 2),
        };
        return (&text[..at], tag, &text[at + len..]);
    }
    (text, "", "")
}

fn closing(text: &str) -> (&str, &'static str, &str) {
    let bytes = text.as_bytes();
    for at in 0..bytes.len() {
        for end in ["-%>", "%%>", "%>"] {
            if bytes[at..].starts_with(end.as_bytes()) {
                return (&text[..at], end, &text[at + end.len()..]);
            }
        }
    }
    (text, "", "")
}

/// Quotes a text as a Ruby literal on one line.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' | '#' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\0' => out.push_str("\\0"),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::compile;

    #[test]
    fn lines_stay_where_they_are() {
        let script = compile("a\n<% if x -%>\nb\n<% end -%>\n<%= y %>\n");
        let line =
            |needle: &str| script.lines().position(|line| line.contains(needle)).map(|n| n + 1);
        assert_eq!(line("if x"), Some(2));
        assert_eq!(line("end"), Some(4));
        assert_eq!(line("(( y ).to_s)"), Some(5));
    }

    #[test]
    fn tags_are_escaped_and_trimmed() {
        assert_eq!(compile("<%% x %>"), "_erbout = +''; _erbout.<< \"<% x %>\".freeze; _erbout");
        assert_eq!(compile("  <%- x -%>\n"), "_erbout = +'';  x \n_erbout");
        assert_eq!(compile("<% open"), "_erbout = +''; _erbout.<< \" open\".freeze; _erbout");
        assert_eq!(compile("<%# note %>a"), "_erbout = +''; _erbout.<< \"a\".freeze; _erbout");
    }
}
