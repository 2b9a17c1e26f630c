//! The variables of a named scope.

use std::sync::Arc;

use kukla_base::Symbol;
use kukla_pcore::{Hash, Value};
use rustc_hash::FxHashMap;

/// Up to so many variables a look at all of them is quicker than an index.
const SMALL: usize = 8;

/// A parameter that has no value.
const UNSET: u32 = u32::MAX;

/// The numbers of a definition's parameters, by name: the same for all its instances.
pub(crate) type Numbers = FxHashMap<Symbol, u32>;

/// What is known of a variable that is set from a parameter of a resource.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// The number of the parameter; metaparameters have none.
    pub(crate) number: Option<u32>,
    /// Whether the value is known to be of the parameter's type.
    pub(crate) is_checked: bool,
}

/// Variables in the order in which they were set.
#[derive(Debug, Default)]
pub(crate) struct Table {
    list: Vec<(Symbol, Value)>,
    /// The places of variables that are no parameters, once there are many variables.
    index: FxHashMap<Symbol, u32>,
    /// The places of parameters in the list, by their numbers.
    parameters: Option<(Arc<Numbers>, Box<[u32]>)>,
    /// Variables that were there from the beginning: facts, settings.
    given: Option<Arc<Hash>>,
}

impl Table {
    /// Gives the scope variables to begin with, by their names.
    pub(crate) fn give(&mut self, variables: Arc<Hash>) {
        self.given = Some(variables);
    }

    /// Sets the parameters of a definition; the name of one that has a value already is an error.
    ///
    /// The numbers say where they are, so that none of many needs a place in the index.
    pub(crate) fn load(
        &mut self,
        numbers: &Arc<Numbers>,
        values: Vec<(Symbol, Value)>,
        slots: &[Slot],
    ) -> Result<(), Symbol> {
        let is_taken = self.list.iter().any(|(name, _)| numbers.contains_key(name));
        if numbers.len() <= SMALL || is_taken {
            for (name, value) in values {
                if !self.set(name, value) {
                    return Err(name);
                }
            }
            return Ok(());
        }
        let n_before = self.list.len();
        self.list.reserve(values.len() + SMALL);
        let mut places = vec![UNSET; numbers.len()].into_boxed_slice();
        let mut others = Vec::new();
        for ((name, value), slot) in values.into_iter().zip(slots) {
            match slot.number {
                Some(number) => {
                    places[number as usize] = number_of(self.list.len());
                    self.list.push((name, value));
                }
                None => others.push((name, value)),
            }
        }
        self.parameters = Some((Arc::clone(numbers), places));
        if self.list.len() > SMALL {
            for (place, (name, _)) in self.list[..n_before].iter().enumerate() {
                self.index.insert(*name, number_of(place));
            }
        }
        for (name, value) in others {
            if !self.set(name, value) {
                return Err(name);
            }
        }
        Ok(())
    }

    /// The value of a variable.
    #[inline]
    pub(crate) fn get(&self, name: Symbol) -> Option<&Value> {
        match self.place(name) {
            Some(place) => Some(&self.list[place].1),
            None => self.given.as_ref()?.get_str(name.as_str()),
        }
    }

    #[inline]
    fn place(&self, name: Symbol) -> Option<usize> {
        if self.list.len() <= SMALL {
            return self.list.iter().position(|(known, _)| *known == name);
        }
        if let Some((numbers, places)) = &self.parameters
            && let Some(&number) = numbers.get(&name)
        {
            return Some(places[number as usize]).filter(|&place| place != UNSET).map(index);
        }
        self.index.get(&name).copied().map(index)
    }

    /// Sets a variable unless it has a value; whether it had none.
    pub(crate) fn set(&mut self, name: Symbol, value: Value) -> bool {
        let is_new = self.get(name).is_none();
        if is_new {
            self.push(name, value);
        }
        is_new
    }

    fn push(&mut self, name: Symbol, value: Value) {
        let place = self.list.len();
        self.list.push((name, value));
        match place {
            SMALL => (0..=SMALL).for_each(|place| self.note(place)),
            _ if place > SMALL || self.parameters.is_some() => self.note(place),
            _ => (),
        }
    }

    /// Remembers where a variable is.
    fn note(&mut self, place: usize) {
        let name = self.list[place].0;
        let number = number_of(place);
        if let Some((numbers, places)) = &mut self.parameters
            && let Some(&parameter) = numbers.get(&name)
        {
            places[parameter as usize] = number;
        } else if self.list.len() > SMALL {
            self.index.insert(name, number);
        }
    }

    /// Gives a variable another value; the one it had, if it is there.
    pub(crate) fn replace(&mut self, name: Symbol, value: Value) -> Option<Value> {
        match self.place(name) {
            Some(place) => Some(std::mem::replace(&mut self.list[place].1, value)),
            None => {
                let known = self.get(name)?.clone();
                self.push(name, value);
                Some(known)
            }
        }
    }

    /// The names in the order in which they were set.
    pub(crate) fn names(&self) -> impl Iterator<Item = Symbol> {
        let given = self.given.iter().flat_map(|given| given.keys());
        let given = given.filter_map(|name| name.as_str().map(Symbol::new));
        given.chain(self.list.iter().map(|(name, _)| *name))
    }
}

fn number_of(place: usize) -> u32 {
    u32::try_from(place).expect("fewer variables than bytes of source")
}

const fn index(place: u32) -> usize {
    place as usize
}
