//! Conditions of PDL as levels of a hierarchy: `where $facts['os']['family'] == 'Debian'` becomes a file.
//!
//! The path of a level has the variables of its conditions. PDL evaluates the lines of a key in order, so a level must
//! precede another if some key requires it; data whose levels can't be ordered is not converted.

use std::collections::BTreeMap;
use std::fmt::Write;

use indexmap::{IndexMap, IndexSet};
use kukla_pcore::{Hash, Value, ruby};
use kukla_syntax::ast::{BinaryOp, Expr, ExprId};

use super::convert::variable;
use super::tree::Tree;

/// Maximum number of files per condition.
const MAX_ALTERNATIVES: usize = 256;

/// Required values of variables, sorted by name.
type Alternative = BTreeMap<String, String>;

/// Data files by the variables in their paths.
#[derive(Debug)]
pub(super) struct Levels<'a> {
    tree: &'a Tree,
    levels: IndexMap<Vec<String>, Files>,
    /// Pairs of levels of which the first must precede the second.
    order: IndexSet<(usize, usize)>,
    /// The levels that contain a key so far.
    seen: BTreeMap<String, IndexSet<usize>>,
}

/// The files of a level: the values of its variables, and the data.
type Files = IndexMap<Vec<String>, Hash>;

impl<'a> Levels<'a> {
    /// Creates an empty set of levels, for conditions of a tree.
    pub(super) fn new(tree: &'a Tree) -> Self {
        let (levels, order, seen) = (IndexMap::new(), IndexSet::new(), BTreeMap::new());
        Self { tree, levels, order, seen }
    }

    /// Adds a value that holds under a condition.
    pub(super) fn add(
        &mut self,
        key: &str,
        value: &Value,
        condition: Option<ExprId>,
    ) -> Result<(), String> {
        let alternatives = match condition {
            Some(condition) => alternatives(self.tree, condition)?,
            None => vec![Alternative::new()],
        };
        // Statements after an unconditional one are never used.
        if self.is_settled(key) {
            return Ok(());
        }
        for alternative in &alternatives {
            check_names(alternative)?;
        }
        let before = self.seen.get(key).cloned().unwrap_or_default();
        let places: Vec<(usize, Vec<String>)> =
            alternatives.into_iter().map(|alternative| self.place(alternative)).collect();
        for (level, _) in &places {
            let others = before.iter().filter(|other| *other != level);
            if others.into_iter().any(|other| leads_to(&self.order, *level, *other)) {
                return Err("its condition would be a level above one that comes first".to_owned());
            }
        }
        for (level, values) in places {
            let others = before.iter().filter(|other| **other != level);
            self.order.extend(others.map(|other| (*other, level)));
            self.seen.entry(key.to_owned()).or_default().insert(level);
            let hash = self.levels[level].entry(values).or_default();
            if hash.get_str(key).is_none() {
                hash.insert(Value::from(key), value.clone());
            }
        }
        Ok(())
    }

    /// Returns the level of some variables, and their values.
    fn place(&mut self, alternative: Alternative) -> (usize, Vec<String>) {
        let (names, values): (Vec<String>, Vec<String>) = alternative.into_iter().unzip();
        let entry = self.levels.entry(names);
        let level = entry.index();
        entry.or_default();
        (level, values)
    }

    fn is_settled(&self, key: &str) -> bool {
        let common = self.levels.get(&Vec::new());
        common
            .and_then(|files| files.get(&Vec::new()))
            .is_some_and(|hash| hash.get_str(key).is_some())
    }

    /// Returns the levels in an order that satisfies all keys: the path of each, and its files.
    pub(super) fn into_ordered(self) -> Vec<(Path, Vec<(String, Hash)>)> {
        let Self { tree: _, levels, order, seen: _ } = self;
        let mut rest: Vec<(usize, (Vec<String>, Files))> = levels.into_iter().enumerate().collect();
        rest.retain(|(_, (_, files))| !files.is_empty());
        // The unconditional level is the last.
        rest.sort_by_key(|(_, (names, _))| names.is_empty());
        let mut ordered = Vec::new();
        while !rest.is_empty() {
            let is_free =
                |level: usize| !rest.iter().any(|(other, _)| order.contains(&(*other, level)));
            let next = rest.iter().position(|(level, _)| is_free(*level)).unwrap_or(0);
            let (_, (names, files)) = rest.remove(next);
            let path = Path(names);
            let files = files.into_iter().map(|(values, hash)| (path.of(&values), hash)).collect();
            ordered.push((path, files));
        }
        ordered
    }
}

/// Whether a level precedes another, directly or indirectly.
fn leads_to(order: &IndexSet<(usize, usize)>, from: usize, to: usize) -> bool {
    let mut reached = IndexSet::from([from]);
    let mut at = 0;
    while let Some(&level) = reached.get_index(at) {
        if level == to {
            return true;
        }
        reached
            .extend(order.iter().filter(|(before, _)| *before == level).map(|(_, after)| *after));
        at += 1;
    }
    false
}

/// The path of a level: its variables.
#[derive(Debug)]
pub(super) struct Path(Vec<String>);

impl Path {
    /// Whether it is the same for all nodes.
    pub(super) fn is_common(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the path as written in `hiera.yaml`.
    pub(super) fn pattern(&self) -> String {
        let values: Vec<String> = self.0.iter().map(|name| format!("%{{{name}}}")).collect();
        self.of(&values)
    }

    fn of(&self, values: &[String]) -> String {
        if self.is_common() {
            return "common.yaml".to_owned();
        }
        let mut path = String::new();
        for (name, value) in self.0.iter().zip(values) {
            let slash = if path.is_empty() { "" } else { "/" };
            let _ = write!(path, "{slash}{}/{value}", name.trim_start_matches("::"));
        }
        path + ".yaml"
    }
}

/// Converts a condition to a list of alternative values of variables.
fn alternatives(tree: &Tree, condition: ExprId) -> Result<Vec<Alternative>, String> {
    let Expr::Binary { op, left, right } = tree.expr(tree.inner(condition)) else {
        return Err("its condition has more than `==`, `in`, `and` and `or`".to_owned());
    };
    // A chain of operators is as deep as it is long.
    let each = |id| stacker::maybe_grow(32 << 10, 1 << 20, || alternatives(tree, id));
    let all = match op {
        BinaryOp::Or => {
            let mut all = each(left)?;
            all.extend(each(right)?);
            all
        }
        BinaryOp::And => {
            let (left, right) = (each(left)?, each(right)?);
            if left.len() * right.len() > MAX_ALTERNATIVES {
                return Err("its condition has too many alternatives".to_owned());
            }
            let pairs = left.iter().flat_map(|one| right.iter().map(move |other| (one, other)));
            pairs.filter_map(|(one, other)| both(one, other)).collect()
        }
        BinaryOp::Equal => vec![equality(tree, left, right)?],
        BinaryOp::In => memberships(tree, left, right)?,
        _ => return Err("its condition has more than `==`, `in`, `and` and `or`".to_owned()),
    };
    match all.len() > MAX_ALTERNATIVES {
        true => Err("its condition has too many alternatives".to_owned()),
        false => Ok(all),
    }
}

/// Converts `variable == literal`, or the other way round.
fn equality(tree: &Tree, left: ExprId, right: ExprId) -> Result<Alternative, String> {
    let (name, value) = match (plain(tree, left), plain(tree, right)) {
        (Some(value), _) => (right, value),
        (None, Some(value)) => (left, value),
        (None, None) => {
            return Err(
                "its condition compares with an expression that is not a literal".to_owned()
            );
        }
    };
    Ok(Alternative::from([(path_name(tree, name)?, text(value)?)]))
}

/// `variable in [literals]`
fn memberships(tree: &Tree, name: ExprId, list: ExprId) -> Result<Vec<Alternative>, String> {
    let Expr::List(items) = tree.expr(tree.inner(list)) else {
        return Err("its condition looks into something that is no list".to_owned());
    };
    let name = path_name(tree, name)?;
    let one = |&item: &ExprId| match plain(tree, item) {
        Some(value) => Ok(Alternative::from([(name.clone(), text(value)?)])),
        None => Err("its condition compares with an expression that is not a literal".to_owned()),
    };
    tree.list(items).iter().map(one).collect()
}

/// Returns the value of a literal other than a regular expression.
fn plain(tree: &Tree, id: ExprId) -> Option<&Value> {
    tree.literal(tree.inner(id)).filter(|value| !matches!(value, Value::Regexp(_)))
}

/// Returns the conjunction of two alternatives; `None` if they contradict each other.
fn both(one: &Alternative, other: &Alternative) -> Option<Alternative> {
    let mut all = one.clone();
    for (name, value) in other {
        match all.get(name) {
            Some(other) if other != value => return None,
            _ => drop(all.insert(name.clone(), value.clone())),
        }
    }
    Some(all)
}

/// Returns the name of a variable in a path; other than facts and trusted data it is one of the top scope.
fn path_name(tree: &Tree, id: ExprId) -> Result<String, String> {
    let name =
        variable(tree, id).map_err(|_| "its condition asks for more than variables".to_owned())?;
    let root = name.split('.').next().unwrap_or_default();
    Ok(match root.contains("::") || matches!(root, "facts" | "trusted") {
        true => name,
        false => format!("::{name}"),
    })
}

fn text(value: &Value) -> Result<String, String> {
    match value {
        Value::String(_) | Value::Integer(_) | Value::Boolean(_) | Value::Float(_) => {
            Ok(ruby::to_s(value))
        }
        _ => Err("its condition compares with a value that can't be a file name".to_owned()),
    }
}

/// Checks that values can be parts of paths.
fn check_names(alternative: &Alternative) -> Result<(), String> {
    let is_name = |value: &String| {
        !value.is_empty() && !value.contains(['/', '\0']) && value != ".." && value != "."
    };
    match alternative.values().all(is_name) {
        true => Ok(()),
        false => Err("its condition compares with a value that can't be a file name".to_owned()),
    }
}
