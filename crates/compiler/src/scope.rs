//! Where variables live.
//!
//! There are named scopes (top, node, class, define), which stay, and local ones (of a block, a function, a match),
//! which lie on a stack. A named scope knows the innermost local one that belongs to it: a class that is declared
//! inside of a block at top scope sees the block's variables, as in Puppet.

use kukla_base::Symbol;
use kukla_pcore::Value;
use kukla_syntax::ast::ExprId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

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

/// A local scope; `NONE` is no local scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Top(u32);

impl Top {
    pub(crate) const NONE: Self = Self(u32::MAX);
}

/// A state of the scopes to go back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    length: usize,
    scope: ScopeId,
    top: Top,
}

/// All scopes of one evaluation.
#[derive(Debug)]
pub(crate) struct Scopes {
    named: Vec<Named>,
    locals: Vec<Local>,
    /// The scope of a class that has been evaluated.
    classes: FxHashMap<Symbol, ScopeId>,
    /// The scope that is being evaluated.
    pub(crate) current: ScopeId,
}

#[derive(Debug)]
struct Named {
    variables: FxHashMap<Symbol, Value>,
    /// The names in the order in which they were set.
    order: Vec<Symbol>,
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
#[derive(Debug)]
struct Local {
    parent: Top,
    kind: LocalKind,
}

#[derive(Debug)]
enum LocalKind {
    /// Parameters and variables of a block or function.
    Variables(Variables),
    /// Parameters while they get their values: reading one that has none is an error, setting anything too.
    Parameters { set: Variables, all: Vec<Symbol> },
    /// `$0` and up; `None` is a group that took no part.
    Match(Vec<Option<Value>>),
}

/// What became of a look for a variable.
pub(crate) enum Lookup {
    /// It is there.
    Found(Value),
    /// It is a parameter that has no value yet.
    Unset(Symbol),
    /// It is nowhere.
    Missing,
}

/// What became of an assignment.
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
            variables: FxHashMap::default(),
            order: Vec::new(),
            next: None,
            inherited: None,
            is_global: true,
            top: Top::NONE,
        };
        Self {
            named: vec![top],
            locals: Vec::new(),
            classes: FxHashMap::default(),
            current: ScopeId::TOP,
        }
    }

    fn named(&self, id: ScopeId) -> &Named {
        &self.named[id.0 as usize]
    }

    fn named_mut(&mut self, id: ScopeId) -> &mut Named {
        &mut self.named[id.0 as usize]
    }

    fn local(&self, top: Top) -> Option<&Local> {
        self.locals.get(top.0 as usize)
    }

    /// The innermost local scope of the current one.
    pub(crate) fn top(&self) -> Top {
        self.named(self.current).top
    }

    /// Remembers where we are.
    pub(crate) fn mark(&self) -> Mark {
        Mark { length: self.locals.len(), scope: self.current, top: self.top() }
    }

    /// Goes back to where we were; scopes are left in the order in which they were entered.
    pub(crate) fn restore(&mut self, mark: Mark) {
        self.locals.truncate(mark.length);
        self.current = mark.scope;
        self.named_mut(mark.scope).top = mark.top;
    }

    /// Goes to the global scope with nothing local in it, as functions do; `leave` takes back what is returned.
    pub(crate) fn enter_global(&mut self) -> (Mark, Mark) {
        let caller = self.mark();
        self.current = self.global();
        let global = self.mark();
        self.named_mut(global.scope).top = Top::NONE;
        (caller, global)
    }

    pub(crate) fn leave(&mut self, (caller, global): (Mark, Mark)) {
        self.restore(global);
        self.restore(caller);
    }

    /// Goes to where a block was written.
    pub(crate) fn enter_closure(&mut self, closure: Closure) -> (Mark, Mark) {
        let caller = self.mark();
        self.current = closure.scope;
        let scope = self.mark();
        self.named_mut(closure.scope).top = closure.top;
        (caller, scope)
    }

    fn push(&mut self, kind: LocalKind) {
        let parent = self.top();
        let number = u32::try_from(self.locals.len()).expect("depth is limited");
        self.locals.push(Local { parent, kind });
        let current = self.current;
        self.named_mut(current).top = Top(number);
    }

    /// A scope for a block or function.
    pub(crate) fn push_variables(&mut self, variables: Variables) {
        self.push(LocalKind::Variables(variables));
    }

    /// A scope for parameters while they get their values.
    pub(crate) fn push_parameters(&mut self, all: Vec<Symbol>) {
        self.push(LocalKind::Parameters { set: SmallVec::new(), all });
    }

    /// Gives a parameter of the innermost scope its value.
    pub(crate) fn set_parameter(&mut self, name: Symbol, value: Value) {
        let top = self.top();
        if let Some(Local { kind: LocalKind::Parameters { set, .. }, .. }) =
            self.locals.get_mut(top.0 as usize)
        {
            set.push((name, value));
        }
    }

    /// The values of the parameters of the innermost scope.
    pub(crate) fn take_parameters(&mut self) -> Variables {
        let top = self.top();
        match self.locals.get_mut(top.0 as usize) {
            Some(Local { kind: LocalKind::Parameters { set, .. }, .. }) => std::mem::take(set),
            _ => SmallVec::new(),
        }
    }

    /// `$0` and up.
    pub(crate) fn push_match(&mut self, groups: Vec<Option<Value>>) {
        self.push(LocalKind::Match(groups));
    }

    /// The value of `$n`.
    pub(crate) fn group(&self, group: usize) -> Value {
        let mut scope = Some(self.current);
        while let Some(id) = scope {
            let mut at = self.named(id).top;
            while let Some(local) = self.local(at) {
                if let LocalKind::Match(groups) = &local.kind {
                    return groups.get(group).cloned().flatten().unwrap_or_default();
                }
                at = local.parent;
            }
            scope = self.named(id).next;
        }
        Value::Undef
    }

    /// The value of a name without `::`.
    pub(crate) fn get(&self, name: Symbol) -> Lookup {
        let mut scope = Some(self.current);
        while let Some(id) = scope {
            match self.get_local(id, name) {
                Lookup::Missing => scope = self.named(id).next,
                found => return found,
            }
        }
        Lookup::Missing
    }

    /// Takes the value of a variable out of the innermost block, if it is there.
    pub(crate) fn take(&mut self, name: Symbol) -> Option<Value> {
        let mut at = self.top();
        while let Some(local) = self.locals.get_mut(at.0 as usize) {
            match &mut local.kind {
                LocalKind::Variables(variables) => {
                    let found = variables.iter_mut().find(|(known, _)| *known == name);
                    return found.map(|(_, value)| std::mem::take(value));
                }
                LocalKind::Parameters { .. } => return None,
                LocalKind::Match(_) => at = local.parent,
            }
        }
        None
    }

    /// The value of a name in a scope and its local ones.
    fn get_local(&self, scope: ScopeId, name: Symbol) -> Lookup {
        let named = self.named(scope);
        let mut at = named.top;
        while let Some(local) = self.local(at) {
            match &local.kind {
                LocalKind::Variables(variables) => {
                    if let Some((_, value)) =
                        variables.iter().rev().find(|(known, _)| *known == name)
                    {
                        return Lookup::Found(value.clone());
                    }
                }
                LocalKind::Parameters { set, all, .. } => {
                    if let Some((_, value)) = set.iter().rev().find(|(known, _)| *known == name) {
                        return Lookup::Found(value.clone());
                    }
                    if all.contains(&name) {
                        return Lookup::Unset(name);
                    }
                }
                LocalKind::Match(_) => (),
            }
            at = local.parent;
        }
        match named.variables.get(&name) {
            Some(value) => Lookup::Found(value.clone()),
            None => Lookup::Missing,
        }
    }

    /// The value of `$class::leaf`.
    pub(crate) fn get_qualified(&self, class: Symbol, leaf: Symbol) -> Lookup {
        if class.as_str().is_empty() {
            return match self.named(ScopeId::TOP).variables.get(&leaf) {
                Some(value) => Lookup::Found(value.clone()),
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
        let found = match name.rsplit_once("::") {
            None => self.get(Symbol::known(name)?),
            Some((class, leaf)) => {
                let class = class.strip_prefix("::").unwrap_or(class);
                let class = match class {
                    "" => Symbol::new(""),
                    class => Symbol::known(class)?,
                };
                self.get_qualified(class, Symbol::known(leaf)?)
            }
        };
        match found {
            Lookup::Found(value) => Some(value),
            Lookup::Unset(_) | Lookup::Missing => None,
        }
    }

    /// Sets a variable in the innermost scope that holds variables.
    pub(crate) fn set(&mut self, name: Symbol, value: Value) -> Assigned {
        let mut at = self.top();
        while let Some(local) = self.locals.get_mut(at.0 as usize) {
            match &mut local.kind {
                LocalKind::Variables(variables) => {
                    if variables.iter().any(|(known, _)| *known == name) {
                        return Assigned::Bound;
                    }
                    variables.push((name, value));
                    return Assigned::Done;
                }
                LocalKind::Parameters { all, .. } => {
                    return match all.contains(&name) {
                        true => Assigned::Bound,
                        false => Assigned::ReadOnly,
                    };
                }
                LocalKind::Match(_) => at = local.parent,
            }
        }
        self.set_named(self.current, name, value)
    }

    /// Sets a variable of a named scope.
    pub(crate) fn set_named(&mut self, scope: ScopeId, name: Symbol, value: Value) -> Assigned {
        let named = self.named_mut(scope);
        if named.variables.contains_key(&name) {
            return Assigned::Bound;
        }
        named.order.push(name);
        named.variables.insert(name, value);
        Assigned::Done
    }

    /// The node or top scope around the current one: what functions see.
    pub(crate) fn global(&self) -> ScopeId {
        self.global_of(self.current)
    }

    /// The node or top scope that is this one, or around it.
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
        is_global: bool,
    ) -> ScopeId {
        let next = parent.or_else(|| Some(self.global_of(outer)));
        let id = ScopeId(u32::try_from(self.named.len()).expect("resources are limited"));
        self.named.push(Named {
            variables: FxHashMap::default(),
            order: Vec::new(),
            next,
            inherited: parent,
            is_global,
            top: Top::NONE,
        });
        id
    }

    /// Goes into a named scope; `leave` takes back what is returned.
    pub(crate) fn enter_named(&mut self, scope: ScopeId) -> (Mark, Mark) {
        let caller = self.mark();
        self.current = scope;
        (caller, self.mark())
    }

    /// Makes the scope of a class known by the class's name.
    pub(crate) fn set_class(&mut self, name: Symbol, scope: ScopeId) {
        self.classes.insert(name, scope);
    }

    /// The scope of a class that was evaluated.
    pub(crate) fn class_scope(&self, name: Symbol) -> Option<ScopeId> {
        self.classes.get(&name).copied()
    }

    /// Gives a parameter of the innermost scope another value.
    pub(crate) fn replace_parameter(&mut self, name: Symbol, value: Value) {
        let top = self.top();
        if let Some(Local { kind: LocalKind::Parameters { set, .. }, .. }) =
            self.locals.get_mut(top.0 as usize)
        {
            match set.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = value,
                None => set.push((name, value)),
            }
        }
    }

    /// The scope of settings, as if it were a class.
    pub(crate) fn class(&mut self, name: Symbol) -> ScopeId {
        if let Some(&scope) = self.classes.get(&name) {
            return scope;
        }
        let id = ScopeId(u32::try_from(self.named.len()).expect("resources are limited"));
        self.named.push(Named {
            variables: FxHashMap::default(),
            order: Vec::new(),
            next: Some(ScopeId::TOP),
            inherited: None,
            is_global: false,
            top: Top::NONE,
        });
        self.classes.insert(name, id);
        id
    }
}

/// A block's place on the way to its call: where its variables are looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closure {
    pub(crate) lambda: ExprId,
    pub(crate) scope: ScopeId,
    pub(crate) top: Top,
}
