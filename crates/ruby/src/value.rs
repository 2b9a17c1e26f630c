//! Values of Ruby expressions.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::hash::{Hash as StdHash, Hasher};
use std::rc::Rc;
use std::sync::Arc;

use ecow::EcoString;
use foldhash::fast::FixedState;
use indexmap::IndexMap;
use kukla_base::cancel;
use kukla_pcore::Value;
use kukla_regex::Regex;
use kukla_rubytext::BigInt;

use crate::class::{Class, Object};
use crate::read::tree::{Block, Name};
use crate::run::{Args, Eval, Frame, Run};

/// A Ruby value. Unlike Puppet's values, strings, arrays and hashes are mutable and have an identity.
#[derive(Clone, Default)]
pub(crate) enum RubyValue {
    #[default]
    Nil,
    Bool(bool),
    Int(i64),
    /// An integer that does not fit in 64 bits.
    Big(Rc<BigInt>),
    Float(f64),
    Sym(Name),
    Str(Rc<Str>),
    /// A string with binary encoding: a digest, the result of `pack`.
    Bytes(Rc<[u8]>),
    Array(Rc<List>),
    Hash(Rc<Map>),
    Range(Rc<Range>),
    Regexp(Rc<Regex>),
    Match(Rc<Match>),
    Proc(Rc<Proc>),
    Class(Rc<Class>),
    Object(Rc<Object>),
    /// A value of Puppet without a counterpart among Ruby's classes: types, `Sensitive`, times.
    Puppet(Rc<Value>),
}

/// A mutable string.
#[derive(Default)]
pub(crate) struct Str {
    pub(crate) text: RefCell<EcoString>,
    pub(crate) frozen: Cell<bool>,
}

impl Str {
    /// Returns the current text.
    pub(crate) fn to_text(&self) -> EcoString {
        self.text.borrow().clone()
    }
}

/// An array.
#[derive(Default)]
pub(crate) struct List {
    pub(crate) items: RefCell<Vec<RubyValue>>,
    pub(crate) frozen: Cell<bool>,
    /// True if it was changed in place since it was created, or since that was last reported to the host.
    pub(crate) is_changed: Cell<bool>,
}

impl List {
    pub(crate) fn new(items: Vec<RubyValue>) -> Self {
        Self { items: items.into(), frozen: Cell::default(), is_changed: Cell::default() }
    }
}

pub(crate) type Entries = IndexMap<Key, RubyValue, FixedState>;

/// A hash.
#[derive(Default)]
pub(crate) struct Map {
    pub(crate) entries: RefCell<Entries>,
    pub(crate) default: RefCell<RubyValue>,
    pub(crate) default_proc: RefCell<Option<Rc<Proc>>>,
    pub(crate) frozen: Cell<bool>,
    /// True if it was changed in place since it was created, or since that was last reported to the host.
    pub(crate) is_changed: Cell<bool>,
}

impl Map {
    pub(crate) fn new(entries: Entries) -> Self {
        Self {
            entries: entries.into(),
            default: RefCell::default(),
            default_proc: RefCell::default(),
            frozen: Cell::default(),
            is_changed: Cell::default(),
        }
    }
}

/// `a..b`
pub(crate) struct Range {
    pub(crate) from: RubyValue,
    pub(crate) to: RubyValue,
    pub(crate) excludes_end: bool,
}

/// A match of a regular expression.
pub(crate) struct Match {
    pub(crate) regex: Regex,
    pub(crate) text: EcoString,
    /// Start and end of each group in bytes.
    pub(crate) spans: Vec<Option<(usize, usize)>>,
}

/// A block, lambda or method as a value.
pub(crate) struct Proc {
    pub(crate) body: ProcBody,
    pub(crate) is_lambda: bool,
}

pub(crate) enum ProcBody {
    Block {
        block: Arc<Block>,
        frame: Rc<Frame>,
        self_value: Option<RubyValue>,
        tag: u64,
    },
    /// `&:name`
    Symbol(Name),
    /// `method(:name)`
    Method(RubyValue, Name),
    /// A block of the host: a lambda in the Puppet language.
    Host,
    /// A function of the interpreter.
    Native(Rc<NativeFn>),
}

pub(crate) type NativeFn = dyn for<'a, 'b> Fn(&mut Run<'a>, Args<'b>) -> Eval;

/// A key of a hash, compared by Ruby's `eql?` and `hash`.
#[derive(Clone)]
pub(crate) struct Key(pub(crate) RubyValue);

/// The bytes that a short text takes in a list, with what the allocator adds.
pub(crate) const SIZE_OF_TEXT: usize = 80;

/// The bytes that an empty list takes.
pub(crate) const SIZE_OF_LIST: usize = 112;

impl RubyValue {
    /// Returns true if the value, or an array or hash within it, was changed in place, and resets the flags.
    pub(crate) fn take_changed(&self) -> bool {
        let (mut is_changed, mut seen) = (false, HashSet::new());
        let mut open = vec![self.clone()];
        while let Some(value) = open.pop() {
            // A value may contain itself.
            if !value.address().is_some_and(|address| seen.insert(address)) {
                continue;
            }
            match &value {
                Self::Array(list) => {
                    is_changed |= list.is_changed.take();
                    open.extend(
                        list.items.borrow().iter().filter(|item| item.is_collection()).cloned(),
                    );
                }
                Self::Hash(map) => {
                    is_changed |= map.is_changed.take();
                    let entries = map.entries.borrow();
                    open.extend(entries.values().filter(|value| value.is_collection()).cloned());
                }
                _ => (),
            }
        }
        is_changed
    }

    /// Returns true for an array or a hash.
    pub(crate) fn is_collection(&self) -> bool {
        matches!(self, Self::Array(_) | Self::Hash(_))
    }

    pub(crate) fn str(text: impl Into<EcoString> + AsRef<str>) -> Self {
        Self::new_str(text, false)
    }

    pub(crate) fn frozen_str(text: impl Into<EcoString> + AsRef<str>) -> Self {
        Self::new_str(text, true)
    }

    /// Makes a string; an empty one if there is no room, with which the compilation fails.
    fn new_str(text: impl Into<EcoString> + AsRef<str>, is_frozen: bool) -> Self {
        let has_room = cancel::room(SIZE_OF_TEXT + text.as_ref().len());
        let text = if has_room { text.into() } else { EcoString::new() };
        Self::Str(Rc::new(Str { text: RefCell::new(text), frozen: Cell::new(is_frozen) }))
    }

    pub(crate) fn sym(name: &str) -> Self {
        Self::Sym(name.into())
    }

    pub(crate) fn array(items: Vec<RubyValue>) -> Self {
        cancel::room(SIZE_OF_LIST);
        Self::Array(Rc::new(List::new(items)))
    }

    pub(crate) fn hash(entries: Entries) -> Self {
        cancel::room(SIZE_OF_LIST);
        Self::Hash(Rc::new(Map::new(entries)))
    }

    pub(crate) fn range(from: RubyValue, to: RubyValue, excludes_end: bool) -> Self {
        Self::Range(Rc::new(Range { from, to, excludes_end }))
    }

    pub(crate) fn truthy(&self) -> bool {
        !matches!(self, Self::Nil | Self::Bool(false))
    }

    pub(crate) fn is_nil(&self) -> bool {
        matches!(self, Self::Nil)
    }

    pub(crate) fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// Returns the text of a string.
    pub(crate) fn as_text(&self) -> Option<EcoString> {
        match self {
            Self::Str(text) => Some(text.text.borrow().clone()),
            _ => None,
        }
    }

    /// Returns the text of a string or symbol.
    pub(crate) fn as_name(&self) -> Option<EcoString> {
        match self {
            Self::Str(text) => Some(text.text.borrow().clone()),
            Self::Sym(name) => Some(name.clone()),
            _ => None,
        }
    }

    /// Returns true if both are one object: `equal?`.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nil, Self::Nil) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a == b,
            (Self::Sym(a), Self::Sym(b)) => a == b,
            _ => self.address().is_some() && self.address() == other.address(),
        }
    }

    /// Returns the address of the object; `None` for values without identity.
    pub(crate) fn address(&self) -> Option<usize> {
        Some(match self {
            Self::Str(x) => Rc::as_ptr(x).addr(),
            Self::Bytes(x) => Rc::as_ptr(x).addr(),
            Self::Array(x) => Rc::as_ptr(x).addr(),
            Self::Hash(x) => Rc::as_ptr(x).addr(),
            Self::Range(x) => Rc::as_ptr(x).addr(),
            Self::Regexp(x) => Rc::as_ptr(x).addr(),
            Self::Match(x) => Rc::as_ptr(x).addr(),
            Self::Proc(x) => Rc::as_ptr(x).addr(),
            Self::Class(x) => Rc::as_ptr(x).addr(),
            Self::Object(x) => Rc::as_ptr(x).addr(),
            Self::Puppet(x) => Rc::as_ptr(x).addr(),
            Self::Big(x) => Rc::as_ptr(x).addr(),
            Self::Nil | Self::Bool(_) | Self::Int(_) | Self::Float(_) | Self::Sym(_) => {
                return None;
            }
        })
    }
}

impl std::fmt::Debug for RubyValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&crate::show::inspect(self))
    }
}

impl Key {
    /// Returns a value as a key. A string becomes a frozen copy, so that a key never changes.
    pub(crate) fn new(value: &RubyValue) -> Self {
        match value {
            RubyValue::Str(text) if !text.frozen.get() => {
                Self(RubyValue::frozen_str(text.text.borrow().clone()))
            }
            other => Self(other.clone()),
        }
    }

    pub(crate) fn str(text: &str) -> Self {
        Self(RubyValue::frozen_str(text))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        eql(&self.0, &other.0)
    }
}

impl Eq for Key {}

/// Compares by Ruby's `eql?`: `1` is not `1.0`.
pub(crate) fn eql(a: &RubyValue, b: &RubyValue) -> bool {
    eql_within(a, b, MAX_NESTING)
}

/// Like [`eql`], but only `levels` deep: an array may contain itself.
fn eql_within(a: &RubyValue, b: &RubyValue, levels: usize) -> bool {
    let Some(levels) = levels.checked_sub(1).filter(|_| !cancel::visit()) else { return false };
    let eql = |a: &RubyValue, b: &RubyValue| eql_within(a, b, levels);
    match (a, b) {
        (RubyValue::Str(a), RubyValue::Str(b)) => *a.text.borrow() == *b.text.borrow(),
        (RubyValue::Bytes(a), RubyValue::Bytes(b)) => a == b,
        (RubyValue::Big(a), RubyValue::Big(b)) => a == b,
        (RubyValue::Array(a), RubyValue::Array(b)) => {
            let (a, b) = (a.items.borrow(), b.items.borrow());
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| eql(a, b))
        }
        (RubyValue::Hash(a), RubyValue::Hash(b)) => {
            let (a, b) = (a.entries.borrow(), b.entries.borrow());
            let same = |(key, value): (&Key, &RubyValue)| {
                b.get(key).is_some_and(|other| eql(value, other))
            };
            a.len() == b.len() && a.iter().all(same)
        }
        (RubyValue::Range(a), RubyValue::Range(b)) => {
            eql(&a.from, &b.from) && eql(&a.to, &b.to) && a.excludes_end == b.excludes_end
        }
        (RubyValue::Regexp(a), RubyValue::Regexp(b)) => a == b,
        (RubyValue::Puppet(a), RubyValue::Puppet(b)) => a == b,
        _ => a.is_same(b),
    }
}

impl StdHash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash_value(&self.0, state);
    }
}

/// A text for looking up a key without allocating a string.
pub(crate) struct TextKey<'a>(pub(crate) &'a str);

impl StdHash for TextKey<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        STRING.hash(state);
        self.0.hash(state);
    }
}

impl indexmap::Equivalent<Key> for TextKey<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        matches!(&key.0, RubyValue::Str(text) if *text.text.borrow() == self.0)
    }
}

/// Prefix of a string's hash, so that it differs from that of a symbol.
const STRING: u8 = 1;

/// The depth to which values are compared and hashed.
pub(crate) const MAX_NESTING: usize = 500;

fn hash_value<H: Hasher>(value: &RubyValue, state: &mut H) {
    hash_within(value, state, MAX_NESTING);
}

fn hash_within<H: Hasher>(value: &RubyValue, state: &mut H, levels: usize) {
    let Some(levels) = levels.checked_sub(1).filter(|_| !cancel::visit()) else { return };
    if let RubyValue::Str(text) = value {
        STRING.hash(state);
        return text.text.borrow().as_str().hash(state);
    }
    std::mem::discriminant(value).hash(state);
    match value {
        RubyValue::Nil | RubyValue::Str(_) => (),
        RubyValue::Bool(value) => value.hash(state),
        RubyValue::Int(number) => number.hash(state),
        RubyValue::Big(number) => number.hash(state),
        RubyValue::Float(number) => (number + 0.0).to_bits().hash(state),
        RubyValue::Sym(name) => name.hash(state),
        RubyValue::Bytes(bytes) => bytes.hash(state),
        RubyValue::Array(list) => {
            list.items.borrow().iter().for_each(|item| hash_within(item, state, levels))
        }
        // Hashes with another order of entries are equal, so only their number is hashed.
        RubyValue::Hash(map) => map.entries.borrow().len().hash(state),
        RubyValue::Range(range) => {
            hash_within(&range.from, state, levels);
            hash_within(&range.to, state, levels);
        }
        RubyValue::Regexp(regex) => regex.hash(state),
        RubyValue::Puppet(value) => value.hash(state),
        RubyValue::Match(_) | RubyValue::Proc(_) | RubyValue::Class(_) | RubyValue::Object(_) => {
            value.address().hash(state);
        }
    }
}

impl Match {
    pub(crate) fn group(&self, index: usize) -> RubyValue {
        match self.spans.get(index) {
            Some(Some((start, end))) => RubyValue::str(&self.text[*start..*end]),
            _ => RubyValue::Nil,
        }
    }

    /// Returns the text of the group with a name; `None` if there is no such name.
    pub(crate) fn named(&self, name: &str) -> Option<RubyValue> {
        let (_, numbers) = self.regex.names().find(|(group, _)| *group == name)?;
        let matched =
            numbers.iter().rev().find(|&&n| self.spans.get(n).is_some_and(Option::is_some));
        Some(matched.map_or(RubyValue::Nil, |&n| self.group(n)))
    }

    pub(crate) fn before(&self) -> RubyValue {
        let start = self.spans.first().copied().flatten().map_or(0, |span| span.0);
        RubyValue::str(&self.text[..start])
    }

    pub(crate) fn after(&self) -> RubyValue {
        let end = self.spans.first().copied().flatten().map_or(0, |span| span.1);
        RubyValue::str(&self.text[end..])
    }
}
