//! `to_yaml`: a tree as a document, every scalar in the style that Psych and libyaml agree on.

use super::analysis::{Analysis, analyze};
use super::emitter::{Emitter, ScalarStyle};
use super::scalar::{self, Scalar};
use crate::tree::{Tree, View};
use crate::{RubyError, base64, float};
use std::borrow::Cow;
use std::collections::HashMap;

/// The options of `to_yaml`.
#[derive(Debug, Clone, Copy, Default)]
pub struct DumpOptions {
    /// Spaces per level; anything but 2 to 9 means 2.
    pub indentation: Option<i64>,
    /// The column at which lines are folded; -1 for never.
    pub line_width: Option<i64>,
}

/// Writes a document.
pub fn write(tree: &dyn Tree, options: DumpOptions) -> Result<String, RubyError> {
    write_tagged(tree, None, options, 0)
}

/// Writes a document whose top has a tag, such as `!ruby/object:Puppet::Node`; it is expected to have so many bytes.
pub fn write_tagged(
    tree: &dyn Tree,
    tag: Option<&str>,
    options: DumpOptions,
    n_expected: usize,
) -> Result<String, RubyError> {
    let line_width = options.line_width;
    if let Some(width) = line_width.filter(|width| *width < -1) {
        let message =
            format!("Invalid line_width {width}, must be non-negative or -1 for unlimited.");
        return Err(RubyError::argument(message));
    }
    let indent = options.indentation.filter(|indent| (2..=9).contains(indent)).unwrap_or(2);
    let width = match line_width {
        Some(-1) => usize::MAX,
        Some(width) if width > indent * 2 => usize::try_from(width).unwrap_or(usize::MAX),
        _ => 80,
    };
    let mut anchors = Anchors::default();
    anchors.find(tree);
    let mut writer = Writer {
        emitter: Emitter::new(indent as i32, width),
        fold: line_width.filter(|width| *width >= 0).map(|width| width as usize),
        anchors,
        is_key: false,
        in_mapping: false,
    };
    writer.emitter.out.reserve(n_expected);
    writer.document(tree, tag)?;
    Ok(writer.emitter.out)
}

/// Arrays and hashes that appear more than once, with their numbers.
#[derive(Default)]
struct Anchors {
    numbers: HashMap<usize, Option<usize>>,
    count: usize,
    written: HashMap<usize, bool>,
}

impl Anchors {
    /// Numbers them in the order of their second appearance.
    fn find(&mut self, tree: &dyn Tree) {
        if !tree.has_identities() {
            return;
        }
        if let Some(id) = tree.identity() {
            match self.numbers.get_mut(&id) {
                Some(number) => {
                    if number.is_none() {
                        self.count += 1;
                        *number = Some(self.count);
                    }
                    return;
                }
                None => {
                    self.numbers.insert(id, None);
                }
            }
        }
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || match tree.view() {
            View::Array(items) => items.iter().for_each(|item| self.find(*item)),
            View::Hash(entries) => entries.iter().for_each(|(key, value)| {
                self.find(*key);
                self.find(*value);
            }),
            _ => (),
        });
    }

    /// Returns the number of a tree that appears more than once, and whether it was written before.
    fn number(&mut self, tree: &dyn Tree) -> Option<(usize, bool)> {
        let id = tree.identity()?;
        let number = (*self.numbers.get(&id)?)?;
        let written = self.written.insert(id, true).is_some();
        Some((number, written))
    }
}

/// A scalar with its possible styles.
struct ScalarText<'a> {
    text: Cow<'a, str>,
    tag: Option<&'static str>,
    style: ScalarStyle,
    /// Set if it keeps its meaning without a tag when plain.
    plain: bool,
    /// Set if it keeps its meaning without a tag when quoted.
    quoted: bool,
}

struct Writer {
    emitter: Emitter,
    fold: Option<usize>,
    anchors: Anchors,
    is_key: bool,
    in_mapping: bool,
}

impl Writer {
    fn document(&mut self, tree: &dyn Tree, tag: Option<&str>) -> Result<(), RubyError> {
        self.emitter.indicator("---", true, false, false);
        if let Some(tag) = tag {
            self.emitter.property(tag);
        }
        self.node(tree, false, false)?;
        self.emitter.write_indent();
        if self.emitter.open_ended {
            self.emitter.indicator("...", true, false, false);
            self.emitter.write_indent();
        }
        Ok(())
    }

    fn node(&mut self, tree: &dyn Tree, in_mapping: bool, is_key: bool) -> Result<(), RubyError> {
        self.in_mapping = in_mapping;
        self.is_key = is_key;
        if let Some((number, written)) = self.anchors.number(tree) {
            if written {
                self.emitter.property(&format!("*{number}"));
                if is_key {
                    self.emitter.space();
                }
                return Ok(());
            }
            self.emitter.property(&format!("&{number}"));
        }
        match tree.view() {
            View::Str(text) if self.is_plain_word(text) => self.emitter.word(text),
            View::Bool(true) => self.emitter.word("true"),
            View::Bool(false) => self.emitter.word("false"),
            View::Array(items) if items.is_empty() => self.empty("[", "]"),
            View::Hash(entries) if entries.is_empty() => self.empty("{", "}"),
            View::Array(items) => {
                stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.array(&items))?
            }
            View::Hash(entries) => {
                stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.hash(&entries))?
            }
            scalar => self.scalar(&self.text(&scalar)?),
        }
        Ok(())
    }

    /// Whether a text is written as it is.
    fn is_plain_word(&self, text: &str) -> bool {
        self.fold.is_none() && is_word(text)
    }

    fn empty(&mut self, open: &str, close: &str) {
        self.emitter.indicator(open, true, true, false);
        self.emitter.indicator(close, false, false, false);
    }

    fn array(&mut self, items: &[&dyn Tree]) -> Result<(), RubyError> {
        // A list below a key is not indented.
        let indentless = self.in_mapping && !self.emitter.indention;
        let old = self.emitter.increase_indent(false, indentless);
        for item in items {
            self.emitter.write_indent();
            self.emitter.indicator("-", true, false, true);
            self.node(*item, false, false)?;
        }
        self.emitter.indent = old;
        Ok(())
    }

    fn hash(&mut self, entries: &[(&dyn Tree, &dyn Tree)]) -> Result<(), RubyError> {
        let old = self.emitter.increase_indent(false, false);
        for (key, value) in entries {
            self.emitter.write_indent();
            if self.is_simple(*key)? {
                self.node(*key, true, true)?;
                self.emitter.indicator(":", false, false, false);
            } else {
                self.emitter.indicator("?", true, false, true);
                self.node(*key, true, false)?;
                self.emitter.write_indent();
                self.emitter.indicator(":", true, false, true);
            }
            self.node(*value, true, false)?;
        }
        self.emitter.indent = old;
        Ok(())
    }

    /// Returns true if a key fits before a colon: on one line, at most 128 bytes with its tag and anchor.
    fn is_simple(&self, key: &dyn Tree) -> Result<bool, RubyError> {
        let number = key.identity().and_then(|id| self.anchors.numbers.get(&id).copied().flatten());
        Ok(match key.view() {
            View::Array(_) if self.is_alias(key) => true,
            View::Hash(_) if self.is_alias(key) => true,
            View::Array(items) => items.is_empty(),
            View::Hash(entries) => entries.is_empty(),
            View::Str(text) if self.is_plain_word(text) => text.len() <= 128,
            scalar => {
                let text = self.text(&scalar)?;
                let anchor = number.map_or(0, |number| number.to_string().len());
                let tag = if text.plain || text.quoted { 0 } else { text.tag.map_or(0, str::len) };
                !analyze(&text.text).multiline && anchor + tag + text.text.len() <= 128
            }
        })
    }

    fn is_alias(&self, tree: &dyn Tree) -> bool {
        tree.identity().is_some_and(|id| self.anchors.written.contains_key(&id))
    }

    /// Returns the scalar with the style and tag that Psych requests.
    fn text<'a>(&self, view: &View<'a>) -> Result<ScalarText<'a>, RubyError> {
        let bare = |text: Cow<'a, str>| ScalarText {
            text,
            tag: None,
            style: ScalarStyle::Plain,
            plain: true,
            quoted: false,
        };
        Ok(match view {
            View::Nil => bare("".into()),
            View::Bool(value) => bare(if *value { "true" } else { "false" }.into()),
            View::Int(number) => bare(number.to_string().into()),
            View::Big(number) => bare(number.to_string().into()),
            View::Float(number) => bare(float_text(*number).into()),
            View::Symbol("") => ScalarText {
                text: "".into(),
                tag: Some("!ruby/symbol"),
                style: ScalarStyle::Plain,
                plain: false,
                quoted: false,
            },
            View::Symbol(text) => bare(format!(":{text}").into()),
            View::Binary(bytes) => {
                let text = base64::strict_encode(bytes).into();
                ScalarText {
                    text,
                    tag: Some("!binary"),
                    style: ScalarStyle::Literal,
                    plain: false,
                    quoted: false,
                }
            }
            View::Str("<<") => ScalarText {
                text: "<<".into(),
                tag: Some("!!str"),
                style: ScalarStyle::Single,
                plain: false,
                quoted: false,
            },
            View::Str(text) => {
                let style = string_style(text, self.fold)?;
                ScalarText { text: (*text).into(), tag: None, style, plain: true, quoted: true }
            }
            View::Other(text) => bare((*text).into()),
            View::Array(_) | View::Hash(_) => bare("".into()),
        })
    }

    fn scalar(&mut self, scalar: &ScalarText<'_>) {
        let ScalarText { text, tag, plain, quoted, .. } = scalar;
        let analysis = analyze(text);
        let style = self.final_style(scalar, analysis);
        let tag = match tag {
            Some(tag) if !plain && !quoted => Some(*tag),
            // The tag that marks a text that looks like a number.
            _ if !quoted && style != ScalarStyle::Plain => Some("!"),
            _ => None,
        };
        if let Some(tag) = tag {
            self.emitter.property(tag);
        }
        let old = self.emitter.increase_indent(true, false);
        self.emitter.scalar(text, style, self.is_key);
        self.emitter.indent = old;
    }

    /// Returns the style that libyaml chooses instead of the requested one.
    fn final_style(&self, scalar: &ScalarText<'_>, analysis: Analysis) -> ScalarStyle {
        let mut style = scalar.style;
        let has_tag = scalar.tag.is_some() && !scalar.plain && !scalar.quoted;
        if self.is_key && analysis.multiline {
            style = ScalarStyle::Double;
        }
        if style == ScalarStyle::Plain {
            let empty_key = scalar.text.is_empty() && self.is_key;
            if !analysis.block_plain || empty_key || (!has_tag && !scalar.plain) {
                style = ScalarStyle::Single;
            }
        }
        if style == ScalarStyle::Single && !analysis.single_quoted {
            style = ScalarStyle::Double;
        }
        if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded)
            && (!analysis.block || self.is_key)
        {
            style = ScalarStyle::Double;
        }
        style
    }
}

fn float_text(number: f64) -> String {
    match number {
        _ if number.is_nan() => ".nan".to_owned(),
        _ if number.is_infinite() => if number > 0.0 { ".inf" } else { "-.inf" }.to_owned(),
        _ => float::to_s(number),
    }
}

/// Returns true for a text that is nothing but a word in YAML: a letter or `_`, visible characters behind it, and no colon
/// at the end. Most keys and many values are such words.
fn is_word(text: &str) -> bool {
    const OTHERS: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    let bytes = text.as_bytes();
    let is_first = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_';
    bytes.first().is_some_and(is_first)
        && bytes.last() != Some(&b':')
        && bytes.iter().all(u8::is_ascii_graphic)
        && (text.len() > 5 || !OTHERS.iter().any(|other| text.eq_ignore_ascii_case(other)))
}

/// Returns the style that Psych requests for a text.
fn string_style(text: &str, fold: Option<usize>) -> Result<ScalarStyle, RubyError> {
    if fold.is_none() && is_word(text) {
        return Ok(ScalarStyle::Plain);
    }
    // One or two line breaks at the very end are ignored.
    let inner = text.strip_suffix('\n').unwrap_or(text);
    let inner = inner.strip_suffix('\n').unwrap_or(inner);
    if inner.contains('\n') {
        return Ok(ScalarStyle::Literal);
    }
    if text == "y" || text == "n" {
        return Ok(ScalarStyle::Double);
    }
    if fold.is_some_and(|width| text.chars().count() > width) {
        return Ok(ScalarStyle::Folded);
    }
    if starts_oddly(text) {
        return Ok(ScalarStyle::Double);
    }
    let octal = text.trim_start_matches('0').trim_start_matches(|c: char| ('0'..='7').contains(&c));
    let looks_octal = text.starts_with('0') && octal.starts_with(['8', '9']);
    let is_text = matches!(scalar::tokenize(text)?, Scalar::Str);
    Ok(if is_text && !looks_octal { ScalarStyle::Plain } else { ScalarStyle::Single })
}

/// Returns true if a line starts with a character that no word has, and has no double quote up to its end.
fn starts_oddly(text: &str) -> bool {
    let mut at = 0;
    loop {
        let line = &text[at..];
        let Some(first) = line.chars().next() else { return false };
        let behind = &line[first.len_utf8()..];
        // The end of any line counts, that of the first too.
        let reaches_end = first == '\n'
            || behind.split(['"', '\n']).next().is_some_and(|part| {
                behind.len() == part.len() || behind[part.len()..].starts_with('\n')
            });
        if !scalar::is_word(first) && reaches_end {
            return true;
        }
        match line.find('\n') {
            Some(end) => at += end + 1,
            None => return false,
        }
    }
}
