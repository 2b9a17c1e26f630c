//! Strings and sets of characters: `tr`, `delete`, `squeeze`, `count`.

use std::rc::Rc;

use ecow::EcoString;

use super::chars::Set;
use super::table::{Builtin, method};
use super::tools::{int, text};
use crate::run::{Args, Eval, Run};
use crate::value::{RubyValue, Str};

/// The methods of this file.
pub(super) static METHODS: &[Builtin<Rc<Str>>] = &[
    method("tr", |run, this, a| tr(run, this, a, false)).arity(2, 2),
    method("tr_s", |run, this, a| tr(run, this, a, true)).arity(2, 2),
    method("delete", delete).arity(1, usize::MAX),
    method("count", count).arity(1, usize::MAX),
    method("squeeze", squeeze),
];

fn tr(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>, squeezes: bool) -> Eval {
    let s = &this.to_text();
    let from = run.set(&a.items[0])?;
    let to = run.text_arg(&a.items[1])?;
    let to = if to.starts_with('^') { to.chars().collect() } else { run.set(&a.items[1])?.chars };
    text(translate(s, &from, &to, squeezes))
}

fn delete(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let s = &this.to_text();
    let sets = run.sets(a)?;
    let kept: EcoString = s.chars().filter(|&c| !sets.iter().all(|set| set.has(c))).collect();
    text(kept)
}

fn count(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let s = &this.to_text();
    let sets = run.sets(a)?;
    Ok(int(s.chars().filter(|&c| sets.iter().all(|set| set.has(c))).count()))
}

fn squeeze(run: &mut Run<'_>, this: &Rc<Str>, a: Args<'_>) -> Eval {
    let s = &this.to_text();
    let sets = run.sets(a)?;
    let mut out = EcoString::new();
    let mut last = None;
    for c in s.chars() {
        if last != Some(c) || !sets.iter().all(|set| set.has(c)) {
            out.push(c);
        }
        last = Some(c);
    }
    text(out)
}

impl Run<'_> {
    fn set(&mut self, value: &RubyValue) -> Eval<Set> {
        let text = self.text_arg(value)?;
        match Set::parse(&text) {
            Ok(set) => Ok(set),
            Err(error) => self.argument_error(error.to_string()),
        }
    }

    fn sets(&mut self, a: Args<'_>) -> Eval<Vec<Set>> {
        a.items.iter().map(|arg| self.set(arg)).collect()
    }
}

fn translate(s: &str, from: &Set, to: &[char], squeezes: bool) -> String {
    let mut out = String::new();
    let mut last = None;
    for c in s.chars() {
        let place = if from.negated {
            (!from.chars.contains(&c)).then_some(usize::MAX)
        } else {
            from.chars.iter().rposition(|&known| known == c)
        };
        let Some(place) = place else {
            out.push(c);
            last = None;
            continue;
        };
        let Some(&new) = to.get(place).or(to.last()) else { continue };
        if !squeezes || last != Some(new) {
            out.push(new);
        }
        last = Some(new);
    }
    out
}
