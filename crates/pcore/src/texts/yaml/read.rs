//! `YAML.safe_load`: the first document of a text.

use super::input;
use super::scalar::{self, Scalar};
use crate::texts::{Data, RubyError, base64, float};
use libyaml_safer::{Error, ErrorKind, Event, EventData, Parser, ScalarStyle};
use std::collections::HashMap;

/// What may be loaded.
#[derive(Debug, Clone, Copy, Default)]
pub struct LoadOptions<'a> {
    /// Classes besides the usual ones: `Symbol`, `Date`, `Time`.
    pub permitted_classes: &'a [&'a str],
    /// Are aliases allowed?
    pub aliases: bool,
    /// The name of the file, for messages.
    pub filename: Option<&'a str>,
}

/// Aliases may make much of little; this is enough.
const MAX_NODES: usize = 5_000_000;
const MAX_DEPTH: usize = 1_500;

/// Where a key of a mapping stands.
#[derive(Debug, Clone, Copy)]
pub struct KeyMark<'a> {
    /// How many collections it is in: 1 for the keys of the document itself.
    pub depth: usize,
    /// The key.
    pub key: &'a Data,
    /// Its line, counted from 1.
    pub line: usize,
    /// Whether the mapping had it before; the later value counts.
    pub is_repeated: bool,
}

/// Reads the first document; without one it is nil.
pub fn load(text: &str, options: LoadOptions<'_>) -> Result<Data, RubyError> {
    load_with_keys(text, options, &mut |_| ())
}

/// Reads the first document and tells where every key stands.
pub fn load_with_keys(
    text: &str,
    options: LoadOptions<'_>,
    on_key: &mut dyn FnMut(KeyMark<'_>),
) -> Result<Data, RubyError> {
    let events = first_document(text, options)?;
    if events.is_empty() {
        return Ok(Data::Nil);
    }
    let mut loader = Loader {
        options,
        events: events.into_iter(),
        anchors: HashMap::new(),
        open: Vec::new(),
        n_nodes: 0,
        depth: 0,
        on_key,
    };
    Ok(loader.node()?.data)
}

/// The events of the first document. Errors of syntax come before all others.
fn first_document(text: &str, options: LoadOptions<'_>) -> Result<Vec<Event>, RubyError> {
    let text = input::prepare(text)?;
    let mut bytes = text.as_bytes();
    let mut parser = Parser::new();
    parser.set_input(&mut bytes);
    let mut events = Vec::new();
    let mut depth = 0_usize;
    loop {
        let mut event = parser.parse().map_err(|error| syntax_error(&error, options))?;
        match &event.data {
            EventData::SequenceStart { .. } | EventData::MappingStart { .. } => depth += 1,
            EventData::SequenceEnd | EventData::MappingEnd => depth = depth.saturating_sub(1),
            _ => (),
        }
        // The parser takes longer for every step the deeper it is, so it must not go on.
        if depth > MAX_DEPTH {
            return Err(too_deep());
        }
        match &mut event.data {
            EventData::StreamStart { .. } | EventData::DocumentStart { .. } => (),
            EventData::DocumentEnd { .. } | EventData::StreamEnd => return Ok(events),
            EventData::Scalar {
                value, style: ScalarStyle::Literal | ScalarStyle::Folded, ..
            } if text.is_line_added() && event.end_mark.index >= text.len() => {
                value.truncate(value.strip_suffix('\n').unwrap_or(value).len());
                events.push(event);
            }
            _ => events.push(event),
        }
    }
}

fn too_deep() -> RubyError {
    RubyError::argument("the document is nested too deeply")
}

/// Psych says where the context is. The scanner has a place for it even if it has no words, the parser has not.
fn syntax_error(error: &Error, options: LoadOptions<'_>) -> RubyError {
    let file = options.filename.unwrap_or("<unknown>");
    let (context, space) = error.context().map_or(("", ""), |context| (context, " "));
    let mark = match error.kind() {
        ErrorKind::Scanner => error.context_mark().or_else(|| error.problem_mark()),
        _ => error.context_mark(),
    };
    let (line, column) = mark.map_or((0, 0), |mark| (mark.line, mark.column));
    let problem = error.problem();
    let message =
        format!("({file}): {problem}{space}{context} at line {} column {}", line + 1, column + 1);
    RubyError::new("Psych::SyntaxError", message)
}

/// What was made of an event, and what the merging of hashes has to know of it.
struct Node {
    data: Data,
    kind: Kind,
    /// How many nodes there are in it.
    size: usize,
    /// It was tagged as a text.
    is_str: bool,
}

#[derive(PartialEq)]
enum Kind {
    Scalar,
    Sequence,
    Mapping,
    Alias,
}

struct Loader<'o> {
    options: LoadOptions<'o>,
    events: std::vec::IntoIter<Event>,
    anchors: HashMap<String, (Data, usize)>,
    /// Anchors of collections that are not finished.
    open: Vec<String>,
    n_nodes: usize,
    depth: usize,
    on_key: &'o mut dyn FnMut(KeyMark<'_>),
}

impl Loader<'_> {
    fn node(&mut self) -> Result<Node, RubyError> {
        match self.events.next() {
            Some(event) => self.event(event),
            None => Ok(Node { data: Data::Nil, kind: Kind::Scalar, size: 1, is_str: false }),
        }
    }

    fn event(&mut self, event: Event) -> Result<Node, RubyError> {
        self.count(1)?;
        let (anchor, node) = match event.data {
            EventData::Alias { anchor } => return self.alias(&anchor),
            EventData::Scalar { anchor, tag, value, style, .. } => {
                let data = self.scalar(value, style, tag.as_deref())?;
                let is_str = tag.as_deref() == Some("tag:yaml.org,2002:str");
                (anchor, Node { data, kind: Kind::Scalar, size: 1, is_str })
            }
            EventData::SequenceStart { anchor, tag, .. } => {
                self.open.extend(anchor.clone());
                (anchor, self.nested(|loader| loader.sequence(tag.as_deref()))?)
            }
            EventData::MappingStart { anchor, tag, .. } => {
                self.open.extend(anchor.clone());
                (anchor, self.nested(|loader| loader.mapping(tag.as_deref()))?)
            }
            // No other event starts a node.
            _ => (None, Node { data: Data::Nil, kind: Kind::Scalar, size: 1, is_str: false }),
        };
        if let Some(anchor) = anchor {
            self.open.retain(|open| *open != anchor);
            self.anchors.insert(anchor, (node.data.clone(), node.size));
        }
        Ok(node)
    }

    fn count(&mut self, nodes: usize) -> Result<(), RubyError> {
        self.n_nodes = self.n_nodes.saturating_add(nodes);
        if self.n_nodes > MAX_NODES {
            return Err(RubyError::argument("the document is too large"));
        }
        Ok(())
    }

    fn nested(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<Node, RubyError>,
    ) -> Result<Node, RubyError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(too_deep());
        }
        let node = stacker::maybe_grow(64 * 1024, 1024 * 1024, || read(self))?;
        self.depth -= 1;
        Ok(node)
    }

    fn alias(&mut self, name: &str) -> Result<Node, RubyError> {
        let known = if self.options.aliases { self.anchors.get(name) } else { None };
        let Some((data, size)) = known else {
            if self.open.iter().any(|open| open == name) {
                let message = format!("the alias `*{name}` stands inside of what it means");
                return Err(RubyError::argument(message));
            }
            return Err(RubyError::new("Psych::BadAlias", format!("Unknown alias: {name}")));
        };
        let (data, size) = (data.clone(), *size);
        self.count(size)?;
        Ok(Node { data, kind: Kind::Alias, size, is_str: false })
    }

    fn sequence(&mut self, tag: Option<&str>) -> Result<Node, RubyError> {
        let is_omap = matches!(tag, Some("!omap" | "tag:yaml.org,2002:omap"));
        if let Some(class) = tag
            .and_then(|tag| tag.strip_prefix("!seq:").or_else(|| tag.strip_prefix("!ruby/array:")))
        {
            self.class(class)?;
        }
        let before = self.n_nodes;
        let mut items = Vec::new();
        while !self.is_next(&EventData::SequenceEnd) {
            items.push(self.node()?.data);
        }
        self.events.next();
        let data = if is_omap { ordered(items) } else { Data::Array(items) };
        Ok(Node { data, kind: Kind::Sequence, size: self.n_nodes - before + 1, is_str: false })
    }

    fn mapping(&mut self, tag: Option<&str>) -> Result<Node, RubyError> {
        if let Some(tag) = tag {
            self.mapping_class(tag)?;
        }
        let before = self.n_nodes;
        let mut hash = HashBuilder::default();
        while !self.is_next(&EventData::MappingEnd) {
            let line = self.events.as_slice().first().map_or(0, |event| event.start_mark.line);
            let key = self.node()?;
            let is_repeated = hash.place(&key.data).is_some();
            let line = usize::try_from(line).unwrap_or(usize::MAX).saturating_add(1);
            (self.on_key)(KeyMark { depth: self.depth, key: &key.data, line, is_repeated });
            let value = self.node()?;
            let is_merge = key.data == Data::str("<<") && !key.is_str;
            match is_merge.then(|| merged(&value)).flatten() {
                Some(entries) => {
                    entries.into_iter().for_each(|(key, value)| hash.insert(key, value))
                }
                None => hash.insert(key.data, value.data),
            }
        }
        self.events.next();
        let data = Data::Hash(hash.entries);
        Ok(Node { data, kind: Kind::Mapping, size: self.n_nodes - before + 1, is_str: false })
    }

    /// Whether a collection ends here.
    fn is_next(&self, end: &EventData) -> bool {
        self.events.as_slice().first().is_none_or(|event| event.data == *end)
    }

    /// Refuses tags of classes that are not permitted.
    fn mapping_class(&self, tag: &str) -> Result<(), RubyError> {
        match tag {
            "!set" | "tag:yaml.org,2002:set" => return self.class("Psych::Set"),
            "!omap" | "tag:yaml.org,2002:omap" => return self.class("Psych::Omap"),
            "!ruby/range" => return self.class("Range"),
            "!ruby/object:Hash" => return Ok(()),
            _ => (),
        }
        let named = |prefix: &str, default: &'static str| {
            let rest = tag.strip_prefix(prefix)?;
            let name = rest.strip_prefix(':').unwrap_or(rest);
            Some(if name.is_empty() { default.to_owned() } else { name.to_owned() })
        };
        let class = named("!ruby/struct", "Struct")
            .or_else(|| named("!ruby/object", "Object"))
            .or_else(|| named("!ruby/exception", "Exception"))
            .or_else(|| named("!ruby/hash:", ""))
            .or_else(|| named("!ruby/array:", ""))
            .or_else(|| named("!ruby/marshalable:", ""))
            .or_else(|| named("!map:", ""));
        class.map_or(Ok(()), |class| self.class(&class))
    }

    fn class(&self, name: &str) -> Result<(), RubyError> {
        if name.is_empty() || self.options.permitted_classes.contains(&name) {
            return Ok(());
        }
        let message = format!("Tried to load unspecified class: {name}");
        Err(RubyError::new("Psych::DisallowedClass", message))
    }

    fn scalar(
        &self,
        text: String,
        style: ScalarStyle,
        tag: Option<&str>,
    ) -> Result<Data, RubyError> {
        let quoted = style != ScalarStyle::Plain;
        match tag {
            None | Some("!") if quoted => Ok(Data::Str(text)),
            None | Some("!") => self.plain(text),
            Some(tag) => self.tagged(text, tag),
        }
    }

    fn plain(&self, text: String) -> Result<Data, RubyError> {
        Ok(match scalar::tokenize(&text)? {
            Scalar::Nil => Data::Nil,
            Scalar::Bool(value) => Data::Bool(value),
            Scalar::Int(number) => number.to_i64().map_or(Data::Big(number), Data::Int),
            Scalar::Float(number) => Data::Float(number),
            Scalar::Symbol(name) => {
                self.class("Symbol")?;
                Data::Symbol(name)
            }
            Scalar::Date => {
                self.class("Date")?;
                Data::Other("Date", iso_date(&text))
            }
            Scalar::Time => {
                self.class("Time")?;
                Data::Other("Time", text)
            }
            Scalar::Str => {
                // Dates and times that are none are refused all the same, since the class is asked for first.
                if let Some(class) = scalar::class_of_lookalike(&text) {
                    self.class(class)?;
                }
                Data::Str(text)
            }
        })
    }

    fn tagged(&self, text: String, tag: &str) -> Result<Data, RubyError> {
        match tag {
            "!binary" | "tag:yaml.org,2002:binary" => {
                return Ok(Data::Binary(base64::decode(&text)));
            }
            "!str" | "!ruby/string" | "tag:yaml.org,2002:str" => return Ok(Data::Str(text)),
            "!float" | "tag:yaml.org,2002:float" => return self.float(text),
            "!ruby/regexp" => self.class("Regexp")?,
            "!ruby/range" => self.class("Range")?,
            "!ruby/class" | "!ruby/module" => self.class(&text)?,
            "!ruby/object:BigDecimal" => self.class("BigDecimal")?,
            "!ruby/object:DateTime" => self.class("DateTime")?,
            "!ruby/object:Complex" => self.class("Complex")?,
            "!ruby/object:Rational" => self.class("Rational")?,
            _ => (),
        }
        if tag.starts_with("!ruby/sym") {
            self.class("Symbol")?;
            return Ok(Data::Symbol(text));
        }
        if let Some(class) = tag.strip_prefix("!str:").or_else(|| tag.strip_prefix("!ruby/string:"))
        {
            self.class(class)?;
            return Ok(Data::Str(text));
        }
        self.plain(text)
    }

    fn float(&self, text: String) -> Result<Data, RubyError> {
        Ok(Data::Float(match self.plain(text)? {
            Data::Int(number) => number as f64,
            Data::Big(number) => number.to_f64(),
            Data::Float(number) => number,
            Data::Str(text) => float::parse(&text)?,
            Data::Nil => return Err(RubyError::type_("can't convert nil into Float")),
            Data::Bool(value) => {
                return Err(RubyError::type_(format!("can't convert {value} into Float")));
            }
            _ => return Err(RubyError::type_("can't convert Symbol into Float")),
        }))
    }
}

fn iso_date(text: &str) -> String {
    let parts: Vec<u32> = text.split('-').filter_map(|part| part.parse().ok()).collect();
    match parts[..] {
        [year, month, day] => format!("{year:04}-{month:02}-{day:02}"),
        _ => text.to_owned(),
    }
}

/// A list of hashes of one entry each, as one hash.
fn ordered(items: Vec<Data>) -> Data {
    let mut hash = HashBuilder::default();
    for item in items {
        if let Data::Hash(entries) = item {
            entries.into_iter().for_each(|(key, value)| hash.insert(key, value));
        }
    }
    Data::Hash(hash.entries)
}

/// The entries that `<<` brings; `None` if what follows it is no hash, and then it is a key like any other.
fn merged(value: &Node) -> Option<Vec<(Data, Data)>> {
    match (&value.kind, &value.data) {
        (Kind::Alias | Kind::Mapping, Data::Hash(entries)) => Some(entries.clone()),
        (Kind::Sequence, Data::Array(items)) => {
            let mut hash = HashBuilder::default();
            // The first in the list wins.
            for item in items.iter().rev() {
                let Data::Hash(entries) = item else { return None };
                entries.iter().for_each(|(key, value)| hash.insert(key.clone(), value.clone()));
            }
            Some(hash.entries)
        }
        _ => None,
    }
}

/// Entries in the order in which their keys came first, with the values that came last.
#[derive(Default)]
struct HashBuilder {
    entries: Vec<(Data, Data)>,
    texts: HashMap<String, usize>,
    /// Where keys are that are no texts.
    others: Vec<usize>,
}

impl HashBuilder {
    fn place(&self, key: &Data) -> Option<usize> {
        match key {
            Data::Str(text) => self.texts.get(text).copied(),
            other => self.others.iter().copied().find(|&place| self.entries[place].0 == *other),
        }
    }

    fn insert(&mut self, key: Data, value: Data) {
        if let Some(place) = self.place(&key) {
            self.entries[place].1 = value;
            return;
        }
        match &key {
            Data::Str(text) => drop(self.texts.insert(text.clone(), self.entries.len())),
            _ => self.others.push(self.entries.len()),
        }
        self.entries.push((key, value));
    }
}
