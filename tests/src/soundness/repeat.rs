//! Catalogs that are given again: if a snapshot says that a compilation would have the same result, it has.
//!
//! Requests of the usual nodes are changed at random, in one snapshot for all of them, as a server has it.

use anyhow::{Result, anyhow, ensure};
use kukla_pcore::Value;
use kukla_site::Repeat;
use kukla_world::Atom;

use super::mutation::Targets;
use super::nodes;
use super::subject::{Ready, Subject};
use crate::generator::Random;

/// Facts that agents report and hardly any code reads.
const RESTLESS: [&str; 3] = ["uptime_seconds", "memoryfree_mb", "brand_new"];

/// Counts of changes by their outcome.
#[derive(Clone, Copy, Debug, Default)]
pub struct Repeats {
    /// Changes after which the catalog would be given again.
    pub given: usize,
    /// Changes after which it would be compiled.
    pub compiled: usize,
    /// Of these, those that change the catalog or its log.
    pub changed: usize,
}

/// Changes each of the usual nodes so many times.
pub fn compare(n_changes: u64) -> Result<Repeats> {
    let mut repeats = Repeats::default();
    for (name, subject) in nodes::usual()?.into_iter().chain(nodes::examples()?) {
        let ready = subject.open().map_err(|error| anyhow!("{name}: {error}"))?;
        let compared = of_node(&ready, &subject, n_changes);
        let counts = compared.map_err(|error| anyhow!("{name}: {error}"))?;
        repeats.given += counts.given;
        repeats.compiled += counts.compiled;
        repeats.changed += counts.changed;
    }
    Ok(repeats)
}

fn of_node(ready: &Ready, subject: &Subject, n_changes: u64) -> Result<Repeats> {
    let (outcome, inputs) = ready.repeatable().result();
    let all: Vec<Atom> = ready.compile().1;
    let few = inputs.of_request();
    let of_request: Vec<&Atom> = all.iter().filter(|atom| !atom.kind.is_of_site()).collect();
    ensure!(few.iter().collect::<Vec<_>>() == of_request, "two records have other questions");
    let repeat =
        ready.repeat(&inputs).ok_or_else(|| anyhow!("its catalog is never given again"))?;
    ensure!(ready.holds(&repeat), "its catalog is not given again");
    let targets = Targets::of(&few);
    let mut repeats = Repeats::default();
    for seed in 0..n_changes {
        let mut random = Random::new(seed);
        let mut changed = subject.clone();
        let description = match seed % 4 {
            0 => touch(&mut changed, &mut random),
            _ => targets.mutate(&mut changed, &mut random),
        };
        let other = ready.as_node(&changed);
        let is_same = other.repeatable().result().0 == outcome;
        match (holds(&other, &repeat), is_same) {
            (true, true) => repeats.given += 1,
            (true, false) => return Err(anyhow!("seed {seed}: {description} changes its catalog")),
            (false, _) => repeats.compiled += 1,
        }
        repeats.changed += usize::from(!is_same);
    }
    Ok(repeats)
}

/// Whether the catalog would be given again; a server compiles nodes with warnings of their own.
fn holds(ready: &Ready, repeat: &Repeat) -> bool {
    !ready.has_warnings() && ready.holds(repeat)
}

/// Changes facts that no code reads.
fn touch(subject: &mut Subject, random: &mut Random) -> String {
    let facts = std::sync::Arc::make_mut(&mut subject.node.facts);
    for name in RESTLESS {
        facts.insert(Value::from(name), Value::Integer(random.below(1_000_000) as i64));
    }
    "other facts".to_owned()
}
