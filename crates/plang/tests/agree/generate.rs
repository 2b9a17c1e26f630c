//! Generator of random programs, messages and noise.

use std::fmt::Write as _;

/// Pseudo-random numbers from a seed.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_add(0x9E37_79B9_7F4A_7C15))
    }

    fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick<'t>(&mut self, words: &[&'t str]) -> &'t str {
        words[usize::try_from(self.below(words.len() as u64)).unwrap_or(0)]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Boolean,
    Number,
    Text,
    Code,
}

/// Generator of programs that are mostly valid.
pub(crate) struct Generator<'d> {
    dice: &'d mut Dice,
    /// Names that have a value here.
    names: Vec<(String, Kind)>,
    n_names: usize,
}

impl<'d> Generator<'d> {
    pub(crate) fn new(dice: &'d mut Dice) -> Self {
        Self { dice, names: Vec::new(), n_names: 0 }
    }

    pub(crate) fn program(mut self) -> String {
        let mut out = String::from("Http := import \"Http\"; Net := import \"Net\";\n");
        out.push_str("path := Http.request.uri.path; isA := path begins_with \"/a\";\n");
        let n_statements = 2 + self.dice.below(8);
        out += &self.statements(n_statements, 3);
        if self.dice.below(3) == 0 {
            out.push_str("Access.allow();\n");
        }
        out
    }

    /// Returns a program of a few lines.
    pub(crate) fn short(mut self) -> String {
        let n_statements = 1 + self.dice.below(2);
        format!("Http := import \"Http\";\n{}", self.statements(n_statements, 1))
    }

    fn statements(&mut self, n: u64, depth: u64) -> String {
        (0..n).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: u64) -> String {
        match self.dice.below(if depth == 0 { 12 } else { 22 }) {
            0..=3 => self.assignment(depth),
            4 => format!("Core.log({});\n", self.text(2)),
            5 => format!("Http.message.headers.add({}, {});\n", self.header(), self.text(1)),
            6 => format!("Http.request.headers.set({}, {});\n", self.header(), self.text(1)),
            7 => format!("Http.message.headers.remove({});\n", self.header()),
            8 => format!("Route.to({});\n", self.dice.pick(&["\"a\"", "\"b\""])),
            9 => self.service(),
            10 => self.run_code(),
            11 => format!("{};\n", self.number(2)),
            12..=14 => self.choice(depth),
            15 | 16 => self.rescue(depth),
            17 => self.guarded(depth),
            18 => format!("{} or {};\n", self.block(depth), self.block(depth)),
            19 => self.both_arms(depth),
            _ => self.rules(depth),
        }
    }

    /// Generates consecutive rules that test similar things.
    fn rules(&mut self, depth: u64) -> String {
        let is_chain = self.dice.below(2) == 0;
        let mut out = String::new();
        for index in 0..4 + self.dice.below(6) {
            let word = if is_chain && index > 0 { "elsif" } else { "if" };
            let block = match self.dice.below(4) {
                0 => "{ Access.allow(); }".to_owned(),
                1 => format!("{{ Core.log(\"{index}\"); }}"),
                2 => format!("{{ Access.deny(\"{index}\"); }}"),
                _ => self.block(depth),
            };
            let _ = writeln!(out, "{word} ({}) {block}", self.rule());
        }
        if is_chain && self.dice.below(2) == 0 {
            let _ = writeln!(out, "else {}", self.block(depth));
        }
        out
    }

    fn rule(&mut self) -> String {
        match self.dice.below(8) {
            0 => format!("{} and {}", self.tested_subject(), self.boolean(1)),
            1 => format!("{} and {}", self.boolean(1), self.tested_subject()),
            2 => format!("{} or {}", self.tested_subject(), self.tested_subject()),
            3 => format!(
                "({} or {}) and {}",
                self.tested_subject(),
                self.tested_subject(),
                self.tested_subject()
            ),
            4 => self.boolean(1),
            _ => self.tested_subject(),
        }
    }

    /// Generates a subject that many rules test.
    fn tested_subject(&mut self) -> String {
        const PATHS: &[&str] = &["/", "/a", "/a/", "/a/b", "/ab", "/1", "/b", "/index"];
        match self.dice.below(12) {
            0..=2 => format!("path begins_with \"{}\"", self.dice.pick(PATHS)),
            3 => format!("Http.request.uri.path begins_with \"{}\"", self.dice.pick(PATHS)),
            4 => format!("path == \"{}\"", self.dice.pick(PATHS)),
            5 => format!("\"{}\" == Http.request.uri.path", self.dice.pick(PATHS)),
            6 => {
                let (one, other) = (self.dice.pick(PATHS), self.dice.pick(PATHS));
                format!("Core.set(\"{one}\", \"{other}\").has(path)")
            }
            7 => format!("Http.request.method equal \"{}\"", self.dice.pick(&["GET", "PUT"])),
            8 => "isA".to_owned(),
            _ => {
                let network = self.dice.pick(&[
                    "10.0.0.0/8",
                    "10.1.0.0/16",
                    "10.1.2.3",
                    "192.168.0.0/16",
                    "0.0.0.0/0",
                    "2001:db8::/32",
                ]);
                format!("Net.set(\"{network}\", \"10.9.0.0/16\").has(Http.request.clientIp)")
            }
        }
    }

    fn new_name(&mut self) -> String {
        self.n_names += 1;
        format!("n{}", self.n_names)
    }

    fn assignment(&mut self, depth: u64) -> String {
        let name = self.new_name();
        let (kind, value) = match self.dice.below(if depth == 0 { 6 } else { 8 }) {
            0 | 1 => (Kind::Boolean, self.boolean(3)),
            2 | 3 => (Kind::Number, self.number(3)),
            4 | 5 => (Kind::Text, self.text(2)),
            6 => (Kind::Code, self.block(depth)),
            // An expression with an effect before its value.
            _ => (
                Kind::Number,
                format!("({} otherwise {})", self.valued_block(depth), self.number(1)),
            ),
        };
        self.names.push((name.clone(), kind));
        format!("{name} := {value};\n")
    }

    /// Generates a block; names that it assigns are not visible after it.
    fn block(&mut self, depth: u64) -> String {
        let n_known = self.names.len();
        let n = 1 + self.dice.below(3);
        let body = self.statements(n, depth - 1);
        self.names.truncate(n_known);
        format!("{{ {body} }}")
    }

    fn valued_block(&mut self, depth: u64) -> String {
        let n_known = self.names.len();
        let n = self.dice.below(3);
        let body = self.statements(n, depth - 1);
        let value = self.number(2);
        self.names.truncate(n_known);
        format!("{{ {body} {value}; }}")
    }

    fn choice(&mut self, depth: u64) -> String {
        let mut out = format!("if ({}) {}\n", self.boolean(3), self.block(depth));
        while self.dice.below(3) == 0 {
            let _ = writeln!(out, "elsif ({}) {}", self.boolean(2), self.block(depth));
        }
        if self.dice.below(2) == 0 {
            let _ = writeln!(out, "else {}", self.block(depth));
        }
        out
    }

    /// Generates a name that is assigned in both arms.
    fn both_arms(&mut self, depth: u64) -> String {
        let name = self.new_name();
        let n_known = self.names.len();
        let arm = |generator: &mut Self| {
            let n = generator.dice.below(2);
            let before = generator.statements(n, depth - 1);
            let value = generator.number(2);
            generator.names.truncate(n_known);
            format!("{{ {before} {name} := {value}; }}")
        };
        let (one, other) = (arm(self), arm(self));
        let out = match self.dice.below(2) {
            0 => format!("if ({}) {one} else {other}\n", self.boolean(2)),
            _ => format!("{one} otherwise {other}\n"),
        };
        self.names.push((name, Kind::Number));
        out
    }

    fn rescue(&mut self, depth: u64) -> String {
        let fail = match self.dice.below(2) {
            0 => format!("interpreter.fail({});", self.text(1)),
            _ => format!("if ({}) {{ interpreter.fail(\"x\"); }}", self.boolean(2)),
        };
        let mut first = self.block(depth);
        first.truncate(first.len() - 1);
        let op = self.dice.pick(&["otherwise", "otherwise", "or", "and"]);
        format!("{first} {fail} }} {op} {};\n", self.block(depth))
    }

    /// Generates a condition under which the program ends.
    fn guarded(&mut self, _: u64) -> String {
        let end = self.dice.pick(&[
            "interpreter.stop();",
            "interpreter.restart();",
            "interpreter.fail(\"end\");",
            "Access.allow();",
            "Access.deny(\"no\");",
            "Http.respond(503, \"later\");",
        ]);
        format!("if ({}) {{ {end} }}\n", self.boolean(3))
    }

    fn service(&mut self) -> String {
        let uri = self.dice.pick(&["host", "host", "set", "fails"]);
        let service = format!("Services.findOne(\"opes://x/{uri}\")");
        let apply = match self.dice.below(3) {
            0 => format!("Services.applyOne({service});"),
            1 => format!(
                "{{ Services.applyOne({service}, Http.request.headers); }} otherwise {{ Core.log(\"service\"); }}"
            ),
            _ => format!(
                "if (try {{ Services.applyOne({service}); }} otherwise false) {{ Core.log(\"applied\"); }}"
            ),
        };
        match (uri, self.dice.below(2)) {
            ("host", 0) => format!("{service}.level({}); {apply}\n", self.number(1)),
            _ => format!("{apply}\n"),
        }
    }

    fn run_code(&mut self) -> String {
        let Some(name) = self.name_of(Kind::Code) else { return self.assignment(0) };
        match self.dice.below(5) {
            0 => format!("{name} or {name};\n"),
            1 => format!("try {name} otherwise Core.log(\"tried\");\n"),
            2 => format!("if (not {name}) {{ Core.log(\"not\"); }}\n"),
            _ => format!("{name};\n"),
        }
    }

    fn name_of(&mut self, kind: Kind) -> Option<String> {
        let names: Vec<&String> =
            self.names.iter().filter(|(_, other)| *other == kind).map(|(name, _)| name).collect();
        if names.is_empty() {
            return None;
        }
        let index = usize::try_from(self.dice.below(names.len() as u64)).unwrap_or(0);
        Some(names[index].clone())
    }

    fn header(&mut self) -> &'static str {
        self.dice.pick(&["\"X-A\"", "\"X-B\"", "\"x-a\"", "\"X-C\"", "\"Host\""])
    }

    fn boolean(&mut self, depth: u64) -> String {
        if self.dice.below(3) == 0
            && let Some(name) = self.name_of(Kind::Boolean)
        {
            return name;
        }
        match self.dice.below(if depth == 0 { 4 } else { 14 }) {
            0 => self.dice.pick(&["true", "false"]).to_owned(),
            1 => format!("Http.request.headers.have({})", self.header()),
            2 => format!("Http.request.method == {}", self.dice.pick(&["\"GET\"", "\"PUT\""])),
            3 => format!("Core.set(\"GET\", \"1\", \"a\").has({})", self.text(0)),
            4 => format!("({} and {})", self.boolean(depth - 1), self.boolean(depth - 1)),
            5 => format!("({} or {})", self.boolean(depth - 1), self.boolean(depth - 1)),
            6 => format!("({} xor {})", self.boolean(depth - 1), self.boolean(depth - 1)),
            7 => format!("(not {})", self.boolean(depth - 1)),
            8 => {
                let op = self.dice.pick(&["==", "!=", "<", "<=", ">", ">="]);
                format!("({} {op} {})", self.number(depth - 1), self.number(depth - 1))
            }
            9 | 10 => {
                let op = self.dice.pick(&[
                    "==",
                    "!=",
                    "equal",
                    "equal_i",
                    "contains",
                    "contains_i",
                    "begins_with",
                    "begins_with_i",
                    "ends_with",
                    "ends_with_i",
                ]);
                format!("({} {op} {})", self.text(depth - 1), self.text(depth - 1))
            }
            11 => format!("({} matches \"^[a-z]*1$\")", self.text(depth - 1)),
            12 => format!("({} otherwise {})", self.boolean(depth - 1), self.boolean(depth - 1)),
            _ => format!("({} == {})", self.boolean(depth - 1), self.boolean(depth - 1)),
        }
    }

    fn number(&mut self, depth: u64) -> String {
        if self.dice.below(3) == 0
            && let Some(name) = self.name_of(Kind::Number)
        {
            return name;
        }
        match self.dice.below(if depth == 0 { 4 } else { 11 }) {
            0 | 1 => self.dice.pick(&["0", "1", "2", "7", "9223372036854775807"]).to_owned(),
            2 => format!("Http.request.headers.count({})", self.header()),
            3 => self.dice.pick(&["Http.request.uri.port", "Http.message.body.size"]).to_owned(),
            4..=7 => {
                let op = self.dice.pick(&["+", "-", "*", "/", "%"]);
                format!("({} {op} {})", self.number(depth - 1), self.number(depth - 1))
            }
            8 => format!("(-{})", self.number(depth - 1)),
            9 => format!("Core.number({})", self.text(depth - 1)),
            _ => format!("({} otherwise {})", self.number(depth - 1), self.number(depth - 1)),
        }
    }

    fn text(&mut self, depth: u64) -> String {
        if self.dice.below(3) == 0
            && let Some(name) = self.name_of(Kind::Text)
        {
            return name;
        }
        match self.dice.below(if depth == 0 { 5 } else { 10 }) {
            0 | 1 => self.dice.pick(&["\"\"", "\"a\"", "\"1\"", "\"GET\"", "\"X-A\""]).to_owned(),
            2 => "Http.request.method".to_owned(),
            3 => "Http.request.uri.path".to_owned(),
            4 => self.dice.pick(&["Http.phase", "Http.message.body.preview(3)"]).to_owned(),
            5 => format!("Http.message.headers.value({})", self.header()),
            6 => format!("({} + {})", self.text(depth - 1), self.text(depth - 1)),
            7 => format!("Core.text({})", self.number(depth - 1)),
            8 => format!("Core.lower({})", self.text(depth - 1)),
            _ => format!("({} otherwise {})", self.text(depth - 1), self.text(depth - 1)),
        }
    }
}

/// Generates a message.
pub(crate) fn message(dice: &mut Dice) -> String {
    let method = dice.pick(&["GET", "PUT", "POST"]);
    let path = dice.pick(&["/", "/a", "/1", "/index.html", "/a/b", "/ab", "/a/bc", "/b"]);
    let mut out = format!("{method} {path} HTTP/1.1\n");
    while dice.below(3) > 0 {
        let name = dice.pick(&["X-A", "X-B", "x-a", "Host"]);
        let value = dice.pick(&["", "a", "1", "7", "abc1"]);
        let _ = writeln!(out, "{name}: {value}");
    }
    out.push('\n');
    if dice.below(4) == 0 {
        let _ = writeln!(out, "HTTP/1.1 200 OK\nX-A: {}\n", dice.pick(&["a", "1"]));
    }
    out
}

/// Translates a program about messages of HTTP into one about mails.
pub(crate) fn about_mails(text: String, dice: &mut Dice) -> String {
    const WORDS: &[(&str, &[&str])] = &[
        ("Http := import \"Http\"", &["Smtp := import \"Smtp\""]),
        ("Http.request.uri.path", &["Smtp.sender.address", "Smtp.sender.local"]),
        ("Http.request.uri.port", &["Smtp.declaredSize", "Smtp.recipients.count()"]),
        ("Http.request.method", &["Smtp.phase", "Smtp.recipient.local", "Smtp.client.helo"]),
        ("Http.request.clientIp", &["Smtp.client.ip"]),
        ("Http.phase", &["Smtp.phase", "(Smtp.client.login otherwise \"\")"]),
        ("Http.request.headers", &["Smtp.message.headers"]),
        ("Http.message", &["Smtp.message"]),
        ("Http.respond(", &["Smtp.respond("]),
    ];
    let mut text = text;
    for (old, choices) in WORDS {
        text = text.replace(old, dice.pick(choices));
    }
    // Statuses of HTTP are none of SMTP.
    let mut out = String::new();
    for (index, part) in text.split("Smtp.respond(").enumerate() {
        let Some((_, rest)) = part.split_once(',').filter(|_| index > 0) else {
            out.push_str(part);
            continue;
        };
        let _ = write!(out, "{},{rest}", dice.pick(&["Smtp.reject(550", "Smtp.tempfail(450"]));
    }
    let edits = ["add(\"x@y\")", "remove(\"A@b\")", "add(Smtp.client.helo)", "add(\"/a@b\")"];
    let _ = writeln!(out, "Smtp.recipients.{}; Smtp.accept();", dice.pick(&edits));
    out
}

/// Generates a mail that has arrived, or a part of it.
pub(crate) fn mail(dice: &mut Dice) -> String {
    let mut out = String::new();
    if dice.below(2) == 0 {
        let _ = writeln!(out, "EHLO {}", dice.pick(&["GET", "x@y", "a"]));
    }
    let sender = dice.pick(&["", "/a@b", "/@b", "a@b", "/a/b@c.example"]);
    let _ = writeln!(out, "MAIL FROM:<{sender}>{}", dice.pick(&["", " SIZE=443", " SIZE=7"]));
    for _ in 0..dice.below(3) {
        let _ = writeln!(out, "RCPT TO:<{}>", dice.pick(&["a@b", "GET@b", "\"a b\"@b", "x@y"]));
    }
    if out.contains("RCPT") && dice.below(3) > 0 {
        out.push_str("DATA\n");
        while dice.below(3) > 0 {
            let name = dice.pick(&["X-A", "X-B", "x-a", "Host"]);
            let _ = writeln!(out, "{name}: {}", dice.pick(&["", "a", "1", "7", "abc1"]));
        }
        out.push_str("\nGET a body\n.\n");
    }
    out
}

/// Chooses a client's address, or none.
pub(crate) fn client(dice: &mut Dice) -> Option<&'static str> {
    let client =
        dice.pick(&["", "10.1.2.3", "10.9.9.9", "10.200.0.1", "192.168.1.1", "2001:db8::1", "::1"]);
    (!client.is_empty()).then_some(client)
}

/// Applies a few random edits to a text.
pub(crate) fn noise(text: &str, dice: &mut Dice) -> String {
    const PIECES: &[&str] = &[
        "{",
        "}",
        "(",
        ")",
        ";",
        ":=",
        "\"",
        "/*",
        "*/",
        "//",
        "\\",
        "otherwise ",
        "try ",
        "import ",
        "not ",
        "if ",
        "else ",
        ".",
        ",",
        "9",
        "ä",
        "\u{0}",
        " and ",
        " or ",
        "!",
        "-",
        "x",
        "{}",
        "Http",
        "Core.set(",
        "interpreter.",
        "\n",
        "\"\\u{",
        "1 / 0",
        "code := {",
        ".+(",
    ];
    let mut out = text.to_owned();
    for _ in 0..=dice.below(4) {
        let mut at = usize::try_from(dice.below(out.len() as u64 + 1)).unwrap_or(0);
        while !out.is_char_boundary(at) {
            at -= 1;
        }
        match dice.below(3) {
            0 => out.insert_str(at, dice.pick(PIECES)),
            1 => {
                let mut end =
                    (at + 1 + usize::try_from(dice.below(20)).unwrap_or(0)).min(out.len());
                while !out.is_char_boundary(end) {
                    end += 1;
                }
                out.replace_range(at..end, "");
            }
            _ => {
                let mut end = (at + usize::try_from(dice.below(60)).unwrap_or(0)).min(out.len());
                while !out.is_char_boundary(end) {
                    end += 1;
                }
                let copy = out[at..end].to_owned();
                out.insert_str(at, &copy);
            }
        }
    }
    out
}
