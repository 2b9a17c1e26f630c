//! Writer of calls, lists and maps.

use kukla_rubytext::json;

/// A streaming writer of PN or JSON.
pub(super) struct Writer {
    out: String,
    json: bool,
    pretty: bool,
    /// One entry per open element: its closing sign and its number of elements.
    open: Vec<WriterLevel>,
}

struct WriterLevel {
    close: &'static str,
    elements: usize,
    is_map: bool,
}

impl Writer {
    pub(super) fn pn(pretty: bool) -> Self {
        Self { out: String::new(), json: false, pretty, open: Vec::new() }
    }

    pub(super) fn json(pretty: bool) -> Self {
        Self { out: String::new(), json: true, pretty, open: Vec::new() }
    }

    pub(super) fn finish(self) -> String {
        self.out
    }

    /// Opens `(name …)`.
    pub(super) fn call(&mut self, name: &str) {
        self.element();
        if self.json {
            self.object("^");
            self.element();
            self.quoted(name);
        } else {
            self.out.push('(');
            self.out.push_str(name);
            self.push(")", 1, false);
        }
    }

    /// Opens `[…]`.
    pub(super) fn list(&mut self) {
        self.element();
        self.out.push('[');
        self.push("]", 0, false);
    }

    /// Opens `{:key value}`.
    pub(super) fn map(&mut self) {
        self.element();
        if self.json {
            self.object("#");
        } else {
            self.out.push('{');
            self.push("}", 0, true);
        }
    }

    /// Writes the key of the next value.
    pub(super) fn key(&mut self, key: &str) {
        self.element();
        if self.json {
            self.quoted(key);
        } else {
            self.out.push(':');
            self.out.push_str(key);
            self.out.push(' ');
        }
    }

    /// Closes the innermost call, list or map.
    pub(super) fn close(&mut self) {
        let Some(level) = self.open.pop() else { return };
        if self.json && self.pretty {
            if level.elements == 0 {
                // Ruby does so too.
                self.out.push('\n');
            }
            self.new_line();
        }
        self.out.push_str(level.close);
        // The object around the array of a call or map closes with it.
        if self.json && level.is_map {
            self.open.pop();
            if self.pretty {
                self.new_line();
            }
            self.out.push('}');
        }
    }

    pub(super) fn string(&mut self, text: &str) {
        self.element();
        if self.json {
            self.quoted(text);
        } else {
            pn_string(text, &mut self.out);
        }
    }

    /// Writes `nil`.
    pub(super) fn nil(&mut self) {
        let text = if self.json { "null" } else { "nil" };
        self.atom(text);
    }

    /// Writes a number or a Boolean.
    pub(super) fn atom(&mut self, text: &str) {
        self.element();
        self.out.push_str(text);
    }

    /// Opens `{"^":[`.
    fn object(&mut self, key: &str) {
        self.out.push('{');
        self.push("}", 1, false);
        if self.pretty {
            self.new_line();
        }
        self.quoted(key);
        self.out.push_str(if self.pretty { ": [" } else { ":[" });
        self.push("]", 0, true);
    }

    fn push(&mut self, close: &'static str, elements: usize, is_map: bool) {
        self.open.push(WriterLevel { close, elements, is_map });
    }

    /// Writes the separator before an element.
    fn element(&mut self) {
        let json = self.json;
        let Some(level) = self.open.last_mut() else { return };
        level.elements += 1;
        let is_first = level.elements == 1;
        // In PN, keys and values of a map alternate, and only keys are elements.
        if !json && level.is_map && level.elements.is_multiple_of(2) {
            return;
        }
        if json && !is_first {
            self.out.push(',');
        }
        if self.pretty {
            self.new_line();
        } else if !json && !is_first {
            self.out.push(' ');
        }
    }

    fn new_line(&mut self) {
        self.out.push('\n');
        for _ in 0..self.open.len() {
            self.out.push_str("  ");
        }
    }

    fn quoted(&mut self, text: &str) {
        self.out.push_str(&json::string(text));
    }
}

fn pn_string(text: &str, out: &mut String) {
    out.push('"');
    for char in text.chars() {
        match char {
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            control if control < ' ' => {
                out.push_str("\\o");
                for shift in [6, 3, 0] {
                    let digit = (control as u32 >> shift) & 7;
                    out.extend(char::from_digit(digit, 8));
                }
            }
            other => out.push(other),
        }
    }
    out.push('"');
}
