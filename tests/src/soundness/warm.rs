//! Independence of records from earlier compilations of the process.

use std::sync::Arc;

use anyhow::{Result, anyhow, ensure};
use kukla_world::Atom;

use super::nodes;
use super::subject::{Ready, Subject};
use crate::catalog::corpus;

/// The number of compilations of all nodes before records are compared.
const ROUNDS: usize = 2;

/// Compares records of the usual nodes, fresh and after all other nodes in one snapshot: in both orders, and while
/// another thread compiles too. Returns the number of records that were compared.
pub fn compare() -> Result<usize> {
    let subjects = nodes::usual()?;
    let fresh: Vec<Vec<Atom>> =
        subjects.iter().map(|subject| Ok(open(subject)?.compile().1)).collect::<Result<_>>()?;
    let (_, template) = subjects.first().ok_or_else(|| anyhow!("there are nodes"))?;
    let others: Vec<Subject> = corpus::nodes()?
        .iter()
        .map(|name| template.named(name.trim_start_matches(corpus::NODE)))
        .collect();
    ensure!(others.len() * ROUNDS >= 100, "only {} nodes are compiled before", others.len());
    let ready = Arc::new(open(&subjects[0])?);
    let mut n_compared = 0;
    for is_reversed in [false, true] {
        let compile = |subject: &Subject| drop(ready.as_node(subject).compile());
        match is_reversed {
            false => (0..ROUNDS).for_each(|_| others.iter().for_each(compile)),
            true => (0..ROUNDS).for_each(|_| others.iter().rev().for_each(compile)),
        }
        n_compared += same(&ready, &subjects, &fresh, is_reversed)?;
    }
    Ok(n_compared + beside_each_other(&subjects, &others, &fresh)?)
}

fn open((name, subject): &(String, Subject)) -> Result<Ready> {
    subject.open().map_err(|error| anyhow!("{name}: {error}"))
}

/// Two threads share a snapshot from its first moment.
fn beside_each_other(
    subjects: &[(String, Subject)],
    others: &[Subject],
    fresh: &[Vec<Atom>],
) -> Result<usize> {
    let ready = Arc::new(open(&subjects[0])?);
    std::thread::scope(|scope| {
        let busy = Arc::clone(&ready);
        let noise = scope.spawn(move || {
            others.iter().for_each(|subject| drop(busy.as_node(subject).compile()));
        });
        let n_compared = same(&ready, subjects, fresh, false)?;
        noise.join().map_err(|_| anyhow!("a thread panicked"))?;
        Ok(n_compared + same(&ready, subjects, fresh, true)?)
    })
}

fn same(
    ready: &Ready,
    subjects: &[(String, Subject)],
    fresh: &[Vec<Atom>],
    is_reversed: bool,
) -> Result<usize> {
    let mut pairs: Vec<_> = subjects.iter().zip(fresh).collect();
    if is_reversed {
        pairs.reverse();
    }
    for ((name, subject), fresh) in &pairs {
        let (_, warm) = ready.as_node(subject).compile();
        let lost: Vec<&Atom> = fresh.iter().filter(|atom| !warm.contains(atom)).collect();
        let new: Vec<&Atom> = warm.iter().filter(|atom| !fresh.contains(atom)).collect();
        ensure!(warm == **fresh, "{name}: only when fresh {lost:?}; only when warm {new:?}");
    }
    Ok(pairs.len())
}
