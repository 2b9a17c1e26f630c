//! Where variables live.
//!
//! There are named scopes (top, node, class, define), which stay, and local ones (of a block, a function, a match),
//! which lie on a stack. A named scope knows the innermost local one that belongs to it: a class that is declared
//! inside of a block at top scope sees the block's variables, as in Puppet.

use std::sync::Arc;

use ecow::EcoString;
use kukla_base::Symbol;
use kukla_pcore::regex::Spans;
use kukla_pcore::{Hash, Value};
use kukla_syntax::ast::ExprId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::shared::{self, Changed};
use super::strangers::Strangers;
use super::table::{Layout, Numbers, Table, Variable};
use super::watch::Watch;

/// Names with their values.
pub(crate) type Variables = SmallVec<[(Symbol, Value); 3]>;

/// A named scope.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ScopeId(u32);

impl ScopeId {
    /// The outermost scope, which has the facts.
    pub const TOP: Self = Self(0);

    /// Its number, for tables.
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Initial capacity: catalogs seldom have more classes and defines.
pub(crate) const USUAL: usize = 256;

/// A local scope; `NONE` is no local scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Top(u32);

impl Top {
    pub(crate) const NONE: Self = Self(u32::MAX);
}

/// A state of the local scopes to go back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    n_locals: usize,
    frame: Top,
}

/// All scopes of one evaluation.
#[derive(Debug)]
pub(crate) struct Scopes {
    named: Vec<Named>,
    locals: Vec<Local>,
    /// The variables of all local scopes, those of one behind those of the one before it.
    variables: Vec<(Symbol, Value)>,
    /// Groups of matches, the last match last.
    matches: Vec<Match>,
    /// The names of parameters that are getting their values.
    parameters: Vec<Arc<Numbers>>,
    /// The scope of a class that has been evaluated.
    classes: FxHashMap<Symbol, ScopeId>,
    /// The scope that is being evaluated.
    pub(crate) current: ScopeId,
    /// The local scope of the block or function that is being evaluated, whose parameters are found by number;
    /// it may be `NONE` where there is one, and they are found by name then.
    frame: Top,
    /// Names that only data has.
    pub(crate) strangers: Strangers,
    /// Facts, and other hashes that code in other languages can't change in place.
    fixed: Vec<Arc<Hash>>,
}

#[derive(Debug)]
struct Named {
    variables: Table,
    /// Where a name is looked for that is not here: the inherited class, or the node or top scope.
    next: Option<ScopeId>,
    /// The scope of the inherited class.
    inherited: Option<ScopeId>,
    /// Whether functions see it: top and node scopes.
    is_global: bool,
    /// The innermost local scope.
    top: Top,
}

/// A scope on the stack.
#[derive(Clone, Copy, Debug)]
struct Local {
    parent: Top,
    /// Where its variables begin; they end where those of the next one do.
    first: u32,
    kind: LocalKind,
}

#[derive(Clone, Copy, Debug)]
enum LocalKind {
    /// Parameters and variables of a block or function.
    Variables,
    /// Parameters while they get their values: reading one that has none is an error, setting anything too.
    ///
    /// Their names are at that place in the list of such.
    Parameters(u32),
    /// Parameters of a class or define, whose values lie in the named scope already.
    OwnParameters(u32),
    /// `$0` and up: a place in the list of matches.
    Match(u32),
}

/// The groups of a match, which become values when they are read.
#[derive(Debug)]
pub(crate) struct Match {
    /// The text that matched.
    pub(crate) text: EcoString,
    /// `$0` and up.
    pub(crate) groups: Spans,
}

impl Match {
    /// `undef` if the group took no part.
    pub(crate) fn group(&self, group: usize) -> Value {
        let text = self.groups.get(group).and_then(|(start, end)| self.text.get(start..end));
        text.map_or(Value::Undef, Value::from)
    }
}

/// The result of the search for a variable.
pub(crate) enum Lookup<'a> {
    /// It is there.
    Found(&'a Value),
    /// It is a parameter that has no value yet.
    Unset(Symbol),
    /// It is nowhere.
    Missing,
}

/// The result of an assignment.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Assigned {
    Done,
    /// It has a value already.
    Bound,
    /// Parameters are being evaluated.
    ReadOnly,
}

impl Scopes {
    pub(crate) fn new() -> Self {
        let top = Named {
            variables: Table::default(),
            next: None,
            inherited: None,
            is_global: true,
            top: Top::NONE,
        };
        let mut named = Vec::with_capacity(USUAL);
        named.push(top);
        Self {
            named,
            locals: Vec::new(),
            variables: Vec::new(),
            matches: Vec::new(),
            parameters: Vec::new(),
            classes: FxHashMap::default(),
            current: ScopeId::TOP,
            frame: Top::NONE,
            strangers: Strangers::default(),
            fixed: Vec::new(),
        }
    }

    #[inline]
    fn named(&self, id: ScopeId) -> &Named {
        &self.named[id.0 as usize]
    }

    #[inline]
    fn named_mut(&mut self, id: ScopeId) -> &mut Named {
        &mut self.named[id.0 as usize]
    }

    #[inline]
    fn local(&self, top: Top) -> Option<&Local> {
        self.locals.get(top.0 as usize)
    }

    /// The innermost local scope of the current one.
    #[inline]
    pub(crate) fn top(&self) -> Top {
        self.named(self.current).top
    }

    /// Remembers where we are.
    #[inline]
    pub(crate) fn mark(&self) -> Mark {
        Mark { n_locals: self.locals.len(), frame: self.frame }
    }

    /// Goes back to where we were; scopes are left in the order in which they were entered.
    #[inline]
    pub(crate) fn restore(&mut self, mark: Mark) {
        if self.locals.len() > mark.n_locals {
            self.pop_to(mark.n_locals);
        }
        self.frame = mark.frame;
    }

    /// Leaves the local scopes of the current scope that were added behind the first `n`.
    #[inline(never)]
    fn pop_to(&mut self, n: usize) {
        if let Some(first) = self.locals.get(n) {
            let top = first.parent;
            self.named_mut(self.current).top = top;
            self.drop_locals(n);
        }
    }

    /// Drops local scopes. Variables that were added meanwhile to scopes that stay do stay.
    #[inline]
    fn drop_locals(&mut self, n: usize) {
        while self.locals.len() > n
            && let Some(local) = self.locals.pop()
        {
            match local.kind {
                LocalKind::Variables => (),
                LocalKind::Parameters(at) | LocalKind::OwnParameters(at) => {
                    self.parameters.truncate(at as usize);
                }
                LocalKind::Match(at) => self.matches.truncate(at as usize),
            }
            let first = local.first as usize;
            while self.variables.len() > first
                && let Some((_, value)) = self.variables.pop()
            {
                value.discard();
            }
        }
    }

    /// Goes to the global scope with nothing local in it, as functions do; `leave` takes back what is returned.
    #[inline]
    pub(crate) fn enter_global(&mut self) -> Entered {
        self.enter(self.global(), Top::NONE)
    }

    /// Goes to where a block was written.
    #[inline]
    pub(crate) fn enter_closure(&mut self, closure: Closure) -> Entered {
        self.enter(closure.scope, closure.top)
    }

    #[inline]
    fn enter(&mut self, scope: ScopeId, top: Top) -> Entered {
        let before = std::mem::replace(&mut self.named_mut(scope).top, top);
        let entered = Entered { caller: self.current, mark: self.mark(), before };
        self.current = scope;
        self.frame = Top::NONE;
        entered
    }

    /// Leaves a scope, back to the one that it was entered from.
    #[inline]
    pub(crate) fn leave(&mut self, entered: Entered) {
        let Entered { caller, mark, before } = entered;
        self.named_mut(self.current).top = before;
        self.current = caller;
        self.drop_locals(mark.n_locals);
        self.frame = mark.frame;
    }

    #[inline]
    fn push(&mut self, kind: LocalKind) {
        let current = self.current;
        let next = Top(number(self.locals.len()));
        let parent = std::mem::replace(&mut self.named_mut(current).top, next);
        let first = number(self.variables.len());
        self.locals.push(Local { parent, first, kind });
        match kind {
            LocalKind::Variables => self.frame = next,
            LocalKind::Parameters(_) | LocalKind::OwnParameters(_) => self.frame = Top::NONE,
            LocalKind::Match(_) => (),
        }
    }

    /// A scope for a block or function.
    pub(crate) fn push_variables(&mut self, variables: Variables) {
        self.push(LocalKind::Variables);
        self.variables.extend(variables);
    }

    /// A scope for a block or function that gets copies of its arguments.
    #[inline]
    pub(crate) fn push_copies(&mut self, names: impl Iterator<Item = Symbol>, values: &[Value]) {
        self.push(LocalKind::Variables);
        for (name, value) in names.zip(values) {
            self.variables.push((name, Value::Undef));
            if let Some((_, place)) = self.variables.last_mut() {
                value.copy_to(place);
            }
        }
    }

    /// A scope for a block or function that takes its arguments away.
    #[inline]
    pub(crate) fn push_taken(&mut self, names: impl Iterator<Item = Symbol>, values: &mut [Value]) {
        self.push(LocalKind::Variables);
        let taken = names.zip(values).map(|(name, value)| (name, std::mem::take(value)));
        self.variables.extend(taken);
    }

    /// A scope for parameters while they get their values.
    pub(crate) fn push_parameters(&mut self, all: Arc<Numbers>) {
        self.push(LocalKind::Parameters(number(self.parameters.len())));
        self.parameters.push(all);
    }

    /// A scope for the parameters of the class or define that is the current scope, while they get their values.
    pub(crate) fn push_own_parameters(&mut self, all: Arc<Numbers>) {
        self.push(LocalKind::OwnParameters(number(self.parameters.len())));
        self.parameters.push(all);
    }

    /// The variables of the class or define that is the current scope.
    pub(crate) fn own_variables(&self) -> &Table {
        &self.named(self.current).variables
    }

    /// Like [`own_variables`](Self::own_variables), but to set some.
    pub(crate) fn own_variables_mut(&mut self) -> &mut Table {
        let current = self.current;
        &mut self.named_mut(current).variables
    }

    /// The innermost scope if nothing lies behind it.
    fn last(&self) -> Option<&Local> {
        self.locals.last().filter(|_| self.top().0 as usize + 1 == self.locals.len())
    }

    /// Gives a parameter of the innermost scope its value.
    pub(crate) fn set_parameter(&mut self, name: Symbol, value: Value) {
        if let Some(Local { kind: LocalKind::Parameters(_), .. }) = self.last() {
            self.variables.push((name, value));
        }
    }

    /// The values of the parameters of the innermost scope.
    pub(crate) fn take_parameters(&mut self) -> Vec<(Symbol, Value)> {
        match self.last() {
            Some(&Local { kind: LocalKind::Parameters(_), first, .. }) => {
                self.variables.drain(first as usize..).collect()
            }
            _ => Vec::new(),
        }
    }

    /// `$0` and up.
    pub(crate) fn push_match(&mut self, matched: Match) {
        self.push(LocalKind::Match(number(self.matches.len())));
        self.matches.push(matched);
    }

    /// The match that `$n` is about.
    pub(crate) fn matched(&self) -> Option<&Match> {
        let mut scope = Some(self.current);
        while let Some(id) = scope {
            let mut at = self.named(id).top;
            while let Some(local) = self.local(at) {
                if let LocalKind::Match(matched) = local.kind {
                    return self.matches.get(matched as usize);
                }
                at = local.parent;
            }
            scope = self.named(id).next;
        }
        None
    }

    /// The value of a name without `::`.
    #[inline]
    pub(crate) fn get(&self, variable: Variable) -> Lookup<'_> {
        if let Some(stand_in) = self.strangers.stand_in(variable.name.as_str()) {
            return self.get_either(Variable::new(stand_in), Some(variable));
        }
        let mut scope = Some(self.current);
        while let Some(id) = scope {
            match self.get_local(id, variable) {
                Lookup::Missing => scope = self.named(id).next,
                found => return found,
            }
        }
        Lookup::Missing
    }

    /// The value of a name that was set before code had it, and maybe afterwards too.
    #[cold]
    fn get_either(&self, stand_in: Variable, named: Option<Variable>) -> Lookup<'_> {
        let mut scope = Some(self.current);
        while let Some(id) = scope {
            for variable in [Some(stand_in), named].into_iter().flatten() {
                match self.get_local(id, variable) {
                    Lookup::Missing => (),
                    found => return found,
                }
            }
            scope = self.named(id).next;
        }
        Lookup::Missing
    }

    /// Whether a name is among those of parameters that are getting their values.
    fn is_parameter(&self, at: u32, name: Symbol) -> bool {
        self.parameters.get(at as usize).is_some_and(|all| all.contains_key(&name))
    }

    /// Where the variables of a local scope end.
    #[inline]
    fn end(&self, at: Top) -> usize {
        match self.locals.get(at.0 as usize + 1) {
            Some(next) => next.first as usize,
            None => self.variables.len(),
        }
    }

    /// The parameter of the innermost block or function that has this number, if it has this name.
    #[inline]
    pub(crate) fn parameter(&self, number: u32, name: Symbol) -> Option<&Value> {
        let frame = self.locals.get(self.frame.0 as usize)?;
        match self.variables.get(frame.first as usize + number as usize) {
            Some((known, value)) if *known == name => Some(value),
            _ => None,
        }
    }

    /// Returns a parameter whose value may be taken away.
    #[inline]
    pub(crate) fn parameter_mut(&mut self, number: u32, name: Symbol) -> Option<&mut Value> {
        let frame = self.locals.get(self.frame.0 as usize)?;
        match self.variables.get_mut(frame.first as usize + number as usize) {
            Some((known, value)) if *known == name => Some(value),
            _ => None,
        }
    }

    /// The value of a name in a scope and its local ones.
    #[inline]
    fn get_local(&self, scope: ScopeId, variable: Variable) -> Lookup<'_> {
        let name = variable.name;
        let named = self.named(scope);
        let mut at = named.top;
        while let Some(local) = self.local(at) {
            let variables = &self.variables[local.first as usize..self.end(at)];
            if let Some((_, value)) = variables.iter().rev().find(|(known, _)| *known == name) {
                return Lookup::Found(value);
            }
            match local.kind {
                LocalKind::Parameters(at) if self.is_parameter(at, name) => {
                    return Lookup::Unset(name);
                }
                LocalKind::OwnParameters(at) if self.is_parameter(at, name) => {
                    return match named.variables.get(variable) {
                        Some(value) => Lookup::Found(value),
                        None => Lookup::Unset(name),
                    };
                }
                _ => at = local.parent,
            }
        }
        match named.variables.get(variable) {
            Some(value) => Lookup::Found(value),
            None => Lookup::Missing,
        }
    }

    /// The value of `$class::leaf`.
    pub(crate) fn get_qualified(&self, class: Symbol, leaf: Symbol) -> Lookup<'_> {
        if let Some(stand_in) = self.strangers.stand_in(leaf.as_str()) {
            match self.get_in_class(class, Variable::new(stand_in)) {
                Lookup::Missing => (),
                found => return found,
            }
        }
        self.get_in_class(class, Variable::new(leaf))
    }

    /// The value of a variable of a class, or of the top scope if the class has no name.
    fn get_in_class(&self, class: Symbol, leaf: Variable) -> Lookup<'_> {
        if class.as_str().is_empty() {
            return match self.named(ScopeId::TOP).variables.get(leaf) {
                Some(value) => Lookup::Found(value),
                None => Lookup::Missing,
            };
        }
        let mut at = self.classes.get(&class).copied();
        while let Some(scope) = at {
            match self.get_local(scope, leaf) {
                Lookup::Missing => at = self.named(scope).inherited,
                found => return found,
            }
        }
        Lookup::Missing
    }

    /// The value of a variable whose name comes from data: `a`, `::a` or `a::b`.
    pub(crate) fn get_text(&self, name: &str) -> Option<Value> {
        let is_qualified = name.as_bytes().contains(&b':');
        let (class, leaf) = match is_qualified.then(|| name.rsplit_once("::")).flatten() {
            None => (None, name),
            Some((class, leaf)) => (Some(class.strip_prefix("::").unwrap_or(class)), leaf),
        };
        let Some(known) = Symbol::known(leaf) else {
            // No code has the name: only data may have, and Ruby code may have set it.
            if let Some(stand_in) = self.strangers.stand_in(leaf).map(Variable::new)
                && let Lookup::Found(value) = match class {
                    None => self.get_either(stand_in, None),
                    Some("") => self.get_in_class(Symbol::new(""), stand_in),
                    Some(class) => self.get_in_class(Symbol::known(class)?, stand_in),
                }
            {
                return Some(value.clone());
            }
            let scope = match class {
                None | Some("") => ScopeId::TOP,
                Some(class) => *self.classes.get(&Symbol::known(class)?)?,
            };
            return self.named(scope).variables.given(leaf).cloned();
        };
        let found = match class {
            None => self.get(Variable::new(known)),
            Some("") => self.get_qualified(Symbol::new(""), known),
            Some(class) => self.get_qualified(Symbol::known(class)?, known),
        };
        match found {
            Lookup::Found(value) => Some(value.clone()),
            Lookup::Unset(_) | Lookup::Missing => None,
        }
    }

    /// Sets a variable in the innermost scope that holds variables.
    pub(crate) fn set(&mut self, variable: Variable, value: Value) -> Assigned {
        let stand_in = self.strangers.stand_in(variable.name.as_str()).map(Variable::new);
        let variable = stand_in.unwrap_or(variable);
        let name = variable.name;
        let mut at = self.top();
        while let Some(local) = self.local(at) {
            match local.kind {
                LocalKind::Variables => {
                    let range = local.first as usize..self.end(at);
                    if self.variables[range].iter().any(|(known, _)| *known == name) {
                        return Assigned::Bound;
                    }
                    self.add(at, name, value);
                    return Assigned::Done;
                }
                LocalKind::Parameters(at) | LocalKind::OwnParameters(at) => {
                    return match self.is_parameter(at, name) {
                        true => Assigned::Bound,
                        false => Assigned::ReadOnly,
                    };
                }
                LocalKind::Match(_) => at = local.parent,
            }
        }
        self.set_in(self.current, variable, value)
    }

    /// Adds a variable to a local scope; it is the last one but for matches, mostly.
    fn add(&mut self, at: Top, name: Symbol, value: Value) {
        let end = self.end(at);
        for later in self.locals.iter_mut().skip(at.0 as usize + 1) {
            later.first += 1;
        }
        self.variables.insert(end, (name, value));
    }

    /// Sets a variable of a named scope.
    pub(crate) fn set_named(&mut self, scope: ScopeId, name: Symbol, value: Value) -> Assigned {
        self.set_in(scope, Variable::new(name), value)
    }

    fn set_in(&mut self, scope: ScopeId, variable: Variable, value: Value) -> Assigned {
        match self.named_mut(scope).variables.set(variable, value) {
            true => Assigned::Done,
            false => Assigned::Bound,
        }
    }

    /// Gives a named scope variables to begin with.
    pub(crate) fn give(&mut self, scope: ScopeId, variables: Arc<Hash>) {
        self.named_mut(scope).variables.give(variables);
    }

    /// Notes from now on the names that are asked of a named scope.
    pub(crate) fn watch(&mut self, scope: ScopeId) {
        self.named_mut(scope).variables.watch();
    }

    /// Returns the notes about names that were asked of a named scope.
    pub(crate) fn watched(&self, scope: ScopeId) -> Option<&Watch> {
        self.named(scope).variables.watched()
    }

    /// The node or top scope around the current one: what functions see.
    #[inline]
    pub(crate) fn global(&self) -> ScopeId {
        self.global_of(self.current)
    }

    /// The node or top scope that is this one, or around it.
    #[inline]
    fn global_of(&self, scope: ScopeId) -> ScopeId {
        let mut at = scope;
        loop {
            let named = self.named(at);
            match named.next {
                Some(next) if !named.is_global => at = next,
                _ => return at,
            }
        }
    }

    /// A scope for a class, define or node that is declared in `outer`; `parent` is the scope of the class that
    /// it inherits.
    pub(crate) fn add_named(
        &mut self,
        outer: ScopeId,
        parent: Option<ScopeId>,
        layout: Option<&Arc<Layout>>,
        is_global: bool,
    ) -> ScopeId {
        let next = parent.or_else(|| Some(self.global_of(outer)));
        let id = ScopeId(u32::try_from(self.named.len()).expect("resources are limited"));
        self.named.push(Named {
            variables: layout.map_or_else(Table::default, Table::with_layout),
            next,
            inherited: parent,
            is_global,
            top: Top::NONE,
        });
        id
    }

    /// Goes into a named scope; `leave` takes back what is returned.
    pub(crate) fn enter_named(&mut self, scope: ScopeId) -> Entered {
        self.enter(scope, self.named(scope).top)
    }

    /// Gives a variable of a named scope another value; the one it had, if it is there.
    pub(crate) fn replace_named(
        &mut self,
        scope: ScopeId,
        name: Symbol,
        value: Value,
    ) -> Option<Value> {
        self.named_mut(scope).variables.replace(Variable::new(name), value)
    }

    /// Sets the hashes that can't be changed in place; facts are the first.
    pub(crate) fn set_fixed(&mut self, fixed: [Arc<Hash>; 3]) {
        self.fixed = fixed.into();
    }

    /// Whether the value of a variable is one of those hashes, or a fact.
    pub(crate) fn is_fixed(&self, name: Symbol, value: &Value) -> bool {
        let is_hash =
            |hash: &Arc<Hash>| matches!(value, Value::Hash(own) if Arc::ptr_eq(own, hash));
        let is_fact = |facts: &Arc<Hash>| {
            facts.get_str(name.as_str()).is_some_and(|fact| shared::is_same(fact, value))
        };
        self.fixed.iter().any(is_hash) || self.fixed.first().is_some_and(is_fact)
    }

    /// Puts a new value in place of a collection that was changed, wherever a variable has that very one: in one named
    /// scope or in all, and in local scopes. `is_own` tells variables that have a copy of their own.
    pub(crate) fn replace_shared(
        &mut self,
        change: &Changed,
        only: Option<ScopeId>,
        is_own: impl Fn(ScopeId, Symbol) -> bool,
    ) {
        for (number, named) in (0..).zip(&mut self.named) {
            let id = ScopeId(number);
            if only.is_none_or(|only| only == id) {
                named.variables.each_mut(|name, value| {
                    if let Some(new) = change.of(value)
                        && !is_own(id, name)
                    {
                        *value = new;
                    }
                });
            }
        }
        for (_, value) in &mut self.variables {
            if let Some(new) = change.of(value) {
                *value = new;
            }
        }
    }

    /// Makes the scope of a class known by the class's name.
    pub(crate) fn set_class(&mut self, name: Symbol, scope: ScopeId) {
        self.classes.insert(name, scope);
    }

    /// The scope of a class that was evaluated.
    pub(crate) fn class_scope(&self, name: Symbol) -> Option<ScopeId> {
        self.classes.get(&name).copied()
    }

    /// All variables that can be seen from here by their bare names, and are not `undef`; those nearest to us last.
    pub(crate) fn visible(&self) -> Vec<(String, Value)> {
        let mut chain = vec![self.current];
        while let Some(next) = chain.last().and_then(|&last| self.named(last).next) {
            chain.push(next);
        }
        let text = |name: &Symbol| self.strangers.text(*name);
        let mut names: Vec<&str> = Vec::new();
        for scope in chain.into_iter().rev() {
            let variables = &self.named(scope).variables;
            names.extend(variables.given_names());
            names.extend(variables.all().iter().map(|(name, _)| text(name)));
            let mut at = self.named(scope).top;
            while let Some(local) = self.local(at) {
                let variables = &self.variables[local.first as usize..self.end(at)];
                names.extend(variables.iter().map(|(name, _)| text(name)));
                at = local.parent;
            }
        }
        let mut seen = rustc_hash::FxHashSet::default();
        names.retain(|name| seen.insert(*name));
        let value = |name: &str| {
            let symbol = Symbol::known(name).or_else(|| self.strangers.stand_in(name));
            let value = match symbol.map(|symbol| self.get(Variable::new(symbol))) {
                Some(Lookup::Found(value)) => value,
                Some(_) => return None,
                None => self.named(ScopeId::TOP).variables.given(name)?,
            };
            (!value.is_undef()).then(|| (name.to_owned(), value.clone()))
        };
        names.into_iter().filter_map(value).collect()
    }

    /// The scope of settings, as if it were a class.
    pub(crate) fn class(&mut self, name: Symbol) -> ScopeId {
        if let Some(&scope) = self.classes.get(&name) {
            return scope;
        }
        let id = ScopeId(u32::try_from(self.named.len()).expect("resources are limited"));
        self.named.push(Named {
            variables: Table::default(),
            next: Some(ScopeId::TOP),
            inherited: None,
            is_global: false,
            top: Top::NONE,
        });
        self.classes.insert(name, id);
        id
    }
}

/// The state to restore when a scope is left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entered {
    caller: ScopeId,
    mark: Mark,
    /// The innermost local scope that the entered one had.
    before: Top,
}

#[inline]
fn number(length: usize) -> u32 {
    u32::try_from(length).expect("depth and memory are limited")
}

/// A block's place on the way to its call: where its variables are looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closure {
    pub(crate) lambda: ExprId,
    pub(crate) scope: ScopeId,
    pub(crate) top: Top,
}
