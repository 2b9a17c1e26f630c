//! The variables of a named scope.

use std::sync::Arc;

use kukla_base::Symbol;
use kukla_pcore::{Hash, Value};
use rustc_hash::FxHashMap;

use super::watch::Watch;

/// A variable of a layout that has no value.
const UNSET: u32 = u32::MAX;

/// The numbers of parameters, by name.
pub(crate) type Numbers = FxHashMap<Symbol, u32>;

/// A variable as code names it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Variable {
    pub(crate) name: Symbol,
    /// Its number in the layout of the class or define that the code stands in, if it has one there.
    number: u32,
}

impl Variable {
    pub(crate) fn new(name: Symbol) -> Self {
        Self { name, number: UNSET }
    }
}

/// Which variables a class or define has, as far as its code tells: the same for all its instances.
///
/// The parameters have the first numbers.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    names: Vec<Symbol>,
    numbers: Numbers,
}

impl Layout {
    pub(crate) fn add(&mut self, name: Symbol) {
        let number = number_of(self.names.len());
        if *self.numbers.entry(name).or_insert(number) == number {
            self.names.push(name);
        }
    }

    /// The variable with its number, if it has one.
    pub(crate) fn numbered(&self, name: Symbol) -> Variable {
        Variable { name, number: self.numbers.get(&name).copied().unwrap_or(UNSET) }
    }

    #[inline]
    fn number(&self, variable: Variable) -> Option<u32> {
        match self.names.get(index(variable.number)) {
            Some(name) if *name == variable.name => Some(variable.number),
            _ => self.numbers.get(&variable.name).copied(),
        }
    }
}

/// Variables in the order in which they were set.
#[derive(Debug, Default)]
pub(crate) struct Table {
    list: Vec<(Symbol, Value)>,
    /// Where those of the layout are in the list, by their numbers.
    places: Vec<u32>,
    layout: Option<Arc<Layout>>,
    /// Where all others are.
    others: FxHashMap<Symbol, u32>,
    /// Variables that were there from the beginning: facts, settings.
    given: Option<Arc<Hash>>,
    /// Notes the names that are asked for, while a compilation is recorded.
    watch: Option<Box<Watch>>,
}

impl Table {
    /// For the variables of a class or define.
    pub(crate) fn with_layout(layout: &Arc<Layout>) -> Self {
        let n = layout.names.len();
        Self {
            list: Vec::with_capacity(n),
            places: vec![UNSET; n],
            layout: Some(Arc::clone(layout)),
            ..Self::default()
        }
    }

    /// Gives the scope variables to begin with, by their names.
    pub(crate) fn give(&mut self, variables: Arc<Hash>) {
        self.given = Some(variables);
    }

    /// Notes from now on the names that are asked for.
    pub(crate) fn watch(&mut self) {
        self.watch = Some(Box::default());
    }

    /// Returns the notes about names that were asked for.
    pub(crate) fn watched(&self) -> Option<&Watch> {
        self.watch.as_deref()
    }

    /// Sets a parameter by its number, unless it has a value; whether it had none.
    #[inline]
    pub(crate) fn set_parameter(&mut self, name: Symbol, number: u32, value: Value) -> bool {
        match self.places.get_mut(index(number)) {
            Some(place) if *place == UNSET => {
                *place = number_of(self.list.len());
                self.list.push((name, value));
                true
            }
            Some(_) => false,
            None => self.set(Variable { name, number }, value),
        }
    }

    /// All of them in the order in which they were set.
    pub(crate) fn all(&self) -> &[(Symbol, Value)] {
        &self.list
    }

    /// Gives the one that was set as the `n`-th another value.
    pub(crate) fn replace_at(&mut self, n: usize, value: Value) {
        if let Some((_, known)) = self.list.get_mut(n) {
            *known = value;
        }
    }

    /// Calls `f` with the name and value of each variable that code has set.
    pub(crate) fn each_mut(&mut self, mut f: impl FnMut(Symbol, &mut Value)) {
        self.list.iter_mut().for_each(|(name, value)| f(*name, value));
    }

    /// The value of a variable that was there from the beginning.
    pub(crate) fn given(&self, name: &str) -> Option<&Value> {
        if let Some(watch) = &self.watch {
            watch.note_text(name);
        }
        self.given.as_ref()?.get_str(name)
    }

    /// The value of a variable.
    #[inline]
    pub(crate) fn get(&self, variable: Variable) -> Option<&Value> {
        // Mostly code asks for a variable of the definition that it stands in.
        if let Some(&place) = self.places.get(index(variable.number))
            && let Some((name, value)) = self.list.get(index(place))
            && *name == variable.name
        {
            return Some(value);
        }
        self.find(variable)
    }

    #[inline(never)]
    fn find(&self, variable: Variable) -> Option<&Value> {
        if let Some(watch) = &self.watch {
            watch.note(variable.name);
        }
        match self.place(variable) {
            Some(place) => Some(&self.list[place].1),
            None => self.given(variable.name.as_str()),
        }
    }

    #[inline]
    fn number(&self, variable: Variable) -> Option<u32> {
        self.layout.as_ref().and_then(|layout| layout.number(variable))
    }

    #[inline]
    fn place(&self, variable: Variable) -> Option<usize> {
        let place = match self.number(variable) {
            Some(number) => self.places[index(number)],
            None => *self.others.get(&variable.name)?,
        };
        Some(index(place)).filter(|_| place != UNSET)
    }

    /// Sets a variable unless it has a value; whether it had none.
    #[inline]
    pub(crate) fn set(&mut self, variable: Variable, value: Value) -> bool {
        let place = number_of(self.list.len());
        let is_given = self.given.is_some() && self.given(variable.name.as_str()).is_some();
        let known = match self.number(variable) {
            Some(number) => &mut self.places[index(number)],
            None => self.others.entry(variable.name).or_insert(UNSET),
        };
        let is_new = *known == UNSET && !is_given;
        if is_new {
            *known = place;
            self.list.push((variable.name, value));
        }
        is_new
    }

    /// Gives a variable another value; the one it had, if it is there.
    pub(crate) fn replace(&mut self, variable: Variable, value: Value) -> Option<Value> {
        match self.place(variable) {
            Some(place) => Some(std::mem::replace(&mut self.list[place].1, value)),
            None => {
                let known = self.given(variable.name.as_str())?.clone();
                self.others.insert(variable.name, number_of(self.list.len()));
                self.list.push((variable.name, value));
                Some(known)
            }
        }
    }

    /// The names of variables that were there from the beginning.
    pub(crate) fn given_names(&self) -> impl Iterator<Item = &str> {
        if let Some(watch) = &self.watch {
            watch.note_list();
        }
        self.given.iter().flat_map(|given| given.keys()).filter_map(Value::as_str)
    }
}

fn number_of(place: usize) -> u32 {
    u32::try_from(place).expect("fewer variables than bytes of source")
}

const fn index(place: u32) -> usize {
    place as usize
}
