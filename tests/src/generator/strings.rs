//! Strings: single-quoted, double-quoted with interpolation, heredocs.

use super::Writer;
use super::words::KEYWORDS;

impl Writer {
    pub(super) fn string(&mut self) {
        match self.random.below(20) {
            0..=8 => self.single_quoted(),
            9..=17 => self.double_quoted(),
            _ if self.inline > 0 => self.single_quoted(),
            _ => self.heredoc(),
        }
    }

    fn single_quoted(&mut self) {
        if self.heredocs.is_empty() && self.inline == 0 && self.chance(3) {
            return self.put("'two\nlines'");
        }
        self.put_one(&[
            "'x'",
            "''",
            "'a b'",
            r"'it\'s'",
            r"'\\'",
            r"'\n'",
            "'é — ü'",
            "'$a ${b}'",
            "'a\"b'",
            "'1'",
            "'/etc/x'",
            "'foo::bar'",
            "'😀'",
            r"'\q'",
            "'%{x}'",
            "'0644'",
        ]);
    }

    pub(super) fn double_quoted(&mut self) {
        self.put("\"");
        for _ in 0..self.random.between(0, 4) {
            self.piece();
        }
        self.put("\"");
    }

    fn piece(&mut self) {
        match self.random.below(20) {
            0..=5 => {
                self.put_one(&["x", " a b ", "é", "/etc/", ": ", "-", "😀", "'", "%", ".", "[1]"])
            }
            6..=8 => self.put_or(
                &[
                    r"\n",
                    r"\t",
                    r"\s",
                    r"\r",
                    r"\\",
                    r#"\""#,
                    r"\$",
                    r"\'",
                    r"\u00e9",
                    r"\u{1F600}",
                    r"\u{41}",
                    r"\q",
                ],
                &[r"\u12", r"\u{}", "\\\u{e9}", r"\u{1234567}", r"\u", r"\0", "\\\n"],
            ),
            9..=11 => self.put_one(&[
                "$a", "$::x::y", "$_b", "$", "$$a", "$1", "$a::b", "$a[1]", "$a.b", "$ ",
            ]),
            12 if self.heredocs.is_empty() && self.inline == 0 => self.put("\n"),
            _ => self.interpolation(),
        }
    }

    /// `${…}`
    pub(super) fn interpolation(&mut self) {
        self.put("${");
        self.inlined(|writer| {
            writer.put_one(&["", "", "", " ", "  "]);
            writer.interpolated();
            writer.put_one(&["", "", "", " "]);
        });
        self.put("}");
    }

    fn interpolated(&mut self) {
        match self.random.below(16) {
            0..=3 => self.put_one(&["a", "x_1", "foo::bar", "::top", "_a", "0", "12"]),
            4 if self.odd => self.put_one(KEYWORDS),
            5 => self.put_one(&["a[1]", "a['k'][2]", "type.x", "1[0]", "a.b"]),
            6 => {
                self.put_one(&["a", "x::y", "facts", "class"]);
                self.method();
            }
            7..=8 => self.variable(),
            9 if !self.is_deep() => self.double_quoted(),
            10 => self.put_one(&[
                "$a ? { 1 => 2 }",
                "{}",
                "{a => 1}",
                "$a = 1",
                "[1,2]",
                "Foo",
                "f()",
            ]),
            11 if self.odd => self.put_one(&[
                "é",
                "a [1]",
                "if[1]",
                "a-b",
                "",
                "notice a",
                "if true { 1 }",
                "a b",
                "$a $b",
                "1 +",
            ]),
            _ if self.is_deep() => self.variable(),
            _ => self.expression(),
        }
    }

    fn heredoc(&mut self) {
        self.n_heredocs += 1;
        let tag = format!("{}{}", self.random.pick(&["END", "T X", "eof-"]), self.n_heredocs);
        let quoted = self.chance(50);
        let syntax = if self.chance(20) {
            self.random.pick(&[":json", ":pp", ":epp", ":text", ": x+json ", ":base64"])
        } else {
            ""
        };
        let escapes = self.random.pick(&["", "", "", "/", "/n", "/tL", "/$", "/trnsuL$"]);
        let quote = if quoted { "\"" } else { "" };
        let pad = self.random.pick(&["", "", "", " "]);
        self.put(&format!("@({pad}{quote}{tag}{quote}{pad}{syntax}{escapes})"));
        let text = self.heredoc_text(&tag, quoted, syntax);
        self.heredocs.push(text);
    }

    fn heredoc_text(&mut self, tag: &str, quoted: bool, syntax: &str) -> String {
        let outside = std::mem::take(&mut self.out);
        let margin = self.random.pick(&["", "  ", "    ", "\t"]);
        for _ in 0..self.random.between(0, 3) {
            let bare = self.chance(10);
            self.put(if bare { "" } else { margin });
            self.heredoc_line(quoted, syntax);
            self.put(self.line_break);
        }
        self.put(margin);
        self.put_one(&["", "| ", "|- ", "- ", "|-", "|"]);
        self.put(tag);
        self.put(self.line_break);
        std::mem::replace(&mut self.out, outside)
    }

    fn heredoc_line(&mut self, quoted: bool, syntax: &str) {
        match syntax {
            ":json" | ": x+json " => {
                self.put_or(&["", "  "], &["[1, 2]", "{\"a\": 1}", "{a}", "null"])
            }
            ":pp" => self.put_or(&["notice('a')", "$a = 1"], &["class {", "1", "\"\\q\""]),
            ":epp" => self.put_or(&["a <%= $a %>", "text"], &["<%", "<%= %>"]),
            ":base64" => self.put_or(&["YWJj"], &["YQ==", "!!"]),
            _ => {
                self.put_one(&[
                    "text", "  more", "", "é", "a\\tb", "\\n", "a \\", "$x", "\\u00e9", "| x",
                ]);
                if quoted && self.chance(60) {
                    self.interpolation();
                }
                self.put_one(&["", " tail", "\\", "\\$", "$"]);
            }
        }
    }
}
