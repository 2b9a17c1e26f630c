//! Specs: the language specified in Markdown, with recorded answers of real Puppet.
//!
//! A heading is a test. Its first fenced `pp` or `epp` block is the source; words after the language are its options
//! ([`Case`]). The blocks after it are recorded and never edited by hand: `puppet` (the diagnostics), `pn` (the tree,
//! and a digest of its JSON), `nodes` (kinds and places).

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use kukla_syntax::Strict;

use crate::digests::digest;
use crate::{Case, Issue, ROOM, View};

/// One Markdown file.
#[derive(Debug)]
pub struct Spec {
    /// The file.
    pub path: PathBuf,
    /// `invalid/numbers`
    pub topic: String,
    lines: Vec<String>,
    /// The tests, in order.
    pub tests: Vec<Test>,
}

/// One heading with a source.
#[derive(Debug)]
pub struct Test {
    /// The heading.
    pub title: String,
    /// The source.
    pub case: Case,
    /// The recorded view; `None`: not recorded yet.
    pub recorded: Option<View>,
    /// The recorded JSON digest.
    pub json: Option<String>,
    /// The lines after the source with the recorded blocks.
    record: std::ops::Range<usize>,
}

/// A fenced block: its words, its text and its lines.
struct Block {
    words: Vec<String>,
    text: String,
    lines: std::ops::Range<usize>,
}

/// Returns all spec files of a folder below `spec/`, in the order of their names.
pub fn folder(name: &str) -> Result<Vec<Spec>> {
    topics(name, |_| true)
}

/// Returns the spec files of a folder below `spec/` whose topic is wanted, in the order of their names.
pub fn topics(name: &str, wanted: impl Fn(&str) -> bool) -> Result<Vec<Spec>> {
    let folder = Path::new(ROOM).join("spec").join(name);
    let mut paths: Vec<PathBuf> = Vec::new();
    let entries = match std::fs::read_dir(&folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.with_context(|| format!("cannot list `{}`", folder.display()))?,
    };
    for entry in entries {
        let path = entry?.path();
        let is_spec = path.extension().is_some_and(|extension| extension == "md");
        if is_spec && path.file_stem().is_some_and(|stem| stem != "README") {
            paths.push(path);
        }
    }
    paths.sort();
    let topic =
        |path: &Path| format!("{name}/{}", path.file_stem().unwrap_or_default().to_string_lossy());
    let specs = paths.into_iter().map(|path| (topic(&path), path));
    specs.filter(|(topic, _)| wanted(topic)).map(|(topic, path)| Spec::read(path, topic)).collect()
}

impl Spec {
    fn read(path: PathBuf, topic: String) -> Result<Self> {
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read `{}`", path.display()))?;
        let lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        let tests = tests(&lines).with_context(|| format!("in `{}`", path.display()))?;
        Ok(Self { path, topic, lines, tests })
    }

    /// Returns the text of the file with new records, one per test.
    pub fn with_records(&self, views: &[View]) -> String {
        let mut out: Vec<String> = Vec::new();
        let mut copied = 0;
        for (test, view) in self.tests.iter().zip(views) {
            out.extend_from_slice(&self.lines[copied..test.record.start]);
            out.extend(record(view, self.topic.starts_with("valid/")));
            copied = test.record.end;
        }
        out.extend_from_slice(&self.lines[copied..]);
        out.join("\n")
    }
}

/// Returns the blocks of a view.
fn record(view: &View, with_tree: bool) -> Vec<String> {
    let mut out = Vec::new();
    let mut block = |words: String, text: &str| {
        out.push(format!("```{words}"));
        out.extend(text.lines().map(str::to_owned));
        out.push("```".to_owned());
    };
    if !with_tree || !view.issues.is_empty() {
        block("puppet".to_owned(), &view.issue_lines());
    }
    if let (true, Some(pn)) = (with_tree, &view.pn) {
        let json = digest(view.json.as_deref().unwrap_or_default());
        block(format!("pn json={json}"), pn);
    }
    if let (true, Some(nodes)) = (with_tree, &view.nodes) {
        block("nodes".to_owned(), nodes);
    }
    out
}

fn tests(lines: &[String]) -> Result<Vec<Test>> {
    let mut tests: Vec<Test> = Vec::new();
    let mut title = String::new();
    let mut at = 0;
    while at < lines.len() {
        if let Some(block) = block(lines, at)? {
            at = block.lines.end;
            match block.words.first().map(String::as_str) {
                Some("pp" | "epp") => tests.push(test(&title, &block)?),
                Some("puppet" | "pn" | "nodes") => {
                    let test = tests.last_mut().context("a recorded block without a source")?;
                    test.recorded(&block)?;
                }
                _ => (),
            }
            continue;
        }
        if let Some(heading) = lines[at].strip_prefix('#') {
            title = heading.trim_start_matches('#').trim().to_owned();
        }
        at += 1;
    }
    check_titles(&tests)?;
    Ok(tests)
}

fn check_titles(tests: &[Test]) -> Result<()> {
    for (index, test) in tests.iter().enumerate() {
        if tests[..index].iter().any(|earlier| earlier.title == test.title) {
            bail!("the heading `{}` stands twice, or has two sources", test.title);
        }
    }
    Ok(())
}

/// Returns the fenced block that starts at a line.
fn block(lines: &[String], start: usize) -> Result<Option<Block>> {
    let ticks = lines[start].bytes().take_while(|&byte| byte == b'`').count();
    if ticks < 3 {
        return Ok(None);
    }
    let fence = "`".repeat(ticks);
    let end = (start + 1..lines.len())
        .find(|&line| lines[line] == fence)
        .with_context(|| format!("the block of line {} has no end", start + 1))?;
    let text = lines[start + 1..end].iter().map(|line| format!("{line}\n")).collect();
    let words = lines[start][ticks..].split_whitespace().map(str::to_owned).collect();
    Ok(Some(Block { words, text, lines: start..end + 1 }))
}

fn test(title: &str, block: &Block) -> Result<Test> {
    let mut case = Case::manifest(block.text.as_bytes());
    for word in &block.words {
        apply(word, &mut case).with_context(|| format!("under the heading `{title}`"))?;
    }
    let end = block.lines.end;
    Ok(Test { title: title.to_owned(), case, recorded: None, json: None, record: end..end })
}

fn apply(word: &str, case: &mut Case) -> Result<()> {
    match word.split_once('=').unwrap_or((word, "")) {
        ("pp", _) => (),
        ("epp", _) => case.template = true,
        ("tasks", _) => case.tasks = true,
        ("strict", "off") => case.strict = Strict::Off,
        ("strict", "warning") => case.strict = Strict::Warning,
        ("strict", "error") => case.strict = Strict::Error,
        ("file", path) => case.file = Some(path.to_owned()),
        ("escaped", _) => case.bytes = unescape(&case.bytes)?,
        ("noeol", _) => drop(case.bytes.pop()),
        _ => bail!("`{word}` is no word for a source"),
    }
    Ok(())
}

/// Decodes `\xHH`, `\r`, `\n`, `\t`, `\0`, `\\` and a backslash at the end of a line.
fn unescape(text: &[u8]) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'\\' {
            out.push(*first);
            continue;
        }
        let [letter, tail @ ..] = rest else { bail!("a backslash at the end") };
        rest = tail;
        match letter {
            b'x' => {
                let digits = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
                let byte = digits.and_then(|hex| u8::from_str_radix(hex, 16).ok());
                out.push(byte.context("`\\x` wants two hexadecimal digits")?);
                rest = &tail[2..];
            }
            b'r' => out.push(b'\r'),
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'0' => out.push(0),
            b'\\' => out.push(b'\\'),
            b'\n' => (),
            other => bail!("`\\{}` is no escape", *other as char),
        }
    }
    Ok(out)
}

impl Test {
    fn recorded(&mut self, block: &Block) -> Result<()> {
        let view = self.recorded.get_or_insert_default();
        match block.words[0].as_str() {
            "puppet" => {
                for line in block.text.lines() {
                    let issue = Issue::parse(line);
                    view.issues.push(issue.with_context(|| format!("`{line}` is no complaint"))?);
                }
            }
            "pn" => {
                view.pn = Some(block.text.trim_end_matches('\n').to_owned());
                let json = block.words.iter().find_map(|word| word.strip_prefix("json="));
                self.json = json.map(str::to_owned);
            }
            _ => view.nodes = Some(block.text.clone()),
        }
        self.record.end = block.lines.end;
        Ok(())
    }
}
