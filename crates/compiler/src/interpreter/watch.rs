//! Notes which facts, trusted data and settings code reads.
//!
//! A scope whose variables come from outside has a [`Watch`] while a compilation is recorded. It notes names only; their
//! values are looked up when the record is written. `$facts['os']['family']` is noted as that path: while such an
//! expression is evaluated its root is hushed, so that it does not count as a read of all facts.

use std::cell::{Cell, RefCell};

use kukla_base::Symbol;
use kukla_pcore::Value;
use kukla_syntax::ast::{Expr, ExprId};
use kukla_world::Kind;
use rustc_hash::FxHashSet;

use crate::program::NodeInfo;
use crate::{Program, fact_path};

/// The name that stands for all names in a record.
pub(crate) const ALL: &str = "*";

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

    /// Returns the questions that code has asked of the top scope.
    pub(crate) fn top_questions(&self) -> Vec<(Kind, String)> {
        let mut questions: Vec<(Kind, String)> = self
            .all_names()
            .map(|name| match Root::named(&name) {
                Some(root) => (root.kind(), ALL.to_owned()),
                None => (Kind::Variable, name),
            })
            .collect();
        if self.has_listed.get() {
            questions.push((Kind::Variable, ALL.to_owned()));
        }
        let paths = self.paths.borrow();
        questions.extend(paths.iter().map(|(root, path)| (root.kind(), fact_path::text(path))));
        questions
    }

    /// Returns the questions that code has asked of the settings.
    pub(crate) fn setting_questions(&self) -> Vec<(Kind, String)> {
        let listed = self.has_listed.get().then(|| ALL.to_owned());
        let name = |name: String| if name == "all_local" { ALL.to_owned() } else { name };
        let names = self.all_names().map(name).chain(listed);
        names.map(|name| (Kind::Setting, name)).collect()
    }

    fn all_names(&self) -> impl Iterator<Item = String> {
        let names: Vec<String> =
            self.names.borrow().iter().map(|name| name.as_str().to_owned()).collect();
        let others: Vec<String> =
            self.other_names.borrow().iter().map(ToString::to_string).collect();
        names.into_iter().chain(others)
    }
}

/// Returns the root and the keys of `$facts['a']['b']`, if all keys are constants.
pub(crate) fn path_of(program: &Program, id: ExprId) -> Option<(Root, Vec<Value>)> {
    let ast = program.ast();
    let mut keys = Vec::new();
    let mut at = id;
    while let Expr::Access { left, keys: list } = ast[at] {
        let [key] = ast.list(list) else { return None };
        let NodeInfo::Constant(key) = program.node_info(*key) else { return None };
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
