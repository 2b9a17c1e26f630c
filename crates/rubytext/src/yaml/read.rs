//! `YAML.safe_load`: the first document of a text.

use super::event::{Event, EventKind, Marked, first_document};
use super::scalar::{self, Scalar};
use crate::{Data, RubyError, RubyInteger as _, base64, float};
use hashbrown::HashTable;
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::BuildHasher;

/// Options of `YAML.safe_load`.
#[derive(Debug, Clone, Copy, Default)]
pub struct LoadOptions<'a> {
    /// Additional permitted classes: `Symbol`, `Date`, `Time`, `Regexp`.
    pub permitted_classes: &'a [&'a str],
    /// Allows aliases.
    pub aliases: bool,
    /// The name of the file, for messages.
    pub filename: Option<&'a str>,
}

/// The maximum number of nodes, since aliases can grow a small document exponentially.
const MAX_NODES: usize = 5_000_000;
pub(super) const MAX_DEPTH: usize = 1_500;

/// The position of a key of a mapping.
#[derive(Debug, Clone, Copy)]
pub struct KeyMark<'a> {
    /// The number of enclosing collections: 1 for the keys of the document itself.
    pub depth: usize,
    /// The key.
    pub key: &'a Data,
    /// Its index in the mapping, counted from 0.
    pub place: usize,
    /// Its line, counted from 1.
    pub line: usize,
    /// Set if the mapping had the key before; the later value counts.
    pub is_repeated: bool,
}

/// Parses the first document; nil if there is none.
pub fn load(text: &str, options: LoadOptions<'_>) -> Result<Data, RubyError> {
    load_with_keys(text, options, &mut |_| ()).map_err(|refused| refused.error)
}

/// The reason why a text can't be loaded.
#[derive(Debug, Clone)]
pub struct LoadError {
    /// Ruby's error.
    pub error: RubyError,
    /// The line of the refused node, counted from 1; `None` for invalid YAML, where the message has a line.
    pub line: Option<usize>,
}

/// Parses the first document, and reports the position of every key.
pub fn load_with_keys(
    text: &str,
    options: LoadOptions<'_>,
    on_key: &mut dyn FnMut(KeyMark<'_>),
) -> Result<Data, LoadError> {
    let events = first_document(text, options).map_err(|error| LoadError { error, line: None })?;
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
        line: 0,
        on_key,
    };
    match loader.node() {
        Ok(node) => Ok(node.data),
        Err(error) => Err(LoadError { error, line: Some(loader.line.saturating_add(1)) }),
    }
}

pub(super) fn too_deep() -> RubyError {
    RubyError::argument("the document is nested too deeply")
}

/// A value with the data that the merging of hashes needs.
struct Node {
    data: Data,
    kind: NodeKind,
    /// The number of nodes in it.
    size: usize,
    /// Set if it was tagged as a text.
    is_str: bool,
}

#[derive(PartialEq)]
enum NodeKind {
    Scalar,
    Sequence,
    Mapping,
    Alias,
}

struct Loader<'o, 't> {
    options: LoadOptions<'o>,
    events: std::vec::IntoIter<Event<'t>>,
    anchors: HashMap<String, (Data, usize)>,
    /// The anchors of unfinished collections.
    open: Vec<String>,
    n_nodes: usize,
    depth: usize,
    /// The line of the last event, counted from 0.
    line: usize,
    on_key: &'o mut dyn FnMut(KeyMark<'_>),
}

impl<'t> Loader<'_, 't> {
    fn node(&mut self) -> Result<Node, RubyError> {
        match self.events.next() {
            Some(event) => self.event(event),
            None => Ok(Node { data: Data::Nil, kind: NodeKind::Scalar, size: 1, is_str: false }),
        }
    }

    fn event(&mut self, event: Event<'t>) -> Result<Node, RubyError> {
        self.line = event.line;
        self.count(1)?;
        let (marks, node) = match event.kind {
            EventKind::Alias(anchor) => return self.alias(&anchor),
            EventKind::Scalar { value, is_plain, marks } => {
                let tag = tag(marks.as_deref());
                let is_str = tag == Some("tag:yaml.org,2002:str");
                let data = self.scalar(value, is_plain, tag)?;
                (marks, Node { data, kind: NodeKind::Scalar, size: 1, is_str })
            }
            EventKind::SequenceStart(marks) => {
                self.begin(marks.as_deref());
                let node = self.nested(|loader| loader.sequence(tag(marks.as_deref())))?;
                (marks, node)
            }
            EventKind::MappingStart(marks) => {
                self.begin(marks.as_deref());
                let node = self.nested(|loader| loader.mapping(tag(marks.as_deref())))?;
                (marks, node)
            }
            // All remaining events start a node.
            EventKind::SequenceEnd | EventKind::MappingEnd => {
                (None, Node { data: Data::Nil, kind: NodeKind::Scalar, size: 1, is_str: false })
            }
        };
        if let Some(anchor) = marks.and_then(|marks| marks.anchor) {
            self.open.retain(|open| *open != anchor);
            self.anchors.insert(anchor, (node.data.clone(), node.size));
        }
        Ok(node)
    }

    /// Registers the anchor of a collection that begins.
    fn begin(&mut self, marks: Option<&Marked>) {
        self.open.extend(marks.and_then(|marks| marks.anchor.clone()));
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
        let anchored = if self.options.aliases { self.anchors.get(name) } else { None };
        let Some((data, size)) = anchored else {
            if self.open.iter().any(|open| open == name) {
                let message = format!("the alias `*{name}` stands inside of what it means");
                return Err(RubyError::argument(message));
            }
            return Err(RubyError::new("Psych::BadAlias", format!("Unknown alias: {name}")));
        };
        let (data, size) = (data.clone(), *size);
        self.count(size)?;
        Ok(Node { data, kind: NodeKind::Alias, size, is_str: false })
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
        while !self.is_next(&EventKind::SequenceEnd) {
            items.push(self.node()?.data);
        }
        self.events.next();
        let data = if is_omap { ordered(items) } else { Data::Array(items) };
        Ok(Node { data, kind: NodeKind::Sequence, size: self.n_nodes - before + 1, is_str: false })
    }

    fn mapping(&mut self, tag: Option<&str>) -> Result<Node, RubyError> {
        if let Some(tag) = tag {
            self.mapping_class(tag)?;
        }
        let before = self.n_nodes;
        let mut hash = HashBuilder::default();
        let mut is_merged: Vec<bool> = Vec::new();
        while !self.is_next(&EventKind::MappingEnd) {
            let line = self.events.as_slice().first().map_or(0, |event| event.line);
            let key = self.node()?;
            let value = self.node()?;
            let is_merge = key.data == Data::str("<<") && !key.is_str;
            match is_merge.then(|| merged(&value)).flatten() {
                Some(entries) => {
                    // Merged entries may be replaced without a warning.
                    for (key, value) in entries {
                        hash.insert(key, value);
                    }
                    is_merged.resize(hash.entries.len(), true);
                }
                None => {
                    let (place, is_new) = hash.insert(key.data, value.data);
                    if is_new {
                        is_merged.push(false);
                    }
                    let is_repeated = !is_new && !std::mem::take(&mut is_merged[place]);
                    let (key, line) = (&hash.entries[place].0, line.saturating_add(1));
                    (self.on_key)(KeyMark { depth: self.depth, key, place, line, is_repeated });
                }
            }
        }
        self.events.next();
        let data = Data::Hash(hash.entries);
        Ok(Node { data, kind: NodeKind::Mapping, size: self.n_nodes - before + 1, is_str: false })
    }

    /// Returns true if a collection ends here.
    fn is_next(&self, end: &EventKind<'_>) -> bool {
        self.events.as_slice().first().is_none_or(|event| event.kind == *end)
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
        text: Cow<'_, str>,
        is_plain: bool,
        tag: Option<&str>,
    ) -> Result<Data, RubyError> {
        let text = text.into_owned();
        match tag {
            None | Some("!") if is_plain => self.plain(text),
            None | Some("!") => Ok(Data::Str(text)),
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
                // Invalid dates and times are refused all the same, since Psych checks the class first.
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
            "!ruby/regexp" => {
                self.class("Regexp")?;
                return Ok(Data::Other("Regexp", text));
            }
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

fn tag(marks: Option<&Marked>) -> Option<&str> {
    marks.and_then(|marks| marks.tag.as_deref())
}

fn iso_date(text: &str) -> String {
    let parts: Vec<u32> = text.split('-').filter_map(|part| part.parse().ok()).collect();
    match parts[..] {
        [year, month, day] => format!("{year:04}-{month:02}-{day:02}"),
        _ => text.to_owned(),
    }
}

/// Combines a list of hashes of one entry each to one hash.
fn ordered(items: Vec<Data>) -> Data {
    let mut hash = HashBuilder::default();
    for item in items {
        if let Data::Hash(entries) = item {
            for (key, value) in entries {
                hash.insert(key, value);
            }
        }
    }
    Data::Hash(hash.entries)
}

/// Returns the entries that `<<` merges; `None` if its value is no hash, and then it is an ordinary key.
fn merged(value: &Node) -> Option<Vec<(Data, Data)>> {
    match (&value.kind, &value.data) {
        (NodeKind::Alias | NodeKind::Mapping, Data::Hash(entries)) => Some(entries.clone()),
        (NodeKind::Sequence, Data::Array(items)) => {
            let mut hash = HashBuilder::default();
            // The first in the list wins.
            for item in items.iter().rev() {
                let Data::Hash(entries) = item else { return None };
                for (key, value) in entries {
                    hash.insert(key.clone(), value.clone());
                }
            }
            Some(hash.entries)
        }
        _ => None,
    }
}

/// Entries in the order of the first occurrence of their keys, with the values of the last.
#[derive(Default)]
struct HashBuilder {
    entries: Vec<(Data, Data)>,
    /// The indices of keys, by their hashes; empty as long as there are few.
    places: HashTable<usize>,
    state: foldhash::fast::RandomState,
}

/// Up to this number of entries, a linear search is faster than a table.
const FEW: usize = 8;

impl HashBuilder {
    fn place(&self, key: &Data) -> Option<usize> {
        if self.entries.len() <= FEW {
            return self.entries.iter().position(|(existing, _)| existing == key);
        }
        let has_key = |place: &usize| self.entries[*place].0 == *key;
        self.places.find(hash(&self.state, key), has_key).copied()
    }

    /// Sets a value; returns the index of its key, and whether that is new.
    fn insert(&mut self, key: Data, value: Data) -> (usize, bool) {
        if let Some(place) = self.place(&key) {
            self.entries[place].1 = value;
            return (place, false);
        }
        let place = self.entries.len();
        self.entries.push((key, value));
        if place > FEW {
            self.note(place);
        } else if place == FEW {
            (0..=place).for_each(|place| self.note(place));
        }
        (place, true)
    }

    fn note(&mut self, place: usize) {
        let Self { entries, places, state } = self;
        let own = hash(state, &entries[place].0);
        places.insert_unique(own, place, |place| hash(state, &entries[*place].0));
    }
}

/// Hashes a key. Most are texts, some numbers; the remaining kinds are rare and share a hash.
fn hash(state: &foldhash::fast::RandomState, key: &Data) -> u64 {
    match key {
        Data::Str(text) | Data::Symbol(text) => state.hash_one(text),
        Data::Int(number) => state.hash_one(number),
        _ => 0,
    }
}
