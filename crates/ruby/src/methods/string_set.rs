//! Strings and sets of characters: `tr`, `delete`, `squeeze`, `count`.

use ecow::EcoString;

use super::chars::Set;
use super::tools::int;
use crate::run::{Args, Eval, Run};
use crate::value::RubyValue;

impl Run<'_> {
    pub(super) fn string_sets(
        &mut self,
        s: &EcoString,
        name: &str,
        a: Args<'_>,
    ) -> Eval<Option<RubyValue>> {
        match name {
            "tr" | "tr_s" => {
                self.arity(a, 2, 2)?;
                let from = self.set(&a.items[0])?;
                let to = self.text_arg(&a.items[1])?;
                let to = if to.starts_with('^') {
                    to.chars().collect()
                } else {
                    self.set(&a.items[1])?.chars
                };
                Ok(Some(RubyValue::str(translate(s, &from, &to, name == "tr_s"))))
            }
            "delete" => {
                self.arity(a, 1, usize::MAX)?;
                let sets = self.sets(a)?;
                let kept: EcoString =
                    s.chars().filter(|&c| !sets.iter().all(|set| set.has(c))).collect();
                Ok(Some(RubyValue::str(kept)))
            }
            "count" => {
                self.arity(a, 1, usize::MAX)?;
                let sets = self.sets(a)?;
                Ok(Some(int(s.chars().filter(|&c| sets.iter().all(|set| set.has(c))).count())))
            }
            "squeeze" => {
                let sets = self.sets(a)?;
                let mut out = EcoString::new();
                let mut last = None;
                for c in s.chars() {
                    if last != Some(c) || !sets.iter().all(|set| set.has(c)) {
                        out.push(c);
                    }
                    last = Some(c);
                }
                Ok(Some(RubyValue::str(out)))
            }
            _ => Ok(None),
        }
    }

    fn set(&mut self, value: &RubyValue) -> Eval<Set> {
        let text = self.text_arg(value)?;
        match Set::parse(&text) {
            Ok(set) => Ok(set),
            Err(message) => self.argument_error(message),
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
