//! Sources to try: those of the specs, and some that are long, deep or odd.

use std::path::Path;

use kukla_syntax::{Checked, Language, Options, check};

/// A source and how it is read.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) options: Options,
}

impl Source {
    pub(crate) fn manifest(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { name: text.chars().take(60).collect(), text, options: Options::default() }
    }

    pub(crate) fn check(&self) -> Checked {
        check(&self.text, &self.options)
    }
}

/// Returns all sources of the specs that are text.
pub(crate) fn specs() -> Vec<Source> {
    let room = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/spec");
    let mut sources = Vec::new();
    for folder in ["valid", "invalid"] {
        let mut files: Vec<_> = std::fs::read_dir(room.join(folder))
            .expect("there are specs")
            .map(|entry| entry.expect("they can be listed").path())
            .collect();
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(&file).expect("specs are text");
            let name = format!("{folder}/{}", file.file_stem().unwrap_or_default().display());
            blocks(&name, &text, &mut sources);
        }
    }
    sources
}

fn blocks(name: &str, text: &str, sources: &mut Vec<Source>) {
    let mut lines = text.lines();
    let mut title = String::new();
    while let Some(line) = lines.next() {
        if let Some(heading) = line.strip_prefix('#') {
            title = format!("{name} {}", heading.trim_start_matches('#'));
        }
        let Some(words) = line.strip_prefix("```") else { continue };
        let mut body = String::new();
        for line in lines.by_ref().take_while(|&line| line != "```") {
            body.push_str(line);
            body.push('\n');
        }
        let words: Vec<&str> = words.split(' ').collect();
        sources.extend(source(title.clone(), &words, body));
    }
}

fn source(name: String, words: &[&str], mut text: String) -> Option<Source> {
    let language = match words.first() {
        Some(&"pp") => Language::Manifest,
        Some(&"epp") => Language::Template,
        _ => return None,
    };
    if words.contains(&"noeol") {
        text.pop();
    }
    if words.contains(&"escaped") {
        text = unescape(&text)?;
    }
    let options = Options { language, tasks: words.contains(&"tasks"), ..Options::default() };
    Some(Source { name, text, options })
}

/// `None` if the bytes are no text.
fn unescape(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next()? {
            b'n' => bytes.push(b'\n'),
            b'r' => bytes.push(b'\r'),
            b't' => bytes.push(b'\t'),
            b'0' => bytes.push(0),
            b'x' => {
                let digits = [rest.next()?, rest.next()?];
                bytes.push(u8::from_str_radix(str::from_utf8(&digits).ok()?, 16).ok()?);
            }
            b'\n' => (),
            other => bytes.push(other),
        }
    }
    String::from_utf8(bytes).ok()
}

/// Sources that are long, deep or odd.
pub(crate) fn odd() -> Vec<Source> {
    let template = |text: &str| Source {
        options: Options { language: Language::Template, ..Options::default() },
        ..Source::manifest(text)
    };
    vec![
        Source::manifest(""),
        Source::manifest("\r\n# nothing\r\n"),
        Source::manifest("$ä = 'ö' # ü\n$b = \"ß${ä}\"\n"),
        Source::manifest("notice('a\0b', 'a', \"\0\")"),
        Source::manifest("$a = [0x1F, 0XfF, 017, 0, 1.50, 1e20, 1.0e-7, 9223372036854775807]"),
        Source::manifest("'Puppet' 'AST' 'Program' 'Locator' 'LiteralString' /Puppet/ =~ /Puppet/"),
        Source::manifest("'regular' '10' 'true' '' ''"),
        Source::manifest("type Runtime[ruby, 'A::B'] = C { 'a' => 1 }"),
        Source::manifest("foo() |$x| {}\nbar() || {}\nfoo() |*$x| >> Integer { 1 }"),
        Source::manifest(
            "class a { define b() { } class c { function d() { 1 } } } type E = Integer",
        ),
        Source::manifest(format!("$x = {}1{}", "[".repeat(1000), "]".repeat(1000))),
        Source::manifest(format!("$x = '{}'\n$y = 0x10", "long ".repeat(20_000))),
        Source::manifest((0..9_000).map(|n| format!("$v{n} = 'w{n}'\n")).collect::<String>()),
        template("hi"),
        template(""),
        template("<%| Integer $a, $b = 1 |%>hi <%= $a %>x<% if true { %>z<% } %>"),
    ]
}
