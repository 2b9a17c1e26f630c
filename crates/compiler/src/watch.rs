//! Notes which facts, trusted data and settings code reads.
//!
//! A scope whose variables come from outside has a [`Watch`] while a compilation is recorded. It notes names only; their
//! values are looked up when the record is written. `$facts['os']['family']` is noted as that path: while such an
//! expression is evaluated its root is hushed, so that it does not count as a read of all facts.

use std::cell::{Cell, RefCell};

use kukla_base::Symbol;
use kukla_pcore::digest::digest;
use kukla_pcore::{Hash, Value};
use kukla_syntax::ast::{Expr, ExprId};
use kukla_world::{Answer, Atom, Kind, Record};
use rustc_hash::FxHashSet;

use crate::Program;
use crate::compile::Request;
use crate::program::Prepared;

/// Names that were asked of a scope.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    names: RefCell<FxHashSet<Symbol>>,
    /// Names that no code has, so that they are no symbols.
    other_names: RefCell<FxHashSet<Box<str>>>,
    has_listed: Cell<bool>,
    paths: RefCell<FxHashSet<(Root, Vec<Value>)>>,
    hushed: Cell<Option<Root>>,
}

/// A variable of the top scope that holds data about the node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Root {
    Facts,
    Trusted,
    ServerFacts,
}

impl Root {
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name.strip_prefix("::").unwrap_or(name) {
            "facts" => Some(Self::Facts),
            "trusted" => Some(Self::Trusted),
            "server_facts" => Some(Self::ServerFacts),
            _ => None,
        }
    }

    const fn kind(self) -> Kind {
        match self {
            Self::Facts => Kind::Fact,
            Self::Trusted => Kind::Trusted,
            Self::ServerFacts => Kind::ServerFact,
        }
    }

    fn hash(self, request: &Request) -> &Hash {
        match self {
            Self::Facts => &request.facts,
            Self::Trusted => &request.trusted,
            Self::ServerFacts => &request.server_facts,
        }
    }
}

impl Watch {
    /// Notes a name.
    pub(crate) fn note(&self, name: Symbol) {
        if self.hushed.get().is_none_or(|root| Root::named(name.as_str()) != Some(root)) {
            self.names.borrow_mut().insert(name);
        }
    }

    /// Notes a name that may be no symbol.
    pub(crate) fn note_text(&self, name: &str) {
        match Symbol::known(name) {
            Some(name) => self.note(name),
            None => drop(self.other_names.borrow_mut().insert(name.into())),
        }
    }

    /// Notes that all names were listed.
    pub(crate) fn note_list(&self) {
        self.has_listed.set(true);
    }

    /// Notes a path below a root, and hushes the root; `unhush` takes back what is returned.
    ///
    /// A shorter path inside of one that is being read is not noted.
    pub(crate) fn note_path(&self, root: Root, path: Vec<Value>) -> Option<Root> {
        let before = self.hushed.replace(Some(root));
        if before != Some(root) {
            self.paths.borrow_mut().insert((root, path));
        }
        before
    }

    pub(crate) fn unhush(&self, before: Option<Root>) {
        self.hushed.set(before);
    }

    /// Writes down what code has read of the top scope.
    pub(crate) fn write_top(&self, request: &Request, record: &Record) {
        if self.has_listed.get() {
            let all = Value::Hash(request.parameters.clone());
            record.note_now(|| Atom::new(Kind::Fact, "*", Answer::Digest(digest(&all))));
        }
        let mut names: Vec<String> =
            self.names.borrow().iter().map(|name| name.as_str().to_owned()).collect();
        names.extend(self.other_names.borrow().iter().map(ToString::to_string));
        for name in names {
            let atom = match Root::named(&name) {
                Some(root) => whole(root, request),
                None => {
                    let value = request.parameters.get_str(&name);
                    Atom::new(Kind::Fact, name, answer(value))
                }
            };
            record.note_now(|| atom);
        }
        #[expect(clippy::iter_over_hash_type, reason = "records are sorted when they are read")]
        for (root, path) in self.paths.borrow().iter() {
            let words: Vec<String> = path.iter().map(kukla_pcore::interpolate::text).collect();
            let value = dig(root.hash(request), path);
            record.note_now(|| Atom::new(root.kind(), words.join("."), answer(value)));
        }
    }

    /// Writes down which settings code has read.
    pub(crate) fn write_settings(&self, settings: &Hash, record: &Record) {
        let names = self.names.borrow();
        let others = self.other_names.borrow();
        let names = names.iter().map(|name| name.as_str()).chain(others.iter().map(|name| &**name));
        let has_all = self.has_listed.get();
        for name in names.chain(has_all.then_some("all_local")) {
            let atom = match name {
                "all_local" => Atom::new(
                    Kind::Setting,
                    "*",
                    Answer::Digest(digest(&Value::hash(settings.clone()))),
                ),
                name => Atom::new(Kind::Setting, name, answer(settings.get_str(name))),
            };
            record.note_now(|| atom);
        }
    }
}

fn whole(root: Root, request: &Request) -> Atom {
    let all = Value::hash(root.hash(request).clone());
    Atom::new(root.kind(), "*", Answer::Digest(digest(&all)))
}

fn answer(value: Option<&Value>) -> Answer {
    value.map_or(Answer::Absent, |value| Answer::Digest(digest(value)))
}

/// Returns the value at a path, as `[]` finds it.
fn dig<'a>(hash: &'a Hash, path: &[Value]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    let mut value = hash.get(first)?;
    for key in rest {
        value = match (value, key) {
            (Value::Hash(hash), key) => hash.get(key)?,
            (Value::Array(items), Value::Integer(index)) => {
                items.get(usize::try_from(*index).ok()?)?
            }
            // Anything else is decided by the whole of what is there.
            _ => return Some(value),
        };
    }
    Some(value)
}

/// Returns the root and the keys of `$facts['a']['b']`, if all keys are constants.
pub(crate) fn path_of(program: &Program, id: ExprId) -> Option<(Root, Vec<Value>)> {
    let ast = program.ast();
    let mut keys = Vec::new();
    let mut at = id;
    while let Expr::Access { left, keys: list } = ast[at] {
        let [key] = ast.list(list) else { return None };
        let Prepared::Constant(key) = program.prepared(*key) else { return None };
        if !matches!(key, Value::String(_) | Value::Integer(_)) {
            return None;
        }
        keys.push(key.clone());
        at = left;
    }
    let Expr::Variable(name) = ast[at] else { return None };
    let root = Root::named(ast.text(name))?;
    keys.reverse();
    Some((root, keys))
}
